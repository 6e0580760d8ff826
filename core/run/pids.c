/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pids.c - see pids.h.
 */

#include "config.h"

#include "run/pids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/cgroup.h"
#include "run/limits.h"

int
omega_pids_set(struct omega_launch_pids *pids, const char *backend,
    omega_sandbox_step *outside, omega_sandbox_step *inside, const void *state,
    size_t state_size)
{
	if (outside == NULL || inside == NULL ||
	    (state == NULL && state_size > 0))
		return -EINVAL;
	if (pids->outside != NULL)
		return -EBUSY;
	pids->state = malloc(state_size + 1);
	pids->backend = strdup(backend);
	if (pids->state == NULL || pids->backend == NULL) {
		omega_pids_drop(pids);
		return -ENOMEM;
	}
	if (state_size > 0)
		memcpy(pids->state, state, state_size);
	pids->outside = outside;
	pids->inside = inside;
	return 0;
}

void
omega_pids_drop(struct omega_launch_pids *pids)
{
	free(pids->backend);
	free(pids->state);
	free(pids->steps);
	*pids = (struct omega_launch_pids){.backend = NULL};
}

/* Whose place the step inside takes. */
static bool
is_replaced(
    const struct omega_launch_pids *pids, const struct omega_launch_step *step)
{
	return step->phase / 100 == OMEGA_SANDBOX_PHASE_JOIN / 100 &&
	       strcmp(step->backend, pids->backend) == 0;
}

static bool
is_commands_own(const struct omega_launch_step *step)
{
	return step->step == omega_cgroup_enter ||
	       step->step == omega_limits_step;
}

int
omega_pids_finish(
    struct omega_launch_pids *pids, const struct omega_launch *launch)
{
	static char name[] = "a new pid namespace";
	const struct omega_launch_step *step;
	const struct omega_launch_step *end =
	    launch->steps + launch->step_count;
	struct omega_launch_step *to;

	if (pids->outside == NULL)
		return 0;
	to = calloc(launch->step_count + 1, sizeof(*to));
	if (to == NULL)
		return -ENOMEM;
	pids->steps = to;
	*to++ = (struct omega_launch_step){.phase = OMEGA_SANDBOX_PHASE_JOIN,
	    .backend = pids->backend,
	    .name = name,
	    .step = pids->inside,
	    .state = pids->state};
	for (step = launch->steps; step < end; step++)
		if (!is_replaced(pids, step) && !is_commands_own(step))
			*to++ = *step;
	pids->step_count = (size_t)(to - pids->steps);
	for (step = launch->steps; step < end; step++)
		if (is_commands_own(step))
			*to++ = *step;
	return 0;
}
