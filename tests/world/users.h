/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * users.h - the users of a test's world, from files alone.
 */

#ifndef OMEGA_WORLD_USERS_H
#define OMEGA_WORLD_USERS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Put our own /etc/passwd and what belongs to it over the machine's, and make
 * the homes. /run and /home are ours already. NULL, or what failed.
 *
 * root, a few users that every Debian has, and the caller; nobody has the
 * number the tests take for an ordinary user (SPARE_UID of the harness).
 */
const char *users_make(bool is_root, uid_t uid, gid_t gid);

#endif
