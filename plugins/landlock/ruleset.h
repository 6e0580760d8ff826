/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ruleset.h - the parts that ruleset.c makes a ruleset from.
 */

#ifndef OMEGA_LANDLOCK_RULESET_H
#define OMEGA_LANDLOCK_RULESET_H

#include <limits.h>

#include <omega/sandbox-plugin.h>

/* ---- Rights that are granted alike, and where each is kept back -----------
 */

enum { READING, CHANGING, RUNNING, CLASSES };

struct class
{
	uint32_t bits; /* of atoms and grants */
	uint64_t rights;
	int is_limited; /* to the grants of the request */
	const char **denied; /* places, canonical */
	size_t denied_count;
};

struct classes {
	struct class list[CLASSES];
	size_t link_count; /* at the end of what may not be changed: ours */
};

/* What the atoms ask for. To be dropped in either case. 0 or -errno. */
int classes_find(struct classes *classes, int is_complement,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count);

void classes_drop(struct classes *classes);

/* Is anything of it kept back? */
int classes_is_active(const struct class *class);

/* ---- A deny told as grants ------------------------------------------------
 *
 * Landlock can only allow. So "not below these places" becomes: allow every
 * entry of every directory above them that is not on the way to one.
 */

/* Called for each place to be allowed, which is no link; 0 or -errno. */
typedef int grants_allow(void *arg, int fd);

/* Called for each directory whose entries were enumerated. */
typedef int grants_enumerated(void *arg, const char *dir);

/*
 * Allow what is at and below root, which fd is, but the denied places; all are
 * canonical paths. Symbolic links are passed over: what they lead to is met
 * under its own name. Where nothing below root is denied, root itself is
 * allowed and nothing is enumerated.
 */
int grants_all_but(int fd, const char *root, const char *const *denied,
    size_t count, grants_allow *allow, grants_enumerated *enumerated,
    void *arg);

/* Is path at base or below it? Both are canonical. */
int grants_is_below(const char *path, const char *base);

/* Is every directory above path one where nobody creates things? Then the
 * price of enumerating it (nothing new can be made there) is none. */
int grants_is_free(const char *path);

/*
 * The loader a program asks the kernel for. Who may run the one must be able
 * to run the other. 1: path is the loader of the program file. 0: it has none,
 * or is none. -EWOULDBLOCK: another program holds a lease on it.
 */
int interp_find(const char *file, char path[PATH_MAX]);

/* ---- The places rules were made for ---------------------------------------
 *
 * A rule is about an inode, so another one in its place, or another entry in a
 * directory that was enumerated, needs another ruleset.
 */

struct seen_place {
	uint64_t device;
	uint64_t inode;
	int64_t seconds; /* of the last change, when entries count */
	int64_t nanoseconds;
	uint32_t is_listed;
	uint32_t path; /* offset among the texts */
};

/* All zero: none. */
struct seen {
	struct seen_place *places;
	size_t count;
	char *texts;
	size_t text_size;
};

void seen_drop(struct seen *seen);

/* Note a place once; is_listed: its entries count too. 0 or -errno. */
int seen_add(struct seen *seen, const char *path, int is_listed);

/* Have the parent look at all of them before every start. 0 or -errno. */
int seen_watch(const struct seen *seen, struct omega_sandbox_launch *launch);

/* ---- Rules for a /proc that comes into being with a command ---------------
 *
 * A pid namespace has a /proc of its own. So what is allowed in the host's is
 * remembered, and allowed by the child in the one it has. Rules cannot be taken
 * back: after so many starts there is a check that wants a new ruleset.
 */

#define FRESH_MOST 16

struct fresh {
	uint64_t device; /* of the host's /proc; 0: there is none */
	int tickets; /* one is taken by each start that needs rules */
	uint32_t count;
	struct {
		uint64_t rights;
		char path[48];
	} list[FRESH_MOST];
};

void fresh_begin(struct fresh *fresh);

/* These rights are allowed for what is open as fd, on that device. */
void fresh_note(struct fresh *fresh, int fd, uint64_t device, uint64_t rights);

/* Have it ready for children. 0 or -errno. */
int fresh_finish(struct fresh *fresh, struct omega_sandbox_launch *launch);

/* In the child: allow them in another /proc. 0 or -errno. */
int fresh_allow(const struct fresh *fresh, int ruleset);

#endif
