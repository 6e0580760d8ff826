/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * landlock.c - the Landlock backend.
 *
 * One ruleset per preparation, made in the parent, taken on by the child.
 * Rules of a ruleset are a union, so nothing can be denied inside what is
 * allowed: places are kept by allowing everything beside them (grants.c). That
 * costs nothing at / and /usr, where nobody makes new entries, and a lot in a
 * home directory; there it is done only when the administrator asks for it.
 */

#include "landlock.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

static const struct omega_sandbox_option option_complement = {
    .size = sizeof(struct omega_sandbox_option),
    .type = OMEGA_SANDBOX_OPTION_BOOL,
    .name = "complement",
    .help = "Hold denied places anywhere by allowing everything beside them. "
	    "Nothing can then be created, listed, renamed or removed in the "
	    "directories above them, the home directory among them.",
};

static const struct omega_sandbox_option *const options[] = {
    &option_complement, NULL};

static void
explain(int error, char *text, size_t size)
{
	if (error == EOPNOTSUPP)
		snprintf(
		    text, size, "switched off at boot; add landlock to lsm=");
	else if (error == ENOSYS)
		snprintf(text, size,
		    "this kernel has no Landlock (5.13 and later do)");
	else
		snprintf(text, size,
		    "Landlock does not answer, perhaps a filter of the "
		    "container forbids it: %s",
		    strerror(error));
}

/* In a child: enter a domain as every command will. */
static int
enter_domain(void)
{
	const struct calls_ruleset ruleset = {.fs = FS_MAKE_BLOCK};
	int fd = calls_create(&ruleset, sizeof(ruleset.fs));

	if (fd < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    calls_restrict(fd) != 0)
		return errno;
	return 0;
}

/* Can a domain be entered here? Only trying tells. 0, errno, or -errno. */
static int
try_domain(void)
{
	int status = 0;
	long pid;

	/* No exit signal: the host is not told of a child it did not start. */
	pid = syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
	if (pid == 0)
		_exit(enter_domain());
	if (pid < 0)
		return -errno;
	while (waitpid((pid_t)pid, &status, __WALL) != (pid_t)pid)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

static int
landlock_probe(
    const struct omega_sandbox_host *host, struct omega_sandbox_probe *probe)
{
	int abi = calls_abi();
	int error;

	(void)host;
	if (abi < 1) {
		explain(errno, probe->reason, sizeof(probe->reason));
		return 0;
	}
	/* A filter could forbid it; and there is an end to nesting, which the
	 * first command will meet. */
	if (OMEGA_SANDBOX_HAS(probe, is_believing) && probe->is_believing &&
	    prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0)
		error = 0;
	else
		error = try_domain();
	if (error < 0)
		return error;
	/* Not for want of Landlock: the next time it may work. */
	if (error == ENOMEM || error == EAGAIN || error == EMFILE ||
	    error == ENFILE)
		return -error;
	if (error > 0) {
		snprintf(probe->reason, sizeof(probe->reason),
		    "landlock_restrict_self: %s (%s)", strerror(error),
		    error == E2BIG
			? "as many domains as there can be, 16, are around "
			  "the host; start it outside of one"
			: "a container's filter forbids it; allow the three "
			  "landlock calls");
		return 0;
	}
	probe->is_usable = 1;
	snprintf(probe->version, sizeof(probe->version), "ABI %d", abi);
	snprintf(probe->network_reason, sizeof(probe->network_reason),
	    "Landlock alone leaves ways around a network rule");
	return 0;
}

static int
landlock_describe(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_state *const *states)
{
	int abi = calls_abi();
	const struct holds_view view = {.abi = abi,
	    .is_complement = host->option_int(host, "complement") != 0,
	    .request = request,
	    .limited = holds_limited(atoms, count)};
	size_t i;

	for (i = 0; abi >= 1 && i < count; i++)
		holds_say(&view, atoms[i], states[i]);
	return 0;
}

static int
landlock_apply(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch)
{
	size_t i;
	int ret;

	/* Only to keep commands apart: with ABI 1 nothing could be moved from
	 * one directory to another any more, which is too dear for that. */
	if (count == 0 && calls_abi() < 2)
		return 0;
	ret = ruleset_build(calls_abi(),
	    host->option_int(host, "complement") != 0, request, atoms, count,
	    launch);
	for (i = 0; ret == 0 && i < count; i++)
		ret = launch->hold(launch, atoms[i], atoms[i]->access);
	if (ret == 0 && count > 0 && capabilities_are_many())
		ret = launch->add_step(launch, CAPABILITIES_PHASE,
		    "capabilities", capabilities_give_up, NULL, 0);
	if (ret == 0)
		ret = launch->set_flags(launch, OMEGA_SANDBOX_LAUNCH_SEPARATES);
	return ret;
}

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    .abi_version = OMEGA_SANDBOX_PLUGIN_ABI,
    .struct_size = sizeof(struct omega_sandbox_plugin),
    .flags = OMEGA_SANDBOX_PLUGIN_SEPARATES,
    .name = "landlock",
    .description = "Landlock: lists of places, ports, processes, sockets",
    .options = options,
    .probe = landlock_probe,
    .describe = landlock_describe,
    .apply = landlock_apply,
};
