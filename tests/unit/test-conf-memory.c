/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-conf-memory.c - configuration when memory runs out: every allocation
 * of core/conf fails in its turn, is reported, and leaves nothing behind
 * (which the address sanitizer and valgrind see).
 *
 * The linker leads the core's own calls here (--wrap); libconfuse's go their
 * usual way, since it ends the process when it gets no memory.
 */

#include "harness.h"

#include <sys/stat.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *from);
char *__real_strndup(const char *from, size_t len);
FILE *__real_fmemopen(void *buffer, size_t size, const char *mode);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *from);
char *__wrap_strndup(const char *from, size_t len);
FILE *__wrap_fmemopen(void *buffer, size_t size, const char *mode);

/* How many more may succeed; negative: all. */
static long left = -1;

static bool
is_refused(void)
{
	if (left < 0)
		return false;
	if (left > 0) {
		left--;
		return false;
	}
	errno = ENOMEM;
	return true;
}

void *
__wrap_malloc(size_t size)
{
	return is_refused() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t count, size_t size)
{
	return is_refused() ? NULL : __real_calloc(count, size);
}

void *
__wrap_realloc(void *old, size_t size)
{
	return is_refused() ? NULL : __real_realloc(old, size);
}

char *
__wrap_strdup(const char *from)
{
	return is_refused() ? NULL : __real_strdup(from);
}

char *
__wrap_strndup(const char *from, size_t len)
{
	return is_refused() ? NULL : __real_strndup(from, len);
}

FILE *
__wrap_fmemopen(void *buffer, size_t size, const char *mode)
{
	return is_refused() ? NULL : __real_fmemopen(buffer, size, mode);
}

static const char everything[] =
    "enabled = true\nbackend = { a, b }\nfail_closed = true\n"
    "accept = { aliases }\nallow_root = true\ndata_dir = \"~/a\"\n"
    "config_file = '/b'\nblocked_paths = { \"/c\", \"~/d\", \"/e\" }\n"
    "log = none\nplugin \"p\" { a = 1 b = { 2, 3 } }\nplugin q { a = 4 }\n";

static void
test_parsing_reports_every_shortage(void **state)
{
	long allowed;
	int ret = OMEGA_SANDBOX_E_MEMORY;

	(void)state;
	for (allowed = 0; ret != 0; allowed++) {
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct omega_conf *conf = omega_conf_new();

		assert_non_null(conf);
		left = allowed;
		ret = omega_conf_parse(
		    conf, "x", everything, sizeof(everything) - 1, &error);
		left = -1;
		if (ret != 0) {
			assert_int_equal(ret, OMEGA_SANDBOX_E_MEMORY);
			assert_int_equal(error.code, OMEGA_SANDBOX_E_MEMORY);
			assert_true(allowed < 1000);
		}
		omega_conf_free(conf);
	}
	assert_true(allowed > 50);
}

static void
test_loading_reports_every_shortage(void **state)
{
	const char *etc = scratch_dir();
	const char *dropin = text("%s/sandbox.d", etc);
	struct omega_conf_paths paths = {.dropin = dropin};
	int before = count_descriptors();
	long allowed;
	int ret = -1;

	(void)state;
	chmod(etc, 0755);
	paths.file = text("%s/sandbox.conf", etc);
	make_file(paths.file, "enabled = true\n");
	make_file(text("%s/a.conf", dropin), everything);
	make_file(text("%s/b.conf", dropin), "blocked_paths = { '/f' }\n");
	for (allowed = 0; ret != 0; allowed++) {
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct omega_conf *conf = NULL;

		left = allowed;
		ret = omega_conf_load(&paths, &conf, &error);
		left = -1;
		if (ret == 0) {
			assert_int_equal(conf->files.count, 3);
		} else {
			assert_null(conf);
			assert_int_equal(ret, OMEGA_SANDBOX_E_MEMORY);
			assert_int_equal(error.code, ret);
			assert_true(allowed < 1000);
		}
		omega_conf_free(conf);
		assert_int_equal(count_descriptors(), before);
	}
}

static void
test_no_memory_no_configuration(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf;

	(void)state;
	left = 0;
	conf = omega_conf_new();
	left = -1;
	assert_null(conf);
	left = 0;
	assert_int_equal(omega_conf_load(&omega_conf_installed, &conf, &error),
	    OMEGA_SANDBOX_E_MEMORY);
	left = -1;
	assert_int_equal(error.code, OMEGA_SANDBOX_E_MEMORY);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parsing_reports_every_shortage),
	    cmocka_unit_test(test_loading_reports_every_shortage),
	    cmocka_unit_test(test_no_memory_no_configuration),
	};

	return run_all(tests);
}
