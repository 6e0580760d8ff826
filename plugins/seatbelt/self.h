/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * self.h - a profile for the calling process itself, kept as one piece of
 * memory until it is wanted.
 */

#ifndef OMEGA_SEATBELT_SELF_H
#define OMEGA_SEATBELT_SELF_H

#include <stddef.h>

#include "profile.h"

/* Text, names and values, each ended by a zero, and one more. To be freed;
 * NULL when out of memory. */
void *self_pack(const struct profile *profile, size_t *size);

/* Names and values in turn, ended by NULL; they point into packed, which begins
 * with the text. To be freed; NULL when out of memory. */
const char **self_unpack(const void *packed);

/* A step: the process takes the packed profile on. */
int self_confine(const void *packed);

#endif
