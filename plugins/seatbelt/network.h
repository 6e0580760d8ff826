/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * network.h - the rules of a profile about sockets.
 */

#ifndef OMEGA_SEATBELT_NETWORK_H
#define OMEGA_SEATBELT_NETWORK_H

#include "profile.h"

/* Are there ports that can be reached, and others that cannot? */
int network_is_listed(const struct profile_source *source);

/* Is it a way around the policy that names are asked of the network? */
int network_is_without_names(const struct profile_source *source);

void network_write(const struct profile_source *source, struct rules *rules);

#endif
