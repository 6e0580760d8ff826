/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * nearest.c - see nearest.h.
 */

#include "config.h"

#include "nearest.h"

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
	size_t len = strlen(known);

	return len >= MAX_SLIPS + 1 &&
	       is_within(word, known, len == MAX_SLIPS + 1 ? 1 : MAX_SLIPS);
}

/* The same but for case, "_" and "-"? known has small letters only. */
static bool
is_spelling(const char *word, const char *known)
{
	for (; *word != '\0'; word++) {
		if (*word == '_' || *word == '-')
			continue;
		if ((*word | 0x20) != *known)
			return false;
		known++;
	}
	return *known == '\0';
}

const char *
omega_nearest_reason(const char *word)
{
	static const char *const addresses[] = {"allowednetworkips",
	    "allowedips", "allowedhosts", "alloweddomains", NULL};
	size_t i;

	for (i = 0; addresses[i] != NULL; i++)
		if (is_spelling(word, addresses[i]))
			return "names and addresses that can be reached are "
			       "listed in a policy, as in hosts = { "
			       "\"api.example.com:443\" }";
	return NULL;
}
