/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-sockets.c - sockets outside, and who listens there.
 */

#include "stack.h"

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "trees.h"

static int
listen_at(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%.100s", path);
	unlink(path);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(fd, 8) != 0 || chmod(path, 0666) != 0)
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
	return fd;
}

/* Given back by the administrator, one and not the other. */
static int
own_sockets(void *base)
{
	char one[PATH_MAX];
	char two[PATH_MAX];
	char three[PATH_MAX];
	char lines[3 * PATH_MAX];
	struct stack stack;
	struct world world;
	int faults = 0;
	int inside;
	int wanted;
	int fds[3];

	world_make(&world, base, ".omega");
	snprintf(one, sizeof(one), "%s/one", (const char *)base);
	snprintf(two, sizeof(two), "%s/two", (const char *)base);
	fds[0] = listen_at(one);
	fds[1] = listen_at(two);
	snprintf(lines, sizeof(lines), "allow_sockets = {\"%s\"}\n", two);
	if (!stack_open(&stack, base, world.dir, lines))
		return 1;
	CHECK(faults, stack_try(&stack.out, &world, "connect", one) == 0,
	    "outside");
	inside = stack_try(&stack.in, &world, "connect", one);
	CHECK(faults, inside == EACCES, "inside: %d", inside);
	inside = stack_try(&stack.in, &world, "connect", two);
	CHECK(faults, inside == 0, "allowed: %d", inside);
	/* One more, bound after preparing. */
	snprintf(three, sizeof(three), "%s/three", (const char *)base);
	fds[2] = listen_at(three);
	wanted =
	    stack_claims(stack.inside, "connect to a late socket") ? EACCES : 0;
	CHECK(faults, stack_try(&stack.out, &world, "connect", three) == 0,
	    "outside");
	inside = stack_try(&stack.in, &world, "connect", three);
	CHECK(faults, inside == wanted, "late: %d, not %d", inside, wanted);
	printf("# a socket bound later is %s\n",
	    wanted != 0 ? "refused" : "not claimed on this kernel, and open");
	close(fds[0]);
	close(fds[1]);
	close(fds[2]);
	stack_close(&stack);
	world_end(&world);
	return faults;
}

/* Sockets of services, which everybody may connect to; in a /run of ours. */
static int
ask_launchers(void *arg)
{
	static const char *const paths[] = {"/run/docker.sock",
	    "/run/dbus/system_bus_socket", "/run/containerd/containerd.sock",
	    "/run/podman/podman.sock", "/run/libvirt/libvirt-sock",
	    "/run/snapd.socket", "/run/systemd/private", "/var/run/docker.sock",
	    NULL};
	struct stack stack;
	struct world world;
	int faults = 0;
	int i;

	world_make(&world, arg, ".omega");
	if (!stack_open(&stack, arg, world.dir, ""))
		return 1;
	for (i = 0; paths[i] != NULL; i++) {
		char path[64];
		int inside;

		snprintf(path, sizeof(path), "%s", paths[i]);
		CHECK(faults,
		    stack_try(&stack.out, &world, "connect", path) == 0,
		    "%s: outside", path);
		inside = stack_try(&stack.in, &world, "connect", path);
		CHECK(faults, inside == EACCES, "%s: inside: %d", path, inside);
	}
	/* Who answers questions about names stays, on every kernel. */
	CHECK(faults,
	    stack_try(&stack.in, &world, "connect", "/run/nscd/socket") == 0,
	    "a lookup service is out of reach");
	if (geteuid() == 0) {
		static const char bus[] = "/run/user/61951/bus";
		int inside;

		CHECK(faults,
		    stack_try(&stack.out, &world, "connect as its user", bus) ==
			0,
		    "outside");
		/* The user of the mask is not one to become. */
		inside =
		    stack_try(&stack.in, &world, "connect as its user", bus);
		CHECK(faults, inside == EINVAL || inside == EACCES,
		    "the bus of a user: %d", inside);
		inside = stack_try(&stack.in, &world, "connect", bus);
		CHECK(
		    faults, inside == EACCES, "the bus of a user: %d", inside);
	}
	stack_close(&stack);
	world_end(&world);
	return faults;
}

static int
with_launchers(void *arg)
{
	static const char *const paths[] = {"docker.sock",
	    "dbus/system_bus_socket", "containerd/containerd.sock",
	    "podman/podman.sock", "libvirt/libvirt-sock", "snapd.socket",
	    "systemd/private", "nscd/socket", NULL};
	char path[64];
	int i;

	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    trees_cover("/run", "mode=755") != 0)
		return CANNOT_MOUNT;
	for (i = 0; paths[i] != NULL; i++) {
		snprintf(path, sizeof(path), "/run/%s", paths[i]);
		if (strchr(paths[i], '/') != NULL) {
			*strrchr(path, '/') = '\0';
			mkdir(path, 0755);
			path[strlen(path)] = '/';
		}
		listen_at(path);
	}
	mkdir("/run/user", 0755);
	mkdir("/run/user/61951", 0755); /* SPARE_UID */
	listen_at("/run/user/61951/bus");
	if (chown("/run/user/61951/bus", SPARE_UID, SPARE_UID) != 0)
		return 1;
	return ((const char *)arg)[PATH_MAX] == 'u'
		   ? in_user_child(ask_launchers, arg)
		   : ask_launchers(arg);
}

static void
test_launchers(void **state)
{
	char base[PATH_MAX + 1];
	int status;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root can make sockets in /run");
	twice_scratch(base, PATH_MAX, 0);
	base[PATH_MAX] = 'r';
	status = in_child(with_launchers, base);
	if (status == CANNOT_MOUNT)
		skip_because("cannot mount a /run of our own");
	assert_int_equal(status, 0);
	twice_scratch(base, PATH_MAX, SPARE_UID);
	base[PATH_MAX] = 'u';
	assert_int_equal(in_child(with_launchers, base), 0);
}

TWICE(own_sockets)

const struct CMUnitTest stack_sockets_tests[] = {
    cmocka_unit_test(test_own_sockets),
    cmocka_unit_test(test_launchers),
    {NULL, NULL, NULL, NULL, NULL},
};
