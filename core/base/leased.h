/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * leased.h - opening a file on which another program may hold a lease, as file
 * servers do: it is asked to let go, and does so soon or not at all.
 */

#ifndef OMEGA_BASE_LEASED_H
#define OMEGA_BASE_LEASED_H

#include <sys/types.h>

/* openat(2) that never blocks, but waits a few seconds for a lease to go. A
 * descriptor, or -1 with errno: EWOULDBLOCK when it has not. */
int omega_leased_open(int dir, const char *name, int flags, mode_t mode);

/* The words for an errno of it. */
const char *omega_leased_words(int error);

#endif
