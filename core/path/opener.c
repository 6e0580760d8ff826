/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * opener.c - opening without a window between the check and the use.
 *
 * What exists is first held by a descriptor that can only be looked through
 * (O_PATH): opening that has no effect on a device, a pipe or a file's
 * content. The object it holds is judged, and that very object is opened
 * again through /proc. What is to be created has no object yet: there the
 * directory is held and judged, the file is made in it and nowhere else, and
 * the result is judged once more.
 */

#include "config.h"

#include "path/judge.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "path/text.h"

/* Somebody keeps creating and removing the name: give up in the end. */
#define MAX_ATTEMPTS 16

#define TAKEN_FLAGS                                                       \
	(O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_NONBLOCK | \
	    O_NOFOLLOW | O_DIRECTORY | O_NOCTTY | O_SYNC | O_DSYNC |      \
	    O_CLOEXEC)

static unsigned
access_of(int flags)
{
	unsigned access = 0;

	if ((flags & O_ACCMODE) != O_WRONLY)
		access |= OMEGA_SANDBOX_READ;
	if ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)))
		access |= OMEGA_SANDBOX_WRITE;
	return access;
}

static int
undecided(struct omega_opening *opening, int error)
{
	opening->place.text[0] = '\0';
	opening->finding = (struct omega_finding){
	    .reason = OMEGA_SANDBOX_UNDECIDED, .error = -error};
	return -EACCES;
}

/* Judge an open object by where it is now. 0, or -EACCES with the finding. */
static int
judge_open(const struct omega_rules *rules, unsigned access, int fd,
    bool is_folded, struct omega_opening *opening)
{
	int ret = omega_place_of(fd, &opening->place);

	if (ret < 0)
		return undecided(opening, ret);
	return omega_judge_place(
		   rules, access, &opening->place, is_folded, &opening->finding)
		   ? -EACCES
		   : 0;
}

/*
 * A file with one name only is not looked for elsewhere. But while its name
 * is being taken over by another file, a hard link to a protected file can
 * be seen with its name still there and its count already down to one. So
 * let such changes end, and see that nothing has.
 */
static int
confirm_open(int fd, struct omega_opening *opening)
{
	struct omega_place *place = &opening->place;
	struct omega_place again;
	int ret;

	if (S_ISDIR(place->object.mode) || place->object.nlink > 1)
		return 0;
	ret = omega_kernel_settle(place->text);
	if (ret == 0)
		ret = omega_place_of(fd, &again);
	if (ret == 0 && (again.object.nlink > 1 || again.len != place->len ||
			    memcmp(again.text, place->text, place->len) != 0))
		ret = -ESTALE;
	return ret == 0 ? 0 : undecided(opening, ret);
}

/* Open what exists. -ENOENT: nothing does. */
static int
open_existing(const struct omega_rules *rules, const char *path, int flags,
    bool is_folded, struct omega_opening *opening)
{
	struct omega_object object;
	int held;
	int ret;

	held = omega_kernel_open_object(path, flags & O_NOFOLLOW);
	if (held < 0)
		return held;
	ret = omega_kernel_stat(held, "", &object);
	if (ret == 0 && S_ISLNK(object.mode)) /* O_NOFOLLOW */
		ret = (flags & O_DIRECTORY) != 0 ? -ENOTDIR : -ELOOP;
	if (ret == 0)
		ret = judge_open(
		    rules, access_of(flags), held, is_folded, opening);
	if (ret == 0)
		ret = confirm_open(held, opening);
	if (ret == 0 && S_ISDIR(object.mode) && (flags & O_CREAT) != 0)
		ret = -EISDIR; /* even to read it, as open(2) has it */
	if (ret == 0)
		ret = omega_kernel_reopen(
		    held, flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW));
	close(held);
	return ret;
}

/* Take back a file that was made where it must not be. */
static void
remove_created(int dir, const char *name, int fd)
{
	struct omega_object made;
	struct omega_object there;

	if (omega_kernel_stat(fd, "", &made) == 0 &&
	    omega_kernel_stat(dir, name, &there) == 0 &&
	    omega_object_is_same(&made, &there))
		unlinkat(dir, name, 0);
}

/* Make name in the directory, judged before and after. */
static int
create_in(const struct omega_rules *rules, int dir, const char *name, int flags,
    mode_t mode, struct omega_opening *opening)
{
	unsigned access = access_of(flags);
	struct omega_place *place = &opening->place;
	char text[PATH_MAX];
	long len;
	int fd;
	int ret;

	ret = omega_place_of(dir, place);
	if (ret < 0)
		return ret;
	len =
	    omega_text_join(text, place->text, place->len, name, strlen(name));
	if (len < 0)
		return (int)len;
	memcpy(place->text, text, (size_t)len + 1);
	place->len = (size_t)len; /* the anchor stays with the directory */
	if (omega_judge_place(rules, access, place, false, &opening->finding))
		return -EACCES;
	fd = openat(
	    dir, name, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	ret = judge_open(rules, access, fd, false, opening);
	if (ret < 0) {
		remove_created(dir, name, fd);
		close(fd);
		return ret;
	}
	return fd;
}

/* Create what does not exist, where the path leads. */
static int
open_new(const struct omega_rules *rules, const char *path, int flags,
    mode_t mode, struct omega_opening *opening)
{
	struct omega_text_leaf leaf;
	char dir[PATH_MAX];
	char name[NAME_MAX + 1];
	int fd;
	int ret;

	if (omega_judge_path(rules, access_of(flags), path, &opening->place,
		&opening->finding))
		return -EACCES;
	if (omega_place_exists(&opening->place))
		return -EEXIST; /* it has appeared meanwhile */
	memcpy(dir, opening->place.text, opening->place.len + 1);
	if (!omega_text_last(dir, opening->place.len, &leaf))
		return -EISDIR;
	if (leaf.end - leaf.start > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, dir + leaf.start, leaf.end - leaf.start);
	name[leaf.end - leaf.start] = '\0';
	dir[leaf.start] = '\0';
	fd = omega_kernel_open_plain(dir, O_DIRECTORY);
	if (fd < 0)
		return fd;
	ret = create_in(rules, fd, name, flags, mode, opening);
	close(fd);
	return ret;
}

/* Is there a name already, be it a dangling link? */
static bool
is_name_taken(const char *path)
{
	struct omega_object object;

	return omega_kernel_stat(AT_FDCWD, path, &object) == 0;
}

int
omega_opener_open(const struct omega_rules *rules, const char *path, int flags,
    mode_t mode, struct omega_opening *opening)
{
	bool is_folded = false;
	int attempt;
	int ret;

	opening->place.text[0] = '\0';
	opening->finding = (struct omega_finding){.reason = 0};
	if ((flags & ~(TAKEN_FLAGS | omega_kernel_open_flags())) != 0 ||
	    (flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY) ||
	    (flags & O_ACCMODE) == O_ACCMODE)
		return -EINVAL;
	if (omega_judge_name(
		rules, access_of(flags), path, &is_folded, &opening->finding))
		return -EACCES;
	if ((flags & O_CREAT) != 0 && path[strlen(path) - 1] == '/')
		return -EISDIR; /* whatever there is, as open(2) has it */
	for (attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
		if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) &&
		    is_name_taken(path))
			return -EEXIST;
		ret = open_existing(rules, path, flags, is_folded, opening);
		if (ret != -ENOENT || (flags & O_CREAT) == 0)
			return ret;
		if ((flags & O_NOFOLLOW) != 0 && is_name_taken(path))
			return -ELOOP;
		ret = open_new(rules, path, flags, mode, opening);
		if (ret != -EEXIST)
			return ret;
	}
	return -EAGAIN;
}
