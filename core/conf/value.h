/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * value.h - values that mean the same wherever they are written: in a file, in
 * an option of a plugin, by a host application.
 */

#ifndef OMEGA_CONF_VALUE_H
#define OMEGA_CONF_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A switch: 1 for true, yes and on, 0 for false, no and off, in either case;
 * -1 for anything else. */
int omega_value_switch(const char *text);

/*
 * A path as people write it. It is no pattern: names that do not exist yet
 * could not be held by one. [*], [?] and [[] stand for the signs themselves;
 * a bracket that is never closed does so too.
 *
 * Is there a pattern in it? Then why says so, and what to write instead.
 */
#define OMEGA_VALUE_WHY 768
bool omega_value_has_pattern(const char *text, char *why, size_t size);

/* A copy that is the path itself, the caller's to free; NULL: no memory. */
char *omega_value_plain(const char *text);

/* The other way: may this byte of a path be written as it is? */
bool omega_value_is_sign(char c);

/* May this be a name, or with wildcards a pattern, of variables? */
bool omega_value_is_variable(const char *text, bool has_wildcards);

/* Is it NAME=VALUE? */
bool omega_value_is_assignment(const char *text);

/*
 * Amounts. All return 0, -EINVAL (no number, nothing, a sign, an unknown unit)
 * or -ERANGE (zero, or more than 2^63 - 1).
 */

/* Bytes: K, M, G, T are powers of 1024; without a unit, bytes. */
int omega_value_bytes(const char *text, uint64_t *bytes);

/* Seconds: s, m, h, d; without a unit, seconds. */
int omega_value_seconds(const char *text, uint64_t *seconds);

/* A plain number. */
int omega_value_count(const char *text, uint64_t *count);

#endif
