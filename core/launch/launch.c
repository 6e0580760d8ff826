/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * launch.c - see launch.h. How one is built is in launch-builder.c.
 */

#include "config.h"

#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "child/clone.h"
#include "child/witness.h"
#include "launch/cgroup.h"
#include "launch/limits.h"
#include "launch/screen.h"

struct omega_launch *
omega_launch_new(void)
{
	struct omega_launch *launch = calloc(1, sizeof(*launch));

	if (launch == NULL)
		return NULL;
	atomic_init(&launch->refs, 1);
	launch->group_fd = -1;
	atomic_init(&launch->init_fd, -1);
	launch->refused_fd = -1;
	launch->stacks = omega_stacks_new();
	if (launch->stacks == NULL) {
		free(launch);
		return NULL;
	}
	return launch;
}

struct omega_launch *
omega_launch_ref(struct omega_launch *launch)
{
	if (launch != NULL)
		atomic_fetch_add_explicit(
		    &launch->refs, 1, memory_order_relaxed);
	return launch;
}

static void
free_lists(struct omega_launch *launch)
{
	size_t i;

	for (i = 0; i < launch->step_count; i++) {
		free(launch->steps[i].backend);
		free(launch->steps[i].name);
		free(launch->steps[i].state);
	}
	for (i = 0; i < launch->check_count; i++) {
		free(launch->checks[i].backend);
		free(launch->checks[i].state);
	}
	for (i = 0; i < launch->word_count; i++)
		free(launch->words[i]);
	for (i = 0; i < launch->env_count; i++) {
		free(launch->env[i].name);
		free(launch->env[i].value);
	}
	for (i = 0; i < launch->kept_count; i++)
		close(launch->kept[i]);
	free(launch->steps);
	free(launch->checks);
	free(launch->words);
	free(launch->prefix);
	free(launch->env);
	free(launch->kept);
	for (i = 0; i < launch->stand_in_count; i++)
		free((char *)(uintptr_t)launch->stand_ins[i].path);
	free(launch->stand_ins);
	free(launch->passed);
}

void
omega_launch_unref(struct omega_launch *launch)
{
	if (launch == NULL || atomic_fetch_sub_explicit(
				  &launch->refs, 1, memory_order_acq_rel) != 1)
		return;
	free_lists(launch);
	free(launch->self.state);
	free(launch->filter);
	free(launch->pids.backend);
	free(launch->pids.state);
	free(launch->pids.steps);
	if (atomic_load(&launch->init_fd) >= 0)
		close(atomic_load(&launch->init_fd));
	omega_hidden_drop(&launch->hidden);
	omega_hidden_drop(&launch->closed);
	omega_witness_free(launch->witness);
	omega_screen_free(launch->screen);
	omega_stacks_free(launch->stacks);
	free(launch);
}

/* Whose place the step inside takes. */
static bool
is_replaced(
    const struct omega_launch_pids *pids, const struct omega_inner_step *step)
{
	return step->phase / 100 == OMEGA_SANDBOX_PHASE_JOIN / 100 &&
	       strcmp(step->backend, pids->backend) == 0;
}

static bool
is_commands_own(const struct omega_inner_step *step)
{
	return step->step == omega_cgroup_enter ||
	       step->step == omega_limits_step;
}

/* When the steps are in order: those of the first process of a pid namespace,
 * and behind them those of the command. */
static int
finish_pids(struct omega_launch_pids *pids, const struct omega_launch *launch)
{
	static char name[] = "a new pid namespace";
	const struct omega_inner_step *step;
	const struct omega_inner_step *end = launch->steps + launch->step_count;
	struct omega_inner_step *to;

	if (pids->outside == NULL)
		return 0;
	to = calloc(launch->step_count + 1, sizeof(*to));
	if (to == NULL)
		return -ENOMEM;
	pids->steps = to;
	*to++ = (struct omega_inner_step){.phase = OMEGA_SANDBOX_PHASE_JOIN,
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

/* By insertion: few they are, and equals keep their order. */
int
omega_launch_finish(struct omega_launch *launch)
{
	struct omega_inner_step step;
	size_t i;
	size_t j;

	for (i = 1; i < launch->step_count; i++) {
		step = launch->steps[i];
		for (j = i; j > 0 && launch->steps[j - 1].phase > step.phase;
		     j--)
			launch->steps[j] = launch->steps[j - 1];
		launch->steps[j] = step;
	}
	return finish_pids(&launch->pids, launch);
}

int
omega_launch_check(const struct omega_launch *launch, const char **backend)
{
	size_t i;
	int ret;

	for (i = 0; i < launch->check_count; i++) {
		ret = launch->checks[i].check(launch->checks[i].state);
		if (ret == 0)
			continue;
		*backend = launch->checks[i].backend;
		return ret > 0 ? 1 : ret;
	}
	if (launch->witness != NULL && omega_witness_is_stale(launch->witness))
		return 1;
	return 0;
}

bool
omega_launch_lacks_separation(const struct omega_launch *launch)
{
	return (launch->flags & OMEGA_SANDBOX_LAUNCH_NEEDS_SEPARATION) != 0 &&
	       (launch->flags & OMEGA_SANDBOX_LAUNCH_SEPARATES) == 0;
}

bool
omega_launch_lacks_words(const struct omega_launch *launch)
{
	return launch->self.step != NULL && launch->word_count == 0;
}

bool
omega_launch_needs_own_memory(const struct omega_launch *launch)
{
	return (launch->flags & OMEGA_SANDBOX_LAUNCH_SHARES) != 0 &&
	       (launch->flags & OMEGA_SANDBOX_LAUNCH_SEPARATES) == 0;
}

int
omega_hidden_add(struct omega_hidden *hidden, const char *path)
{
	char **paths;

	paths = omega_array_resize(
	    hidden->paths, hidden->count + 1, sizeof(*paths));
	if (paths == NULL)
		return -ENOMEM;
	hidden->paths = paths;
	paths[hidden->count] = strdup(path);
	if (paths[hidden->count] == NULL)
		return -ENOMEM;
	hidden->count++;
	return 0;
}

char *
omega_hidden_find(const struct omega_hidden *hidden, const char *dir)
{
	char *real;

	if (hidden->count == 0)
		return NULL;
	real = realpath(dir == NULL ? "." : dir, NULL);
	if (real != NULL &&
	    omega_inner_covers(hidden->paths, hidden->count, real))
		return real;
	free(real);
	return NULL;
}

void
omega_hidden_drop(struct omega_hidden *hidden)
{
	while (hidden->count > 0)
		free(hidden->paths[--hidden->count]);
	free(hidden->paths);
	hidden->paths = NULL;
}

/* ---- The parent's part of the witness ---------------------------------- */

int
omega_witness_look(
    int dir, const char *path, struct omega_witness_object *object)
{
	struct omega_touch_seen seen;
	int ret;

	*object = (struct omega_witness_object){.inode = 0};
	ret = omega_touch_look(dir, path, &seen);
	if (ret < 0)
		return ret;
	*object = seen.object;
	return 0;
}

static bool
is_same(
    const struct omega_witness_object *a, const struct omega_witness_object *b)
{
	return a->major == b->major && a->minor == b->minor &&
	       a->inode == b->inode && a->birth == b->birth &&
	       a->birth_nsec == b->birth_nsec && a->mode == b->mode;
}

bool
omega_witness_is_stale(const struct omega_witness *witness)
{
	const struct omega_witness_try *try;
	struct omega_witness_object now;
	size_t i;

	if (witness->user != geteuid())
		return true;
	for (i = 0; i < witness->fixed; i++) {
		try = &witness->tries[i];
		if (try->how < OMEGA_WITNESS_CAN_LIST)
			continue;
		if (omega_witness_look(AT_FDCWD, try->path, &now) < 0 ||
		    !is_same(&try->object, &now))
			return true;
	}
	return false;
}

void
omega_witness_free(struct omega_witness *witness)
{
	size_t i;

	if (witness == NULL)
		return;
	for (i = 0; i < witness->count; i++) {
		free(witness->tries[i].path);
		free(witness->tries[i].sentence);
		free(witness->tries[i].backends);
	}
	free(witness->tries);
	free(witness);
}
