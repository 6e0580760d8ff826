/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * array.c - see array.h.
 */

#include "config.h"

#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

void *
omega_array_resize(void *array, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(array, count * size);
}
