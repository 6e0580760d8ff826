/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-socket-names.c - which of another user's sockets are launchers, by
 * their names.
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
#include <unistd.h>

#include <omega/sandbox-plugin.h>

#include "path/builtin.h"
#include "policy/known-sockets.h"
#include "policy/sockets.h"

#define STRANGER 61952

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
    "/run/user/7/podman", "/run/user/7/tmux-7", "/tmp/emacs7", "/tmp/tmux-7",
    "/tmp/tmux-7/in"};

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

/* Somebody who has those named; 0: nobody. */
static pid_t
start(void)
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
		for (i = 0; i < COUNT(launchers); i++)
			bind_one(launchers[i]);
		for (i = 0; i < COUNT(others); i++)
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
	pid = start();
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_launchers_are_told_by_their_names),
	    cmocka_unit_test(test_users_are_not_among_the_first_bytes),
	};

	return run_all(tests);
}
