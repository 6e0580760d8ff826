/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * links-darwin.c - the search for a hard link, by identity and in bounds.
 *
 * readdir(3) would allocate; getattrlistbulk(2) into a small buffer does not.
 */

#include "config.h"

#include "path/links.h"

#include <sys/attr.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "path/place.h"
#include "path/text.h"

/* What comes for each name, before the name itself. */
struct entry {
	uint32_t size;
	attribute_set_t returned;
	attrreference_t name;
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

/* The entry that begins there, if it lies in the buffer with its name. */
static const char *
name_of(const char *at, const char *end, struct entry *entry)
{
	const char *name;

	if ((size_t)(end - at) < sizeof(*entry))
		return NULL;
	memcpy(entry, at, sizeof(*entry));
	if (entry->size < sizeof(*entry) || entry->size > (size_t)(end - at) ||
	    (entry->returned.commonattr & ATTR_CMN_NAME) == 0)
		return NULL;
	name = at + offsetof(struct entry, name) + entry->name.attr_dataoffset;
	if (name < at || name >= at + entry->size ||
	    memchr(name, '\0', (size_t)(at + entry->size - name)) == NULL)
		return NULL;
	return name;
}

static int
search_directory(struct search *search, int fd, unsigned depth)
{
	struct attrlist wanted = {.bitmapcount = ATTR_BIT_MAP_COUNT,
	    .commonattr = ATTR_CMN_RETURNED_ATTRS | ATTR_CMN_NAME};
	_Alignas(8) char buffer[2048];

	for (;;) {
		int count =
		    getattrlistbulk(fd, &wanted, buffer, sizeof(buffer), 0);
		const char *at = buffer;

		if (count <= 0)
			return count < 0 ? -errno : 0;
		for (; count > 0; count--) {
			struct entry entry;
			const char *name =
			    name_of(at, buffer + sizeof(buffer), &entry);
			int ret;

			if (name == NULL)
				return -EPROTO;
			at += entry.size;
			ret = search_entry(search, fd, name, depth);
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
