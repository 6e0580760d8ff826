/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * loader.h - the program a file names to be loaded by. One implementation per
 * object format; programs of another kind of machine are not looked into.
 */

#ifndef OMEGA_RUN_LOADER_H
#define OMEGA_RUN_LOADER_H

#include <limits.h>
#include <stdbool.h>

/* False: it names none, or is no program. Any file may be given. */
bool omega_loader_find(int fd, char path[PATH_MAX]);

#endif
