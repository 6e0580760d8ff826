/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pattern.h - texts with "*" (any bytes) and "?" (one byte) in them.
 */

#ifndef OMEGA_RUN_PATTERN_H
#define OMEGA_RUN_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* Does the pattern, of pattern_len bytes, fit all len bytes of text? Folded:
 * whatever the case of ASCII letters. */
bool omega_pattern_fits(const char *pattern, size_t pattern_len,
    const char *text, size_t len, bool is_folded);

#endif
