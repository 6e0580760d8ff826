/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * inner.c - between clone and exec: see inner.h.
 *
 * No function of a library is called here but the backends' own steps. A test
 * looks at the object file for that.
 */

#include "config.h"

#include "run/inner.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <signal.h>

#include "run/raw.h"
#include "run/renew.h"
#include "run/witness.h"

/* The core's own places between the phases of the steps. */
#define UNTIL_DIRECTORY 200
#define UNTIL_DESCRIPTORS 600
#define UNTIL_EXEC 900

#define ARG(pointer) ((long)(pointer))

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

OMEGA_PLAIN static int
fail(struct omega_inner_fault *fault, uint32_t kind, size_t index, long error)
{
	fault->kind = kind;
	fault->index = (uint32_t)index;
	/* A step may return anything; only 0 is success. */
	fault->error = error < 0 && error > -4096 ? (int32_t)-error : EINVAL;
	fault->finding = 0;
	return -1;
}

/* A descriptor of a directory defeats every mask. */
OMEGA_PLAIN static int
check_descriptors(
    const struct omega_inner *inner, struct omega_inner_fault *fault)
{
	struct statx st;
	size_t i;
	long ret;

	for (i = 0; i < inner->fd_count; i++) {
		if (!inner->fds[i].is_checked)
			continue;
		ret =
		    omega_raw(SYS_fcntl, inner->fds[i].from, F_GETFL, 0, 0, 0);
		if (ret < 0)
			return fail(fault, OMEGA_INNER_FD, i, ret);
		if ((ret & O_PATH) != 0)
			return fail(fault, OMEGA_INNER_FD_IS_PATH, i, -EBADF);
		if ((ret & O_ACCMODE) == O_WRONLY ||
		    (ret & O_ACCMODE) == O_RDWR)
			continue; /* no directory can be opened like this */
		ret = omega_raw(SYS_statx, inner->fds[i].from, ARG(""),
		    AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, ARG(&st));
		if (ret < 0)
			return fail(fault, OMEGA_INNER_FD, i, ret);
		if (S_ISDIR(st.stx_mode))
			return fail(
			    fault, OMEGA_INNER_FD_IS_DIRECTORY, i, -EISDIR);
	}
	return 0;
}

/* What was opened before, as it is to be seen from now on. */
OMEGA_PLAIN static int
renew_descriptors(
    const struct omega_inner *inner, struct omega_inner_fault *fault)
{
	size_t index = 0;
	int ret;

	ret = omega_renew(inner, &index);
	if (ret == -EROFS)
		return fail(fault, OMEGA_INNER_FD_IS_KEPT, index, ret);
	return ret < 0 ? fail(fault, OMEGA_INNER_FD, index, ret) : 0;
}

/* Every handler and everything ignored back to its default. */
OMEGA_PLAIN static void
reset_signals(const struct omega_inner *inner)
{
	/* The kernel's own structure, whatever its order: 0 is the default. */
	unsigned long action[8] = {0, 0, 0, 0, 0, 0, 0, 0};
	int i;

	for (i = 1; i < _NSIG; i++)
		if (i != SIGKILL && i != SIGSTOP &&
		    (inner->has_handlers || i > 64 ||
			(inner->ignored >> (i - 1) & 1) != 0))
			omega_raw(SYS_rt_sigaction, i, ARG(action), 0,
			    OMEGA_RAW_SIGSET, 0);
}

OMEGA_PLAIN static void
unblock_signals(void)
{
	unsigned long none[16 / sizeof(unsigned long)] = {0};

	omega_raw(
	    SYS_rt_sigprocmask, SIG_SETMASK, ARG(none), 0, OMEGA_RAW_SIGSET, 0);
}

/* The steps before a phase, from where the last call stopped. */
OMEGA_PLAIN static int
run_steps(const struct omega_inner *inner, uint32_t until, size_t *next,
    struct omega_inner_fault *fault)
{
	const struct omega_launch_step *step;
	int ret;

	for (; *next < inner->step_count; (*next)++) {
		step = &inner->steps[*next];
		if (step->phase >= until)
			break;
		ret = step->step(step->state);
		if (ret != 0)
			return fail(fault, OMEGA_INNER_STEP, *next, ret);
	}
	return 0;
}

OMEGA_PLAIN static int
enter_directory(
    const struct omega_inner *inner, struct omega_inner_fault *fault)
{
	long ret = omega_raw(SYS_chdir, ARG(inner->dir), 0, 0, 0, 0);

	return ret < 0 ? fail(fault, OMEGA_INNER_DIRECTORY, 0, ret) : 0;
}

OMEGA_PLAIN static void
close_at_exec(long fd)
{
	if (fd > 2)
		omega_raw(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC, 0, 0);
}

struct entry { /* of getdents64(2) */
	uint64_t inode;
	int64_t offset;
	unsigned short size;
	unsigned char type;
	char name[];
};

OMEGA_PLAIN static long
number_of(const char *name)
{
	long number = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		number = number * 10 + (*name - '0');
	return *name == '\0' ? number : -1;
}

/* The descriptors listed in /proc/self/fd. */
OMEGA_PLAIN static long
close_listed(int listing)
{
	_Alignas(struct entry) char buffer[1024];
	const struct entry *entry;
	long len;
	long at;

	for (;;) {
		len = omega_raw(
		    SYS_getdents64, listing, ARG(buffer), sizeof(buffer), 0, 0);
		if (len <= 0)
			return len;
		for (at = 0; at < len; at += entry->size) {
			entry = (const struct entry *)(buffer + at);
			close_at_exec(number_of(entry->name));
		}
	}
}

/* Without a list: every number there can be. A limit that was lowered does
 * not close what is above it, hence the least bound. */
OMEGA_PLAIN static long
close_counted(void)
{
	struct {
		uint64_t soft;
		uint64_t hard;
	} limit = {0, 0};
	uint64_t end = 1 << 20;
	uint64_t fd;
	long ret;

	ret = omega_raw(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, ARG(&limit), 0);
	if (ret < 0)
		return ret;
	if (limit.hard > end)
		end = limit.hard;
	if (end > 1 << 24)
		return -EMFILE; /* it would take minutes */
	for (fd = 3; fd < end; fd++)
		close_at_exec((long)fd);
	return 0;
}

/*
 * Everything above 2 goes away at exec, not before: later steps may still
 * need what their backend has kept.
 */
OMEGA_PLAIN static int
close_others(const struct omega_inner *inner, int listing,
    struct omega_inner_fault *fault)
{
	long ret = -ENOSYS;

	if (inner->has_close_range)
		ret = omega_raw(
		    SYS_close_range, 3, (long)~0U, CLOSE_RANGE_CLOEXEC, 0, 0);
	if (ret < 0)
		ret = listing >= 0 ? close_listed(listing) : close_counted();
	return ret < 0 ? fail(fault, OMEGA_INNER_CLOSE, 0, ret) : 0;
}

/* Put the program's descriptors where they belong. */
OMEGA_PLAIN static int
place_descriptors(const struct omega_inner *inner, bool is_late,
    struct omega_inner_fault *fault)
{
	const struct omega_inner_fd *fd;
	size_t i;
	long ret;

	for (i = 0; i < inner->fd_count; i++) {
		fd = &inner->fds[i];
		if (fd->is_in_place || fd->is_late != is_late)
			continue;
		if (fd->from == fd->to)
			ret = omega_raw(SYS_fcntl, fd->from, F_SETFD, 0, 0, 0);
		else
			ret = omega_raw(SYS_dup3, fd->from, fd->to, 0, 0, 0);
		if (ret < 0)
			return fail(fault, OMEGA_INNER_FD, i, ret);
	}
	return 0;
}

/*
 * The backends had their last look before the witness. What is protected can
 * be replaced between the two; then there is no hole, but another world to
 * prepare for.
 */
OMEGA_PLAIN static int
look_again(const struct omega_inner *inner, struct omega_inner_fault *fault)
{
	const struct omega_launch_step *step;
	size_t i;
	int ret;

	for (i = 0; i < inner->step_count; i++) {
		step = &inner->steps[i];
		if (step->phase < OMEGA_SANDBOX_PHASE_WITNESS)
			continue;
		ret = step->step(step->state);
		if (ret != 0)
			return fail(fault, OMEGA_INNER_STEP, i, ret);
	}
	return 0;
}

/* All steps are done: does what they promise hold? */
OMEGA_PLAIN static int
ask_witness(const struct omega_inner *inner, struct omega_inner_fault *fault)
{
	struct omega_witness_found found;

	if (inner->witness == NULL)
		return 0;
	omega_witness_run(inner->witness, inner->turn, &found);
	if (found.finding == OMEGA_WITNESS_HELD)
		return 0;
	if (look_again(inner, fault) != 0)
		return -1;
	fault->kind = OMEGA_INNER_WITNESS;
	fault->index = found.index;
	fault->error = found.error;
	fault->finding = found.finding;
	return -1;
}

/* False: it cannot be told. A record is far smaller than a pipe's buffer and
 * is written whole. */
OMEGA_PLAIN static bool
say(const struct omega_inner *inner, const struct omega_inner_fault *fault)
{
	if (inner->said != NULL)
		*inner->said = *fault;
	return inner->report < 0 ||
	       omega_raw(SYS_write, inner->report, ARG(fault), sizeof(*fault),
		   0, 0) == (long)sizeof(*fault);
}

/*
 * The last moments. READY tells the parent that whatever ends the child from
 * now on is an end of the program; what cannot be told is not started.
 */
OMEGA_PLAIN static int
become(const struct omega_inner *inner, struct omega_inner_fault *fault)
{
	struct omega_inner_fault ready = {OMEGA_INNER_READY, 0, 0, 0};
	long ret;

	/* As late as this: a change of credentials takes it back. */
	if (inner->is_tied)
		omega_raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (!say(inner, &ready))
		return fail(fault, OMEGA_INNER_EXEC, 0, -EPIPE);
	if (!inner->is_child)
		reset_signals(inner);
	unblock_signals();
	ret = omega_raw(SYS_execve, ARG(inner->program), ARG(inner->argv),
	    ARG(inner->env), 0, 0);
	if (ret == -ENOENT && omega_raw(SYS_faccessat, AT_FDCWD,
				  ARG(inner->program), 0, 0, 0) == 0)
		return fail(fault, OMEGA_INNER_INTERPRETER, 0, ret);
	return fail(fault, OMEGA_INNER_EXEC, 0, ret);
}

OMEGA_PLAIN int
omega_inner_run(
    const struct omega_inner *inner, struct omega_inner_fault *fault)
{
	const bool is_program = inner->program != NULL;
	size_t next = 0;
	int listing = -1;

	if (check_descriptors(inner, fault) != 0)
		return -1;
	/*
	 * Whoever is already where this process is going could open its
	 * memory, a copy of the host's. Exec makes it dumpable again.
	 */
	if (inner->is_hidden)
		omega_raw(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (inner->is_child)
		reset_signals(inner);
	/* /proc may be out of reach by the time it is needed. */
	if (is_program && !inner->has_close_range)
		listing =
		    (int)omega_raw(SYS_openat, AT_FDCWD, ARG("/proc/self/fd"),
			O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0);
	if (run_steps(inner, UNTIL_DIRECTORY, &next, fault) != 0)
		return -1;
	/* Without a step there are the mounts there were. */
	if (is_program && next > 0 && renew_descriptors(inner, fault) != 0)
		return -1;
	if (enter_directory(inner, fault) != 0 ||
	    run_steps(inner, UNTIL_DESCRIPTORS, &next, fault) != 0)
		return -1;
	if (is_program && (close_others(inner, listing, fault) != 0 ||
			      place_descriptors(inner, false, fault) != 0))
		return -1;
	if (run_steps(inner, UNTIL_EXEC, &next, fault) != 0)
		return -1;
	if (next != inner->step_count) /* none may be left out */
		return fail(fault, OMEGA_INNER_STEP, next, -EINVAL);
	if (is_program && place_descriptors(inner, true, fault) != 0)
		return -1;
	if (ask_witness(inner, fault) != 0)
		return -1;
	if (!is_program)
		return 0;
	return become(inner, fault);
}

OMEGA_PLAIN int
omega_inner_child(void *arg)
{
	struct omega_inner_start *start = arg;
	const struct omega_inner *inner = start->inner;
	struct omega_inner_fault fault;

	start->is_shared = 1;
	omega_inner_run(inner, &fault);
	say(inner, &fault);
	for (;;)
		omega_raw(SYS_exit_group, 127, 0, 0, 0, 0);
}
