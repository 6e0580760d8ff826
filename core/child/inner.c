/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * inner.c - between clone and exec: see inner.h.
 *
 * No function of a library is called here but the backends' own steps. A test
 * looks at the object file for that. The system calls are in calls.h.
 */

#include "config.h"

#include "child/inner.h"

#include <errno.h>

#include "child/calls.h"
#include "child/witness.h"

/* The core's own places between the phases of the steps. */
#define UNTIL_DIRECTORY 200
#define UNTIL_DESCRIPTORS 600
#define UNTIL_EXEC 900

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

/* Away from the caller's jobs and their terminal. */
OMEGA_PLAIN static int
enter_session(const struct omega_inner *inner, struct omega_inner_fault *fault)
{
	int ret = 0;

	if (inner->session == OMEGA_SANDBOX_SESSION_NEW) {
		ret = omega_calls_new_session();
	} else if (inner->session == OMEGA_SANDBOX_SESSION_PTY) {
		omega_calls_enter_group(0);
		if (inner->is_front)
			ret = omega_calls_come_forward(inner->terminal);
	} else if (inner->group != 0) {
		omega_calls_enter_group(inner->group);
	}
	return ret < 0 ? fail(fault, OMEGA_INNER_SESSION, 0, ret) : 0;
}

/* A descriptor of a directory defeats every mask. */
OMEGA_PLAIN static int
check_descriptors(
    const struct omega_inner *inner, struct omega_inner_fault *fault)
{
	size_t i;
	int kind;

	for (i = 0; i < inner->fd_count; i++) {
		if (!inner->fds[i].is_checked)
			continue;
		kind = omega_calls_look_at(inner->fds[i].from);
		if (kind < 0)
			return fail(fault, OMEGA_INNER_FD, i, kind);
		if (kind == OMEGA_CALLS_PATH)
			return fail(fault, OMEGA_INNER_FD_IS_PATH, i, -EBADF);
		if (kind == OMEGA_CALLS_DIRECTORY)
			return fail(
			    fault, OMEGA_INNER_FD_IS_DIRECTORY, i, -EISDIR);
	}
	return 0;
}

/* What was opened before, as it is to be seen from now on. */
OMEGA_PLAIN static int
renew_descriptors(const struct omega_inner *inner, uint64_t named,
    struct omega_inner_fault *fault)
{
	size_t index = 0;
	int ret;

	ret = omega_inner_renew(inner, named, &index);
	if (ret > 0)
		return fail(fault, (uint32_t)ret, index, -EROFS);
	return ret < 0 ? fail(fault, OMEGA_INNER_FD, index, ret) : 0;
}

/* Every handler and everything ignored back to its default, but for what is
 * to be ignored. */
OMEGA_PLAIN static void
reset_signals(const struct omega_inner *inner)
{
	omega_calls_reset_signals(
	    inner->has_handlers ? UINT64_MAX : inner->ignored);
	omega_calls_ignore_signals(inner->to_ignore);
}

/* The steps before a phase, from where the last call stopped. */
OMEGA_PLAIN static int
run_steps(const struct omega_inner *inner, uint32_t until, size_t *next,
    struct omega_inner_fault *fault)
{
	const struct omega_inner_step *step;
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

/* In place of the words of a prefix; never in a child. */
OMEGA_PLAIN static int
run_self(const struct omega_inner *inner, struct omega_inner_fault *fault)
{
	int ret;

	if (inner->self == NULL)
		return 0;
	ret = inner->self->step(inner->self->state);
	return ret != 0 ? fail(fault, OMEGA_INNER_SELF, 0, ret) : 0;
}

OMEGA_PLAIN static int
enter_directory(
    const struct omega_inner *inner, struct omega_inner_fault *fault)
{
	int ret = omega_calls_enter(inner->dir);

	return ret < 0 ? fail(fault, OMEGA_INNER_DIRECTORY, 0, ret) : 0;
}

/*
 * Everything above 2 goes away at exec, not before: later steps may still
 * need what their backend has kept.
 */
OMEGA_PLAIN static int
close_others(
    const struct omega_inner *inner, int list, struct omega_inner_fault *fault)
{
	int ret = omega_calls_close_others(inner->has_close_range, list);

	return ret < 0 ? fail(fault, OMEGA_INNER_CLOSE, 0, ret) : 0;
}

/* Put the program's descriptors where they belong. */
OMEGA_PLAIN static int
place_descriptors(const struct omega_inner *inner, bool is_late,
    struct omega_inner_fault *fault)
{
	const struct omega_inner_fd *fd;
	size_t i;
	int ret;

	for (i = 0; i < inner->fd_count; i++) {
		fd = &inner->fds[i];
		if (fd->is_in_place || fd->is_late != is_late)
			continue;
		ret = omega_calls_place(fd->from, fd->to);
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
	size_t next = 0;

	while (next < inner->step_count &&
	       inner->steps[next].phase < OMEGA_SANDBOX_PHASE_WITNESS)
		next++;
	return run_steps(inner, UNTIL_EXEC, &next, fault);
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
	return inner->report < 0 || omega_calls_write(inner->report, fault,
					sizeof(*fault)) == (long)sizeof(*fault);
}

/*
 * The last moments. READY tells the parent that whatever ends the child from
 * now on is an end of the program; what cannot be told is not started.
 */
OMEGA_PLAIN static int
become(const struct omega_inner *inner, struct omega_inner_fault *fault)
{
	struct omega_inner_fault ready = {OMEGA_INNER_READY, 0, 0, 0};
	int ret;

	/* As late as this: a change of credentials takes it back. */
	if (inner->is_tied && !omega_calls_tie(inner->parent))
		omega_calls_exit(127);
	if (inner->watch >= 0) {
		ret = omega_inner_watch(inner->watch);
		if (ret < 0)
			return fail(fault, OMEGA_INNER_WATCH, 0, ret);
	}
	if (!say(inner, &ready))
		return fail(fault, OMEGA_INNER_EXEC, 0, -EPIPE);
	if (!inner->is_child)
		reset_signals(inner);
	omega_calls_block_signals(inner->to_block);
	if (inner->program_fd >= 0)
		return fail(fault, OMEGA_INNER_INIT, 0,
		    omega_calls_exec_open(
			inner->program_fd, inner->argv, inner->env));
	ret = omega_calls_exec(inner->program, inner->argv, inner->env);
	if (ret == -ENOENT && omega_calls_exists(inner->program))
		return fail(fault, OMEGA_INNER_INTERPRETER, 0, ret);
	return fail(fault, OMEGA_INNER_EXEC, 0, ret);
}

OMEGA_PLAIN int
omega_inner_run(
    const struct omega_inner *inner, struct omega_inner_fault *fault)
{
	const bool is_program = inner->program != NULL;
	uint64_t named = 0;
	size_t next = 0;
	int list = -1;

	/* At once, for the host's memory that we may share; and see below. */
	if (inner->is_tied && !omega_calls_tie(inner->parent))
		omega_calls_exit(127);
	if (enter_session(inner, fault) != 0)
		return -1;
	if (check_descriptors(inner, fault) != 0)
		return -1;
	/*
	 * Whoever is already where this process is going could open its
	 * memory, a copy of the host's. Exec makes it dumpable again.
	 */
	if (inner->is_hidden)
		omega_calls_hide();
	if (inner->is_child)
		reset_signals(inner);
	if (is_program && !inner->has_close_range)
		list = omega_calls_open_list();
	if (is_program)
		named = omega_inner_look(inner);
	if (run_steps(inner, UNTIL_DIRECTORY, &next, fault) != 0)
		return -1;
	/* Without a step there are the mounts there were. */
	if (is_program && (next > 0 || inner->closed_count > 0) &&
	    renew_descriptors(inner, named, fault) != 0)
		return -1;
	if (enter_directory(inner, fault) != 0 ||
	    run_steps(inner, UNTIL_DESCRIPTORS, &next, fault) != 0)
		return -1;
	if (is_program && (close_others(inner, list, fault) != 0 ||
			      place_descriptors(inner, false, fault) != 0))
		return -1;
	if (run_steps(inner, UNTIL_EXEC, &next, fault) != 0)
		return -1;
	if (next != inner->step_count) /* none may be left out */
		return fail(fault, OMEGA_INNER_STEP, next, -EINVAL);
	/* The last that may need what its backend has kept. */
	if (run_self(inner, fault) != 0)
		return -1;
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
	omega_calls_exit(127);
}
