/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * setup.h - what describe and apply both start from: who asks, and in which
 * of its two ways the data directory is protected.
 */

#ifndef NAMESPACE_SETUP_H
#define NAMESPACE_SETUP_H

#include <omega/sandbox-plugin.h>
#include <limits.h>

#include "ops.h"
#include "places.h"

/* A data directory and the two places in it. */
struct setup_dir {
	char path[PATH_MAX];
	char data[PATH_MAX];
	char config[PATH_MAX];
	int is_shielded; /* else masked */
};

/* The host's own and one an administrator has named; more are masked only. */
#define SETUP_MAX_DIRS 2

/* What atoms of the kind PATH say of a place. */
enum setup_place {
	SETUP_PLACE = 0x1, /* something */
	SETUP_ABSENT = 0x2, /* it is not there */
	SETUP_KEPT = 0x4, /* it is, and is not to be changed */
	SETUP_DENIED = 0x8 /* it is not to be read */
};

/* A network namespace: is it to be had? */
struct setup_network {
	int is_usable;
	char why[256]; /* not */
};

/*
 * Which namespaces can be made here? Only trying tells. Make some in
 * which nothing is changed, and drop them. For a root that can have no user
 * namespace caller->flags becomes that of a plain mount namespace, if that
 * works. 0, or -errno with build->reply telling what failed; with a plain one
 * it tells what stands against the other. With network (else NULL) a network
 * namespace is tried as well. That it cannot be had is no failure.
 */
int setup_try(const struct omega_sandbox_host *host, struct caller *caller,
    struct setup_network *network, struct build *build);

/* The directory a name was asked for in, and the answer. */
struct setup_last {
	char dir[PATH_MAX];
	int cannot_make;
};

struct setup {
	const struct omega_sandbox_host *host;
	struct omega_sandbox_request request; /* ours, zero-padded */
	const struct omega_sandbox_atom *const *atoms;
	size_t count;
	struct taken taken; /* the places of atoms, enum setup_place */
	int is_limited; /* there is a list of what may be changed */
	struct setup_last last_kept; /* see setup_cannot_make */
	struct setup_last *last;
	struct table table; /* what was mounted when we began, */
	struct layers layers;
	int table_error; /* or why that is not known: -errno */
	struct texts links; /* on the ways to protected places */
	struct texts absent; /* such places, or what they would be in, if it is
			      * not there or leads nowhere */
	struct caller caller;
	struct setup_dir dirs[SETUP_MAX_DIRS];
	size_t dir_count;
	int is_believing; /* that all namespaces can be made, until apply */
	int wants_network; /* a network namespace is to be made */
	struct setup_network network;
};

/* Look around. 0 or -errno; to be dropped in any case. */
int setup_make(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct setup *setup);
void setup_drop(struct setup *setup);

/* Is there no user namespace, but a mount namespace alone? */
int setup_is_plain(const struct setup *setup);

/* Does the atom ask that its place be neither read nor listed? */
int setup_is_denied(const struct omega_sandbox_atom *atom);

/* Is that (enum setup_place) said of path? Or of what it lies in? */
int setup_has(const struct setup *setup, const char *path, uint32_t bit);
int setup_is_below(const struct setup *setup, const char *path, uint32_t bit);

/* Is it impossible for the caller to make path, which is absent? */
int setup_cannot_make(const struct setup *setup, const char *path);

/* The data directory whose data, or whose config.toml, path is; or NULL. */
const struct setup_dir *setup_dir_of(
    const struct setup *setup, const char *path, int is_config);

/* Is path directly in a data directory that is shielded? */
int setup_is_in_shield(const struct setup *setup, const char *path);

/* Make what must be there of the data directories. */
int setup_create(const struct setup *setup);

/*
 * A policy that says what may be changed, and nothing else. The whole
 * tree is read-only, and each grant is mounted onto itself writable. Lists of
 * what may be read or run are not a matter of mounts.
 */

/* What a grant lets be done to it. */
#define SETUP_CHANGES                                           \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE | \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME)

/* Can path, as far as a list goes, be changed or made? */
int setup_allows(const struct setup *setup, const char *path);

/* Is this a grant that lets something be changed? */
int setup_is_open(const struct omega_sandbox_grant *grant);

/* Add the grants. 0 or -errno; -ESTALE when one is another than it was. */
int setup_add_grants(const struct setup *setup, struct ops *ops);

/*
 * ways.c: symbolic links on the ways to protected places. Whoever points one
 * of them elsewhere leads the next command away from what is protected.
 */

/* Called with the canonical place of each link. What is not 0 ends it. */
typedef int ways_link(void *arg, const char *link);

/* A walk, or several one after the other. All zero at first. */
struct ways {
	char known[PATH_MAX]; /* a directory that has no links in its name */
	char end[PATH_MAX]; /* where it could not go on, or "" */
	int is_closed; /* there: the directory may not be entered, or the link
			* has too long a name; else nothing is there */
};

/* Walk a path name by name, through its links, as far as it goes. 0, what fn
 * returned, or -errno. */
int ways_follow(
    struct ways *ways, const char *spelled, ways_link *fn, void *arg);

/* Find those of all protected places, and what is not there of them, for the
 * setup to keep. 0 or -errno; -ESTALE if one was closed. */
int ways_find(struct setup *setup);

#endif
