/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capture-signals.c - signals of commands that are run: which are ignored and
 * blocked in them, stops and who is told, and signals to groups.
 */

#include "capture-tests.h"

#include <sys/wait.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spawning.h"
#include "subject.h"

#define BIT(signal) (UINT64_C(1) << ((signal)-1))

/* ---- What a command begins with ----------------------------------------- */

static uint64_t
set_of(const struct omega_sandbox_stream *stream, const char *name)
{
	const char *line = strstr((const char *)stream->bytes, name);

	return line == NULL ? ~UINT64_C(0)
			    : strtoull(line + strlen(name), NULL, 16);
}

static int
begin_with(
    struct omega_sandbox_prepared *prepared, uint64_t ignored, uint64_t blocked)
{
	const char *words[] = {"/bin/cat", "/proc/self/status", NULL};
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_result *result = NULL;
	struct omega_sandbox_command *command =
	    library_command(prepared, words);
	int faults = 0;

	CHECK(faults,
	    omega_sandbox_command_set_number(
		command, "ignored_signals", ignored, &error) == 0 &&
		omega_sandbox_command_set_number(
		    command, "blocked_signals", blocked, &error) == 0,
	    "not set");
	if (omega_sandbox_capture(command, &result, &error) < 0 ||
	    omega_sandbox_result_get(result, &outcome) < 0) {
		CHECK(faults, false, "%s", error.text);
		return faults;
	}
	CHECK(faults, set_of(&outcome.out, "SigIgn:") == ignored,
	    "ignored: %llx, not %llx",
	    (unsigned long long)set_of(&outcome.out, "SigIgn:"),
	    (unsigned long long)ignored);
	CHECK(faults, set_of(&outcome.out, "SigBlk:") == blocked,
	    "blocked: %llx, not %llx",
	    (unsigned long long)set_of(&outcome.out, "SigBlk:"),
	    (unsigned long long)blocked);
	omega_sandbox_result_free(result);
	omega_sandbox_command_unref(command);
	return faults;
}

/* Whatever the host itself does with them. */
static int
begin(void *base)
{
	struct subject_scene scene;
	int faults = 0;
	int i;

	if (!subject_open(&scene, base, ""))
		return 1;
	signal(SIGUSR1, SIG_IGN);
	for (i = 0; i < 2; i++) {
		struct omega_sandbox_prepared *prepared =
		    i ? scene.library.inside : scene.library.outside;

		faults += begin_with(prepared, 0, 0);
		faults += begin_with(
		    prepared, BIT(SIGHUP) | BIT(64), BIT(SIGUSR2) | BIT(63));
		faults += begin_with(prepared, BIT(SIGUSR1), BIT(SIGINT));
	}
	subject_close(&scene);
	return faults;
}

/* ---- Stops ----------------------------------------------------------------
 */

struct told {
	int started;
	int stopped;
	int ended;
	pid_t pid;
	int signal;
	int answer;
};

static int
hear(void *arg, const struct omega_sandbox_event *event)
{
	struct told *told = arg;
	struct pollfd set = {.fd = event->fd, .events = POLLIN};

	if (event->kind == OMEGA_SANDBOX_EVENT_STARTED) {
		told->started++;
		told->pid = event->pid;
	} else if (event->kind == OMEGA_SANDBOX_EVENT_STOPPED) {
		told->stopped++;
		told->signal = event->signal;
		/* It has not ended: it waits for us. */
		if (event->pid != told->pid || poll(&set, 1, 0) != 0)
			told->stopped += 100;
	} else if (event->kind == OMEGA_SANDBOX_EVENT_ENDED) {
		told->ended++;
		if (poll(&set, 1, 0) != 1)
			told->ended += 100;
	}
	return told->answer;
}

static int
check_told(const struct told *told, int stopped, int status)
{
	int faults = 0;

	CHECK(faults,
	    told->started == 1 && told->stopped == stopped && told->ended == 1,
	    "started %d, stopped %d, ended %d", told->started, told->stopped,
	    told->ended);
	CHECK(faults, stopped == 0 || told->signal == SIGSTOP, "by %d",
	    told->signal);
	CHECK(faults, status == 9, "it ended with %d", status);
	return faults;
}

/* It stops twice, and goes on when its host says so. */
static int
stopped(void *base)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result;
	struct subject_scene scene;
	struct subject subject;
	int faults = 0;
	int i;

	if (!subject_open(&scene, base, ""))
		return 1;
	for (i = 0; i < 2; i++) {
		struct omega_sandbox_prepared *prepared =
		    i ? scene.library.inside : scene.library.outside;
		struct told told = {.answer = 1};

		if (!subject_make(&subject, prepared, "pause", "2"))
			return faults + 1;
		must(omega_sandbox_command_set_events(
			 subject.command, hear, &told, NULL) == 0);
		CHECK(faults,
		    omega_sandbox_run(subject.command, &end, NULL) == 0, "run");
		faults += check_told(&told, 2, end.status);
		told = (struct told){.answer = 1};
		result = subject_capture(&subject, &outcome, &faults);
		faults += check_told(&told, 2, outcome.status);
		omega_sandbox_result_free(result);
		subject_end(&subject);
	}
	subject_close(&scene);
	return faults;
}

/* Left as it is, it stays so until its time is over. */
static int
stopped_for_good(void *base)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result;
	struct subject_scene scene;
	struct subject subject;
	struct told told = {.answer = 0};
	int faults = 0;

	if (!subject_open(&scene, base, "") ||
	    !subject_make(&subject, scene.library.inside, "pause", "1"))
		return 1;
	must(omega_sandbox_command_set_events(
		 subject.command, hear, &told, NULL) == 0);
	must(omega_sandbox_command_set_number(
		 subject.command, "timeout_ms", 3000, NULL) == 0);
	result = subject_capture(&subject, &outcome, &faults);
	CHECK(faults, outcome.is_timed_out && told.stopped == 1,
	    "timed out %d, stopped %d", outcome.is_timed_out, told.stopped);
	omega_sandbox_result_free(result);
	subject_end(&subject);
	subject_close(&scene);
	return faults;
}

/* A command that stops its supervisor and goes: without a time-out nobody but
 * the host can notice. */
static int
supervisor_stopped(void *base)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct subject_scene scene;
	struct subject subject;
	int faults = 0;

	if (!subject_open(&scene, base, "") ||
	    !subject_make(
		&subject, scene.library.outside, "stop-parent-leave", NULL))
		return 1;
	must(omega_sandbox_command_set_number(
		 subject.command, "max_output", 1000, NULL) == 0);
	CHECK(faults, omega_sandbox_run(subject.command, &end, &error) == 0,
	    "%s", error.text);
	CHECK(faults, end.status == 5, "it ended with %d", end.status);
	subject_end(&subject);
	subject_close(&scene);
	return faults;
}

/* ---- Groups ---------------------------------------------------------------
 */

/* The command is in neither group nor session of its host, unless told so; with
 * a pid namespace of its own the first process there leads the session. */
static int
grouped(void *base)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result;
	struct subject_scene scene;
	int group = 0;
	int session = 0;
	int faults = 0;

	if (!subject_open(&scene, base, ""))
		return 1;
	faults += subject_act(
	    scene.library.inside, "group", NULL, 0, 0, &outcome, &result);
	CHECK(faults,
	    result != NULL && sscanf((const char *)outcome.out.bytes, "%d %d",
				  &group, &session) == 2,
	    "no answer");
	if (subject_is_enforced(scene.library.inside, "left_processes"))
		CHECK(faults, group != 1 && session == 1,
		    "in group %d and session %d", group, session);
	else
		CHECK(faults, group != getpgrp() && session != getsid(0),
		    "in group %d and session %d", group, session);
	omega_sandbox_result_free(result);
	subject_close(&scene);
	return faults;
}

/* All of the host's group is killed: what has left it is ended all the same. */
static int
group_killed(void *base)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct subject subjects[2];
	struct subject_scene scene;
	int ready[2];
	char byte;
	int faults = 0;
	pid_t host;
	int i;
	int j;

	if (!subject_open(&scene, base, ""))
		return 1;
	for (i = 0; i < 2; i++) {
		if (!subject_make(&subjects[i],
			i ? scene.library.inside : scene.library.outside,
			"tree", "stay") ||
		    pipe(ready) != 0)
			return 1;
		must(omega_sandbox_command_set_stdio(subjects[i].command, 1,
			 OMEGA_SANDBOX_STDIO_FD, ready[1], NULL) == 0);
		must(omega_sandbox_command_set_number(
			 subjects[i].command, "timeout_ms", 600000, NULL) == 0);
		host = fork();
		if (host == 0) {
			setpgid(0, 0);
			omega_sandbox_result_free(
			    subject_capture(&subjects[i], &outcome, &faults));
			_exit(1);
		}
		close(ready[1]);
		for (j = 0; j < 5; j++)
			CHECK(faults, read(ready[0], &byte, 1) == 1, "no tree");
		kill(-host, SIGKILL);
		waitpid(host, NULL, 0);
		CHECK(faults, !subject_is_alive(&subjects[i], 60000),
		    "something is left %s", i ? "inside" : "outside");
		close(ready[0]);
		subject_end(&subjects[i]);
	}
	subject_close(&scene);
	return faults;
}

CAPTURE(begin)
CAPTURE(stopped)
CAPTURE(stopped_for_good)
CAPTURE(supervisor_stopped)
CAPTURE(grouped)
CAPTURE(group_killed)

const struct CMUnitTest capture_signals_tests[] = {
    cmocka_unit_test(test_begin),
    cmocka_unit_test(test_stopped),
    cmocka_unit_test(test_stopped_for_good),
    cmocka_unit_test(test_supervisor_stopped),
    cmocka_unit_test(test_grouped),
    cmocka_unit_test(test_group_killed),
    {NULL, NULL, NULL, NULL, NULL},
};
