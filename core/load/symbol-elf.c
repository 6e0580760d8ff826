/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * symbol-elf.c - see object.h; for ELF.
 *
 * Goes the dynamic loader's own way (program headers, dynamic section, hash
 * table), not that of section headers, which need not be there. Reads with
 * pread: a file that gets shorter meanwhile is an error then, not a signal.
 */

#include "config.h"

#include "load/object.h"

#include <sys/types.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* More than any real file has; ends a walk in circles. */
#define MAX_SEGMENTS 256
#define MAX_DYNAMIC 4096
#define MAX_CHAIN 65536

#define MAX_NAME 64

/* The linker's name for the header of what this code is part of: it says for
 * which machine, without a list of all there are. */
extern const ElfW(Ehdr) __ehdr_start
    __attribute__((visibility("hidden"), weak));

struct file {
	int fd;
	ElfW(Ehdr) header;
	/* Addresses from the dynamic section, 0: not there. */
	ElfW(Addr) symbols;
	ElfW(Addr) strings;
	ElfW(Addr) strings_size;
	ElfW(Addr) gnu_hash;
	ElfW(Addr) sysv_hash;
};

/* Exactly size bytes from offset. -ENOEXEC when the file has not so many. */
static int
read_at(const struct file *file, uint64_t offset, void *buffer, size_t size)
{
	char *at = buffer;

	while (size > 0) {
		ssize_t n;

		if (offset > INT64_MAX - size)
			return -ENOEXEC;
		n = pread(file->fd, at, size, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -ENOEXEC;
		at += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

static int
read_segment(const struct file *file, unsigned index, ElfW(Phdr) * segment)
{
	uint64_t offset = (uint64_t)index * sizeof(*segment);

	if (file->header.e_phoff > UINT64_MAX - offset)
		return -ENOEXEC;
	return read_at(
	    file, file->header.e_phoff + offset, segment, sizeof(*segment));
}

/* Exactly size bytes from where the file would be at address. */
static int
read_address(
    const struct file *file, uint64_t address, void *buffer, size_t size)
{
	unsigned i;

	for (i = 0; i < file->header.e_phnum; i++) {
		ElfW(Phdr) segment;
		uint64_t inside;
		int ret = read_segment(file, i, &segment);

		if (ret < 0)
			return ret;
		if (segment.p_type != PT_LOAD || address < segment.p_vaddr)
			continue;
		inside = address - segment.p_vaddr;
		if (inside >= segment.p_filesz ||
		    size > segment.p_filesz - inside)
			continue;
		if (segment.p_offset > UINT64_MAX - inside)
			return -ENOEXEC;
		return read_at(file, segment.p_offset + inside, buffer, size);
	}
	return -ENOEXEC;
}

/* The index-th of the 32-bit words at address. */
static int
read_word(
    const struct file *file, uint64_t address, uint64_t index, uint32_t *word)
{
	if (address > UINT64_MAX - index * sizeof(*word))
		return -ENOEXEC;
	return read_address(
	    file, address + index * sizeof(*word), word, sizeof(*word));
}

/* Is it one for us? 0, or what omega_symbol_find is to return. */
static int
read_header(struct file *file)
{
	const unsigned char *ident = file->header.e_ident;
	unsigned char own = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	int ret = read_at(file, 0, &file->header, sizeof(file->header));

	if (ret < 0)
		return ret;
	if (memcmp(ident, ELFMAG, SELFMAG) != 0)
		return OMEGA_SYMBOL_NOT_SHARED;
	if (ident[EI_CLASS] != own)
		return OMEGA_SYMBOL_FOREIGN;
	if (&__ehdr_start != NULL &&
	    (ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] ||
		file->header.e_machine != __ehdr_start.e_machine))
		return OMEGA_SYMBOL_FOREIGN;
	if (ident[EI_VERSION] != EV_CURRENT || file->header.e_type != ET_DYN ||
	    file->header.e_phentsize != sizeof(ElfW(Phdr)) ||
	    file->header.e_phnum > MAX_SEGMENTS)
		return OMEGA_SYMBOL_NOT_SHARED;
	return 0;
}

static void
note_dynamic(struct file *file, const ElfW(Dyn) * entry)
{
	switch (entry->d_tag) {
	case DT_SYMTAB:
		file->symbols = entry->d_un.d_ptr;
		break;
	case DT_STRTAB:
		file->strings = entry->d_un.d_ptr;
		break;
	case DT_STRSZ:
		file->strings_size = entry->d_un.d_val;
		break;
	case DT_GNU_HASH:
		file->gnu_hash = entry->d_un.d_ptr;
		break;
	case DT_HASH:
		file->sysv_hash = entry->d_un.d_ptr;
		break;
	}
}

/* Find the tables. */
static int
read_dynamic(struct file *file)
{
	ElfW(Phdr) segment = {.p_type = PT_NULL};
	ElfW(Dyn) entry;
	unsigned i;
	int ret;

	for (i = 0; i < file->header.e_phnum; i++) {
		ret = read_segment(file, i, &segment);
		if (ret < 0)
			return ret;
		if (segment.p_type == PT_DYNAMIC)
			break;
	}
	if (i == file->header.e_phnum)
		return -ENOEXEC;
	for (i = 0; i < MAX_DYNAMIC; i++) {
		uint64_t offset = (uint64_t)i * sizeof(entry);

		if (segment.p_offset > UINT64_MAX - offset)
			return -ENOEXEC;
		ret = read_at(
		    file, segment.p_offset + offset, &entry, sizeof(entry));
		if (ret < 0)
			return ret;
		if (entry.d_tag == DT_NULL)
			break;
		note_dynamic(file, &entry);
	}
	if (file->symbols == 0 || file->strings == 0)
		return -ENOEXEC;
	return 0;
}

/* Is the symbol with this number called name? 1, 0 or a negative errno. */
static int
match(const struct file *file, uint32_t number, const char *name,
    ElfW(Sym) * symbol)
{
	size_t size = strlen(name) + 1;
	uint64_t offset = (uint64_t)number * sizeof(*symbol);
	char text[MAX_NAME];
	int ret;

	if (file->symbols > UINT64_MAX - offset)
		return -ENOEXEC;
	ret =
	    read_address(file, file->symbols + offset, symbol, sizeof(*symbol));
	if (ret < 0)
		return ret;
	if (size > sizeof(text) || symbol->st_name >= file->strings_size ||
	    size > file->strings_size - symbol->st_name)
		return 0;
	if (file->strings > UINT64_MAX - symbol->st_name)
		return -ENOEXEC;
	ret = read_address(file, file->strings + symbol->st_name, text, size);
	if (ret < 0)
		return ret;
	return memcmp(text, name, size) == 0 && symbol->st_shndx != SHN_UNDEF;
}

static int
find_by_gnu_hash(const struct file *file, const char *name, ElfW(Sym) * symbol)
{
	uint32_t head[4]; /* buckets, first symbol, filter words, shift */
	uint64_t buckets;
	uint32_t number;
	uint32_t hash = 5381;
	const char *c;
	unsigned i;
	int ret;

	for (c = name; *c != '\0'; c++)
		hash = hash * 33 + (unsigned char)*c;
	ret = read_address(file, file->gnu_hash, head, sizeof(head));
	if (ret < 0)
		return ret;
	if (head[0] == 0)
		return 0;
	buckets = file->gnu_hash + sizeof(head) +
		  (uint64_t)head[2] * sizeof(ElfW(Addr));
	ret = read_word(file, buckets, hash % head[0], &number);
	if (ret < 0)
		return ret;
	if (number < head[1])
		return 0; /* an empty bucket */
	for (i = 0; i < MAX_CHAIN; i++, number++) {
		uint32_t link;

		ret = read_word(file, buckets,
		    (uint64_t)head[0] + (number - head[1]), &link);
		if (ret < 0)
			return ret;
		if ((link | 1) == (hash | 1)) {
			ret = match(file, number, name, symbol);
			if (ret != 0)
				return ret;
		}
		if ((link & 1) != 0 || number == UINT32_MAX)
			break;
	}
	return 0;
}

static int
find_by_sysv_hash(const struct file *file, const char *name, ElfW(Sym) * symbol)
{
	uint32_t head[2]; /* buckets, symbols */
	uint32_t number;
	uint32_t hash = 0;
	const char *c;
	unsigned i;
	int ret;

	for (c = name; *c != '\0'; c++) {
		hash = (hash << 4) + (unsigned char)*c;
		hash ^= (hash & 0xf0000000) >> 24;
		hash &= 0x0fffffff;
	}
	ret = read_address(file, file->sysv_hash, head, sizeof(head));
	if (ret < 0)
		return ret;
	if (head[0] == 0)
		return 0;
	ret = read_word(file, file->sysv_hash, 2 + hash % head[0], &number);
	if (ret < 0)
		return ret;
	for (i = 0; i < MAX_CHAIN && number != STN_UNDEF; i++) {
		if (number >= head[1])
			return -ENOEXEC;
		ret = match(file, number, name, symbol);
		if (ret != 0)
			return ret;
		ret = read_word(file, file->sysv_hash,
		    2 + (uint64_t)head[0] + number, &number);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int
find(struct file *file, const char *name)
{
	ElfW(Sym) symbol;
	int ret = read_dynamic(file);

	if (ret < 0)
		return ret;
	if (file->gnu_hash != 0)
		ret = find_by_gnu_hash(file, name, &symbol);
	else if (file->sysv_hash != 0)
		ret = find_by_sysv_hash(file, name, &symbol);
	if (ret <= 0)
		return ret < 0 ? ret : OMEGA_SYMBOL_MISSING;
	/* Type and binding are in the same bits for both classes. */
	switch (ELF64_ST_TYPE(symbol.st_info)) {
	case STT_OBJECT:
	case STT_NOTYPE:
		return OMEGA_SYMBOL_FOUND;
	default:
		return OMEGA_SYMBOL_NOT_DATA;
	}
}

int
omega_symbol_find(int fd, const char *name)
{
	struct file file = {.fd = fd};
	int ret = read_header(&file);

	if (ret == 0)
		ret = find(&file, name);
	return ret == -ENOEXEC ? OMEGA_SYMBOL_NOT_SHARED : ret;
}
