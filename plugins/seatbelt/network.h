/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * network.h - the rules of a profile about sockets.
 */

#ifndef OMEGA_SEATBELT_NETWORK_H
#define OMEGA_SEATBELT_NETWORK_H

#include "profile.h"

void network_write(const struct profile_source *source, struct rules *rules);

#endif
