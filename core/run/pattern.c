/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pattern.c - see pattern.h.
 */

#include "config.h"

#include "run/pattern.h"

static unsigned char
fold(char c)
{
	return (unsigned char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

static bool
is_same(char a, char b, bool is_folded)
{
	return a == b || (is_folded && fold(a) == fold(b));
}

/* One star at a time: on a mismatch the last one takes a byte more. */
bool
omega_pattern_fits(const char *pattern, size_t pattern_len, const char *text,
    size_t len, bool is_folded)
{
	size_t at = 0;
	size_t p = 0;
	size_t star = 0; /* behind the last star; 0: none yet */
	size_t mark = 0;

	/* Most patterns differ from most texts at the end already. */
	if (len > 0 && pattern_len > 0 && pattern[pattern_len - 1] != '*' &&
	    pattern[pattern_len - 1] != '?' &&
	    !is_same(pattern[pattern_len - 1], text[len - 1], is_folded))
		return false;
	while (at < len) {
		if (p < pattern_len && pattern[p] == '*') {
			star = ++p;
			mark = at;
		} else if (p < pattern_len &&
			   (pattern[p] == '?' ||
			       is_same(pattern[p], text[at], is_folded))) {
			p++;
			at++;
		} else if (star != 0) {
			p = star;
			at = ++mark;
		} else {
			return false;
		}
	}
	while (p < pattern_len && pattern[p] == '*')
		p++;
	return p == pattern_len;
}
