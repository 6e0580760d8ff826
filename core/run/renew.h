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
 * In the child, before anything is hidden from it: which regular files are
 * where their descriptors say, by index, one bit each; of more than 64 the
 * rest is not asked for. Plain system calls.
 */
uint64_t omega_renew_look(const struct omega_inner *inner);

/*
 * In the child, once the namespaces are joined: refuse what may write to a
 * place that is closed to it; where a file's name leads to the same file on a
 * read-only mount, have the descriptor opened again there (its place in the
 * file stays, but is its own from now on); and refuse what is hidden, since no
 * name leads to it that it could be opened by: named is what was found before.
 * Plain system calls. 0, or with
 * the descriptor's *index a negative errno, OMEGA_INNER_FD_IS_KEPT or
 * _FD_IS_HIDDEN.
 */
int omega_renew(const struct omega_inner *inner, uint64_t named, size_t *index);

#endif
