/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * deeds.c - see deeds.h.
 */

#include "deeds.h"

#include "harness.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
deeds_put(const char *home, const char *name)
{
	char path[2 * PATH_MAX];
	char *slash;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", home, name);
	for (slash = path + strlen(home) + 1;
	     (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	file = fopen(path, "w");
	need(file != NULL);
	fputs("content\n", file);
	need(fclose(file) == 0);
	return 0;
}

/* 0: it could. 1: it could not. */
static int
attempt_outside(const char *by, const char *home, const char *script)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		if (chdir(home) == 0)
			execl(by, by, "-c", script, (char *)NULL);
		_exit(99);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}

/* The same, or -1: it was not started, and was said why. */
static int
attempt_inside(struct omega_sandbox_prepared *prepared, const char *by,
    const char *home, const char *script)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = NULL;
	int ret;
	int i;

	ret = omega_sandbox_command_new(prepared, by, &command, &error);
	for (i = 0; ret == 0 && i < 3; i++)
		ret = omega_sandbox_command_set_stdio(
		    command, i, OMEGA_SANDBOX_STDIO_NULL, -1, NULL);
	if (ret == 0)
		ret = omega_sandbox_command_add_arg(command, "-c", NULL);
	if (ret == 0)
		ret = omega_sandbox_command_add_arg(command, script, NULL);
	if (ret == 0)
		ret = omega_sandbox_command_set(command, "dir", home, NULL);
	if (ret == 0)
		ret = omega_sandbox_run(command, &end, &error);
	omega_sandbox_command_unref(command);
	if (ret < 0)
		fprintf(stderr, "# %s\n", error.text);
	if (ret < 0)
		return -1;
	return end.status == 0 ? 0 : 1;
}

int
deeds_judge_by(const char *interpreter, const char *who,
    struct omega_sandbox_prepared *prepared, const char *home,
    const char *script, bool is_allowed)
{
	const char *by = interpreter == NULL ? "/bin/sh" : interpreter;
	int ret;

	if (attempt_outside(by, home, script) != 0) {
		fprintf(stderr, "# fails without a sandbox: %s\n", script);
		return 1;
	}
	ret = attempt_inside(prepared, by, home, script);
	if (ret == (is_allowed ? 0 : 1))
		return 0;
	fprintf(stderr, "# %s %s: %s\n", who,
	    ret < 0	 ? "was not started"
	    : is_allowed ? "could not"
			 : "could",
	    script);
	return 1;
}

int
deeds_judge(const char *who, struct omega_sandbox_prepared *prepared,
    const char *home, const char *script, bool is_allowed)
{
	return deeds_judge_by(NULL, who, prepared, home, script, is_allowed);
}
