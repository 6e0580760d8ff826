/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * limits.c - see limits.h.
 */

#include "config.h"

#include "run/limits.h"

#include <sys/resource.h>
#include <errno.h>
#include <string.h>

/* Behind everything that opens files or needs memory. */
#define PHASE 890

static const struct row {
	enum omega_layer_rule rule;
	int resource;
	const char *why; /* what is not held, "": nothing */
} rows[] = {
    {OMEGA_RULE_MAX_MEMORY, RLIMIT_AS,
	"each process has this much for itself (RLIMIT_AS), not all together"},
    {OMEGA_RULE_MAX_OPEN_FILES, RLIMIT_NOFILE, ""},
    {OMEGA_RULE_MAX_PROCESSES, RLIMIT_NPROC,
	"all processes of the user count (RLIMIT_NPROC), and root is not "
	"bound"},
    {OMEGA_RULE_MAX_CPU_SECONDS, RLIMIT_CPU,
	"each process has this much for itself (RLIMIT_CPU), not all "
	"together"},
    {OMEGA_RULE_MAX_FILE_SIZE, RLIMIT_FSIZE, ""},
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

struct limits_state {
	size_t count;
	struct {
		int resource;
		rlim_t most;
	} list[ROW_COUNT];
};

static const struct row *
find(enum omega_layer_rule rule)
{
	size_t i;

	for (i = 0; i < ROW_COUNT; i++)
		if (rows[i].rule == rule)
			return &rows[i];
	return NULL;
}

bool
omega_limits_is_held(const struct omega_atom *atom, const char **why)
{
	const struct row *row = find(atom->limit);

	*why = row == NULL ? "it is not known here" : row->why;
	return row != NULL && row->why[0] == '\0';
}

/* A child step. What is lower already stays so. */
static int
limits_step(const void *state)
{
	const struct limits_state *limits = state;
	size_t i;

	for (i = 0; i < limits->count; i++) {
		struct rlimit limit;

		if (getrlimit(limits->list[i].resource, &limit) != 0)
			return -errno;
		if (limit.rlim_max > limits->list[i].most)
			limit.rlim_max = limits->list[i].most;
		if (limit.rlim_cur > limit.rlim_max)
			limit.rlim_cur = limit.rlim_max;
		if (setrlimit(limits->list[i].resource, &limit) != 0)
			return -errno;
	}
	return 0;
}

int
omega_limits_add(struct omega_launch *launch, const struct omega_atoms *atoms)
{
	struct omega_launch_builder builder;
	struct limits_state limits;
	size_t i;
	int ret;

	memset(&limits, 0, sizeof(limits));
	for (i = 0; i < atoms->count; i++) {
		const struct row *row;

		if (atoms->list[i].public.kind != OMEGA_SANDBOX_ATOM_LIMIT)
			continue;
		row = find(atoms->list[i].limit);
		if (row == NULL || limits.count == ROW_COUNT)
			return -EINVAL;
		limits.list[limits.count].resource = row->resource;
		limits.list[limits.count++].most =
		    (rlim_t)atoms->list[i].amount;
	}
	if (limits.count == 0)
		return 0;
	omega_launch_builder_begin(
	    &builder, launch, OMEGA_LIMITS_BACKEND, false);
	ret = builder.public.add_step(&builder.public, PHASE, "limits",
	    limits_step, &limits, sizeof(limits));
	omega_launch_builder_end(&builder);
	return ret;
}
