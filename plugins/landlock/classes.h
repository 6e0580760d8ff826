/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * classes.h - rights that are granted alike: for reading, for changing, for
 * running; and where each of them is kept back.
 */

#ifndef OMEGA_LANDLOCK_CLASSES_H
#define OMEGA_LANDLOCK_CLASSES_H

#include <omega/sandbox-plugin.h>

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
	char **links; /* among what is denied, those that are ours */
	size_t link_count;
};

/* What the atoms ask for. To be dropped in either case. 0 or -errno. */
int classes_find(struct classes *classes, int is_complement,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count);

void classes_drop(struct classes *classes);

/* Is anything of it kept back? */
int classes_is_active(const struct class *class);

#endif
