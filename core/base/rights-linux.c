/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rights-linux.c - see rights.h.
 */

#include "config.h"

#include "base/rights.h"

#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Each of them is a way to write a file of root's. */
#define OVERRIDING                                                           \
	(1ull << CAP_CHOWN | 1ull << CAP_DAC_OVERRIDE | 1ull << CAP_FOWNER | \
	    1ull << CAP_SETUID | 1ull << CAP_SYS_ADMIN)

/* The kernel allows 340 lines of at most 33 bytes. */
#define MAP_SIZE (340 * 34 + 1)

/* All uids there can be; the last number means "none". */
#define ALL_UIDS UINT32_MAX

#define DEFAULT_OVERFLOW 65534

/* The number of the user namespace that the system starts with, where all
 * users are known (PROC_USER_INIT_INO). */
#define FIRST_USER_NS 0xEFFFFFFDu

bool
omega_rights_override(void)
{
	struct __user_cap_header_struct head = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}, {0}};
	uint64_t permitted;
	uid_t real;
	uid_t effective;
	uid_t saved;

	if (getresuid(&real, &effective, &saved) != 0 || real == 0 ||
	    effective == 0 || saved == 0)
		return true;
	if (syscall(SYS_capget, &head, data) != 0)
		return true;
	permitted = (uint64_t)data[1].permitted << 32 | data[0].permitted;
	return (permitted & OVERRIDING) != 0;
}

/* The kernel tells a program at its start, and the answer stays true when the
 * program has changed its ids since. */
bool
omega_rights_are_raised(void)
{
	int saved = errno;
	unsigned long value;
	bool is_raised;

	errno = 0;
	value = getauxval(AT_SECURE);
	is_raised = value != 0 || errno != 0;
	errno = saved;
	return is_raised;
}

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
omega_rights_parse_map(
    struct omega_rights_map *map, const char *uid_map, const char *overflow)
{
	uint32_t unmapped = DEFAULT_OVERFLOW;
	const char *line = uid_map;

	if (overflow != NULL && sscanf(overflow, "%" SCNu32, &unmapped) != 1)
		unmapped = DEFAULT_OVERFLOW;
	*map = (struct omega_rights_map){
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
omega_rights_read_map(struct omega_rights_map *map)
{
	char uid_map[MAP_SIZE];
	char overflow[32];
	struct stat st;

	*map = (struct omega_rights_map){.is_namespace = false};
	if (stat("/proc/self/ns/user", &st) == 0 && st.st_ino == FIRST_USER_NS)
		return;
	if (!read_text("/proc/self/uid_map", uid_map, sizeof(uid_map)))
		return;
	if (read_text(
		"/proc/sys/kernel/overflowuid", overflow, sizeof(overflow)))
		omega_rights_parse_map(map, uid_map, overflow);
	else
		omega_rights_parse_map(map, uid_map, NULL);
}
