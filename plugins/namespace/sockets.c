/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sockets.c - see sockets.h.
 *
 * /proc/net/unix names every socket bound in this network namespace. Those
 * that are known to start programs are also looked for by name: they may be
 * bound in another one, or belong to another user.
 */

#include "sockets.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aliases.h"
#include "locate.h"
#include "pins.h"
#include "request.h"
#include "table.h"
#include "ways.h"

/* Single sockets, or pipes; %lu is the caller's uid, for root anybody's. */
static const char *const launchers[] = {
    "/run/docker.sock",
    "/run/user/%lu/docker.sock",
    "/run/podman/podman.sock",
    "/run/user/%lu/podman/podman.sock",
    "/run/containerd/containerd.sock",
    "/run/k3s/containerd/containerd.sock",
    "/run/crio/crio.sock",
    "/run/cri-dockerd.sock",
    "/run/buildkit/buildkitd.sock",
    "/run/libvirt/libvirt-sock",
    "/run/libvirt/virtqemud-sock",
    "/run/libvirt/virtlxcd-sock",
    "/run/user/%lu/libvirt/libvirt-sock",
    "/run/user/%lu/libvirt/virtqemud-sock",
    "/var/lib/lxd/unix.socket",
    "/var/lib/incus/unix.socket",
    "/var/lib/incus/unix.socket.user",
    "/var/snap/lxd/common/lxd/unix.socket",
    "/var/snap/lxd/common/lxd-user/unix.socket",
    "/nix/var/nix/daemon-socket/socket",
    "/var/guix/daemon-socket/socket",
    "/run/dbus/system_bus_socket",
    "/run/snapd.socket",
    "/run/snapd-snap.socket",
    "/run/user/%lu/bus",
    "/run/user/%lu/systemd/private",
    "/run/user/%lu/systemd/io.system.ManagedOOM",
    "/run/systemd/private",
    "/run/initctl",
    "/dev/initctl",
    "/run/systemd/initctl/fifo",
    NULL,
};

/* Directories of which every socket counts. */
static const char *const launcher_dirs[] = {
    "/tmp/.X11-unix",
    "/tmp/tmux-%lu",
    "/tmp/emacs%lu",
    "/run/user/%lu/emacs",
    "/run/user/%lu/tmux-%lu",
    NULL,
};

/* Directories of directories: one per user. */
static const char *const launcher_trees[] = {
    "/run/screen",
    "/run/uscreens",
    "/tmp/screens",
    "/tmp/uscreens",
    NULL,
};

/* Whoever talks there gets answers, not programs: log, names, users. */
static const char *const harmless[] = {
    "/run/systemd/journal",
    "/run/systemd/userdb",
    "/run/systemd/resolve",
    "/run/nscd",
    "/dev/log",
    NULL,
};

struct search {
	const struct setup *setup;
	const struct caller *caller;
	struct ops *ops;
};

/* By its name, or because what is allowed is this by another name. */
static int
is_allowed(const struct search *search, const char *bound, const char *real,
    const struct stat *st)
{
	const char *const *item = search->setup->request.allow_sockets;
	struct stat allowed;

	for (; item != NULL && *item != NULL; item++) {
		if (strcmp(*item, bound) == 0 || strcmp(*item, real) == 0)
			return 1;
		if (stat(*item, &allowed) == 0 &&
		    allowed.st_dev == st->st_dev &&
		    allowed.st_ino == st->st_ino)
			return 1;
	}
	return 0;
}

static int
is_harmless(const char *real)
{
	size_t i;

	for (i = 0; harmless[i] != NULL; i++)
		if (places_is_below(real, harmless[i]))
			return 1;
	return 0;
}

static int
pin_link(void *arg, const char *link)
{
	struct search *search = arg;

	return pins_add_way(
	    search->setup, search->ops, REQUEST_PIN_SOCKET, link);
}

/*
 * A directory of the caller's own that is closed to it now. A command that is
 * let in could open it again, so nobody is shown what is in there.
 */
static int
hide_closed(struct search *search, const char *dir)
{
	struct stat st;

	if (lstat(dir, &st) != 0)
		return places_is_absent(errno) ? 0 : -errno;
	if (st.st_uid != search->caller->uid)
		return 0;
	return dir[1] == '\0' ? -EACCES
			      : ops_add(search->ops, REQUEST_DENY, dir);
}

/* There is no way to the name, as it seems: was a directory closed? */
static int
hide_behind(struct search *search, const char *bound)
{
	char closed[PATH_MAX];
	int ret;

	ret = ways_follow(bound, pin_link, search, closed);
	if (ret < 0 || closed[0] == '\0' ||
	    faccessat(AT_FDCWD, closed, X_OK, AT_EACCESS) == 0 ||
	    errno != EACCES)
		return ret;
	return hide_closed(search, closed);
}

/* Hide the socket at this name; own: only if it is the caller's. */
static int
hide(struct search *search, const char *bound, int own)
{
	char real[PATH_MAX];
	struct stat st;
	int ret;

	if (realpath(bound, real) == NULL || lstat(real, &st) != 0) {
		if (errno == EACCES)
			return hide_behind(search, bound);
		return places_is_absent(errno) ? 0 : -errno;
	}
	if (!S_ISSOCK(st.st_mode) && (own || !S_ISFIFO(st.st_mode)))
		return 0;
	if (own && (st.st_uid != search->caller->uid || is_harmless(real)))
		return 0;
	if (is_allowed(search, bound, real, &st))
		return 0;
	ret = ops_add(search->ops, REQUEST_HIDE, real);
	/* Whoever turned a link would let the next search end elsewhere. */
	return ret == 0 ? ways_follow(bound, pin_link, search, NULL) : ret;
}

static int
hide_in(struct search *search, const char *dir, int depth)
{
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *stream;
	int ret = 0;

	stream = opendir(dir);
	if (stream == NULL && errno == EACCES)
		return realpath(dir, path) != NULL ? hide_closed(search, path)
						   : hide_behind(search, dir);
	if (stream == NULL)
		return places_is_absent(errno) ? 0 : -errno;
	while (ret == 0) {
		errno = 0;
		entry = readdir(stream);
		if (entry == NULL) {
			ret = -errno;
			break;
		}
		if (entry->d_name[0] == '.' ||
		    places_join(dir, entry->d_name, path) < 0)
			continue;
		if (depth > 0)
			ret = hide_in(search, path, depth - 1);
		else
			ret = hide(search, path, 0);
	}
	closedir(stream);
	return ret;
}

/* Put the uid, or *, into one of our own patterns. */
static void
fill_in(const char *pattern, const struct caller *caller, char *path)
{
	size_t used = 0;

	while (*pattern != '\0') {
		if (strncmp(pattern, "%lu", 3) != 0) {
			path[used++] = *pattern++;
			continue;
		}
		if (caller->is_root)
			path[used++] = '*';
		else
			used += (size_t)snprintf(path + used, PATH_MAX - used,
			    "%lu", (unsigned long)caller->uid);
		pattern += 3;
	}
	path[used] = '\0';
}

/*
 * Every socket a pattern names, or those in the directories it names. Root can
 * become any user inside and would be served as that one.
 */
static int
hide_pattern(struct search *search, const char *pattern, int are_directories)
{
	char path[PATH_MAX];
	glob_t found;
	size_t i;
	int ret;

	fill_in(pattern, search->caller, path);
	if (!search->caller->is_root)
		return are_directories ? hide_in(search, path, 0)
				       : hide(search, path, 0);
	ret = glob(path, GLOB_NOSORT, NULL, &found);
	if (ret == GLOB_NOMATCH)
		return 0;
	if (ret != 0)
		return ret == GLOB_NOSPACE ? -ENOMEM : -EIO;
	for (i = 0; ret == 0 && i < found.gl_pathc; i++)
		ret = are_directories ? hide_in(search, found.gl_pathv[i], 0)
				      : hide(search, found.gl_pathv[i], 0);
	globfree(&found);
	return ret;
}

static int
hide_launchers(struct search *search)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && launchers[i] != NULL; i++)
		ret = hide_pattern(search, launchers[i], 0);
	for (i = 0; ret == 0 && launcher_dirs[i] != NULL; i++)
		ret = hide_pattern(search, launcher_dirs[i], 1);
	for (i = 0; ret == 0 && launcher_trees[i] != NULL; i++)
		ret = hide_in(search, launcher_trees[i], 1);
	return ret;
}

/* Has a launcher's socket this name, wherever it is shown? */
static int
is_launcher(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t i;

	for (i = 0; launchers[i] != NULL; i++)
		if (strcmp(strrchr(launchers[i], '/'), name) == 0)
			return 1;
	return 0;
}

/*
 * Sockets that are mounted by themselves, as a container gets those of its
 * host: who has bound them may not be seen in here.
 */
static int
hide_mounted(struct search *search, int own)
{
	struct table table;
	size_t i;
	int ret;

	ret = table_read(&table);
	for (i = 0; ret == 0 && i < table.count; i++) {
		const struct table_mount *mount = &table.list[i];

		if (mount->root[1] != '\0' && mount->point[0] == '/')
			ret = hide(search, mount->point,
			    own && !is_launcher(mount->root) &&
				!is_launcher(mount->point));
	}
	table_drop(&table);
	return ret;
}

struct own_or_all {
	struct search *search;
	int own;
};

static int
hide_found(void *arg, const char *path, enum locate_kind kind)
{
	const struct own_or_all *which = arg;

	return kind == LOCATE_CLOSED ? hide_closed(which->search, path)
				     : hide(which->search, path, which->own);
}

/* Are all to be hidden, whoever owns them? */
static int
are_all_hidden(const struct setup *setup)
{
	size_t i;

	for (i = 0; i < setup->count; i++)
		if (setup->atoms[i]->kind == OMEGA_SANDBOX_ATOM_PATH_SOCKETS)
			return 1;
	return 0;
}

static int
add_all(const struct setup *setup, struct ops *ops)
{
	struct search search = {setup, &setup->caller, ops};
	struct own_or_all which = {&search, !are_all_hidden(setup)};
	uint32_t how = setup->request.hide_sockets;
	char gap[200];
	int ret;

	if (which.own && how == OMEGA_SANDBOX_HIDE_NONE)
		return 0;
	ret = hide_launchers(&search);
	if (ret == 0)
		ret = hide_mounted(&search, which.own);
	if (ret < 0 || (which.own && how == OMEGA_SANDBOX_HIDE_LAUNCHERS))
		return ret;
	/* What may be missing describe has said. */
	return locate_each(
	    &setup->caller, which.own, hide_found, &which, gap, sizeof(gap));
}

int
sockets_add(const struct setup *setup, struct ops *ops)
{
	size_t first = ops->count;
	int ret;

	ret = add_all(setup, ops);
	return ret == 0 ? aliases_add_sockets(ops, first) : ret;
}
