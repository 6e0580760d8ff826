/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * driver.h - a plugin alone, driven as the core drives it: options, atoms of
 * the default policy, apply, checks, and children that run the steps between
 * fork and exec. For tests that look at one mechanism without the rest.
 */

#ifndef OMEGA_TEST_DRIVER_H
#define OMEGA_TEST_DRIVER_H

#include <omega/sandbox-plugin.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define DRIVER_MAX 64

struct driver_option {
	const char *name;
	const char *value; /* one item of a list */
};

struct driver_step {
	uint32_t phase;
	char name[32];
	omega_sandbox_step *step;
	void *state;
};

struct driver {
	const struct omega_sandbox_plugin *plugin;
	struct omega_sandbox_host host;
	struct driver_option options[DRIVER_MAX];
	size_t option_count;
	const char *allow_sockets[DRIVER_MAX]; /* of them, ended by NULL */
	const char *sockets[DRIVER_MAX + 1]; /* the same: that were found */
	char socket[PATH_MAX + 16]; /* that of the world; or "" */
	uint32_t unix_sockets;
	const char *helper; /* instead of the one that was built */

	/* The policy. */
	char data_dir[PATH_MAX];
	const char *spelled[DRIVER_MAX];
	size_t spelled_count;
	struct omega_sandbox_atom atoms[DRIVER_MAX * 2];
	struct omega_sandbox_state states[DRIVER_MAX * 2];
	size_t atom_count;
	struct omega_sandbox_grant grants[DRIVER_MAX];
	const struct omega_sandbox_grant *grant_list[DRIVER_MAX];
	size_t grant_count;

	/* The launch. */
	struct omega_sandbox_launch launch;
	struct driver_step steps[DRIVER_MAX];
	size_t step_count;
	omega_sandbox_check *check;
	void *check_state;
	int kept[DRIVER_MAX];
	size_t kept_count;
	uint32_t flags;
	char explanation[256];
	char fault[128]; /* what a child could not do */
};

/* Load the plugin of this name from the build directory. */
bool driver_open(struct driver *driver, const char *name);
/* Of that: where it is; and let the plugin find its host and a launch. */
const char *driver_build_dir(void);
void driver_be_host(struct driver *driver);

/* An option of the plugin, or one that every plugin is told. */
void driver_set(struct driver *driver, const char *name, const char *value);

/* The atoms of the default policy, as they are now. */
void driver_default_policy(struct driver *driver, const char *data_dir);
void driver_deny(struct driver *driver, const char *path);
void driver_keep(struct driver *driver, const char *path);

/* network = deny; and everything but what is granted read-only. */
void driver_deny_network(struct driver *driver);
void driver_limit_changes(struct driver *driver);
void driver_grant_changes(struct driver *driver, const char *path);

/* Ask describe; then apply with what was promised. 0 or -errno. */
int driver_describe(struct driver *driver);
int driver_prepare(struct driver *driver);

/* The state of the first atom of this kind at path (NULL: any). */
const struct omega_sandbox_state *driver_state(
    const struct driver *driver, uint32_t kind, const char *path);

/* What the check says now. */
int driver_look(const struct driver *driver);

/* Start a program inside (or, not prepared, outside). The pid or -errno. */
pid_t driver_start(struct driver *driver, char *const argv[]);

/* The same, and wait: its exit status, 128 + signal, or 1000 + errno. */
int driver_run(struct driver *driver, char *const argv[]);

/* Give up what was prepared; then all of it. */
void driver_forget(struct driver *driver);
void driver_close(struct driver *driver);

#endif
