/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * watch.h - do the ways to protected places still lead where they led when the
 * profile was made? A profile goes by names, so what is there may change.
 */

#ifndef OMEGA_SEATBELT_WATCH_H
#define OMEGA_SEATBELT_WATCH_H

#include <stddef.h>

#include "texts.h"

/* Paths and where they lead now, in one piece of memory. To be freed; NULL when
 * out of memory. */
void *watch_pack(const struct texts *paths, size_t *size);

/* A check: 0 while all lead there, 1 when one does not. */
int watch_check(const void *packed);

#endif
