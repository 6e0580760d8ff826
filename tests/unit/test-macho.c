/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-macho.c - what a file for macOS is and is loaded by, without loading
 * it: core/base/macho.c, core/load/object-macho.c,
 * core/launch/interpreter-macho.c.
 * The files are made here, byte by byte; tests/darwin/ asks real ones.
 */

#include "harness.h"

#include <sys/mman.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "launch/interpreter.h"
#include "load/object.h"

#if defined(__x86_64__)
#define OWN_CPU 0x01000007u
#define OTHER_CPU 0x0100000cu
#else
#define OWN_CPU 0x0100000cu
#define OTHER_CPU 0x01000007u
#endif

enum { DYLIB = 6, BUNDLE = 8, EXECUTE = 2 };

/* Where things are in the made file. */
enum {
	SEGMENT = 32,
	SECTIONS = SEGMENT + 72,
	DYLINKER = SECTIONS + 2 * 80,
	COMMANDS_END = DYLINKER + 32,
	SIZE = 2048
};

struct image {
	unsigned char bytes[2 * SIZE];
	size_t size;
};

static void
put32(struct image *image, size_t at, uint32_t value)
{
	memcpy(image->bytes + at, &value, sizeof(value));
}

/* Most significant byte first. */
static void
put_swapped(struct image *image, size_t at, uint32_t value)
{
	put32(image, at, __builtin_bswap32(value));
}

/* A library with a segment and the name of its loader. */
static void
make(struct image *image)
{
	memset(image, 0, sizeof(*image));
	image->size = SIZE;
	put32(image, 0, 0xfeedfacf);
	put32(image, 4, OWN_CPU);
	put32(image, 12, BUNDLE);
	put32(image, 16, 2);
	put32(image, 20, COMMANDS_END - 32);
	put32(image, SEGMENT, 0x19);
	put32(image, SEGMENT + 4, 72 + 2 * 80);
	put32(image, SEGMENT + 64, 2);
	put32(image, DYLINKER, 0xe);
	put32(image, DYLINKER + 4, 32);
	put32(image, DYLINKER + 8, 12);
	memcpy(image->bytes + DYLINKER + 12, "/usr/lib/dyld", 14);
}

static int
open_image(const struct image *image)
{
	int fd = memfd_create("macho", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(
	    write(fd, image->bytes, image->size), (ssize_t)image->size);
	return fd;
}

static int
check(const struct image *image)
{
	int fd = open_image(image);
	int ret = omega_object_check(fd);

	close(fd);
	return ret;
}

#define assert_answer(image, answer) \
	assert_int_equal(check(image), (answer))

static void
test_library_is_one(void **state)
{
	struct image image;

	(void)state;
	make(&image);
	assert_answer(&image, 0);
	put32(&image, 12, DYLIB);
	assert_answer(&image, 0);
}

static void
test_other_machine_is_foreign(void **state)
{
	struct image image;

	(void)state;
	make(&image);
	put32(&image, 4, OTHER_CPU);
	assert_answer(&image, -EBADMSG);
	make(&image);
	put32(&image, 0, 0xfeedface); /* 32 bits */
	assert_answer(&image, -EBADMSG);
	make(&image);
	put_swapped(&image, 0, 0xfeedfacf);
	assert_answer(&image, -EBADMSG);
}

/* Several machines in one file; large says which of the two forms. */
static void
make_fat(struct image *fat, uint32_t first, uint32_t second, bool large)
{
	const size_t size = large ? 32 : 20;
	struct image image;

	make(&image);
	memset(fat, 0, sizeof(*fat));
	put_swapped(fat, 0, large ? 0xcafebabf : 0xcafebabe);
	put_swapped(fat, 4, 2);
	put_swapped(fat, 8, first);
	put_swapped(fat, 8 + size, second);
	put_swapped(fat, 8 + (large ? 12 : 8), 8);
	put_swapped(fat, 8 + size + (large ? 12 : 8), SIZE);
	memcpy(fat->bytes + SIZE, image.bytes, SIZE);
	fat->size = 2 * SIZE;
}

static void
test_own_part_of_a_fat_file_is_asked(void **state)
{
	struct image fat;

	(void)state;
	make_fat(&fat, OTHER_CPU, OWN_CPU, false);
	assert_answer(&fat, 0);
	make_fat(&fat, OTHER_CPU, OWN_CPU, true);
	assert_answer(&fat, 0);
	make_fat(&fat, OTHER_CPU, OTHER_CPU, false);
	assert_answer(&fat, -EBADMSG);
	make_fat(&fat, OTHER_CPU, OWN_CPU, false);
	put_swapped(&fat, 4, 1000); /* as many as a class of Java says */
	assert_answer(&fat, -ENOEXEC);
	make_fat(&fat, OTHER_CPU, OWN_CPU, false);
	fat.size = SIZE + 16;
	assert_answer(&fat, -ENOEXEC);
}

static void
test_what_is_no_library_is_told(void **state)
{
	struct image image;

	(void)state;
	make(&image);
	put32(&image, 12, EXECUTE);
	assert_answer(&image, -ENOEXEC);
	make(&image);
	put32(&image, 0, 0x464c457f); /* ELF */
	assert_answer(&image, -ENOEXEC);
	image.size = 0;
	assert_answer(&image, -ENOEXEC);
	image.size = 5;
	assert_answer(&image, -ENOEXEC);
}

/* Numbers that lead out of the file or of the commands. */
static void
test_broken_files_are_told(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
	} list[] = {
	    {16, 5000}, /* commands */
	    {20, 8}, /* their size */
	    {SEGMENT + 4, 4},
	    {SEGMENT + 4, 0xffffffff},
	};
	struct image image;
	char path[PATH_MAX];
	size_t i;
	int fd;

	(void)state;
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		make(&image);
		put32(&image, 12, EXECUTE);
		put32(&image, list[i].at, list[i].value);
		fd = open_image(&image);
		assert_false(omega_interpreter_loader(fd, path));
		close(fd);
	}
}

/* Whatever the bytes are, there is an answer and no harm (sanitizers). */
static void
test_any_change_gets_an_answer(void **state)
{
	struct image image;
	char path[PATH_MAX];
	unsigned answers = 0;
	size_t at;
	int ret;
	int fd;

	(void)state;
	for (at = 0; at < COMMANDS_END; at++) {
		make(&image);
		image.bytes[at] ^= 0xff;
		ret = check(&image);
		answers += ret == 0 || ret == -ENOEXEC || ret == -EBADMSG;
		fd = open_image(&image);
		(void)omega_interpreter_loader(fd, path);
		close(fd);
	}
	assert_int_equal(answers, COMMANDS_END);
}

static void
test_loader_of_a_program(void **state)
{
	struct image image;
	char path[PATH_MAX] = "";
	int fd;

	(void)state;
	make(&image);
	put32(&image, 12, EXECUTE);
	fd = open_image(&image);
	assert_true(omega_interpreter_loader(fd, path));
	assert_string_equal(path, "/usr/lib/dyld");
	close(fd);
	put32(&image, DYLINKER + 8, 32); /* behind the command */
	fd = open_image(&image);
	assert_false(omega_interpreter_loader(fd, path));
	close(fd);
	make(&image); /* a library is loaded by who wants it */
	fd = open_image(&image);
	assert_false(omega_interpreter_loader(fd, path));
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_library_is_one),
	    cmocka_unit_test(test_other_machine_is_foreign),
	    cmocka_unit_test(test_own_part_of_a_fat_file_is_asked),
	    cmocka_unit_test(test_what_is_no_library_is_told),
	    cmocka_unit_test(test_broken_files_are_told),
	    cmocka_unit_test(test_any_change_gets_an_answer),
	    cmocka_unit_test(test_loader_of_a_program),
	};

	return run_all(tests);
}
