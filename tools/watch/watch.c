/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * watch.c - see watch.h: the watcher and the keeper.
 *
 * One pair of sockets connects the tool and the watcher. The child that becomes
 * the command sends the listener through it; when the tool writes no more, the
 * command has ended, and the watcher answers with the sum.
 */

#include "config.h"

#include "watch/watch.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long a call may wait for the watcher, in milliseconds. */
#define LATE 2000

/* More calls than the watcher can have taken and not answered. */
#define TAKEN 4

/* Distribution headers are older than the kernels they run on. */
#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define IOCTL_SET_FLAGS SECCOMP_IOW(4, uint64_t)
#define SYNC_WAKE_UP 1

/* What the keeper sees of the watcher. */
struct shared {
	_Atomic uint64_t id; /* the last call that was taken */
	_Atomic bool is_busy; /* with it, or about to take one */
};

static struct {
	int fd; /* the tool's end; -1: nothing is watched */
	pid_t pid; /* of the watcher */
} tool = {-1, 0};

static struct {
	struct shared *shared;
	int listener;
	int root; /* of the command; -1: not opened yet */
	pid_t keeper;
	uint64_t unread; /* calls whose names could not be read */
} watcher = {NULL, -1, -1, 0, 0};

/* It goes on with the rights it has. Nothing else is ever answered. */
static void
let_go_on(int listener, uint64_t id)
{
	struct seccomp_notif_resp answer = {
	    .id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

	while (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) != 0 &&
	       errno == EINTR)
		;
}

static bool
take(int listener, struct seccomp_notif *call)
{
	memset(call, 0, sizeof(*call));
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, call) == 0;
}

/* Events of a descriptor within so many milliseconds. */
static int
wait_for(int fd, int timeout)
{
	struct pollfd poller = {.fd = fd, .events = POLLIN};

	return poll(&poller, 1, timeout) > 0 ? poller.revents : 0;
}

/* ---- The keeper --------------------------------------------------------- */

/* It has had one in hand for too long, or does not take any. */
static void
help(int listener, uint64_t id)
{
	struct seccomp_notif call;
	int i;

	while ((wait_for(listener, 0) & POLLIN) != 0 && take(listener, &call))
		let_go_on(listener, call.id);
	/* Numbers are given in turn; of others the kernel knows nothing. */
	for (i = 0; i < TAKEN; i++)
		let_go_on(listener, id + (uint64_t)i);
}

/* Until nobody is left who could make a call. Has nothing but the listener and
 * the watcher's descriptor open. */
static _Noreturn void
keep(int listener, const struct shared *shared, pid_t watcher_pid)
{
	int pidfd = (int)syscall(SYS_pidfd_open, watcher_pid, 0);
	struct pollfd pollers[2] = {{.events = 0}, {.fd = 1, .events = POLLIN}};
	uint64_t last = 0;
	bool is_helping = false;
	bool was_busy = false;
	bool is_busy;

	prctl(PR_SET_NAME, "watch-keeper");
	if (dup2(listener, 0) != 0 || dup2(pidfd, 1) != 1)
		_exit(1);
	syscall(SYS_close_range, 2, ~0U, 0);
	pollers[0].fd = 0;
	while (poll(pollers, 2, pollers[1].fd < 0 ? -1 : LATE / 2) >= 0 &&
	       (pollers[0].revents & POLLHUP) == 0) {
		uint64_t id = atomic_load(&shared->id);

		is_busy = atomic_load(&shared->is_busy) ||
			  (wait_for(0, 0) & POLLIN) != 0;
		if (pollers[1].revents != 0) /* it is gone */
			pollers[1].fd = -1;
		is_helping = pollers[1].fd < 0 ||
			     (is_busy && was_busy && id == last) ||
			     (is_helping && id == last);
		/* Then every call is ours, at once. */
		pollers[0].events = is_helping ? POLLIN : 0;
		if (is_helping)
			help(0, id);
		was_busy = is_busy;
		last = id;
	}
	_exit(0);
}

/* ---- The watcher -------------------------------------------------------- */

int
watch_root(void)
{
	return watcher.root;
}

static void
open_root(pid_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/root", (int)pid);
	if (watcher.root < 0)
		watcher.root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Look at one call, then have it go on. */
static void
serve(const struct watch_look *look)
{
	static struct watch_act acts[2];
	struct sockaddr_storage address;
	struct seccomp_notif call;
	int count;
	int i;

	atomic_store(&watcher.shared->is_busy, true);
	if (!take(watcher.listener, &call))
		return;
	atomic_store(&watcher.shared->id, call.id);
	open_root((pid_t)call.pid);
	count = acts_read((pid_t)call.pid, &call.data, acts, &address);
	/* Else it may have been another process of that number. */
	if (ioctl(watcher.listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &call.id) ==
	    0) {
		for (i = 0; i < count; i++)
			look->note(look->arg, &acts[i]);
		watcher.unread += count < 0;
	}
	let_go_on(watcher.listener, call.id);
	atomic_store(&watcher.shared->is_busy, false);
}

/* A listener has come through the socket. False: nothing comes any more. */
static bool
receive(int fd)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	uint64_t flags = SYNC_WAKE_UP;
	char byte;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control)};
	pid_t self = getpid();

	if (recvmsg(fd, &message, MSG_CMSG_CLOEXEC) <= 0)
		return errno == EINTR;
	if (message.msg_controllen < sizeof(control.head) ||
	    control.head.cmsg_type != SCM_RIGHTS)
		return true;
	/* Of a start that came to nothing there is one before. */
	if (watcher.listener >= 0)
		close(watcher.listener);
	memcpy(&watcher.listener, CMSG_DATA(&control.head), sizeof(int));
	watcher.keeper = fork();
	if (watcher.keeper == 0)
		keep(watcher.listener, watcher.shared, self);
	/* Where the kernel can (Linux 6.6), without changing the processor. */
	ioctl(watcher.listener, IOCTL_SET_FLAGS, flags);
	return true;
}

static void
serve_all(int fd, const struct watch_look *look)
{
	struct pollfd pollers[2] = {
	    {.fd = fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};

	for (;;) {
		pollers[1].fd = watcher.listener;
		if (poll(pollers, 2, -1) < 0 && errno != EINTR)
			return;
		if ((pollers[1].revents & POLLIN) != 0)
			serve(look);
		else if ((pollers[1].revents & POLLHUP) != 0) {
			close(watcher.listener);
			watcher.listener = -1;
			waitpid(watcher.keeper, NULL, 0);
		} else if (pollers[0].revents != 0 && !receive(fd))
			return;
	}
}

static void
send_sum(int fd, const struct watch_look *look)
{
	json_t *sum = look->sum(look->arg);
	char *text = NULL;
	size_t sent = 0;
	ssize_t len;

	if (sum != NULL)
		text = json_dumps(json_pack("{s:o, s:I}", "sum", sum, "unread",
				      (json_int_t)watcher.unread),
		    JSON_COMPACT);
	while (text != NULL && sent < strlen(text)) {
		len = send(fd, text + sent, strlen(text) - sent, MSG_NOSIGNAL);
		if (len <= 0)
			break;
		sent += (size_t)len;
	}
}

/* Not of the caller's session, whose signals are for the command, and with
 * nothing open that somebody waits for the end of. */
static _Noreturn void
watch(int fd, const struct watch_look *look)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int i;

	setsid();
	prctl(PR_SET_NAME, "watcher");
	for (i = 0; i < 3 && null >= 0; i++)
		dup2(null, i);
	for (i = 1; i < 32; i++)
		if (i == SIGHUP || i == SIGINT || i == SIGQUIT ||
		    i == SIGTERM || i == SIGPIPE)
			signal(i, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	serve_all(fd, look);
	send_sum(fd, look);
	_exit(0);
}

/* ---- The tool ----------------------------------------------------------- */

int
watch_begin(struct omega_sandbox_command *command,
    const struct watch_look *look, struct omega_sandbox_error *error)
{
	int pair[2] = {-1, -1};

	watcher.shared = mmap(NULL, sizeof(*watcher.shared),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (watcher.shared != MAP_FAILED &&
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0)
		tool.pid = fork();
	else
		tool.pid = -1;
	if (tool.pid == 0) {
		close(pair[0]);
		watch(pair[1], look);
	}
	if (tool.pid < 0) {
		snprintf(error->text, sizeof(error->text),
		    "the command cannot be watched: %s", strerror(errno));
		return OMEGA_SANDBOX_E_SYSTEM;
	}
	close(pair[1]);
	tool.fd = pair[0];
	return omega_sandbox_command_set_number(
	    command, "watch_fd", (uint64_t)tool.fd, error);
}

json_t *
watch_end(void)
{
	json_t *value = NULL;
	int status;

	if (tool.fd < 0)
		return NULL;
	shutdown(tool.fd, SHUT_WR);
	/* A look that hangs was not for long enough to be waited for. */
	if (wait_for(tool.fd, 2 * LATE) != 0)
		value = json_loadfd(tool.fd, 0, NULL);
	else
		kill(tool.pid, SIGKILL);
	close(tool.fd);
	tool.fd = -1;
	while (waitpid(tool.pid, &status, 0) < 0 && errno == EINTR)
		;
	return value;
}
