/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * screen-rules.c - see screen-rules.h.
 */

#include "config.h"

#include "policy/screen-rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omega/sandbox-plugin.h>

#include "base/error.h"
#include "policy/combine.h"
#include "policy/env-rules.h"

static int
block(struct omega_screen *screen, const char *path, const char *origin,
    uint32_t line, struct omega_sandbox_error *error)
{
	return omega_guard_block_name(
		   screen->guard, OMEGA_SANDBOX_READ, path, origin, line) < 0
		   ? omega_error_memory(error)
		   : 0;
}

static int
block_data(struct omega_screen *screen, const char *data_dir,
    const char *origin, uint32_t line, struct omega_sandbox_error *error)
{
	static const char *const names[] = {"data", "config.toml", NULL};
	char *path = NULL;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && names[i] != NULL; i++) {
		if (asprintf(&path, "%s/%s", data_dir, names[i]) < 0)
			return omega_error_memory(error);
		ret = block(screen, path, origin, line, error);
		free(path);
	}
	return ret;
}

static int
block_lists(const struct omega_sandbox_policy *policy,
    struct omega_screen *screen, struct omega_sandbox_error *error)
{
	struct omega_combined combined;
	size_t i;
	int ret;

	ret = omega_combine(policy, &combined, error);
	for (i = 0; ret == 0 && i < combined.denies.count; i++) {
		const struct omega_combined_place *deny =
		    &combined.denies.list[i];

		if ((deny->access & OMEGA_SANDBOX_ATOM_READ) != 0)
			ret = block(
			    screen, deny->spelled, deny->origin, 0, error);
	}
	omega_combine_drop(&combined);
	return ret;
}

static int
make_guard(const struct omega_sandbox_policy *policy,
    struct omega_screen *screen, struct omega_sandbox_error *error)
{
	const struct omega_conf_text *admin =
	    omega_conf_first(policy->sandbox->conf, OMEGA_OPTION_DATA_DIR);
	const struct omega_conf_text *config_file =
	    omega_conf_first(policy->sandbox->conf, OMEGA_OPTION_CONFIG_FILE);
	const struct omega_conf_list *blocked =
	    &policy->own.values[OMEGA_OPTION_BLOCKED_PATHS].items;
	size_t i;
	int ret = 0;

	screen->guard = calloc(1, sizeof(*screen->guard));
	if (screen->guard == NULL)
		return omega_error_memory(error);
	if (policy->data_dir != NULL && !policy->is_data_dropped)
		ret =
		    block_data(screen, policy->data_dir, "built in", 0, error);
	if (ret == 0 && admin->text != NULL)
		ret = block_data(
		    screen, admin->text, admin->file, admin->line, error);
	if (ret == 0 && config_file->text != NULL)
		ret = block(screen, config_file->text, config_file->file,
		    config_file->line, error);
	for (i = 0; ret == 0 && i < blocked->count; i++)
		ret = block(screen, blocked->items[i].text,
		    blocked->items[i].file, blocked->items[i].line, error);
	return ret < 0 ? ret : block_lists(policy, screen, error);
}

int
omega_screen_rules_make(const struct omega_sandbox_policy *policy,
    struct omega_screen **screen, struct omega_sandbox_error *error)
{
	const struct omega_conf *conf = policy->sandbox->conf;
	struct omega_screen *made;
	int ret = 0;

	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return omega_error_memory(error);
	made->allowed = omega_conf_items(conf, OMEGA_OPTION_ALLOWED_COMMANDS);
	made->safe_path = omega_conf_items(conf, OMEGA_OPTION_SAFE_PATH);
	if (omega_env_rules_make(policy, &made->env) < 0)
		ret = omega_error_memory(error);
	if (ret == 0 && omega_conf_is(conf, OMEGA_OPTION_CHECK_ARGUMENTS))
		ret = make_guard(policy, made, error);
	if (ret < 0) {
		omega_screen_free(made);
		return ret;
	}
	*screen = made;
	return 0;
}
