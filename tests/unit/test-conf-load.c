/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-conf-load.c - configuration as files: which are read, in which order,
 * and which are not believed. core/conf/load.c.
 */

#include "conf/kinds.h"
#include "harness.h"

#include <sys/stat.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/conf.h"

/* A directory of our own, where nobody else may write. */
static const char *
make_etc(void)
{
	const char *dir = scratch_dir();
	const char *etc = text("%s/omega", dir);

	chmod(dir, 0755);
	make_dir(etc);
	chmod(etc, 0755);
	return etc;
}

static void
make_conf(const char *path, const char *content)
{
	make_file(path, content);
	chmod(path, 0644);
}

/* sandbox.conf and sandbox.d of etc; texts last for a few calls. */
static int
load(const char *etc, struct omega_conf **conf,
    struct omega_sandbox_error *error)
{
	struct omega_conf_paths paths = {
	    .file = text("%s/sandbox.conf", etc),
	    .dropin = text("%s/sandbox.d", etc),
	};

	*conf = NULL;
	return omega_conf_load(&paths, conf, error);
}

static int
load_explicit(const char *file, struct omega_conf **conf,
    struct omega_sandbox_error *error)
{
	struct omega_conf_paths paths = {.file = file, .is_explicit = true};

	*conf = NULL;
	return omega_conf_load(&paths, conf, error);
}

static void
assert_fails(const char *etc, int code, const char *file, uint32_t line,
    const char *message)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = NULL;
	int before = count_descriptors();

	assert_int_equal(load(etc, &conf, &error), code);
	assert_null(conf);
	assert_int_equal(error.code, code);
	assert_int_equal(error.line, line);
	assert_string_equal(error.file, file);
	if (strstr(error.text, message) == NULL)
		fail_msg("%s", error.text);
	assert_int_equal(load(etc, &conf, NULL), code);
	assert_int_equal(count_descriptors(), before);
}

static void
test_no_file_gives_defaults(void **state)
{
	struct omega_conf *conf;

	(void)state;
	assert_int_equal(load("/nonexistent/omega", &conf, NULL), 0);
	assert_int_equal(conf->files.count, 0);
	assert_true(omega_conf_is(conf, OMEGA_OPTION_ENABLED));
	assert_true(omega_conf_is(conf, OMEGA_OPTION_FAIL_CLOSED));
	assert_true(omega_conf_is(conf, OMEGA_OPTION_ALLOW_ROOT));
	assert_false(omega_conf_is(conf, OMEGA_OPTION_LOG));
	assert_int_equal(omega_conf_number(conf, OMEGA_OPTION_ACCEPT),
	    omega_kinds_accepted_by_default());
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BACKEND)->count, 0);
	assert_null(omega_conf_first(conf, OMEGA_OPTION_DATA_DIR)->text);
	omega_conf_free(conf);
}

static void
test_dropins_are_read_in_order_of_bytes(void **state)
{
	static const char *const names[] = {
	    "90.conf", "10.conf", "A.conf", "a.conf", "\xc3\xa4.conf"};
	static const char *const expected[] = {"", "sandbox.d/10.conf",
	    "sandbox.d/90.conf", "sandbox.d/A.conf", "sandbox.d/a.conf",
	    "sandbox.d/\xc3\xa4.conf"};
	const char *etc = make_etc();
	struct omega_conf *conf;
	size_t i;
	int before = count_descriptors();

	(void)state;
	make_conf(text("%s/sandbox.conf", etc), "blocked_paths = { '/0' }\n");
	for (i = 0; i < 5; i++)
		make_conf(text("%s/sandbox.d/%s", etc, names[i]),
		    text("blocked_paths = { \"/%s\" }\n", names[i]));
	assert_int_equal(load(etc, &conf, NULL), 0);
	assert_int_equal(conf->files.count, 6);
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->count, 6);
	assert_string_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->items[0].text,
	    "/0");
	for (i = 1; i < 6; i++) {
		const struct omega_conf_text *path =
		    &omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)
			 ->items[i];

		assert_string_equal(
		    conf->files.items[i].text, text("%s/%s", etc, expected[i]));
		assert_string_equal(path->file, conf->files.items[i].text);
		assert_int_equal(path->line, 1);
	}
	omega_conf_free(conf);
	assert_int_equal(count_descriptors(), before);
}

static void
test_other_names_are_no_dropins(void **state)
{
	static const char *const names[] = {".hidden.conf", ".conf", "README",
	    "a.conf~", "a.conf.dpkg-new", "a.CONF", "conf", "xconf"};
	const char *etc = make_etc();
	struct omega_conf *conf;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		make_conf(text("%s/sandbox.d/%s", etc, names[i]), "nonsense\n");
	make_dir(text("%s/sandbox.d/dir", etc));
	assert_int_equal(load(etc, &conf, NULL), 0);
	assert_int_equal(conf->files.count, 0);
	omega_conf_free(conf);
}

static void
test_dropins_work_without_a_main_file(void **state)
{
	const char *etc = make_etc();
	struct omega_conf *conf;

	(void)state;
	make_conf(text("%s/sandbox.d/a.conf", etc), "enabled = false\n");
	assert_int_equal(load(etc, &conf, NULL), 0);
	assert_int_equal(conf->files.count, 1);
	assert_false(omega_conf_is(conf, OMEGA_OPTION_ENABLED));
	omega_conf_free(conf);
}

static void
test_a_dropin_cannot_loosen(void **state)
{
	const char *etc = make_etc();
	struct omega_conf *conf;

	(void)state;
	make_conf(text("%s/sandbox.conf", etc),
	    "enabled = false\nfail_closed = true\nallow_root = false\n"
	    "accept = {}\nblocked_paths = { '/a' }\n");
	make_conf(text("%s/sandbox.d/a.conf", etc),
	    "enabled = true\nfail_closed = false\nallow_root = true\n"
	    "accept = { metadata, terminal }\nblocked_paths = {}\n");
	assert_int_equal(load(etc, &conf, NULL), 0);
	assert_false(omega_conf_is(conf, OMEGA_OPTION_ENABLED));
	assert_true(omega_conf_is(conf, OMEGA_OPTION_FAIL_CLOSED));
	assert_false(omega_conf_is(conf, OMEGA_OPTION_ALLOW_ROOT));
	assert_int_equal(omega_conf_number(conf, OMEGA_OPTION_ACCEPT), 0);
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->count, 1);
	omega_conf_free(conf);
}

static void
test_faults_name_their_file(void **state)
{
	const char *etc = make_etc();
	char *main_file = strdup(text("%s/sandbox.conf", etc));
	char *dropin = strdup(text("%s/sandbox.d/a.conf", etc));

	(void)state;
	make_conf(main_file, "\nlog = none\n");
	make_conf(dropin, "\n\nlog = none\n");
	assert_fails(etc, OMEGA_SANDBOX_E_CONFIG, dropin, 3,
	    text("%s:3: log is already set at %s:2", dropin, main_file));
	make_conf(main_file, "\n\n\nlog = loud\n");
	assert_fails(etc, OMEGA_SANDBOX_E_CONFIG, main_file, 4,
	    text("%s:4: log is \"none\" or \"syslog\"", main_file));
	free(main_file);
	free(dropin);
}

static void
test_a_dangling_link_is_not_missing(void **state)
{
	const char *etc = make_etc();
	char *file = strdup(text("%s/sandbox.conf", etc));
	char *dropin = strdup(text("%s/sandbox.d/a.conf", etc));

	(void)state;
	make_link("gone", file);
	assert_fails(etc, OMEGA_SANDBOX_E_SYSTEM, file, 0, "gone");
	unlink(file);
	make_link("gone", dropin);
	assert_fails(etc, OMEGA_SANDBOX_E_SYSTEM, dropin, 0, "gone");
	free(file);
	free(dropin);
}

static void
test_untrusted_files_are_not_read(void **state)
{
	const char *etc = make_etc();
	char *file = strdup(text("%s/sandbox.conf", etc));
	char *dir = strdup(text("%s/sandbox.d", etc));
	char *dropin = strdup(text("%s/sandbox.d/a.conf", etc));

	(void)state;
	make_conf(file, "enabled = false\n");
	make_conf(dropin, "enabled = false\n");
	chmod(file, 0666);
	assert_fails(etc, OMEGA_SANDBOX_E_TRUST, file, 0, "chmod go-w");
	chmod(file, 0664);
	assert_fails(etc, OMEGA_SANDBOX_E_TRUST, file, 0, "chmod go-w");
	chmod(file, 0644);
	chmod(dropin, 0646);
	assert_fails(etc, OMEGA_SANDBOX_E_TRUST, dropin, 0, "chmod go-w");
	chmod(dropin, 0644);
	chmod(dir, 0777);
	assert_fails(etc, OMEGA_SANDBOX_E_TRUST, dir, 0, "chmod go-w");
	chmod(dir, 0755);
	chmod(etc, 0777);
	assert_fails(etc, OMEGA_SANDBOX_E_TRUST, file, 0, "chmod go-w");
	chmod(etc, 0755);
	free(file);
	free(dir);
	free(dropin);
}

static void
test_only_regular_files_are_read(void **state)
{
	const char *etc = make_etc();
	char *dropin = strdup(text("%s/sandbox.d/a.conf", etc));

	(void)state;
	make_dir(dropin);
	assert_fails(
	    etc, OMEGA_SANDBOX_E_TRUST, dropin, 0, "not a regular file");
	rmdir(dropin);
	assert_int_equal(mkfifo(dropin, 0644), 0);
	assert_fails(
	    etc, OMEGA_SANDBOX_E_TRUST, dropin, 0, "not a regular file");
	free(dropin);
}

static void
test_a_file_for_the_directory_is_an_error(void **state)
{
	const char *etc = make_etc();
	char *dir = strdup(text("%s/sandbox.d", etc));

	(void)state;
	make_conf(dir, "");
	assert_fails(etc, OMEGA_SANDBOX_E_TRUST, dir, 0, "not a directory");
	free(dir);
}

static void
test_an_explicit_file_is_alone(void **state)
{
	const char *etc = make_etc();
	struct omega_conf_paths paths = {
	    .file = text("%s/own.conf", etc),
	    .dropin = text("%s/sandbox.d", etc),
	    .is_explicit = true,
	};
	struct omega_conf *conf;

	(void)state;
	make_conf(paths.file, "enabled = false\n");
	make_conf(text("%s/sandbox.d/a.conf", etc), "nonsense\n");
	assert_int_equal(omega_conf_load(&paths, &conf, NULL), 0);
	assert_int_equal(conf->files.count, 1);
	assert_string_equal(conf->files.items[0].text, paths.file);
	assert_false(omega_conf_is(conf, OMEGA_OPTION_ENABLED));
	omega_conf_free(conf);
}

static void
test_an_explicit_file_must_exist(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	const char *etc = make_etc();
	char *file = text("%s/none.conf", etc);
	struct omega_conf *conf;

	(void)state;
	assert_int_equal(
	    load_explicit(file, &conf, &error), OMEGA_SANDBOX_E_CONFIG);
	assert_null(conf);
	assert_string_equal(error.file, file);
	assert_string_equal(
	    error.text, text("%s: there is no such file", file));
	assert_int_equal(
	    load_explicit("", &conf, &error), OMEGA_SANDBOX_E_CONFIG);
	assert_null(conf);
}

static int
load_relative(void *arg)
{
	struct omega_conf *conf;
	int ret;

	if (chdir(arg) != 0 || load_explicit("own.conf", &conf, NULL) != 0)
		return 1;
	ret = omega_conf_is(conf, OMEGA_OPTION_ENABLED) ||
	      conf->files.items[0].text[0] != '/';
	omega_conf_free(conf);
	if (load_explicit("sub/../own.conf", &conf, NULL) != 0)
		return 2;
	omega_conf_free(conf);
	return ret;
}

static void
test_an_explicit_file_may_be_relative(void **state)
{
	char *etc = strdup(make_etc());

	(void)state;
	make_conf(text("%s/own.conf", etc), "enabled = false\n");
	make_dir(text("%s/sub", etc));
	assert_int_equal(in_child(load_relative, etc), 0);
	free(etc);
}

static int
load_in_removed_directory(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf;

	if (chdir(arg) != 0 || rmdir(arg) != 0)
		return 1;
	return load_explicit("own.conf", &conf, &error) ==
			   OMEGA_SANDBOX_E_SYSTEM &&
		       error.sys_errno == ENOENT
		   ? 0
		   : 2;
}

static void
test_no_working_directory_no_relative_file(void **state)
{
	char *etc = strdup(make_etc());

	(void)state;
	assert_int_equal(in_child(load_in_removed_directory, etc), 0);
	free(etc);
}

static void
test_a_file_too_big_is_an_error(void **state)
{
	const char *etc = make_etc();
	char *file = strdup(text("%s/sandbox.conf", etc));

	(void)state;
	make_conf(file, "");
	assert_int_equal(truncate(file, 1L << 40), 0);
	assert_fails(etc, OMEGA_SANDBOX_E_CONFIG, file, 0,
	    "more than 1048576 bytes are not read");
	free(file);
}

/* As an ordinary user, whose files are believed but are not root's. */
static int
load_own(void *arg)
{
	struct omega_conf *conf;
	const char *etc = arg;

	umask(022);
	if (load(etc, &conf, NULL) != 0)
		return 1;
	/* Nothing is there, but the user could put it there: it is the
	 * directory that is to be kept. */
	if (conf->changeable.count != 1 ||
	    strcmp(conf->changeable.items[0].text, etc) != 0)
		return 2;
	omega_conf_free(conf);
	make_conf(text("%s/sandbox.d/a.conf", etc), "enabled = false\n");
	if (load(etc, &conf, NULL) != 0)
		return 3;
	if (conf->changeable.count != 3 ||
	    omega_conf_is(conf, OMEGA_OPTION_ENABLED))
		return 4;
	omega_conf_free(conf);
	return 0;
}

static void
test_what_is_not_roots_is_told(void **state)
{
	char *etc = strdup(make_etc());

	(void)state;
	if (getuid() == 0)
		assert_int_equal(chown(etc, SPARE_UID, SPARE_UID), 0);
	assert_int_equal(in_user_child(load_own, etc), 0);
	free(etc);
}

/* Without the directory there are but the names. */
static int
load_nothing(void *arg)
{
	struct omega_conf *conf;
	const char *etc = text("%s/none", (const char *)arg);

	if (load(etc, &conf, NULL) != 0)
		return 1;
	if (conf->changeable.count != 2 ||
	    strcmp(conf->changeable.items[0].text,
		text("%s/sandbox.conf", etc)) != 0 ||
	    strcmp(conf->changeable.items[1].text, text("%s/sandbox.d", etc)) !=
		0)
		return 2;
	omega_conf_free(conf);
	return 0;
}

static void
test_what_has_no_directory_is_told_by_name(void **state)
{
	char *etc = strdup(make_etc());

	(void)state;
	if (getuid() == 0)
		assert_int_equal(chown(etc, SPARE_UID, SPARE_UID), 0);
	assert_int_equal(in_user_child(load_nothing, etc), 0);
	free(etc);
}

/* A command of root's has root's rights. */
static void
test_for_root_nothing_is_roots_alone(void **state)
{
	const char *etc = make_etc();
	struct omega_conf *conf;

	(void)state;
	if (getuid() != 0)
		skip_because("this is about root");
	make_conf(text("%s/sandbox.conf", etc), "");
	make_conf(text("%s/sandbox.d/a.conf", etc), "");
	assert_int_equal(load(etc, &conf, NULL), 0);
	assert_int_equal(conf->changeable.count, 3);
	assert_string_equal(
	    conf->changeable.items[0].text, text("%s/sandbox.conf", etc));
	omega_conf_free(conf);
}

static int
load_roots(void *arg)
{
	struct omega_conf *conf;

	if (load(arg, &conf, NULL) != 0)
		return 1;
	if (conf->changeable.count != 0)
		return 2;
	omega_conf_free(conf);
	return 0;
}

static void
test_roots_own_need_no_protection(void **state)
{
	static char nowhere[] = "/nonexistent/omega";
	struct stat st;

	(void)state;
	if (stat("/", &st) != 0 || st.st_uid != 0)
		skip_because("/ is not root's here");
	assert_int_equal(in_user_child(load_roots, nowhere), 0);
}

/* Somebody else's file, however tight its mode. */
static void
test_files_of_others_are_not_read(void **state)
{
	const char *etc = make_etc();
	char *file = strdup(text("%s/sandbox.conf", etc));

	(void)state;
	if (getuid() != 0)
		skip_because("only root can give a file away");
	make_conf(file, "enabled = false\n");
	assert_int_equal(chown(file, SPARE_UID, 0), 0);
	assert_fails(etc, OMEGA_SANDBOX_E_TRUST, file, 0, "belongs to");
	free(file);
}

static int
load_unreadable(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf;

	return load(arg, &conf, &error) == OMEGA_SANDBOX_E_SYSTEM &&
		       error.sys_errno == EACCES
		   ? 0
		   : 1;
}

static void
test_an_unreadable_file_is_an_error(void **state)
{
	char *etc = strdup(make_etc());

	(void)state;
	make_conf(text("%s/sandbox.conf", etc), "");
	chmod(text("%s/sandbox.conf", etc), 0);
	assert_int_equal(in_user_child(load_unreadable, etc), 0);
	free(etc);
}

static void
test_installed_paths_are_below_sysconfdir(void **state)
{
	(void)state;
	assert_string_equal(
	    omega_conf_installed.file, OMEGA_SYSCONFDIR "/omega/sandbox.conf");
	assert_string_equal(
	    omega_conf_installed.dropin, OMEGA_SYSCONFDIR "/omega/sandbox.d");
	assert_false(omega_conf_installed.is_explicit);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_file_gives_defaults),
	    cmocka_unit_test(test_dropins_are_read_in_order_of_bytes),
	    cmocka_unit_test(test_other_names_are_no_dropins),
	    cmocka_unit_test(test_dropins_work_without_a_main_file),
	    cmocka_unit_test(test_a_dropin_cannot_loosen),
	    cmocka_unit_test(test_faults_name_their_file),
	    cmocka_unit_test(test_a_dangling_link_is_not_missing),
	    cmocka_unit_test(test_untrusted_files_are_not_read),
	    cmocka_unit_test(test_only_regular_files_are_read),
	    cmocka_unit_test(test_a_file_for_the_directory_is_an_error),
	    cmocka_unit_test(test_an_explicit_file_is_alone),
	    cmocka_unit_test(test_an_explicit_file_must_exist),
	    cmocka_unit_test(test_an_explicit_file_may_be_relative),
	    cmocka_unit_test(test_no_working_directory_no_relative_file),
	    cmocka_unit_test(test_a_file_too_big_is_an_error),
	    cmocka_unit_test(test_what_is_not_roots_is_told),
	    cmocka_unit_test(test_what_has_no_directory_is_told_by_name),
	    cmocka_unit_test(test_for_root_nothing_is_roots_alone),
	    cmocka_unit_test(test_roots_own_need_no_protection),
	    cmocka_unit_test(test_files_of_others_are_not_read),
	    cmocka_unit_test(test_an_unreadable_file_is_an_error),
	    cmocka_unit_test(test_installed_paths_are_below_sysconfdir),
	};

	/* What is made here must be ours alone to write. */
	umask(022);
	return run_all(tests);
}
