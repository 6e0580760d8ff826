/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * library.h - the library with the stack it chooses by itself, and with none,
 * for tests that start thousands of commands.
 */

#ifndef OMEGA_TEST_LIBRARY_H
#define OMEGA_TEST_LIBRARY_H

#include "harness.h"

#include <omega/sandbox.h>

#include "world.h"

struct library {
	struct omega_sandbox *sandbox;
	struct omega_sandbox_prepared *inside;
	struct omega_sandbox_prepared *outside;
};

/* The lines go to base/sandbox.conf. False: it was said why. */
bool library_open(struct library *library, const char *base, const char *dir,
    const char *lines);
void library_close(struct library *library);

/* A command in /, its words ended by NULL. */
struct omega_sandbox_command *library_command(
    struct omega_sandbox_prepared *prepared, const char *const *words);

/* Run it to its end: the status, 128 + signal, or 1000 - code. */
int library_run(
    struct omega_sandbox_prepared *prepared, const char *const *words);

/* This program, to be started by itself. */
const char *library_self(void);

/* "read PATH" of this program: exits with 0 or the errno. -1: not that. */
int library_main(int argc, char **argv);

/* So many rounds, or as OMEGA_TEST_ROUNDS says; fewer in slow builds. */
int library_rounds(int many);

/* The mounts of this process as one text; to be freed. */
char *library_mounts(void);

/* How many processes have us as their parent, dead ones included. */
int library_children(void);

#endif
