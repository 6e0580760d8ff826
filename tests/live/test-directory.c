/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-directory.c - a working directory that is out of the command's reach:
 * it starts in "/", and that is said. One that is not there at all is an
 * error, as ever.
 */

#include "harness.h"

#include <sys/stat.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "twice.h"

static char said[1024];

static void
listen_to(void *arg, int level, int code, const char *message)
{
	(void)arg;
	(void)code;
	if (level == LOG_WARNING)
		snprintf(said, sizeof(said), "%s", message);
}

struct ground {
	char omega[PATH_MAX]; /* data directory */
	char data[PATH_MAX]; /* in it */
	char sub[PATH_MAX]; /* in that */
	char vault[PATH_MAX]; /* blocked */
	char link[PATH_MAX]; /* to sub */
	char open[PATH_MAX]; /* neither */
	struct omega_sandbox *sandbox;
	struct omega_sandbox_prepared *prepared;
};

static int
make_ground(struct ground *g, const char *base, const char *mode)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy = NULL;
	char conf[PATH_MAX];
	FILE *file;

	memset(g, 0, sizeof(*g));
	snprintf(g->omega, PATH_MAX, "%s/omega", base);
	snprintf(g->data, PATH_MAX, "%s/omega/data", base);
	snprintf(g->sub, PATH_MAX, "%s/omega/data/sub", base);
	snprintf(g->vault, PATH_MAX, "%s/vault", base);
	snprintf(g->link, PATH_MAX, "%s/link", base);
	snprintf(g->open, PATH_MAX, "%s/open", base);
	mkdir(g->omega, 0700);
	mkdir(g->data, 0700);
	mkdir(g->sub, 0700);
	mkdir(g->vault, 0700);
	mkdir(g->open, 0700);
	need(symlink(g->sub, g->link) == 0 || errno == EEXIST);
	snprintf(conf, sizeof(conf), "%s/sandbox.conf", base);
	file = fopen(text("%s/config.toml", g->omega), "w");
	need(file != NULL && fclose(file) == 0);
	file = fopen(conf, "w");
	need(file != NULL);
	fprintf(file, "data_dir_mode = %s\nblocked_paths = { \"%s\" }\n", mode,
	    g->vault);
	need(fclose(file) == 0);
	if (omega_sandbox_open(conf, listen_to, NULL, &g->sandbox, &error) <
		0 ||
	    omega_sandbox_policy_new(g->sandbox, NULL, &policy, &error) < 0 ||
	    omega_sandbox_policy_set(policy, "data_dir", g->omega, &error) <
		0 ||
	    omega_sandbox_prepare(policy, &g->prepared, &error) < 0)
		fprintf(stderr, "# %s\n", error.text);
	omega_sandbox_policy_unref(policy);
	need(g->prepared != NULL);
	return 0;
}

static void
drop_ground(struct ground *g)
{
	omega_sandbox_prepared_unref(g->prepared);
	omega_sandbox_unref(g->sandbox);
}

/* A command that succeeds in this directory only. */
static struct omega_sandbox_command *
command_for(struct ground *g, const char *dir, const char *expected)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *command = NULL;

	if (omega_sandbox_command_new(
		g->prepared, "/bin/sh", &command, &error) < 0)
		return NULL;
	must(omega_sandbox_command_add_arg(command, "-c", NULL) == 0);
	must(omega_sandbox_command_add_arg(
		 command, "test \"$(/bin/pwd -P)\" = \"$0\"", NULL) == 0);
	must(omega_sandbox_command_add_arg(command, expected, NULL) == 0);
	if (dir != NULL)
		must(omega_sandbox_command_set(command, "dir", dir, NULL) == 0);
	said[0] = '\0';
	return command;
}

/* What became of it: the status, or a code. */
static int
run_in(struct ground *g, const char *dir, const char *expected)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = command_for(g, dir, expected);
	int ret;

	ret = omega_sandbox_run(command, &end, &error);
	omega_sandbox_command_unref(command);
	if (ret < 0)
		fprintf(stderr, "# %s\n", error.text);
	return ret < 0 ? ret : end.status;
}

static int
spawn_in(const char *base, const char *mode)
{
	struct ground g;
	char absent[PATH_MAX + 8];

	need(make_ground(&g, base, mode) == 0);
	/* Where nothing is hidden, nothing is said. */
	need(run_in(&g, g.open, g.open) == 0);
	need(said[0] == '\0');
	/* Given, by the host's own, by a link, and below a blocked path. */
	need(run_in(&g, g.data, "/") == 0);
	need(strstr(said, g.data) != NULL && strstr(said, "starts in /"));
	need(run_in(&g, g.sub, "/") == 0);
	need(strstr(said, g.sub) != NULL);
	need(run_in(&g, g.link, "/") == 0);
	need(strstr(said, g.link) != NULL);
	need(run_in(&g, g.vault, "/") == 0);
	need(chdir(g.sub) == 0);
	need(run_in(&g, NULL, "/") == 0);
	need(strstr(said, g.sub) != NULL);
	need(run_in(&g, "..", "/") == 0);
	need(said[0] != '\0');
	/* What is wrong outside as well is an error: nothing was started. */
	snprintf(absent, sizeof(absent), "%s/absent", g.data);
	need(run_in(&g, absent, "/") == OMEGA_SANDBOX_E_STEP);
	snprintf(absent, sizeof(absent), "%s/absent", g.open);
	need(run_in(&g, absent, "/") == OMEGA_SANDBOX_E_STEP);
	need(said[0] == '\0');
	need(run_in(&g, "/etc/passwd", "/") == OMEGA_SANDBOX_E_STEP);
	need(chdir("/") == 0);
	drop_ground(&g);
	return 0;
}

static int
spawned(void *base)
{
	return spawn_in(base, "mask") + spawn_in(base, "shield");
}

/* A pipe made for the first try serves the second. */
static int
with_pipe(void *base)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = NULL;
	struct omega_sandbox_child *child = NULL;
	struct ground g;
	char answer[8] = "";
	int out;

	need(make_ground(&g, base, "mask") == 0);
	need(omega_sandbox_command_new(
		 g.prepared, "/bin/pwd", &command, &error) == 0);
	must(omega_sandbox_command_set(command, "dir", g.data, NULL) == 0);
	must(omega_sandbox_command_set_stdio(
		 command, 1, OMEGA_SANDBOX_STDIO_PIPE, -1, NULL) == 0);
	need(omega_sandbox_spawn(command, &child, &error) == 0);
	out = omega_sandbox_child_take_stdio(child, 1);
	need(read(out, answer, sizeof(answer)) == 2);
	close(out);
	need(strcmp(answer, "/\n") == 0);
	need(omega_sandbox_child_wait(child, -1, &end, &error) == 1);
	omega_sandbox_child_free(child);
	omega_sandbox_command_unref(command);
	drop_ground(&g);
	return 0;
}

struct become {
	struct ground *ground;
	const char *dir;
};

static int
become_command(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct become *become = arg;
	struct omega_sandbox_command *command =
	    command_for(become->ground, become->dir, "/");

	omega_sandbox_exec(command, &error);
	fprintf(stderr, "# %s\n", error.text);
	return 99;
}

static int
confine(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct become *become = arg;
	char here[PATH_MAX] = "";

	need(chdir(become->dir) == 0);
	said[0] = '\0';
	need(omega_sandbox_confine_self(become->ground->prepared, &error) == 0);
	need(getcwd(here, sizeof(here)) != NULL && strcmp(here, "/") == 0);
	need(strstr(said, become->dir) != NULL);
	return 0;
}

/* Without a second try. */
static int
in_place(void *base)
{
	struct ground g;
	struct become become = {&g, g.sub};

	need(make_ground(&g, base, "mask") == 0);
	need(in_child(become_command, &become) == 0);
	need(in_child(confine, &become) == 0);
	become.dir = g.vault;
	need(in_child(become_command, &become) == 0);
	drop_ground(&g);
	return 0;
}

static int
reported(void *base)
{
	struct omega_sandbox_report *report;
	struct ground g;

	need(make_ground(&g, base, "mask") == 0);
	report = omega_sandbox_prepared_report(g.prepared);
	need(
	    strstr(omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT),
		"starts in /") == NULL);
	need(
	    strstr(omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_JSON),
		"\"directory_note\":null") != NULL);
	omega_sandbox_report_unref(report);
	drop_ground(&g);
	need(chdir(g.sub) == 0);
	need(make_ground(&g, base, "mask") == 0);
	report = omega_sandbox_prepared_report(g.prepared);
	need(
	    strstr(omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT),
		"starts in /") != NULL);
	omega_sandbox_report_unref(report);
	need(chdir("/") == 0);
	drop_ground(&g);
	return 0;
}

TWICE(spawned)
TWICE(with_pipe)
TWICE(in_place)
TWICE(reported)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_spawned),
	    cmocka_unit_test(test_with_pipe),
	    cmocka_unit_test(test_in_place),
	    cmocka_unit_test(test_reported),
	};

	return run_all(tests);
}
