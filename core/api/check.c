/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * check.c - what is wrong with a configuration, all of it. Documentation is in
 * omega/sandbox.h.
 */

#include "config.h"

#include <omega/sandbox.h>

#include "base/error.h"
#include "conf/faults.h"
#include "load/sandbox.h"

/* Load what a list names, so that its options are looked at. */
static int
load_named(struct omega_sandbox *sandbox, const struct omega_conf_list *names,
    struct omega_sandbox_error *error)
{
	struct omega_backend *backend;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < names->count; i++)
		if (omega_loader_is_installed(
			sandbox->plugindir, names->items[i].text))
			ret = omega_faults_keep(sandbox->conf->faults,
			    omega_sandbox_object_backend(
				sandbox, names->items[i].text, &backend, error),
			    error);
	return ret;
}

int
omega_sandbox_check_config(const char *config_file,
    omega_sandbox_fault_fn *fault, void *arg, struct omega_sandbox_error *error)
{
	struct omega_sandbox_error found = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_sources sources;
	struct omega_sandbox *sandbox = NULL;
	struct omega_faults faults = {.list = NULL};
	struct omega_log log = {.fn = NULL};
	size_t i;
	int ret;

	ret = omega_sandbox_object_sources(config_file, &sources, &found);
	sources.conf.faults = &faults;
	if (ret == 0)
		ret =
		    omega_sandbox_object_new(&sources, &log, &sandbox, &found);
	if (ret == 0)
		ret = load_named(sandbox, &sandbox->conf->plugins, &found);
	if (ret == 0)
		ret = load_named(sandbox,
		    omega_conf_items(sandbox->conf, OMEGA_OPTION_BACKEND),
		    &found);
	if (ret < 0)
		ret = omega_faults_keep(&faults, ret, &found);
	omega_faults_sort(&faults);
	for (i = 0; ret == 0 && fault != NULL && i < faults.count; i++)
		fault(arg, &faults.list[i]);
	if (ret < 0) {
		omega_error_copy(error, &found);
	} else if (faults.count > 0) {
		omega_error_copy(error, &faults.list[0]);
		ret = faults.list[0].code;
	}
	omega_faults_clear(&faults);
	omega_sandbox_unref(sandbox);
	return ret;
}
