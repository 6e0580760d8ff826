/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * nearest.c - see nearest.h.
 */

#include "config.h"

#include "conf/nearest.h"

#include <string.h>

#define MAX_SLIPS 2

static bool
is_within(const char *a, const char *b, unsigned slips)
{
	while (*a != '\0' && *a == *b) {
		a++;
		b++;
	}
	if (*a == '\0' && *b == '\0')
		return true;
	if (slips == 0)
		return false;
	return (*a != '\0' && *b != '\0' &&
		   is_within(a + 1, b + 1, slips - 1)) ||
	       (*a != '\0' && is_within(a + 1, b, slips - 1)) ||
	       (*b != '\0' && is_within(a, b + 1, slips - 1));
}

bool
omega_nearest(const char *word, const char *known)
{
	return strlen(known) > MAX_SLIPS + 1 &&
	       is_within(word, known, MAX_SLIPS);
}
