/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * in-world.c - starts a test in a world of its own: in-world PROGRAM [ARG...]
 *
 * "make check" starts every test through it, and so can a person. What other
 * people and programs of the machine do, and how the caller's account is set
 * up, is then nothing the test can see: apart.c makes the namespaces and what
 * is mounted in them, plain.c a process like any other. Where a kernel or a
 * container forbids that, the test runs on the machine as it is and a line of
 * its output says why.
 *
 * Three processes: we stay outside, wait, and hand on signals; the first of
 * the new world collects orphans; the test is its child. When we are killed
 * the first process is killed with us, and all others with that one.
 */

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apart.h"
#include "plain.h"

#define NAMESPACES                                                  \
	(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | \
	    CLONE_NEWUTS)

/* Seconds a test has to clean up after a signal. */
#define GRACE 10

/* What our shell would say of a program that cannot be started. */
#define NOT_STARTED 127

/* To whom the next signal goes: the process below us. */
static volatile pid_t below;

static void
hand_on(int number)
{
	int saved = errno;

	if (below > 0)
		kill(below, number == SIGALRM ? SIGKILL : number);
	/* The first process of the world has no time-out: we have. */
	if (number != SIGALRM)
		alarm(GRACE);
	errno = saved;
}

static void
hand_on_signals(pid_t pid)
{
	static const int numbers[] = {
	    SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM};
	struct sigaction action = {
	    .sa_handler = hand_on, .sa_flags = SA_RESTART};
	size_t i;

	below = pid;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

static int
status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Run the test and wait for it, and for whatever else becomes our child. */
static int
run(char **argv)
{
	int status;
	pid_t pid = fork();
	pid_t ended;

	if (pid == 0) {
		plain_process();
		execvp(argv[0], argv);
		fprintf(stderr, "in-world: %s: %s\n", argv[0], strerror(errno));
		_exit(NOT_STARTED);
	}
	if (pid < 0)
		return NOT_STARTED;
	hand_on_signals(pid);
	do {
		ended = waitpid(-1, &status, 0);
	} while (ended != pid && (ended > 0 || errno == EINTR));
	return ended == pid ? status_of(status) : NOT_STARTED;
}

/* In the first process of the new world. Says by the pipe whether it stands. */
static _Noreturn void
be_first(const struct apart *apart, char **argv, int go, int said)
{
	const char *fault;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(go, &byte, 1) != 1)
		_exit(NOT_STARTED); /* killed before we could be told */
	close(go);
	fault = apart_enter(apart);
	if (fault != NULL) {
		if (write(said, fault, strlen(fault)) < 0)
			_exit(NOT_STARTED);
		_exit(0);
	}
	close(said);
	_exit(run(argv));
}

/*
 * true when the test has run in a world of its own; *status is what it ended
 * with. Otherwise nothing has happened, and why has the reason.
 */
static bool
run_apart(char **argv, int *status, char why[256])
{
	struct apart apart;
	int go[2];
	int said[2];
	ssize_t len;
	pid_t pid;

	why[0] = '\0';
	if (pipe(go) != 0 || pipe(said) != 0)
		return false;
	apart_plan(&apart);
	pid = (pid_t)syscall(SYS_clone,
	    NAMESPACES | (apart.is_root ? 0 : CLONE_NEWUSER) | SIGCHLD, NULL,
	    NULL, NULL, NULL);
	if (pid == 0) {
		close(go[1]);
		close(said[0]);
		be_first(&apart, argv, go[0], said[1]);
	}
	close(go[0]);
	close(said[1]);
	if (pid < 0) {
		snprintf(why, 256, "namespaces: %s", strerror(errno));
		close(go[1]);
		close(said[0]);
		return false;
	}
	hand_on_signals(pid);
	if (write(go[1], "", 1) != 1)
		kill(pid, SIGKILL);
	close(go[1]);
	len = read(said[0], why, 255);
	close(said[0]);
	why[len > 0 ? len : 0] = '\0';
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		continue;
	*status = status_of(*status);
	return len <= 0;
}

int
main(int argc, char **argv)
{
	char why[256];
	int status;

	if (argc < 2) {
		fputs("usage: in-world PROGRAM [ARG...]\n", stderr);
		return 2;
	}
	if (run_apart(argv + 1, &status, why))
		return status;
	printf("# no world of its own: %s\n", why);
	fflush(stdout);
	return run(argv + 1);
}
