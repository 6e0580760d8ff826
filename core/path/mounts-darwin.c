/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mounts-darwin.c - other names of a place.
 *
 * macOS shows the volume with the users' data twice: as a whole below
 * /System/Volumes/Data, and by "firmlinks" (/Users, /Library, ...) in the
 * tree. The kernel tells both names of what is open. Apart from that only
 * file systems that pass another one on can give a place a second name; what
 * they show is not known, so that any name is possible.
 */

#include "config.h"

#include "path/aliases.h"

#include <sys/mman.h>
#include <sys/mount.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "path/text.h"

/* File systems that show parts of others. */
static bool
is_passing_on(const struct statfs *fs)
{
	return strcmp(fs->f_fstypename, "nullfs") == 0 ||
	       strcmp(fs->f_fstypename, "bindfs") == 0 ||
	       strcmp(fs->f_fstypename, "unionfs") == 0 ||
	       (fs->f_flags & MNT_UNION) != 0;
}

/* Is there one, below a place or (NULL) anywhere? 1, 0 or a negative errno.
 * The table is copied to memory of its own: nothing here allocates. */
static int
find_passing_on(const struct omega_place *below)
{
	struct statfs *list;
	size_t size;
	int count = getfsstat(NULL, 0, MNT_NOWAIT);
	int ret = 0;
	int i;

	if (count < 0)
		return -errno;
	size = (size_t)(count + 8) * sizeof(*list); /* mounted meanwhile */
	list = mmap(
	    NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
	if (list == MAP_FAILED)
		return -errno;
	count = getfsstat(list, (int)size, MNT_NOWAIT);
	if (count < 0)
		ret = -errno;
	for (i = 0; ret == 0 && i < count; i++)
		if (is_passing_on(&list[i]) &&
		    (below == NULL || omega_text_is_below(list[i].f_mntonname,
					  strlen(list[i].f_mntonname),
					  below->text, below->len)))
			ret = 1;
	munmap(list, size);
	return ret;
}

/* The name the kernel has for what exists of the place, with the rest behind
 * it: 1 when a visit ended it. */
static int
visit_name(const struct omega_place *place, int fd, int question,
    omega_mounts_visit *visit, void *arg)
{
	char known[MAXPATHLEN];
	char name[PATH_MAX];
	const char *rest = place->text + place->anchor;
	long len;

	if (fcntl(fd, question, known) != 0)
		return -errno;
	len = omega_text_join(
	    name, known, strlen(known), rest, place->len - place->anchor);
	if (len < 0)
		return (int)len;
	return visit(arg, name, (size_t)len) ? 1 : 0;
}

static int
open_anchor(const struct omega_place *place)
{
	char path[PATH_MAX];
	struct omega_object object;
	int fd;
	int ret;

	memcpy(path, place->text, place->anchor);
	path[place->anchor] = '\0';
	fd = omega_kernel_open_object(path, O_NOFOLLOW);
	if (fd < 0)
		return fd;
	ret = omega_kernel_stat(fd, "", &object);
	if (ret == 0 && !omega_object_is_same(&object, &place->object))
		ret = -ESTALE;
	if (ret == 0)
		return fd;
	close(fd);
	return ret;
}

int
omega_mounts_each_name(
    const struct omega_place *place, omega_mounts_visit *visit, void *arg)
{
	int fd;
	int ret;

	if (visit(arg, place->text, place->len))
		return 1;
	fd = open_anchor(place);
	if (fd < 0)
		return fd;
	ret = visit_name(place, fd, F_GETPATH, visit, arg);
	if (ret == 0)
		ret = visit_name(place, fd, F_GETPATH_NOFIRMLINK, visit, arg);
	close(fd);
	if (ret != 0)
		return ret;
	ret = find_passing_on(NULL);
	if (ret != 1)
		return ret;
	return visit(arg, NULL, 0) ? 1 : 0;
}

int
omega_mounts_shows_own_below(const struct omega_place *place)
{
	return find_passing_on(place);
}
