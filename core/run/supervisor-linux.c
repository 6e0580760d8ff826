/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * supervisor-linux.c - see supervisor.h. The supervisor is a program,
 * omega-sandbox-init (core/init), so that its cost does not grow with the
 * host.
 *
 *   host --> between --> pid 1 of a new pid namespace --> command
 *   host --> between, which becomes the supervisor --> command
 *
 * The first where a backend can make such a namespace. The process between has
 * joined what the namespace is made in, makes it, and ends; pid 1 is a child of
 * the host, is confined as every command is, and only then becomes the program.
 *
 * The second elsewhere: there the process between starts the command as any
 * other, and then becomes the program itself, which inherits it.
 *
 * The process between always shares our memory, and we stand still meanwhile:
 * system calls only. Whoever kills it then has its child killed too, which may
 * be in our memory as well: by us, or because it is tied to its parent.
 */

#include "config.h"

#include "run/supervisor.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system.h"
#include "child/calls.h"
#include "child/end.h"
#include "child/raw.h"
#include "launch/cgroup.h"
#include "launch/limits.h"
#include "path/helper.h"

/* So many seconds the start may take. */
#define MAX_WAITS 60

struct between {
	const struct omega_launch_pids *pids; /* NULL: the second way */
	struct omega_inner_start *start; /* of its child, on the stack */
	char *stack;
	struct omega_supervisor *told;
	int program; /* descriptor of omega-sandbox-init */
	bool is_joined; /* what the namespace is made in */
	struct omega_clone_told self;
	struct omega_clone_told child;
	long pid; /* of the child, or a negative errno; 0: it was killed */
};

const char *
omega_supervisor_how(bool *is_available)
{
	char link[32] = "";
	ssize_t len;

	*is_available = false;
	len = readlink("/proc/self", link, sizeof(link) - 1);
	if (len < 0 || access("/proc/thread-self/children", R_OK) != 0)
		return "its processes cannot be listed: /proc is not mounted, "
		       "or the kernel was built without CONFIG_PROC_CHILDREN";
	/* A /proc of another pid namespace has other numbers. */
	if (strtol(link, NULL, 10) != (long)getpid())
		return "the /proc here belongs to another pid namespace";
	*is_available = true;
	return "a supervisor that inherits every process of it (subreaper)";
}

/* ---- In the process between: plain system calls ------------------------- */

/* "NUMBER", or "-" for none. */
OMEGA_PLAIN static char *
print_number(char text[16], long number)
{
	char *end = text;

	if (number < 0)
		*end++ = '-';
	else
		end = omega_raw_print(end, (uint64_t)number);
	*end = '\0';
	return text;
}

OMEGA_PLAIN static void
keep_open(int fd)
{
	if (fd >= 0)
		omega_raw(SYS_fcntl, fd, F_SETFD, 0, 0, 0);
}

/* Outside of every sandbox, with the command as a child already. */
OMEGA_PLAIN static void
become_supervisor(const struct between *between)
{
	const struct omega_supervisor *told = between->told;
	const struct omega_inner *inner = between->start->inner;
	const int group_dir = told->setup->launch->group_fd;
	const int group =
	    group_dir < 0 ? -1
			  : omega_cgroup_open(group_dir, (pid_t)between->pid);
	char *const none[] = {NULL};
	char name[] = OMEGA_ORDERS_PROGRAM;
	char numbers[3][16];
	char *argv[5];

	argv[0] = name;
	argv[1] = print_number(numbers[0], told->control);
	argv[2] = print_number(numbers[1], between->pid);
	argv[3] = print_number(numbers[2], group);
	argv[4] = NULL;
	omega_calls_close_others(inner->has_close_range, -1);
	keep_open(told->control);
	keep_open(told->host);
	keep_open(group);
	omega_calls_exec_open(between->program, argv, none);
	/* The command is tied to us and ends too. */
}

/* The first process of a namespace, as a child of the host. */
OMEGA_PLAIN static long
make_first(struct between *between, uint64_t sharing)
{
	long ret = between->pids->outside(between->pids->state);

	if (ret != 0)
		return ret < 0 ? ret : -EINVAL;
	between->is_joined = true;
	return omega_clone_on(between->stack, between->start,
	    sharing | CLONE_NEWPID | CLONE_NEWNS | CLONE_PARENT, 0,
	    omega_inner_child, between->start, &between->child,
	    &between->told->setup->inner.has_handlers);
}

OMEGA_PLAIN static int
be_between(void *arg)
{
	struct between *between = arg;
	struct omega_inner *inner = &between->told->setup->inner;
	const uint64_t sharing =
	    CLONE_VFORK | (inner->is_hidden ? 0 : CLONE_VM);

	/* Ignored by the host, it would take our children from us. */
	omega_calls_reset_signals(UINT64_C(1) << (SIGCHLD - 1));
	if (between->pids != NULL) {
		between->pid = make_first(between, sharing);
		omega_calls_exit(0);
	}
	omega_raw(SYS_setpgid, 0, 0, 0, 0, 0);
	inner->parent = (int32_t)omega_raw(SYS_getpid, 0, 0, 0, 0, 0);
	between->pid = omega_raw(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (between->pid == 0)
		between->pid = omega_clone_on(between->stack, between->start,
		    sharing, SIGCHLD, omega_inner_child, between->start,
		    &between->child, &inner->has_handlers);
	if (between->pid > 0)
		become_supervisor(between);
	omega_calls_exit(127);
}

/* ---- Before ------------------------------------------------------------- */

/* Once for a launch, by whoever comes first. */
static int
open_program(struct omega_launch *launch, struct omega_sandbox_error *error)
{
	int fd = atomic_load(&launch->init_fd);
	int none = -1;
	int file;

	if (fd >= 0)
		return fd;
	file = omega_helper_open(omega_helper_dir, OMEGA_ORDERS_PROGRAM, error);
	if (file < 0)
		return OMEGA_SANDBOX_E_UNAVAILABLE;
	fd = omega_system_copy_program(file, OMEGA_ORDERS_PROGRAM);
	close(file);
	if (fd < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, errno,
		    "no supervisor can be started: %s", strerror(errno));
	if (atomic_compare_exchange_strong(&launch->init_fd, &none, fd))
		return fd;
	close(fd);
	return none;
}

/* The program and its words before those of the command. */
static int
wrap(struct omega_setup *setup, char *control)
{
	static char name[] = OMEGA_ORDERS_PROGRAM;
	static char first[] = OMEGA_ORDERS_FIRST;
	size_t count = 0;
	char **argv;

	while (setup->inner.argv[count] != NULL)
		count++;
	argv = calloc(count + 5, sizeof(*argv));
	if (argv == NULL)
		return -ENOMEM;
	argv[0] = name;
	argv[1] = control;
	argv[2] = first;
	argv[3] = (char *)(uintptr_t)setup->inner.program;
	memcpy(argv + 4, setup->inner.argv, count * sizeof(*argv));
	setup->wrapped = argv;
	setup->inner.argv = argv;
	return 0;
}

/* What the command is to do itself, and not the first process. */
static void
defer(struct omega_orders *orders, const struct omega_launch_pids *pids,
    const struct omega_launch *launch)
{
	const struct omega_limits_state *limits;
	size_t i;

	for (i = pids->step_count; i < launch->step_count + 1; i++) {
		if (pids->steps[i].step == omega_cgroup_enter)
			orders->group_step = (uint32_t)i;
		if (pids->steps[i].step != omega_limits_step)
			continue;
		limits = pids->steps[i].state;
		orders->limits_step = (uint32_t)i;
		for (; orders->limit_count < limits->count;
		     orders->limit_count++) {
			uint32_t at = orders->limit_count;

			orders->limits[at].resource = limits->list[at].resource;
			orders->limits[at].most = limits->list[at].most;
		}
	}
}

/* The same for every try. */
static int
prepare(struct omega_supervisor *told, bool is_first)
{
	struct omega_setup *setup = told->setup;
	struct omega_inner *inner = &setup->inner;
	struct omega_orders *orders = &told->orders;
	int ret;

	orders->timeout_ms = told->timeout_ms;
	orders->grace_ms = told->grace_ms;
	orders->is_telling = told->is_telling;
	orders->to_ignore = inner->to_ignore;
	orders->to_block = inner->to_block;
	inner->is_hidden = omega_launch_needs_own_memory(setup->launch);
	if (!is_first)
		return 0;
	ret = wrap(setup, told->text);
	if (ret < 0)
		return ret;
	defer(orders, &setup->launch->pids, setup->launch);
	/* The first process leads a new session, or stays in that of the
	 * terminal; the command is a job there. */
	orders->session = inner->session;
	orders->is_front = inner->is_front;
	if (inner->session == OMEGA_SANDBOX_SESSION_PTY)
		inner->session = OMEGA_SANDBOX_SESSION_KEEP;
	inner->steps = setup->launch->pids.steps;
	inner->step_count = setup->launch->pids.step_count;
	inner->group = 0;
	inner->to_ignore = 0;
	inner->to_block = UINT64_MAX;
	told->fd_count = setup->fds.count;
	return 0;
}

/* The group that the command will enter, as its first process is told. */
static int
make_group(struct omega_supervisor *told, struct omega_supervisor_made *made)
{
	const struct omega_inner_step *step =
	    &told->setup->inner.steps[told->orders.group_step];
	int list;

	if (told->setup->launch->group_fd < 0)
		return 0;
	list = omega_cgroup_make(step->state, &made->group);
	if (list < 0)
		return list;
	told->orders.group = omega_fds_move(&told->setup->fds, list);
	return told->orders.group < 0 ? told->orders.group : 0;
}

/* Descriptors out of the command's way; those of a first process go with it. */
static int
place(struct omega_supervisor *told, struct omega_supervisor_made *made)
{
	struct omega_setup *setup = told->setup;
	int ret = 0;

	told->orders.group = -1;
	if (made->is_first) {
		setup->fds.count = told->fd_count;
		ret = make_group(told, made);
	}
	told->control = omega_fds_move(&setup->fds, told->control);
	told->host = omega_fds_move(&setup->fds, told->host);
	if (ret < 0 || told->control < 0 || told->host < 0)
		return ret < 0 ? ret : -EMFILE;
	told->orders.host = told->host;
	setup->inner.report = told->control;
	snprintf(told->text, sizeof(told->text), "%d", told->control);
	if (made->is_first) {
		omega_fds_add_own(&setup->fds, told->control);
		omega_fds_add_own(&setup->fds, told->host);
		if (told->orders.group >= 0)
			omega_fds_add_own(&setup->fds, told->orders.group);
		setup->inner.fd_count = setup->fds.count;
	}
	return send(told->ours, &told->orders, sizeof(told->orders),
		   MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(told->orders)
		   ? 0
		   : -errno;
}

/*
 * Until it has let go of our memory, without touching errno, which is its too.
 * As vfork(2) would have us wait; but a command that is already there may have
 * stopped it.
 */
static void
stand_still(const int *is_there, int pidfd)
{
	struct {
		int64_t seconds;
		int64_t nanoseconds;
	} second = {1, 0};
	int waits = 0;

	while (__atomic_load_n(is_there, __ATOMIC_ACQUIRE) != 0)
#ifdef SYS_futex_time64
		if (omega_raw(SYS_futex_time64, ARG(is_there), 0, 1,
			ARG(&second), 0) == -ETIMEDOUT)
#else
		if (omega_raw(SYS_futex, ARG(is_there), 0, 1, ARG(&second),
			0) == -ETIMEDOUT)
#endif
			omega_raw(SYS_pidfd_send_signal, pidfd,
			    ++waits > MAX_WAITS ? SIGKILL : SIGCONT, 0, 0, 0);
}

/* Who killed the process between has left its child, maybe in our memory. Only
 * where descriptors are shared is that of the child ours. */
static void
end_child(const struct between *between)
{
	const int pidfd = between->pids != NULL ? between->child.pidfd : -1;

	omega_raw(SYS_pidfd_send_signal, pidfd, SIGKILL, 0, 0, 0);
	if (!between->told->setup->inner.is_hidden)
		stand_still(&between->child.is_there, pidfd);
}

/* Two processes on two stacks. The first, or a negative errno. */
static long
clone_both(struct between *between)
{
	const struct omega_launch *launch = between->told->setup->launch;
	const uint64_t files = between->pids != NULL ? CLONE_FILES : 0;
	struct omega_inner *inner = &between->told->setup->inner;
	char *stack = omega_stacks_take(launch->stacks);
	struct omega_clone_mask old;
	long ret = -ENOMEM;

	between->stack = omega_stacks_take(launch->stacks);
	if (stack != NULL && between->stack != NULL) {
		between->start = omega_clone_start(between->stack, inner);
		inner->ignored = omega_clone_ignored();
		inner->has_handlers = false;
		between->self.is_there = between->child.is_there = 1;
		omega_clone_block(&old);
		ret = omega_clone_on(stack, stack + OMEGA_STACK_SIZE,
		    CLONE_VM | files, 0, be_between, between, &between->self,
		    &inner->has_handlers);
		if (ret > 0)
			stand_still(
			    &between->self.is_there, between->self.pidfd);
		if (between->pid == 0 && between->child.pid > 0)
			end_child(between);
		omega_clone_unblock(&old);
	}
	if (stack != NULL)
		omega_stacks_give(launch->stacks, stack);
	if (between->stack != NULL)
		omega_stacks_give(launch->stacks, between->stack);
	return ret;
}

static int
tell(const struct between *between, long error_number,
    struct omega_sandbox_error *error)
{
	if (between->pids == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM,
		    (int)-error_number, "no supervisor can be started: %s",
		    strerror((int)-error_number));
	omega_error_set(error, OMEGA_SANDBOX_E_STEP, (int)-error_number,
	    "%s: %s: %s%s", between->pids->backend,
	    between->is_joined ? "a new pid namespace" : "setns",
	    strerror((int)-error_number),
	    error_number == -ENOSPC
		? " (the sysctl user.max_pid_namespaces, or 32 are nested)"
		: "");
	omega_error_backend(error, between->pids->backend);
	return OMEGA_SANDBOX_E_STEP;
}

/* The process between has done its part. */
static void
reap(pid_t pid)
{
	siginfo_t info;

	while (waitid(P_PID, (id_t)pid, &info, WEXITED | __WALL) != 0 &&
	       errno == EINTR)
		;
}

static int
start(struct between *between, struct omega_supervisor_made *made,
    struct omega_sandbox_error *error)
{
	struct omega_clone *clone = &made->clone;
	long ret;

	ret = clone_both(between);
	clone->pid = (pid_t)ret;
	clone->pidfd = between->self.pidfd;
	if (ret > 0 && (made->is_first || between->pid < 0)) {
		reap((pid_t)ret);
		close(clone->pidfd);
		clone->pid = (pid_t)between->pid;
		clone->pidfd = between->child.pidfd;
		ret = between->pid;
	}
	if (ret == 0) {
		if (between->child.pid > 0) {
			reap(between->child.pid);
			close(clone->pidfd);
		}
		clone->pidfd = -1;
		ret = -ECANCELED;
	}
	return ret > 0 ? 0 : tell(between, ret, error);
}

int
omega_supervisor_start(struct omega_supervisor *told,
    struct omega_supervisor_made *made, struct omega_sandbox_error *error)
{
	const struct omega_launch *launch = told->setup->launch;
	struct between between = {
	    .told = told, .self = {.pidfd = -1}, .child = {.pidfd = -1}};
	int ret;

	*made = (struct omega_supervisor_made){
	    .clone = {.pidfd = -1, .is_past = true},
	    .is_first = launch->pids.outside != NULL && !launch->is_alone};
	/* The store of it is not what a launch is about. */
	between.program =
	    open_program((struct omega_launch *)(uintptr_t)launch, error);
	if (between.program < 0)
		return between.program;
	ret =
	    told->setup->inner.report >= 0 ? 0 : prepare(told, made->is_first);
	if (ret == 0)
		ret = place(told, made);
	if (made->is_first) {
		between.pids = &launch->pids;
		told->setup->inner.program_fd = between.program;
	}
	ret =
	    ret < 0 ? tell(&between, ret, error) : start(&between, made, error);
	if (told->orders.group >= 0)
		close(told->orders.group);
	return ret;
}

/* ---- The channel -------------------------------------------------------- */

int
omega_channel_make(int pair[2], int *host)
{
	const int on = 1;
	int ret = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return -errno;
	/* Who says a thing is told by the kernel. */
	if (setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) != 0)
		ret = -errno;
	else
		*host = ret = omega_end_open(getpid());
	if (ret >= 0)
		return 0;
	close(pair[0]);
	close(pair[1]);
	return ret;
}

/* The number of who has sent it, as we know it; 0: none was told. */
static pid_t
sender_of(struct msghdr *message)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	struct ucred sender;

	if (header == NULL || header->cmsg_level != SOL_SOCKET ||
	    header->cmsg_type != SCM_CREDENTIALS)
		return 0;
	memcpy(&sender, CMSG_DATA(header), sizeof(sender));
	return sender.pid;
}

int
omega_channel_read(
    int control, bool is_waiting, struct omega_supervisor_word *word)
{
	struct iovec part = {.iov_base = word, .iov_len = sizeof(*word)};
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(struct ucred))];
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = space,
	    .msg_controllen = sizeof(space)};
	struct omega_inner_fault fault;
	ssize_t len;

	do
		len = recvmsg(control, &message, is_waiting ? 0 : MSG_DONTWAIT);
	/* A reset: it has not read all we have said. What it has said before
	 * comes next. */
	while (len < 0 && (errno == EINTR || errno == ECONNRESET));
	if (len < 0 && errno == EAGAIN)
		return 0;
	if (len == (ssize_t)sizeof(*word))
		return 1;
	if (len != (ssize_t)sizeof(fault))
		return -EPIPE;
	memcpy(&fault, word, sizeof(fault));
	*word = (struct omega_supervisor_word){
	    .kind = fault.kind == OMEGA_INNER_READY ? OMEGA_SUPERVISOR_READY
						    : OMEGA_SUPERVISOR_FAILED,
	    .pid = sender_of(&message),
	    .fault = fault};
	return 1;
}

static void
say(int control, char word)
{
	send(control, &word, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void
omega_channel_see(int control)
{
	say(control, OMEGA_ORDERS_SEEN);
}

void
omega_channel_cancel(int control)
{
	say(control, OMEGA_ORDERS_END);
}
