/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-namespace-network.c - network = deny as the namespace backend holds
 * it, as root and as an ordinary user: nothing outside is reached, which is
 * looked at from outside, and what a command serves itself works.
 */

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "lesser.h"
#include "reaches.h"
#include "world.h"

/* Everything below runs in a child: as root, then as a user. */
#define TWICE(name)                                                \
	static void test_##name(void **state)                      \
	{                                                          \
		char base[PATH_MAX];                               \
		(void)state;                                       \
		snprintf(base, sizeof(base), "%s", scratch_dir()); \
		if (geteuid() == 0)                                \
			assert_int_equal(in_child(name, base), 0); \
		snprintf(base, sizeof(base), "%s", scratch_dir()); \
		assert_int_equal(in_user_child(name, base), 0);    \
	}

static int
reach(struct driver *driver, const char *name, const char *arg)
{
	static char self[] = "/proc/self/exe";
	static char word[] = "reach";
	static char program[PATH_MAX];
	char *argv[] = {program, word, (char *)(uintptr_t)name,
	    (char *)(uintptr_t)arg, NULL};

	if (realpath(self, program) == NULL)
		return errno;
	return driver_run(driver, argv);
}

/* Has anybody come to this socket? Whoever has is let go. */
static int
was_reached(int fd, int is_stream)
{
	char byte;
	int come;

	if (!is_stream)
		return recv(fd, &byte, 1, MSG_DONTWAIT) == 1;
	come = accept(fd, NULL, NULL);
	if (come < 0)
		return 0;
	close(come);
	return 1;
}

/* Outside it works and is noticed; inside neither. */
static int
must_fail(struct driver *driver, const char *name, const char *arg, int fd,
    int is_stream)
{
	struct driver nothing = {.plugin = NULL};
	int faults = 0;
	int status;

	status = reach(&nothing, name, arg);
	CHECK(faults, status == 0, "%s %s outside: %s", name, arg,
	    strerror(status));
	CHECK(faults, was_reached(fd, is_stream), "%s %s outside: nobody came",
	    name, arg);
	status = reach(driver, name, arg);
	/* A datagram to a port where nobody is goes nowhere. */
	CHECK(faults, (status != 0 && status < 199) || strcmp(name, "udp") == 0,
	    "%s %s inside: %d", name, arg, status);
	CHECK(faults, !was_reached(fd, is_stream), "%s %s inside: it came",
	    name, arg);
	return faults;
}

static int
must_work(struct driver *driver, const char *name, const char *arg)
{
	struct driver nothing = {.plugin = NULL};
	int faults = 0;
	int status;

	status = reach(&nothing, name, arg);
	CHECK(faults, status == 0, "%s outside: %s", name, strerror(status));
	status = reach(driver, name, arg);
	CHECK(faults, status == 0, "%s inside: %s", name, strerror(status));
	return faults;
}

/* A world with network = deny, prepared. */
static int
begin(struct driver *driver, struct world *world, const char *base)
{
	int ret;

	if (!driver_open(driver, "namespace"))
		return -ENOENT;
	world_make(world, base, ".omega");
	driver_default_policy(driver, world->dir);
	driver_deny_network(driver);
	ret = driver_prepare(driver);
	if (ret < 0)
		fprintf(stderr, "# prepare: %s: %s\n", strerror(-ret),
		    driver->explanation);
	return ret;
}

static int
is_held(struct driver *driver, uint32_t kind)
{
	const struct omega_sandbox_state *state =
	    driver_state(driver, kind, NULL);

	if (state->held == 0)
		fprintf(stderr, "# kind %u: %s\n", kind, state->why);
	return state->held == OMEGA_SANDBOX_ATOM_ALL;
}

static int
internet(void *base)
{
	static const struct {
		const char *name;
		int family;
		int type;
	} rows[] = {{"tcp", AF_INET, SOCK_STREAM},
	    {"tcp6", AF_INET6, SOCK_STREAM}, {"udp", AF_INET, SOCK_DGRAM}};
	struct driver nothing = {.plugin = NULL};
	struct driver driver;
	struct world world;
	int faults = 0;
	size_t i;

	if (begin(&driver, &world, base) < 0)
		return 1;
	CHECK(faults, is_held(&driver, OMEGA_SANDBOX_ATOM_NETWORK), "network");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned short port = 0;
		char arg[8];
		int fd = reaches_serve_ip(rows[i].family, rows[i].type, &port);

		if (fd < 0) {
			printf("# %s: cannot be shown here: %s\n", rows[i].name,
			    strerror(errno));
			continue;
		}
		snprintf(arg, sizeof(arg), "%u", (unsigned)port);
		faults += must_fail(&driver, rows[i].name, arg, fd,
		    rows[i].type == SOCK_STREAM);
		close(fd);
	}
	CHECK(faults, reach(&driver, "away", "tcp") == ENETUNREACH, "away");
	CHECK(faults, reach(&driver, "away", "udp") == ENETUNREACH, "away");
	if (geteuid() == 0)
		CHECK(faults, reach(&nothing, "raw", "") == 0, "raw outside");
	CHECK(faults, reach(&driver, "raw", "") == EPERM, "raw inside");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

static int
abstract_sockets(void *base)
{
	struct driver driver;
	struct world world;
	char name[64];
	int faults = 0;
	int stream;
	int dgram;

	if (begin(&driver, &world, base) < 0)
		return 1;
	CHECK(faults, is_held(&driver, OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS),
	    "abstract sockets");
	snprintf(name, sizeof(name), "@omega-test-%ld", (long)getpid());
	stream = reaches_serve_unix(SOCK_STREAM, name);
	faults += must_fail(&driver, "stream", name, stream, 1);
	close(stream);
	strcat(name, "-dgram");
	dgram = reaches_serve_unix(SOCK_DGRAM, name);
	faults += must_fail(&driver, "dgram", name, dgram, 0);
	faults += must_fail(&driver, "sendto", name, dgram, 0);
	close(dgram);
	driver_close(&driver);
	world_end(&world);
	return faults;
}

/* Bind name in another network namespace, and stay. The pid. */
static pid_t
serve_elsewhere(const char *name)
{
	int flags =
	    geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET;
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (unshare(flags) == 0 &&
		    reaches_serve_unix(SOCK_STREAM, name) >= 0 &&
		    write(ready[1], "x", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		fprintf(stderr, "# nobody serves elsewhere\n");
	close(ready[0]);
	return pid;
}

static char foreign[PATH_MAX]; /* a socket of root, open to all; or "" */
static int foreign_fd = -1;

static int
path_sockets(void *base)
{
	const struct omega_sandbox_state *state;
	struct driver nothing = {.plugin = NULL};
	struct driver driver;
	struct world world;
	char path[4][PATH_MAX + 16];
	int faults = 0;
	int fds[3];
	int i;
	pid_t pid;

	for (i = 0; i < 4; i++)
		snprintf(
		    path[i], sizeof(path[i]), "%s/s%d", (const char *)base, i);
	fds[0] = reaches_serve_unix(SOCK_STREAM, path[0]);
	fds[1] = reaches_serve_unix(SOCK_DGRAM, path[1]);
	fds[2] = reaches_serve_unix(SOCK_STREAM, path[2]);
	pid = serve_elsewhere(path[3]);
	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	driver_set(&driver, "allow_sockets", path[2]);
	driver_set(&driver, "hide_sockets", "none");
	for (i = 0; i < 4; i++)
		driver_set(&driver, "sockets", path[i]);
	driver_set(&driver, "sockets", foreign);
	driver_default_policy(&driver, world.dir);
	driver_deny_network(&driver);
	CHECK(faults, driver_prepare(&driver) == 0, "%s", driver.explanation);
	state = driver_state(&driver, OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS, NULL);
	CHECK(
	    faults, state->held == 0 && state->partial != 0, "%s", state->why);
	faults += must_fail(&driver, "stream", path[0], fds[0], 1);
	faults += must_fail(&driver, "dgram", path[1], fds[1], 0);
	faults += must_fail(&driver, "sendto", path[1], fds[1], 0);
	if (foreign[0] != '\0')
		faults += must_fail(&driver, "stream", foreign, foreign_fd, 1);
	faults += must_work(&driver, "stream", path[2]);
	CHECK(faults, reach(&nothing, "stream", path[3]) == 0, "elsewhere");
	i = reach(&driver, "stream", path[3]);
	CHECK(faults, i == EACCES, "elsewhere: %s", strerror(i));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (i = 0; i < 3; i++)
		close(fds[i]);
	driver_close(&driver);
	world_end(&world);
	return faults;
}

/* What a command serves itself. */
static int
own_sockets(void *base)
{
	struct driver driver;
	struct world world;
	char name[64];
	char path[2 * PATH_MAX];
	int faults = 0;

	if (begin(&driver, &world, base) < 0)
		return 1;
	faults += must_work(&driver, "own tcp", "");
	faults += must_work(&driver, "own tcp6", "");
	faults += must_work(&driver, "own udp", "");
	faults += must_work(&driver, "own pair", "");
	snprintf(name, sizeof(name), "@omega-test-own-%ld", (long)getpid());
	faults += must_work(&driver, "own unix", name);
	snprintf(path, sizeof(path), "%s/own", world.home);
	faults += must_work(&driver, "own unix", path);
	driver_close(&driver);
	world_end(&world);
	return faults;
}

/* Root that can have no user namespace: a network namespace all the same. */
static int
plain_network(void *base)
{
	const struct omega_sandbox_state *state;
	struct driver driver;
	struct world world;
	unsigned short port = 0;
	char arg[8];
	int faults = 0;
	int fd;

	if (lesser_refuse_user_namespaces(EPERM) != 0)
		return 1;
	if (begin(&driver, &world, base) < 0)
		return 1;
	/* In part, because nothing separates the commands from root's. */
	state = driver_state(&driver, OMEGA_SANDBOX_ATOM_NETWORK, NULL);
	CHECK(
	    faults, state->held == 0 && state->partial != 0, "%s", state->why);
	fd = reaches_serve_ip(AF_INET, SOCK_STREAM, &port);
	snprintf(arg, sizeof(arg), "%u", (unsigned)port);
	faults += must_fail(&driver, "tcp", arg, fd, 1);
	faults += must_work(&driver, "own tcp", "");
	close(fd);
	driver_close(&driver);
	world_end(&world);
	return faults;
}

static void
test_plain_network(void **state)
{
	char base[PATH_MAX];

	(void)state;
	if (geteuid() != 0)
		skip_because("only root has a plain mount namespace");
	snprintf(base, sizeof(base), "%s", scratch_dir());
	assert_int_equal(in_child(plain_network, base), 0);
}

/* Without network = deny the network is the host's. */
static int
network_stays(void *base)
{
	const struct omega_sandbox_state *state;
	struct driver driver;
	struct world world;
	unsigned short port = 0;
	char arg[8];
	int faults = 0;
	int fd;

	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	driver_default_policy(&driver, world.dir);
	CHECK(faults, driver_prepare(&driver) == 0, "%s", driver.explanation);
	state =
	    driver_state(&driver, OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS, NULL);
	CHECK(faults, state->held == 0 && state->why[0] != '\0', "abstract");
	fd = reaches_serve_ip(AF_INET, SOCK_STREAM, &port);
	snprintf(arg, sizeof(arg), "%u", (unsigned)port);
	CHECK(faults, reach(&driver, "tcp", arg) == 0, "not reached");
	close(fd);
	driver_close(&driver);
	world_end(&world);
	return faults;
}

static int
write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		ret = -1;
	if (fd >= 0)
		close(fd);
	return ret;
}

/* A host that lets no network namespace be made. */
static int
network_forbidden(void *base)
{
	static const uint32_t kinds[] = {
	    OMEGA_SANDBOX_ATOM_NETWORK, OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS};
	struct omega_sandbox_probe answer = {.size = sizeof(answer)};
	unsigned long uid = geteuid();
	unsigned long gid = getegid();
	struct driver driver;
	struct world world;
	char map[64];
	int faults = 0;
	size_t i;

	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	CHECK(
	    faults, driver.plugin->probe(&driver.host, &answer) == 0, "probe");
	CHECK(faults, answer.has_network == 1, "%s", answer.network_reason);
	prctl(PR_SET_DUMPABLE, 1); /* lost when uids were changed */
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return 1;
	write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%lu %lu 1", uid, uid);
	CHECK(faults, write_file("/proc/self/uid_map", map) == 0, "uid_map");
	snprintf(map, sizeof(map), "%lu %lu 1", gid, gid);
	CHECK(faults, write_file("/proc/self/gid_map", map) == 0, "gid_map");
	CHECK(faults, write_file("/proc/sys/user/max_net_namespaces", "0") == 0,
	    "max");
	memset(&answer, 0, sizeof(answer));
	CHECK(
	    faults, driver.plugin->probe(&driver.host, &answer) == 0, "probe");
	CHECK(faults, answer.is_usable == 1, "%s", answer.reason);
	CHECK(faults, answer.has_network == 0, "has_network");
	CHECK(faults,
	    strstr(answer.network_reason, "user.max_net_namespaces") != NULL,
	    "%s", answer.network_reason);
	driver_default_policy(&driver, world.dir);
	driver_deny_network(&driver);
	CHECK(faults, driver_describe(&driver) == 0, "describe");
	for (i = 0; i < 2; i++) {
		const struct omega_sandbox_state *state =
		    driver_state(&driver, kinds[i], NULL);

		CHECK(faults, (state->held | state->partial) == 0, "held");
		CHECK(faults,
		    strstr(state->why, "user.max_net_namespaces") != NULL, "%s",
		    state->why);
	}
	driver_close(&driver);
	world_end(&world);
	return faults;
}

/* With a socket of root's for the user too. */
static void
test_path_sockets(void **state)
{
	char base[PATH_MAX];

	(void)state;
	if (geteuid() == 0) {
		snprintf(foreign, sizeof(foreign), "%.*s/root's", PATH_MAX - 16,
		    scratch_dir());
		foreign_fd = reaches_serve_unix(SOCK_STREAM, foreign);
		snprintf(base, sizeof(base), "%s", scratch_dir());
		assert_int_equal(in_child(path_sockets, base), 0);
	}
	snprintf(base, sizeof(base), "%s", scratch_dir());
	assert_int_equal(in_user_child(path_sockets, base), 0);
	if (foreign_fd >= 0)
		close(foreign_fd);
}

TWICE(internet)
TWICE(abstract_sockets)
TWICE(own_sockets)
TWICE(network_stays)
TWICE(network_forbidden)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_internet),
	    cmocka_unit_test(test_abstract_sockets),
	    cmocka_unit_test(test_path_sockets),
	    cmocka_unit_test(test_own_sockets),
	    cmocka_unit_test(test_network_stays),
	    cmocka_unit_test(test_network_forbidden),
	    cmocka_unit_test(test_plain_network),
	};
	int status = reaches_main(argc, argv);

	if (status >= 0)
		_exit(status); /* no sanitizer's last words in a sandbox */
	world_set_program("/proc/self/exe");
	return run_all(tests);
}
