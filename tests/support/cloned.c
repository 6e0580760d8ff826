/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * cloned.c - starts a command in each way that core/child/clone-linux.c knows,
 * with nothing else of the library around it. test-clone.sh builds it with
 * what compilers there are and as they may be told to.
 */

#include "config.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "child/clone.h"
#include "child/raw.h"

/* What the child saw, in memory it shares with us. */
static struct {
	int frames;
	int end; /* how unwinding ended */
	uintptr_t start; /* what it was given */
	uintptr_t frame; /* its frame, to be on the stack it was given */
	bool is_aligned;
} seen;

static const char *const command[] = {"/bin/sh", "-c", "exit 7", NULL};
static const char *const surroundings[] = {NULL};

static _Unwind_Reason_Code
count(struct _Unwind_Context *context, void *arg)
{
	(void)context;
	(void)arg;
	return ++seen.frames < 100 ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

static void
look_around(const struct omega_inner_start *start)
{
	_Alignas(16) volatile char local[16];

	local[0] = 1;
	seen.is_aligned = (uintptr_t)local % 16 == 0;
	seen.start = (uintptr_t)start;
	seen.frame = (uintptr_t)__builtin_frame_address(0);
	seen.frames = 0;
	seen.end = _Unwind_Backtrace(count, NULL);
}

static void
become(void)
{
	omega_raw(SYS_execve, (long)command[0], (long)command,
	    (long)surroundings, 0, 0);
	omega_raw(SYS_exit_group, 99, 0, 0, 0, 0);
}

/* In place of the one in inner.c. */
int
omega_inner_child(void *arg)
{
	struct omega_inner_start *start = arg;

	start->is_shared = 1;
	look_around(start);
	if (start->inner->said != NULL)
		start->inner->said->kind = OMEGA_INNER_READY;
	become();
	return 0;
}

/* 0: it was started and did what it was told. */
static int
judge(const char *name, const struct omega_clone *made, int how)
{
	int status = -1;

	if (made->pid <= 0) {
		printf("%s: %s\n", name, strerror((int)-made->pid));
		return 1;
	}
	if (waitpid(made->pid, &status, how) != made->pid ||
	    !WIFEXITED(status) || WEXITSTATUS(status) != 7) {
		printf("%s: ended with %#x\n", name, status);
		return 1;
	}
	close(made->pidfd);
	return 0;
}

static int
try_lending(struct omega_stacks *stacks)
{
	struct omega_inner inner = {.report = -1};
	struct omega_inner_fault said = {0};
	struct omega_clone made;
	int bad;

	made = omega_clone_lending(&inner, stacks, &said);
	if (made.pid == -ENOSYS) {
		printf("lending: not here\n"); /* the script decides */
		return 0;
	}
	bad = judge("lending", &made, 0);
	if (said.kind != OMEGA_INNER_READY || !seen.is_aligned ||
	    seen.frame >= seen.start ||
	    seen.start - seen.frame > OMEGA_STACK_SIZE ||
	    seen.end != _URC_END_OF_STACK || seen.frames > 5) {
		printf("lending: said %u, aligned %d, %d frames, end %d, "
		       "%ld below the top\n",
		    said.kind, seen.is_aligned, seen.frames, seen.end,
		    (long)(seen.start - seen.frame));
		bad = 1;
	}
	return bad;
}

static int
try_piped(struct omega_stacks *stacks, bool is_hidden)
{
	struct omega_inner inner = {.report = -1, .is_hidden = is_hidden};
	struct omega_clone made = omega_clone_piped(&inner, stacks);

	return judge(is_hidden ? "hidden" : "piped", &made, 0);
}

int
main(void)
{
	struct omega_stacks *stacks = omega_stacks_new();
	struct omega_clone made;
	int bad = 0, i;

	if (stacks == NULL)
		return 2;
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* no file when one crashes */
	for (i = 0; i < 3; i++)
		bad |= try_lending(stacks);
	bad |= try_piped(stacks, false);
	bad |= try_piped(stacks, true);
	omega_stacks_free(stacks);
	return bad;
}
