/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * input.h - bytes for a command to read.
 *
 * A file without a name instead of a pipe: nobody has to stand by and write,
 * and a command that does not read is nobody's problem.
 */

#ifndef OMEGA_RUN_INPUT_H
#define OMEGA_RUN_INPUT_H

#include <stddef.h>

/* A descriptor that reads them, from the first, and can neither be written
 * nor executed; or a negative errno. Close-on-exec. */
int omega_input_make(const void *bytes, size_t len);

#endif
