/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-symbol.c - what a file exports, without loading it:
 * core/load/symbol-elf.c.
 */

#include "harness.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/object.h"
#include "plugins.h"

#define NAME "omega_sandbox_plugin"

static int
find_in(const char *path, const char *name)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	ret = omega_symbol_find(fd, name);
	close(fd);
	return ret;
}

static void
assert_found(const char *mock, int expected)
{
	assert_int_equal(
	    find_in(text("%s/mock-%s.so", plugin_dir(), mock), NAME), expected);
}

/* ---- Real files --------------------------------------------------------- */

static void
test_plugin_is_found(void **state)
{
	(void)state;
	assert_found("good", OMEGA_SYMBOL_FOUND);
	assert_found("newer", OMEGA_SYMBOL_FOUND);
	assert_found("unresolved", OMEGA_SYMBOL_FOUND);
}

static void
test_shared_object_without_the_symbol_is_told(void **state)
{
	(void)state;
	assert_found("no-symbol", OMEGA_SYMBOL_MISSING);
	assert_found("constructor", OMEGA_SYMBOL_MISSING);
	assert_int_equal(find_in("/proc/self/exe", NAME), OMEGA_SYMBOL_MISSING);
}

static void
test_function_is_not_data(void **state)
{
	(void)state;
	assert_found("function", OMEGA_SYMBOL_NOT_DATA);
}

static void
test_other_files_are_not_shared_objects(void **state)
{
	(void)state;
	assert_found("text", OMEGA_SYMBOL_NOT_SHARED);
	assert_found("empty", OMEGA_SYMBOL_NOT_SHARED);
	assert_found("cut", OMEGA_SYMBOL_NOT_SHARED);
	assert_int_equal(find_in("/dev/null", NAME), OMEGA_SYMBOL_NOT_SHARED);
}

static void
test_other_machine_is_told(void **state)
{
	(void)state;
	assert_found("foreign", OMEGA_SYMBOL_FOREIGN);
}

static void
test_read_errors_are_passed_on(void **state)
{
	(void)state;
	assert_int_equal(omega_symbol_find(-1, NAME), -EBADF);
	assert_int_equal(find_in("/", NAME), -EISDIR);
}

/* Sanitizers put functions of their own before those of the C library, so it
 * is not enough to ask where one of them is. */
static int
find_libc(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	if (strstr(info->dlpi_name, "/libc.so") == NULL)
		return 0;
	snprintf(arg, PATH_MAX, "%s", info->dlpi_name);
	return 1;
}

/* The C library has thousands of symbols, of every type. */
static void
test_big_library_agrees_with_the_loader(void **state)
{
	static const char *const names[] = {"fprintf", "environ", "stdout",
	    "strlen", "qsort", "sys_errlist_not_there", "", "s", "stdou"};
	char libc[PATH_MAX] = "";
	size_t i;

	(void)state;
	if (dl_iterate_phdr(find_libc, libc) == 0 || access(libc, R_OK) != 0)
		skip_because("where the C library is, is not known");
	assert_int_equal(find_in(libc, "qsort"), OMEGA_SYMBOL_NOT_DATA);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *symbol = dlsym(RTLD_DEFAULT, names[i]);
		int ret = find_in(libc, names[i]);

		assert_int_equal(symbol == NULL, ret == OMEGA_SYMBOL_MISSING);
	}
	assert_int_equal(find_in(libc, "stdout"), OMEGA_SYMBOL_FOUND);
	/* Longer than anything we look for. */
	assert_int_equal(
	    find_in(libc, "a_name_that_is_longer_than_any_this_is_for_and_"
			  "then_some_more_of_it"),
	    OMEGA_SYMBOL_MISSING);
}

/* ---- Files made by hand ------------------------------------------------- */

/* The least that is a shared object with one symbol. */
struct object {
	ElfW(Ehdr) header;
	ElfW(Phdr) segments[2];
	ElfW(Dyn) dynamic[6];
	ElfW(Sym) symbols[2];
	uint32_t sysv[5]; /* buckets, symbols, bucket, chain */
	uint32_t gnu[8]; /* head, filter (one word), bucket, chain */
	char strings[32];
};

#define AT(field) offsetof(struct object, field)

static uint32_t
gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	while (*name != '\0')
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

static void
make_object(struct object *object)
{
	static const ElfW(Dyn) dynamic[] = {
	    {DT_SYMTAB, {AT(symbols)}},
	    {DT_STRTAB, {AT(strings)}},
	    {DT_STRSZ, {sizeof(((struct object *)0)->strings)}},
	    {DT_HASH, {AT(sysv)}},
	    {DT_NULL, {0}},
	    {DT_NULL, {0}},
	};
	unsigned words = sizeof(ElfW(Addr)) / 4;
	FILE *own = fopen("/proc/self/exe", "rb");

	memset(object, 0, sizeof(*object));
	if (own == NULL ||
	    fread(&object->header, sizeof(object->header), 1, own) != 1)
		fail_msg("/proc/self/exe: %s", strerror(errno));
	fclose(own);
	object->header.e_type = ET_DYN;
	object->header.e_phoff = AT(segments);
	object->header.e_phnum = 2;
	object->header.e_phentsize = sizeof(object->segments[0]);
	object->segments[0].p_type = PT_LOAD;
	object->segments[0].p_filesz = sizeof(*object);
	object->segments[1].p_type = PT_DYNAMIC;
	object->segments[1].p_offset = AT(dynamic);
	object->segments[1].p_filesz = sizeof(object->dynamic);
	memcpy(object->dynamic, dynamic, sizeof(dynamic));
	object->symbols[1].st_name = 1;
	object->symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
	object->symbols[1].st_shndx = 1;
	memcpy(object->strings + 1, NAME, sizeof(NAME));
	object->sysv[0] = 1;
	object->sysv[1] = 2;
	object->sysv[2] = 1;
	object->gnu[0] = 1;
	object->gnu[1] = 1;
	object->gnu[2] = 1;
	object->gnu[4 + words] = 1;
	object->gnu[5 + words] = gnu_hash(NAME) | 1;
}

static void
use_gnu_hash(struct object *object)
{
	object->dynamic[3].d_tag = DT_GNU_HASH;
	object->dynamic[3].d_un.d_ptr = AT(gnu);
}

static int
find_in_bytes(const void *bytes, size_t size)
{
	int fd = memfd_create("object", MFD_CLOEXEC);
	int ret;

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		fail_msg("memfd: %s", strerror(errno));
	ret = omega_symbol_find(fd, NAME);
	close(fd);
	return ret;
}

static int
find_in_object(const struct object *object)
{
	return find_in_bytes(object, sizeof(*object));
}

static void
test_both_hash_tables_are_understood(void **state)
{
	struct object object;

	(void)state;
	make_object(&object);
	assert_int_equal(find_in_object(&object), OMEGA_SYMBOL_FOUND);
	use_gnu_hash(&object);
	assert_int_equal(find_in_object(&object), OMEGA_SYMBOL_FOUND);
	object.dynamic[3].d_tag = DT_DEBUG;
	assert_int_equal(find_in_object(&object), OMEGA_SYMBOL_MISSING);
}

static void
test_undefined_symbol_is_missing(void **state)
{
	struct object object;

	(void)state;
	make_object(&object);
	object.symbols[1].st_shndx = SHN_UNDEF;
	assert_int_equal(find_in_object(&object), OMEGA_SYMBOL_MISSING);
	use_gnu_hash(&object);
	assert_int_equal(find_in_object(&object), OMEGA_SYMBOL_MISSING);
}

static void
test_part_of_the_name_is_missing(void **state)
{
	struct object object;

	(void)state;
	make_object(&object);
	object.strings[sizeof(NAME)] = 's'; /* where its end was */
	assert_int_equal(find_in_object(&object), OMEGA_SYMBOL_MISSING);
	make_object(&object);
	object.dynamic[2].d_un.d_val = sizeof(NAME); /* one too few */
	assert_int_equal(find_in_object(&object), OMEGA_SYMBOL_MISSING);
}

static void
test_other_class_and_byte_order_are_foreign(void **state)
{
	struct object object;

	(void)state;
	make_object(&object);
	object.header.e_ident[EI_CLASS] ^= ELFCLASS32 ^ ELFCLASS64;
	assert_int_equal(find_in_object(&object), OMEGA_SYMBOL_FOREIGN);
	make_object(&object);
	object.header.e_ident[EI_DATA] ^= ELFDATA2LSB ^ ELFDATA2MSB;
	assert_int_equal(find_in_object(&object), OMEGA_SYMBOL_FOREIGN);
	make_object(&object);
	object.header.e_machine ^= 0x5555;
	assert_int_equal(find_in_object(&object), OMEGA_SYMBOL_FOREIGN);
}

static void
test_programs_and_object_files_are_not_shared(void **state)
{
	static const uint16_t types[] = {
	    ET_NONE, ET_REL, ET_EXEC, ET_CORE, 0xffff};
	struct object object;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		make_object(&object);
		object.header.e_type = types[i];
		assert_int_equal(
		    find_in_object(&object), OMEGA_SYMBOL_NOT_SHARED);
	}
}

static void
assert_not_shared(const struct object *object)
{
	assert_int_equal(find_in_object(object), OMEGA_SYMBOL_NOT_SHARED);
}

/* Numbers chosen to run over where they are added or multiplied. */
static void
test_places_outside_of_the_file_are_refused(void **state)
{
	struct object object;

	(void)state;
	make_object(&object);
	object.header.e_phoff = (ElfW(Off)) - 8;
	assert_not_shared(&object);
	make_object(&object);
	object.header.e_phnum = 0xffff;
	assert_not_shared(&object);
	make_object(&object);
	object.header.e_phentsize = 1;
	assert_not_shared(&object);
	make_object(&object);
	object.header.e_phnum = 1; /* no dynamic section */
	assert_not_shared(&object);
	make_object(&object);
	object.segments[1].p_offset = (ElfW(Off)) - 4;
	assert_not_shared(&object);
	make_object(&object);
	object.segments[0].p_vaddr = 1u << 20; /* nothing is loaded there */
	assert_not_shared(&object);
	make_object(&object);
	object.segments[0].p_offset = (ElfW(Off)) - 4;
	assert_not_shared(&object);
	make_object(&object);
	object.dynamic[0].d_un.d_ptr = (ElfW(Addr)) - 1;
	assert_not_shared(&object);
	make_object(&object);
	object.dynamic[1].d_un.d_ptr = (ElfW(Addr)) - 1;
	assert_not_shared(&object);
	make_object(&object);
	object.dynamic[3].d_un.d_ptr = (ElfW(Addr)) - 1;
	assert_not_shared(&object);
	use_gnu_hash(&object);
	object.dynamic[3].d_un.d_ptr = (ElfW(Addr)) - 1;
	assert_not_shared(&object);
}

static void
test_hash_tables_that_lie_are_refused(void **state)
{
	struct object object;

	(void)state;
	make_object(&object);
	object.sysv[2] = 2; /* a symbol that is not there */
	assert_not_shared(&object);
	make_object(&object);
	object.sysv[0] = 0;
	assert_int_equal(find_in_object(&object), OMEGA_SYMBOL_MISSING);
	make_object(&object);
	object.sysv[0] = UINT32_MAX;
	assert_not_shared(&object);
	make_object(&object);
	use_gnu_hash(&object);
	object.gnu[0] = 0;
	assert_int_equal(find_in_object(&object), OMEGA_SYMBOL_MISSING);
	make_object(&object);
	use_gnu_hash(&object);
	object.gnu[2] = UINT32_MAX;
	assert_not_shared(&object);
	make_object(&object);
	use_gnu_hash(&object);
	object.gnu[1] = UINT32_MAX; /* every bucket looks empty */
	assert_int_equal(find_in_object(&object), OMEGA_SYMBOL_MISSING);
}

/* A chain that leads back to itself comes to an end all the same. */
static void
test_hash_chain_in_a_circle_ends(void **state)
{
	struct object object;

	(void)state;
	make_object(&object);
	object.symbols[1].st_shndx = SHN_UNDEF;
	object.sysv[4] = 1;
	assert_int_equal(find_in_object(&object), OMEGA_SYMBOL_MISSING);
}

/* ---- Files out of order ------------------------------------------------- */

static uint32_t
next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

struct bytes {
	unsigned char *data;
	size_t size;
	int fd; /* a file with the same content */
};

static void
load_bytes(struct bytes *bytes)
{
	struct stat st;
	int fd =
	    open(text("%s/mock-good.so", plugin_dir()), O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) != 0)
		fail_msg("mock-good: %s", strerror(errno));
	bytes->size = (size_t)st.st_size;
	bytes->data = malloc(bytes->size);
	bytes->fd = memfd_create("mutant", MFD_CLOEXEC);
	if (bytes->data == NULL ||
	    read(fd, bytes->data, bytes->size) != st.st_size ||
	    write(bytes->fd, bytes->data, bytes->size) != st.st_size)
		fail_msg("mock-good: %s", strerror(errno));
	close(fd);
}

static void
assert_survived(const struct bytes *bytes, const char *what)
{
	int ret = omega_symbol_find(bytes->fd, NAME);

	if (ret < OMEGA_SYMBOL_FOUND || ret > OMEGA_SYMBOL_FOREIGN)
		fail_msg("%s: %d", what, ret);
}

/* Where the interesting structures are, or anywhere. */
static size_t
choose_place(const struct bytes *bytes, uint32_t *seed)
{
	size_t limit = bytes->size;

	switch (next_random(seed) % 4) {
	case 0:
		limit = sizeof(ElfW(Ehdr));
		break;
	case 1:
		limit = 1024;
		break;
	case 2:
		limit = 4096;
		break;
	}
	return next_random(seed) % (limit < bytes->size ? limit : bytes->size);
}

static void
test_ten_thousand_mutants_do_no_harm(void **state)
{
	static const unsigned char extremes[] = {0, 1, 0x7f, 0x80, 0xff};
	struct bytes bytes;
	uint32_t seed = 0x0e5a17;
	unsigned i;
	unsigned j;

	(void)state;
	load_bytes(&bytes);
	for (i = 0; i < 10000; i++) {
		size_t places[16];
		unsigned count = 1 + next_random(&seed) % 16;

		for (j = 0; j < count; j++) {
			unsigned char byte = (unsigned char)next_random(&seed);

			places[j] = choose_place(&bytes, &seed);
			if (next_random(&seed) % 2 == 0)
				byte = extremes[byte % 5];
			if (pwrite(bytes.fd, &byte, 1, (off_t)places[j]) != 1)
				fail_msg("pwrite: %s", strerror(errno));
		}
		assert_survived(&bytes, text("mutant %u", i));
		for (j = 0; j < count; j++)
			if (pwrite(bytes.fd, bytes.data + places[j], 1,
				(off_t)places[j]) != 1)
				fail_msg("pwrite: %s", strerror(errno));
	}
	assert_int_equal(omega_symbol_find(bytes.fd, NAME), OMEGA_SYMBOL_FOUND);
	close(bytes.fd);
	free(bytes.data);
}

static void
test_every_length_does_no_harm(void **state)
{
	struct bytes bytes;
	size_t size;

	(void)state;
	load_bytes(&bytes);
	for (size = bytes.size; size > 0;
	     size = size > 4096 ? size - 64 : size - 1) {
		assert_int_equal(ftruncate(bytes.fd, (off_t)size), 0);
		assert_survived(&bytes, text("%zu bytes", size));
	}
	close(bytes.fd);
	free(bytes.data);
}

/* The made object is small enough to try every byte of it. */
static void
test_every_byte_of_a_small_object_does_no_harm(void **state)
{
	static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
	struct object object;
	unsigned char *bytes = (unsigned char *)&object;
	size_t i;
	size_t j;
	int hash;

	(void)state;
	for (hash = 0; hash < 2; hash++) {
		make_object(&object);
		if (hash == 1)
			use_gnu_hash(&object);
		for (i = 0; i < sizeof(object); i++) {
			unsigned char saved = bytes[i];

			for (j = 0; j < sizeof(values); j++) {
				int ret;

				bytes[i] = values[j];
				ret = find_in_object(&object);
				assert_in_range(ret, OMEGA_SYMBOL_FOUND,
				    OMEGA_SYMBOL_FOREIGN);
			}
			bytes[i] = saved;
		}
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_plugin_is_found),
	    cmocka_unit_test(test_shared_object_without_the_symbol_is_told),
	    cmocka_unit_test(test_function_is_not_data),
	    cmocka_unit_test(test_other_files_are_not_shared_objects),
	    cmocka_unit_test(test_other_machine_is_told),
	    cmocka_unit_test(test_read_errors_are_passed_on),
	    cmocka_unit_test(test_big_library_agrees_with_the_loader),
	    cmocka_unit_test(test_both_hash_tables_are_understood),
	    cmocka_unit_test(test_undefined_symbol_is_missing),
	    cmocka_unit_test(test_part_of_the_name_is_missing),
	    cmocka_unit_test(test_other_class_and_byte_order_are_foreign),
	    cmocka_unit_test(test_programs_and_object_files_are_not_shared),
	    cmocka_unit_test(test_places_outside_of_the_file_are_refused),
	    cmocka_unit_test(test_hash_tables_that_lie_are_refused),
	    cmocka_unit_test(test_hash_chain_in_a_circle_ends),
	    cmocka_unit_test(test_ten_thousand_mutants_do_no_harm),
	    cmocka_unit_test(test_every_length_does_no_harm),
	    cmocka_unit_test(test_every_byte_of_a_small_object_does_no_harm),
	};

	return run_all(tests);
}
