/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * error.h - filling the caller's error object.
 *
 * Inside the core a function that can fail for a reason people should read
 * takes the error object itself (NULL is fine), fills it where the failure
 * happens and returns the code. Functions too deep to know a message return
 * a negative errno instead.
 */

#ifndef OMEGA_BASE_ERROR_H
#define OMEGA_BASE_ERROR_H

#include <stdarg.h>

#include <omega/sandbox.h>

/*
 * Fill error (may be NULL, may be of another size) and return code, so that
 * a failure reads "return omega_error_set(...)". Clears backend, atom, file
 * and line; the functions below set them afterwards.
 */
__attribute__((format(printf, 4, 5))) int omega_error_set(
    struct omega_sandbox_error *error, enum omega_sandbox_code code,
    int sys_errno, const char *format, ...);

int omega_error_memory(struct omega_sandbox_error *error);

/*
 * The same for a fault in a configuration file: file and line are set, and
 * the text begins with "FILE:LINE: " (without line when it is 0).
 */
__attribute__((format(printf, 4, 5))) int omega_error_conf(
    struct omega_sandbox_error *error, const char *file, uint32_t line,
    const char *format, ...);

/* Name what the error set before is about. */
void omega_error_backend(struct omega_sandbox_error *error, const char *name);
void omega_error_atom(struct omega_sandbox_error *error, const char *text);
void omega_error_file(
    struct omega_sandbox_error *error, const char *file, uint32_t line);

/* One line, whatever bytes a path or a plugin had in it: a newline or escape
 * could forge another message. */
void omega_error_make_one_line(char *text);

/* Copy one error into another, whatever their sizes. */
void omega_error_copy(
    struct omega_sandbox_error *to, const struct omega_sandbox_error *from);

#endif
