/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * build.c - see ops.h.
 *
 * The builder is started with vfork through the descriptor the core gave: what
 * was found trustworthy is what runs, and the cost does not grow with the host.
 * It has no environment, blocked signals (a key pressed in the terminal is for
 * the host; and no handler of the host's runs in the child), and a socket as
 * descriptor 0.
 */

#include "ops.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "places.h"

int
build_start(int program, const char *called, int channel, int link, pid_t *pid)
{
	char name[40];
	char *const argv[] = {name, NULL};
	char *const env[] = {NULL};
	const struct sigaction usual = {.sa_handler = SIG_DFL};
	volatile int error = 0; /* the child's, who shares our memory */
	char path[40];
	sigset_t all;
	sigset_t before;
	pid_t started;

	snprintf(name, sizeof(name), "%s", called);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", program);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = vfork();
	if (started == 0) {
		if (dup2(channel, 0) == 0 && (link < 0 || dup2(link, 1) == 1) &&
		    sigaction(SIGCHLD, &usual, NULL) == 0)
			execve(path, argv, env);
		error = errno;
		_exit(1);
	}
	if (started < 0)
		error = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (started > 0 && error != 0)
		waitpid(started, NULL, 0);
	*pid = started;
	return -error;
}

/* Descriptors 0 to 2 may be missing in the host; ours are not to be those. */
int
build_move_up(int *fd)
{
	int up;

	if (*fd > 2)
		return 0;
	up = fcntl(*fd, F_DUPFD_CLOEXEC, 3);
	if (up < 0)
		return -errno;
	close(*fd);
	*fd = up;
	return 0;
}

static int
send_all(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes += n;
		size -= (size_t)n;
	}
	return 0;
}

static atomic_int last_pids_error = -1;

int
build_pids_error(void)
{
	return atomic_load(&last_pids_error);
}

/* Numbers of processes mean something only in a /proc of our own. */
static int
has_own_proc(void)
{
	char link[32] = "";

	return readlink("/proc/self", link, sizeof(link) - 1) > 0 &&
	       strtol(link, NULL, 10) == (long)getpid();
}

static int
open_namespaces(pid_t first, uint32_t flags, struct build *build)
{
	static const char *const names[] = {"ns/user", "ns/mnt", "ns/net",
	    "ns/ipc", "root", "ns/user", "ns/mnt"};
	const int has_network = (flags & REQUEST_NEW_NETWORK) != 0;
	const int is_wanted[] = {1, 1, has_network, has_network, 1,
	    (flags & REQUEST_IS_ROOT) == 0, 1};
	char path[64];
	int i;

	if (!has_own_proc())
		return -ESRCH;
	for (i = 0; i < REQUEST_FD_MAX; i++) {
		if (!is_wanted[i])
			continue;
		snprintf(path, sizeof(path), "/proc/%ld/%s",
		    i < REQUEST_FD_FIRST_USER ? (long)build->reply.second
					      : (long)first,
		    names[i]);
		build->fds[i] = open(
		    path, (names[i][0] == 'n' ? O_RDONLY : O_PATH) | O_CLOEXEC);
		if (build->fds[i] < 0)
			return -errno;
	}
	return 0;
}

static ssize_t
receive_all(int fd, void *to, size_t size)
{
	ssize_t n;

	do
		n = recv(fd, to, size, MSG_WAITALL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* Until it is known what became of it; then it is asked whether it is there. */
static int
receive(int fd, pid_t pid, uint32_t flags, struct build *build)
{
	struct request_reply *reply = &build->reply;
	char byte = 0;
	ssize_t n;
	int ret;

	n = receive_all(fd, reply, sizeof(*reply));
	reply->what[sizeof(reply->what) - 1] = '\0';
	reply->path[sizeof(reply->path) - 1] = '\0';
	if (n != (ssize_t)sizeof(*reply) || reply->magic != REQUEST_MAGIC) {
		memset(reply, 0, sizeof(*reply));
		return n < 0 ? (int)n : -EPROTO;
	}
	if (reply->error != 0)
		return reply->error > 0 ? -reply->error : -EPROTO;
	atomic_store(&last_pids_error, reply->pids_error);
	ret = open_namespaces(pid, flags, build);
	if (ret < 0) {
		snprintf(reply->what, sizeof(reply->what), "open");
		snprintf(reply->path, sizeof(reply->path), "/proc/PID/ns");
		return ret;
	}
	return send_all(fd, &byte, 1);
}

/* Talk to the started builder, to its end. */
static int
talk(int fd, pid_t pid, uint32_t flags, const struct texts *request,
    struct build *build)
{
	char byte;
	int sent;
	int ret;

	sent = send_all(fd, request->bytes, request->size);
	if (sent < 0)
		shutdown(fd, SHUT_WR); /* it waits for the rest */
	ret = receive(fd, pid, flags, build);
	if (ret == -EPROTO && sent < 0)
		ret = sent;
	if (ret < 0)
		shutdown(fd, SHUT_RDWR); /* it waits for nothing any more */
	/* Its answer is all that counts; the host may have reaped it. */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	/* Were they the builder's all the time? */
	if (ret == 0 && receive_all(fd, &byte, 1) != 1)
		ret = -EPROTO;
	return ret;
}

void
build_cannot_start(struct build *build, const char *program, int error)
{
	struct request_reply *reply = &build->reply;

	snprintf(reply->what, sizeof(reply->what), "start");
	snprintf(reply->path, sizeof(reply->path), "%s", program);
	reply->error = -error;
}

int
build_run(const struct omega_sandbox_host *host, const struct ops *ops,
    uint32_t flags, int link, struct build *build)
{
	int channel[2] = {-1, -1};
	struct texts request = {.bytes = NULL};
	int program;
	pid_t pid;
	int ret;

	memset(build, 0, sizeof(*build));
	memset(build->fds, -1, sizeof(build->fds));
	build->link = -1;
	ret = ops_pack(ops, flags, &request);
	if (ret < 0) {
		free(request.bytes);
		return ret;
	}
	program = host->open_helper(host, REQUEST_PROGRAM);
	ret = program < 0 ? program : build_move_up(&program);
	if (ret == 0 &&
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
		ret = -errno;
	if (ret == 0)
		ret = build_move_up(&channel[1]);
	if (ret == 0)
		ret = build_start(
		    program, REQUEST_PROGRAM, channel[1], link, &pid);
	if (channel[1] >= 0)
		close(channel[1]);
	if (program >= 0)
		close(program);
	if (ret == 0) {
		ret = talk(channel[0], pid, flags, &request, build);
	} else {
		build_cannot_start(build, REQUEST_PROGRAM, ret);
	}
	build->reply.error = -ret;
	if (ret < 0)
		build_close(build);
	if (channel[0] >= 0)
		close(channel[0]);
	free(request.bytes);
	return ret;
}

void
build_close(struct build *build)
{
	int i;

	for (i = 0; i < REQUEST_FD_MAX; i++)
		if (build->fds[i] >= 0)
			close(build->fds[i]);
	memset(build->fds, -1, sizeof(build->fds));
	if (build->link >= 0)
		close(build->link);
	build->link = -1;
}

#define NETWORK "network"

/* Kinds of errors: limits, filters and chroots, what the kernel has not. */
#define ANY 0
#define LIMIT (-1) /* ENOSPC, EUSERS */
#define DENIED (-2) /* EPERM, EACCES */
#define LACKING (-3) /* EINVAL, ENOSYS */

/*
 * What usually is behind a failure, and what would change it; the first that
 * fits. Landlock lets everything about mounts be made and refuses only to
 * attach it.
 */
static const struct cause {
	const char *what; /* how that begins; NULL: any */
	const char *path; /* or NULL: any */
	int error;
	const char *limit; /* a sysctl that must be 0, or NULL */
	const char *text; /* NULL: nothing is to be added */
} causes[] = {
    {"start", NULL, ENOENT, NULL,
	"is it installed? If it was replaced, start this program again"},
    {"start", NULL, ANY, NULL, NULL},
    {REQUEST_CHROOT, NULL, ANY, NULL,
	"the kernel makes no user namespaces in a chroot; start the host "
	"outside, or make the directory the root of a mount namespace "
	"(pivot_root)"},
    {"open", "/proc", ANY, NULL,
	"/proc is not mounted; mount -t proc proc /proc"},
    {NULL, "/proc/sys/user", ANY, NULL,
	"namespaces inside could not be forbidden; in a container /proc/sys "
	"must be writable"},
    {NULL, NULL, EWOULDBLOCK, NULL, "another program holds a lease on it"},
    {NULL, NULL, ESTALE, NULL, "it changed meanwhile"},
    {NETWORK, NULL, LIMIT, "/proc/sys/user/max_net_namespaces",
	"the sysctl user.max_net_namespaces is 0: raise it"},
    {NETWORK, NULL, LIMIT, NULL,
	"all that are allowed are in use: raise the sysctl "
	"user.max_net_namespaces"},
    {NETWORK, NULL, LACKING, NULL,
	"the kernel has no network namespaces (CONFIG_NET_NS)"},
    {NETWORK, NULL, DENIED, NULL,
	"network namespaces are forbidden here: by a container's filter or "
	"AppArmor"},
    {NETWORK, NULL, ANY, NULL, NULL},
    {REQUEST_PORTS, NULL, EADDRINUSE, NULL,
	"port 53 is where names are asked for"},
    {REQUEST_LISTED, NULL, E2BIG, NULL,
	"the policy lists more than 200 ports or 512 addresses"},
    {REQUEST_LISTED, "inotify", EMFILE, NULL,
	"raise the sysctl fs.inotify.max_user_instances"},
    {REQUEST_LISTED, NULL, EMFILE, NULL,
	"raise the limit of open files, or list fewer ports"},
    {REQUEST_LISTED, NULL, ETOOMANYREFS, NULL,
	"somebody of this user has too many descriptors under way"},
    {REQUEST_LISTED, NULL, ANY, NULL, NULL},
    {"unshare", NULL, LIMIT, "/proc/sys/user/max_user_namespaces",
	"the sysctl user.max_user_namespaces is 0: raise it; inside another "
	"omega-sandbox it always is: start this one outside"},
    {"unshare", NULL, LIMIT, NULL,
	"all that are allowed are in use: raise the sysctls "
	"user.max_user_namespaces and user.max_mnt_namespaces"},
    {"unshare", NULL, LACKING, NULL,
	"the kernel has no user namespaces (CONFIG_USER_NS)"},
    {"unshare", NULL, DENIED, NULL,
	"user namespaces are forbidden here: by a container's filter, a "
	"chroot, AppArmor (apparmor_parser -r " PROFILE
	"), or kernel.unprivileged_userns_clone"},
    {"unshare", NULL, ANY, NULL, NULL},
    {"uid_map of root", NULL, DENIED, NULL,
	"root without CAP_SETFCAP cannot be mapped; add it, or run as an "
	"ordinary user"},
    {"uid_map", NULL, DENIED, NULL,
	"AppArmor or the container forbids it; install the shipped AppArmor "
	"profile"},
    {"uid_map", NULL, ANY, NULL, NULL},
    {NULL, NULL, ENOSYS, NULL, "needs Linux 5.12"},
    {"fsopen", NULL, ENODEV, NULL,
	"the kernel has no tmpfs (CONFIG_TMPFS), and masks are made of it"},
    {"move_mount", NULL, EPERM, NULL,
	"nothing can be mounted inside a Landlock domain: start the host "
	"outside of it, or the container forbids it"},
    {NULL, NULL, DENIED, NULL,
	"mounting is forbidden: by a container, or by AppArmor "
	"(kernel.apparmor_restrict_unprivileged_userns; install the shipped "
	"profile)"},
};

static int
kind_of(int error)
{
	return error == ENOSPC || error == EUSERS   ? LIMIT
	       : error == EPERM || error == EACCES  ? DENIED
	       : error == EINVAL || error == ENOSYS ? LACKING
						    : error;
}

int
build_is_about_network(const struct build *build)
{
	return strcmp(build->reply.what, REQUEST_UNSHARE_NETWORK) == 0 ||
	       strcmp(build->reply.what, REQUEST_LOOPBACK) == 0;
}

/* One sentence, or NULL when there is nothing to add. */
static const char *
cause_of(const struct build *build)
{
	const struct request_reply *reply = &build->reply;
	const struct cause *cause = causes;
	const char *what = reply->what;

	if (build_is_about_network(build))
		what = NETWORK;
	if (strcmp(what, "uid_map") == 0 && geteuid() == 0)
		what = "uid_map of root";
	for (; cause < causes + sizeof(causes) / sizeof(causes[0]); cause++)
		if ((cause->what == NULL ||
			strncmp(what, cause->what, strlen(cause->what)) == 0) &&
		    (cause->path == NULL ||
			strcmp(reply->path, cause->path) == 0) &&
		    (cause->error == ANY || cause->error == reply->error ||
			cause->error == kind_of(reply->error)) &&
		    (cause->limit == NULL ||
			places_number(cause->limit, 1) == 0))
			return cause->text;
	return NULL;
}

void
build_explain(const struct build *build, char *text, size_t size)
{
	const struct request_reply *reply = &build->reply;
	const char *cause = cause_of(build);

	snprintf(text, size, "%s%s%.120s: %s%s%s%s",
	    reply->what[0] == '\0' ? "builder" : reply->what,
	    reply->path[0] == '\0' ? "" : " ", reply->path,
	    strerror(reply->error), cause == NULL ? "" : " (",
	    cause == NULL ? "" : cause, cause == NULL ? "" : ")");
}
