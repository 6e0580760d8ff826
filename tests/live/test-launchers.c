/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-launchers.c - programs that start others on request, where they are
 * known to listen: played ones, which root has bound and everybody may use,
 * and a real tmux. Each is reached outside, and not inside; as root and as an
 * ordinary user. One of them would hand out a descriptor.
 */

#include "ward.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trees.h"

/* %lu is the uid of the caller. */
static const char *const played[] = {
    "/run/user/%lu/bus",
    "/run/user/%lu/systemd/private",
    "/run/user/%lu/docker.sock",
    "/run/user/%lu/podman/podman.sock",
    "/run/user/%lu/emacs/server",
    "/tmp/emacs%lu/server",
    "/tmp/tmux-%lu/played",
    "/tmp/.X11-unix/X7",
    "/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/containerd/containerd.sock",
    "/run/libvirt/libvirt-sock",
    "/var/lib/lxd/unix.socket",
    "/var/lib/incus/unix.socket",
    "/var/lib/incus/unix.socket.user",
    "/run/dbus/system_bus_socket",
    "/run/k3s/containerd/containerd.sock",
    "/run/snapd.socket",
    "/run/screen/S-somebody/1.played",
    NULL,
};

static char *
place_of(const char *pattern, uid_t uid)
{
	const char *at = strstr(pattern, "%lu");

	return at == NULL ? text("%s", pattern)
			  : text("%.*s%lu%s", (int)(at - pattern), pattern,
				(unsigned long)uid, at + 3);
}

/* Everything above path, open to all. */
static void
make_parents(const char *path)
{
	char *dir = text("%s", path);
	char *slash;

	for (slash = strchr(dir + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(dir, 0755) != 0 && errno != EEXIST)
			fprintf(stderr, "# %s: %s\n", dir, strerror(errno));
		*slash = '/';
	}
}

static int
own_places(const struct ward_as *as)
{
	if (ward_own_ground(as) != 0 || ward_own_run() != 0 ||
	    trees_cover("/var/lib", "mode=755") != 0)
		return CANNOT_MOUNT;
	return 0;
}

static int
ask_played(void *base)
{
	struct ward ward;
	int faults = 0;
	int status;
	int i;

	need(ward_open(&ward, base, "", "allow"));
	for (i = 0; played[i] != NULL; i++)
		faults +=
		    ward_check_held(&ward, place_of(played[i], geteuid()));
	/* X11 listens there too. */
	CHECK(faults, ward_connect(ward.outside, "@/tmp/.X11-unix/X7") == 0,
	    "outside");
	status = ward_connect(ward.inside, "@/tmp/.X11-unix/X7");
	if (ward_claims(&ward, "abstract_sockets"))
		CHECK(faults, status == EPERM, "inside: %d", status);
	else
		printf("# abstract sockets are not claimed on this kernel\n");
	ward_close(&ward);
	return faults;
}

static int
listen_abstract(const char *name)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "%.100s", name);
	return bind(fd, (struct sockaddr *)&at,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			       strlen(name))) == 0 &&
		       listen(fd, 64) == 0
		   ? 0
		   : 1;
}

static int
play(void *arg)
{
	const struct ward_as *as = arg;
	int i;

	if (own_places(as) != 0)
		return CANNOT_MOUNT;
	for (i = 0; played[i] != NULL; i++) {
		const char *path = place_of(played[i], as->uid);

		make_parents(path);
		need(ward_listen(path) >= 0);
	}
	need(listen_abstract("/tmp/.X11-unix/X7") == 0);
	return ward_as_that(as, ask_played);
}

static int
connect_to(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int error = 0;

	snprintf(to.sun_path, sizeof(to.sun_path), "%.100s", path);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		error = errno;
	close(fd);
	return error;
}

#define TMUX "unset TMUX TMUX_TMPDIR; HOME=/ TERM=dumb tmux -f /dev/null "

/* A real one, at the place it chooses by itself. */
static int
ask_tmux(void *base)
{
	static const char ask[] = TMUX "list-sessions";
	struct ward ward;
	int faults = 0;

	if (system(TMUX "new-session -d 'sleep 600' >/dev/null 2>&1") != 0) {
		fprintf(stderr, "# tmux does not start\n");
		return 1;
	}
	need(ward_open(&ward, base, "", "allow"));
	CHECK(faults, ward_shell(ward.outside, ask) == 0, "outside");
	CHECK(faults, ward_shell(ward.inside, ask) == 1, "inside");
	CHECK(faults,
	    ward_connect(ward.inside, text("/tmp/tmux-%lu/default",
					  (unsigned long)geteuid())) == EACCES,
	    "its socket");
	ward_close(&ward);
	if (system(TMUX "kill-server >/dev/null 2>&1") != 0)
		fprintf(stderr, "# tmux does not end\n");
	return faults;
}

#define SECOND                                                         \
	TMUX "new-session -d 'sleep 600' && " TMUX "list-sessions && " \
	     "{ " TMUX "kill-server; }"

/* The first has ended and has left its socket: inside another can begin. */
static int
ask_second_tmux(void *base)
{
	const char *path =
	    text("/tmp/tmux-%lu/default", (unsigned long)geteuid());
	struct ward ward;
	int faults = 0;
	int status;
	int left = 3000;

	need(system(TMUX "new-session -d 'sleep 600' >/dev/null 2>&1") == 0);
	need(system(TMUX "kill-server >/dev/null 2>&1") == 0);
	while (connect_to(path) == 0 && left-- > 0)
		usleep(10000);
	if (access(path, F_OK) != 0) {
		need(mkdir(text("/tmp/tmux-%lu", (unsigned long)geteuid()),
			 0700) == 0 ||
		     errno == EEXIST);
		close(ward_listen(path));
	}
	need(ward_open(&ward, base, "", "allow"));
	status = ward_connect(ward.inside, path);
	CHECK(faults, status == ECONNREFUSED, "a dead socket: %d", status);
	status = ward_shell(ward.inside, SECOND);
	CHECK(faults, status == 0, "a second tmux: %d", status);
	ward_close(&ward);
	return faults;
}

static int
second_tmux(void *arg)
{
	if (own_places(arg) != 0)
		return CANNOT_MOUNT;
	return ward_as_that(arg, ask_second_tmux);
}

static int
real_tmux(void *arg)
{
	if (own_places(arg) != 0)
		return CANNOT_MOUNT;
	return ward_as_that(arg, ask_tmux);
}

/* ---- Descriptors over a socket --------------------------------------------
 */

/* Get one from who is at the other end, and read from it. 0 or an errno. */
static int
fetch(int fd)
{
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	char byte;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control)};
	struct cmsghdr *head;
	int got;

	if (recvmsg(fd, &message, 0) != 1)
		return errno == 0 ? EIO : errno;
	head = CMSG_FIRSTHDR(&message);
	if (head == NULL)
		return ENOMSG;
	memcpy(&got, CMSG_DATA(head), sizeof(got));
	return pread(got, &byte, 1, 0) == 1 && byte == 's' ? 0 : EIO;
}

static int
fetch_from(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(to.sun_path, sizeof(to.sun_path), "%.100s", path);
	return connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0 ? errno
								    : fetch(fd);
}

static void
hand_out(int listener, int secret)
{
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	char byte = 'x';
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control)};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	memset(&control, 0, sizeof(control));
	head = CMSG_FIRSTHDR(&message);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &secret, sizeof(secret));
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd >= 0) {
			sendmsg(fd, &message, MSG_NOSIGNAL);
			close(fd);
		}
	}
}

static int
descriptors(void *base)
{
	const char *path = text("%s/hands-out", (const char *)base);
	const char *script;
	char self[PATH_MAX] = "";
	struct ward ward;
	int faults = 0;
	int listener;
	int secret;
	pid_t pid;

	need(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	mkdir(text("%s/.omega", (const char *)base), 0700);
	mkdir(text("%s/.omega/data", (const char *)base), 0700);
	secret = open(text("%s/.omega/data/secret", (const char *)base),
	    O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	need(secret >= 0 && write(secret, "secret", 6) == 6);
	listener = ward_listen(path);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		hand_out(listener, secret);
	}
	need(pid > 0 && ward_open(&ward, base, "", "allow"));
	script = text("exec '%s' fetch %s", self, path);
	CHECK(faults, ward_shell(ward.outside, script) == 0, "outside");
	CHECK(faults, ward_shell(ward.inside, script) == EACCES, "inside");
	ward_close(&ward);
	kill(pid, SIGKILL);
	close(listener);
	close(secret);
	return faults;
}

static void
test_real_tmux(void **state)
{
	(void)state;
	if (access("/usr/bin/tmux", X_OK) != 0)
		skip_because("there is no tmux");
	ward_twice_in_mounts(real_tmux);
}

static void
test_second_tmux(void **state)
{
	(void)state;
	if (access("/usr/bin/tmux", X_OK) != 0)
		skip_because("there is no tmux");
	ward_twice_in_mounts(second_tmux);
}

TWICE_IN_MOUNTS(play)
TWICE(descriptors)

int
main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_play),
	    cmocka_unit_test(test_real_tmux),
	    cmocka_unit_test(test_second_tmux),
	    cmocka_unit_test(test_descriptors),
	};
	int status;

	if (argc == 3 && strcmp(argv[1], "fetch") == 0)
		return fetch_from(argv[2]);
	if (ward_main(argc, argv, &status))
		return status;
	return run_all(tests);
}
