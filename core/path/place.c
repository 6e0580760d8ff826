/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * place.c - from a path to the place it leads to.
 *
 * The common path has no symbolic link in it. One openat2 says so, whether
 * its last name exists or not: a link is reported before a missing name. What
 * exists is then asked through the descriptor; for what does not, the nearest
 * directory that does is looked up. Only when the kernel reports a link is it
 * followed, by the kernel too; what it then calls the object is looked at
 * again like any other path, and must be the same object.
 */

#include "config.h"

#include "path/place.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "path/text.h"

/* As many as the kernel itself follows. */
#define MAX_HOPS 40

static bool
is_missing(int error)
{
	return error == -ENOENT || error == -ENOTDIR;
}

/* Does the whole path exist, with no link in it? Fills object if so. */
static int
look_at_whole(const char *path, int flags, struct omega_object *object)
{
	int fd = omega_kernel_open_plain(path, flags);
	int ret;

	if (fd < 0)
		return fd;
	ret = omega_kernel_stat(fd, "", object);
	close(fd);
	return ret;
}

/* Only the root directory is known to exist. */
static int
look_at_root(struct omega_place *place)
{
	place->anchor = 1;
	return omega_kernel_stat(AT_FDCWD, "/", &place->object);
}

/*
 * The path of len bytes leads nowhere, ret says how, and no link stands in
 * what exists of it. Go up until something is there. The path is cut on the
 * way. A link that is put there meanwhile may be followed: the verdict is then
 * about a moment that has passed, as with any name that is looked up and used
 * later.
 */
static int
find_anchor(char *path, size_t len, int ret, struct omega_place *place)
{
	struct omega_text_leaf leaf;

	while (omega_text_last(path, len, &leaf)) {
		size_t name_len = leaf.end - leaf.start;

		if (omega_text_is_dotdot(path + leaf.start, name_len))
			return ret; /* ".." behind nothing */
		if (!omega_text_is_dot(path + leaf.start, name_len))
			place->anchor -= name_len + 1;
		if (place->anchor == 0)
			place->anchor = 1; /* the root directory */
		len = leaf.parent;
		if (len == 0)
			break;
		path[len] = '\0';
		ret = omega_kernel_stat(AT_FDCWD, path, &place->object);
		if (ret == 0)
			return S_ISLNK(place->object.mode) ? -ELOOP : 0;
		if (!is_missing(ret))
			return ret;
	}
	return look_at_root(place);
}

/* The same as omega_place_look, with the text in place cleaned already. */
static int
look(const char *path, bool is_rough, struct omega_place *place)
{
	char whole[PATH_MAX];
	size_t len = strlen(path);
	int flags;
	int ret;

	/* A file stays a file with a slash behind its name. */
	while (len > 1 && path[len - 1] == '/')
		len--;
	memcpy(whole, path, len);
	whole[len] = '\0';
	place->anchor = place->len;
	/* Same length: nothing was cleaned away, so there is no ".." in it. */
	flags = is_rough && len == place->len ? OMEGA_KERNEL_ONE_MOUNT : 0;
	ret = look_at_whole(whole, flags, &place->object);
	if (ret == -ENOENT && flags != 0)
		return look_at_root(place);
	if (ret == -EXDEV && flags != 0)
		ret = look_at_whole(whole, 0, &place->object);
	return is_missing(ret) ? find_anchor(whole, len, ret, place) : ret;
}

int
omega_place_look(const char *path, struct omega_place *place)
{
	int ret = omega_text_check(path);

	if (ret < 0)
		return ret;
	place->len = omega_text_clean(path, place->text);
	return look(path, false, place);
}

/* The same object, and reached through the same mount? */
static bool
is_same_here(const struct omega_object *a, const struct omega_object *b)
{
	return omega_object_is_same(a, b) && a->mount == b->mount;
}

/* What following the links of a path has shown so far. */
struct trail {
	char text[PATH_MAX]; /* the path as far as it is known */
	/* Bytes of it the kernel gave us, or 0, and what they lead to. */
	size_t known;
	struct omega_object object;
};

/* Let the object behind fd stand for the path before rest. */
static int
take_name(struct trail *trail, int fd, const char *rest)
{
	char name[PATH_MAX];
	char whole[PATH_MAX];
	long len;
	int ret;

	ret = omega_kernel_stat(fd, "", &trail->object);
	if (ret < 0)
		return ret;
	len = omega_kernel_name(fd, name);
	if (len < 0)
		return (int)len;
	trail->known = (size_t)len;
	len = omega_text_join(whole, name, (size_t)len, rest, strlen(rest));
	if (len < 0)
		return (int)len;
	memcpy(trail->text, whole, (size_t)len + 1);
	return 0;
}

/*
 * Put what a dangling link says in its place; dirfd is where it stands. That
 * must be a place of ours: the same text means something else in another
 * mount namespace.
 */
static int
take_target(struct trail *trail, int dirfd, const char *target,
    size_t target_len, const char *rest)
{
	struct omega_place base = {.len = 0};
	char whole[PATH_MAX];
	long len;
	int ret;

	if (target[0] != '/') {
		ret = omega_place_of(dirfd, &base);
		if (ret < 0)
			return ret;
	}
	len = omega_text_join(whole, base.text, base.len, target, target_len);
	if (len < 0)
		return (int)len;
	memcpy(base.text, whole, (size_t)len + 1);
	len =
	    omega_text_join(whole, base.text, (size_t)len, rest, strlen(rest));
	if (len < 0)
		return (int)len;
	memcpy(trail->text, whole, (size_t)len + 1);
	trail->known = 0;
	return omega_text_check(trail->text);
}

/*
 * The path as a whole leads nowhere, but the directory before its last name
 * does exist: either that name is a dangling link, or it is missing.
 */
static int
take_missing(struct trail *trail, int dirfd, const char *name, const char *rest)
{
	char target[PATH_MAX];
	char missing[PATH_MAX];
	ssize_t len;
	long joined;

	len = readlinkat(dirfd, name, target, sizeof(target));
	if (len >= (ssize_t)sizeof(target))
		return -ENAMETOOLONG;
	if (len >= 0)
		return take_target(trail, dirfd, target, (size_t)len, rest);
	if (errno != ENOENT && errno != EINVAL)
		return -errno;
	joined =
	    omega_text_join(missing, name, strlen(name), rest, strlen(rest));
	return joined < 0 ? (int)joined : take_name(trail, dirfd, missing);
}

/* Replace the longest part of the path that exists by its real name. */
static int
follow(struct trail *trail)
{
	struct omega_text_leaf leaf;
	char path[PATH_MAX];
	char name[NAME_MAX + 1];
	const char *rest;
	size_t end = strlen(trail->text);
	int fd;
	int ret;

	/* "file/" leads nowhere, but it is the file that is asked about. */
	while (end > 1 && trail->text[end - 1] == '/')
		end--;
	for (;;) {
		memcpy(path, trail->text, end);
		path[end] = '\0';
		rest = trail->text + end;
		fd = omega_kernel_open_object(path, 0);
		if (fd >= 0) {
			ret = take_name(trail, fd, rest);
			close(fd);
			return ret;
		}
		if (!is_missing(fd))
			return fd;
		if (!omega_text_last(path, end, &leaf) ||
		    omega_text_is_dotdot(
			path + leaf.start, leaf.end - leaf.start))
			return -ENOENT; /* ".." behind nothing */
		if (leaf.end - leaf.start > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, path + leaf.start, leaf.end - leaf.start);
		name[leaf.end - leaf.start] = '\0';
		path[leaf.start] = '\0';
		fd = omega_kernel_open_object(path, 0);
		if (fd >= 0) {
			ret = take_missing(trail, fd, name, rest);
			close(fd);
			return ret;
		}
		if (!is_missing(fd))
			return fd;
		end = leaf.parent;
	}
}

int
omega_place_resolve(const char *path, bool is_rough, struct omega_place *place)
{
	struct trail trail;
	int hops;
	int ret;

	ret = omega_text_check(path);
	if (ret < 0)
		return ret;
	ret = look(path, is_rough, place);
	if (ret != -ELOOP)
		return ret;
	memcpy(trail.text, path, strlen(path) + 1);
	for (hops = 0; hops < MAX_HOPS; hops++) {
		ret = follow(&trail);
		if (ret < 0)
			return ret;
		ret = omega_place_look(trail.text, place);
		if (ret == -ELOOP)
			continue;
		if (ret == 0 && trail.known != 0 &&
		    (place->anchor != trail.known ||
			!is_same_here(&place->object, &trail.object)))
			return -ESTALE;
		return ret < 0 ? ret : 1;
	}
	return -ELOOP;
}

int
omega_place_find(const char *path, struct omega_place *place)
{
	int ret = omega_text_check(path);

	if (ret < 0)
		return ret;
	place->len = omega_text_clean(path, place->text);
	ret = omega_place_resolve(path, false, place);
	return ret < 0 ? ret : 0;
}

int
omega_place_of(int fd, struct omega_place *place)
{
	struct omega_object object;
	char name[PATH_MAX];
	long len;
	int ret;

	ret = omega_kernel_stat(fd, "", &object);
	if (ret < 0)
		return ret;
	len = omega_kernel_name(fd, name);
	if (len < 0)
		return (int)len;
	ret = omega_place_look(name, place);
	if (ret < 0)
		return ret;
	if (!omega_place_exists(place) ||
	    !is_same_here(&place->object, &object))
		return -ESTALE;
	return 0;
}
