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
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/*
 * Commands have a /dev of their own. So a device that is not known, or comes
 * later, is not there. Only entries are taken over, each with all below it.
 */

static const char *const memory[] = {
    "/dev/shm", "/dev/mqueue", "/dev/hugepages", NULL};

static int
show(const struct setup *setup, struct ops *ops, const char *path)
{
	if (!places_is_below(path, REQUEST_DEV) ||
	    strcmp(path, REQUEST_PTS) == 0 || strcmp(path, "/dev/ptmx") == 0 ||
	    setup_is_below(setup, path, SETUP_DENIED))
		return 0;
	return ops_add(ops, REQUEST_SHOW, path);
}

static int
show_list(const struct setup *setup, struct ops *ops, const char *const *paths)
{
	int ret = 0;

	for (; ret == 0 && paths != NULL && *paths != NULL; paths++)
		ret = show(setup, ops, *paths);
	return ret;
}

/* The terminal we are talking through. */
static int
show_terminals(const struct setup *setup, struct ops *ops)
{
	char path[PATH_MAX];
	char name[40];
	struct stat own;
	struct stat st;
	ssize_t len;
	int ret = 0;
	int fd;

	for (fd = 0; ret == 0 && fd < 3; fd++) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		if (!isatty(fd) || fstat(fd, &own) != 0 ||
		    (len = readlink(name, path, sizeof(path) - 1)) < 0)
			continue;
		path[len] = '\0';
		if (lstat(path, &st) == 0 && st.st_dev == own.st_dev &&
		    st.st_ino == own.st_ino)
			ret = show(setup, ops, path);
	}
	return ret;
}

/* What is no device: links, and what others have put there. */
static int
show_others(const struct setup *setup, struct ops *ops)
{
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *stream;
	int ret = 0;

	stream = opendir(REQUEST_DEV);
	if (stream == NULL)
		return errno == EACCES || errno == ENOENT ? 0 : -errno;
	while (ret == 0 && (entry = readdir(stream)) != NULL)
		if ((entry->d_type == DT_LNK || entry->d_type == DT_REG ||
			entry->d_type == DT_SOCK) &&
		    places_join(REQUEST_DEV, entry->d_name, path) == 0)
			ret = show(setup, ops, path);
	closedir(stream);
	return ret;
}

/* Are all devices given? */
static int
are_all_given(const struct setup *setup)
{
	const char *const *item = setup->request.allow_devices;

	for (; item != NULL && *item != NULL; item++)
		if (places_is_below(REQUEST_DEV, *item))
			return 1;
	return 0;
}

/* Once. */
static int
replace_dev(const struct setup *setup, struct ops *ops)
{
	const uint32_t type =
	    are_all_given(setup) ? REQUEST_READ_ONLY_TOP : REQUEST_DEVICES;

	return ops_has(ops, type, REQUEST_DEV)
		   ? 0
		   : ops_add(ops, type, REQUEST_DEV);
}

static int
show_devices(const struct setup *setup, struct ops *ops)
{
	int ret;

	if (are_all_given(setup))
		return 0;
	ret = show_list(setup, ops, setup->request.devices);
	if (ret == 0)
		ret = show_list(setup, ops, memory);
	if (ret == 0)
		ret = show_list(setup, ops, setup->request.allow_devices);
	if (ret == 0)
		ret = show_terminals(setup, ops);
	return ret == 0 ? show_others(setup, ops) : ret;
}

static int
add_kept(const struct setup *setup, struct ops *ops, const char *path)
{
	if (strcmp(path, REQUEST_DEV) == 0)
		return replace_dev(setup, ops);
	if (strcmp(path, "/proc") == 0 && !setup->caller.is_root)
		return add_list(ops, REQUEST_READ_ONLY, proc_machine);
	return ops_is_covered(ops, path)
		   ? 0
		   : ops_add(ops, REQUEST_READ_ONLY, path);
}

int
plan_pin_way(const struct setup *setup, struct ops *ops, const char *path)
{
	char at[PATH_MAX];
	char parent[PATH_MAX];
	int ret = 0;

	strcpy(at, path);
	for (; ret == 0 && at[1] != '\0'; strcpy(at, parent)) {
		/* Then so is what is above it. */
		if (ops_has(ops, REQUEST_PIN, at))
			return 0;
		places_parent(at, parent);
		if (!ops_is_covered(ops, parent) &&
		    setup_allows(setup, parent) &&
		    places_can_rename(&setup->caller, at))
			ret = ops_add(ops, REQUEST_PIN, at);
	}
	return ret;
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
	return ret < 0 ? ret : plan_pin_way(setup, ops, existing);
}

static int
add_atom(const struct setup *setup, struct ops *ops,
    const struct omega_sandbox_atom *atom)
{
	struct stat st;

	if (atom->path == NULL || strlen(atom->path) >= PATH_MAX)
		return atom->path == NULL ? 0 : -ENAMETOOLONG;
	if (atom->kind != OMEGA_SANDBOX_ATOM_PATH &&
	    atom->kind != OMEGA_SANDBOX_ATOM_METADATA &&
	    atom->kind != OMEGA_SANDBOX_ATOM_ABSENT_PATHS)
		return 0;
	/* Said before, with more. */
	if (atom->kind == OMEGA_SANDBOX_ATOM_METADATA &&
	    ops_has(ops, REQUEST_DENY, atom->path))
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
	if (atom->kind == OMEGA_SANDBOX_ATOM_ABSENT_PATHS ||
	    (atom->inode != 0 &&
		(atom->device != st.st_dev || atom->inode != st.st_ino)))
		return -ESTALE;
	if (!setup_is_denied(atom))
		return add_kept(setup, ops, atom->path);
	return ops_has(ops, REQUEST_DENY, atom->path)
		   ? 0
		   : ops_add(ops, REQUEST_DENY, atom->path);
}

/* Show a copy of the file, which may have links on its way, if it is one that
 * we can read, and perhaps only if it is root's. */
static int
add_copy(struct ops *ops, const char *path, int is_roots, uint32_t flags)
{
	const size_t before = ops->count;
	char real[PATH_MAX];
	struct stat st;
	int ret;

	if (realpath(path, real) == NULL || lstat(real, &st) != 0 ||
	    !S_ISREG(st.st_mode) || (is_roots && st.st_uid != 0) ||
	    st.st_size > (off_t)REQUEST_MAX_COPY ||
	    faccessat(AT_FDCWD, real, R_OK, AT_EACCESS) != 0)
		return 0;
	ret = ops_add(ops, REQUEST_COPY, real);
	if (ret == 0 && ops->count > before)
		ops->list[before].flags = flags;
	return ret;
}

/*
 * ssh believes an included file only when it is root's or the caller's. In
 * the caller's user namespace root is unknown, so the caller gets copies.
 */
static int
add_copies(struct ops *ops)
{
	static const char dir[] = "/etc/ssh/ssh_config.d";
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *stream;
	int ret;

	ret = add_copy(
	    ops, "/etc/crypto-policies/back-ends/openssh.config", 1, 0);
	stream = opendir(dir);
	if (stream == NULL)
		return ret;
	while (ret == 0 && (entry = readdir(stream)) != NULL)
		if (places_join(dir, entry->d_name, path) == 0)
			ret = add_copy(ops, path, 1, 0);
	closedir(stream);
	return ret;
}

static int
has_port(const struct omega_sandbox_ports *ports, uint16_t port)
{
	size_t i;

	for (i = 0; i < ports->count; i++)
		if (ports->list[i] == port)
			return 1;
	return 0;
}

int
plan_uses_tcp(const struct omega_sandbox_request *request)
{
	return has_port(&request->connect, 53) &&
	       !has_port(&request->connect_udp, 53);
}

/* Where programs ask for names, and what they look at before that. */
static int
add_own_files(const struct omega_sandbox_request *request, struct ops *ops)
{
	const uint32_t vc = plan_uses_tcp(request) ? REQUEST_USE_VC : 0;
	int ret;

	ret = add_copy(ops, REQUEST_RESOLVER, 0, REQUEST_FOR_SERVER | vc);
	if (ret == 0)
		ret = add_copy(ops, "/etc/hosts", 0, REQUEST_FOR_SELF);
	if (ret == 0)
		ret = add_copy(ops, "/etc/nsswitch.conf", 0, REQUEST_FOR_ORDER);
	return ret;
}

/* The ways to what is protected so far. */
static int
pin_all(const struct setup *setup, struct ops *ops)
{
	const char *link = setup->links.bytes;
	char parent[PATH_MAX];
	size_t count = ops->count;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < count; i++) {
		if (ops->list[i].type == REQUEST_PIN ||
		    ops->list[i].type == REQUEST_WRITABLE)
			continue;
		places_parent(ops->list[i].path, parent);
		ret = plan_pin_way(setup, ops, parent);
	}
	for (; ret == 0 && link != NULL && *link != '\0';
	     link += strlen(link) + 1)
		ret = plan_pin_way(setup, ops, link);
	return ret;
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
		ret = plan_pin_way(setup, ops, parent);
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
	const struct table_mount *mount = setup->table.list;
	int ret = 0;

	for (; ret == 0 && mount < setup->table.list + setup->table.count;
	     mount++)
		if (strcmp(mount->type, "mqueue") == 0) {
			ret = ops_add(ops, REQUEST_DENY, mount->point);
			if (ret == -EACCES)
				ret = 0;
		}
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
		ret = aliases_add(setup, ops);
	if (ret == 0)
		ret = setup_add_grants(setup, ops);
	if (ret == 0)
		ret = pin_all(setup, ops);
	if (ret == 0)
		ret = replace_dev(setup, ops);
	settled = ops->count;
	if (ret == 0 && setup->network.is_usable)
		ret = add_queues(setup, ops);
	if (ret == 0 && setup->caller.is_root)
		ret = add_list(ops, REQUEST_DENY, proc_secrets);
	if (ret == 0)
		ret = show_devices(setup, ops);
	if (ret == 0)
		ret = add_sockets(setup, ops);
	for (; settled < ops->count; settled++)
		ops->list[settled].flags |= REQUEST_MAY_CHANGE;
	if (ret == 0 && setup->caller.uid != 0)
		ret = add_copies(ops);
	if (ret == 0 && hosts_are_listed(setup))
		ret = add_own_files(&setup->request, ops);
	else if (ret == 0 && plan_uses_tcp(&setup->request))
		ret = add_copy(ops, REQUEST_RESOLVER, 0, REQUEST_USE_VC);
	return ret == 0 ? ops_settle(ops) : ret;
}
