/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * witness.h - the child's own look at its sandbox: after the last step and
 * before exec it tries what is forbidden, and a little of what is allowed.
 *
 * A try is one access, harmless also where it succeeds: nothing is written,
 * truncated, removed or left behind. What to try is made ready in the parent
 * (plan/tries.c); the child makes system calls and writes only its own stack.
 *
 * A forbidden thing that can be opened is not yet a hole: root opens an empty
 * mask as well. It is one when it is the protected object itself, by device,
 * inode and time of birth, or when it has any content or names. That also
 * finds the file that has taken the place of the protected one.
 */

#ifndef OMEGA_CHILD_WITNESS_H
#define OMEGA_CHILD_WITNESS_H

#include <sys/types.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tries of listed paths in one start; the other tries are few and always
 * made. Of a longer list each start tries another share. */
#define OMEGA_WITNESS_LISTED 128

enum omega_witness_how {
	/* Forbidden: a hole where it succeeds. */
	OMEGA_WITNESS_READ = 1, /* open, read a byte or list a name */
	OMEGA_WITNESS_WRITE, /* open for writing, as it is */
	OMEGA_WITNESS_CREATE, /* a file without a name in the directory */
	OMEGA_WITNESS_MAKE, /* a directory at path, removed again */
	OMEGA_WITNESS_CHANGE, /* remove an attribute that is not there */
	OMEGA_WITNESS_SIGNAL, /* signal 0 to the parent */
	OMEGA_WITNESS_TRACE, /* the right to attach to the parent */
	/* Allowed: the sandbox is broken where it fails. */
	OMEGA_WITNESS_CAN_LIST,
	OMEGA_WITNESS_CAN_WRITE,
	OMEGA_WITNESS_CAN_CREATE
};

/* An object, told from all others there ever were at its number. */
struct omega_witness_object {
	uint32_t major; /* of its device */
	uint32_t minor;
	uint64_t inode; /* 0: there was none */
	int64_t birth; /* 0: the file system does not say */
	uint32_t birth_nsec;
	uint32_t mode;
};

struct omega_witness_try {
	uint32_t how; /* enum omega_witness_how */
	bool is_any; /* whatever can be opened there is the host's */
	char *path; /* NULL: about processes */
	char *sentence; /* the guarantee, NULL for what is allowed */
	char *backends; /* who gives it */
	struct omega_witness_object object; /* at path, before */
};

struct omega_witness {
	struct omega_witness_try *tries; /* read-only once made */
	size_t fixed; /* the first ones, made in every start */
	size_t count;
	uid_t user; /* whose rights "before" means */
	atomic_size_t turn; /* which share of the list comes next */
};

enum omega_witness_finding {
	OMEGA_WITNESS_HELD = 0, /* all is as it should be */
	/* A hole: */
	OMEGA_WITNESS_ITSELF, /* it is the protected object */
	OMEGA_WITNESS_CONTENT, /* something can be read there */
	OMEGA_WITNESS_NAMES, /* names can be listed there */
	OMEGA_WITNESS_DONE, /* it simply worked */
	/* No hole, but no sandbox to go on with: */
	OMEGA_WITNESS_BROKEN, /* what was possible before is not */
	OMEGA_WITNESS_UNTRIED /* it could not be tried at all */
};

/* What was found, and where. */
struct omega_witness_found {
	uint32_t finding; /* enum omega_witness_finding */
	uint32_t index; /* the try */
	int32_t error; /* errno with BROKEN and UNTRIED */
};

/*
 * In the child: try everything of this turn, until something is wrong.
 * found says HELD when nothing is.
 */
void omega_witness_run(const struct omega_witness *witness, size_t turn,
    struct omega_witness_found *found);

/*
 * In the parent, before a start: has what was possible before changed, so
 * that the tries must be made anew?
 */
bool omega_witness_is_stale(const struct omega_witness *witness);

/* The object a path leads to, or with path "" the descriptor. 0 or -errno. */
int omega_witness_look(
    int dir, const char *path, struct omega_witness_object *object);

void omega_witness_free(struct omega_witness *witness);

/* ---- Single accesses, one implementation per system --------------------- */

/*
 * Each is harmless also where it succeeds. In the child between clone and exec,
 * and in the parent: nothing here allocates or takes a lock. 0 or a descriptor,
 * or a negative errno, unless said otherwise.
 */

struct omega_touch_seen {
	struct omega_witness_object object;
	uint64_t size;
};

/* Nothing waits, becomes our terminal, or outlives exec. */
int omega_touch_open(const char *path, int flags);
void omega_touch_close(int fd);

/* What path leads to from the directory, a link not followed; or with path ""
 * the descriptor. */
int omega_touch_look(int dir, const char *path, struct omega_touch_seen *seen);

/* Any byte in the file, any name in the directory but "." and ".."? */
bool omega_touch_has_content(int fd);
bool omega_touch_has_names(int fd);

/* Make a file in the directory that is gone at once; or only ask. */
int omega_touch_create(const char *dir);
int omega_touch_may_create(const char *dir);

/* A directory, because removing one never removes what somebody else has put
 * there meanwhile. */
int omega_touch_make(const char *path);
void omega_touch_remove(const char *path);

/* Could an attribute be removed that is not there? */
bool omega_touch_change(const char *path);

/* Could the parent be signalled? And attached to: 1, 0, or a negative errno.
 * It is outside, whoever it is. */
bool omega_touch_signal(void);
int omega_touch_trace(void);

#endif
