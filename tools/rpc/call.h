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

struct call {
	json_t *request; /* owns the texts below, but for env */
	json_t *id; /* borrowed from it; NULL: none */
	bool is_cancel; /* of the call with that id */
	const char **argv; /* ended by NULL */
	const char *cwd;
	char **env; /* "NAME=VALUE", ended by NULL; NULL: inherited */
	uint8_t *input;
	size_t input_len;
	const char *policy;
	const char *tier;
	const char *work_dir;
	const char *data_dir;
	const char *unix_sockets;
	const char *session;
	const char *context;
	uint64_t timeout_ms; /* 0: not said */
	uint64_t max_output;
	int64_t grace_ms; /* -1: not said */
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

void call_free(struct call *call);

#endif
