/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sockets-other.c - see sockets.h. Of systems that are not macOS.
 */

#include "sockets.h"

#include <errno.h>

int
sockets_find(struct texts *sockets)
{
	(void)sockets;
	return -ENOSYS;
}
