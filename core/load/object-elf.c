/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * object-elf.c - see object.h; for ELF. Reads with pread: a file that gets
 * shorter meanwhile is an error then, not a signal.
 */

#include "config.h"

#include "load/object.h"

#include <sys/stat.h>
#include <sys/types.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* The linker's name for the header of what this code is part of: it says for
 * which machine, without a list of all there are. */
extern const ElfW(Ehdr) __ehdr_start
    __attribute__((visibility("hidden"), weak));

static int
check_header(const ElfW(Ehdr) * header)
{
	const unsigned char *ident = header->e_ident;
	unsigned char own = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;

	if (memcmp(ident, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	if (ident[EI_CLASS] != own ||
	    (&__ehdr_start != NULL &&
		(ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] ||
		    header->e_machine != __ehdr_start.e_machine)))
		return -EBADMSG;
	if (header->e_type != ET_DYN ||
	    header->e_phentsize != sizeof(ElfW(Phdr)))
		return -ENOEXEC;
	return 0;
}

int
omega_object_check(int fd)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;
	struct stat st;
	uint64_t size;
	unsigned i;
	int ret;

	if (fstat(fd, &st) != 0)
		return -errno;
	size = (uint64_t)st.st_size;
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return -ENOEXEC;
	ret = check_header(&header);
	for (i = 0; ret == 0 && i < header.e_phnum; i++) {
		uint64_t at = header.e_phoff + i * sizeof(segment);

		if (at < header.e_phoff || at > size ||
		    pread(fd, &segment, sizeof(segment), (off_t)at) !=
			sizeof(segment))
			return -ENOEXEC;
		if (segment.p_type == PT_LOAD &&
		    (segment.p_offset > size ||
			segment.p_filesz > size - segment.p_offset))
			return -ENOEXEC;
	}
	return ret;
}
