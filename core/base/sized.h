/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sized.h - structures that begin with their own size, in 32 bits: a host that
 * was built with another version has shorter ones, or longer.
 */

#ifndef OMEGA_BASE_SIZED_H
#define OMEGA_BASE_SIZED_H

#include <stdint.h>
#include <string.h>

/* Give the host as much of the answer, of size bytes, as it has room for; its
 * own size stays as it said. */
static inline void
omega_sized_give(void *to, const void *full, size_t size)
{
	uint32_t room;

	memcpy(&room, to, sizeof(room));
	memcpy(to, full, room < size ? room : size);
	memcpy(to, &room, sizeof(room));
}

#endif
