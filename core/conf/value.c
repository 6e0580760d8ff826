/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * value.c - see value.h.
 */

#include "config.h"

#include "conf/value.h"

#include <stddef.h>
#include <strings.h>

int
omega_value_switch(const char *text)
{
	static const char *const words[] = {
	    "false", "true", "no", "yes", "off", "on", NULL};
	int i;

	for (i = 0; words[i] != NULL; i++)
		if (strcasecmp(text, words[i]) == 0)
			return i % 2;
	return -1;
}
