/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * diag.h - the UNIX sockets of our network namespace that are bound to files,
 * as the kernel's sock_diag lists them.
 */

#ifndef OMEGA_POLICY_DIAG_H
#define OMEGA_POLICY_DIAG_H

#include <sys/stat.h>
#include <sys/types.h>
#include <stdbool.h>
#include <stdint.h>

struct omega_diag_socket {
	const char *name; /* it was bound by; relative, or of another root */
	uint32_t number; /* of the socket itself */
	dev_t device; /* of the file, if that was asked for */
	uint32_t inode; /* its lower bits; 0: not known */
	bool has_uid; /* older kernels do not tell */
	uid_t uid; /* who made it */
};

/* What is not 0 ends it. */
typedef int omega_diag_found(void *arg, const struct omega_diag_socket *socket);

/*
 * Tell all that can be connected or sent to, or the one of that number if that
 * is not 0; with their files, which takes three times as long. 0, what fn
 * returned, or -errno. One that comes or goes meanwhile may be told or not.
 */
int omega_diag_each(
    uint32_t number, bool with_files, omega_diag_found *fn, void *arg);

/* Is it bound to this file, which is at path? What cannot be told on a file
 * system that hides its numbers is taken for true. */
bool omega_diag_is_at(const struct omega_diag_socket *socket, const char *path,
    const struct stat *st);

#endif
