/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * idmap-linux.c - see idmap.h.
 */

#include "config.h"

#include "load/idmap.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The kernel allows 340 lines of at most 33 bytes. */
#define MAP_SIZE (340 * 34 + 1)

/* All uids there can be; the last number means "none". */
#define ALL_UIDS UINT32_MAX

#define DEFAULT_OVERFLOW 65534

/* Read a small file whole. false when it cannot be read or does not fit. */
static bool
read_text(const char *path, char *text, size_t size)
{
	size_t used = 0;
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	while (used < size - 1) {
		n = read(fd, text + used, size - 1 - used);
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	close(fd);
	text[used] = '\0';
	return n == 0;
}

void
omega_idmap_parse(
    struct omega_idmap *map, const char *uid_map, const char *overflow)
{
	uint32_t unmapped = DEFAULT_OVERFLOW;
	const char *line = uid_map;

	if (overflow != NULL && sscanf(overflow, "%" SCNu32, &unmapped) != 1)
		unmapped = DEFAULT_OVERFLOW;
	*map = (struct omega_idmap){
	    .is_namespace = true, .has_unmapped = true, .unmapped = unmapped};
	while (line != NULL && *line != '\0') {
		uint32_t inside;
		uint32_t outside;
		uint32_t count;

		if (sscanf(line, "%" SCNu32 " %" SCNu32 " %" SCNu32, &inside,
			&outside, &count) != 3)
			break;
		if (count == ALL_UIDS)
			map->is_namespace = false;
		if (unmapped >= inside && unmapped - inside < count)
			map->has_unmapped = false;
		line = strchr(line, '\n');
		line = line == NULL ? NULL : line + 1;
	}
}

void
omega_idmap_read(struct omega_idmap *map)
{
	char uid_map[MAP_SIZE];
	char overflow[32];

	*map = (struct omega_idmap){.is_namespace = false};
	if (!read_text("/proc/self/uid_map", uid_map, sizeof(uid_map)))
		return;
	if (read_text(
		"/proc/sys/kernel/overflowuid", overflow, sizeof(overflow)))
		omega_idmap_parse(map, uid_map, overflow);
	else
		omega_idmap_parse(map, uid_map, NULL);
}
