/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * shipped.c - see shipped.h.
 */

#include "config.h"

#include "load/shipped.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/nearest.h"
#include "conf/faults.h"
#include "load/loader.h"
#include "path/helper.h"

const char *const omega_shipped[] = {
    "namespace", "landlock", "seccomp", "bwrap", "seatbelt", "noop", NULL};

static bool
is_shipped(const char *name)
{
	size_t i;

	for (i = 0; omega_shipped[i] != NULL; i++)
		if (strcmp(omega_shipped[i], name) == 0)
			return true;
	return false;
}

int
omega_shipped_others(const char *plugindir, struct omega_conf_list *names)
{
	DIR *dir = plugindir == NULL ? NULL : opendir(plugindir);
	struct dirent *entry;
	int ret = 0;

	if (dir == NULL)
		return 0;
	while (ret == 0 && (entry = readdir(dir)) != NULL) {
		char *end = strrchr(entry->d_name, '.');

		if (end == NULL || strcmp(end, ".so") != 0)
			continue;
		*end = '\0';
		if (omega_helper_is_name(entry->d_name) &&
		    !is_shipped(entry->d_name))
			ret = omega_list_add(names, entry->d_name, NULL, 0);
	}
	closedir(dir);
	omega_list_sort(names);
	return ret;
}

void
omega_shipped_missing(
    const char *plugindir, const char *name, char *text, size_t size)
{
	struct omega_conf_list others = {NULL, 0};
	const char *meant = NULL;
	size_t i;

	if (is_shipped(name)) {
		snprintf(text, size,
		    "not installed; the package is omega-sandbox-%s", name);
		return;
	}
	/* Without memory there is no advice. */
	(void)omega_shipped_others(plugindir, &others);
	for (i = 0; i < others.count; i++)
		if (omega_nearest(name, others.items[i].text))
			meant = others.items[i].text;
	for (i = 0; omega_shipped[i] != NULL; i++)
		if (omega_nearest(name, omega_shipped[i]))
			meant = omega_shipped[i];
	snprintf(text, size, "not installed: %s/%s.so does not exist%s%s%s",
	    plugindir, name, meant == NULL ? "" : "; did you mean '",
	    meant == NULL ? "" : meant, meant == NULL ? "" : "'?");
	omega_list_clear(&others);
}

/* Does backend = take it for something else than a name? */
static bool
is_word(const char *text)
{
	return strcmp(text, "auto") == 0 || strcmp(text, "native") == 0 ||
	       strcmp(text, "none") == 0;
}

static int
check_list(const struct omega_conf_list *names, bool is_stack,
    const char *plugindir, struct omega_faults *faults,
    struct omega_sandbox_error *error)
{
	char why[512];
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < names->count; i++) {
		const struct omega_conf_text *item = &names->items[i];

		if ((is_stack && is_word(item->text)) ||
		    is_shipped(item->text) ||
		    omega_loader_is_installed(plugindir, item->text))
			continue;
		omega_shipped_missing(plugindir, item->text, why, sizeof(why));
		ret = omega_error_conf(error, item->file, item->line,
		    "the backend '%s' is %s", item->text, why);
		ret = omega_faults_keep(faults, ret, error);
	}
	return ret;
}

int
omega_shipped_check(const struct omega_conf *conf, const char *plugindir,
    struct omega_sandbox_error *error)
{
	int ret;

	ret = check_list(&conf->plugins, false, plugindir, conf->faults, error);
	if (ret == 0)
		ret = check_list(omega_conf_items(conf, OMEGA_OPTION_BACKEND),
		    true, plugindir, conf->faults, error);
	return ret;
}
