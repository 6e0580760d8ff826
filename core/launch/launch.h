/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * launch.h - what the backends' apply functions have built, ready to be used
 * for any number of children: steps in order, words before the command,
 * variables, kept descriptors, checks.
 */

#ifndef OMEGA_LAUNCH_LAUNCH_H
#define OMEGA_LAUNCH_LAUNCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <omega/sandbox-plugin.h>
#include <omega/sandbox.h>

#include "child/inner.h"

struct omega_stacks;
struct omega_witness;
struct omega_screen;

/* Places that are not there for a command: none of them can be its working
 * directory. */
struct omega_hidden {
	char **paths; /* canonical */
	size_t count;
};

struct omega_launch_check {
	omega_sandbox_check *check;
	void *state;
	char *backend;
};

struct omega_launch_env {
	char *name;
	char *value; /* NULL: remove it */
};

/* How the first process of a pid namespace is made; outside NULL: not. */
struct omega_launch_pids {
	char *backend;
	omega_sandbox_step *outside;
	omega_sandbox_step *inside;
	void *state;
	/* What that process does, and behind step_count what the command has
	 * to do itself: its limits are not for both. */
	struct omega_inner_step *steps;
	size_t step_count;
};

/* A descriptor for the command itself (prefix backends). */
struct omega_launch_fd {
	int fd; /* ours, kept */
	int child_fd; /* its number there */
};

/* What has been confirmed for an atom. */
struct omega_launch_held {
	const struct omega_sandbox_atom *atom; /* identity only */
	uint32_t bits;
};

struct omega_launch {
	atomic_uint refs;
	uint32_t flags; /* enum omega_sandbox_launch_flag, of all backends */
	struct omega_inner_step *steps; /* sorted by phase, then by order */
	size_t step_count;
	struct omega_launch_check *checks;
	size_t check_count;
	char **words; /* the prefix, outermost first; the first is absolute */
	size_t word_count;
	char *prefix; /* the backend they are from, or NULL */
	struct omega_inner_self self; /* or step NULL */
	struct omega_launch_pids pids;
	bool is_believed; /* without a trial of what backends can do here */
	bool is_alone; /* a command starts no other process */
	atomic_int init_fd; /* see supervisor-linux.c; -1: not yet */
	struct omega_launch_env *env;
	size_t env_count;
	int *kept; /* descriptors to close at the end */
	size_t kept_count;
	struct omega_launch_fd *passed;
	size_t passed_count;
	struct omega_sandbox_stand_in *stand_ins; /* their fds are kept */
	size_t stand_in_count;
	void *filter; /* for the backend that installs it, or NULL */
	size_t filter_size;
	int refused_fd; /* what the helper of hosts has refused; -1: none */
	bool is_filter_taken; /* it has been given it */
	struct omega_hidden hidden; /* from the program, by mounts */
	struct omega_hidden closed; /* to descriptors that may write */
	bool is_listed; /* nothing else but what a list has may be changed */
	struct omega_witness *witness; /* NULL: nobody looks */
	enum omega_sandbox_session session; /* of commands */
	int group_fd; /* where commands make their control group, or -1 */
	struct omega_screen *screen; /* NULL: everything passes */
	struct omega_stacks *stacks; /* for children that share our memory */
};

/* The builder behind struct omega_sandbox_launch, one per apply call. */
struct omega_launch_builder {
	struct omega_sandbox_launch public; /* what the plugin gets */
	struct omega_launch *launch;
	const char *backend;
	bool is_prefix; /* words and passed descriptors are allowed */
	struct omega_launch_held *held;
	size_t held_count;
	char explanation[256];
};

/* An empty launch with one reference; NULL when out of memory. */
struct omega_launch *omega_launch_new(void);
struct omega_launch *omega_launch_ref(struct omega_launch *launch);
void omega_launch_unref(struct omega_launch *launch);

/* Make a builder for one backend's apply; give it up with builder_end. */
#define OMEGA_LAUNCH_CORE "core" /* as a backend: the core itself */
void omega_launch_builder_begin(struct omega_launch_builder *builder,
    struct omega_launch *launch, const char *backend, bool is_prefix);
void omega_launch_builder_end(struct omega_launch_builder *builder);

/* The bits confirmed for an atom by this builder. */
uint32_t omega_launch_builder_held(const struct omega_launch_builder *builder,
    const struct omega_sandbox_atom *atom);

/* After the last apply: sort the steps. 0 or -ENOMEM. */
int omega_launch_finish(struct omega_launch *launch);

/*
 * Ask all checks, and whether the witness still knows what to expect. 0: still
 * right. 1: must be built again. Negative errno: *backend is who failed, as
 * long as the launch lives.
 */
int omega_launch_check(const struct omega_launch *launch, const char **backend);

/* Does a backend hold only beside one that separates, and none does? */
bool omega_launch_lacks_separation(const struct omega_launch *launch);

/* Has a backend a way for the calling process, but no words for a child, which
 * would be started without either? */
bool omega_launch_lacks_words(const struct omega_launch *launch);

/* Must a child have memory of its own (see OMEGA_SANDBOX_LAUNCH_SHARES)? */
bool omega_launch_needs_own_memory(const struct omega_launch *launch);

/* 0 or -ENOMEM, and then it is as before. */
int omega_hidden_add(struct omega_hidden *hidden, const char *path);

/*
 * Is dir (NULL: the current directory) at or below one of them? Then where it
 * really is, to be freed; else NULL, also when that cannot be found out.
 */
char *omega_hidden_find(const struct omega_hidden *hidden, const char *dir);

void omega_hidden_drop(struct omega_hidden *hidden);

#endif
