/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-sockets-found.c - sockets that are not where their names say: bound by
 * a relative name, moved, linked, bound in a chroot or by somebody who cannot
 * be seen. They are found and held, or the report does not claim it. As root
 * and as an ordinary user.
 */

#include "ward.h"

#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE 60

/*
 * Somebody else on this machine has a socket that cannot be found: then it is
 * refused, and rightly. Wait for the end of that.
 */
static bool
open_in_peace(struct ward *ward, const char *base, const char *network)
{
	int left = PATIENCE;

	while (!ward_open(ward, base, "", network)) {
		const char *reason =
		    strstr(ward->error, "may not be where it was bound");
		const char *ours = strstr(ward->error, base);

		if (reason == NULL || (ours != NULL && ours < reason) ||
		    strstr(ward->error, "resident may not") != NULL ||
		    strstr(ward->error, "relative may not") != NULL ||
		    --left == 0)
			return false;
		ward_close(ward);
		sleep(1);
	}
	return true;
}

/* Prepared with this network, the socket cannot be reached, and says so. */
static int
check_found(const char *base, const char *network, const char *path)
{
	const char *kind =
	    strcmp(network, "deny") == 0 ? "path_sockets" : "launcher_sockets";
	struct ward ward;
	int faults = 0;

	if (!open_in_peace(&ward, base, network)) {
		fprintf(stderr, "# %s: refused: %s\n", path, ward.error);
		return 1;
	}
	CHECK(faults, ward_claims(&ward, kind), "%s: %s is not claimed", path,
	    kind);
	faults += ward_check_held(&ward, path);
	ward_close(&ward);
	return faults;
}

/* A command binds a socket by a relative name, goes elsewhere, and stays. */
static int
ask_resident(void *base)
{
	const char *room = text("%s/room", (const char *)base);
	const char *shut = text("%s/shut", (const char *)base);
	struct omega_sandbox_child *child;
	struct omega_sandbox_child *second;
	struct ward first;
	struct ward ward;
	int faults = 0;

	mkdir(room, 0755);
	need(ward_open(&first, base, "", "allow"));
	child = ward_resident(first.inside, "keep", room);
	need(child != NULL);
	CHECK(faults, open_in_peace(&ward, base, "allow"), "refused: %s",
	    ward.error);
	if (ward.inside != NULL)
		CHECK(faults, ward_shell(ward.inside, "exit 7") == 7, "run");
	ward_close(&ward);
	faults += check_found(base, "deny", text("%s/resident", room));
	/* Another one removes its socket, and shuts a directory. */
	need(ward_shell(first.inside,
		 text("mkdir %s && chmod 311 %s", shut, shut)) == 0);
	second = ward_resident(first.inside, "remove", base);
	need(second != NULL);
	CHECK(faults, open_in_peace(&ward, base, "deny"), "refused: %s",
	    ward.error);
	if (ward.inside != NULL) {
		CHECK(faults, ward_claims(&ward, "path_sockets"), "claims");
		CHECK(faults, ward_shell(ward.inside, "exit 7") == 7, "run");
	}
	ward_close(&ward);
	ward_end(child);
	ward_end(second);
	ward_close(&first);
	need(chmod(shut, 0755) == 0);
	return faults;
}

static int
resident(void *arg)
{
	if (ward_own_ground(arg) != 0)
		return CANNOT_MOUNT;
	return ward_as_that(arg, ask_resident);
}

/* A program outside does the same: it is found by its inode. */
static int
ask_relative(void *base)
{
	const char *room = text("%s/room/deep", (const char *)base);
	int faults = 0;
	int fd;

	need(chdir("/") == 0);
	mkdir(text("%s/room", (const char *)base), 0755);
	mkdir(room, 0755);
	fd = ward_listen_in(room, "relative");
	faults += check_found(base, "allow", text("%s/relative", room));
	faults += check_found(base, "deny", text("%s/relative", room));
	/* One that cannot be looked at either. */
	prctl(PR_SET_DUMPABLE, 0);
	faults += check_found(base, "allow", text("%s/relative", room));
	faults += check_found(base, "deny", text("%s/relative", room));
	prctl(PR_SET_DUMPABLE, 1);
	close(fd);
	return faults;
}

static int
relative(void *arg)
{
	if (ward_own_ground(arg) != 0)
		return CANNOT_MOUNT;
	return ward_as_that(arg, ask_relative);
}

/* Bound by one name, then given another, or one more. */
static int
ask_moved(void *base)
{
	const char *one = text("%s/one", (const char *)base);
	const char *final = text("%s/final", (const char *)base);
	const char *far = text("%s/room/far", (const char *)base);
	const char *link_to = text("%s/room/link", (const char *)base);
	int faults = 0;
	int fd;

	mkdir(text("%s/room", (const char *)base), 0755);
	fd = ward_listen(one);
	/* As many servers do, so that it is never half made. */
	need(rename(one, final) == 0);
	faults += check_found(base, "allow", final);
	faults += check_found(base, "deny", final);
	need(link(final, link_to) == 0);
	faults += check_found(base, "deny", link_to);
	need(rename(final, far) == 0);
	faults += check_found(base, "deny", far);
	faults += check_found(base, "deny", link_to);
	close(fd);
	/* Where it is bound, and one name more. */
	fd = ward_listen(one);
	need(unlink(link_to) == 0 && link(one, link_to) == 0);
	faults += check_found(base, "allow", link_to);
	faults += check_found(base, "deny", link_to);
	close(fd);
	return faults;
}

static int
moved(void *arg)
{
	if (ward_own_ground(arg) != 0)
		return CANNOT_MOUNT;
	return ward_as_that(arg, ask_moved);
}

/* A server somewhere else, which says when it listens. -1 or its pid. */
static pid_t
start_server(void (*prepare)(const char *), const char *base, const char *path)
{
	struct pollfd wait = {.events = POLLIN};
	char byte = 0;
	int ends[2];
	pid_t pid;

	if (pipe(ends) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prepare(base);
		if (ward_listen(path) < 0 || write(ends[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]);
	wait.fd = ends[0];
	if (pid > 0 &&
	    (poll(&wait, 1, 60000) != 1 || read(ends[0], &byte, 1) != 1))
		fprintf(stderr, "# the server did not begin\n");
	close(ends[0]);
	return pid;
}

static void
stop_server(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
go_to_jail(const char *base)
{
	if (chroot(text("%s/jail", base)) != 0 || chdir("/") != 0)
		_exit(1);
}

static int
ask_jail(void *base)
{
	return check_found(base, "deny", text("%s/jail/s", (const char *)base));
}

static int
jail(void *arg)
{
	const struct ward_as *as = arg;
	int faults;
	pid_t pid;

	if (ward_own_ground(as) != 0)
		return CANNOT_MOUNT;
	mkdir(text("%s/jail", as->base), 0755);
	pid = start_server(go_to_jail, as->base, "/s");
	need(pid > 0);
	faults = ward_as_that(as, ask_jail);
	stop_server(pid);
	return faults;
}

/* One of somebody else that was put where nobody can look for it. */
static int
ask_lost(void *base)
{
	struct ward ward;
	int faults = 0;

	if (ward_open(&ward, base, "", "deny")) {
		/* Root can look everywhere. */
		CHECK(faults, geteuid() == 0, "claimed");
		faults += ward_check_held(
		    &ward, text("%s/dark/moved", (const char *)base));
	} else {
		CHECK(faults, geteuid() != 0, "refused: %s", ward.error);
		CHECK(faults, strstr(ward.error, "cannot be listed") != NULL,
		    "%s", ward.error);
	}
	ward_close(&ward);
	return faults;
}

static int
lost(void *arg)
{
	const struct ward_as *as = arg;
	const char *dark = text("%s/dark", as->base);

	if (ward_own_ground(as) != 0)
		return CANNOT_MOUNT;
	mkdir(dark, 0755);
	need(chmod(dark, 0711) == 0);
	need(ward_listen(text("%s/one", as->base)) >= 0);
	need(rename(text("%s/one", as->base), text("%s/moved", dark)) == 0);
	return ward_as_that(as, ask_lost);
}

/* In a container: who has bound it is not to be seen. */
static int
ask_volume(void *base)
{
	const char *path = text("%s/volume/s", (const char *)base);
	struct ward ward;

	if (ward_open(&ward, base, "", "deny")) {
		ward_close(&ward);
		return check_found(base, "deny", path);
	}
	/* There may be more on this machine than can be looked through. */
	if (strstr(ward.error, "names to look through") == NULL &&
	    strstr(ward.error, "cannot be listed") == NULL) {
		fprintf(stderr, "# refused: %s\n", ward.error);
		return 1;
	}
	printf("# too much to look through, and refused for it\n");
	return 0;
}

static int
in_container(void *arg)
{
	if (mount("proc", "/proc", "proc", 0, NULL) != 0)
		return CANNOT_MOUNT;
	return ward_as_that(arg, ask_volume);
}

static void leave_network(const char *base);

/* Mounted alone, as containers get theirs: all that is known is the mount. */
static int
ask_mounted(void *base)
{
	int faults = 0;

	faults += check_found(
	    base, "allow", text("%s/docker.sock", (const char *)base));
	faults +=
	    check_found(base, "allow", text("%s/own", (const char *)base));
	return faults;
}

static int
mounted(void *arg)
{
	static const char *const names[] = {"docker.sock", "own"};
	const struct ward_as *as = arg;
	const char *hidden = text("%s/hidden", as->base);
	pid_t pids[2];
	int faults;
	int i;

	if (ward_own_ground(as) != 0)
		return CANNOT_MOUNT;
	mkdir(hidden, 0755);
	for (i = 0; i < 2; i++) {
		const char *from = text("%s/%s", hidden, names[i]);
		const char *to = text("%s/%s", as->base, names[i]);

		pids[i] = start_server(leave_network, as->base, from);
		need(pids[i] > 0);
		close(open(to, O_CREAT | O_CLOEXEC, 0644));
		need(i == 0 || chown(from, as->uid, as->uid) == 0);
		need(mount(from, to, NULL, MS_BIND, NULL) == 0);
	}
	need(mount("none", hidden, "tmpfs", 0, NULL) == 0);
	faults = ward_as_that(as, ask_mounted);
	stop_server(pids[0]);
	stop_server(pids[1]);
	return faults;
}

static void
leave_network(const char *base)
{
	(void)base;
	if (unshare(CLONE_NEWNET) != 0)
		_exit(1);
}

static int
container(void *arg)
{
	const struct ward_as *as = arg;
	int faults;
	pid_t pid;

	if (ward_own_ground(as) != 0)
		return CANNOT_MOUNT;
	mkdir(text("%s/volume", as->base), 0755);
	pid = start_server(
	    leave_network, as->base, text("%s/volume/s", as->base));
	need(pid > 0);
	if (unshare(CLONE_NEWPID) != 0)
		return CANNOT_MOUNT;
	faults = in_child(in_container, arg);
	stop_server(pid);
	return faults;
}

TWICE_IN_MOUNTS(resident)
TWICE_IN_MOUNTS(relative)
TWICE_IN_MOUNTS(moved)
TWICE_IN_MOUNTS(jail)
TWICE_IN_MOUNTS(lost)
TWICE_IN_MOUNTS(mounted)
TWICE_IN_MOUNTS(container)

int
main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_resident),
	    cmocka_unit_test(test_relative),
	    cmocka_unit_test(test_moved),
	    cmocka_unit_test(test_jail),
	    cmocka_unit_test(test_lost),
	    cmocka_unit_test(test_mounted),
	    cmocka_unit_test(test_container),
	};
	int status;

	if (ward_main(argc, argv, &status))
		return status;
	return run_all(tests);
}
