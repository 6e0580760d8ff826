/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * scene.h - a data directory as a host application has it, expectations on
 * single paths, and one table with every kind of path in it. What is asked of
 * the whole table (no leak, no heap, an older kernel, a guard instead of the
 * functions) need not be thought of again for each kind.
 */

#ifndef OMEGA_TEST_SCENE_H
#define OMEGA_TEST_SCENE_H

#include "harness.h"

#include <limits.h>

/* What is protected says this; what is not says that. */
#define SECRET "secret"
#define HARMLESS "harmless"

/*
 * ROOT/omega with data/memory.db, data/deep/er/file, config.toml, workspace,
 * skills and stores; ROOT/app/app.toml, a configuration elsewhere; ROOT/free,
 * nothing special, with the file plain.
 */
struct home {
	char root[PATH_MAX];
	char dir[PATH_MAX];	    /* the data directory */
	char config_path[PATH_MAX]; /* the configuration elsewhere */
};

void home_make(struct home *home);

/* A path in the data directory, and one in the root; as text(). */
const char *in_dir(const struct home *home, const char *name);
const char *in_root(const struct home *home, const char *name);

/*
 * Do both functions answer as expected? Where they do not, that is printed.
 * For children, which have no way to fail a test.
 */
bool verdict_is(const char *path, const char *data_dir, const char *config_path,
    bool read_blocked, bool write_blocked);

/* The same as an assertion. */
#define expect_verdict(path, data_dir, config_path, read, write)           \
	do {                                                               \
		if (!verdict_is(path, data_dir, config_path, read, write)) \
			_fail(__FILE__, __LINE__);                         \
	} while (0)
#define expect_blocked(path, data_dir) \
	expect_verdict(path, data_dir, NULL, true, true)
#define expect_free(path, data_dir) \
	expect_verdict(path, data_dir, NULL, false, false)
#define expect_readable(path, data_dir) \
	expect_verdict(path, data_dir, NULL, false, true)

/* In a child: leave with 1 unless this holds, saying where. */
#define child_expect(condition)                                               \
	do {                                                                  \
		if (!(condition)) {                                           \
			printf(                                               \
			    "# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
			fflush(stdout);                                       \
			return 1;                                             \
		}                                                             \
	} while (0)

/* Run fn in a mount namespace of its own, or skip the test and say why. */
void must_pass_with_mounts(int (*fn)(void *), void *arg);

struct scene_case {
	const char *what;
	char *path; /* may be NULL */
	bool read_blocked;
	bool write_blocked;
	bool is_config; /* a guard protects it from writing too */
};

struct scene {
	struct home home;
	struct scene_case *cases;
	size_t count;
	int fd; /* open on the directory data; some cases go through it */
};

/* The working directory is data until scene_leave. */
void scene_enter(struct scene *scene);
void scene_leave(struct scene *scene);

/* Does the case get its answer? If not, that is printed. */
bool scene_case_holds(const struct scene *scene, const struct scene_case *one);

#endif
