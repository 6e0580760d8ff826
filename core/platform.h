/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * platform.h - what the platform offers, found out by trying.
 */

#ifndef OMEGA_PLATFORM_H
#define OMEGA_PLATFORM_H

#include <omega/sandbox.h>

/* Fill all fields. One implementation per system. */
void omega_platform_look(struct omega_sandbox_platform *platform);

#endif
