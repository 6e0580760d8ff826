/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * plain.h - a process like any other, however its caller was started.
 */

#ifndef OMEGA_WORLD_PLAIN_H
#define OMEGA_WORLD_PLAIN_H

/*
 * Session, signals, descriptors, limits, mask and environment of this process
 * become what a test may count on. What a test is told by its name
 * (OMEGA_TEST_..., compilers, options of sanitizers) stays.
 */
void plain_process(void);

#endif
