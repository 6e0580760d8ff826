/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * places.h - lists of paths that were resolved, and what two of them have in
 * common.
 */

#ifndef OMEGA_POLICY_PLACES_H
#define OMEGA_POLICY_PLACES_H

#include "path/place.h"
#include "policy/combine.h"

/* Add what was found there to the list. 0 or -ENOMEM. */
int omega_places_add(struct omega_combined_places *places,
    const struct omega_place *found, const char *spelled, const char *file,
    uint32_t line, uint32_t access);

void omega_places_drop(struct omega_combined_places *places);

/* Is text one of the places, or below one? */
bool omega_places_has(
    const struct omega_combined_places *places, const char *text);

/*
 * Narrow set to what it has in common with places, which are used up. Two
 * trees have in common the smaller of them, or nothing. 0 or -ENOMEM.
 */
int omega_places_narrow(
    struct omega_combined_set *set, struct omega_combined_places *places);

#endif
