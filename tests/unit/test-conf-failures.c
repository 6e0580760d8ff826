/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-conf-failures.c - configuration when what it stands on fails: memory,
 * libconfuse, the password database, reading. Every failure is reported and
 * leaves nothing behind (which the address sanitizer and valgrind see).
 *
 * The linker leads the core's own calls here (--wrap); libconfuse's
 * allocations go their usual way, since it ends the process when it gets no
 * memory.
 */

#include "harness.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <confuse.h>

#include "conf/conf.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *from);
char *__real_strndup(const char *from, size_t len);
FILE *__real_fmemopen(void *buffer, size_t size, const char *mode);
int __real_cfg_parse_fp(cfg_t *cfg, FILE *stream);
int __real_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer,
    size_t size, struct passwd **found);
ssize_t __real_read(int fd, void *buffer, size_t size);
DIR *__real_fdopendir(int fd);
char *__real_getcwd(char *buffer, size_t size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *from);
char *__wrap_strndup(const char *from, size_t len);
FILE *__wrap_fmemopen(void *buffer, size_t size, const char *mode);
int __wrap_cfg_parse_fp(cfg_t *cfg, FILE *stream);
int __wrap_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer,
    size_t size, struct passwd **found);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
DIR *__wrap_fdopendir(int fd);
char *__wrap_getcwd(char *buffer, size_t size);

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

/* Which of the following do not work, and how. */
static struct {
	bool is_parse_skipped;
	bool is_parse_refused;
	int passwd;
	int read;
	int directory;
	int getcwd;
	const char *cwd;
} broken;

int
__wrap_cfg_parse_fp(cfg_t *cfg, FILE *stream)
{
	if (broken.is_parse_refused) {
		cfg_error(cfg, "line %d is %s", 7, "odd");
		return CFG_PARSE_ERROR;
	}
	return broken.is_parse_skipped ? CFG_SUCCESS
				       : __real_cfg_parse_fp(cfg, stream);
}

int
__wrap_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t size,
    struct passwd **found)
{
	*found = NULL;
	return broken.passwd != 0
		   ? broken.passwd
		   : __real_getpwuid_r(uid, entry, buffer, size, found);
}

ssize_t
__wrap_read(int fd, void *buffer, size_t size)
{
	struct statfs st;

	/* A file is meant, not who has which number in a user namespace. */
	if (broken.read == 0 ||
	    (fstatfs(fd, &st) == 0 && st.f_type == PROC_SUPER_MAGIC))
		return __real_read(fd, buffer, size);
	errno = broken.read;
	return -1;
}

DIR *
__wrap_fdopendir(int fd)
{
	errno = broken.directory;
	return broken.directory != 0 ? NULL : __real_fdopendir(fd);
}

char *
__wrap_getcwd(char *buffer, size_t size)
{
	errno = broken.getcwd;
	if (broken.getcwd != 0)
		return NULL;
	if (broken.cwd != NULL)
		return strcpy(buffer, broken.cwd);
	return __real_getcwd(buffer, size);
}

static void
mend(void)
{
	memset(&broken, 0, sizeof(broken));
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

static void
assert_parse_fails(const char *content, int code, const char *message)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();
	int ret;

	ret = omega_conf_parse(conf, "x", content, strlen(content), &error);
	mend();
	assert_int_equal(ret, code);
	assert_int_equal(error.code, code);
	if (strstr(error.text, message) == NULL)
		fail_msg("%s", error.text);
	omega_conf_free(conf);
}

/* Whatever libconfuse does: a setting is not lost in silence. */
static void
test_libconfuse_must_find_the_same(void **state)
{
	(void)state;
	broken.is_parse_skipped = true;
	assert_parse_fails("enabled = false\n", OMEGA_SANDBOX_E_CONFIG,
	    "x: libconfuse did not find the same settings in it");
	broken.is_parse_skipped = true;
	assert_parse_fails("plugin a { b = c }\n", OMEGA_SANDBOX_E_CONFIG,
	    "x: libconfuse did not find the same settings in it");
	broken.is_parse_refused = true;
	assert_parse_fails("enabled = false\n", OMEGA_SANDBOX_E_CONFIG,
	    "x: libconfuse did not find the same settings in it; does "
	    "another thread use libconfuse? line 7 is odd");
}

static void
test_a_silent_password_database_is_an_error(void **state)
{
	(void)state;
	broken.passwd = EIO;
	assert_parse_fails("\ndata_dir = '~/x'\n", OMEGA_SANDBOX_E_SYSTEM,
	    "x:2: data_dir: the home directory cannot be looked up: ");
	broken.passwd = ERANGE;
	assert_parse_fails("\ndata_dir = '~/x'\n", OMEGA_SANDBOX_E_SYSTEM,
	    "x:2: data_dir: the home directory cannot be looked up: ");
	broken.passwd = ESRCH;
	assert_parse_fails("\ndata_dir = '~'\n", OMEGA_SANDBOX_E_CONFIG,
	    "x:2: data_dir: '~' has no meaning: user ");
}

static void
assert_load_fails(const struct omega_conf_paths *paths, int sys_errno)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = NULL;
	int before = count_descriptors();
	int ret;

	ret = omega_conf_load(paths, &conf, &error);
	mend();
	assert_int_equal(ret, OMEGA_SANDBOX_E_SYSTEM);
	assert_null(conf);
	assert_int_equal(error.code, OMEGA_SANDBOX_E_SYSTEM);
	assert_int_equal(error.sys_errno, sys_errno);
	assert_true(error.file[0] != '\0');
	assert_int_equal(count_descriptors(), before);
}

static void
test_what_cannot_be_read_is_an_error(void **state)
{
	const char *etc = scratch_dir();
	struct omega_conf_paths paths = {
	    .file = text("%s/sandbox.conf", etc),
	    .dropin = text("%s/sandbox.d", etc),
	};
	const struct omega_conf_paths relative = {
	    .file = "own.conf", .is_explicit = true};

	(void)state;
	chmod(etc, 0755);
	make_file(paths.file, "");
	make_dir(paths.dropin);
	broken.read = EIO;
	assert_load_fails(&paths, EIO);
	broken.directory = EMFILE;
	assert_load_fails(&paths, EMFILE);
	broken.getcwd = EACCES;
	assert_load_fails(&relative, EACCES);
	broken.cwd = "(unreachable)/x";
	assert_load_fails(&relative, ENOENT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parsing_reports_every_shortage),
	    cmocka_unit_test(test_loading_reports_every_shortage),
	    cmocka_unit_test(test_no_memory_no_configuration),
	    cmocka_unit_test(test_libconfuse_must_find_the_same),
	    cmocka_unit_test(test_a_silent_password_database_is_an_error),
	    cmocka_unit_test(test_what_cannot_be_read_is_an_error),
	};

	/* What is made here must be ours alone to write. */
	umask(022);
	return run_all(tests);
}
