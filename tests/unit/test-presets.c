/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-presets.c - the shipped policies by function, references to what a host
 * holds, and the settings a host can read: each as the header says.
 */

#include "harness.h"

#include <sys/stat.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "home.h"
#include "plugins.h"
#include "shipped.h"

static const char conf[] = "backend = mock-good\n"
			   "fail_closed = false\n"
			   "witness = off\n"
			   "allow_sockets = { \"/run/one\", \"/run/two\" }\n"
			   "allow_devices = { \"/dev/kvm\" }\n"
			   "env_deny = { \"A_*\", \"B\" }\n"
			   "env_set = { \"C=1\" }\n"
			   "audit = \"/var/log/omega/audit.log\"\n"
			   "audit_failure = warn\n"
			   "max_execution_time_secs = 90\n";

/* A path nobody has made, and no policy is about. */
#define NOWHERE "/omega-test-nowhere"

struct ground {
	struct omega_sandbox *sandbox;
	char *file; /* the configuration */
	char *home;
	const char *work;
	char *data;
};

/* A directory that is there, and neither the system's nor for temporary files,
 * to which all of them may write. Nothing is made in it. */
static const char *
find_work(void)
{
	static const char *const usual[] = {"/mnt", "/srv", "/media", "/home"};
	size_t i;

	for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (access(usual[i], F_OK) == 0)
			return usual[i];
	skip_because("there is none of /mnt, /srv, /media and /home");
	return NULL;
}

static void
make_ground(struct ground *ground)
{
	char *base = scratch_dir();

	chmod(base, 0755);
	ground->file = text("%s/sandbox.conf", base);
	ground->home = text("%s/home", base);
	ground->work = find_work();
	ground->data = text("%s/home/data", base);
	make_file(ground->file, conf);
	make_file(text("%s/data/memory.db", ground->data), "secret");
	home_set(ground->home);
	ground->sandbox = shipped_open(base, ground->file, plugin_dir());
	assert_non_null(ground->sandbox);
}

static bool
is_allowed(
    struct omega_sandbox_policy *policy, unsigned access, const char *path)
{
	struct omega_sandbox_judgement judgement = OMEGA_SANDBOX_JUDGEMENT_INIT;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	if (omega_sandbox_policy_judge(
		policy, NULL, access, path, &judgement, &error) < 0)
		fail_msg("%s: %s", path, error.text);
	return judgement.is_allowed;
}

#define may_read(policy, path) is_allowed(policy, OMEGA_SANDBOX_READ, path)
#define may_write(policy, path) is_allowed(policy, OMEGA_SANDBOX_WRITE, path)

static const struct preset {
	const char *name;
	bool is_strict; /* reads what programs need, not all */
	bool has_work; /* and may write to it */
} presets[] = {
    {"tool", false, true},
    {"mcp", false, false},
    {"strict", true, true},
};

#define PRESETS (sizeof(presets) / sizeof(presets[0]))

static struct omega_sandbox_policy *
make_policy(const struct ground *ground, const struct preset *preset,
    const char *work, const char *data)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy = NULL;

	if (omega_sandbox_policy_new(
		ground->sandbox, preset->name, &policy, &error) != 0 ||
	    omega_sandbox_policy_set(policy, "work_dir", work, &error) != 0 ||
	    (data != NULL && omega_sandbox_policy_set(
				 policy, "data_dir", data, &error) != 0))
		fail_msg("%s: %s", preset->name, error.text);
	return policy;
}

static void
test_presets_are_what_they_say(void **state)
{
	struct ground ground;
	size_t i;

	(void)state;
	make_ground(&ground);
	for (i = 0; i < PRESETS; i++) {
		const struct preset *preset = &presets[i];
		struct omega_sandbox_policy *policy =
		    make_policy(&ground, preset, ground.work, ground.data);
		char *secret = text("%s/data/memory.db", ground.data);

		assert_int_equal(may_write(policy, text("%s/new", ground.work)),
		    preset->has_work);
		assert_int_equal(
		    may_read(policy, NOWHERE "/x"), !preset->is_strict);
		assert_false(may_write(policy, NOWHERE "/x"));
		assert_true(may_write(policy, "/var/tmp/x"));
		assert_true(may_read(policy, "/usr/bin/env"));
		assert_false(may_read(policy, secret));
		/* The whole of it, not its data alone. */
		assert_false(may_read(policy, text("%s/x", ground.data)));
		omega_sandbox_policy_unref(policy);
	}
	omega_sandbox_unref(ground.sandbox);
}

/* No work directory: there is none to write to, and all else holds. */
static void
test_no_work_directory_is_none(void **state)
{
	struct ground ground;
	size_t i;

	(void)state;
	make_ground(&ground);
	for (i = 0; i < PRESETS; i++) {
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct omega_sandbox_policy *policy =
		    make_policy(&ground, &presets[i], "none", ground.data);
		struct omega_sandbox_prepared *prepared = NULL;

		assert_false(may_write(policy, text("%s/new", ground.work)));
		assert_true(may_write(policy, "/var/tmp/x"));
		assert_false(may_read(policy, text("%s/x", ground.data)));
		if (omega_sandbox_prepare(policy, &prepared, &error) != 0)
			fail_msg("%zu: %s", i, error.text);
		omega_sandbox_prepared_unref(prepared);
		/* One that is given later counts. */
		assert_int_equal(omega_sandbox_policy_set(
				     policy, "work_dir", ground.work, &error),
		    0);
		assert_int_equal(may_write(policy, text("%s/new", ground.work)),
		    presets[i].has_work);
		omega_sandbox_policy_unref(policy);
	}
	omega_sandbox_unref(ground.sandbox);
}

/* Who asks for the policy by name and forgets the directory is told. */
static void
test_forgotten_work_directory_is_an_error(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct ground ground;

	(void)state;
	make_ground(&ground);
	assert_int_equal(
	    omega_sandbox_policy_new(ground.sandbox, "tool", &policy, &error),
	    0);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "data_dir", ground.data, &error),
	    0);
	assert_int_equal(omega_sandbox_prepare(policy, &prepared, &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_non_null(strstr(error.text, "no work directory"));
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(ground.sandbox);
}

/* data_dir: the configured one, none on purpose, and one that comes later. */
static void
test_data_directories(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy;
	struct ground ground;
	char *usual;

	(void)state;
	make_ground(&ground);
	usual = text("%s/.omega/data/memory.db", ground.home);
	make_file(usual, "secret");
	policy = make_policy(&ground, &presets[0], ground.work, NULL);
	assert_false(may_read(policy, usual));
	assert_true(may_read(policy, text("%s/x", ground.data)));
	omega_sandbox_policy_unref(policy);

	policy = make_policy(&ground, &presets[0], ground.work, "none");
	assert_true(may_read(policy, usual));
	assert_true(may_read(policy, text("%s/x", ground.data)));
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "data_dir", ground.data, &error),
	    0);
	assert_false(may_read(policy, text("%s/x", ground.data)));
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(ground.sandbox);
}

static void
test_settings_that_make_no_sense(void **state)
{
	static const struct {
		const char *name;
		const char *value;
	} wrong[] = {{"work_dir", "relative"}, {"work_dir", ""},
	    {"work_dir", "/etc/passwd"}, {"data_dir", "relative"},
	    {"data_dir", ""}, {"witness", "perhaps"}, {"agent", "nobody"},
	    {"backend", "a/b"}, {"deny", ""}, {"blocked_paths", ""},
	    {"no_such_rule", "x"}, {"", "x"}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy = NULL;
	struct ground ground;
	size_t i;

	(void)state;
	make_ground(&ground);
	assert_int_equal(
	    omega_sandbox_policy_new(NULL, "tool", &policy, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(
	    omega_sandbox_policy_new(ground.sandbox, "tool", NULL, &error),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(
	    omega_sandbox_policy_new(ground.sandbox, "took", &policy, &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_null(policy);
	policy = make_policy(&ground, &presets[0], ground.work, ground.data);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(omega_sandbox_policy_set(
				     policy, wrong[i].name, NULL, &error),
		    OMEGA_SANDBOX_E_ARGUMENT);
		error.text[0] = '\0';
		if (omega_sandbox_policy_set(policy, wrong[i].name,
			wrong[i].value,
			&error) != OMEGA_SANDBOX_E_INVALID_POLICY ||
		    error.text[0] == '\0')
			fail_msg("%s = %s: '%s'", wrong[i].name, wrong[i].value,
			    error.text);
	}
	/* What was refused has changed nothing. */
	assert_true(may_write(policy, text("%s/new", ground.work)));
	assert_false(may_read(policy, text("%s/x", ground.data)));
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(ground.sandbox);
}

/* A list of what is allowed can be empty; one of what is not cannot. */
static void
test_nothing_may_be_written(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy;
	struct ground ground;

	(void)state;
	make_ground(&ground);
	policy = make_policy(&ground, &presets[0], ground.work, ground.data);
	assert_true(may_write(policy, text("%s/new", ground.work)));
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "write", "", &error), 0);
	assert_false(may_write(policy, text("%s/new", ground.work)));
	assert_false(may_write(policy, "/var/tmp/x"));
	assert_true(may_read(policy, "/usr/bin/env"));
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(ground.sandbox);
}

/* Whoever holds a reference has the whole, also when all others are gone. */
static void
test_references(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct omega_sandbox_policy *policy;
	struct ground ground;
	char *first;

	(void)state;
	make_ground(&ground);
	policy = make_policy(&ground, &presets[1], "none", ground.data);
	assert_ptr_equal(omega_sandbox_policy_ref(policy), policy);
	omega_sandbox_unref(ground.sandbox);
	omega_sandbox_policy_unref(policy);
	assert_false(may_read(policy, text("%s/x", ground.data)));
	assert_int_equal(omega_sandbox_describe(policy, &report, &error), 0);
	omega_sandbox_policy_unref(policy);

	first = text(
	    "%s", omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT));
	assert_non_null(strstr(first, "mock-good"));
	assert_ptr_equal(omega_sandbox_report_ref(report), report);
	omega_sandbox_report_unref(report);
	assert_string_equal(
	    omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT),
	    first);
	omega_sandbox_report_unref(report);
	assert_null(omega_sandbox_policy_ref(NULL));
	assert_null(omega_sandbox_report_ref(NULL));
}

static void
check_option(const struct ground *ground, const char *name, size_t index,
    const char *value, bool is_written)
{
	const char *file = NULL;
	uint32_t line = 4711;
	const char *found = omega_sandbox_get_option(
	    ground->sandbox, name, index, &file, &line);

	if (value == NULL) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found, value);
	assert_string_equal(file, is_written ? ground->file : "");
	assert_int_equal(line != 0 && line < 20, is_written);
	assert_string_equal(
	    omega_sandbox_get_option(ground->sandbox, name, index, NULL, NULL),
	    value);
}

static void
test_options_can_be_read(void **state)
{
	struct ground ground;

	(void)state;
	make_ground(&ground);
	check_option(&ground, "env_deny", 0, "A_*", true);
	check_option(&ground, "env_deny", 1, "B", true);
	check_option(&ground, "env_deny", 2, NULL, true);
	check_option(&ground, "env_set", 0, "C=1", true);
	check_option(&ground, "env_allow", 0, NULL, false);
	check_option(&ground, "audit", 0, "/var/log/omega/audit.log", true);
	check_option(&ground, "audit", 1, NULL, true);
	check_option(&ground, "audit_failure", 0, "warn", true);
	check_option(&ground, "blocked_paths", 0, NULL, false);
	/* What nobody has set has its default, if it has one. */
	check_option(&ground, "enabled", 0, "true", false);
	check_option(&ground, "enabled", 1, NULL, false);
	check_option(&ground, "log", 0, "none", false);
	check_option(&ground, "config_file", 0, NULL, false);
	check_option(
	    &ground, "data_dir", 0, text("%s/.omega", ground.home), false);
	check_option(&ground, "data_dir", 1, NULL, false);
	check_option(&ground, "accept", 0, "metadata", false);
	check_option(&ground, "accept", 1, "outside_signals", false);
	check_option(&ground, "accept", 99, NULL, false);
	/* A rule of policies is no option of the configuration. */
	check_option(&ground, "read", 0, NULL, false);
	/* Amounts are numbers, by either name. */
	check_option(&ground, "max_execution_time_secs", 0, "90", true);
	assert_string_equal(
	    omega_sandbox_get_option(ground.sandbox, "timeout", 0, NULL, NULL),
	    "90");
	check_option(&ground, "timeout", 1, NULL, true);
	check_option(&ground, "max_output", 0, NULL, false);
	check_option(&ground, "", 0, NULL, false);
	assert_null(omega_sandbox_get_option(NULL, "audit", 0, NULL, NULL));
	assert_null(
	    omega_sandbox_get_option(ground.sandbox, NULL, 0, NULL, NULL));
	omega_sandbox_unref(ground.sandbox);
}

static void
test_openings_can_be_read(void **state)
{
	const char *file = NULL;
	struct ground ground;
	uint32_t line = 0;

	(void)state;
	make_ground(&ground);
	assert_string_equal(omega_sandbox_get_option(ground.sandbox,
				"allow_sockets", 1, &file, &line),
	    "/run/two");
	assert_string_equal(file, ground.file);
	assert_int_equal(line, 4);
	assert_null(omega_sandbox_get_option(
	    ground.sandbox, "allow_sockets", 2, &file, &line));
	assert_string_equal(omega_sandbox_get_option(ground.sandbox,
				"allow_devices", 0, NULL, &line),
	    "/dev/kvm");
	assert_int_equal(line, 5);
	assert_null(omega_sandbox_get_option(
	    ground.sandbox, "allow_devices", 1, NULL, NULL));
	assert_null(
	    omega_sandbox_get_option(NULL, "allow_sockets", 0, NULL, NULL));
	assert_null(
	    omega_sandbox_get_option(NULL, "allow_devices", 0, NULL, NULL));
	omega_sandbox_unref(ground.sandbox);
}

static void
count_fault(void *arg, const struct omega_sandbox_error *fault)
{
	assert_true(fault->line == 1 || fault->line == 2);
	++*(int *)arg;
}

/* What is in force as text, and all that is wrong with a file. The backend of
 * the tests is not where check_config looks for one. */
static void
test_a_configuration_is_text(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct ground ground;
	const char *all;
	int count = 0;

	(void)state;
	make_ground(&ground);
	all = omega_sandbox_get_config_text(ground.sandbox);
	assert_non_null(all);
	assert_non_null(strstr(all, "\"A_*\""));
	assert_non_null(strstr(all, "audit_failure = "));
	make_file(ground.file, "env_deny = { \"A_*\" }\n");
	assert_int_equal(omega_sandbox_check_config(
			     ground.file, count_fault, &count, &error),
	    0);
	assert_int_equal(count, 0);
	make_file(ground.file, "nonsense = 1\nfail_closed = perhaps\n");
	assert_int_equal(omega_sandbox_check_config(
			     ground.file, count_fault, &count, &error),
	    OMEGA_SANDBOX_E_CONFIG);
	assert_int_equal(count, 2);
	assert_int_equal(error.line, 1);
	omega_sandbox_unref(ground.sandbox);
}

/* There is no /var/log/omega in the world of the tests. */
static void
test_an_audit_that_cannot_be_written(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct ground ground;

	(void)state;
	make_ground(&ground);
	if (access("/var/log/omega", F_OK) == 0)
		skip_because("there is a /var/log/omega");
	assert_int_equal(omega_sandbox_check_audit(ground.sandbox, &error),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(error.text, "/var/log/omega"));
	assert_int_equal(
	    omega_sandbox_check_audit(NULL, &error), OMEGA_SANDBOX_E_ARGUMENT);
	omega_sandbox_unref(ground.sandbox);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_configuration_is_text),
	    cmocka_unit_test(test_an_audit_that_cannot_be_written),
	    cmocka_unit_test(test_presets_are_what_they_say),
	    cmocka_unit_test(test_no_work_directory_is_none),
	    cmocka_unit_test(test_forgotten_work_directory_is_an_error),
	    cmocka_unit_test(test_data_directories),
	    cmocka_unit_test(test_nothing_may_be_written),
	    cmocka_unit_test(test_settings_that_make_no_sense),
	    cmocka_unit_test(test_references),
	    cmocka_unit_test(test_options_can_be_read),
	    cmocka_unit_test(test_openings_can_be_read),
	};

	return run_all(tests);
}
