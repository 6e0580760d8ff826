/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * env.h - which variables of an environment reach a command.
 *
 * Secrets go by pattern, variables that make programs run other code go by
 * name, and so do those that lead to agents and buses unless their socket was
 * granted. Whoever has a say in a policy can take more away, give single
 * names back, and set values. A layer's allow goes before its own denies and
 * the built-in ones, never before a deny of another layer. Denies do not care
 * about the case of letters, everything else does.
 */

#ifndef OMEGA_LAUNCH_ENV_H
#define OMEGA_LAUNCH_ENV_H

#include <stdbool.h>
#include <stddef.h>

/* What is taken away by itself. */
enum omega_env_class {
	OMEGA_ENV_PLAIN, /* nothing of the below */
	OMEGA_ENV_SECRET,
	OMEGA_ENV_LOADER, /* makes programs run other code */
	OMEGA_ENV_SOCKET /* leads to an agent or a bus */
};

/* The built-in patterns; text NULL behind the last. */
struct omega_env_pattern {
	const char *text; /* "*" stands for others; in capitals, no "?" */
	size_t len;
	enum omega_env_class class;
};
extern const struct omega_env_pattern omega_env_patterns[];

/* Names, patterns, or NAME=VALUE; ours. */
struct omega_env_list {
	char **texts;
	size_t count;
};

/* What one place has to say: a file, a policy, an agent, the host. */
struct omega_env_place {
	struct omega_env_list deny;
	struct omega_env_list allow;
	struct omega_env_list set;
};

struct omega_env {
	struct omega_env_place *places; /* the first to set a value wins */
	size_t place_count;
	struct omega_env_list sockets; /* granted, absolute */
	bool is_socket_open; /* all of them are within reach */
};

enum omega_env_fate {
	OMEGA_ENV_KEPT,
	OMEGA_ENV_GIVEN_BACK, /* would have been removed */
	OMEGA_ENV_REMOVED,
	OMEGA_ENV_REPLACED /* somebody sets it */
};

/* What is built in about a name. */
enum omega_env_class omega_env_class_of(const char *name, size_t len);

/* What becomes of "NAME=VALUE"; without "=" it is removed. */
enum omega_env_fate omega_env_judge(
    const struct omega_env *env, const char *text);

/* Is the set-th value of a place in force? Not when another place denies the
 * name, or an earlier one has set it. */
bool omega_env_is_set(const struct omega_env *env, size_t place, size_t set);

/*
 * What reaches the command: texts of base that stay, then those that are set.
 * *kept is an array ended by NULL, to be freed; the texts are those of base
 * and env. base may be NULL. 0 or -ENOMEM.
 */
int omega_env_filter(
    const struct omega_env *env, char *const *base, char ***kept);

/* One more, copied. 0 or -ENOMEM. */
int omega_env_add(struct omega_env_list *list, const char *text);

/* One more place, empty; NULL when out of memory. Good until the next. */
struct omega_env_place *omega_env_add_place(struct omega_env *env);

void omega_env_drop(struct omega_env *env);

/* Does the pattern, of pattern_len bytes, fit all len bytes of text? "*" stands
 * for any bytes, "?" for one. Folded: whatever the case of ASCII letters. */
bool omega_env_fits(const char *pattern, size_t pattern_len, const char *text,
    size_t len, bool is_folded);

#endif
