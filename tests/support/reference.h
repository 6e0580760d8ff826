/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * reference.h - "is this path blocked?", answered slowly and plainly.
 *
 * A second opinion for the tests of core/path. It shares no line with what it
 * judges: every component is looked at by its full name with lstat(2), links
 * are read and put in place of their name, and the texts are compared. It
 * does not know bind mounts, mount namespaces or volumes that fold names;
 * those have tests of their own.
 */

#ifndef OMEGA_TEST_REFERENCE_H
#define OMEGA_TEST_REFERENCE_H

#include <stdbool.h>

/*
 * Is the volume known to take names byte by byte? On others the library may
 * rightly block more than the reference does.
 */
bool reference_knows_volume(const char *dir);

/*
 * Where a path leads: clean, without a link in the part that exists. To be
 * freed. NULL: cannot be decided. *exists says whether something is there.
 */
char *reference_resolve(const char *path, bool *exists);

/*
 * Can data_dir and config_path be protected at all? If not, everything is
 * blocked. config_path NULL or "": none.
 */
bool reference_can_protect(const char *data_dir, const char *config_path);

/*
 * The answer. config_path, where there is one, is protected from both kinds
 * of access, as a guard does it; for omega_sandbox_is_write_blocked give NULL.
 */
bool reference_is_blocked(bool is_write, const char *path, const char *data_dir,
    const char *config_path);

#endif
