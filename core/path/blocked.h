/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * blocked.h - the two questions that work from nothing.
 */

#ifndef OMEGA_PATH_BLOCKED_H
#define OMEGA_PATH_BLOCKED_H

#include <stdbool.h>

bool omega_blocked_write(const char *path, const char *data_dir);
bool omega_blocked_read(
    const char *path, const char *data_dir, const char *config_path);

#endif
