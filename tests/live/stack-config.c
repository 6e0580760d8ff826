/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-config.c - config.toml and others: absent, and made or replaced by the
 * host.
 */

#include "stack.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- config.toml -----------------------------------------------------------
 */

static void
without_config(struct world *world, char *subject, size_t size)
{
	char path[2 * PATH_MAX];

	(void)subject;
	(void)size;
	snprintf(path, sizeof(path), "%s/config.toml", world->dir);
	if (unlink(path) != 0)
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
}

static int
absent_config(void *base)
{
	const struct course course = {
	    escapes_absent, "", without_config, NULL, true};
	char path[2 * PATH_MAX];
	struct stack stack;
	struct world world;
	int faults = stack_go_through(base, &course);

	snprintf(path, sizeof(path), "%s/w/home/.omega/config.toml",
	    (const char *)base);
	CHECK(faults, access(path, F_OK) != 0, "it was made");
	/* The host makes it between two commands. */
	world_make(&world, base, ".omega");
	unlink(path);
	if (!stack_open(&stack, base, world.dir, ""))
		return faults + 1;
	CHECK(faults,
	    stack_try(&stack.in, &world, "read config.toml", world.dir) ==
		ENOENT,
	    "absent");
	stack_put_secret(path);
	CHECK(faults,
	    stack_try(&stack.out, &world, "read config.toml", world.dir) == 0,
	    "outside");
	CHECK(faults,
	    stack_try(&stack.in, &world, "read config.toml", world.dir) ==
		EACCES,
	    "made by the host, it is seen");
	stack_close(&stack);
	world_end(&world);
	return faults;
}

/* The host replaces it by rename between two commands. */
static int
replaced(const char *base, const char *lines)
{
	char path[2 * PATH_MAX];
	char other[2 * PATH_MAX];
	struct stack stack;
	struct world world;
	int faults = 0;
	int i;

	world_make(&world, base, ".omega");
	if (!stack_open(&stack, base, world.dir, lines))
		return 1;
	snprintf(path, sizeof(path), "%s/config.toml", world.dir);
	snprintf(other, sizeof(other), "%s/config.new", world.dir);
	for (i = 0; i < 3; i++) {
		int inside =
		    stack_try(&stack.in, &world, "read config.toml", world.dir);

		CHECK(faults, inside == EACCES, "time %d: %d", i, inside);
		inside = stack_try(
		    &stack.in, &world, "write config.toml", world.dir);
		CHECK(faults, inside == EACCES, "time %d: %d", i, inside);
		CHECK(faults,
		    stack_try(
			&stack.out, &world, "read config.toml", world.dir) == 0,
		    "outside");
		stack_put_secret(other);
		CHECK(faults, rename(other, path) == 0, "%s", strerror(errno));
	}
	stack_close(&stack);
	world_end(&world);
	return faults;
}

static int
replaced_config(void *base)
{
	return replaced(base, "") + replaced(base, SHIELD);
}

/* The file, or the directory it is in, becomes another. */
static int
put_another(const char *dir, const char *file)
{
	char path[2 * PATH_MAX];
	char other[3 * PATH_MAX];
	char *slash;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	if (strcmp(file, CONFIG) == 0) {
		snprintf(other, sizeof(other), "%s.new", path);
		stack_put_secret(other);
		return rename(other, path);
	}
	slash = strrchr(path, '/');
	*slash = '\0';
	snprintf(other, sizeof(other), "%s.old", path);
	if (rename(path, other) != 0 || mkdir(path, 0700) != 0)
		return -1;
	*slash = '/';
	stack_put_secret(path);
	return 0;
}

/* And while a command runs: with a mask it sees the new one. */
static int
replaced_under(
    const char *base, const char *lines, const char *of, bool is_seen)
{
	static char attempt[] = "attempt";
	static char name[] = "wait and read";
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command;
	struct omega_sandbox_child *child = NULL;
	struct omega_sandbox_report *report;
	const char *text;
	char self[PATH_MAX] = "";
	char path[2 * PATH_MAX];
	char file[32];
	struct stack stack;
	struct world world;
	char *argv[] = {self, attempt, name, world.dir, file, NULL};
	int faults = 0;

	world_make(&world, base, ".omega");
	snprintf(file, sizeof(file), "%s", of);
	if (!stack_open(&stack, base, world.dir, lines) ||
	    readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	/* The report knows. */
	report = omega_sandbox_prepared_report(stack.inside);
	snprintf(path, sizeof(path), "%s/%s stays out of reach", world.dir,
	    strcmp(of, CONFIG) == 0 ? CONFIG : "data");
	text = strstr(
	    omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT), path);
	if (text != NULL)
		text = strstr(text, "replaced_files");
	CHECK(faults,
	    text != NULL && (strncmp(text, "replaced_files, accepted]", 25) ==
				0) == is_seen,
	    "%s", omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT));
	omega_sandbox_report_unref(report);
	command = stack_command(stack.inside, argv);
	if (omega_sandbox_spawn(command, &child, &error) < 0) {
		fprintf(stderr, "# spawn: %s\n", error.text);
		return 1;
	}
	omega_sandbox_command_unref(command);
	CHECK(faults, put_another(world.dir, of) == 0, "%s", strerror(errno));
	snprintf(path, sizeof(path), "%s/workspace/go", world.dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	CHECK(faults, omega_sandbox_child_wait(child, 20000, &end, &error) >= 0,
	    "%s", error.text);
	omega_sandbox_child_free(child);
	CHECK(faults, end.status == (is_seen ? 0 : EACCES), "%s, %s: %d", of,
	    is_seen ? "mask" : "shield", end.status);
	/* The next one sees neither. */
	snprintf(path, sizeof(path), "%s/%s", world.dir, of);
	CHECK(faults,
	    stack_try(&stack.in, &world, "denied: read", path) == EACCES,
	    "the next command");
	stack_close(&stack);
	world_end(&world);
	return faults;
}

static int
replaced_while_running(void *base)
{
	return replaced_under(base, "", CONFIG, true) +
	       replaced_under(base, SHIELD, CONFIG, false) +
	       replaced_under(base, "", DB, true) +
	       replaced_under(base, SHIELD, DB, false);
}

/* An absent place elsewhere, called by this name: nothing holds it, and that
 * is said. */
static int
absent_as(const char *base, const char *name)
{
	char lines[PATH_MAX + 64];
	char path[PATH_MAX];
	char link[PATH_MAX];
	struct omega_sandbox_report *report;
	struct stack stack;
	struct world world;
	int faults = 0;

	world_make(&world, base, ".omega");
	snprintf(path, sizeof(path), "%.*s/absent", PATH_MAX - 16, world.home);
	snprintf(link, sizeof(link), "%.*s/link", PATH_MAX - 16, world.home);
	CHECK(faults, symlink("absent", link) == 0, "%s", strerror(errno));
	snprintf(lines, sizeof(lines), "blocked_paths = {\"%.*s/%s\"}\n",
	    PATH_MAX - 16, world.home, name);
	if (!stack_open(&stack, base, world.dir, lines))
		return 1;
	report = omega_sandbox_prepared_report(stack.inside);
	CHECK(faults,
	    strstr(omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT),
		"[absent_paths, accepted]") != NULL,
	    "%s", omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT));
	omega_sandbox_report_unref(report);
	/* Once it is there it is held. */
	stack_put_secret(path);
	CHECK(faults, stack_try(&stack.out, &world, "denied: read", path) == 0,
	    "%s: outside", name);
	CHECK(faults,
	    stack_try(&stack.in, &world, "denied: read", path) == EACCES,
	    "%s: made by the host, it is seen", name);
	stack_close(&stack);
	world_end(&world);
	return faults;
}

static int
absent_elsewhere(void *base)
{
	return absent_as(base, "absent") + absent_as(base, "link");
}

/* The last line of the log. */
static void
read_last(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "r");

	line[0] = '\0';
	while (file != NULL && fgets(line, (int)size, file) != NULL)
		;
	if (file != NULL)
		fclose(file);
}

/* What a report would have written down. */
static void
count(struct omega_sandbox_report *report, char *text, size_t size)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	size_t counts[3] = {0, 0, 0};
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &line) == 0; i++)
		counts[line.state]++;
	snprintf(text, size,
	    "\"enforced\":%zu,\"partial\":%zu,\"not_enforced\":%zu",
	    counts[OMEGA_SANDBOX_ENFORCED], counts[OMEGA_SANDBOX_PARTIAL],
	    counts[OMEGA_SANDBOX_NOT_ENFORCED]);
}

/* Run it to its end, or only start it; what protected it goes to text. */
static int
start_one(struct omega_sandbox_prepared *prepared, bool is_captured, char *text,
    size_t size)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char program[] = "/bin/true";
	char *argv[] = {program, NULL};
	struct omega_sandbox_command *command = stack_command(prepared, argv);
	struct omega_sandbox_report *report = NULL;
	struct omega_sandbox_result *result = NULL;
	struct omega_sandbox_child *child = NULL;
	int ret;

	if (is_captured)
		ret = omega_sandbox_capture(command, &result, &error);
	else
		ret = omega_sandbox_spawn(command, &child, &error);
	if (ret == 0)
		report = is_captured ? omega_sandbox_result_report(result)
				     : omega_sandbox_prepared_report(prepared);
	if (ret == 0)
		count(report, text, size);
	omega_sandbox_report_unref(report);
	omega_sandbox_result_free(result);
	omega_sandbox_command_unref(command);
	/* Its end, which is seen when it is given up, would be the last line:
	 * it stays with this process, which is about to end. */
	return ret;
}

/* What is written down is what the command was started under, not what had
 * been prepared before the host made a file. */
static int
recorded_as_started(void *base)
{
	char log[PATH_MAX + 16];
	char path[2 * PATH_MAX];
	char lines[4 * PATH_MAX];
	char line[16384];
	char before[128];
	char text[128] = "";
	struct stack stack;
	struct world world;
	int faults = 0;
	int i;

	snprintf(log, sizeof(log), "%s/audit.log", (const char *)base);
	for (i = 0; i < 2; i++) {
		struct omega_sandbox_report *report;

		world_make(&world, base, ".omega");
		snprintf(path, sizeof(path), "%s/absent", world.home);
		snprintf(lines, sizeof(lines),
		    "blocked_paths = {\"%s\"}\naudit = \"%s\"\n", path, log);
		if (!stack_open(&stack, base, world.dir, lines))
			return faults + 1;
		report = omega_sandbox_prepared_report(stack.inside);
		count(report, before, sizeof(before));
		omega_sandbox_report_unref(report);
		stack_put_secret(path);
		CHECK(faults,
		    start_one(stack.inside, i == 0, text, sizeof(text)) == 0,
		    "not started");
		read_last(log, line, sizeof(line));
		CHECK(faults, strcmp(before, text) != 0, "%s", text);
		CHECK(faults, strstr(line, text) != NULL, "%s is not in %s",
		    text, line);
		stack_close(&stack);
		world_end(&world);
	}
	return faults;
}

TWICE(recorded_as_started)
TWICE(replaced_while_running)
TWICE(absent_elsewhere)
TWICE(absent_config)
TWICE(replaced_config)

const struct CMUnitTest stack_config_tests[] = {
    cmocka_unit_test(test_absent_config),
    cmocka_unit_test(test_replaced_config),
    cmocka_unit_test(test_replaced_while_running),
    cmocka_unit_test(test_absent_elsewhere),
    cmocka_unit_test(test_recorded_as_started),
    {NULL, NULL, NULL, NULL, NULL},
};
