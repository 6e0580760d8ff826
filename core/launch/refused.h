/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * refused.h - what the helper of listed hosts has refused, as base/hosts.h has
 * it, got from the helper.
 */

#ifndef OMEGA_LAUNCH_REFUSED_H
#define OMEGA_LAUNCH_REFUSED_H

#include <stddef.h>

#include <omega/sandbox.h>

/* The table that the helper hands over next, or -errno. */
int omega_launch_take_refused(int link);

/* The index-th entry. 0, or -ENOENT behind the last. */
int omega_launch_read_refused(
    int fd, size_t index, struct omega_sandbox_refused_host *host);

#endif
