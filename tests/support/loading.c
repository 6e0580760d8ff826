/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * loading.c - see loading.h.
 */

#include "loading.h"

#include <sys/time.h>
#include <string.h>
#include <syslog.h>

#include "load/loader.h"
#include "path/helper.h"
#include "plugins.h"
#include "written.h"

struct omega_backend *
loading_load(const char *name, const struct omega_conf *conf,
    const struct omega_log *log)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_backend *backend = NULL;
	int ret =
	    omega_loader_load(plugin_dir(), name, conf, log, &backend, &error);

	if (ret != 0)
		fail_msg("%s: %d: %s", name, ret, error.text);
	return backend;
}

void
loading_refused_in(
    const char *dir, const char *name, int code, int sys, const char *expected)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_backend *backend = NULL;
	int before = count_descriptors();
	int ret = omega_loader_load(dir, name, NULL, NULL, &backend, &error);

	if (ret != code || error.code != code ||
	    strstr(error.text, expected) == NULL)
		fail_msg("%s: %d: '%s', expected %d: '%s'", name, ret,
		    error.text, code, expected);
	assert_int_equal(error.sys_errno, sys);
	assert_string_equal(error.backend, name);
	assert_null(backend);
	assert_int_equal(count_descriptors(), before);
	/* An error object is not needed. */
	assert_int_equal(
	    omega_loader_load(dir, name, NULL, NULL, &backend, NULL), code);
}

void
loading_refused(const char *name, int code, const char *expected)
{
	loading_refused_in(plugin_dir(), name, code, 0, expected);
}
