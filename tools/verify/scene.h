/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * scene.h - something to attack: a small home with an agent's data directory
 * and a process beside it, made by the tool and gone when it ends.
 */

#ifndef OMEGA_VERIFY_SCENE_H
#define OMEGA_VERIFY_SCENE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define SCENE_TOKEN 40

/* What the process outside shares with the tool. */
struct scene_shared {
	volatile unsigned hits; /* signals that came */
	volatile unsigned answers; /* to the tool asking whether all came */
	char token[SCENE_TOKEN];
};

struct scene {
	char top[PATH_MAX];
	char free[PATH_MAX]; /* what commands may use */
	bool is_away; /* that is not in the scene */
	char token[SCENE_TOKEN];
	bool has_config; /* config.toml is there */
	bool is_listed; /* for a policy with lists: has a work directory */
	pid_t outside;
	struct scene_shared *shared;
	unsigned hits; /* as seen last */
	char *state; /* every name with what it is, as it was made */
};

/* Make one in base/name. 0 or -errno. */
int scene_make(struct scene *scene, const char *base, const char *name,
    const char *token, bool has_config, bool is_listed);

/* Have another directory for use, a new one in dir. 0 or -errno. */
int scene_use(struct scene *scene, const char *dir);

/* Has something changed that only an attempt can have changed? */
bool scene_is_changed(struct scene *scene);

/* Make it as it was. 0 or -errno. */
int scene_restore(struct scene *scene);

/* What the host may do meanwhile: put another at path. 0 or -errno. */
int scene_replace(struct scene *scene, const char *path);

void scene_end(struct scene *scene);

/* Remove a directory with all that is in it, on one file system. */
void scene_remove(const char *path);

#endif
