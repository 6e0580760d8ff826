/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mounts.h - the builder's mount calls. Everything goes by descriptor, after
 * the place was found to be the one that was meant.
 */

#ifndef NAMESPACE_MOUNTS_H
#define NAMESPACE_MOUNTS_H

#include <sys/types.h>
#include <stdint.h>

#include "request.h"

/* What failed, for the answer. what is a literal. */
struct mounts_fault {
	const char *what;
	const char *path;
};

struct request {
	struct request_head head;
	struct request_op *ops;
	char *texts;
	int *copies; /* one per operation, -1: none */
};

/* What the builder carries from one operation to the next. It ends soon: what
 * is opened once is not closed. */
struct mounts {
	int proc; /* /proc as it was at the start */
	uid_t owner; /* of masks */
	gid_t group;
	int masks[2]; /* a file and a directory, */
	int is_used[2]; /* attached somewhere, then cloned */
	mode_t mode; /* of what was opened for an operation */
	int end; /* inotify: tells when nothing of this is mounted any more */
	int has_dev; /* /dev is ours, what it was has been compared */
	struct mounts_fault fault;
};

/* Remember what failed; returns -errno, or with an error (-errno) that. */
int mounts_fail(struct mounts *mounts, const char *what, const char *path);
int mounts_fail_with(
    struct mounts *mounts, int error, const char *what, const char *path);

/* Open a path without following links. A descriptor or -errno. */
int mounts_open(struct mounts *mounts, const char *path);

/* The same, with its identity compared: -ESTALE when it is another. */
int mounts_open_op(
    struct mounts *mounts, const struct request_op *op, const char *path);

/* A new file system, not yet attached. A descriptor or -errno. */
int mounts_new(struct mounts *mounts, const char *type, const char *option,
    const char *value, unsigned attr);
int mounts_new_tmpfs(struct mounts *mounts);

/* Attach the detached mount at the place to is open on. 0 or -errno. */
int mounts_attach(struct mounts *mounts, int mount, int to, const char *path);

/* A detached copy of what fd is open on, with all mounts below. A descriptor
 * or -errno. */
int mounts_clone(struct mounts *mounts, int fd, const char *path);

/* Add attributes to a mount. 0 or -errno. */
int mounts_add(struct mounts *mounts, int mount, unsigned attr,
    unsigned propagation, int is_recursive, const char *path);

/* The operations. 0 or -errno. */
int mounts_pin(struct mounts *mounts, int fd, uint32_t type, const char *path);
int mounts_deny(struct mounts *mounts, int fd, const char *path);
/* Does this error of opening say that something else, or nothing that the
 * command could reach, is there now? */
int mounts_is_gone(int ret, const char *path);

/*
 * level.c: Mounts are made in the first level. The second is a copy of it that
 * belongs to another user namespace: there the mounts are locked, for whatever
 * capability somebody may come by inside.
 */

/* Enter the first level; the masks' owner is settled. 0 or -errno. */
int level_enter(struct mounts *mounts, int is_root, uint32_t *has_spare);

/* A process in the namespaces of commands. */
struct level_second {
	pid_t pid;
	int go; /* it ends when this is closed; -1: it is us */
	int pids_error; /* see struct request_reply */
};

/*
 * Make the second, with a network namespace that belongs to it if flags (enum
 * request_flag) ask for one. 0 or -errno. It is there until it is let go.
 */
int level_make_second(
    struct mounts *mounts, uint32_t flags, struct level_second *second);
void level_let_go(struct level_second *second);

/*
 * Without a second level: we are in the namespaces. Who joins them comes to the
 * root of the mount namespace, so -EPERM in a chroot.
 */
int level_stay_plain(
    struct mounts *mounts, uint32_t flags, struct level_second *second);

/* hosts.c: in the network namespace, what the helper at descriptor 1 needs. 0
 * or -errno. */
int hosts_make(struct mounts *mounts);

/* shield.c: put a read-only directory before the one that dir is open on, with
 * the devices that the request shows; NULL: it is a data directory, with what
 * is in it. 0 or -errno. */
int shield_make(struct mounts *mounts, int dir, const char *path,
    const struct request *devices);

/* Carry out DEVICES and SHOW, and have no devices elsewhere. 0 or -errno. */
int shield_dev(struct mounts *mounts, const struct request *request);

/*
 * Make the masks, and detached mounts for copies: of REQUEST_COPY the copy, of
 * REQUEST_WRITABLE the place as it is now. With REQUEST_CLOSE_ALL the whole
 * tree is then made read-only. 0 or -errno.
 */
int mounts_prepare(struct mounts *mounts, struct request *request);

#endif
