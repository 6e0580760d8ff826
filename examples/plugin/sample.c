/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sample.c - a backend of your own, outside of omega-sandbox's tree.
 *
 * It starts the command in a new session. The caller's terminal is then not
 * the command's controlling terminal, and the kernel refuses to let it forge
 * input there (TIOCSTI, TIOCLINUX), unless it is root. That is one kind of
 * atom, TERMINAL, and this backend claims nothing else.
 *
 * It also shows an option: how nice the command is to others.
 */

#include <omega/sandbox-plugin.h>

#include <sys/resource.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* What a child step needs is copied into the launch. */
struct sample_state {
	int nice;
};

static const struct omega_sandbox_option sample_nice = {
    .size = sizeof(struct omega_sandbox_option),
    .type = OMEGA_SANDBOX_OPTION_INT,
    .name = "nice",
    .help = "Nice value of the command.",
    .minimum = 0,
    .maximum = 19,
    .initial = 0,
};

static const struct omega_sandbox_option *const sample_options[] = {
    &sample_nice,
    NULL,
};

/* Does this host let us? Sessions are everywhere. */
static int
sample_probe(
    const struct omega_sandbox_host *host, struct omega_sandbox_probe *probe)
{
	(void)host;
	probe->is_usable = 1;
	snprintf(probe->network_reason, sizeof(probe->network_reason),
	    "sample has nothing to do with networks");
	return 0;
}

/*
 * Say no more than is true here. The states come zeroed ("not held"), so a
 * kind that is not known, from a newer core, is left alone.
 */
static int
sample_describe(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_state *const *states)
{
	size_t i;

	(void)host;
	(void)request;
	for (i = 0; i < count; i++) {
		struct omega_sandbox_state *state = states[i];

		if (atoms[i]->kind != OMEGA_SANDBOX_ATOM_TERMINAL)
			snprintf(state->why, sizeof(state->why),
			    "sample holds the terminal only");
		else if (geteuid() == 0)
			snprintf(state->why, sizeof(state->why),
			    "root may write to any terminal");
		else
			state->held = atoms[i]->access;
	}
	return 0;
}

/* In the child, between clone and exec: system calls and nothing else. */
static int
sample_step(const void *state)
{
	const struct sample_state *sample = state;

	if (setsid() < 0)
		return -errno;
	if (setpriority(PRIO_PROCESS, 0, sample->nice) != 0)
		return -errno;
	return 0;
}

/* In the parent: build the step, and confirm what it will hold. */
static int
sample_apply(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch)
{
	struct sample_state state;
	size_t i;
	int ret;

	(void)request;
	state.nice = (int)host->option_int(host, "nice");
	ret = launch->add_step(launch, OMEGA_SANDBOX_PHASE_LIMITS, "session",
	    sample_step, &state, sizeof(state));
	for (i = 0; ret == 0 && i < count; i++) {
		if (atoms[i]->kind != OMEGA_SANDBOX_ATOM_TERMINAL)
			return -EINVAL; /* we never said that */
		ret = launch->hold(launch, atoms[i], atoms[i]->access);
	}
	return ret;
}

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    .abi_version = OMEGA_SANDBOX_PLUGIN_ABI,
    .struct_size = sizeof(struct omega_sandbox_plugin),
    .name = "sample",
    .description = "a session of its own for the command",
    .options = sample_options,
    .probe = sample_probe,
    .describe = sample_describe,
    .apply = sample_apply,
};
