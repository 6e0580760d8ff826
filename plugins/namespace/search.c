/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * search.c - see search.h.
 *
 * Every mount is gone through for itself, so that each name there is comes to
 * light, also where one mount covers a part of another. Directories are
 * opened from the root of their mount, through no link and onto no other
 * mount; those still to be seen are kept as texts, so neither the stack nor
 * descriptors grow with the depth of a tree that somebody has made for us.
 */

#include "search.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <linux/openat2.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "table.h"

#define MAX_WAITING (64u << 20) /* bytes of names that are kept */

/* Directories of one mount that are still to be seen. */
struct waiting {
	char **list; /* below the mount's root; "" is that itself */
	size_t count;
	size_t capacity;
	size_t bytes;
};

struct walk {
	struct search *search;
	const char *point;
	int root;
	struct waiting waiting;
};

static int
push(struct waiting *waiting, const char *dir, const char *name)
{
	char *path;

	if (waiting->count == waiting->capacity) {
		size_t capacity =
		    waiting->capacity == 0 ? 256 : waiting->capacity * 2;
		char **list =
		    reallocarray(waiting->list, capacity, sizeof(*list));

		if (list == NULL)
			return -ENOMEM;
		waiting->list = list;
		waiting->capacity = capacity;
	}
	if (asprintf(&path, "%s%s%s", dir, dir[0] == '\0' ? "" : "/", name) < 0)
		return -ENOMEM;
	waiting->bytes += strlen(path) + 1;
	waiting->list[waiting->count++] = path;
	return waiting->bytes > MAX_WAITING ? -E2BIG : 0;
}

/* dir/name as seen from the root. 0 or -ENAMETOOLONG. */
static int
name_of(const struct walk *walk, const char *dir, const char *name, char *path)
{
	int len;

	len = snprintf(path, PATH_MAX, "%s%s%s%s%s",
	    walk->point[1] == '\0' ? "" : walk->point,
	    dir[0] == '\0' ? "" : "/", dir, name[0] == '\0' ? "" : "/", name);
	if (len == 0)
		strcpy(path, "/");
	return len >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/*
 * A directory that cannot be looked into. If it is the caller's, a command
 * could change that; if it can be entered, a name in it may be known.
 */
static int
tell_closed(struct walk *walk, const char *dir)
{
	struct search *search = walk->search;
	char path[PATH_MAX];
	struct stat st;

	if (name_of(walk, dir, "", path) < 0)
		return -E2BIG;
	if (lstat(path, &st) != 0)
		return places_is_absent(errno) ? 0 : -errno;
	if (st.st_uid == search->caller->uid)
		return search->fn(search->arg, path, SEARCH_CLOSED, 0);
	if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 &&
	    search->obstacle[0] == '\0')
		strcpy(search->obstacle, path);
	return 0;
}

static int
open_dir(const struct walk *walk, const char *dir)
{
	struct open_how how = {
	    .flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
	    .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV | RESOLVE_BENEATH};
	long fd;

	fd = syscall(SYS_openat2, walk->root, dir[0] == '\0' ? "." : dir, &how,
	    sizeof(how));
	return fd < 0 ? -errno : (int)fd;
}

static int
see_name(struct walk *walk, int fd, const char *dir, const struct dirent *entry)
{
	struct search *search = walk->search;
	unsigned char type = entry->d_type;
	uint64_t inode = entry->d_ino;
	char path[PATH_MAX];
	struct stat st;

	if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
		return 0;
	if (search->left == 0)
		return -E2BIG;
	search->left--;
	if (type == DT_UNKNOWN) {
		if (fstatat(fd, entry->d_name, &st,
			AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0)
			return places_is_absent(errno) ? 0 : -errno;
		type = S_ISDIR(st.st_mode)    ? DT_DIR
		       : S_ISSOCK(st.st_mode) ? DT_SOCK
					      : DT_REG;
		inode = st.st_ino;
	}
	if (type != DT_DIR && type != DT_SOCK)
		return 0;
	/* What has too long a name can be reached from nearer by. */
	if (name_of(walk, dir, entry->d_name, path) < 0)
		return tell_closed(walk, dir);
	return type == DT_DIR
		   ? push(&walk->waiting, dir, entry->d_name)
		   : search->fn(search->arg, path, SEARCH_SOCKET, inode);
}

static int
see_dir(struct walk *walk, const char *dir)
{
	struct dirent *entry;
	DIR *stream;
	int ret = 0;
	int fd;

	fd = open_dir(walk, dir);
	if (fd == -EACCES)
		return tell_closed(walk, dir);
	if (fd == -EXDEV) /* another mount, which has its own turn */
		return 0;
	if (fd < 0)
		return places_is_absent(-fd) ? 0 : fd;
	/* One that can be listed, but not entered. */
	if (faccessat(fd, ".", X_OK, AT_EACCESS) != 0) {
		close(fd);
		return tell_closed(walk, dir);
	}
	stream = fdopendir(fd);
	if (stream == NULL) {
		close(fd);
		return -ENOMEM;
	}
	while (ret == 0) {
		errno = 0;
		entry = readdir(stream);
		if (entry == NULL) {
			ret = errno == ENOENT ? 0 : -errno;
			break;
		}
		ret = see_name(walk, fd, dir, entry);
	}
	closedir(stream);
	return ret;
}

static int
see_all(struct walk *walk)
{
	struct waiting *waiting = &walk->waiting;
	int ret;

	ret = push(waiting, "", "");
	while (ret == 0 && waiting->count > 0) {
		char *dir = waiting->list[--waiting->count];

		waiting->bytes -= strlen(dir) + 1;
		ret = see_dir(walk, dir);
		free(dir);
	}
	while (waiting->count > 0)
		free(waiting->list[--waiting->count]);
	free(waiting->list);
	return ret;
}

/* Others where a socket cannot be. */
static int
has_files(const char *type)
{
	return !table_is_machine(type) && strcmp(type, "devpts") != 0 &&
	       strcmp(type, "mqueue") != 0 && strcmp(type, "autofs") != 0 &&
	       strcmp(type, "fusectl") != 0;
}

static int
see_mount(struct search *search, const struct table_mount *mount)
{
	struct walk walk = {.search = search, .point = mount->point};
	unsigned major_number;
	unsigned minor_number;
	struct stat st;
	uint64_t id;
	int ret;

	if (!has_files(mount->type) ||
	    sscanf(mount->device, "%u:%u", &major_number, &minor_number) != 2 ||
	    !search->wants(
		search->arg, mount->point, makedev(major_number, minor_number)))
		return 0;
	/* What is covered by another one is not seen by anybody. */
	ret = table_mount_of(mount->point, &id);
	if (ret < 0 || id != mount->id)
		return ret < 0 && !places_is_absent(-ret) ? ret : 0;
	if (lstat(mount->point, &st) != 0)
		return places_is_absent(errno) ? 0 : -errno;
	if (S_ISSOCK(st.st_mode))
		return search->fn(
		    search->arg, mount->point, SEARCH_SOCKET, st.st_ino);
	if (!S_ISDIR(st.st_mode))
		return 0;
	walk.root =
	    open(mount->point, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (walk.root < 0)
		return places_is_absent(errno) ? 0 : -errno;
	ret = see_all(&walk);
	close(walk.root);
	return ret;
}

int
search_run(struct search *search)
{
	struct table table;
	size_t i;
	int ret;

	search->left = SEARCH_MAX_NAMES;
	search->obstacle[0] = '\0';
	ret = table_read(&table);
	for (i = 0; ret == 0 && i < table.count; i++)
		ret = see_mount(search, &table.list[i]);
	table_drop(&table);
	return ret;
}
