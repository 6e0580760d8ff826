/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * level.h - the namespaces of the builder.
 *
 * Mounts are made in the first level. The second is a copy of it that belongs
 * to another user namespace: there the mounts are locked, for whatever
 * capability somebody may come by inside.
 */

#ifndef NAMESPACE_LEVEL_H
#define NAMESPACE_LEVEL_H

#include "mounts.h"

/* Enter the first level; the masks' owner is settled. 0 or -errno. */
int level_enter(struct mounts *mounts, int is_root, uint32_t *has_spare);

/*
 * Make the second, with a network namespace that belongs to it if flags (enum
 * request_flag) ask for one; fds are its namespaces. 0 or -errno.
 */
int level_make_second(
    struct mounts *mounts, uint32_t flags, int fds[REQUEST_FD_MAX]);

/*
 * Without a second level: fds are the namespaces of the first. Who joins them
 * comes to the root of the mount namespace, so -EPERM in a chroot.
 */
int level_stay_plain(
    struct mounts *mounts, uint32_t flags, int fds[REQUEST_FD_MAX]);

#endif
