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

#include "rpc/call.h"

/* All of them may be called from any thread; id may be NULL. False: nobody
 * reads any more. */

/* An error that has nothing to do with the library, and one that has. */
bool answer_fault(const json_t *id, const char *code, const char *text);
bool answer_error(const json_t *id, const struct omega_sandbox_error *error);

/* The call was never begun. */
bool answer_cancelled(const json_t *id);

/* Any other answer or event: under this name, the value, which is given up;
 * NULL: out of memory. */
bool answer_value(const json_t *id, const char *name, json_t *value);

/* Of a command that has ended; hosts are those it did not reach. */
bool answer_result(const struct call *call,
    const struct omega_sandbox_result *result, json_t *hosts);

#endif
