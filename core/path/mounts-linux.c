/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mounts-linux.c - other names of a place, from /proc/thread-self/mountinfo.
 *
 * A line of that file says: mount number, its parent, device, the directory
 * of the file system that is shown (root), and where it is shown (point).
 * So a place on mount M lies at root(M) + what follows point(M) inside the
 * file system, and every mount of the same device whose root contains that
 * shows it as well. The table is read as a stream: lines have no limit.
 */

#include "config.h"

#include "path/aliases.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "path/text.h"

struct stream {
	int fd;
	size_t used;
	size_t filled;
	char buffer[4096];
};

struct mount {
	uint64_t id;
	char device[32]; /* "major:minor" */
	char root[PATH_MAX];
	size_t root_len;
	char point[PATH_MAX];
	size_t point_len;
};

/* The next byte, -1 at the end, or a negative errno below that. */
static int
next_byte(struct stream *in)
{
	ssize_t n;

	if (in->used == in->filled) {
		do
			n = read(in->fd, in->buffer, sizeof(in->buffer));
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return -errno - 1;
		if (n == 0)
			return -1;
		in->used = 0;
		in->filled = (size_t)n;
	}
	return (unsigned char)in->buffer[in->used++];
}

/* Read a field up to the blank behind it, with \ooo taken back. */
static long
read_field(struct stream *in, char *out, size_t size)
{
	size_t len = 0;
	int c;

	while ((c = next_byte(in)) != ' ') {
		if (c < -1)
			return c + 1;
		if (c == -1 || c == '\n')
			return -EPROTO;
		if (c == '\\') {
			int a = next_byte(in);
			int b = next_byte(in);
			int d = next_byte(in);

			if (a < '0' || b < '0' || d < '0')
				return -EPROTO;
			c = (a - '0') << 6 | (b - '0') << 3 | (d - '0');
		}
		if (len + 1 >= size)
			return -ENAMETOOLONG;
		out[len++] = (char)c;
	}
	out[len] = '\0';
	return (long)len;
}

/* Read one line. 1: mount is filled; 0: end of the table. */
static int
read_mount(struct stream *in, struct mount *mount)
{
	char number[32];
	long len;
	int c;

	c = next_byte(in);
	if (c < 0)
		return c + 1;
	in->used--;
	len = read_field(in, number, sizeof(number));
	if (len < 0)
		return (int)len;
	mount->id = 0;
	for (c = 0; number[c] >= '0' && number[c] <= '9'; c++)
		mount->id = mount->id * 10 + (uint64_t)(number[c] - '0');
	len = read_field(in, number, sizeof(number)); /* the parent */
	if (len >= 0)
		len = read_field(in, mount->device, sizeof(mount->device));
	if (len >= 0)
		len = read_field(in, mount->root, sizeof(mount->root));
	if (len < 0)
		return (int)len;
	mount->root_len = (size_t)len;
	len = read_field(in, mount->point, sizeof(mount->point));
	if (len < 0)
		return (int)len;
	mount->point_len = (size_t)len;
	while ((c = next_byte(in)) != '\n')
		if (c < 0)
			return c == -1 ? -EPROTO : c + 1;
	return 1;
}

static int
open_table(struct stream *in)
{
	in->fd = open("/proc/thread-self/mountinfo", O_RDONLY | O_CLOEXEC);
	in->used = 0;
	in->filled = 0;
	return in->fd < 0 ? -errno : 0;
}

/*
 * Where the place lies inside its file system: text and device. 0 or a
 * negative errno; -ENOENT when its mount is not in our table.
 */
static int
find_inside(const struct omega_place *place, char *inside, char *device,
    size_t device_size)
{
	struct stream in;
	struct mount mount;
	size_t skip;
	long len;
	int ret;

	ret = open_table(&in);
	if (ret < 0)
		return ret;
	while ((ret = read_mount(&in, &mount)) == 1)
		if (mount.id == place->object.mount)
			break;
	close(in.fd);
	if (ret < 0)
		return ret;
	if (ret == 0 || !omega_text_is_below(place->text, place->len,
			    mount.point, mount.point_len))
		return -ENOENT;
	skip = mount.point_len == 1 ? 0 : mount.point_len;
	len = omega_text_join(inside, mount.root, mount.root_len,
	    place->text + skip, place->len - skip);
	if (len < 0)
		return (int)len;
	memcpy(device, mount.device, device_size);
	return 0;
}

/* Is it below what the mount shows, under other spellings of their names? */
static bool
may_be_below(const char *inside, size_t len, const struct mount *mount)
{
	return omega_text_is_odd(inside) || omega_text_is_odd(mount->root) ||
	       omega_text_is_below_folded(
		   inside, len, mount->root, mount->root_len);
}

/*
 * In a chroot the table leaves out the mount the root directory is on, unless
 * it begins just there. What that mount shows of the same file system is then
 * unknown.
 */
static int
judge_unlisted_root(const struct omega_place *place)
{
	struct omega_object root;
	int ret;

	ret = omega_kernel_stat(AT_FDCWD, "/", &root);
	if (ret == 0 && root.dev == place->object.dev)
		ret = -ENOENT;
	return ret;
}

int
omega_mounts_each_name(
    const struct omega_place *place, omega_mounts_visit *visit, void *arg)
{
	struct stream in;
	struct mount mount;
	char inside[PATH_MAX];
	char device[sizeof(mount.device)];
	char name[PATH_MAX];
	bool has_root = false;
	size_t inside_len;
	size_t skip;
	long len;
	int ret;

	ret = find_inside(place, inside, device, sizeof(device));
	if (ret < 0)
		return ret;
	inside_len = strlen(inside);
	ret = open_table(&in);
	if (ret < 0)
		return ret;
	while ((ret = read_mount(&in, &mount)) == 1) {
		has_root = has_root || mount.point_len == 1;
		if (strcmp(mount.device, device) != 0)
			continue;
		if (!omega_text_is_below(
			inside, inside_len, mount.root, mount.root_len)) {
			if (may_be_below(inside, inside_len, &mount) &&
			    visit(arg, NULL, 0))
				break;
			continue;
		}
		skip = mount.root_len == 1 ? 0 : mount.root_len;
		len = omega_text_join(name, mount.point, mount.point_len,
		    inside + skip, inside_len - skip);
		if (len < 0) {
			ret = (int)len;
			break;
		}
		if (visit(arg, name, (size_t)len))
			break;
	}
	close(in.fd);
	if (ret == 0 && !has_root)
		ret = judge_unlisted_root(place);
	return ret;
}

int
omega_mounts_shows_own_below(const struct omega_place *place)
{
	struct stream in;
	struct mount mount;
	char inside[PATH_MAX];
	char device[sizeof(mount.device)];
	bool is_listed;
	int ret;

	/* In a chroot the place's own mount may be unlisted, and its device
	 * unknown; then any mount below may show a part of it. */
	ret = find_inside(place, inside, device, sizeof(device));
	if (ret < 0 && ret != -ENOENT)
		return ret;
	is_listed = ret == 0;
	ret = open_table(&in);
	if (ret < 0)
		return ret;
	while ((ret = read_mount(&in, &mount)) == 1)
		if (mount.id != place->object.mount &&
		    (!is_listed || strcmp(mount.device, device) == 0) &&
		    omega_text_is_below(
			mount.point, mount.point_len, place->text, place->len))
			break;
	close(in.fd);
	return ret;
}
