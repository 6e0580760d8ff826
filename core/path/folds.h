/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * folds.h - a protected place under a spelling that only its volume equates:
 * other case, short names, composed and decomposed letters.
 */

#ifndef OMEGA_PATH_FOLDS_H
#define OMEGA_PATH_FOLDS_H

#include "path/place.h"
#include "path/rules.h"

/*
 * Is the place at or below a rule by identity? 1: *found is set. 0: no.
 * Negative errno: cannot tell. With only_odd, just the rules whose own text
 * is odd are asked: the caller knows that the place is not.
 */
int omega_folds_find(const struct omega_rules *rules, unsigned access,
    const struct omega_place *place, bool only_odd,
    const struct omega_rule **found);

#endif
