/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-screen.c - what is looked at before a start: allowed commands and
 * arguments, core/launch/screen.c.
 */

#include "harness.h"

#include <sys/stat.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/conf.h"
#include "launch/screen.h"
#include "path/guard.h"

/* ---- Commands ------------------------------------------------------------ */

static struct omega_conf *
parse(const char *content)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();

	if (omega_conf_parse(
		conf, "x.conf", content, strlen(content), &error) != 0)
		fail_msg("%s", error.text);
	return conf;
}

static int
check(const struct omega_conf *conf, const char *program)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	int ret = omega_screen_program(
	    omega_conf_items(conf, OMEGA_OPTION_ALLOWED_COMMANDS),
	    omega_conf_items(conf, OMEGA_OPTION_SAFE_PATH), program, &error);

	if (ret == OMEGA_SANDBOX_E_REFUSED) {
		assert_non_null(strstr(error.text, program));
		assert_non_null(strstr(error.text, "allowed_commands"));
		assert_string_equal(error.file, "x.conf");
		assert_int_equal(error.line, 1);
	}
	return ret;
}

/* The system's cat, wherever it is. */
static const char *
real_cat(void)
{
	return access("/usr/bin/cat", X_OK) == 0 ? "/usr/bin/cat" : "/bin/cat";
}

static void
copy_program(const char *from, const char *to)
{
	assert_int_equal(system(text("cp %s %s", from, to)), 0);
	assert_int_equal(chmod(to, 0755), 0);
}

static void
test_an_empty_list_lets_all_pass(void **state)
{
	struct omega_conf *conf = parse("allowed_commands = {}");

	(void)state;
	assert_int_equal(check(conf, real_cat()), 0);
	omega_conf_free(conf);
}

static void
test_a_bare_name_is_the_program_of_the_system(void **state)
{
	struct omega_conf *conf = parse("allowed_commands = { cat, sh }");
	char *dir = text("%s", scratch_dir());
	char *cat = text("%s/cat", dir);

	(void)state;
	assert_int_equal(check(conf, real_cat()), 0);
	assert_int_equal(check(conf, text("/..%s", real_cat())), 0);
	assert_int_equal(check(conf, "/bin/sh"), 0);
	assert_int_equal(check(conf, "/bin/ls"), OMEGA_SANDBOX_E_REFUSED);
	/* Look-alikes: a copy, a symbolic link, a hard link, by that name. */
	copy_program(real_cat(), cat);
	assert_int_equal(check(conf, cat), OMEGA_SANDBOX_E_REFUSED);
	unlink(cat);
	make_link(real_cat(), cat);
	assert_int_equal(check(conf, cat), OMEGA_SANDBOX_E_REFUSED);
	unlink(cat);
	if (link(real_cat(), cat) == 0)
		assert_int_equal(check(conf, cat), OMEGA_SANDBOX_E_REFUSED);
	/* A directory that leads there is another name of the place. */
	make_link("/bin", text("%s/bin", dir));
	assert_int_equal(check(conf, text("%s/bin/cat", dir)),
	    strcmp(real_cat(), "/bin/cat") == 0 || access("/bin/cat", X_OK) == 0
		? 0
		: OMEGA_SANDBOX_E_REFUSED);
	omega_conf_free(conf);
}

static void
test_an_entry_with_a_slash_is_that_file(void **state)
{
	char *dir = text("%s", scratch_dir());
	struct omega_conf *conf;

	(void)state;
	make_dir(text("%s/a", dir));
	make_dir(text("%s/b", dir));
	copy_program(real_cat(), text("%s/a/tool-1.2", dir));
	make_link("tool-1.2", text("%s/a/tool", dir));
	make_link("a", text("%s/alias", dir));
	make_link("../a/tool", text("%s/b/tool", dir));
	make_hard_link(text("%s/a/tool-1.2", dir), text("%s/b/tool-1.2", dir));
	conf = parse(text("allowed_commands = { '%s/a/tool' }", dir));
	assert_int_equal(check(conf, text("%s/a/tool", dir)), 0);
	assert_int_equal(check(conf, text("%s/alias/tool", dir)), 0);
	assert_int_equal(check(conf, text("%s/b/../a/tool", dir)), 0);
	assert_int_equal(check(conf, text("%s/a/tool-1.2", dir)), 0);
	assert_int_equal(
	    check(conf, text("%s/b/tool", dir)), OMEGA_SANDBOX_E_REFUSED);
	assert_int_equal(
	    check(conf, text("%s/b/tool-1.2", dir)), OMEGA_SANDBOX_E_REFUSED);
	assert_int_equal(check(conf, real_cat()), OMEGA_SANDBOX_E_REFUSED);
	omega_conf_free(conf);
}

static void
test_every_file_must_allow_it(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	static const char second[] = "allowed_commands = { sh, ls }";
	static const char third[] = "allowed_commands = {}";
	struct omega_conf *conf = parse("allowed_commands = { sh, cat }");

	(void)state;
	assert_int_equal(omega_conf_parse(conf, "y.conf", second,
			     sizeof(second) - 1, &error),
	    0);
	assert_int_equal(
	    omega_conf_parse(conf, "z.conf", third, sizeof(third) - 1, &error),
	    0);
	assert_int_equal(check(conf, "/bin/sh"), 0);
	assert_int_equal(
	    omega_screen_program(
		omega_conf_items(conf, OMEGA_OPTION_ALLOWED_COMMANDS),
		omega_conf_items(conf, OMEGA_OPTION_SAFE_PATH), real_cat(),
		&error),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_string_equal(error.file, "y.conf");
	assert_int_equal(check(conf, "/bin/ls"), OMEGA_SANDBOX_E_REFUSED);
	omega_conf_free(conf);
}

/* In a user's child: a safe directory that is the user's own. */
static int
use_own_directory(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();
	char *dir = text("%s/own", (const char *)arg);
	char *content = text(
	    "allowed_commands = { tool }\nsafe_path = { '/usr/bin', '%s' }\n",
	    dir);

	need(mkdir(dir, 0755) == 0);
	need(system(text("cp /bin/sh %s/tool", dir)) == 0);
	need(omega_conf_parse(
		 conf, "x.conf", content, strlen(content), &error) == 0);
	need(omega_screen_program(
		 omega_conf_items(conf, OMEGA_OPTION_ALLOWED_COMMANDS),
		 omega_conf_items(conf, OMEGA_OPTION_SAFE_PATH),
		 text("%s/tool", dir), &error) == OMEGA_SANDBOX_E_TRUST);
	need(strstr(error.text, dir) != NULL);
	need(error.line == 2);
	omega_conf_free(conf);
	return 0;
}

static void
test_a_safe_directory_is_roots(void **state)
{
	char *dir = text("%s/open", scratch_dir());

	(void)state;
	make_dir(dir);
	assert_int_equal(chmod(dir, 01777), 0);
	assert_int_equal(in_user_child(use_own_directory, dir), 0);
}

/* ---- Arguments ----------------------------------------------------------- */

static int
look(const char *data_dir, const char *dir, const char *argument)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_guard guard = {.capacity = 0};
	struct omega_sandbox_guard *made = calloc(1, sizeof(guard));
	struct omega_command command;
	int ret;

	assert_non_null(made);
	assert_int_equal(omega_guard_block_name(made, OMEGA_SANDBOX_READ,
			     text("%s/data", data_dir), "built in", 0),
	    0);
	assert_int_equal(omega_guard_block_name(made, OMEGA_SANDBOX_READ,
			     text("%s/keys", data_dir), "x.conf", 7),
	    0);
	assert_int_equal(omega_command_init(&command, "/bin/sh", &error), 0);
	assert_int_equal(omega_command_add_arg(&command, "plain"), 0);
	assert_int_equal(omega_command_add_arg(&command, argument), 0);
	ret = omega_screen_arguments(made, &command, dir, &error);
	if (ret == OMEGA_SANDBOX_E_REFUSED) {
		if (strstr(error.text, "argument 2 names ") == NULL)
			fail_msg("%s", error.text);
		assert_non_null(strstr(error.text,
		    error.line == 7 ? "/keys (x.conf:7)" : "/data (built in)"));
	} else {
		assert_int_equal(ret, 0);
	}
	omega_command_drop(&command);
	omega_guard_free(made);
	return ret;
}

static void
test_arguments_that_name_what_is_blocked(void **state)
{
	static const char *const refused[] = {"%D/data", "%D/data/x",
	    "%D/data/../data/x", "%D/./data", "%D/keys", "--file=%D/data/x",
	    "if=%D/data/x", "--a=b=%D/keys", "-I%D/data", "-f=%D/data",
	    "@%D/data/x", "--data=@%D/data/x", "file://%D/data/x",
	    "FILE:%D/data/x", "file://localhost%D/data/x",
	    "--url=file://%D/d%61ta/x?y", "data", "data/x", "./data/x",
	    "work/../data", "--file=data/x", "-Idata", "%D/work/../data/none"};
	static const char *const passing[] = {"", "-", "--", "%D", "%D/work",
	    "%D/database", "data2", "keysx", "s/data/x/g;", "echo %D/data",
	    "--file", "-i", "http://%D/data", "file:", "file://", "@", "=",
	    "work", "%D/none/../../x", "%D/link", "link/x", "--f=%D/link", "-c",
	    "status"};
	char *dir = strdup(scratch_dir());
	size_t i;

	(void)state;
	make_dir(text("%s/data", dir));
	make_dir(text("%s/work", dir));
	make_file(text("%s/keys", dir), "secret");
	/* A command may have made them, to stop the next one. */
	make_link("data", text("%s/link", dir));
	make_link("data", text("%s/-c", dir));
	make_link("data", text("%s/status", dir));
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]) +
			    sizeof(passing) / sizeof(passing[0]);
	     i++) {
		size_t count = sizeof(refused) / sizeof(refused[0]);
		const char *form = i < count ? refused[i] : passing[i - count];
		const char *mark = strstr(form, "%D");
		char *argument = mark == NULL
				     ? text("%s", form)
				     : text("%.*s%s%s", (int)(mark - form),
					   form, dir, mark + 2);
		int ret = look(dir, dir, argument);

		if ((ret != 0) != (i < count))
			fail_msg("%s: %d", form, ret);
	}
	/* Relative to where the command is to run, not to where we are. */
	assert_int_equal(look(dir, "/", "data"), 0);
	assert_int_equal(
	    look(dir, "/", text("%s/data", dir + 1)), OMEGA_SANDBOX_E_REFUSED);
	assert_int_equal(look(dir, text("%s/work", dir), "../data"),
	    OMEGA_SANDBOX_E_REFUSED);
	free(dir);
}

/* What is denied leads to everything: that is not the arguments' fault. */
static void
test_where_a_denied_name_leads_is_no_matter(void **state)
{
	char *dir = text("%s", scratch_dir());

	(void)state;
	make_link("/", text("%s/data", dir));
	assert_int_equal(look(dir, dir, "/usr"), 0);
	assert_int_equal(look(dir, dir, "x"), 0);
	assert_int_equal(look(dir, dir, "data/x"), OMEGA_SANDBOX_E_REFUSED);
}

static void
test_long_arguments_are_no_paths(void **state)
{
	size_t len = 200000;
	char *argument = malloc(len + 1);
	char *dir = text("%s", scratch_dir());

	(void)state;
	memset(argument, 'x', len);
	argument[len] = '\0';
	assert_int_equal(look(dir, dir, argument), 0);
	memset(argument, '@', 1000);
	assert_int_equal(look(dir, dir, argument), 0);
	memset(argument, '=', 1000);
	assert_int_equal(look(dir, dir, argument), 0);
	free(argument);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_an_empty_list_lets_all_pass),
	    cmocka_unit_test(test_a_bare_name_is_the_program_of_the_system),
	    cmocka_unit_test(test_an_entry_with_a_slash_is_that_file),
	    cmocka_unit_test(test_every_file_must_allow_it),
	    cmocka_unit_test(test_a_safe_directory_is_roots),
	    cmocka_unit_test(test_arguments_that_name_what_is_blocked),
	    cmocka_unit_test(test_where_a_denied_name_leads_is_no_matter),
	    cmocka_unit_test(test_long_arguments_are_no_paths),
	};

	return run_all(tests);
}
