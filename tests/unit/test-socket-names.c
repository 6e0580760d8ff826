/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-socket-names.c - which of another user's sockets are launchers, by
 * their names, and that a name costs little wherever it is: others can have as
 * many as they like.
 */

#include "harness.h"

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <omega/sandbox-plugin.h>

#include "path/builtin.h"
#include "policy/known-sockets.h"
#include "policy/sockets.h"

#define STRANGER 61952
#define CROWD 900

static const char *const launchers[] = {
    "/run/user/7/bus",
    "/run/user/7/podman/podman.sock",
    "/run/user/7/tmux-7/x",
    "/tmp/emacs7/server",
    "/tmp/tmux-7/default",
};

static const char *const others[] = {
    "/run/user/7/bu",
    "/run/user/7/bus2",
    "/run/user/7/podman/bus",
    "/run/user/bus",
    "/tmp/tmux-7/in/x",
    "/tmp/tmux",
    "/run/us",
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const char *const dirs[] = {"/run/user", "/run/user/7",
    "/run/user/7/podman", "/run/user/7/tmux-7", "/run/user/7/crowd",
    "/tmp/emacs7", "/tmp/tmux-7", "/tmp/tmux-7/in", "/tmp/crowd"};

/* A /run and a /tmp of our own, where everybody may write. */
static int
make_ground(void)
{
	size_t i;

	if (geteuid() != 0 || mount("none", "/run", "tmpfs", 0, NULL) != 0 ||
	    mount("none", "/tmp", "tmpfs", 0, NULL) != 0)
		return CANNOT_MOUNT;
	need(chmod("/run", 0777) == 0 && chmod("/tmp", 0777) == 0);
	for (i = 0; i < COUNT(dirs); i++)
		need(mkdir(dirs[i], 0777) == 0 && chmod(dirs[i], 0777) == 0);
	return 0;
}

static void
bind_one(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(fd, 1) != 0)
		_exit(1);
}

/* Somebody who has those named, or a crowd in this directory; 0: nobody. */
static pid_t
start(const char *crowd)
{
	int ready[2];
	char byte = 0;
	pid_t pid;
	size_t i;

	if (pipe(ready) != 0 || (pid = fork()) < 0)
		return 0;
	if (pid == 0) {
		if (setgid(STRANGER) != 0 || setuid(STRANGER) != 0)
			_exit(1);
		for (i = 0; crowd != NULL && i < CROWD; i++)
			bind_one(text("%s/%zu", crowd, i));
		for (i = 0; crowd == NULL && i < COUNT(launchers); i++)
			bind_one(launchers[i]);
		for (i = 0; crowd == NULL && i < COUNT(others); i++)
			bind_one(others[i]);
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = 0;
	}
	close(ready[0]);
	return pid;
}

static void
stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int
is_told(const struct omega_sockets *sockets, const char *path)
{
	size_t i;

	for (i = 0; i < sockets->count; i++)
		if (strcmp(sockets->list[i], path) == 0)
			return 1;
	return 0;
}

static int
ask_names(void *arg)
{
	struct omega_known_sockets known;
	struct omega_sockets sockets;
	int ret = make_ground();
	pid_t pid;
	size_t i;

	(void)arg;
	if (ret != 0)
		return ret;
	pid = start(NULL);
	if (pid == 0)
		return CANNOT_MOUNT; /* there is no other user here */
	need(omega_known_sockets_make(&known) == 0);
	need(omega_sockets_find(
		 OMEGA_SANDBOX_UNIX_ALL, &known, NULL, &sockets) == 0);
	need(sockets.error == 0);
	for (i = 0; i < COUNT(launchers); i++)
		need(is_told(&sockets, launchers[i]));
	for (i = 0; i < COUNT(others); i++)
		need(!is_told(&sockets, others[i]));
	omega_sockets_drop(&sockets);
	omega_known_sockets_drop(&known);
	stop(pid);
	return 0;
}

/* The least processor time to find out that these are not meant; 0: there is
 * no other user here. */
static double
cost(const char *crowd)
{
	const pid_t pid = start(crowd);
	double least = 0;
	int i;

	for (i = 0; pid != 0 && i < 15; i++) {
		struct omega_known_sockets known;
		struct omega_sockets sockets;
		struct timespec from;
		struct timespec to;
		double took;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		omega_known_sockets_make(&known);
		omega_sockets_find(
		    OMEGA_SANDBOX_UNIX_ALL, &known, NULL, &sockets);
		omega_sockets_drop(&sockets);
		omega_known_sockets_drop(&known);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		took = 1e3 * (double)(to.tv_sec - from.tv_sec) +
		       1e-6 * (double)(to.tv_nsec - from.tv_nsec);
		if (i == 0 || took < least)
			least = took;
	}
	if (pid != 0)
		stop(pid);
	return least;
}

static int
ask_costs(void *arg)
{
	int ret = make_ground();
	double elsewhere;
	double among;

	(void)arg;
	if (ret != 0)
		return ret;
	elsewhere = cost("/tmp/crowd");
	among = cost("/run/user/7/crowd");
	if (elsewhere == 0)
		return CANNOT_MOUNT;
	fprintf(stderr, "# %d sockets: %.2f ms, %.2f ms where launchers are\n",
	    CROWD, elsewhere, among);
	/* It was 10 and more. */
	need(among < 5 * elsewhere);
	return 0;
}

static void
run(int (*fn)(void *))
{
	int status = in_mount_child(fn, NULL);

	if (status == CANNOT_MOUNT)
		skip_because("another user cannot be played here");
	assert_int_equal(status, 0);
}

static void
test_launchers_are_told_by_their_names(void **state)
{
	(void)state;
	run(ask_names);
}

/* That much of every name is compared before the rest. */
static void
test_users_are_not_among_the_first_bytes(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < omega_builtin_service_count; i++)
		assert_true(strcspn(omega_builtin_services[i].path, "%") >=
			    (strchr(omega_builtin_services[i].path, '%') != NULL
				    ? sizeof(uint64_t)
				    : 0));
}

static void
test_a_name_among_launchers_costs_little(void **state)
{
	(void)state;
	run(ask_costs);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_launchers_are_told_by_their_names),
	    cmocka_unit_test(test_users_are_not_among_the_first_bytes),
	    cmocka_unit_test(test_a_name_among_launchers_costs_little),
	};

	return run_all(tests);
}
