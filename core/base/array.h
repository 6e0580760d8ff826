/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * array.h - arrays that grow.
 */

#ifndef OMEGA_BASE_ARRAY_H
#define OMEGA_BASE_ARRAY_H

#include <stddef.h>

/* As reallocarray(3), which not every system has: NULL with the array as it
 * was when there is no memory, or no such size. */
void *omega_array_resize(void *array, size_t count, size_t size);

#endif
