/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * tries.c - from a plan to the tries of the witness. See plan.h.
 *
 * Only what the plan says is held completely is tried: what is partial or not
 * enforced is in the report, and no news. What cannot be tried without harm
 * (removing, renaming, typing into terminals, talking to sockets) is left to
 * verify.
 */

#include "config.h"

#include "plan/plan.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/list.h"
#include "child/witness.h"
#include "path/text.h"

/* How many names of a directory are looked at for one that serves. */
#define MOST_NAMES 64

/* An empty try about the atom (NULL: about what is allowed). */
static struct omega_witness_try *
add(struct omega_witness *witness, uint32_t how, const char *path,
    const struct omega_atom *atom, const struct omega_plan_item *item)
{
	struct omega_witness_try *try =
	    omega_list_grow(witness->tries, witness->count, sizeof(*try));

	if (try == NULL)
		return NULL;
	witness->tries = try;
	try += witness->count;
	try->how = how;
	try->path = path == NULL ? NULL : strdup(path);
	try->sentence = atom == NULL ? NULL : strdup(atom->sentence);
	try->backends = item == NULL ? NULL : strdup(item->backends);
	witness->count++; /* its texts are freed from here on */
	if ((path != NULL && try->path == NULL) ||
	    (atom != NULL && try->sentence == NULL) ||
	    (item != NULL && try->backends == NULL))
		return NULL;
	return try;
}

/* What is at the place of an atom, which is held or has just been seen. */
static int
look_at(const struct omega_atom *atom, struct omega_witness_object *object)
{
	if (atom->public.fd >= 0)
		return omega_witness_look(atom->public.fd, "", object);
	if (atom->public.inode == 0)
		return -ENOENT;
	return omega_witness_look(AT_FDCWD, atom->path, object);
}

/* A try at the object the atom is about. */
static int
add_at(struct omega_witness *witness, uint32_t how,
    const struct omega_atom *atom, const struct omega_plan_item *item)
{
	struct omega_witness_try *try =
	    add(witness, how, atom->path, atom, item);

	if (try == NULL)
		return -ENOMEM;
	look_at(atom, &try->object);
	return 0;
}

/* A directory made at path would be on the device of the one above it. Nothing
 * can be made where there is none. */
static int
add_make(struct omega_witness *witness, const struct omega_atom *atom,
    const struct omega_plan_item *item)
{
	struct omega_witness_object above;
	struct omega_witness_try *try;
	size_t len = (size_t)(strrchr(atom->path, '/') - atom->path);
	char *dir = strndup(atom->path, len == 0 ? 1 : len);
	int ret;

	if (dir == NULL)
		return -ENOMEM;
	ret = omega_witness_look(AT_FDCWD, dir, &above);
	free(dir);
	if (ret != 0)
		return 0;
	try = add(witness, OMEGA_WITNESS_MAKE, atom->path, atom, item);
	if (try == NULL)
		return -ENOMEM;
	try->object = above;
	try->object.inode = 0;
	return 0;
}

/* Is the entry a file that serves for a try of this kind? */
static bool
is_fit(int dir, const char *name, uint32_t how)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(st.st_mode))
		return false;
	return faccessat(dir, name, how == OMEGA_WITNESS_READ ? R_OK : W_OK,
		   AT_EACCESS | AT_SYMLINK_NOFOLLOW) == 0;
}

/* Try a file in the directory that the caller could read or write: what a
 * directory that only cannot be listed gives away. */
static int
add_entry(struct omega_witness *witness, uint32_t how,
    const struct omega_atom *atom, const struct omega_plan_item *item)
{
	struct omega_witness_try *try;
	struct dirent *entry;
	char *path = NULL;
	int left = MOST_NAMES;
	DIR *dir = opendir(atom->path);
	int ret = 0;

	if (dir == NULL)
		return errno == ENOMEM ? -ENOMEM : 0;
	while (left-- > 0 && (entry = readdir(dir)) != NULL) {
		if (!is_fit(dirfd(dir), entry->d_name, how))
			continue;
		if (asprintf(&path, "%s/%s", atom->path, entry->d_name) < 0) {
			path = NULL;
			ret = -ENOMEM;
			break;
		}
		try = add(witness, how, path, atom, item);
		if (try == NULL)
			ret = -ENOMEM;
		else
			omega_witness_look(
			    dirfd(dir), entry->d_name, &try->object);
		break;
	}
	free(path);
	closedir(dir);
	return ret;
}

/* Files of the kernel: there is no other object, whatever its number. */
static int
add_kernel_files(struct omega_witness *witness, const struct omega_atom *atom,
    const struct omega_plan_item *item)
{
	static const char *const list[] = {"/proc/sys/kernel/core_pattern",
	    "/proc/sysrq-trigger", "/sys/kernel/uevent_helper",
	    "/sys/kernel/mm/ksm/run", "/sys/kernel/profiling"};
	size_t len = strlen(atom->path);
	struct omega_witness_try *try;
	size_t i;

	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (strncmp(list[i], atom->path, len) != 0 ||
		    list[i][len] != '/' ||
		    faccessat(AT_FDCWD, list[i], W_OK, AT_EACCESS) != 0)
			continue;
		try = add(witness, OMEGA_WITNESS_WRITE, list[i], atom, item);
		if (try == NULL)
			return -ENOMEM;
		try->is_any = true;
	}
	return 0;
}

/* Opening a device or a pipe does something by itself. */
static bool
is_plain(const struct omega_atom *atom)
{
	struct omega_witness_object object;

	if ((atom->public.flags & OMEGA_SANDBOX_ATOM_DIRECTORY) != 0)
		return true;
	return look_at(atom, &object) == 0 && S_ISREG(object.mode);
}

static int
add_write(struct omega_witness *witness, const struct omega_atom *atom,
    const struct omega_plan_item *item)
{
	if ((atom->public.flags & OMEGA_SANDBOX_ATOM_DIRECTORY) == 0)
		return add_at(witness, OMEGA_WITNESS_WRITE, atom, item);
	if (strcmp(atom->path, "/dev") == 0)
		return 0;
	if (strcmp(atom->path, "/proc") == 0 || strcmp(atom->path, "/sys") == 0)
		return add_kernel_files(witness, atom, item);
	return add_entry(witness, OMEGA_WITNESS_WRITE, atom, item);
}

/* The bits of a PATH atom that are held. */
static int
add_path(struct omega_witness *witness, const struct omega_atom *atom,
    const struct omega_plan_item *item)
{
	const bool is_absent =
	    (atom->public.flags & OMEGA_SANDBOX_ATOM_ABSENT) != 0;
	const bool is_directory =
	    (atom->public.flags & OMEGA_SANDBOX_ATOM_DIRECTORY) != 0;
	uint32_t held = item->held;
	int ret = 0;

	if (!is_absent && !is_plain(atom))
		return 0;
	if ((held & (is_directory ? OMEGA_SANDBOX_ATOM_LIST
				  : OMEGA_SANDBOX_ATOM_READ)) != 0)
		ret = add_at(witness, OMEGA_WITNESS_READ, atom, item);
	if (ret == 0 && is_directory && (held & OMEGA_SANDBOX_ATOM_READ) != 0)
		ret = add_entry(witness, OMEGA_WITNESS_READ, atom, item);
	if (ret == 0 && !is_absent && (held & OMEGA_SANDBOX_ATOM_WRITE) != 0)
		ret = add_write(witness, atom, item);
	if (ret == 0 && is_directory && (held & OMEGA_SANDBOX_ATOM_CREATE) != 0)
		ret = add_at(witness, OMEGA_WITNESS_CREATE, atom, item);
	if (ret == 0 && is_absent && (held & OMEGA_SANDBOX_ATOM_CREATE) != 0)
		ret = add_make(witness, atom, item);
	return ret;
}

/* A try at the processes outside, if all of them are to be out of reach. */
static int
add_outside(struct omega_witness *witness, uint32_t how,
    const struct omega_atom *atom, const struct omega_plan_item *item)
{
	if ((item->held & OMEGA_SANDBOX_ATOM_ALL) == 0)
		return 0;
	return add(witness, how, NULL, atom, item) == NULL ? -ENOMEM : 0;
}

static int
add_atom(struct omega_witness *witness, const struct omega_atom *atom,
    const struct omega_plan_item *item)
{
	if (item->held == 0)
		return 0;
	switch (atom->public.kind) {
	case OMEGA_SANDBOX_ATOM_PATH:
		return add_path(witness, atom, item);
	case OMEGA_SANDBOX_ATOM_METADATA:
		if (atom->path == NULL) /* of all that is not granted */
			return 0;
		return add_at(witness, OMEGA_WITNESS_CHANGE, atom, item);
	case OMEGA_SANDBOX_ATOM_ABSENT_PATHS:
		return add_make(witness, atom, item);
	case OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS:
		return add_outside(witness, OMEGA_WITNESS_SIGNAL, atom, item);
	case OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE:
		return add_outside(witness, OMEGA_WITNESS_TRACE, atom, item);
	default:
		return 0;
	}
}

/* Atoms of a list (of any length), or the others. */
static int
add_atoms(struct omega_witness *witness, const struct omega_plan *plan,
    bool is_listed)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < plan->atoms.count; i++)
		if (plan->atoms.list[i].is_listed == is_listed)
			ret = add_atom(
			    witness, &plan->atoms.list[i], &plan->items[i]);
	return ret;
}

static bool
is_at_or_below(const char *path, const char *above)
{
	return omega_text_is_below(path, strlen(path), above, strlen(above));
}

/* Do the lists of the policy leave this open? */
static bool
is_granted(const struct omega_plan *plan, const char *path, uint32_t bits)
{
	size_t i;

	for (i = 0; i < plan->atoms.grant_count; i++)
		if ((bits & ~plan->atoms.grants[i].public.access) == 0 &&
		    is_at_or_below(path, plan->atoms.grants[i].path))
			return true;
	return false;
}

/* Does the policy itself forbid this (bits) at path? */
static bool
is_forbidden(const struct omega_plan *plan, const char *path, uint32_t bits)
{
	size_t i;

	for (i = 0; i < plan->atoms.count; i++) {
		const struct omega_atom *atom = &plan->atoms.list[i];

		if (atom->public.kind == OMEGA_SANDBOX_ATOM_ELSEWHERE &&
		    (atom->public.access & bits) != 0 &&
		    !is_granted(plan, path, atom->public.access & bits))
			return true;
		if (atom->path == NULL ||
		    atom->public.kind != OMEGA_SANDBOX_ATOM_PATH ||
		    (atom->public.access & bits) == 0)
			continue;
		/* The promise about /dev leaves the harmless devices out. */
		if (strcmp(atom->path, "/dev") == 0 &&
		    (atom->public.access & OMEGA_SANDBOX_ATOM_READ) == 0 &&
		    strcmp(path, "/dev/null") == 0)
			continue;
		/* Directories on the way to a denied place may lose as much:
		 * that is the price some backends have. */
		if (is_at_or_below(path, atom->path) ||
		    is_at_or_below(atom->path, path))
			return true;
	}
	return false;
}

static bool
works_now(uint32_t how, const char *path)
{
	int fd;

	if (how == OMEGA_WITNESS_CAN_CREATE)
		return omega_touch_create(path) == 0;
	fd = omega_touch_open(path,
	    O_NOFOLLOW | (how == OMEGA_WITNESS_CAN_LIST ? O_RDONLY | O_DIRECTORY
							: O_WRONLY));
	if (fd < 0)
		return false;
	omega_touch_close(fd);
	return true;
}

/* Something that works for the caller now and must work inside. */
static int
add_allowed(struct omega_witness *witness, const struct omega_plan *plan,
    uint32_t how, const char *path)
{
	static const uint32_t bits[] = {
	    [OMEGA_WITNESS_CAN_LIST] =
		OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST,
	    [OMEGA_WITNESS_CAN_WRITE] =
		OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_WRITE,
	    [OMEGA_WITNESS_CAN_CREATE] = OMEGA_SANDBOX_ATOM_READ |
					 OMEGA_SANDBOX_ATOM_WRITE |
					 OMEGA_SANDBOX_ATOM_CREATE,
	};
	struct omega_witness_object object;
	struct omega_witness_try *try;

	if (is_forbidden(plan, path, bits[how]) ||
	    omega_witness_look(AT_FDCWD, path, &object) < 0 ||
	    S_ISLNK(object.mode) || !works_now(how, path))
		return 0;
	try = add(witness, how, path, NULL, NULL);
	if (try == NULL)
		return -ENOMEM;
	try->object = object;
	return 0;
}

static int
add_all_allowed(struct omega_witness *witness, const struct omega_plan *plan)
{
	char *workspace = NULL;
	int ret;

	ret = add_allowed(witness, plan, OMEGA_WITNESS_CAN_WRITE, "/dev/null");
	if (ret == 0)
		ret = add_allowed(
		    witness, plan, OMEGA_WITNESS_CAN_CREATE, "/tmp");
	if (ret < 0 || plan->atoms.data_dir == NULL)
		return ret;
	if (asprintf(&workspace, "%s/workspace", plan->atoms.data_dir) < 0)
		return -ENOMEM;
	ret = add_allowed(witness, plan, OMEGA_WITNESS_CAN_LIST, workspace);
	if (ret == 0)
		ret = add_allowed(
		    witness, plan, OMEGA_WITNESS_CAN_CREATE, workspace);
	free(workspace);
	return ret;
}

int
omega_tries_make(const struct omega_plan *plan, struct omega_witness **witness,
    struct omega_sandbox_error *error)
{
	struct omega_witness *made = calloc(1, sizeof(*made));
	int ret;

	*witness = NULL;
	if (made == NULL)
		return omega_error_memory(error);
	atomic_init(&made->turn, 0);
	made->user = geteuid();
	ret = add_atoms(made, plan, false);
	if (ret == 0)
		ret = add_all_allowed(made, plan);
	made->fixed = made->count;
	if (ret == 0)
		ret = add_atoms(made, plan, true);
	if (ret < 0) {
		omega_witness_free(made);
		return omega_error_memory(error);
	}
	*witness = made;
	return 0;
}
