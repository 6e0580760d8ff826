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

#include "base/error.h"
#include "base/list.h"
#include "conf/confuse.h"
#include "conf/faults.h"
#include "conf/kinds.h"
#include "conf/scan.h"
#include "conf/settings.h"

struct omega_conf *
omega_conf_new(void)
{
	struct omega_conf *conf = calloc(1, sizeof(*conf));
	int i;

	if (conf == NULL)
		return NULL;
	conf->rank = OMEGA_CONF_ADMIN;
	for (i = 0; i < OMEGA_OPTION_TOP_COUNT; i++)
		conf->top.values[i].number = omega_option_table[i].initial;
	conf->top.values[OMEGA_OPTION_ACCEPT].number =
	    omega_kinds_accepted_by_default();
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
	if (!conf->believes_shipped || conf->rank != OMEGA_CONF_SHIPPED ||
	    scan.has_escapes)
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
	if (conf == NULL)
		return;
	omega_list_clear(&conf->files);
	omega_list_clear(&conf->changeable);
	omega_list_clear(&conf->warnings);
	free(conf->users_dir);
	omega_layer_clear(&conf->top);
	omega_list_clear(&conf->plugins);
	while (conf->section_count > 0)
		omega_scan_clear_section(
		    &conf->sections[--conf->section_count]);
	free(conf->sections);
	free(conf);
}

const struct omega_conf_text *
omega_conf_first(const struct omega_conf *conf, enum omega_option_id id)
{
	static const struct omega_conf_text none;
	const struct omega_conf_list *items = omega_conf_items(conf, id);

	return items->count > 0 ? &items->items[0] : &none;
}

const struct omega_conf_text *
omega_conf_audit_file(const struct omega_conf *conf)
{
	static const struct omega_conf_text none;
	const struct omega_conf_text *first =
	    omega_conf_first(conf, OMEGA_OPTION_AUDIT);

	return first->text != NULL && first->text[0] == '/' ? first : &none;
}

bool
omega_conf_is_audit_syslog(const struct omega_conf *conf)
{
	return omega_list_has(
	    omega_conf_items(conf, OMEGA_OPTION_AUDIT), "syslog");
}
