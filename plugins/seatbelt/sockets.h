/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sockets.h - the path sockets that processes of the caller have bound.
 */

#ifndef OMEGA_SEATBELT_SOCKETS_H
#define OMEGA_SEATBELT_SOCKETS_H

#include "texts.h"

/*
 * Add their paths. 0 or a negative errno: -ENOENT when one is bound by a
 * relative name, and where it is cannot be known.
 */
int sockets_find(struct texts *sockets);

#endif
