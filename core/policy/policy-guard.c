/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * policy-guard.c - see policy-guard.h. The same combination of layers that
 * atoms are made from becomes rules and lists of a guard.
 */

#include "config.h"

#include "policy/policy-guard.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "path/kernel.h"
#include "policy/atom-add.h"
#include "policy/combine.h"
#include "policy/own-files.h"
#include "policy/planted-links.h"

#define BOTH (OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE)

/* A guard on its way, and who waits for the reason of a failure. */
struct work {
	struct omega_sandbox_policy *policy;
	struct omega_sandbox_guard *guard;
	struct omega_sandbox_error *error;
};

static int
fault(const struct work *work, const char *path, int ret)
{
	if (ret == -ENOMEM)
		return omega_error_memory(work->error);
	return omega_error_set(work->error, OMEGA_SANDBOX_E_INVALID_POLICY,
	    -ret,
	    "%s cannot be protected: where it leads cannot be found out: %s%s",
	    path, strerror(-ret), omega_kernel_lacks());
}

static int
block(const struct work *work, unsigned access, const char *path,
    const char *origin, uint32_t line)
{
	int ret =
	    omega_planted_links_block(work->guard, access, path, origin, line);

	return ret < 0 ? fault(work, path, ret) : 0;
}

/* "FILE:LINE" as FILE, in a copy, and LINE; what has no line is left. */
static char *
file_of(const char *origin, uint32_t *line)
{
	char *file = strdup(origin);
	char *colon = file == NULL ? NULL : strrchr(file, ':');

	*line = 0;
	if (colon != NULL && colon[1] != '\0' &&
	    strspn(colon + 1, "0123456789") == strlen(colon + 1)) {
		*line = (uint32_t)strtoul(colon + 1, NULL, 10);
		*colon = '\0';
	}
	return file;
}

/* ---- What is always kept --------------------------------------------------
 */

static int
block_data_dir(const struct work *work, const char *dir, const char *origin)
{
	static const char *const names[] = {"data", "config.toml"};
	char path[PATH_MAX];
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < 2; i++) {
		if (snprintf(path, sizeof(path), "%s/%s", dir, names[i]) >=
		    (int)sizeof(path))
			return fault(work, dir, -ENAMETOOLONG);
		ret = block(work, BOTH, path, origin, 0);
	}
	return ret;
}

static int
block_data(const struct work *work)
{
	const struct omega_sandbox_policy *policy = work->policy;
	const struct omega_conf_text *admin =
	    omega_conf_first(policy->sandbox->conf, OMEGA_OPTION_DATA_DIR);
	int ret = 0;

	if (!policy->is_data_dropped && policy->data_dir == NULL)
		return omega_error_set(work->error,
		    OMEGA_SANDBOX_E_INVALID_POLICY, 0,
		    "there is no data directory to protect: user %lu has no "
		    "home directory in the password database; set data_dir",
		    (unsigned long)geteuid());
	if (!policy->is_data_dropped)
		ret = block_data_dir(work, policy->data_dir, "built in");
	if (ret == 0 && admin->text != NULL)
		ret = block_data_dir(work, admin->text, admin->file);
	return ret;
}

static int
block_asked(const struct work *work, const struct omega_conf_text *asked)
{
	return block(work, BOTH, asked->text, asked->file, asked->line);
}

/* What is believed though commands could change it. */
static int
block_believed(void *arg, const char *path, const char *why)
{
	return block(arg, OMEGA_SANDBOX_WRITE, path, why, 0);
}

static int
block_built_in(const struct work *work)
{
	const struct omega_sandbox_policy *policy = work->policy;
	const struct omega_conf_text *config_file =
	    omega_conf_first(policy->sandbox->conf, OMEGA_OPTION_CONFIG_FILE);
	const struct omega_conf_list *blocked =
	    &policy->own.values[OMEGA_OPTION_BLOCKED_PATHS].items;
	const struct omega_builtin_unattended *at;
	struct work own = *work;
	size_t i;
	int ret;

	ret = block_data(work);
	for (at = omega_own_files_unattended(); ret == 0 && at->path != NULL;
	     at++)
		if (at->is_obeyed || access(at->path, F_OK) == 0)
			ret = block(
			    work, OMEGA_SANDBOX_WRITE, at->path, "built in", 0);
	if (ret == 0 && config_file->text != NULL)
		ret = block_asked(work, config_file);
	for (i = 0; ret == 0 && i < blocked->count; i++)
		ret = block_asked(work, &blocked->items[i]);
	if (ret < 0)
		return ret;
	return omega_own_files_each(policy, true, block_believed, &own);
}

/* ---- What the layers say --------------------------------------------------
 */

static int
block_denied(const struct work *work, const struct omega_combined_place *deny)
{
	unsigned access = 0;
	uint32_t line;
	char *file;
	int ret;

	if (deny->access == 0)
		return 0;
	if ((deny->access & OMEGA_ATOM_READ_BITS) != 0)
		access |= OMEGA_SANDBOX_READ;
	/* What is absent must not appear, whatever it is denied for. */
	if ((deny->access & OMEGA_ATOM_CHANGE_BITS) != 0 || !deny->exists)
		access |= OMEGA_SANDBOX_WRITE;
	file = file_of(deny->origin, &line);
	if (file == NULL)
		return omega_error_memory(work->error);
	ret = block(work, access, deny->spelled, file, line);
	free(file);
	return ret;
}

static int
add_list(const struct work *work, unsigned access, const char *name,
    const struct omega_combined_set *set)
{
	struct omega_lists *lists;
	uint32_t line;
	char *file;
	size_t i;
	int ret = -ENOMEM;

	if (!set->is_limited)
		return 0;
	file = file_of(set->origin, &line);
	lists = omega_guard_lists(work->guard);
	if (file != NULL && lists != NULL)
		ret = omega_lists_limit(lists, access, name, file, line);
	for (i = 0; ret == 0 && i < set->places.count; i++)
		ret = omega_lists_open(lists, access, set->places.list[i].text);
	free(file);
	return ret < 0 ? omega_error_memory(work->error) : 0;
}

static int
add_layers(const struct work *work)
{
	struct omega_combined combined;
	size_t i;
	int ret;

	ret = omega_combine(work->policy, &combined, work->error);
	for (i = 0; ret == 0 && i < combined.denies.count; i++)
		ret = block_denied(work, &combined.denies.list[i]);
	if (ret == 0)
		ret =
		    add_list(work, OMEGA_SANDBOX_READ, "read", &combined.read);
	if (ret == 0)
		ret = add_list(
		    work, OMEGA_SANDBOX_WRITE, "write", &combined.write);
	if (ret == 0)
		ret = add_list(
		    work, OMEGA_SANDBOX_EXECUTE, "execute", &combined.run);
	omega_combine_drop(&combined);
	return ret;
}

int
omega_policy_guard_make(struct omega_sandbox_policy *policy,
    struct omega_sandbox_guard **guard, struct omega_sandbox_error *error)
{
	struct work work = {.policy = policy, .error = error};
	int ret;

	ret = omega_guard_make_system(&work.guard);
	if (ret < 0)
		return fault(&work, "a system directory", ret);
	ret = block_built_in(&work);
	if (ret == 0)
		ret = add_layers(&work);
	if (ret < 0) {
		omega_guard_free(work.guard);
		return ret;
	}
	omega_guard_settle(work.guard);
	*guard = work.guard;
	return 0;
}
