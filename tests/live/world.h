/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * world.h - a small home to protect, a process outside, and the running of
 * attempts in it. Everything reports by return value: it runs in children,
 * where cmocka's assertions cannot be used.
 */

#ifndef OMEGA_TEST_WORLD_H
#define OMEGA_TEST_WORLD_H

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

#include "attempts.h"
#include "driver.h"

/* Count a fault and say where. */
#define CHECK(faults, condition, ...)                                     \
	do {                                                              \
		if (!(condition)) {                                       \
			(faults)++;                                       \
			fprintf(stderr, "# %s:%d: ", __func__, __LINE__); \
			fprintf(stderr, __VA_ARGS__);                     \
			fputc('\n', stderr);                              \
		}                                                         \
	} while (0)

struct world {
	char top[PATH_MAX]; /* home/NAME is in there */
	char home[PATH_MAX];
	char dir[PATH_MAX]; /* the data directory */
	char arg[512]; /* for attempts: pid outside, handle */
	pid_t outside;
	int listener;
};

/* Make one below base (emptied first), with name for the data directory. */
void world_make(struct world *world, const char *base, const char *name);
void world_end(struct world *world);

/* Is the data as it was made? */
bool world_is_whole(const struct world *world);

/* Run one attempt; prepared or not. Its status. */
int world_try(
    struct driver *driver, const struct world *world, const char *name);

/* Can the prepared driver read the secret at path? Its status. */
int world_read(struct driver *driver, const char *path);

/* Every attempt of a list, outside in a twin and inside. Faults. */
int world_try_all(struct driver *driver, const struct world *world,
    const struct attempt *list);

/* The program to start attempts with. */
void world_set_program(const char *argv0);

#endif
