/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * witness-parent.c - the parent's part of the witness: see witness.h.
 */

#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "run/touch.h"
#include "run/witness.h"

int
omega_witness_look(
    int dir, const char *path, struct omega_witness_object *object)
{
	struct omega_touch_seen seen;
	int ret;

	*object = (struct omega_witness_object){.inode = 0};
	ret = omega_touch_look(dir, path, &seen);
	if (ret < 0)
		return ret;
	*object = seen.object;
	return 0;
}

static bool
is_same(
    const struct omega_witness_object *a, const struct omega_witness_object *b)
{
	return a->major == b->major && a->minor == b->minor &&
	       a->inode == b->inode && a->birth == b->birth &&
	       a->birth_nsec == b->birth_nsec && a->mode == b->mode;
}

bool
omega_witness_is_stale(const struct omega_witness *witness)
{
	const struct omega_witness_try *try;
	struct omega_witness_object now;
	size_t i;

	if (witness->user != geteuid())
		return true;
	for (i = 0; i < witness->fixed; i++) {
		try = &witness->tries[i];
		if (try->how < OMEGA_WITNESS_CAN_LIST)
			continue;
		if (omega_witness_look(AT_FDCWD, try->path, &now) < 0 ||
		    !is_same(&try->object, &now))
			return true;
	}
	return false;
}

void
omega_witness_free(struct omega_witness *witness)
{
	size_t i;

	if (witness == NULL)
		return;
	for (i = 0; i < witness->count; i++) {
		free(witness->tries[i].path);
		free(witness->tries[i].sentence);
		free(witness->tries[i].backends);
	}
	free(witness->tries);
	free(witness);
}
