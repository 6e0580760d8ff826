/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * trial.h - which namespaces can be made here? Only trying tells.
 */

#ifndef NAMESPACE_TRIAL_H
#define NAMESPACE_TRIAL_H

#include <omega/sandbox-plugin.h>

#include "build.h"
#include "places.h"

/* A network namespace: is it to be had? */
struct trial_network {
	int is_usable;
	char why[256]; /* not */
};

/*
 * Make namespaces in which nothing is changed, and drop them. For a root that
 * can have no user namespace caller->flags becomes that of a plain mount
 * namespace, if that works. 0, or -errno with build->reply telling what
 * failed; with a plain one it tells what stands against the other.
 *
 * With network (else NULL) a network namespace is tried as well. That it
 * cannot be had is no failure.
 */
int trial_make(const struct omega_sandbox_host *host, struct caller *caller,
    struct trial_network *network, struct build *build);

#endif
