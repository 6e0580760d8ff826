/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * renew.h - descriptors that lead around a read-only mount.
 *
 * A descriptor belongs to the mount it was opened on. One that the host opened
 * on /etc/passwd for reading lets root change the file's mode, and through
 * /proc/self/fd its content, whatever is mounted over /etc since.
 */

#ifndef OMEGA_RUN_RENEW_H
#define OMEGA_RUN_RENEW_H

#include "run/inner.h"

/*
 * In the child, once the namespaces are joined: refuse what may write to a
 * place that is closed to it; and where a file's name leads to
 * the same file on a read-only mount, have the descriptor opened again there.
 * Its place in the file stays, but is its own from now on. Plain system calls.
 * 0, or a negative errno with the descriptor's *index: -EROFS for one that may
 * write and must not.
 */
int omega_renew(const struct omega_inner *inner, size_t *index);

#endif
