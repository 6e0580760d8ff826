/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sandbox.c - see sandbox.h.
 */

#include "config.h"

#include "load/sandbox.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "base/error.h"
#include "base/home.h"
#include "base/log.h"
#include "base/platform.h"
#include "base/rights.h"
#include "load/shipped.h"

/* Paths are worked on in large buffers: 102 KiB were seen in use. */
#define STACK_NEEDED (160 * 1024)

int
omega_sandbox_object_sources(const char *config_file,
    struct omega_sandbox_sources *sources, struct omega_sandbox_error *error)
{
	sources->conf = omega_conf_installed;
	sources->plugindir = omega_loader_plugindir;
	if (config_file == NULL)
		return 0;
	if (omega_rights_are_raised())
		return omega_error_set(error, OMEGA_SANDBOX_E_TRUST, EPERM,
		    "a program with raised privileges takes no configuration "
		    "but the installed one");
	sources->conf.file = config_file;
	sources->conf.dropin = NULL;
	sources->conf.is_explicit = true;
	return 0;
}

int
omega_sandbox_object_check_stack(struct omega_sandbox_error *error)
{
	size_t left = omega_platform_stack_left();

	if (left >= STACK_NEEDED)
		return 0;
	return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, ENOMEM,
	    "there are about %zu KiB of stack for this and %d are needed; give "
	    "the program more (ulimit -s 1024), or the thread "
	    "(pthread_attr_setstacksize)",
	    left / 1024, STACK_NEEDED / 1024);
}

int
omega_sandbox_object_new(const struct omega_sandbox_sources *sources,
    const struct omega_log *log, struct omega_sandbox **sandbox,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox *made;
	size_t i;
	int ret = omega_sandbox_object_check_stack(error);

	if (ret < 0)
		return ret;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return omega_error_memory(error);
	atomic_init(&made->refs, 1);
	pthread_mutex_init(&made->lock, NULL);
	made->plugindir = sources->plugindir;
	ret = omega_conf_load(&sources->conf, &made->conf, error);
	if (ret == 0)
		ret = omega_shipped_check(made->conf, made->plugindir, error);
	if (ret < 0)
		goto out;
	made->log = *log;
	made->log.is_syslog = omega_conf_is(made->conf, OMEGA_OPTION_LOG);
	for (i = 0; i < made->conf->warnings.count; i++)
		omega_log_say(&made->log, LOG_WARNING, 0, "%s",
		    made->conf->warnings.items[i].text);
	omega_audit_init(&made->audit, made->conf, &made->log);
	snprintf(made->timeout_text, sizeof(made->timeout_text), "%" PRIu64,
	    omega_conf_number(made->conf, OMEGA_OPTION_TIMEOUT));
	snprintf(made->max_output_text, sizeof(made->max_output_text),
	    "%" PRIu64, omega_conf_number(made->conf, OMEGA_OPTION_MAX_OUTPUT));
	/* Without a home there is none, and policies say so. */
	ret = omega_home_expand("~/.omega", &made->default_data_dir);
	if (ret == -ENOMEM) {
		ret = omega_error_memory(error);
		goto out;
	}
	*sandbox = made;
	made = NULL;
	ret = 0;
out:
	omega_sandbox_object_free(made);
	return ret;
}

void
omega_sandbox_object_free(struct omega_sandbox *sandbox)
{
	size_t i;

	if (sandbox == NULL)
		return;
	for (i = 0; i < sandbox->loaded_count; i++)
		omega_loader_free(sandbox->loaded[i]);
	pthread_mutex_destroy(&sandbox->lock);
	omega_audit_close(&sandbox->audit);
	omega_conf_free(sandbox->conf);
	free(sandbox->default_data_dir);
	free(sandbox->config_text);
	free(sandbox);
}

int
omega_sandbox_object_backend(struct omega_sandbox *sandbox, const char *name,
    struct omega_backend **backend, struct omega_sandbox_error *error)
{
	int ret = OMEGA_SANDBOX_E_PLUGIN;
	size_t i;

	pthread_mutex_lock(&sandbox->lock);
	for (i = 0; i < sandbox->loaded_count; i++)
		if (strcmp(sandbox->loaded[i]->plugin.name, name) == 0)
			break;
	if (i < sandbox->loaded_count) {
		*backend = sandbox->loaded[i];
		ret = 0;
	} else if (i == OMEGA_SANDBOX_MAX_BACKENDS) {
		omega_error_set(error, OMEGA_SANDBOX_E_PLUGIN, 0,
		    "more than %d backends", OMEGA_SANDBOX_MAX_BACKENDS);
	} else {
		ret = omega_loader_load(sandbox->plugindir, name, sandbox->conf,
		    &sandbox->log, backend, error);
		if (ret == 0)
			sandbox->loaded[sandbox->loaded_count++] = *backend;
	}
	pthread_mutex_unlock(&sandbox->lock);
	return ret;
}

const char *
omega_sandbox_object_data_dir(const struct omega_sandbox *sandbox)
{
	return omega_conf_first(sandbox->conf, OMEGA_OPTION_DATA_DIR)->text !=
		       NULL
		   ? omega_conf_first(sandbox->conf, OMEGA_OPTION_DATA_DIR)
			 ->text
		   : sandbox->default_data_dir;
}
