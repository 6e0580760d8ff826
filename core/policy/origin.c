/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * origin.c - see origin.h.
 */

#include "config.h"

#include "policy/origin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

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
