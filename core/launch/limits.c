/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * limits.c - see limits.h.
 */

#include "config.h"

#include "launch/limits.h"

#include <sys/resource.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "child/calls.h"
#include "launch/cgroup.h"

/* Before the command sees other mounts or ids; and behind everything that
 * opens files or needs memory. */
#define PHASE_GROUP 50
#define PHASE_KEEP OMEGA_SANDBOX_PHASE_CAPABILITIES
#define PHASE 890

static const struct row {
	int resource;
	unsigned group; /* enum omega_cgroup_limit, 0: none */
	const char *why; /* what is not held, "": nothing */
} rows[OMEGA_LIMIT_COUNT] = {
    [OMEGA_LIMIT_MEMORY] = {RLIMIT_AS, OMEGA_CGROUP_MEMORY,
	"each process has this much for itself (RLIMIT_AS), not all together"},
    [OMEGA_LIMIT_OPEN_FILES] = {RLIMIT_NOFILE, 0, ""},
    [OMEGA_LIMIT_PROCESSES] = {RLIMIT_NPROC, OMEGA_CGROUP_PROCESSES,
	"all processes of the user count (RLIMIT_NPROC), and root is not "
	"bound"},
    [OMEGA_LIMIT_CPU_SECONDS] = {RLIMIT_CPU, 0,
	"each process has this much for itself (RLIMIT_CPU), not all "
	"together"},
    [OMEGA_LIMIT_FILE_SIZE] = {RLIMIT_FSIZE, 0, ""},
};

_Static_assert(OMEGA_LIMIT_COUNT <= OMEGA_LIMITS_MAX, "they fit into orders");

bool
omega_limits_is_held(enum omega_limit limit, const char **by, const char **why)
{
	const struct row *row = &rows[limit];
	char dir[PATH_MAX];

	*by = "core (resource limit)";
	*why = row->why;
	if (omega_calls_limit_lacks(row->resource) != NULL)
		*why = omega_calls_limit_lacks(row->resource);
	if ((row->group & omega_cgroup_find(dir)) != 0) {
		*by = "core (control group)";
		*why = "";
	}
	return (*why)[0] == '\0';
}

/* A child step. What is lower already stays so. */
OMEGA_PLAIN int
omega_limits_step(const void *state)
{
	const struct omega_limits_state *limits = state;
	size_t i;

	for (i = 0; i < limits->count; i++) {
		int ret = omega_calls_limit(
		    limits->list[i].resource, limits->list[i].most);

		if (ret < 0)
			return ret;
	}
	return 0;
}

/* A child step: what is set later is not to be raised. */
OMEGA_PLAIN static int
keep_step(const void *state)
{
	(void)state;
	return omega_calls_keep_limits();
}

/* Sort the limits: into the group what it holds, the rest one by one. */
static void
collect(const struct omega_limits *limits, unsigned in_group,
    struct omega_cgroup_state *group, struct omega_limits_state *state)
{
	size_t i;

	for (i = 0; i < OMEGA_LIMIT_COUNT; i++) {
		if (!limits->is_set[i])
			continue;
		if ((rows[i].group & in_group) == OMEGA_CGROUP_MEMORY) {
			group->memory = limits->most[i];
		} else if ((rows[i].group & in_group) ==
			   OMEGA_CGROUP_PROCESSES) {
			group->processes = limits->most[i];
		} else {
			state->list[state->count].resource = rows[i].resource;
			state->list[state->count++].most = limits->most[i];
		}
	}
}

static int
add_group(struct omega_launch *launch, struct omega_launch_builder *builder,
    const char *dir, struct omega_cgroup_state *group)
{
	int fd;
	int kept;

	fd = omega_cgroup_open_dir(dir);
	if (fd < 0)
		return fd;
	omega_cgroup_tidy(fd);
	kept = builder->public.keep_fd(&builder->public, fd);
	close(fd);
	if (kept < 0)
		return kept;
	launch->group_fd = kept;
	group->dir_fd = kept;
	return builder->public.add_step(&builder->public, PHASE_GROUP,
	    "control group", omega_cgroup_enter, group, sizeof(*group));
}

int
omega_limits_add(struct omega_launch *launch, const struct omega_limits *limits)
{
	struct omega_cgroup_state group = {.dir_fd = -1};
	struct omega_launch_builder builder;
	struct omega_limits_state state;
	char dir[PATH_MAX];
	int ret = 0;

	memset(&state, 0, sizeof(state));
	collect(limits, omega_cgroup_find(dir), &group, &state);
	omega_launch_builder_begin(&builder, launch, OMEGA_LAUNCH_CORE, false);
	if (group.memory != 0 || group.processes != 0)
		ret = add_group(launch, &builder, dir, &group);
	if (ret == 0 && state.count > 0)
		ret = builder.public.add_step(&builder.public, PHASE_KEEP,
		    "capabilities", keep_step, NULL, 0);
	if (ret == 0 && state.count > 0)
		ret = builder.public.add_step(&builder.public, PHASE, "limits",
		    omega_limits_step, &state, sizeof(state));
	omega_launch_builder_end(&builder);
	return ret;
}
