/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * links-linux.c - the search for a hard link, by identity and in bounds.
 *
 * readdir(3) would allocate; getdents64 into a small buffer does not.
 */

#include "config.h"

#include "path/links.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "path/place.h"
#include "path/text.h"

struct entry {
	uint64_t ino;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

struct search {
	const struct omega_object *file;
	unsigned *budget;
};

static int search_directory(struct search *search, int fd, unsigned depth);

static int
search_entry(struct search *search, int dirfd, const char *name, unsigned depth)
{
	struct omega_object object;
	int fd;
	int ret;

	if (*search->budget == 0)
		return -E2BIG;
	(*search->budget)--;
	ret = omega_kernel_stat(dirfd, name, &object);
	if (ret == -ENOENT)
		return 0; /* gone meanwhile */
	if (ret < 0)
		return ret;
	if (omega_object_is_same(&object, search->file))
		return 1;
	if (!S_ISDIR(object.mode))
		return 0;
	if (depth == 0)
		return -E2BIG;
	fd = openat(
	    dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	ret = search_directory(search, fd, depth - 1);
	close(fd);
	return ret;
}

static int
search_directory(struct search *search, int fd, unsigned depth)
{
	_Alignas(struct entry) char buffer[1024];

	for (;;) {
		long n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer));
		long at = 0;

		if (n <= 0)
			return n < 0 ? -errno : 0;
		while (at < n) {
			struct entry *entry = (struct entry *)(buffer + at);
			size_t len = strlen(entry->name);
			int ret;

			at += entry->size;
			if (omega_text_is_dot(entry->name, len) ||
			    omega_text_is_dotdot(entry->name, len))
				continue;
			ret = search_entry(search, fd, entry->name, depth);
			if (ret != 0)
				return ret;
		}
	}
}

int
omega_links_find(
    const char *tree, const struct omega_object *file, unsigned *budget)
{
	struct search search = {.file = file, .budget = budget};
	int fd;
	int ret;

	fd = open(tree, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	ret = search_directory(&search, fd, OMEGA_LINKS_MAX_DEPTH);
	close(fd);
	return ret;
}
