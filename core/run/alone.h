/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * alone.h - has this process one thread only?
 */

#ifndef OMEGA_RUN_ALONE_H
#define OMEGA_RUN_ALONE_H

#include <stdbool.h>

/* False also when it cannot be found out. */
bool omega_alone(void);

#endif
