/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * conf.c - a configuration from its defaults, and one text on top of it. See
 * conf.h.
 */

#include "config.h"

#include "conf/conf.h"

#include <stdlib.h>
#include <string.h>

#include "conf/confuse.h"
#include "conf/faults.h"
#include "conf/list.h"
#include "conf/scan.h"
#include "conf/sections.h"
#include "conf/settings.h"
#include "error.h"

/* Every start would pay for it; the twin the tests use looks always. */
#ifndef OMEGA_WITNESS_DEFAULT
#define OMEGA_WITNESS_DEFAULT false
#endif

/* The tests go past the check of arguments, to see what is held behind it. */
#ifndef OMEGA_CHECK_ARGUMENTS_DEFAULT
#define OMEGA_CHECK_ARGUMENTS_DEFAULT true
#endif

struct omega_conf *
omega_conf_new(void)
{
	struct omega_conf *conf = calloc(1, sizeof(*conf));

	if (conf == NULL)
		return NULL;
	conf->rank = OMEGA_CONF_ADMIN;
	conf->is_enabled = true;
	conf->is_fail_closed = true;
	conf->is_root_allowed = true;
	conf->is_witnessed = OMEGA_WITNESS_DEFAULT;
	conf->has_unchecked_arguments = !OMEGA_CHECK_ARGUMENTS_DEFAULT;
	conf->accept = omega_kinds_accepted_by_default();
	return conf;
}

int
omega_conf_parse(struct omega_conf *conf, const char *name, const char *text,
    size_t len, struct omega_sandbox_error *error)
{
	struct omega_scan scan;
	int ret;

	memset(&scan, 0, sizeof(scan));
	ret =
	    omega_faults_begin(conf->faults, name) < 0
		? omega_error_memory(error)
		: omega_scan_text(&scan, name, text, len, conf->faults, error);
	if (ret < 0)
		goto out;
	ret = omega_confuse_fill(&scan, name, error);
	if (ret < 0)
		goto out;
	ret = omega_settings_apply(conf, name, &scan, error);
	if (ret < 0)
		goto out;
	if (conf->rank != OMEGA_CONF_SHIPPED &&
	    omega_list_add(&conf->files, name, NULL, 0) < 0)
		ret = omega_error_memory(error);
out:
	omega_scan_clear(&scan);
	return ret;
}

void
omega_conf_free(struct omega_conf *conf)
{
	size_t i;

	if (conf == NULL)
		return;
	omega_list_clear(&conf->files);
	omega_list_clear(&conf->changeable);
	omega_list_clear(&conf->warnings);
	free(conf->users_dir);
	omega_list_clear(&conf->old_kinds);
	omega_list_clear(&conf->backends);
	omega_list_clear(&conf->blocked_paths);
	omega_list_clear(&conf->allow_sockets);
	omega_list_clear(&conf->allow_devices);
	omega_list_clear(&conf->env_deny);
	omega_list_clear(&conf->env_allow);
	omega_list_clear(&conf->env_set);
	omega_list_clear(&conf->allowed_commands);
	omega_list_clear(&conf->safe_path);
	omega_list_clear_text(&conf->audit_file);
	omega_list_clear(&conf->audit_mask);
	omega_list_clear_text(&conf->data_dir);
	omega_list_clear_text(&conf->config_file);
	for (i = 0; i < OMEGA_CONF_COUNT; i++)
		omega_list_clear_text(&conf->places[i]);
	for (i = 0; i < conf->option_count; i++) {
		free(conf->options[i].plugin);
		free(conf->options[i].name);
		free(conf->options[i].file);
		omega_list_clear(&conf->options[i].values);
	}
	free(conf->options);
	omega_list_clear(&conf->plugins);
	omega_list_clear(&conf->floors);
	omega_sections_clear(conf);
	free(conf);
}
