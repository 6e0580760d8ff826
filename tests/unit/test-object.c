/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-object.c - whether a file can be loaded, without loading it:
 * core/load/object-elf.c. What is wrong in it otherwise is the dynamic
 * loader's to tell (test-loader.c).
 */

#include "harness.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/object.h"
#include "plugins.h"

static int
check(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	ret = omega_object_check(fd);
	close(fd);
	return ret;
}

static void
assert_mock(const char *mock, int expected)
{
	assert_int_equal(
	    check(text("%s/mock-%s.so", plugin_dir(), mock)), expected);
}

static void
test_files_are_told_apart(void **state)
{
	(void)state;
	assert_mock("good", 0);
	assert_mock("no-symbol", 0);
	assert_mock("text", -ENOEXEC);
	assert_mock("empty", -ENOEXEC);
	assert_mock("cut", -ENOEXEC);
	assert_mock("foreign", -EBADMSG);
	assert_int_equal(check("/dev/null"), -ENOEXEC);
	assert_int_equal(omega_object_check(-1), -EBADF);
}

/* Our own copy of a good plugin, to be changed. */
struct copy {
	int fd;
	off_t size;
	off_t needed; /* the end of what is mapped */
	ElfW(Ehdr) header;
};

static void
make_copy(struct copy *copy)
{
	int from = open(text("%s/mock-good.so", plugin_dir()), O_RDONLY);
	char buffer[4096];
	ElfW(Phdr) segment;
	unsigned i;
	ssize_t n;

	*copy = (struct copy){.fd = memfd_create("copy", MFD_CLOEXEC)};
	assert_true(from >= 0 && copy->fd >= 0);
	while ((n = read(from, buffer, sizeof(buffer))) > 0) {
		assert_int_equal(write(copy->fd, buffer, (size_t)n), n);
		copy->size += n;
	}
	close(from);
	assert_int_equal(
	    pread(copy->fd, &copy->header, sizeof(copy->header), 0),
	    sizeof(copy->header));
	for (i = 0; i < copy->header.e_phnum; i++) {
		off_t at = (off_t)(copy->header.e_phoff + i * sizeof(segment));
		off_t end;

		assert_int_equal(pread(copy->fd, &segment, sizeof(segment), at),
		    sizeof(segment));
		end = (off_t)(segment.p_offset + segment.p_filesz);
		if (segment.p_type == PT_LOAD && end > copy->needed)
			copy->needed = end;
	}
}

/* The dynamic loader would end the process with a signal. */
static void
test_file_that_was_cut_off_is_damaged(void **state)
{
	struct copy copy;
	off_t size;

	(void)state;
	make_copy(&copy);
	assert_int_equal(omega_object_check(copy.fd), 0);
	assert_int_equal(ftruncate(copy.fd, copy.needed), 0);
	assert_int_equal(omega_object_check(copy.fd), 0);
	for (size = copy.needed - 1; size >= 0; size -= 61) {
		assert_int_equal(ftruncate(copy.fd, size), 0);
		assert_int_equal(omega_object_check(copy.fd), -ENOEXEC);
	}
	close(copy.fd);
}

/* Whatever the head says, there is an answer and no harm (sanitizers). */
static void
test_any_head_gets_an_answer(void **state)
{
	struct copy copy;
	unsigned char byte;
	off_t end;
	off_t at;
	int ret;

	(void)state;
	make_copy(&copy);
	end = (off_t)(copy.header.e_phoff +
		      copy.header.e_phnum * sizeof(ElfW(Phdr)));
	for (at = 0; at < end; at++) {
		assert_int_equal(pread(copy.fd, &byte, 1, at), 1);
		byte ^= 0xff;
		assert_int_equal(pwrite(copy.fd, &byte, 1, at), 1);
		ret = omega_object_check(copy.fd);
		assert_true(ret == 0 || ret == -ENOEXEC || ret == -EBADMSG);
		byte ^= 0xff;
		assert_int_equal(pwrite(copy.fd, &byte, 1, at), 1);
	}
	close(copy.fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_files_are_told_apart),
	    cmocka_unit_test(test_file_that_was_cut_off_is_damaged),
	    cmocka_unit_test(test_any_head_gets_an_answer),
	};

	return run_all(tests);
}
