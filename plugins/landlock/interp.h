/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * interp.h - the loader a program asks the kernel for. Who may run the one
 * must be able to run the other.
 */

#ifndef OMEGA_LANDLOCK_INTERP_H
#define OMEGA_LANDLOCK_INTERP_H

#include <limits.h>

/* 1: path is the loader of the program file. 0: it has none, or is none.
 * -EWOULDBLOCK: another program holds a lease on it. */
int interp_find(const char *file, char path[PATH_MAX]);

#endif
