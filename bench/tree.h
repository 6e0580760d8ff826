/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * tree.h - temporary directories for benchmarks. Whatever goes wrong ends the
 * program with a message: without its tree a benchmark cannot run. What was
 * made is removed when the program exits.
 */

#ifndef OMEGA_BENCH_TREE_H
#define OMEGA_BENCH_TREE_H

#include <stdbool.h>

/* Print and exit; the second one adds what errno says. */
_Noreturn void tree_refuse(const char *what);
_Noreturn void tree_fail(const char *what);

/* Append "/name" to path, or write dir/name to it; PATH_MAX bytes. */
void tree_append(char *path, const char *name);
void tree_join(char *path, const char *dir, const char *name);

/*
 * Make a fresh directory below dir and write its name, which contains no
 * symbolic link, to made (PATH_MAX bytes). false when dir cannot be used.
 */
bool tree_make(const char *dir, char *made);

/* $TMPDIR, or /tmp. */
const char *tree_default(void);

/* What is there already stays as it is. */
void tree_make_dir(const char *path);
void tree_make_file(const char *path);
void tree_make_link(const char *target, const char *path);

unsigned tree_count_components(const char *path);

#endif
