/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * seccomp.c - the seccomp backend: system calls that no other backend can
 * hold. Sockets, new processes, input forged into the caller's terminal, and
 * the caller's keys.
 */

#include <omega/sandbox-plugin.h>

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filter.h"
#include "sockets.h"

static const struct omega_sandbox_option option_listen = {
    .size = sizeof(struct omega_sandbox_option),
    .type = OMEGA_SANDBOX_OPTION_BOOL,
    .name = "listen",
    .help = "false: listen(2) fails, for UNIX sockets too, where a policy says "
	    "that no port can be bound",
    .initial = 1,
};

static const struct omega_sandbox_option *const options[] = {
    &option_listen, NULL};

/* Install a filter on this process. A child step: plain calls only. */
static int
install(const void *state)
{
	const struct filter_program *program = state;
	struct sock_fprog filter = {.len = program->count};

	/* The kernel only reads it; the type does not say so. */
	memcpy(&filter.filter, &(const struct sock_filter *){program->code},
	    sizeof(filter.filter));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0)
		return -errno;
	return 0;
}

static int
seccomp_probe(
    const struct omega_sandbox_host *host, struct omega_sandbox_probe *probe)
{
	int error = 0;

	(void)host;
	/* Who may install one is told that there is none at NULL. */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) != 0 &&
	    errno != EFAULT)
		error = errno;
	/* Not for want of filters: the next time it may work. */
	if (error == ENOMEM || error == EAGAIN)
		return -error;
	probe->is_usable = error == 0;
	probe->has_network = error == 0;
	if (error == 0)
		return 0;
	snprintf(probe->network_reason, sizeof(probe->network_reason),
	    "a filter cannot be installed");
	snprintf(probe->reason, sizeof(probe->reason),
	    "a filter cannot be installed: %s (the kernel needs "
	    "CONFIG_SECCOMP_FILTER, and a container must allow "
	    "seccomp(2))",
	    strerror(error));
	return 0;
}

/* The group of calls behind a kind of atom; 0: not ours. */
static unsigned
group_of(uint32_t kind)
{
	switch (kind) {
	case OMEGA_SANDBOX_ATOM_TERMINAL:
		return FILTER_TERMINAL;
	case OMEGA_SANDBOX_ATOM_KEYRING:
		return FILTER_KEYRING;
	case OMEGA_SANDBOX_ATOM_FORK:
		return FILTER_FORK;
	case OMEGA_SANDBOX_ATOM_TRACE:
		return FILTER_TRACE;
	default:
		return 0;
	}
}

static void
describe_one(const struct sockets_view *view,
    const struct omega_sandbox_atom *atom, struct omega_sandbox_state *state)
{
	const char *why;

	state->held = sockets_held(view, atom, &why);
	if (group_of(atom->kind) != 0)
		state->held = atom->access;
	else if (atom->kind == OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS)
		/* Every filter refuses limits of others, children for
		 * them and leases they would wait for; */
		state->held = atom->access & OMEGA_SANDBOX_ATOM_CHANGE;
	else if (atom->kind == OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE)
		/* and samples of everybody. */
		state->held = atom->access & OMEGA_SANDBOX_ATOM_LIST;
	else if (atom->kind == OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS &&
		 view->refuses_unix) {
		state->partial = atom->access;
		why = "no UNIX socket can be made, but pipes are among them";
	}
	if (why == NULL)
		why = "not a matter of system calls alone";
	if (state->held != atom->access)
		snprintf(state->why, sizeof(state->why), "%s", why);
}

static int
seccomp_describe(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_state *const *states)
{
	struct sockets_view view;
	size_t i;

	sockets_look(request, atoms, count,
	    host->option_int(host, option_listen.name) == 0, &view);
	for (i = 0; i < count; i++)
		describe_one(&view, atoms[i], states[i]);
	return 0;
}

static int
seccomp_apply(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch)
{
	struct filter_program *program;
	struct sockets_view view;
	unsigned groups;
	size_t i;
	int ret;

	sockets_look(request, atoms, count,
	    host->option_int(host, option_listen.name) == 0, &view);
	program = calloc(1, sizeof(*program));
	if (program == NULL)
		return -ENOMEM;
	groups = sockets_groups(&view, atoms, count);
	for (i = 0; i < count; i++)
		groups |= group_of(atoms[i]->kind);
	ret = filter_make(0, groups, program);
	if (ret < 0)
		launch->explain(launch, "libseccomp cannot make the filter");
	else if ((request->flags & OMEGA_SANDBOX_REQUEST_FILTERS) != 0)
		ret = launch->set_filter(launch, program->code,
		    program->count * sizeof(program->code[0]));
	else
		ret = launch->add_step(launch, OMEGA_SANDBOX_PHASE_FILTER,
		    "seccomp", install, program,
		    offsetof(struct filter_program, code) +
			program->count * sizeof(program->code[0]));
	for (i = 0; ret == 0 && i < count; i++)
		ret = launch->hold(launch, atoms[i], atoms[i]->access);
	free(program);
	return ret;
}

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    .abi_version = OMEGA_SANDBOX_PLUGIN_ABI,
    .struct_size = sizeof(struct omega_sandbox_plugin),
    .name = "seccomp",
    .description = "system call filter: sockets, processes, terminal, keys",
    .options = options,
    .probe = seccomp_probe,
    .describe = seccomp_describe,
    .apply = seccomp_apply,
};
