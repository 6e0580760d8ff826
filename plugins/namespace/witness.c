/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * witness.c - see witness.h.
 *
 * When the host replaces a masked file by rename, the kernel takes the mask
 * away first and the old name afterwards, and on a busy machine there is half
 * a second between the two. The parent's look finds the old file under the
 * old name and nothing to complain about; only who is inside can see that the
 * mask is gone.
 */

#include "witness.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOUNT_ROOT 0x2000u /* STATX_ATTR_MOUNT_ROOT */

/* Paths one after the other, each with its end; an empty one at the end. */
struct list {
	char *texts;
	size_t size;
};

/* What cannot be reached need not be covered. */
static int
is_covered(const char *path)
{
	struct statx at;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
		STATX_TYPE, &at) != 0)
		return errno == EACCES;
	return (at.stx_attributes & MOUNT_ROOT) != 0;
}

/* A child step: plain calls only. */
static int
witness_step(const void *state)
{
	const char *path = state;

	for (; *path != '\0'; path += strlen(path) + 1)
		if (!is_covered(path))
			return -ESTALE;
	return 0;
}

static int
add(struct list *list, const char *path)
{
	size_t len = strlen(path) + 1;
	char *texts = realloc(list->texts, list->size + len + 1);

	if (texts == NULL)
		return -ENOMEM;
	memcpy(texts + list->size, path, len);
	list->texts = texts;
	list->size += len;
	texts[list->size] = '\0';
	return 0;
}

/* Masks; what is in a shield goes with that. */
static int
add_masks(const struct setup *setup, struct list *list)
{
	struct taken taken = {.slots = NULL};
	struct stat st;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < setup->count; i++) {
		const struct omega_sandbox_atom *atom = setup->atoms[i];

		if (!setup_is_denied(atom) ||
		    taken_at(&taken, atom->path, strlen(atom->path)) != 0)
			continue;
		ret = taken_add(&taken, atom->path, 1);
		if (ret == 0 && !setup_is_in_shield(setup, atom->path) &&
		    lstat(atom->path, &st) == 0)
			ret = add(list, atom->path);
	}
	taken_drop(&taken);
	return ret;
}

int
witness_add(const struct setup *setup, struct omega_sandbox_launch *launch)
{
	struct list list = {NULL, 0};
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < setup->dir_count; i++)
		if (setup->dirs[i].is_shielded)
			ret = add(&list, setup->dirs[i].path);
	if (ret == 0)
		ret = add_masks(setup, &list);
	if (ret == 0 && list.size > 0)
		ret = launch->add_step(launch, OMEGA_SANDBOX_PHASE_WITNESS,
		    "witness", witness_step, list.texts, list.size + 1);
	free(list.texts);
	return ret;
}
