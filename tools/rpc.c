/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rpc.c - omega-sandbox rpc: requests and responses as lines of JSON, for
 * hosts in any language. omega-sandbox(1) has the protocol.
 */

#include "config.h"

#include <signal.h>

#include "rpc/answer.h"
#include "rpc/call.h"
#include "rpc/line.h"
#include "rpc/pool.h"
#include "tool.h"

#define JOBS 8

/* One line. False: nobody reads the answers any more. */
static bool
take_line(struct pool *pool, const char *text, size_t len)
{
	const char *kind = "";
	char fault[256];
	struct call *call;
	bool is_read = true;

	call = call_read(text, len, &kind, fault, sizeof(fault));
	if (call == NULL)
		return answer_fault(NULL, "memory", "out of memory");
	if (fault[0] != '\0') {
		is_read = answer_fault(call->id, kind, fault);
	} else if (!call->is_cancel) {
		return pool_add(pool, call);
	} else if (pool_cancel(pool, call->id)) {
		is_read = true; /* the call itself is answered */
	} else {
		is_read = answer_fault(
		    call->id, "request", "cancel: no such call is under way");
	}
	call_free(call);
	return is_read;
}

static bool
refuse_long(const char *head, size_t len)
{
	json_t *id = call_find_id(head, len);
	bool is_read =
	    answer_fault(id, "too_large", "a request has more than 8 MiB");

	json_decref(id);
	return is_read;
}

static int
serve(struct pool *pool)
{
	struct line line = {.fd = 0};
	const char *text = "";
	bool is_read = true;
	size_t len = 0;
	int ret;

	while (is_read) {
		ret = line_next(&line, &text, &len);
		if (ret == -E2BIG)
			is_read = refuse_long(text, len);
		else if (ret <= 0)
			break;
		else if (len > 0)
			is_read = take_line(pool, text, len);
	}
	free(line.bytes);
	is_read = pool_free(pool, !is_read) && is_read;
	if (ret < 0 && ret != -E2BIG)
		return tool_error(
		    "rpc: cannot read the requests: %s", strerror(-ret));
	return is_read ? TOOL_YES
		       : tool_error("rpc: a response could not be written");
}

/* 0: that is not a number of jobs. */
static size_t
read_jobs(const char *text)
{
	unsigned long jobs;
	char *end = NULL;

	if (text[0] < '0' || text[0] > '9')
		return 0;
	jobs = strtoul(text, &end, 10);
	return *end != '\0' || jobs > POOL_MAX_JOBS ? 0 : jobs;
}

static int
rpc(struct tool_call *call)
{
	const char *text = call->options.jobs;
	size_t jobs = text == NULL ? JOBS : read_jobs(text);
	struct store *store = NULL;
	struct pool *pool = NULL;
	int status;

	if (jobs == 0)
		return tool_error(
		    "rpc: --jobs takes a number, 1 to %d", POOL_MAX_JOBS);
	signal(SIGPIPE, SIG_IGN);
	if (tool_open(call) < 0)
		return TOOL_ERROR;
	store = store_new(call->sandbox);
	if (store != NULL)
		pool = pool_new(store, jobs);
	status = pool != NULL ? serve(pool)
			      : tool_error("rpc: not enough memory or threads");
	store_free(store);
	return status;
}

const struct tool_verb tool_rpc = {
    .name = "rpc",
    .summary = "run commands for a program: lines of JSON",
    .run = rpc,
    .options = "config jobs",
    .is_alone = true,
    .help =
	"Reads requests from standard input, one JSON object per line, runs "
	"them,\n"
	"several at a time, and writes responses in the order they are "
	"done.\n",
    .exit_help = "Exit: 0 after the end of the input, 2 after an error.\n",
};
