/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * clone-linux.c - see clone.h.
 *
 * First choice is clone3: it takes the host's signal handlers from the child,
 * which the child would otherwise have to do by sixty system calls, 3 to 7 %
 * of the whole start. Where it is not to be had (filters of containers,
 * valgrind, qemu-user) the C library's clone() does.
 */

#include "config.h"

#include "child/clone.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "child/end.h"
#include "child/raw.h"

#define CLEAR_SIGHAND UINT64_C(0x100000000)

struct clone3 { /* the first version of the kernel's struct clone_args */
	uint64_t flags;
	uint64_t pidfd;
	uint64_t child_tid;
	uint64_t parent_tid;
	uint64_t exit_signal;
	uint64_t stack;
	uint64_t stack_size;
	uint64_t tls;
};

void
omega_clone_block(struct omega_clone_mask *old)
{
	struct omega_clone_mask all;

	memset(&all, 0xff, sizeof(all));
	omega_raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)old,
	    OMEGA_RAW_SIGSET, 0);
}

void
omega_clone_unblock(const struct omega_clone_mask *old)
{
	omega_raw(
	    SYS_rt_sigprocmask, SIG_SETMASK, (long)old, 0, OMEGA_RAW_SIGSET, 0);
}

/* What the host ignores, the child would ignore as well. Asked here, where a
 * system call costs a third of what it costs in a new process. */
uint64_t
omega_clone_ignored(void)
{
	unsigned long action[8];
	uint64_t ignored = 0;
	int i;

	for (i = 1; i < _NSIG && i <= 64; i++) {
		if (i == SIGKILL || i == SIGSTOP)
			continue;
		action[0] = 0;
		omega_raw(
		    SYS_rt_sigaction, i, 0, (long)action, OMEGA_RAW_SIGSET, 0);
		if (action[0] == (unsigned long)SIG_IGN)
			ignored |= UINT64_C(1) << (i - 1);
	}
	return ignored;
}

/* In clone-call-linux.S: clone3, and in the child fn(arg) on its own stack. */
#if (defined(__aarch64__) || defined(__x86_64__)) && !defined(__ILP32__)
#define HAS_CLONE_CALL 1
long omega_clone_call(const struct clone3 *args, size_t size, int (*fn)(void *),
    void *arg) __attribute__((visibility("hidden")));
#else
#define HAS_CLONE_CALL 0
#endif

static bool
is_unavailable(long error)
{
	return error == -ENOSYS || error == -EPERM || error == -EINVAL;
}

/* The top of a stack, with what the child is told. */
struct omega_inner_start *
omega_clone_start(char *stack, const struct omega_inner *inner)
{
	struct omega_inner_start *start =
	    (struct omega_inner_start *)(void *)(stack + OMEGA_STACK_SIZE) - 1;

	memset(start, 0, sizeof(*start));
	start->inner = inner;
	return start;
}

struct omega_clone
omega_clone_lending(struct omega_inner *inner, struct omega_stacks *stacks,
    struct omega_inner_fault *said)
{
	struct omega_clone made = {
	    .pid = -ENOSYS, .pidfd = -1, .is_past = true};
#if HAS_CLONE_CALL
	struct clone3 args = {
	    .flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | CLEAR_SIGHAND,
	    .pidfd = (uintptr_t)&made.pidfd,
	    .exit_signal = SIGCHLD};
	struct omega_inner_start *start;
	struct omega_clone_mask old;
	char *stack = omega_stacks_take(stacks);
	long ret;

	if (stack == NULL) {
		made.pid = -ENOMEM;
		return made;
	}
	start = omega_clone_start(stack, inner);
	args.stack = (uintptr_t)stack;
	args.stack_size = (uintptr_t)start - (uintptr_t)stack;
	inner->said = &start->said;
	inner->has_handlers = false;
	inner->ignored = omega_clone_ignored();
	omega_clone_block(&old);
	ret = omega_clone_call(&args, sizeof(args), omega_inner_child, start);
	omega_clone_unblock(&old);
	*said = start->said;
	inner->said = NULL;
	omega_stacks_give(stacks, stack);
	made.pid = is_unavailable(ret) ? -ENOSYS : (pid_t)ret;
#else
	(void)inner;
	(void)stacks;
	(void)said;
#endif
	return made;
}

/* In a copy of our memory while we stand still: no stack is needed. */
static long
copy_by_clone3(struct omega_inner *inner, struct omega_clone *made)
{
	struct clone3 args = {
	    .flags = CLONE_VFORK | CLONE_PIDFD | CLEAR_SIGHAND,
	    .pidfd = (uintptr_t)&made->pidfd,
	    .exit_signal = SIGCHLD};
	struct omega_inner_start start = {.inner = inner};
	long ret;

	inner->has_handlers = false;
	made->is_past = true;
	ret = omega_raw(SYS_clone3, (long)&args, sizeof(args), 0, 0, 0);
	if (ret == 0)
		omega_inner_child(&start);
	return ret;
}

/* A descriptor for a child that came without one. */
static long
open_pidfd(pid_t pid, int *pidfd)
{
	long ret = omega_end_open(pid);

	if (ret < 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return ret;
	}
	*pidfd = (int)ret;
	return pid;
}

/* By the C library. A copy is not waited for: valgrind knows no such. And
 * qemu-user gives no descriptor along. */
static long
clone_by_library(struct omega_inner *inner, struct omega_stacks *stacks,
    struct omega_clone *made)
{
	int flags = SIGCHLD | (inner->is_hidden ? 0 : CLONE_VM | CLONE_VFORK);
	struct omega_inner_start *start;
	char *stack = omega_stacks_take(stacks);
	long ret;

	if (stack == NULL)
		return -ENOMEM;
	start = omega_clone_start(stack, inner);
	inner->has_handlers = true;
	ret = clone(
	    omega_inner_child, start, flags | CLONE_PIDFD, start, &made->pidfd);
	if (ret < 0 && errno == EINVAL) {
		ret = clone(omega_inner_child, start, flags, start);
		if (ret > 0)
			ret = open_pidfd((pid_t)ret, &made->pidfd);
		else
			ret = -errno;
	} else if (ret < 0) {
		ret = -errno;
	}
	made->is_past = start->is_shared != 0;
	omega_stacks_give(stacks, stack);
	return ret;
}

struct omega_clone
omega_clone_piped(struct omega_inner *inner, struct omega_stacks *stacks)
{
	struct omega_clone made = {.pidfd = -1};
	struct omega_clone_mask old;
	long ret = -ENOSYS;

	inner->ignored = omega_clone_ignored();
	omega_clone_block(&old);
	if (inner->is_hidden)
		ret = copy_by_clone3(inner, &made);
	if (is_unavailable(ret))
		ret = clone_by_library(inner, stacks, &made);
	omega_clone_unblock(&old);
	made.pid = (pid_t)ret;
	return made;
}

OMEGA_PLAIN long
omega_clone_on(char *stack, void *top, uint64_t flags, int signal,
    int (*fn)(void *), void *arg, struct omega_clone_told *told,
    bool *has_handlers)
{
	long ret;

	flags |= CLONE_PIDFD | CLONE_CHILD_CLEARTID;
#if HAS_CLONE_CALL
	if (!*has_handlers) {
		struct clone3 args = {
		    .flags = flags | CLONE_PARENT_SETTID | CLEAR_SIGHAND,
		    .pidfd = (uintptr_t)&told->pidfd,
		    .child_tid = (uintptr_t)&told->is_there,
		    .parent_tid = (uintptr_t)&told->pid,
		    .exit_signal = (uint64_t)signal,
		    .stack = (uintptr_t)stack,
		    .stack_size = (uintptr_t)top - (uintptr_t)stack};

		ret = omega_clone_call(&args, sizeof(args), fn, arg);
		if (!is_unavailable(ret))
			return ret;
	}
#else
	(void)stack;
#endif
	*has_handlers = true;
	ret = clone(fn, top, (int)flags | signal, arg, &told->pidfd, NULL,
	    &told->is_there);
	return ret < 0 ? -errno : ret;
}
