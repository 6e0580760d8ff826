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

#include "places.h"
#include "table.h"
#include "taken.h"
#include "trial.h"

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

struct setup {
	const struct omega_sandbox_host *host;
	struct omega_sandbox_request request; /* ours, zero-padded */
	const struct omega_sandbox_atom *const *atoms;
	size_t count;
	struct taken taken; /* the places of atoms, enum setup_place */
	int is_limited; /* see lists_limit */
	struct setup_last *last; /* see setup_cannot_make */
	struct table table; /* what was mounted when we began, */
	int table_error; /* or why that is not known: -errno */
	struct caller caller;
	struct setup_dir dirs[SETUP_MAX_DIRS];
	size_t dir_count;
	int wants_network; /* a network namespace is to be made */
	struct trial_network network;
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

/* Is that (enum setup_place) said of path, or of what it lies in? */
int setup_is_below(const struct setup *setup, const char *path, uint32_t bit);

/* Is path in a directory that is hidden as a whole? */
int setup_is_within_denied(const struct setup *setup, const char *path);

/* Is it impossible for the caller to make path, which is absent? */
int setup_cannot_make(const struct setup *setup, const char *path);

/* The data directory whose data, or whose config.toml, path is; or NULL. */
const struct setup_dir *setup_dir_of_data(
    const struct setup *setup, const char *path);
const struct setup_dir *setup_dir_of_config(
    const struct setup *setup, const char *path);

/* Is path directly in a data directory that is shielded? */
int setup_is_in_shield(const struct setup *setup, const char *path);

/* Make what must be there of the data directories. */
int setup_create(const struct setup *setup);

#endif
