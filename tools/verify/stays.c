/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stays.c - what a supervised command leaves running: a daemon that hears
 * neither SIGTERM nor the end of its session. It holds one end of a socket and
 * answers there for as long as it is alive; the tool holds the other.
 *
 * The command is started by a process of its own, as by any host. Outside the
 * command is killed instead, as a host without a supervisor would do.
 */

#include "config.h"

#include "verify.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

#define WAIT_MS 15000
#define GRACE_MS 100
/* Nobody is to find it there later, whatever becomes of the tool. */
#define LIFE_SECONDS 60

/* ---- The command -------------------------------------------------------- */

static _Noreturn void
be_daemon(void)
{
	char byte = 'r';

	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	setsid();
	alarm(LIFE_SECONDS);
	while (write(0, &byte, 1) == 1 && read(0, &byte, 1) == 1)
		;
	_exit(0);
}

ATTEMPT(stay)
{
	pid_t pid = fork();

	(void)in;
	if (pid == 0) {
		if (fork() == 0)
			be_daemon();
		_exit(0);
	}
	if (pid < 0)
		return errno;
	waitpid(pid, NULL, 0);
	for (;;)
		pause();
}

/* ---- The tool ----------------------------------------------------------- */

/* A byte from it, 0 when all have closed their end, -1 when neither comes. */
static int
hear(int fd)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	char byte;

	if (poll(&wait, 1, WAIT_MS) != 1)
		return -1;
	return recv(fd, &byte, 1, 0) == 1;
}

static void
ask(int fd, struct verify_answer *answer)
{
	int heard;

	(void)!send(fd, "a", 1, MSG_NOSIGNAL);
	heard = hear(fd);
	if (heard < 0)
		return;
	answer->end = heard == 1 ? VERIFY_WORKED : VERIFY_REFUSED;
	answer->error = heard == 1 ? 0 : ESRCH;
	answer->text[0] = '\0';
}

static _Noreturn void
be_host(const struct verify_place *place, const char *const *words, int end,
    int timeout_ms)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *command = NULL;
	struct omega_sandbox_result *result = NULL;

	_exit(verify_command(place, words, end, &command, &error) < 0 ||
	      omega_sandbox_command_set_number(
		  command, "timeout_ms", (uint64_t)timeout_ms, &error) < 0 ||
	      omega_sandbox_command_set_number(
		  command, "grace_ms", GRACE_MS, &error) < 0 ||
	      omega_sandbox_capture(command, &result, &error) < 0);
}

/* Whoever watches over the command is killed, and cannot say so to a host. */
static int
kill_children(pid_t host)
{
	char path[64];
	long pid = 0;
	FILE *file;

	kill(host, SIGSTOP);
	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", (long)host,
	    (long)host);
	file = fopen(path, "re");
	while (file != NULL && fscanf(file, "%ld", &pid) == 1) {
		struct pollfd end = {.events = POLLIN};

		end.fd = (int)syscall(SYS_pidfd_open, pid, 0);
		kill((pid_t)pid, SIGKILL);
		poll(&end, 1, WAIT_MS);
		close(end.fd);
	}
	if (file != NULL)
		fclose(file);
	kill(host, SIGKILL);
	return pid > 0 ? 0 : -1;
}

/* Is there a daemon, and has all else ended? False: once more, with more time.
 */
static bool
run_stay(const struct verify_place *place, const struct attempt *attempt,
    const char *const *words, bool is_inside, int timeout_ms, const int ends[2],
    struct verify_answer *answer)
{
	const bool is_killed = !is_inside || attempt->need == ATTEMPT_UNWATCHED;
	bool is_there;
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		if (is_inside)
			be_host(place, words, ends[1], timeout_ms);
		verify_be_program(place, words, ends[1], -1);
	}
	close(ends[1]);
	if (pid < 0)
		return true;
	is_there = hear(ends[0]) == 1;
	if (is_there && is_inside && is_killed && kill_children(pid) < 0)
		is_there = false;
	else if (is_killed)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	if (is_there)
		ask(ends[0], answer);
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		answer->end = VERIFY_REFUSED;
	answer->error = answer->end == VERIFY_REFUSED ? ESRCH : 0;
	return is_there;
}

void
verify_stay(const struct verify_place *place, const struct attempt *attempt,
    const char *const *words, bool is_inside, struct verify_answer *answer)
{
	static const int timeouts[] = {1000, 8000};
	bool is_there = false;
	int ends[2];
	size_t i;

	for (i = 0; !is_there && i < sizeof(timeouts) / sizeof(timeouts[0]);
	     i++) {
		verify_silent(answer, "the command could not be supervised");
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) !=
		    0)
			return;
		is_there = run_stay(place, attempt, words, is_inside,
		    timeouts[i], ends, answer);
		close(ends[0]);
	}
}

#define LEFT "left_processes"

const struct attempt attempt_stays[] = {
    {"a daemon after the time-out", LEFT, ALL, ATTEMPT_REAL, ATTEMPT_TIMED,
	NULL, stay},
    {"a daemon whose supervisor is killed", LEFT, ALL, ATTEMPT_REAL,
	ATTEMPT_UNWATCHED, NULL, stay},
    ATTEMPT_END,
};
