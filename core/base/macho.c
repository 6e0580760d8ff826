/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * macho.c - see macho.h. Reads with pread: a file that gets shorter meanwhile
 * is an error then, not a signal.
 */

#include "config.h"

#include "base/macho.h"

#include <sys/types.h>
#include <errno.h>
#include <unistd.h>

#define MAGIC_64 0xfeedfacfu /* of our byte order */
#define MAGIC_64_SWAPPED 0xcffaedfeu
#define MAGIC_32 0xfeedfaceu
#define MAGIC_32_SWAPPED 0xcefaedfeu
#define FAT_MAGIC 0xcafebabeu /* most significant byte first, always */
#define FAT_MAGIC_64 0xcafebabfu

#if defined(__x86_64__)
#define OWN_CPU 0x01000007u
#elif defined(__aarch64__)
#define OWN_CPU 0x0100000cu
#else
#define OWN_CPU 0u
#endif

/* Java's classes have the same magic as fat files, and larger numbers. */
#define MAX_PARTS 32
#define MAX_COMMANDS 4096

struct header {
	uint32_t magic;
	uint32_t cpu;
	uint32_t cpu_kind;
	uint32_t type;
	uint32_t command_count;
	uint32_t commands_size;
	uint32_t flags;
	uint32_t reserved;
};

static uint32_t
get32(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
	       (uint32_t)at[2] << 8 | at[3];
}

int
omega_macho_read(
    const struct omega_macho *macho, uint64_t at, void *buffer, size_t size)
{
	char *to = buffer;

	if (at > INT64_MAX || macho->base > INT64_MAX - at ||
	    size > INT64_MAX - at - macho->base)
		return -ENOEXEC;
	at += macho->base;
	while (size > 0) {
		ssize_t n = pread(macho->fd, to, size, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOEXEC;
		to += n;
		at += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

/* Of several machines' parts in one file, ours. */
static int
find_part(struct omega_macho *macho, uint32_t magic, uint32_t count)
{
	const size_t size = magic == FAT_MAGIC_64 ? 32 : 20;
	unsigned char part[32];
	uint32_t i;
	int ret;

	if (count > MAX_PARTS)
		return -ENOEXEC;
	for (i = 0; i < count; i++) {
		ret = omega_macho_read(macho, 8 + i * size, part, size);
		if (ret < 0)
			return ret;
		if (get32(part) != OWN_CPU)
			continue;
		macho->base = get32(part + 8);
		if (magic == FAT_MAGIC_64)
			macho->base = macho->base << 32 | get32(part + 12);
		return macho->base == 0 ? -ENOEXEC : 0;
	}
	return -EBADMSG;
}

static int
read_header(struct omega_macho *macho)
{
	struct header header;
	int ret = omega_macho_read(macho, 0, &header, sizeof(header));

	if (ret < 0)
		return ret;
	if (header.magic == MAGIC_64_SWAPPED || header.magic == MAGIC_32 ||
	    header.magic == MAGIC_32_SWAPPED)
		return -EBADMSG;
	if (header.magic != MAGIC_64)
		return -ENOEXEC;
	if (header.cpu != OWN_CPU)
		return -EBADMSG;
	if (header.command_count > MAX_COMMANDS)
		return -ENOEXEC;
	macho->type = header.type;
	macho->left = header.command_count;
	macho->at = sizeof(header);
	macho->end = sizeof(header) + (uint64_t)header.commands_size;
	return 0;
}

int
omega_macho_open(struct omega_macho *macho, int fd)
{
	unsigned char start[8];
	uint32_t magic;
	int ret;

	*macho = (struct omega_macho){.fd = fd};
	ret = omega_macho_read(macho, 0, start, sizeof(start));
	if (ret < 0)
		return ret;
	magic = get32(start);
	if (magic == FAT_MAGIC || magic == FAT_MAGIC_64) {
		ret = find_part(macho, magic, get32(start + 4));
		if (ret < 0)
			return ret;
	}
	return read_header(macho);
}

int
omega_macho_next(struct omega_macho *macho, struct omega_macho_command *command)
{
	uint32_t words[2];
	int ret;

	if (macho->left == 0)
		return 0;
	ret = omega_macho_read(macho, macho->at, words, sizeof(words));
	if (ret < 0)
		return ret;
	if (words[1] < sizeof(words) || words[1] > macho->end - macho->at)
		return -ENOEXEC;
	command->kind = words[0];
	command->size = words[1];
	command->at = macho->at;
	macho->at += words[1];
	macho->left--;
	return 1;
}
