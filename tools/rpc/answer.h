/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * answer.h - responses, one line each, whole lines only.
 */

#ifndef OMEGA_RPC_ANSWER_H
#define OMEGA_RPC_ANSWER_H

#include <stdbool.h>

#include <jansson.h>

#include <omega/sandbox.h>

/* All of them may be called from any thread; id may be NULL. False: nobody
 * reads any more. */

/* An error that has nothing to do with the library. */
bool answer_fault(const json_t *id, const char *code, const char *text);

/* One that has. */
bool answer_error(const json_t *id, const struct omega_sandbox_error *error);

bool answer_result(const json_t *id, const struct omega_sandbox_result *result);

#endif
