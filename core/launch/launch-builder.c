/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * launch-builder.c - what a backend says of a launch is checked, copied and
 * kept. See launch.h, and omega/sandbox-plugin.h for what a backend is told.
 * Whether the result is enough is the planner's business.
 */

#include "config.h"

#include "launch/launch.h"

#include <sys/socket.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/refused.h"

/*
 * Kept descriptors stay clear of the small numbers a host may have closed,
 * and those handed to the program clear of what a caller will ask for.
 */
#define FIRST_KEPT 10
#define FIRST_PASSED 100

/* Where the core's own work stands between the steps. */
#define PHASE_CORE 50 /* its own first steps */
#define PHASE_FIRST 100
#define PHASE_DIRECTORY 200
#define PHASE_DESCRIPTORS 600
#define PHASE_END 900

/* Make room for one more of size bytes. NULL: as before, out of memory. */
static void *
grow(void *list, size_t count, size_t size)
{
	/* Room is doubled, so a power of two is the moment to do it. */
	if (count != 0 && (count & (count - 1)) != 0)
		return list;
	return realloc(list, (count == 0 ? 1 : count * 2) * size);
}

static int
copy_state(const void *state, size_t size, void **copy)
{
	*copy = NULL;
	if (size == 0)
		return 0;
	if (state == NULL)
		return -EINVAL;
	*copy = malloc(size);
	if (*copy == NULL)
		return -ENOMEM;
	memcpy(*copy, state, size);
	return 0;
}

static struct omega_launch_builder *
builder_of(struct omega_sandbox_launch *launch)
{
	return launch->core;
}

/* Where the atom is among those that are held, in order, or belongs. */
static size_t
find_held(const struct omega_launch_builder *builder,
    const struct omega_sandbox_atom *atom)
{
	size_t first = 0;
	size_t end = builder->held_count;

	/* They are mostly told in this order. */
	if (end > 0 && (uintptr_t)builder->held[end - 1].atom < (uintptr_t)atom)
		return end;
	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if ((uintptr_t)builder->held[middle].atom < (uintptr_t)atom)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static int
hold(struct omega_sandbox_launch *public, const struct omega_sandbox_atom *atom,
    uint32_t bits)
{
	struct omega_launch_builder *builder = builder_of(public);
	struct omega_launch_held *held;
	size_t i;

	if (atom == NULL || (bits & ~atom->access) != 0)
		return -EINVAL;
	i = find_held(builder, atom);
	if (i < builder->held_count && builder->held[i].atom == atom) {
		builder->held[i].bits |= bits;
		return 0;
	}
	held = grow(builder->held, builder->held_count, sizeof(*held));
	if (held == NULL)
		return -ENOMEM;
	builder->held = held;
	memmove(held + i + 1, held + i,
	    (builder->held_count++ - i) * sizeof(*held));
	held[i] = (struct omega_launch_held){.atom = atom, .bits = bits};
	return 0;
}

/* A program of its own stands in for these, and cannot work inside them. */
static bool
excludes_prefix(uint32_t phase)
{
	return phase / 100 == OMEGA_SANDBOX_PHASE_JOIN / 100 ||
	       phase / 100 == OMEGA_SANDBOX_PHASE_RESTRICT / 100;
}

static uint32_t
first_phase(const struct omega_launch_builder *builder)
{
	return strcmp(builder->backend, OMEGA_LAUNCH_CORE) == 0 ? PHASE_CORE
								: PHASE_FIRST;
}

static int
add_step(struct omega_sandbox_launch *public, uint32_t phase, const char *name,
    omega_sandbox_step *step, const void *state, size_t state_size)
{
	struct omega_launch_builder *builder = builder_of(public);
	struct omega_launch *launch = builder->launch;
	struct omega_inner_step new = {.phase = phase, .step = step};
	struct omega_inner_step *steps;
	int ret;

	if (phase < first_phase(builder) || phase >= PHASE_END ||
	    phase == PHASE_DIRECTORY || phase == PHASE_DESCRIPTORS ||
	    name == NULL || name[0] == '\0' || step == NULL)
		return -EINVAL;
	if (launch->prefix != NULL && excludes_prefix(phase) &&
	    strcmp(launch->prefix, builder->backend) != 0)
		return -EBUSY;
	ret = copy_state(state, state_size, &new.state);
	if (ret < 0)
		return ret;
	new.backend = strdup(builder->backend);
	new.name = strdup(name);
	steps = grow(launch->steps, launch->step_count, sizeof(*steps));
	if (steps != NULL)
		launch->steps = steps;
	if (steps == NULL || new.backend == NULL || new.name == NULL) {
		free(new.backend);
		free(new.name);
		free(new.state);
		return -ENOMEM;
	}
	steps[launch->step_count++] = new;
	return 0;
}

static int
add_check(struct omega_sandbox_launch *public, omega_sandbox_check *check,
    const void *state, size_t state_size)
{
	struct omega_launch_builder *builder = builder_of(public);
	struct omega_launch *launch = builder->launch;
	struct omega_launch_check new = {.check = check};
	struct omega_launch_check *checks;
	int ret;

	if (check == NULL)
		return -EINVAL;
	ret = copy_state(state, state_size, &new.state);
	if (ret < 0)
		return ret;
	new.backend = strdup(builder->backend);
	checks = grow(launch->checks, launch->check_count, sizeof(*checks));
	if (checks != NULL)
		launch->checks = checks;
	if (checks == NULL || new.backend == NULL) {
		free(new.backend);
		free(new.state);
		return -ENOMEM;
	}
	checks[launch->check_count++] = new;
	return 0;
}

/* Keep a duplicate numbered first or above. */
static int
keep_above(struct omega_launch *launch, int fd, int first)
{
	int *kept;
	int copy;

	kept = grow(launch->kept, launch->kept_count, sizeof(*kept));
	if (kept == NULL)
		return -ENOMEM;
	launch->kept = kept;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, first);
	if (copy < 0)
		return -errno;
	kept[launch->kept_count++] = copy;
	return copy;
}

static int
keep_fd(struct omega_sandbox_launch *public, int fd)
{
	return keep_above(builder_of(public)->launch, fd, FIRST_KEPT);
}

static int
stand_in(struct omega_sandbox_launch *public, const char *path, int fd)
{
	struct omega_launch *launch = builder_of(public)->launch;
	struct omega_sandbox_stand_in new = {.size = sizeof(new)};
	struct omega_sandbox_stand_in *list;

	list = grow(launch->stand_ins, launch->stand_in_count, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	launch->stand_ins = list;
	new.fd = keep_above(launch, fd, FIRST_KEPT);
	if (new.fd < 0)
		return new.fd;
	new.path = strdup(path);
	if (new.path == NULL)
		return -ENOMEM;
	list[launch->stand_in_count++] = new;
	return 0;
}

/* A prefix beside the steps it excludes, or beside another prefix? */
static int
check_prefix(const struct omega_launch_builder *builder)
{
	const struct omega_launch *launch = builder->launch;
	size_t i;

	if (!builder->is_prefix)
		return -EINVAL;
	if (launch->prefix != NULL)
		return strcmp(launch->prefix, builder->backend) == 0 ? 0
								     : -EBUSY;
	for (i = 0; i < launch->step_count; i++)
		if (excludes_prefix(launch->steps[i].phase) &&
		    strcmp(launch->steps[i].backend, builder->backend) != 0)
			return -EBUSY;
	return 0;
}

static int
pass_fd(struct omega_sandbox_launch *public, int fd)
{
	struct omega_launch_builder *builder = builder_of(public);
	struct omega_launch *launch = builder->launch;
	struct omega_launch_fd *passed;
	int ret;

	ret = check_prefix(builder);
	if (ret < 0)
		return ret;
	passed = grow(launch->passed, launch->passed_count, sizeof(*passed));
	if (passed == NULL)
		return -ENOMEM;
	launch->passed = passed;
	ret = keep_above(launch, fd, FIRST_PASSED);
	if (ret == -EINVAL || ret == -EMFILE) /* a low limit */
		ret = keep_above(launch, fd, FIRST_KEPT);
	if (ret < 0)
		return ret;
	passed[launch->passed_count++] =
	    (struct omega_launch_fd){.fd = ret, .child_fd = ret};
	return ret;
}

static int
add_word(struct omega_sandbox_launch *public, const char *word)
{
	struct omega_launch_builder *builder = builder_of(public);
	struct omega_launch *launch = builder->launch;
	char *copy;
	char **words;
	int ret;

	ret = check_prefix(builder);
	if (ret < 0)
		return ret;
	if (word == NULL)
		return -EINVAL;
	if (launch->word_count == 0 && word[0] != '/')
		return -EINVAL; /* never through PATH */
	words = grow(launch->words, launch->word_count, sizeof(*words));
	if (words == NULL)
		return -ENOMEM;
	launch->words = words;
	copy = strdup(word);
	if (copy == NULL)
		return -ENOMEM;
	if (launch->prefix == NULL)
		launch->prefix = strdup(builder->backend);
	if (launch->prefix == NULL) {
		free(copy);
		return -ENOMEM;
	}
	words[launch->word_count++] = copy;
	return 0;
}

/* The place of a variable in the list: its own or, if new, the next. */
static struct omega_launch_env *
find_env(struct omega_launch *launch, const char *name)
{
	struct omega_launch_env *env;
	size_t i;

	for (i = 0; i < launch->env_count; i++)
		if (strcmp(launch->env[i].name, name) == 0)
			return &launch->env[i];
	env = grow(launch->env, launch->env_count, sizeof(*env));
	if (env == NULL)
		return NULL;
	launch->env = env;
	env += launch->env_count;
	env->name = strdup(name);
	env->value = NULL;
	if (env->name == NULL)
		return NULL;
	launch->env_count++;
	return env;
}

static int
set_env(
    struct omega_sandbox_launch *public, const char *name, const char *value)
{
	struct omega_launch *launch = builder_of(public)->launch;
	struct omega_launch_env *env;
	char *copy = NULL;

	if (name == NULL || name[0] == '\0' || strchr(name, '=') != NULL)
		return -EINVAL;
	if (value != NULL) {
		copy = strdup(value);
		if (copy == NULL)
			return -ENOMEM;
	}
	env = find_env(launch, name);
	if (env == NULL) {
		free(copy);
		return -ENOMEM;
	}
	free(env->value);
	env->value = copy;
	return 0;
}

static int
set_flags(struct omega_sandbox_launch *public, uint32_t flags)
{
	const uint32_t known = OMEGA_SANDBOX_LAUNCH_SHARES |
			       OMEGA_SANDBOX_LAUNCH_SEPARATES |
			       OMEGA_SANDBOX_LAUNCH_NEEDS_SEPARATION;

	if ((flags & ~known) != 0)
		return -EINVAL;
	builder_of(public)->launch->flags |= flags;
	return 0;
}

static void
explain(struct omega_sandbox_launch *public, const char *text)
{
	struct omega_launch_builder *builder = builder_of(public);

	snprintf(builder->explanation, sizeof(builder->explanation), "%s",
	    text == NULL ? "" : text);
}

static int
set_self(struct omega_sandbox_launch *public, omega_sandbox_step *step,
    const void *state, size_t state_size)
{
	struct omega_launch_builder *builder = builder_of(public);
	struct omega_inner_self *self = &builder->launch->self;
	int ret = check_prefix(builder);

	if (ret < 0)
		return ret;
	if (step == NULL || (state == NULL && state_size != 0))
		return -EINVAL;
	if (self->step != NULL)
		return -EEXIST;
	ret = copy_state(state, state_size, &self->state);
	if (ret == 0)
		self->step = step;
	return ret;
}

static int
set_pid_namespace(struct omega_sandbox_launch *public,
    omega_sandbox_step *outside, omega_sandbox_step *inside, const void *state,
    size_t state_size)
{
	struct omega_launch_builder *builder = builder_of(public);
	struct omega_launch_pids *pids = &builder->launch->pids;
	struct omega_launch_pids new = {.outside = outside, .inside = inside};
	int ret;

	if (outside == NULL || inside == NULL ||
	    (state == NULL && state_size != 0))
		return -EINVAL;
	if (pids->outside != NULL)
		return -EBUSY;
	ret = copy_state(state, state_size, &new.state);
	if (ret < 0)
		return ret;
	new.backend = strdup(builder->backend);
	if (new.backend == NULL) {
		free(new.state);
		return -ENOMEM;
	}
	*pids = new;
	return 0;
}

static int
set_filter(struct omega_sandbox_launch *public, const void *code, size_t size)
{
	struct omega_launch *launch = builder_of(public)->launch;
	int ret;

	if (size == 0)
		return -EINVAL;
	if (launch->filter != NULL)
		return -EBUSY;
	ret = copy_state(code, size, &launch->filter);
	if (ret == 0)
		launch->filter_size = size;
	return ret;
}

/* The helper says no more; only its end is to be heard. */
static int
is_helper_gone(const void *state)
{
	char byte;

	return recv(*(const int *)state, &byte, 1, MSG_PEEK | MSG_DONTWAIT) ==
	       0;
}

static int
set_hosts(struct omega_sandbox_launch *public, int fd)
{
	struct omega_launch *launch = builder_of(public)->launch;
	int refused;
	int link;

	if (launch->refused_fd >= 0)
		return -EBUSY;
	refused = omega_launch_take_refused(fd);
	if (refused < 0)
		return refused;
	launch->refused_fd = keep_above(launch, refused, FIRST_KEPT);
	close(refused);
	if (launch->refused_fd < 0)
		return launch->refused_fd;
	link = keep_above(launch, fd, FIRST_KEPT);
	return link < 0
		   ? link
		   : add_check(public, is_helper_gone, &link, sizeof(link));
}

void
omega_launch_builder_begin(struct omega_launch_builder *builder,
    struct omega_launch *launch, const char *backend, bool is_prefix)
{
	*builder = (struct omega_launch_builder){
	    .public =
		{
		    .size = sizeof(builder->public),
		    .core = builder,
		    .hold = hold,
		    .add_step = add_step,
		    .add_check = add_check,
		    .keep_fd = keep_fd,
		    .pass_fd = pass_fd,
		    .add_word = add_word,
		    .set_env = set_env,
		    .set_flags = set_flags,
		    .explain = explain,
		    .set_self = set_self,
		    .stand_in = stand_in,
		    .set_pid_namespace = set_pid_namespace,
		    .set_filter = set_filter,
		    .set_hosts = set_hosts,
		},
	    .launch = launch,
	    .backend = backend,
	    .is_prefix = is_prefix,
	};
}

void
omega_launch_builder_end(struct omega_launch_builder *builder)
{
	free(builder->held);
	builder->held = NULL;
	builder->held_count = 0;
}

uint32_t
omega_launch_builder_held(const struct omega_launch_builder *builder,
    const struct omega_sandbox_atom *atom)
{
	size_t i = find_held(builder, atom);

	return i < builder->held_count && builder->held[i].atom == atom
		   ? builder->held[i].bits
		   : 0;
}
