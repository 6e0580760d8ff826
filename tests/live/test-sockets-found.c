/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-sockets-found.c - sockets of others, whatever they are called, wherever
 * they went and however many there are: a command starts under every rule,
 * what can be found is out of reach, what cannot is not claimed, and without
 * UNIX sockets of its own a command reaches none. As root and as an ordinary
 * user.
 */

#include "ward.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STRANGER 61952
#define KIND "outside_sockets"

/* ---- Asking ---------------------------------------------------------------
 */

enum { MASKED, OPEN, ANY };

/* Prepared with this rule, the socket is masked, or stays open; no command
 * that may not use sockets reaches it; and the report claims no more. */
static int
check_with(const char *base, const char *rule, const char *value,
    const char *path, int expected)
{
	const char *values[] = {value, NULL};
	struct ward ward;
	int faults = 0;
	int status;

	if (!ward_open_with(&ward, base, "", rule, values)) {
		fprintf(stderr, "# %s = %s: refused: %s\n", rule, value,
		    ward.error);
		ward_close(&ward);
		return 1;
	}
	status = ward_connect(ward.outside, path);
	CHECK(faults, status == 0, "%s outside: %d", path, status);
	status = ward_connect(ward.inside, path);
	if (expected == MASKED || ward_claims(&ward, KIND))
		CHECK(faults, status == EACCES || status == EPERM,
		    "%s = %s: %s: %d", rule, value, path, status);
	if (expected == OPEN && !ward_claims(&ward, KIND))
		CHECK(faults, status == 0, "%s = %s: %s: %d", rule, value, path,
		    status);
	ward_close(&ward);
	return faults;
}

/* all: what the default rule does with it. */
static int
check(const char *base, const char *path, int all, int own)
{
	struct ward ward;
	const char *none[] = {"none", NULL};
	int faults = 0;

	faults += check_with(base, "network", "allow", path, all);
	faults += check_with(base, "network", "deny", path, own);
	faults += check_with(base, "unix_sockets", "none", path, MASKED);
	if (ward_open_with(&ward, base, "", "unix_sockets", none))
		CHECK(faults, ward_claims(&ward, KIND), "none is not claimed");
	ward_close(&ward);
	return faults;
}

/* ---- Servers --------------------------------------------------------------
 */

/* Sockets PREFIX0, PREFIX1 ... of this user (0: as we are). */
struct crowd {
	const char *dir; /* to go to, or NULL */
	const char *prefix;
	int count;
	uid_t uid;
	bool is_vanishing;
};

static int
bind_one(const struct crowd *crowd, int number)
{
	char name[108];

	snprintf(name, sizeof(name), "%.90s%d", crowd->prefix, number);
	return ward_listen(name);
}

static void
serve(const struct crowd *crowd, int ready)
{
	struct rlimit files = {4096, 4096};
	int fds[4096];
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_NOFILE, &files);
	if (crowd->dir != NULL && chdir(crowd->dir) != 0)
		_exit(1);
	if (crowd->uid != 0 &&
	    (setgid(crowd->uid) != 0 || setuid(crowd->uid) != 0))
		_exit(1);
	umask(0);
	for (i = 0; i < crowd->count; i++)
		fds[i] = bind_one(crowd, i);
	if (chdir("/") != 0 || write(ready, "x", 1) != 1)
		_exit(1);
	for (i = 0; crowd->is_vanishing; i = (i + 1) % crowd->count) {
		close(fds[i]);
		fds[i] = bind_one(crowd, i);
	}
	for (;;)
		pause();
}

static pid_t
start(const struct crowd *crowd)
{
	struct pollfd wait = {.events = POLLIN};
	char byte = 0;
	int ends[2];
	pid_t pid;

	if (pipe(ends) != 0)
		return -1;
	pid = fork();
	if (pid == 0)
		serve(crowd, ends[1]);
	close(ends[1]);
	wait.fd = ends[0];
	if (pid > 0 &&
	    (poll(&wait, 1, PATIENCE_MS) != 1 || read(ends[0], &byte, 1) != 1))
		fprintf(stderr, "# the server did not begin\n");
	close(ends[0]);
	return pid;
}

static void
stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- Names and places -----------------------------------------------------
 */

/* Bound by one name, then given another, or one more. */
static int
ask_moved(void *base)
{
	const char *one = text("%s/one", (const char *)base);
	const char *final = text("%s/final", (const char *)base);
	const char *far = text("%s/room/far", (const char *)base);
	int faults = 0;
	int fd;

	mkdir(text("%s/room", (const char *)base), 0755);
	fd = ward_listen(one);
	/* As many servers do, so that it is never half made. */
	need(rename(one, final) == 0);
	faults += check(base, final, MASKED, MASKED);
	need(rename(final, far) == 0);
	faults += check(base, far, ANY, ANY);
	close(fd);
	return faults;
}

/* Names that say little, or look like something else. */
static int
ask_named(void *base)
{
	const char *room = text("%s/room", (const char *)base);
	const char *lines = text("%s/a\n/b c\\x40", room);
	int dir;
	int fd[4];
	int faults = 0;

	mkdir(room, 0755);
	need(chdir("/") == 0);
	fd[0] = ward_listen_in(room, "@at");
	fd[1] = ward_listen_in(room, "relative");
	dir = open(room, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd[2] = ward_listen(text("/proc/self/fd/%d/by-number", dir));
	close(dir);
	mkdir(text("%s/a\n", room), 0755);
	fd[3] = ward_listen(lines);
	need(fd[0] >= 0 && fd[1] >= 0 && fd[2] >= 0 && fd[3] >= 0);
	faults += check(base, text("%s/@at", room), ANY, ANY);
	faults += check(base, text("%s/relative", room), ANY, ANY);
	faults += check(base, text("%s/by-number", room), ANY, ANY);
	faults += check(base, lines, MASKED, MASKED);
	return faults;
}

/* The longest name there can be. */
static int
ask_longest(void *base)
{
	char name[109];
	int faults;
	int fd;

	memset(name, 'n', sizeof(name));
	name[snprintf(name, sizeof(name), "%.90s/", (const char *)base)] = 'n';
	name[sizeof(name) - 1] = '\0';
	fd = ward_listen(name);
	need(fd >= 0);
	faults = check(base, name, MASKED, MASKED);
	close(fd);
	return faults;
}

/* A server of datagrams that a client has connected to. */
static int
ask_connected(void *base)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int server = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int client = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int faults;

	snprintf(at.sun_path, sizeof(at.sun_path), "%.90s/datagrams",
	    (const char *)base);
	need(bind(server, (struct sockaddr *)&at, sizeof(at)) == 0);
	need(chmod(at.sun_path, 0666) == 0);
	need(connect(client, (struct sockaddr *)&at, sizeof(at)) == 0);
	faults = check(base, at.sun_path, MASKED, MASKED);
	close(client);
	close(server);
	return faults;
}

/* Where it was bound there is a link now that leads behind a closed directory:
 * that says nothing about its neighbours. */
static int
ask_neighbour(void *base)
{
	const char *room = text("%s/room", (const char *)base);
	const char *shut = text("%s/shut", (const char *)base);
	const char *first = text("%s/a", room);
	int fd[2];
	int faults;

	need(mkdir(room, 0755) == 0 && mkdir(shut, 0000) == 0);
	fd[0] = ward_listen(first);
	fd[1] = ward_listen(text("%s/b", room));
	need(
	    unlink(first) == 0 && symlink(text("%s/inside", shut), first) == 0);
	faults = check(base, text("%s/b", room), MASKED, MASKED);
	close(fd[0]);
	close(fd[1]);
	return faults;
}

/* A command binds by a relative name, goes elsewhere, and stays; a directory
 * it shuts says nothing about that. */
static int
ask_resident(void *base)
{
	const char *room = text("%s/room", (const char *)base);
	const char *shut = text("%s/shut", (const char *)base);
	struct omega_sandbox_child *child;
	struct ward first;
	int faults = 0;

	mkdir(room, 0755);
	need(ward_open(&first, base, "", "allow"));
	child = ward_resident(first.inside, "keep", room);
	need(child != NULL);
	need(ward_shell(first.inside,
		 text("mkdir %s && chmod 311 %s", shut, shut)) == 0);
	faults += check(base, text("%s/resident", room), ANY, ANY);
	ward_end(child);
	ward_close(&first);
	need(chmod(shut, 0755) == 0);
	return faults;
}

/* Of root, given to the caller; and of others, for everybody. */
static int
ask_given(void *base)
{
	int faults = 0;

	faults +=
	    check(base, text("%s/given", (const char *)base), MASKED, MASKED);
	faults +=
	    check(base, "/tmp/open-0", geteuid() == 0 ? ANY : OPEN, MASKED);
	if (geteuid() == 0)
		faults += check(base, text("/tmp/tmux-%d/.hidden-0", STRANGER),
		    MASKED, MASKED);
	return faults;
}

static int
given(void *arg)
{
	const struct ward_as *as = arg;
	const char *path = text("%s/given", as->base);
	const char *tmux = text("/tmp/tmux-%d", STRANGER);
	const struct crowd open = {NULL, "/tmp/open-", 1, STRANGER, false};
	struct crowd dotted = {tmux, "", 1, STRANGER, false};
	pid_t pids[2];
	int faults;

	if (ward_own_ground(as) != 0)
		return CANNOT_MOUNT;
	need(ward_listen(path) >= 0 && chown(path, as->uid, as->uid) == 0);
	need(mkdir(tmux, 0755) == 0 && chown(tmux, STRANGER, STRANGER) == 0);
	dotted.prefix = text("%s/.hidden-", tmux);
	pids[0] = start(&open);
	pids[1] = start(&dotted);
	faults = ward_as_that(as, ask_given);
	stop(pids[0]);
	stop(pids[1]);
	return faults;
}

/* ---- Crowds ---------------------------------------------------------------
 */

#define TMUX "/tmp/tmux-4711"

/* Under every rule it starts, and what is claimed holds. */
static int
ask_crowded(void *base)
{
	static const char *const rules[][2] = {{"network", "allow"},
	    {"network", "deny"}, {"network", "unix-only"},
	    {"unix_sockets", "own"}, {"unix_sockets", "none"}};
	int faults = 0;
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		faults += check_with(base, rules[i][0], rules[i][1],
		    "/tmp/.X11-unix/X7", MASKED);
		if (geteuid() == 0) /* of everybody, however many there are */
			faults += check_with(base, rules[i][0], rules[i][1],
			    TMUX "/w-99", MASKED);
	}
	return faults;
}

static int
make_fifos(const char *dir, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (mkfifo(text("%s/fifo-%d", dir, i), 0666) != 0)
			return 1;
	return 0;
}

/* Somebody fills every place that is looked at, and has sockets in directories
 * that cannot be listed, have gone, or were moved. */
static int
crowded(void *arg)
{
	const struct ward_as *as = arg;
	const struct crowd many = {NULL, "/tmp/many-", 400, STRANGER, false};
	const struct crowd near = {"/tmp/dark", "near-", 300, STRANGER, false};
	const struct crowd moved = {NULL, "/tmp/dark/m-", 50, STRANGER, false};
	const struct crowd vanishing = {NULL, "/tmp/van-", 200, STRANGER, true};
	const struct crowd tmux = {NULL, TMUX "/w-", 100, STRANGER, false};
	const struct crowd *crowds[] = {
	    &many, &near, &moved, &vanishing, &tmux};
	pid_t pids[5];
	int faults;
	int i;

	if (ward_own_ground(as) != 0)
		return CANNOT_MOUNT;
	need(mkdir("/tmp/.X11-unix", 0777) == 0 &&
	     chmod("/tmp/.X11-unix", 01777) == 0);
	need(ward_listen("/tmp/.X11-unix/X7") >= 0);
	need(make_fifos("/tmp/.X11-unix", 3000) == 0);
	need(mkdir("/tmp/screens", 0777) == 0);
	for (i = 0; i < 200; i++)
		mkdir(text("/tmp/screens/S-%d", i), 0700);
	need(mkdir("/tmp/dark", 0777) == 0 && chmod("/tmp/dark", 0777) == 0);
	need(mkdir(TMUX, 0777) == 0 && chmod(TMUX, 0777) == 0);
	for (i = 0; i < 5; i++)
		pids[i] = start(crowds[i]);
	need(chmod("/tmp/dark", 0711) == 0 &&
	     chown("/tmp/dark", STRANGER, STRANGER) == 0);
	for (i = 0; i < 50; i++)
		need(rename(text("/tmp/dark/m-%d", i),
			 text("/tmp/dark/n-%d", i)) == 0);
	faults = ward_as_that(as, ask_crowded);
	for (i = 0; i < 5; i++)
		stop(pids[i]);
	return faults;
}

static double
now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

/* Beside a crowd of one's own: relative names, and 1,200 in a directory. */
static int
ask_own_crowd(void *base)
{
	const char *dir = text("%s/own", (const char *)base);
	const struct crowd near = {dir, "near-", 1200, 0, false};
	struct crowd named = {NULL, "", 1200, 0, false};
	struct ward ward;
	int faults = 0;
	double begin;
	pid_t pids[2];

	mkdir(dir, 0755);
	named.prefix = text("%s/named-", dir);
	pids[0] = start(&near);
	pids[1] = start(&named);
	begin = now();
	CHECK(faults, ward_open(&ward, base, "", "deny"), "refused: %s",
	    ward.error);
	printf(
	    "# prepared beside 2,400 of one's own in %.2f s\n", now() - begin);
	if (ward.inside != NULL) {
		CHECK(faults, ward_shell(ward.inside, "exit 7") == 7, "run");
		CHECK(faults,
		    ward_claims(&ward, KIND) || ward_says(&ward, "nor 2"),
		    "their number is not told");
	}
	ward_close(&ward);
	stop(pids[0]);
	stop(pids[1]);
	return faults;
}

#define IN_OWN_GROUND(name)                           \
	static int name(void *arg)                    \
	{                                             \
		if (ward_own_ground(arg) != 0)        \
			return CANNOT_MOUNT;          \
		return ward_as_that(arg, ask_##name); \
	}

IN_OWN_GROUND(moved)
IN_OWN_GROUND(longest)
IN_OWN_GROUND(named)
IN_OWN_GROUND(connected)
IN_OWN_GROUND(neighbour)
IN_OWN_GROUND(resident)
IN_OWN_GROUND(own_crowd)

TWICE_IN_MOUNTS(moved)
TWICE_IN_MOUNTS(longest)
TWICE_IN_MOUNTS(named)
TWICE_IN_MOUNTS(connected)
TWICE_IN_MOUNTS(neighbour)
TWICE_IN_MOUNTS(resident)
TWICE_IN_MOUNTS(given)
TWICE_IN_MOUNTS(crowded)
TWICE_IN_MOUNTS(own_crowd)

int
main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_moved),
	    cmocka_unit_test(test_longest),
	    cmocka_unit_test(test_named),
	    cmocka_unit_test(test_connected),
	    cmocka_unit_test(test_neighbour),
	    cmocka_unit_test(test_resident),
	    cmocka_unit_test(test_given),
	    cmocka_unit_test(test_crowded),
	    cmocka_unit_test(test_own_crowd),
	};
	int status;

	if (ward_main(argc, argv, &status))
		return status;
	return run_all(tests);
}
