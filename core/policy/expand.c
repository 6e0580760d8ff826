/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * expand.c - see expand.h.
 */

#include "config.h"

#include "policy/expand.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/home.h"
#include "conf/named.h"
#include "conf/value.h"
#include "path/text.h"

static int
fault(const struct omega_conf_text *item, struct omega_sandbox_error *error,
    const char *text)
{
	char where[64] = "";

	if (item->line != 0)
		snprintf(where, sizeof(where), ":%u", item->line);
	return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, 0,
	    "%s%s: '%.200s': %s", item->file, where, item->text, text);
}

/* path with base in place of its first skip bytes. */
static int
put_base(const char *base, const char *path, size_t skip, char **made)
{
	return asprintf(made, "%s%s", base, path + skip) < 0 ? -ENOMEM : 0;
}

/* asked: who has it in a list, itself or by its group. */
static int
expand_one(const struct omega_sandbox_policy *policy,
    const struct omega_conf_text *item, const struct omega_conf_text *asked,
    omega_expand_take *take, void *arg, struct omega_sandbox_error *error)
{
	static const char data[] = "{data_dir}";
	static const char work[] = "{work_dir}";
	static const char run[] = "{runtime_dir}";
	char *path = omega_value_plain(item->text);
	char *made = NULL;
	int ret = 0;

	if (path == NULL)
		return omega_error_memory(error);
	if (strncmp(path, data, sizeof(data) - 1) == 0) {
		if (policy->is_data_dropped)
			goto out;
		if (policy->data_dir == NULL) {
			ret = fault(item, error,
			    "there is no data directory to put in its place");
			goto out;
		}
		ret = put_base(policy->data_dir, path, sizeof(data) - 1, &made);
	} else if (strncmp(path, work, sizeof(work) - 1) == 0) {
		if (policy->work_dir == NULL && policy->is_work_dropped)
			goto out;
		if (policy->work_dir == NULL) {
			ret = fault(item, error,
			    "no work directory was given; the host sets it: "
			    "work_dir of a request, --work-dir of the tool");
			goto out;
		}
		ret = put_base(policy->work_dir, path, sizeof(work) - 1, &made);
	} else if (strncmp(path, run, sizeof(run) - 1) == 0) {
		ret = asprintf(&made, "/run/user/%lu%s",
		    (unsigned long)geteuid(), path + sizeof(run) - 1);
		ret = ret < 0 ? -ENOMEM : 0;
	} else {
		ret = omega_home_expand(path, &made);
	}
	if (ret == -ENOENT)
		ret = fault(item, error, "no home directory is known");
	else if (ret < 0)
		ret = omega_error_memory(error);
	else if (omega_text_check(made) < 0)
		ret = fault(item, error,
		    "this is not an absolute path the system can open");
	else
		ret = take(arg, made, asked, error);
out:
	free(made);
	free(path);
	return ret;
}

int
omega_expand(const struct omega_sandbox_policy *policy,
    const struct omega_conf_text *item, omega_expand_take *take, void *arg,
    struct omega_sandbox_error *error)
{
	const struct omega_conf_list *group;
	size_t i;
	int ret = 0;

	if (item->text[0] != '@')
		return expand_one(policy, item, item, take, arg, error);
	group = omega_named_group(policy->sandbox->conf, item->text + 1);
	if (group == NULL)
		return fault(item, error, "there is no such group");
	for (i = 0; ret == 0 && i < group->count; i++)
		ret = expand_one(
		    policy, &group->items[i], item, take, arg, error);
	return ret;
}
