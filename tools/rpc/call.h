/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * call.h - one request of the protocol, understood.
 */

#ifndef OMEGA_RPC_CALL_H
#define OMEGA_RPC_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#define CALL_VERSION 1

enum call_kind {
	CALL_NONE = 0,
	/* They are answered. */
	CALL_RUN = 1,
	CALL_DESCRIBE = 2,
	CALL_CHECK = 4,
	CALL_HELLO = 8,
	/* They concern the call with that id, and are not. */
	CALL_CANCEL = 16,
	CALL_INPUT = 32,
	CALL_READ = 64, /* so much of its output has been dealt with */
	CALL_SIGNAL = 128
};

struct call {
	json_t *request; /* owns the texts below, but for env */
	json_t *id; /* borrowed from it; NULL: none */
	enum call_kind kind;
	const char **words; /* argv, or the paths to check; ended by NULL */
	const char *access; /* to check for */
	const char *cwd;
	const char *context;
	char **env; /* "NAME=VALUE", ended by NULL; NULL: inherited */
	uint8_t *input;
	size_t input_len;
	int input_fd; /* what it reads; -1: input is all of it */
	bool is_open; /* input is to follow */
	bool is_last; /* no other input follows this */
	bool is_streamed;
	bool is_brief; /* the report as run --json has it */
	json_t *under; /* what the policy depends on: name to list of texts */
	uint64_t number; /* that was read, or of the signal */
	uint64_t window; /* 0: not said */
	uint64_t timeout_ms;
	uint64_t max_output;
	uint64_t grace_ms;
};

/*
 * Understand a line. Always gives a call to be freed; NULL when out of
 * memory. What is wrong with it is in fault, "" if nothing, and *kind is then
 * "parse" or "request".
 */
struct call *call_read(const char *line, size_t len, const char **kind,
    char *fault, size_t fault_size);

/* The id in a line that is no request, as far as it can be read; NULL or the
 * caller's to drop. */
json_t *call_find_id(const char *line, size_t len);

/* The one text under this name that the policy depends on, or NULL. */
const char *call_under(const struct call *call, const char *name);

void call_free(struct call *call);

#endif
