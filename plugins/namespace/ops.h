/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ops.h - a growing list of mount operations, in the end ordered so that each
 * can be carried out after the one before it; and having that done.
 */

#ifndef NAMESPACE_OPS_H
#define NAMESPACE_OPS_H

#include <omega/sandbox-plugin.h>
#include <sys/types.h>
#include <stddef.h>
#include <stdint.h>

#include "request.h"

/* taken.c: what is known of paths, as bits, however many there are. The paths
 * stay their owner's. */
struct taken_slot {
	const char *path; /* NULL: free */
	uint32_t bits;
};

/* All zero: empty. */
struct taken {
	struct taken_slot *slots;
	size_t size; /* a power of 2, or 0 */
	size_t count;
};

/* Add bits to those of a path, which must stay as it is. 0 or -ENOMEM. */
int taken_add(struct taken *taken, const char *path, uint32_t bits);

/* The bits of the path that the first len bytes are; 0: it is not known. */
uint32_t taken_at(const struct taken *taken, const char *path, size_t len);

/* The length of the directory above the first len bytes; 0 above "/", and where
 * a path that is not absolute has none. */
size_t taken_above(const char *path, size_t len);

void taken_drop(struct taken *taken);

/* Texts one after the other, each with its end; an empty one at the end. */
struct texts {
	char *bytes; /* NULL: none */
	size_t size;
	size_t capacity;
};

/* 0 or -ENOMEM. */
int texts_add(struct texts *texts, const char *text);

/* The same with bytes that need no end. */
int texts_append(struct texts *texts, const void *bytes, size_t len);

/* Make room in a list of count for one more of size bytes. NULL: as before, out
 * of memory. */
void *texts_grow(void *list, size_t count, size_t size);

struct op {
	uint32_t type; /* enum request_type */
	uint32_t flags; /* enum request_op_flag */
	uint32_t order; /* in which it was added */
	int is_alone; /* more than the place it is for: has no other names */
	uint64_t device;
	uint64_t inode;
	uint64_t mount; /* the number of the one it is on */
	char *path;
	/* The name, of any length, that path was hidden for because it cannot
	 * be looked at; or NULL. */
	char *meant;
};

struct ops {
	struct op *list;
	size_t count;
	struct taken taken; /* which types are where, as 1 << type */
};

/* Add what is at path now. 0 or -errno; 0 and nothing if it is not there. */
int ops_add(struct ops *ops, uint32_t type, const char *path);

/*
 * Add another name of what op is about, of any length. When it cannot be
 * looked at, what places_reach finds instead is hidden as a whole; -EBUSY if
 * that cannot be, because op's own place is in there. -ENOENT if there is
 * nothing.
 */
int ops_add_name(
    struct ops *ops, uint32_t type, const char *name, const struct op *op);

/* The type of an operation at the other names of its place. */
uint32_t ops_type_elsewhere(const struct op *op);

/* The name an operation is for. */
const char *ops_name(const struct op *op);

/* Is there an operation of this type at path? */
int ops_has(const struct ops *ops, uint32_t type, const char *path);

/* Or one that does as much? */
int ops_has_as_much(const struct ops *ops, uint32_t type, const char *path);

/* Is path below something that is shown read-only or not at all? */
int ops_is_covered(const struct ops *ops, const char *path);

/*
 * Put them in order: nearer to the root first, one per place (the strongest),
 * none below a place that is not shown. 0 or -ENOMEM.
 */
int ops_settle(struct ops *ops);

/* Add the request to the bytes. 0 or -errno. */
int ops_pack(const struct ops *ops, uint32_t flags, struct texts *bytes);

void ops_drop(struct ops *ops);

/* build.c: the conversation with the builder program. */
struct build {
	int fds[REQUEST_FD_MAX]; /* -1: none, or not asked for */
	struct request_reply reply; /* what failed */
	int link; /* to the helper of listed hosts; -1: there is none */
};

/*
 * Have the operations carried out; with REQUEST_HOSTS link leads to the helper,
 * else it is -1. 0: the descriptors are the caller's. Or
 * -errno, with reply telling what failed.
 */
int build_run(const struct omega_sandbox_host *host, const struct ops *ops,
    uint32_t flags, int link, struct build *build);

/* Start the program open as program with channel as its descriptor 0, and link
 * as 1 unless it is -1. 0 or -errno. */
int build_start(
    int program, const char *called, int channel, int link, pid_t *pid);

/* Note that this could not be started. */
void build_cannot_start(struct build *build, const char *program, int error);

/* Descriptors 0 to 2 may be missing in the host; ours are not to be those. */
int build_move_up(int *fd);

/* Why no pid namespace can be made, as the last builder has said: errno; 0: it
 * can; -1: none was asked yet. */
int build_pids_error(void);

/* Close what build_run has opened. */
void build_close(struct build *build);

/* Tell a failure in one line, with what may be behind it. */
void build_explain(const struct build *build, char *text, size_t size);

/* Was it the network namespace that could not be had? */
int build_is_about_network(const struct build *build);

#endif
