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
#include "rpc/feed.h"
#include "rpc/line.h"
#include "rpc/pool.h"
#include "tool.h"

#define JOBS 8

/* All that answer requests. */
struct server {
	struct pool *pool;
	struct feeds feeds;
	size_t jobs;
};

static bool
greet(const struct server *server, const struct call *call)
{
	return answer_value(call->id, "hello",
	    json_pack("{s:[i], s:s, s:I}", "versions", CALL_VERSION, "product",
		omega_sandbox_version(), "jobs", (json_int_t)server->jobs));
}

/* A new call. It is the pool's, or is answered and freed. */
static bool
begin(struct server *server, struct call *call)
{
	bool is_read;

	if (pool_has(server->pool, call->id))
		is_read = answer_fault(call->id, "request",
		    "id: a call with this id is under way");
	else if (call->is_open && feed_open(&server->feeds, call) < 0)
		is_read = answer_fault(
		    call->id, "system", "no pipe can be made for its input");
	else
		return pool_add(server->pool, call);
	call_free(call);
	return is_read;
}

/* Something for a call under way. False: there is no such call. */
static bool
pass_on(struct server *server, const struct call *call)
{
	switch (call->kind) {
	case CALL_CANCEL:
		return pool_cancel(server->pool, call->id);
	case CALL_INPUT:
		return feed_add(&server->feeds, call) ||
		       pool_has(server->pool, call->id);
	case CALL_READ:
		/* It may well have ended meanwhile. */
		pool_read(server->pool, call->id, call->number);
		return true;
	default:
		return pool_signal(server->pool, call->id, (int)call->number);
	}
}

/* One line. False: nobody reads the answers any more. */
static bool
take_line(struct server *server, const char *text, size_t len)
{
	const char *kind = "";
	char fault[256];
	struct call *call;
	bool is_read = true;

	call = call_read(text, len, &kind, fault, sizeof(fault));
	if (call == NULL)
		return answer_fault(NULL, "memory", "out of memory");
	if (fault[0] != '\0')
		is_read = answer_fault(call->id, kind, fault);
	else if (call->kind == CALL_HELLO)
		is_read = greet(server, call);
	else if (call->kind < CALL_HELLO)
		return begin(server, call);
	else if (!pass_on(server, call))
		is_read = answer_fault(
		    call->id, "request", "no such call is under way");
	call_free(call);
	return is_read;
}

static bool
wait_for_more(void *arg, int fd)
{
	struct server *server = arg;

	return feed_until(&server->feeds, fd);
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
serve(struct server *server)
{
	struct line line = {.wait = wait_for_more, .arg = server};
	const char *text = "";
	bool is_read = true;
	size_t len = 0;
	int ret;

	while (is_read) {
		ret = line_next(&line, &text, &len);
		if (ret == -E2BIG)
			is_read = refuse_long(text, len);
		else if (ret == -EPIPE)
			is_read = false;
		else if (ret <= 0)
			break;
		else if (len > 0)
			is_read = take_line(server, text, len);
	}
	free(line.bytes);
	pool_end(server->pool);
	is_read = is_read && feed_until(&server->feeds, -1);
	is_read = pool_free(server->pool, !is_read) && is_read;
	server->feeds.pool = NULL;
	feed_free(&server->feeds);
	if (is_read && ret < 0 && ret != -E2BIG)
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
	struct server server = {.jobs = jobs};
	struct store *store = NULL;
	int status;

	if (jobs == 0)
		return tool_error(
		    "rpc: --jobs takes a number, 1 to %d", POOL_MAX_JOBS);
	signal(SIGPIPE, SIG_IGN);
	if (tool_open(call) < 0)
		return TOOL_ERROR;
	store = store_new(call->sandbox);
	if (store != NULL)
		server.pool = pool_new(store, jobs);
	server.feeds.pool = server.pool;
	status = server.pool != NULL ? serve(&server)
				     : tool_error("rpc: not enough memory");
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
