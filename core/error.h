/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * error.h - filling the caller's error object.
 */

#ifndef OMEGA_ERROR_H
#define OMEGA_ERROR_H

#include <omega/sandbox.h>

/*
 * Fill error (may be NULL, may be of another size) and return code, so that
 * a failure reads "return omega_error_set(...)".
 */
__attribute__((format(printf, 4, 5))) int omega_error_set(
    struct omega_sandbox_error *error, enum omega_sandbox_code code,
    int sys_errno, const char *format, ...);

#endif
