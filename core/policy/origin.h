/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * origin.h - who asked for something, as people are told it.
 */

#ifndef OMEGA_POLICY_ORIGIN_H
#define OMEGA_POLICY_ORIGIN_H

#include <stdint.h>

#include <omega/sandbox.h>

/* "FILE:LINE", or the name of who asked where line is 0. NULL when out of
 * memory. */
char *omega_origin_text(const char *file, uint32_t line);

/* Put that in the place of *origin. 0 or -ENOMEM. */
int omega_origin_set(char **origin, const char *file, uint32_t line);

/* A rule denies the root directory: E_INVALID_POLICY, with the error set. */
int omega_origin_refuse_all(const char *file, uint32_t line, const char *rule,
    const char *path, struct omega_sandbox_error *error);

/* A path cannot be looked up, ret is -errno: a code, with the error set. */
int omega_origin_fail(struct omega_sandbox_error *error, const char *file,
    uint32_t line, const char *path, int ret);

#endif
