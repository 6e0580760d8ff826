/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * program.h - the program bwrap: which one is believed, what it can do, and
 * whether it works here.
 */

#ifndef BWRAP_PROGRAM_H
#define BWRAP_PROGRAM_H

#include <sys/stat.h>
#include <limits.h>
#include <stddef.h>

#include "args.h"

struct program {
	char path[PATH_MAX]; /* canonical */
	struct stat st; /* of the file when it was found */
	char version[64]; /* what it says, without its name */
	int has_perms; /* takes --perms, as from 0.5.0 on */
};

/*
 * Find the program that is configured (NULL: where it usually is) and ask it
 * what it can do. It must be root's, and so must be the way to it, and nobody
 * else's to write. 0; or -ENOENT and why[size] says what is wrong; or another
 * negative errno when that could not be found out.
 */
int program_find(
    const char *configured, struct program *program, char *why, size_t size);

/* Is this still the file that was found? */
int program_is_same(const struct stat *found, const struct stat *now);

/*
 * Run it with these words on the command line, ended by NULL, and those of args
 * (may be NULL) from a descriptor before them; what it prints goes to
 * output[size]. Returns its exit status (128 and more: a signal), or -errno.
 */
int program_run(const struct program *program, const struct args *args,
    const char *const *words, char *output, size_t size);

#endif
