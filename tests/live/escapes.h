/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes.h - attempts on what only the whole stack holds; see attempts.h.
 */

#ifndef OMEGA_TEST_ESCAPES_H
#define OMEGA_TEST_ESCAPES_H

#include <sys/socket.h>
#include <sys/un.h>

#include "attempts.h"

extern const struct attempt escapes_data[];
extern const struct attempt escapes_absent[]; /* config.toml is not there */
extern const struct attempt escapes_denied[]; /* dir is a denied file */
extern const struct attempt escapes_link[]; /* dir is a symbolic link */
extern const struct attempt escapes_system[];
extern const struct attempt escapes_outside[];
extern const struct attempt escapes_terminal[];
extern const struct attempt escapes_single[];

/* The address of the abstract socket of this name; its length. */
socklen_t escapes_abstract(const char *name, struct sockaddr_un *address);

/* As attempts_main, with these too. */
int escapes_main(int argc, char **argv);

#endif
