/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mask.c - see mask.h.
 */

#include "config.h"

#include "run/mask.h"

#include <string.h>

#include "run/pattern.h"

/* sandbox.conf(5) has the same list; keep them in step. */
static const char *const built_in[] = {"-*password*=*", "-*password* *",
    "-*passwd*=*", "-*passwd* *", "-*passphrase*=*", "-*passphrase* *",
    "-*token*=*", "-*token* *", "-*secret*=*", "-*secret* *", "-*api-key*=*",
    "-*api-key* *", "-*api_key*=*", "-*api_key* *", "-*apikey*=*",
    "-*apikey* *", "*_key=*", "*_token=*", "*secret*=*", "*password*=*",
    "authorization:*", "bearer *", "x-api-key:*", "sk-*", "ghp_*", "gho_*",
    "ghs_*", "github_pat_*", "glpat-*", "xoxb-*", "xoxp-*", "akia*", NULL};

/* A first word, a blank and a star. */
static bool
is_pair(const char *pattern, size_t len)
{
	return len > 2 && strcmp(pattern + len - 2, " *") == 0;
}

/* The shortest beginning of the argument that the pattern without its last
 * star fits; all of it when it does not. */
static size_t
keep_beginning(const char *pattern, size_t len, const char *argument)
{
	size_t all = strlen(argument);
	char last = len > 1 ? pattern[len - 2] : '*';
	size_t i;

	if (!omega_pattern_fits(pattern, len, argument, all, true))
		return all;
	for (i = 0; i < all; i++) {
		/* Only where its last letter can be. */
		if (i > 0 && last != '*' && last != '?' &&
		    (argument[i - 1] | 0x20) != (last | 0x20))
			continue;
		if (omega_pattern_fits(pattern, len - 1, argument, i, true))
			return i;
	}
	return all;
}

static size_t
keep_by(const char *pattern, const char *before, const char *argument)
{
	size_t len = strlen(pattern);
	size_t all = strlen(argument);

	if (is_pair(pattern, len) && before != NULL &&
	    omega_pattern_fits(pattern, len - 2, before, strlen(before), true))
		return 0;
	if (pattern[len - 1] == '*')
		return keep_beginning(pattern, len, argument);
	return omega_pattern_fits(pattern, len, argument, all, true) ? 0 : all;
}

size_t
omega_mask_keep(const struct omega_conf_list *patterns, const char *before,
    const char *argument)
{
	size_t keep = strlen(argument);
	size_t found;
	size_t i;

	for (i = 0; built_in[i] != NULL; i++) {
		found = keep_by(built_in[i], before, argument);
		keep = found < keep ? found : keep;
	}
	for (i = 0; i < patterns->count; i++) {
		found = keep_by(patterns->items[i].text, before, argument);
		keep = found < keep ? found : keep;
	}
	return keep;
}
