/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * diag.h - what the kernel's sock_diag knows of UNIX sockets beyond their
 * names: which file each is bound to, and whose it is.
 */

#ifndef NAMESPACE_DIAG_H
#define NAMESPACE_DIAG_H

#include <sys/stat.h>
#include <sys/types.h>
#include <stddef.h>
#include <stdint.h>

struct diag_socket {
	unsigned long number; /* as in "socket:[number]" */
	uint32_t inode; /* of the file, its lower bits; 0: no file */
	uint32_t has_uid;
	dev_t device; /* of the file system */
	uid_t uid; /* who made it */
	uint32_t is_connected; /* to a peer: nobody else can */
};

struct diag {
	struct diag_socket *list;
	size_t count;
};

/* Those of our network namespace. 0 or -errno. To be dropped in any case. */
int diag_read(struct diag *diag);

/* Does this error say that the kernel lacks it, or that it is forbidden? */
int diag_is_missing(int error);
void diag_drop(struct diag *diag);

/* The socket of this number, or NULL. */
const struct diag_socket *diag_find(
    const struct diag *diag, unsigned long number);

/* Is it bound to this file? path is where that is. What cannot be told on a
 * file system that hides its numbers is taken for true. */
int diag_is_bound_to(
    const struct diag_socket *socket, const char *path, const struct stat *st);

/* Do device and inode tell files apart where path is? 1: both do; 0: neither;
 * -1: the inode does. */
int diag_can_tell(const char *path);

#endif
