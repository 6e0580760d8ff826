/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes.h - attempts on what only the whole stack holds; see attempts.h.
 */

#ifndef OMEGA_TEST_ESCAPES_H
#define OMEGA_TEST_ESCAPES_H

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include "attempts.h"

#define TRICK(name) static int name(const char *dir, const char *arg)
#define UNUSED (void)dir, (void)arg
#define DB "data/memory.db"
#define CONFIG "config.toml"

#define BOTH ATTEMPTS_ATTACK, 0
#define ROOT ATTEMPTS_ATTACK, 1
#define MAYBE ATTEMPTS_MAYBE, 0
#define ROOT_MAYBE ATTEMPTS_MAYBE, 1

extern const struct attempt escapes_data[];
extern const struct attempt escapes_files[];
extern const struct attempt escapes_shared[]; /* dir is a name */
extern const struct attempt escapes_rings[]; /* by io_uring */
extern const struct attempt escapes_absent[]; /* config.toml is not there */
extern const struct attempt escapes_closed[]; /* dir was closed */
extern const struct attempt escapes_denied[]; /* dir is a denied file */
extern const struct attempt escapes_link[]; /* dir is a symbolic link */
extern const struct attempt escapes_system[];
extern const struct attempt escapes_machine[];
extern const struct attempt escapes_outside[];
extern const struct attempt escapes_caller[];
extern const struct attempt escapes_terminal[];
extern const struct attempt escapes_given[]; /* of descriptor 0 */
extern const struct attempt escapes_single[];
extern const struct attempt escapes_next[];

/* dir/rest in one of a few buffers. */
char *escapes_in(const char *dir, const char *rest);

/* What an attempt returns: 0, or the errno. */
int escapes_result(long ret);

/* It got as far as to this error, so nobody had forbidden it. */
int escapes_reached(long ret, int expected);

/* The process outside that an attempt was told of. */
pid_t escapes_pid(const char *arg);

/* Rename something and, if that worked, back. */
int escapes_move_aside(const char *path);

/* The address of the abstract socket of this name; its length. */
socklen_t escapes_abstract(const char *name, struct sockaddr_un *address);

/* As attempts_main, with these too. */
int escapes_main(int argc, char **argv);

#endif
