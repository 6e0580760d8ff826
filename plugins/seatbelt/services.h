/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * services.h - the rules of a profile about processes, the terminal, and
 * services of the system that do things on request.
 */

#ifndef OMEGA_SEATBELT_SERVICES_H
#define OMEGA_SEATBELT_SERVICES_H

#include "profile.h"

void services_write(const struct profile_source *source, struct rules *rules);

#endif
