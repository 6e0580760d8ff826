/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ways.h - the ways to start a command that bench-spawn compares, each up to
 * the command's end.
 */

#ifndef OMEGA_BENCH_WAYS_H
#define OMEGA_BENCH_WAYS_H

#include <stdbool.h>

enum way {
	WAY_POSIX_SPAWN,
	WAY_BARE, /* our own start with nothing to do */
	WAY_OWN_MEMORY, /* the same, in a copy of the host's memory */
	WAY_LANDLOCK, /* default policy by namespace and landlock */
	WAY_SECCOMP, /* and seccomp */
	WAY_BWRAP, /* bubblewrap with the same masks */
	WAY_COUNT
};

extern const char *const ways_names[WAY_COUNT];

/*
 * Make a data directory below dir, which is empty and ours. Whatever goes
 * wrong ends the program.
 */
void ways_make_data(const char *dir);

/* Prepare every way in this process for the data below dir. */
void ways_prepare(const char *dir);

/* Can it be used here? If not, it was said why. */
bool ways_is_usable(enum way way);

/* Start /bin/true, wait for its end. Anything but success ends the program. */
void ways_run(enum way way);

/* Ends the program when a way that should protect the data does not. */
void ways_check(enum way way);

#endif
