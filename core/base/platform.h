/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * platform.h - what the platform offers, found out by trying.
 */

#ifndef OMEGA_BASE_PLATFORM_H
#define OMEGA_BASE_PLATFORM_H

#include <stddef.h>

#include <omega/sandbox.h>

/* Fill all fields. One implementation per system. */
void omega_platform_look(struct omega_sandbox_platform *platform);

/* What can be learned beside a list of what can be read, whichever backend
 * holds it: a sentence, or NULL. */
const char *omega_platform_beside_lists(void);

/* How much stack the calling thread has left, about; SIZE_MAX: unknown. */
size_t omega_platform_stack_left(void);

#endif
