/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-sockets.c - path sockets of programs outside, however they are named
 * and whatever an earlier command did to the way that leads there; as root
 * and as an ordinary user. Each is reached outside, and not inside.
 */

#include "ward.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A command closes a directory on the way, and the next one opens it. */
static int
closed_way(void *base)
{
	const char *way = text("%s/way", (const char *)base);
	const char *path = text("%s/sub/one", way);
	struct ward ward;
	int faults = 0;
	int status;
	int fd;

	mkdir(way, 0755);
	mkdir(text("%s/sub", way), 0755);
	fd = ward_listen(path);
	need(ward_open(&ward, base, "", "allow"));
	faults += ward_check_held(&ward, path);
	status = ward_shell(ward.inside, text("chmod 000 %s", way));
	CHECK(faults, status == 0, "it cannot be closed: %d", status);
	ward_close(&ward);
	need(ward_open(&ward, base, "", "allow"));
	ward_shell(ward.inside, text("chmod 755 %s", way));
	status = ward_connect(ward.inside, path);
	CHECK(faults, status == EACCES, "the next command: %d", status);
	need(chmod(way, 0755) == 0);
	ward_close(&ward);
	need(ward_open(&ward, base, "", "allow"));
	faults += ward_check_held(&ward, path);
	ward_close(&ward);
	close(fd);
	return faults;
}

/* A command points a link on the way elsewhere. */
static int
turned_link(void *base)
{
	const char *link = text("%s/link", (const char *)base);
	const char *real = text("%s/real", (const char *)base);
	struct ward ward;
	int faults = 0;
	int status;
	int fd;

	mkdir(real, 0755);
	mkdir(text("%s/empty", (const char *)base), 0755);
	need(symlink("real", link) == 0);
	fd = ward_listen(text("%s/one", link));
	need(ward_open(&ward, base, "", "allow"));
	faults += ward_check_held(&ward, text("%s/one", real));
	faults += ward_check_held(&ward, text("%s/one", link));
	ward_shell(ward.inside,
	    text("rm -f %s; ln -s empty %s; mv -T %s %s.old; ln -s empty %s",
		link, link, link, link, link));
	ward_close(&ward);
	need(ward_open(&ward, base, "", "allow"));
	status = ward_connect(ward.inside, text("%s/one", real));
	CHECK(faults, status == EACCES, "the next command: %d", status);
	CHECK(faults, access(text("%s/one", link), F_OK) == 0,
	    "the link was turned");
	ward_close(&ward);
	close(fd);
	return faults;
}

/* A directory with a socket in it that is mounted elsewhere too. */
static int
ask_other_mount(void *base)
{
	const char *other = text("%s/other/one", (const char *)base);
	const char *single = text("%s/single", (const char *)base);
	struct ward ward;
	int faults = 0;

	need(ward_open(&ward, base, "", "allow"));
	faults +=
	    ward_check_held(&ward, text("%s/dir/one", (const char *)base));
	faults += ward_check_held(&ward, other);
	faults += ward_check_held(&ward, single);
	ward_close(&ward);
	/* One name of it is given back, and so are the others. */
	need(ward_open(
	    &ward, base, text("allow_sockets = {\"%s\"}\n", other), "allow"));
	CHECK(faults, ward_connect(ward.inside, other) == 0, "allowed");
	ward_close(&ward);
	return faults;
}

static int
other_mount(void *arg)
{
	const struct ward_as *as = arg;
	const char *dir = text("%s/dir", as->base);
	const char *other = text("%s/other", as->base);
	const char *single = text("%s/single", as->base);

	mkdir(dir, 0755);
	mkdir(other, 0755);
	ward_listen(text("%s/one", dir));
	need(chown(text("%s/one", dir), as->uid, as->uid) == 0);
	close(open(single, O_CREAT | O_CLOEXEC, 0644));
	if (mount(dir, other, NULL, MS_BIND, NULL) != 0 ||
	    mount(text("%s/one", dir), single, NULL, MS_BIND, NULL) != 0)
		return CANNOT_MOUNT;
	return ward_as_that(as, ask_other_mount);
}

/* Pipes by which programs are started: sysvinit's, and those of screen. */
static int
ask_fifos(void *base)
{
	static const char *const paths[] = {"/run/initctl",
	    "/run/screen/S-somebody/1.x", "/run/systemd/initctl/fifo", NULL};
	struct ward ward;
	int faults = 0;
	int i;

	need(ward_open(&ward, base, "", "allow"));
	for (i = 0; paths[i] != NULL; i++) {
		const char *script = text("echo x >%s", paths[i]);

		CHECK(faults, ward_shell(ward.outside, script) == 0,
		    "%s outside", paths[i]);
		CHECK(faults, ward_shell(ward.inside, script) != 0, "%s inside",
		    paths[i]);
	}
	ward_close(&ward);
	return faults;
}

static int
make_pipe(const char *path)
{
	/* Open for both, so that whoever writes need not wait. */
	return mkfifo(path, 0666) == 0 && chmod(path, 0666) == 0 &&
		       open(path, O_RDWR | O_CLOEXEC) >= 0
		   ? 0
		   : 1;
}

static int
fifos(void *arg)
{
	if (ward_own_run() != 0)
		return CANNOT_MOUNT;
	mkdir("/run/screen", 0755);
	mkdir("/run/screen/S-somebody", 0755);
	mkdir("/run/systemd", 0755);
	mkdir("/run/systemd/initctl", 0755);
	need(make_pipe("/run/initctl") == 0);
	need(make_pipe("/run/systemd/initctl/fifo") == 0);
	need(make_pipe("/run/screen/S-somebody/1.x") == 0);
	return ward_as_that(arg, ask_fifos);
}

/* A user closes the directory in which the bus is known to be. */
static int
ask_closed_launcher(void *base)
{
	static const char lines[] =
	    "hide_sockets = launchers\n"
	    "accept = {launcher_sockets, aliases, "
	    "replaced_files, absent_paths, "
	    "outside_sockets, abstract_sockets, metadata, "
	    "outside_signals, execute}\n";
	const char *dir = text("/run/user/%lu", (unsigned long)geteuid());
	const char *tmux = text("%s/tmux-%lu", dir, (unsigned long)geteuid());
	const char *bus = text("%s/bus", dir);
	const char *pane = text("%s/default", tmux);
	struct ward ward;
	int faults = 0;

	need(ward_open(&ward, base, lines, "allow"));
	faults += ward_check_held(&ward, bus);
	faults += ward_check_held(&ward, pane);
	ward_shell(ward.inside, text("chmod 311 %s", tmux));
	ward_close(&ward);
	need(ward_open(&ward, base, lines, "allow"));
	faults += ward_check_held(&ward, pane);
	ward_shell(ward.inside, text("chmod 000 %s", dir));
	ward_close(&ward);
	need(ward_open(&ward, base, lines, "allow"));
	ward_shell(ward.inside, text("chmod 700 %s", dir));
	CHECK(faults, ward_connect(ward.inside, bus) == EACCES, "the bus");
	CHECK(faults, ward_connect(ward.inside, pane) == EACCES, "tmux");
	ward_close(&ward);
	return faults;
}

static int
closed_launcher(void *arg)
{
	const struct ward_as *as = arg;
	const char *dir = text("/run/user/%lu", (unsigned long)as->uid);
	const char *tmux = text("%s/tmux-%lu", dir, (unsigned long)as->uid);

	if (ward_own_run() != 0)
		return CANNOT_MOUNT;
	mkdir("/run/user", 0755);
	mkdir(dir, 0700);
	mkdir(tmux, 0700);
	ward_listen(text("%s/bus", dir));
	ward_listen(text("%s/default", tmux));
	need(chown(dir, as->uid, as->uid) == 0 &&
	     chown(tmux, as->uid, as->uid) == 0);
	return ward_as_that(as, ask_closed_launcher);
}

/* A command puts a link in the place of what is given back. */
static int
planted_socket(void *base)
{
	const char *bus = text("%s/bus", (const char *)base);
	const char *agent = text("%s/agent", (const char *)base);
	const char *lines = text("allow_sockets = {\"%s\"}\n", agent);
	struct ward ward;
	int faults = 0;
	int fds[2];

	fds[0] = ward_listen(bus);
	fds[1] = ward_listen(agent);
	need(ward_open(&ward, base, lines, "allow"));
	faults += ward_check_held(&ward, bus);
	CHECK(faults, ward_connect(ward.inside, agent) == 0, "allowed");
	CHECK(faults,
	    ward_shell(
		ward.inside, text("rm %s && ln -s bus %s", agent, agent)) == 0,
	    "planted");
	ward_close(&ward);
	need(ward_open(&ward, base, lines, "allow"));
	faults += ward_check_held(&ward, bus);
	faults += ward_check_held(&ward, agent);
	CHECK(faults, ward_says(&ward, text("%s is left out", agent)),
	    "no word about it");
	ward_close(&ward);
	close(fds[0]);
	close(fds[1]);
	return faults;
}

/* The same with a directory that may be written. */
static int
planted_list(void *base)
{
	const char *work = text("%s/work", (const char *)base);
	const char *out = text("%s/out", work);
	const char *other = text("%s/other", (const char *)base);
	const char *values[] = {
	    work, out, text("%s/link", (const char *)base), NULL};
	const char *script = text("echo x >%s/x", other);
	struct ward ward;
	int faults = 0;

	mkdir(work, 0755);
	mkdir(out, 0755);
	mkdir(other, 0755);
	mkdir(text("%s/target", (const char *)base), 0755);
	/* Nobody inside can have made this one. */
	need(symlink("target", values[2]) == 0);
	need(ward_open_with(&ward, base, "", "write", values));
	CHECK(faults, ward_shell(ward.inside, text("echo x >%s/x", out)) == 0,
	    "granted");
	CHECK(faults, ward_shell(ward.inside, script) != 0, "not granted");
	/* It cannot be removed while it is granted by itself. */
	ward_shell(ward.inside, text("rm %s/x", out));
	ward_close(&ward);
	values[1] = NULL;
	need(ward_open_with(&ward, base, "", "write", values));
	CHECK(faults,
	    ward_shell(ward.inside,
		text("rmdir %s && ln -s ../other %s", out, out)) == 0,
	    "planted");
	ward_close(&ward);
	values[1] = out;
	need(ward_open_with(&ward, base, "", "write", values));
	CHECK(faults, ward_shell(ward.outside, script) == 0, "outside");
	CHECK(faults, ward_shell(ward.inside, script) != 0, "inside");
	CHECK(faults, ward_says(&ward, text("%s is left out", out)),
	    "no word about it");
	CHECK(faults,
	    ward_shell(ward.inside, text("echo x >%s/x", values[2])) == 0,
	    "a link of somebody else");
	ward_close(&ward);
	return faults;
}

TWICE(closed_way)
TWICE(planted_socket)
TWICE(planted_list)
TWICE(turned_link)
TWICE_IN_MOUNTS(other_mount)
TWICE_IN_MOUNTS(fifos)
TWICE_IN_MOUNTS(closed_launcher)

int
main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_closed_way),
	    cmocka_unit_test(test_turned_link),
	    cmocka_unit_test(test_planted_socket),
	    cmocka_unit_test(test_planted_list),
	    cmocka_unit_test(test_other_mount),
	    cmocka_unit_test(test_fifos),
	    cmocka_unit_test(test_closed_launcher),
	};
	int status;

	if (ward_main(argc, argv, &status))
		return status;
	return run_all(tests);
}
