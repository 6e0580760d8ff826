/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * building.c - see building.h.
 */

#include "building.h"

#include "harness.h"

void
building_begin(struct building *building, bool is_prefix)
{
	building->launch = omega_launch_new();
	assert_non_null(building->launch);
	omega_launch_builder_begin(
	    &building->builder, building->launch, "mock", is_prefix);
	building->public = &building->builder.public;
}

void
building_end(struct building *building)
{
	omega_launch_builder_end(&building->builder);
	omega_launch_unref(building->launch);
}
