/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * policy.c - making and changing a policy. Documentation is in omega/sandbox.h.
 */

#include "config.h"

#include <sys/stat.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/project-trust.h"
#include "conf/project.h"
#include "conf/value.h"
#include "path/text.h"
#include "plan/stack.h"
#include "policy/policy.h"

/* What the administrator has configured. */
static int
take_configuration(struct omega_sandbox_policy *policy)
{
	const struct omega_conf *conf = policy->sandbox->conf;
	const char *data_dir = omega_sandbox_object_data_dir(policy->sandbox);

	if (data_dir != NULL) {
		policy->data_dir = strdup(data_dir);
		if (policy->data_dir == NULL)
			return -ENOMEM;
	}
	if (!omega_conf_is(conf, OMEGA_OPTION_WITNESS))
		policy->witness = OMEGA_POLICY_WITNESS_OFF;
	else
		policy->witness = conf->top.values[OMEGA_OPTION_WITNESS].is_set
				      ? OMEGA_POLICY_WITNESS_ON
				      : OMEGA_POLICY_WITNESS_DEFAULT;
	return omega_layer_take(&policy->own, &conf->top);
}

/* The stack as the configuration names it. */
static int
take_backends(
    struct omega_sandbox_policy *policy, struct omega_sandbox_error *error)
{
	const struct omega_conf_list *list =
	    omega_conf_items(policy->sandbox->conf, OMEGA_OPTION_BACKEND);
	const char *words[OMEGA_SANDBOX_MAX_BACKENDS];
	size_t i;
	int ret;

	if (list->count > OMEGA_SANDBOX_MAX_BACKENDS)
		return omega_error_conf(error, list->items[0].file,
		    list->items[0].line, "more than %d backends",
		    OMEGA_SANDBOX_MAX_BACKENDS);
	for (i = 0; i < list->count; i++)
		words[i] = list->items[i].text;
	ret = omega_stack_expand(words, list->count, policy->backends,
	    &policy->backend_count, error);
	if (ret < 0)
		return ret;
	policy->is_admin_named = policy->backend_count > 0;
	policy->is_noop_allowed =
	    omega_stack_has_noop(policy->backends, policy->backend_count);
	return 0;
}

/* The floors of the configuration, and the rules of the policy's own name. */
static int
take_layers(
    struct omega_sandbox_policy *policy, struct omega_sandbox_error *error)
{
	const struct omega_conf_list *floors =
	    omega_conf_items(policy->sandbox->conf, OMEGA_OPTION_FLOOR);
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < floors->count; i++)
		ret = omega_policy_add_layer(
		    policy, OMEGA_SCAN_POLICY, floors->items[i].text, error);
	policy->floor_count = policy->layer_count;
	if (ret == 0)
		ret = omega_policy_add_layer(
		    policy, OMEGA_SCAN_POLICY, policy->name, error);
	return ret;
}

int
omega_sandbox_policy_new(struct omega_sandbox *sandbox, const char *name,
    struct omega_sandbox_policy **policy, struct omega_sandbox_error *error)
{
	struct omega_sandbox_policy *made = NULL;
	int ret;

	if (sandbox == NULL || policy == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a sandbox and a place for the policy are needed");
	*policy = NULL;
	if (name == NULL || name[0] == '\0')
		name = "default";
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return omega_error_memory(error);
	atomic_init(&made->refs, 1);
	made->sandbox = omega_sandbox_ref(sandbox);
	made->name = strdup(name);
	ret = made->name == NULL ? -ENOMEM : take_configuration(made);
	if (ret < 0)
		ret = omega_error_memory(error);
	else
		ret = take_backends(made, error);
	if (ret == 0)
		ret = take_layers(made, error);
	if (ret < 0) {
		omega_sandbox_policy_unref(made);
		return ret;
	}
	*policy = made;
	return 0;
}

struct omega_sandbox_policy *
omega_sandbox_policy_ref(struct omega_sandbox_policy *policy)
{
	if (policy != NULL)
		atomic_fetch_add(&policy->refs, 1);
	return policy;
}

void
omega_sandbox_policy_unref(struct omega_sandbox_policy *policy)
{
	if (policy != NULL && atomic_fetch_sub(&policy->refs, 1) == 1)
		omega_policy_free(policy);
}

static int
needs_policy(struct omega_sandbox_error *error)
{
	return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
	    "a policy, a name and a value are needed");
}

/* ---- What is no rule ----------------------------------------------------- */

static int
add_agent(struct omega_sandbox_policy *policy, const char *name,
    struct omega_sandbox_error *error)
{
	return omega_policy_add_layer(policy, OMEGA_SCAN_AGENT, name, error);
}

/* Load every backend named, so that a wrong name is told at once. */
static int
load_all(struct omega_sandbox *sandbox, char *const *names, size_t count,
    struct omega_sandbox_error *error)
{
	struct omega_backend *backend;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < count; i++)
		ret = omega_sandbox_object_backend(
		    sandbox, names[i], &backend, error);
	return ret;
}

static int
set_backend(struct omega_sandbox_policy *policy, const char *list,
    struct omega_sandbox_error *error)
{
	char *names[OMEGA_SANDBOX_MAX_BACKENDS];
	size_t count = 0;
	int ret;

	ret = omega_stack_parse(list, names, &count, error);
	if (ret < 0)
		return ret;
	ret = load_all(policy->sandbox, names, count, error);
	if (ret < 0) {
		while (count > 0)
			free(names[--count]);
		return ret;
	}
	omega_policy_drop_backends(policy);
	memcpy(policy->backends, names, count * sizeof(names[0]));
	policy->backend_count = count;
	/* Only where the administrator left the choice open does naming noop
	 * here waive anything. */
	policy->is_noop_allowed =
	    !policy->is_admin_named && omega_stack_has_noop(names, count);
	return 0;
}

/* "none": the host has no such directory, on purpose. */
static int
set_dir(char **dir, bool *is_dropped, const char *value,
    struct omega_sandbox_error *error)
{
	bool is_none = strcmp(value, "none") == 0;
	char *copy = is_none ? NULL : strdup(value);

	if (copy == NULL && !is_none)
		return omega_error_memory(error);
	free(*dir);
	*dir = copy;
	*is_dropped = is_none;
	return 0;
}

static int
set_data_dir(struct omega_sandbox_policy *policy, const char *dir,
    struct omega_sandbox_error *error)
{
	if (strcmp(dir, "none") != 0 && omega_text_check(dir) < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY,
		    EINVAL, "data_dir '%.200s' is not an absolute path", dir);
	return set_dir(&policy->data_dir, &policy->is_data_dropped, dir, error);
}

static int
set_work_dir(struct omega_sandbox_policy *policy, const char *dir,
    struct omega_sandbox_error *error)
{
	struct stat seen;

	if (strcmp(dir, "none") != 0 && omega_text_check(dir) < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY,
		    EINVAL,
		    "the work directory '%.200s' is not an absolute path", dir);
	if (dir[0] == '/' && stat(dir, &seen) == 0 && !S_ISDIR(seen.st_mode))
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY,
		    ENOTDIR, "the work directory %.200s is not a directory",
		    dir);
	return set_dir(&policy->work_dir, &policy->is_work_dropped, dir, error);
}

static int
set_witness(struct omega_sandbox_policy *policy, const char *value,
    struct omega_sandbox_error *error)
{
	const struct omega_conf *conf = policy->sandbox->conf;
	int is_on = omega_value_switch(value);

	if (is_on < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY,
		    EINVAL, "witness is true or false, not '%.64s'", value);
	if (is_on)
		policy->witness = OMEGA_POLICY_WITNESS_ON;
	/* An administrator's wish to see stands. */
	else if (!omega_conf_is(conf, OMEGA_OPTION_WITNESS) ||
		 conf->top.values[OMEGA_OPTION_WITNESS].file == NULL)
		policy->witness = OMEGA_POLICY_WITNESS_OFF;
	return 0;
}

static int
keep_file(struct omega_sandbox_policy *policy, const char *path,
    struct omega_sandbox_error *error)
{
	return omega_list_add(&policy->files, path, NULL, 0) < 0
		   ? omega_error_memory(error)
		   : 0;
}

/* In place of the policy of the name that was given; below every floor. */
static int
set_policy_file(struct omega_sandbox_policy *policy, const char *path,
    struct omega_sandbox_error *error)
{
	struct omega_layer rules;
	char *name = NULL;
	int ret;

	memset(&rules, 0, sizeof(rules));
	if (omega_text_check(path) < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY,
		    EINVAL, "policy_file '%.200s' is not an absolute path",
		    path);
	ret = omega_project_policy(
	    policy->sandbox->conf, path, &rules, &name, error);
	if (ret == 0)
		ret = keep_file(policy, path, error);
	if (ret < 0) {
		omega_layer_clear(&rules);
		free(name);
		return ret;
	}
	omega_layer_clear(&policy->layers[policy->floor_count]);
	policy->layers[policy->floor_count] = rules;
	free(policy->name);
	policy->name = name;
	return 0;
}

/* What the file of a project asks for, if its user trusts it. */
static int
set_project(struct omega_sandbox_policy *policy, const char *dir,
    struct omega_sandbox_error *error)
{
	struct omega_layer changed;
	char *path = NULL;
	char *store = NULL;
	int ret;

	memset(&changed, 0, sizeof(changed));
	if (omega_text_check(dir) < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY,
		    EINVAL, "project '%.200s' is not an absolute path", dir);
	if (omega_layer_copy(&changed, &policy->own) < 0 ||
	    asprintf(&path, "%s/" OMEGA_PROJECT_TRUST_FILE, dir) < 0) {
		path = NULL;
		ret = omega_error_memory(error);
	} else {
		ret = omega_project_read(dir, &changed, error);
	}
	if (ret == 0)
		goto out; /* there is none */
	if (ret > 0)
		ret = omega_layer_check(&changed, error);
	if (ret == 0)
		ret = keep_file(policy, path, error);
	/* The directory that says so is kept as well. */
	if (ret == 0 && omega_project_trust_name(path, &store) == 0) {
		*strrchr(store, '/') = '\0';
		ret = keep_file(policy, store, error);
	}
	if (ret == 0) {
		omega_layer_clear(&policy->own);
		policy->own = changed;
		memset(&changed, 0, sizeof(changed));
	}
out:
	omega_layer_clear(&changed);
	free(store);
	free(path);
	return ret;
}

static const struct {
	const char *name;
	int (*set)(struct omega_sandbox_policy *policy, const char *value,
	    struct omega_sandbox_error *error);
} others[] = {
    {"agent", add_agent},
    {"backend", set_backend},
    {"data_dir", set_data_dir},
    {"policy_file", set_policy_file},
    {"project", set_project},
    {"witness", set_witness},
    {"work_dir", set_work_dir},
};

/* ---- Rules --------------------------------------------------------------- */

/* A rule that is refused leaves the policy as it was. */
static int
set_rule(struct omega_sandbox_policy *policy,
    const struct omega_setting *setting, struct omega_sandbox_error *error)
{
	struct omega_layer changed;
	int ret;

	memset(&changed, 0, sizeof(changed));
	if (omega_layer_copy(&changed, &policy->own) < 0)
		ret = omega_error_memory(error);
	else
		ret = omega_layer_set(&changed, setting, error);
	if (ret == 0)
		ret = omega_layer_check(&changed, error);
	if (ret == 0) {
		omega_layer_clear(&policy->own);
		policy->own = changed;
		return 0;
	}
	omega_layer_clear(&changed);
	return ret;
}

int
omega_sandbox_policy_set(struct omega_sandbox_policy *policy, const char *name,
    const char *value, struct omega_sandbox_error *error)
{
	const struct omega_conf_text text = {.text = (char *)(uintptr_t)value};
	struct omega_setting setting = {.name = name,
	    .values = &text,
	    .count = 1,
	    .file = "host application"};
	enum omega_option_id id;
	size_t i;

	if (policy == NULL || name == NULL || value == NULL)
		return needs_policy(error);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(name, others[i].name) == 0)
			return others[i].set(policy, value, error);
	setting.by = OMEGA_BY_RULE | OMEGA_BY_GRANT;
	id = omega_option_find(
	    name, OMEGA_BY_RULE | OMEGA_BY_HOST | OMEGA_BY_GRANT);
	if (id == OMEGA_OPTION_COUNT)
		return set_rule(policy, &setting, error);
	setting.is_list = omega_option_is_list(id);
	if ((omega_option_table[id].by & OMEGA_BY_HOST) != 0)
		return omega_layer_set_within(&policy->own, id, &setting,
		    &policy->sandbox->conf->top, error);
	/* Of what is allowed: nothing. */
	if (value[0] == '\0' &&
	    omega_option_table[id].merge == OMEGA_MERGE_COMMON)
		setting.count = 0;
	return set_rule(policy, &setting, error);
}

enum omega_sandbox_session
omega_sandbox_policy_get_session(const struct omega_sandbox_policy *policy)
{
	return policy == NULL ? OMEGA_SANDBOX_SESSION_NEW
			      : omega_policy_session(policy);
}
