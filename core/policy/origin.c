/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * origin.c - see origin.h.
 */

#include "config.h"

#include "policy/origin.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "path/kernel.h"

char *
omega_origin_text(const char *file, uint32_t line)
{
	char *text = NULL;
	int ret;

	if (line != 0)
		ret = asprintf(&text, "%s:%u", file, line);
	else
		ret = asprintf(&text, "%s", file);
	return ret < 0 ? NULL : text;
}

int
omega_origin_set(char **origin, const char *file, uint32_t line)
{
	char *text = omega_origin_text(file, line);

	if (text == NULL)
		return -ENOMEM;
	free(*origin);
	*origin = text;
	return 0;
}

int
omega_origin_refuse_all(const char *file, uint32_t line, const char *rule,
    const char *path, struct omega_sandbox_error *error)
{
	char where[24] = "";

	if (line != 0)
		snprintf(where, sizeof(where), ":%lu", (unsigned long)line);
	omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, 0,
	    "%.400s%s: %s: %.300s is the root directory, and nothing could run "
	    "without it; name the directories that are meant, or let write = "
	    "{} close everything to changes",
	    file, where, rule, path);
	if (line != 0)
		omega_error_file(error, file, line);
	return OMEGA_SANDBOX_E_INVALID_POLICY;
}

int
omega_origin_fail(struct omega_sandbox_error *error, const char *file,
    uint32_t line, const char *path, int ret)
{
	char where[PATH_MAX + 16] = "";

	if (ret == -ENOMEM)
		return omega_error_memory(error);
	if (line != 0)
		snprintf(where, sizeof(where), "%s:%u: ", file, line);
	ret = omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, -ret,
	    "%s%s cannot be protected: where it leads cannot be found out: "
	    "%s%s",
	    where, path, strerror(-ret), omega_kernel_lacks());
	if (line != 0)
		omega_error_file(error, file, line);
	return ret;
}
