/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * building.h - a launch, and the builder a backend would be given for it.
 */

#ifndef OMEGA_TEST_BUILDING_H
#define OMEGA_TEST_BUILDING_H

#include <stdbool.h>

#include "launch/launch.h"

struct building {
	struct omega_launch *launch;
	struct omega_launch_builder builder;
	struct omega_sandbox_launch *public;
};

/* A builder of the backend "mock" on a new launch; ends the test on failure. */
void building_begin(struct building *building, bool is_prefix);
void building_end(struct building *building);

#endif
