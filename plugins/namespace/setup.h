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

struct setup {
	const struct omega_sandbox_host *host;
	const struct omega_sandbox_request *request;
	const struct omega_sandbox_atom *const *atoms;
	size_t count;
	struct caller caller;
	const char *data_dir; /* NULL: none */
	char data[PATH_MAX]; /* the two places in it */
	char config[PATH_MAX];
	int is_shielded; /* else masked */
};

/* Look around. 0 or -errno. */
int setup_make(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct setup *setup);

/* Does the atom ask that its place be neither read nor listed? */
int setup_is_denied(const struct omega_sandbox_atom *atom);

/* Is path at or below a place an atom keeps from being changed? */
int setup_is_kept(const struct setup *setup, const char *path);

/* Is it impossible for the caller to make path, which is absent? */
int setup_cannot_make(const struct setup *setup, const char *path);

/* Make the directories of the data directory that must be there. */
int setup_create(const struct setup *setup);

/* Symbolic links on the ways to protected places: call fn with each. */
typedef int setup_link(void *arg, const char *link);
int setup_each_link(const struct setup *setup, setup_link *fn, void *arg);

#endif
