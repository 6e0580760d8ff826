/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * locate.c - see locate.h.
 *
 * Most sockets are where their name says. Which file a socket is bound to the
 * kernel tells as device and inode (diag.h): so one that has been moved, was
 * bound by a relative name or in a chroot is noticed, and looked for.
 */

#include "locate.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "proc.h"
#include "relative.h"
#include "search.h"
#include "unixes.h"

#define FIRST_PID_NAMESPACE 0xeffffffcu

/* Files that are to be looked for. */
struct wanted {
	const struct diag_socket **list;
	size_t count;
	int any; /* every socket there is */
	int others; /* one of them may not be the caller's */
	char what[80]; /* one of them, of others if there is such a one */
	int tells; /* on the mount that is looked through, diag_can_tell */
};

struct locate {
	const struct caller *caller;
	int own;
	locate_found *fn;
	void *arg;
	struct diag diag;
	struct wanted wanted;
};

static int
tell(struct locate *locate, const char *path, enum locate_kind kind)
{
	return locate->fn == NULL ? 0 : locate->fn(locate->arg, path, kind);
}

static int
want(struct locate *locate, const char *what, const struct diag_socket *socket)
{
	struct wanted *wanted = &locate->wanted;
	const struct diag_socket **list;
	int others = socket == NULL || socket->inode == 0 || !socket->has_uid ||
		     socket->uid != locate->caller->uid;

	if (wanted->what[0] == '\0' || (others && !wanted->others))
		snprintf(wanted->what, sizeof(wanted->what), "%s", what);
	wanted->others |= others;
	if (socket == NULL || socket->inode == 0) {
		wanted->any = 1;
		return 0;
	}
	list = reallocarray(wanted->list, wanted->count + 1, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	wanted->list = list;
	list[wanted->count++] = socket;
	return 0;
}

/* ---- Sockets near the place they were bound to ----------------------------
 */

/* Many a server binds another name first, and then renames. */
static int
look_beside(
    struct locate *locate, const char *name, const struct diag_socket *socket)
{
	char dir[PATH_MAX];
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *stream;
	int ret = 0;

	if (strlen(name) >= PATH_MAX)
		return 0;
	places_parent(name, path);
	if (realpath(path, dir) == NULL || diag_can_tell(dir) == 0)
		return 0;
	stream = opendir(dir);
	if (stream == NULL)
		return places_is_absent(errno) ? 0 : -errno;
	while (ret == 0 && (entry = readdir(stream)) != NULL)
		if ((uint32_t)entry->d_ino == socket->inode &&
		    (entry->d_type == DT_SOCK || entry->d_type == DT_UNKNOWN) &&
		    places_join(dir, entry->d_name, path) == 0)
			ret = tell(locate, path, LOCATE_NAME);
	closedir(stream);
	return ret;
}

/* Is there a socket, the one if it is known which? */
static int
is_there(const char *path, const struct diag_socket *socket, struct stat *st)
{
	return stat(path, st) == 0 && S_ISSOCK(st->st_mode) &&
	       (socket == NULL || socket->inode == 0 ||
		   diag_is_bound_to(socket, path, st));
}

/* Are there more names than the one it was found by? */
static int
want_links(struct locate *locate, const char *name, const struct stat *st,
    const struct diag_socket *socket)
{
	if (st->st_nlink < 2 ||
	    (locate->own && st->st_uid != locate->caller->uid))
		return 0;
	return want(locate, name, socket);
}

/* ---- Sockets of other views ------------------------------------------------
 */

struct view {
	const char *name;
	const struct stat *here; /* or NULL: there is none by this name */
};

/*
 * Is the file system of st mounted here? What is on none of ours is out of
 * reach. On btrfs and overlayfs the number of the device does not tell.
 */
static int
is_mounted_here(const char *path, const struct stat *st)
{
	char device[40];
	char *mounts;
	int found;

	if (diag_can_tell(path) != 1)
		return 1;
	mounts = proc_read("/proc/thread-self/mountinfo");
	if (mounts == NULL)
		return 1;
	snprintf(device, sizeof(device), " %u:%u ", major(st->st_dev),
	    minor(st->st_dev));
	found = strstr(mounts, device) != NULL;
	free(mounts);
	return found;
}

static int
is_in_view(void *arg, const char *pid)
{
	const struct view *view = arg;
	char path[PATH_MAX + 300];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/root%s", pid, view->name);
	if (lstat(path, &st) != 0 || !S_ISSOCK(st.st_mode))
		return 0;
	if (view->here != NULL && st.st_dev == view->here->st_dev &&
	    st.st_ino == view->here->st_ino)
		return 0;
	return is_mounted_here(path, &st);
}

/* One of another network namespace, about which nothing more is known. */
static int
look_elsewhere(struct locate *locate, const char *name, const struct stat *here)
{
	struct view view = {name, here};
	size_t unseen = 0;
	int ret;

	ret = unixes_each_process("ns/mnt", is_in_view, &view, &unseen);
	return ret > 0 ? want(locate, name, NULL) : ret;
}

/* ---- All of them -----------------------------------------------------------
 */

static int
see_absolute(
    struct locate *locate, const char *name, const struct diag_socket *socket)
{
	struct stat st;
	int is_here;
	int ret;

	ret = tell(locate, name, LOCATE_NAME);
	if (ret != 0)
		return ret;
	is_here = is_there(name, socket, &st);
	if (is_here)
		ret = want_links(locate, name, &st, socket);
	if (ret < 0 || (is_here && (socket != NULL || locate->own)))
		return ret;
	if (locate->own)
		return socket == NULL || socket->inode == 0
			   ? 0
			   : look_beside(locate, name, socket);
	if (socket != NULL)
		return want(locate, name, socket);
	return look_elsewhere(locate, name, is_here ? &st : NULL);
}

static int
see_relative(struct locate *locate, const char *name, unsigned long number,
    const struct diag_socket *socket)
{
	char path[PATH_MAX];
	struct stat st;
	int ret;

	if (locate->own && socket != NULL && socket->has_uid &&
	    socket->uid != locate->caller->uid)
		return 0;
	ret = relative_find(number, name, socket, path);
	switch (ret) {
	case RELATIVE_FOUND:
		ret = tell(locate, path, LOCATE_NAME);
		if (ret == 0 && is_there(path, socket, &st))
			ret = want_links(locate, name, &st, socket);
		return ret;
	case RELATIVE_INSIDE:
		/* Nobody outside listens there. */
		return locate->own ? 0 : want(locate, name, socket);
	case RELATIVE_FOREIGN:
		/* Whose it is is not known, but hardly the caller's. */
		if (locate->own && (socket == NULL || !socket->has_uid))
			return 0;
		return want(locate, name, socket);
	case RELATIVE_LOST:
		return want(locate, name, socket);
	default:
		return ret;
	}
}

static int
see(void *arg, const char *name, unsigned long number)
{
	struct locate *locate = arg;
	const struct diag_socket *socket = diag_find(&locate->diag, number);

	if (name[0] == '@')
		return 0;
	/* It has its name from the one that listens, which is seen too. */
	if (socket != NULL && socket->is_connected)
		return 0;
	return name[0] == '/' ? see_absolute(locate, name, socket)
			      : see_relative(locate, name, number, socket);
}

static int
wants_device(void *arg, const char *point, dev_t device)
{
	struct locate *locate = arg;
	struct wanted *wanted = &locate->wanted;
	size_t i;

	wanted->tells = diag_can_tell(point);
	if (wanted->any)
		return 1;
	for (i = 0; i < wanted->count; i++)
		if (wanted->list[i]->device == device)
			return 1;
	return 0;
}

static int
found(void *arg, const char *path, enum search_kind kind, uint64_t inode)
{
	struct locate *locate = arg;
	const struct wanted *wanted = &locate->wanted;
	size_t i;

	if (kind == SEARCH_CLOSED)
		return tell(locate, path, LOCATE_CLOSED);
	if (wanted->any || wanted->tells == 0)
		return tell(locate, path, LOCATE_NAME);
	for (i = 0; i < wanted->count; i++)
		if (wanted->list[i]->inode == (uint32_t)inode)
			return tell(locate, path, LOCATE_NAME);
	return 0;
}

/* Go through the file systems for what is wanted. */
static int
look_for_wanted(struct locate *locate, char *gap, size_t size)
{
	struct search search = {.caller = locate->caller,
	    .wants = wants_device,
	    .fn = found,
	    .arg = locate};
	int ret;

	if (!locate->wanted.any && locate->wanted.count == 0)
		return 0;
	ret = search_run(&search);
	if (ret == -E2BIG) {
		snprintf(gap, size,
		    "%s may not be where it was bound, and there are more "
		    "than %d names to look through",
		    locate->wanted.what, SEARCH_MAX_NAMES);
		return 0;
	}
	if (ret == 0 && locate->wanted.others && search.obstacle[0] != '\0')
		snprintf(gap, size,
		    "%s may not be where it was bound, and %.60s cannot be "
		    "listed: chmod o+r it, or end that program",
		    locate->wanted.what, search.obstacle);
	return ret;
}

/* Can there be processes that nobody in here sees? */
static int
is_in_container(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) != 0 ||
	       st.st_ino != FIRST_PID_NAMESPACE;
}

int
locate_each(const struct caller *caller, int own, locate_found *fn, void *arg,
    char *gap, size_t size)
{
	struct locate locate = {
	    .caller = caller, .own = own, .fn = fn, .arg = arg};
	int ret;

	gap[0] = '\0';
	/* Where there is no such thing, names must do. */
	ret = diag_read(&locate.diag);
	if (ret < 0 && !diag_is_missing(-ret))
		return ret;
	ret = own ? unixes_each(see, &locate)
		  : unixes_each_anywhere(see, &locate);
	if (ret == -ESRCH || (ret == 0 && !own && is_in_container()))
		ret = want(
		    &locate, "a socket of processes that cannot be seen", NULL);
	if (ret == 0)
		ret = look_for_wanted(&locate, gap, size);
	free(locate.wanted.list);
	diag_drop(&locate.diag);
	return ret;
}
