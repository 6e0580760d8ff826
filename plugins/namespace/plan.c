/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * plan.c - see plan.h.
 *
 * A place that must not be read is masked, one that must not be changed is
 * mounted onto itself read-only. The way to it is pinned wherever the caller
 * could rename a part of it: a mount moves with its directory, so the next
 * command would look for the place in vain and protect nothing.
 */

#include "plan.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "aliases.h"
#include "devices.h"
#include "hides.h"
#include "lists.h"
#include "pins.h"
#include "request.h"
#include "sockets.h"
#include "ways.h"

/* Of /proc a command needs its own entries; these are the machine's. */
static const char *const proc_machine[] = {"/proc/sys", "/proc/sysrq-trigger",
    "/proc/irq", "/proc/bus", "/proc/fs", NULL};
static const char *const proc_secrets[] = {
    "/proc/kcore", "/proc/kmsg", "/proc/keys", NULL};

static int
add_list(struct ops *ops, uint32_t type, const char *const *paths)
{
	int ret = 0;

	for (; ret == 0 && *paths != NULL; paths++)
		ret = ops_add(ops, type, *paths);
	return ret;
}

static int
add_kept(const struct setup *setup, struct ops *ops, const char *path)
{
	if (strcmp(path, REQUEST_DEV) == 0)
		return devices_add_front(setup, ops);
	if (strcmp(path, "/proc") == 0 && !setup->caller.is_root)
		return add_list(ops, REQUEST_READ_ONLY, proc_machine);
	return ops_add(ops, REQUEST_READ_ONLY, path);
}

static int
pin_way(const struct setup *setup, struct ops *ops, const char *path)
{
	return pins_add_way(setup, ops, REQUEST_PIN, path);
}

/* A place that is absent where the caller cannot make it: so it stays. */
static int
add_absent(const struct setup *setup, struct ops *ops, const char *path)
{
	char existing[PATH_MAX];
	int ret;

	if (!setup_cannot_make(setup, path))
		return 0;
	ret = places_existing(path, existing);
	return ret < 0 ? ret : pin_way(setup, ops, existing);
}

static int
add_atom(const struct setup *setup, struct ops *ops,
    const struct omega_sandbox_atom *atom)
{
	const struct op *op;
	size_t before = ops->count;
	struct stat st;
	int ret;

	if (atom->path == NULL || strlen(atom->path) >= PATH_MAX)
		return atom->path == NULL ? 0 : -ENAMETOOLONG;
	if (atom->kind != OMEGA_SANDBOX_ATOM_PATH &&
	    atom->kind != OMEGA_SANDBOX_ATOM_METADATA &&
	    atom->kind != OMEGA_SANDBOX_ATOM_ABSENT_PATHS)
		return 0;
	if (lstat(atom->path, &st) != 0) {
		/* What the core has seen is not absent because looking at it
		 * fails now, and what it has not seen may be there when the
		 * way is closed. */
		if (!places_is_missing(errno))
			return errno == EACCES ? -ESTALE : -errno;
		return atom->inode != 0 ? -ESTALE
					: add_absent(setup, ops, atom->path);
	}
	if (atom->kind == OMEGA_SANDBOX_ATOM_ABSENT_PATHS)
		return -ESTALE;
	if (setup_is_denied(atom))
		ret = ops_add(ops, REQUEST_DENY, atom->path);
	else
		ret = add_kept(setup, ops, atom->path);
	if (ret < 0 || atom->inode == 0)
		return ret;
	for (op = ops->list + before; op < ops->list + ops->count; op++)
		if (strcmp(op->path, atom->path) == 0 &&
		    (op->device != atom->device || op->inode != atom->inode))
			return -ESTALE;
	return 0;
}

/*
 * ssh believes an included file only when it is root's or the caller's. In
 * the caller's user namespace root is unknown, so the caller gets copies.
 */
static int
add_copies(struct ops *ops)
{
	static const char dir[] = "/etc/ssh/ssh_config.d";
	static const char policy[] = "/etc/crypto-policies/back-ends/"
				     "openssh.config";
	char path[PATH_MAX];
	char real[PATH_MAX];
	struct dirent *entry;
	struct stat st;
	DIR *stream;
	int ret = 0;

	if (realpath(policy, real) != NULL)
		ret = ops_add(ops, REQUEST_COPY, real);
	stream = opendir(dir);
	if (stream == NULL)
		return ret;
	while (ret == 0 && (entry = readdir(stream)) != NULL)
		if (places_join(dir, entry->d_name, path) == 0 &&
		    realpath(path, real) != NULL && lstat(real, &st) == 0 &&
		    S_ISREG(st.st_mode) && st.st_uid == 0 &&
		    (st.st_mode & S_IROTH) != 0 &&
		    st.st_size <= (off_t)REQUEST_MAX_COPY)
			ret = ops_add(ops, REQUEST_COPY, real);
	closedir(stream);
	return ret;
}

struct link_work {
	const struct setup *setup;
	struct ops *ops;
};

static int
pin_link(void *arg, const char *link)
{
	struct link_work *work = arg;

	return pin_way(work->setup, work->ops, link);
}

/* The ways to what is protected so far. */
static int
pin_all(const struct setup *setup, struct ops *ops)
{
	struct link_work work = {setup, ops};
	char parent[PATH_MAX];
	size_t count = ops->count;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < count; i++) {
		if (ops->list[i].type == REQUEST_PIN ||
		    ops->list[i].type == REQUEST_WRITABLE)
			continue;
		places_parent(ops->list[i].path, parent);
		ret = pin_way(setup, ops, parent);
	}
	return ret == 0 ? ways_each_link(setup, pin_link, &work) : ret;
}

/* The sockets, and the ways to them. */
static int
add_sockets(const struct setup *setup, struct ops *ops)
{
	char parent[PATH_MAX];
	size_t i = ops->count;
	size_t end;
	int ret;

	ret = sockets_add(setup, ops);
	for (end = ops->count; ret == 0 && i < end; i++) {
		places_parent(ops->list[i].path, parent);
		ret = pins_add_way(setup, ops, REQUEST_PIN_SOCKET, parent);
		/* Who owns it has closed the way meanwhile. */
		if (ret == -EACCES)
			ret = 0;
	}
	return ret;
}

/* The files of queues: in an IPC namespace of their own commands have others,
 * and need no file. */
static int
add_queues(const struct setup *setup, struct ops *ops)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < setup->table.count; i++)
		if (strcmp(setup->table.list[i].type, "mqueue") == 0)
			ret = hides_add_directory(&(struct hides){setup, ops},
			    setup->table.list[i].point);
	return ret;
}

int
plan_make(const struct setup *setup, struct ops *ops)
{
	size_t settled;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < setup->count; i++)
		ret = add_atom(setup, ops, setup->atoms[i]);
	for (i = 0; ret == 0 && i < setup->dir_count; i++)
		if (setup->dirs[i].is_shielded)
			ret = ops_add(ops, REQUEST_SHIELD, setup->dirs[i].path);
	if (ret == 0)
		ret = aliases_add(ops);
	if (ret == 0)
		ret = lists_add(setup, ops);
	if (ret == 0)
		ret = pin_all(setup, ops);
	if (ret == 0)
		ret = devices_add_front(setup, ops);
	settled = ops->count;
	if (ret == 0 && setup->network.is_usable)
		ret = add_queues(setup, ops);
	if (ret == 0 && setup->caller.is_root)
		ret = add_list(ops, REQUEST_DENY, proc_secrets);
	if (ret == 0)
		ret = devices_add_shown(setup, ops);
	if (ret == 0)
		ret = add_sockets(setup, ops);
	ops_may_change(ops, settled);
	if (ret == 0 && setup->caller.uid != 0)
		ret = add_copies(ops);
	return ret == 0 ? ops_settle(ops) : ret;
}
