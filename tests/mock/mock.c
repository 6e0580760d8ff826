/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* mock.c - see mock.h. */

#include "mock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct mock_state {
	int error;
};

int
mock_probe(
    const struct omega_sandbox_host *host, struct omega_sandbox_probe *probe)
{
	(void)host;
	if (mock_behaviour.probe_error != 0)
		return -mock_behaviour.probe_error;
	probe->is_usable = !mock_behaviour.is_unusable;
	snprintf(probe->version, sizeof(probe->version), "mock 1");
	if (mock_behaviour.is_unusable)
		snprintf(probe->reason, sizeof(probe->reason),
		    "this mock is never usable");
	snprintf(probe->network_reason, sizeof(probe->network_reason),
	    "mocks have nothing to do with networks");
	return 0;
}

/* What is held of an atom, completely and in part. */
static uint32_t
get_held(const struct omega_sandbox_atom *atom, uint32_t *partial)
{
	*partial = 0;
	if (atom->kind == OMEGA_SANDBOX_ATOM_PATH) {
		*partial = atom->access & mock_behaviour.partial &
			   ~mock_behaviour.held;
		return atom->access & mock_behaviour.held;
	}
	if (mock_behaviour.has_hardening &&
	    atom->kind >= OMEGA_SANDBOX_ATOM_METADATA &&
	    atom->kind <= OMEGA_SANDBOX_ATOM_EXECUTE)
		return atom->access;
	return 0;
}

int
mock_describe(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_state *const *states)
{
	size_t i;

	(void)host;
	(void)request;
	if (mock_behaviour.describe_error != 0)
		return -mock_behaviour.describe_error;
	for (i = 0; i < count; i++) {
		struct omega_sandbox_state *state = states[i];

		state->held = get_held(atoms[i], &state->partial);
		if (state->held == atoms[i]->access)
			continue;
		snprintf(state->why, sizeof(state->why), "%s",
		    state->partial != 0 ? "mocks leave a residue"
					: "this mock does not hold that");
	}
	return 0;
}

static int
mock_step(const void *state)
{
	return -((const struct mock_state *)state)->error;
}

/* A step added and a descriptor kept, so that giving up has to undo them. */
static int
fail_half_way(struct omega_sandbox_launch *launch)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int ret = fd < 0 ? -errno : launch->keep_fd(launch, fd);

	if (fd >= 0)
		close(fd);
	if (ret < 0)
		return ret;
	launch->explain(launch, "this mock gives up half way");
	return -mock_behaviour.apply_error;
}

int
mock_apply(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch)
{
	struct mock_state state = {.error = mock_behaviour.step_error};
	uint32_t partial;
	int ret = 0;
	size_t i;

	(void)host;
	(void)request;
	if (mock_behaviour.phase != 0)
		ret = launch->add_step(launch, mock_behaviour.phase,
		    "mock_step", mock_step, &state, sizeof(state));
	if (ret == 0 && mock_behaviour.is_prefix)
		ret = launch->add_word(launch, "/usr/bin/env");
	if (ret == 0 && mock_behaviour.is_prefix)
		ret = launch->add_word(launch, "OMEGA_MOCK_PREFIX=1");
	for (i = 0; ret == 0 && i < count; i++) {
		uint32_t bits = get_held(atoms[i], &partial);

		if (mock_behaviour.apply_error != 0 && i >= count / 2)
			break;
		if (mock_behaviour.is_forgetful && i == count - 1)
			break;
		bits |= partial;
		if (bits != 0)
			ret = launch->hold(launch, atoms[i], bits);
	}
	if (ret == 0 && mock_behaviour.apply_error != 0)
		ret = fail_half_way(launch);
	return ret < 0 ? ret : 0;
}
