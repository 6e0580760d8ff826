/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * interpreter.h - the program that the kernel starts for a file: the one
 * after #!, or the loader.
 */

#ifndef OMEGA_LAUNCH_INTERPRETER_H
#define OMEGA_LAUNCH_INTERPRETER_H

#include <limits.h>
#include <stdbool.h>

enum omega_interpreter {
	OMEGA_INTERPRETER_NONE, /* or the file cannot be read */
	OMEGA_INTERPRETER_OF_SCRIPT,
	OMEGA_INTERPRETER_LOADER
};

/* Find it; path is set unless NONE. */
enum omega_interpreter omega_interpreter_find(
    const char *file, char path[PATH_MAX]);

/* The program that an open file names to be loaded by. False: it names none, or
 * is no program; those of another kind of machine are not looked into. One
 * implementation per object format. */
bool omega_interpreter_loader(int fd, char path[PATH_MAX]);

#endif
