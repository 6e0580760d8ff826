/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * nearest.h - did you mean ...?
 */

#ifndef OMEGA_CONF_NEAREST_H
#define OMEGA_CONF_NEAREST_H

#include <stdbool.h>

/* Could word be a slip of the pen for known: at most two letters changed,
 * left out, or too many, and most of it right? */
bool omega_nearest(const char *word, const char *known);

#endif
