/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * nearest.h - did you mean ...?
 */

#ifndef OMEGA_BASE_NEAREST_H
#define OMEGA_BASE_NEAREST_H

#include <stdbool.h>

/* Could word be a slip of the pen for known: at most two letters changed,
 * left out, or too many, and most of it right? Of three letters, one. */
bool omega_nearest(const char *word, const char *known);

/* Why an option that people know from elsewhere is none here, whatever its
 * spelling; NULL: it is not known from anywhere. */
const char *omega_nearest_reason(const char *word);

#endif
