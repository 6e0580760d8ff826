/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * setup-fault.c - see setup.h.
 */

#include "config.h"

#include "run/setup.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "child/calls.h"
#include "child/witness.h"

/* "landlock: restrict_self: Operation not permitted" */
static int
tell_step(const char *backend, const char *step, int error_number,
    struct omega_sandbox_error *error)
{
	int code = omega_error_set(error, OMEGA_SANDBOX_E_STEP, error_number,
	    "%s: %s: %s", backend, step, strerror(error_number));

	omega_error_backend(error, backend);
	return code;
}

static int
tell_directory(
    int error_number, const char *dir, struct omega_sandbox_error *error)
{
	int code = omega_error_set(error, OMEGA_SANDBOX_E_STEP, error_number,
	    "the working directory %s cannot be entered: %s", dir,
	    strerror(error_number));

	omega_error_backend(error, "core");
	return code;
}

/* Why a descriptor is none for the program; NULL: it could not be used. */
static const char *
words_for_descriptor(uint32_t kind)
{
	switch (kind) {
	case OMEGA_INNER_FD_IS_DIRECTORY:
		return "is a directory: the program could reach behind the "
		       "protection through it";
	case OMEGA_INNER_FD_IS_PATH:
		return "was opened with O_PATH: the program could reach behind "
		       "the protection through it";
	case OMEGA_INNER_FD_IS_KEPT:
		return "may write a file that the program must not change: "
		       "use a pipe (COMMAND | cat >FILE), or open it for "
		       "reading only";
	case OMEGA_INNER_FD_IS_HIDDEN:
		return "is a file that is hidden or kept from the program, "
		       "which could open it again for writing: use a pipe";
	default:
		return NULL;
	}
}

/* A descriptor, by the number its owner knows. */
static int
tell_descriptor(const struct omega_inner_fault *fault,
    const struct omega_inner_fd *fd, struct omega_sandbox_error *error)
{
	const char *why = words_for_descriptor(fault->kind);

	if (why != NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_REFUSED,
		    fault->error, "descriptor %d %s", fd->given, why);
	return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, fault->error,
	    "descriptor %d as %d of the program: %s", fd->given, fd->to,
	    strerror(fault->error));
}

/* What was tried, and what it looked like. */
static const char *
words_for_try(uint32_t how)
{
	switch (how) {
	case OMEGA_WITNESS_READ:
		return "could be read";
	case OMEGA_WITNESS_WRITE:
		return "could be opened for writing";
	case OMEGA_WITNESS_CREATE:
		return "let a file be created in it";
	case OMEGA_WITNESS_MAKE:
		return "could be created";
	case OMEGA_WITNESS_CHANGE:
		return "let its attributes be changed";
	case OMEGA_WITNESS_SIGNAL:
		return "could be sent signals";
	case OMEGA_WITNESS_TRACE:
		return "could be traced";
	case OMEGA_WITNESS_CAN_LIST:
		return "listed";
	case OMEGA_WITNESS_CAN_WRITE:
		return "opened for writing";
	default:
		return "written to";
	}
}

static const char *
words_for_finding(uint32_t finding)
{
	switch (finding) {
	case OMEGA_WITNESS_ITSELF:
		return " (it is the protected object itself)";
	case OMEGA_WITNESS_CONTENT:
		return " (it has content)";
	case OMEGA_WITNESS_NAMES:
		return " (it has names in it)";
	default:
		return "";
	}
}

/* The child has seen that it is not protected, or not able to work. */
static int
tell_witness(const struct omega_inner_fault *fault,
    const struct omega_witness *witness, struct omega_sandbox_error *error)
{
	const struct omega_witness_try *try = &witness->tries[fault->index];
	const char *what =
	    try->path != NULL ? try->path : "the process that started it";
	int code;

	if (fault->finding == OMEGA_WITNESS_BROKEN)
		return omega_error_set(error, OMEGA_SANDBOX_E_WITNESS,
		    fault->error,
		    "not started: the sandbox is broken: %s cannot be %s "
		    "inside, which it can outside: %s; omega-sandbox verify "
		    "tries more",
		    what, words_for_try(try->how), strerror(fault->error));
	if (fault->finding == OMEGA_WITNESS_UNTRIED)
		code = omega_error_set(error, OMEGA_SANDBOX_E_WITNESS,
		    fault->error,
		    "not started: the witness could not try %s: %s", what,
		    strerror(fault->error));
	else
		code = omega_error_set(error, OMEGA_SANDBOX_E_WITNESS, 0,
		    "not started: a hole in the sandbox: %s %s%s, although "
		    "%s promised \"%s\"; do not rely on this backend here",
		    what, words_for_try(try->how),
		    words_for_finding(fault->finding), try->backends,
		    try->sentence);
	if (try->backends != NULL)
		omega_error_backend(error, try->backends);
	if (try->sentence != NULL)
		omega_error_atom(error, try->sentence);
	return code;
}

static int
tell_exec(const struct omega_inner_fault *fault,
    const struct omega_setup *setup, struct omega_sandbox_error *error)
{
	const char *program = setup->inner.program;

	if (setup->argv != NULL) /* not the command, but what goes before */
		return tell_step(
		    setup->launch->prefix, program, fault->error, error);
	if (fault->kind == OMEGA_INNER_INTERPRETER)
		return omega_error_set(error, OMEGA_SANDBOX_E_NOT_EXECUTABLE,
		    fault->error,
		    "%s: cannot be executed: its interpreter (the program "
		    "after #!, or the loader) was not found",
		    program);
	if (fault->error == ENOENT || fault->error == ENOTDIR)
		return omega_error_set(error, OMEGA_SANDBOX_E_NOT_FOUND,
		    fault->error, "%s: not found: %s", program,
		    strerror(fault->error));
	if (omega_calls_is_about_file(fault->error))
		return omega_error_set(error, OMEGA_SANDBOX_E_NOT_EXECUTABLE,
		    fault->error, "%s: cannot be executed: %s%s", program,
		    strerror(fault->error),
		    fault->error == ENOEXEC ? "; a script begins with the "
					      "program that reads it, as "
					      "#!/bin/sh"
					    : "");
	return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, fault->error,
	    "%s: cannot be started: %s", program, strerror(fault->error));
}

int
omega_fault_tell(const struct omega_inner_fault *fault,
    const struct omega_setup *setup, struct omega_sandbox_error *error)
{
	const struct omega_inner_step *step;

	switch (fault->kind) {
	case OMEGA_INNER_STEP:
		step = &setup->inner.steps[fault->index];
		return tell_step(
		    step->backend, step->name, fault->error, error);
	case OMEGA_INNER_SELF:
		return tell_step(setup->launch->prefix,
		    "this process could not be confined", fault->error, error);
	case OMEGA_INNER_SESSION:
		return tell_step("core", "session", fault->error, error);
	case OMEGA_INNER_DIRECTORY:
		return tell_directory(fault->error, setup->inner.dir, error);
	case OMEGA_INNER_CLOSE:
		return tell_step("core", "descriptors", fault->error, error);
	case OMEGA_INNER_FD:
	case OMEGA_INNER_FD_IS_DIRECTORY:
	case OMEGA_INNER_FD_IS_PATH:
	case OMEGA_INNER_FD_IS_KEPT:
	case OMEGA_INNER_FD_IS_HIDDEN:
		return tell_descriptor(
		    fault, &setup->fds.list[fault->index], error);
	case OMEGA_INNER_WITNESS:
		return tell_witness(fault, setup->launch->witness, error);
	case OMEGA_INNER_WATCH:
		return tell_step("core", "its calls cannot be watched here",
		    fault->error, error);
	case OMEGA_INNER_INIT:
		return tell_step(
		    "core", "omega-sandbox-init", fault->error, error);
	default:
		return tell_exec(fault, setup, error);
	}
}

int
omega_fault_tell_end(
    const struct omega_end *end, struct omega_sandbox_error *error)
{
	int code;

	if (end == NULL)
		code = omega_error_set(error, OMEGA_SANDBOX_E_STEP, ECHILD,
		    "core: start: the child ended before the program was "
		    "started");
	else if (end->signal != 0)
		code = omega_error_set(error, OMEGA_SANDBOX_E_STEP, ECHILD,
		    "core: start: signal %d ended the child before the "
		    "program was started",
		    end->signal);
	else
		code = omega_error_set(error, OMEGA_SANDBOX_E_STEP, ECHILD,
		    "core: start: the child ended with status %d before the "
		    "program was started",
		    end->status);
	omega_error_backend(error, "core");
	return code;
}
