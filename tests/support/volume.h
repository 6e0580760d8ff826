/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * volume.h - a small file system in memory that takes several spellings for
 * one name, as volumes of other systems do. No kernel can be relied upon to
 * have one of those; this one needs /dev/fuse and the right to mount.
 *
 * Two names are the same to it when they are equal after
 *   - letters have been made small (DATA, data),
 *   - the ligature U+FB01 has become "fi", as Unicode folding has it,
 *   - what follows a colon has been cut off (streams),
 *   - dots and blanks at the end have been cut off,
 * and "ABCDEF~1" is the first name that begins with these six letters and is
 * longer than eight.
 */

#ifndef OMEGA_TEST_VOLUME_H
#define OMEGA_TEST_VOLUME_H

#include <stdbool.h>

/*
 * Mount an empty one at dir, which exists. To be called in a child with a
 * mount namespace of its own; the server ends with the caller. 0, or a
 * negative errno: -ENOENT, -EACCES, -ENODEV and -EPERM when there is no FUSE
 * here. With is_exact, names are compared byte by byte.
 */
int volume_mount(const char *dir, bool is_exact);

/* The same for a test, whose child ends with what this returns unless that is
 * 0; and run that child, or skip the test where there is no FUSE. */
#define CANNOT_FUSE 77
int volume_start(const char *dir, bool is_exact);
void volume_run(int (*fn)(void *), void *arg);

#endif
