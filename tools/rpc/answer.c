/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * answer.c - see answer.h.
 */

#include "config.h"

#include "rpc/answer.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "rpc/call.h"
#include "tool.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool
write_all(const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(STDOUT_FILENO, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return true;
}

/* Print and give up the object. */
static bool
print(json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT);
	bool is_read = false;

	if (text != NULL) {
		pthread_mutex_lock(&lock);
		is_read = write_all(text, strlen(text)) && write_all("\n", 1);
		pthread_mutex_unlock(&lock);
	}
	free(text);
	json_decref(object);
	return is_read;
}

static json_t *
begin(const json_t *id)
{
	json_t *copy = id != NULL ? json_deep_copy(id) : json_null();

	return json_pack("{s:i, s:o}", "version", CALL_VERSION, "id", copy);
}

static bool
fault(const json_t *id, const char *code, int number, const char *text)
{
	json_t *object = begin(id);

	json_object_set_new(object, "error",
	    json_pack("{s:s, s:i, s:o}", "code", code, "number", number,
		"message", tool_json_text(text)));
	return print(object);
}

bool
answer_fault(const json_t *id, const char *code, const char *text)
{
	return fault(id, code, 0, text);
}

bool
answer_error(const json_t *id, const struct omega_sandbox_error *error)
{
	/* By number, -1 first. */
	static const char *const names[] = {"argument", "invalid_policy",
	    "refused", "system", "memory", "config", "trust", "plugin",
	    "unavailable", "required", "not_found", "not_executable", "step",
	    "state", "status_lost", "witness"};
	size_t index = (size_t)(-error->code - 1);

	return fault(id,
	    index < sizeof(names) / sizeof(names[0]) ? names[index] : "unknown",
	    error->code,
	    error->text[0] != '\0' ? error->text : "out of memory");
}

static json_t *
guarantees_of(const struct omega_sandbox_result *result)
{
	struct omega_sandbox_report *report =
	    omega_sandbox_result_report(result);
	json_t *all = json_loads(
	    omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_JSON), 0,
	    NULL);
	json_t *list = json_incref(json_object_get(all, "guarantees"));

	json_decref(all);
	omega_sandbox_report_unref(report);
	return list != NULL ? list : json_array();
}

bool
answer_result(const json_t *id, const struct omega_sandbox_result *result)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	json_t *object = begin(id);
	json_t *value;

	omega_sandbox_result_get(result, &end);
	value = json_pack("{s:o, s:o, s:b, s:b, s:b, s:b, s:I, s:I, s:I, s:I, "
			  "s:I, s:I, s:o}",
	    "exit", end.status >= 0 ? json_integer(end.status) : json_null(),
	    "signal", end.signal != 0 ? json_integer(end.signal) : json_null(),
	    "sandbox_applied", end.is_protected, "truncated", end.is_truncated,
	    "timed_out", end.is_timed_out, "cancelled", end.is_cancelled,
	    "duration_ms", (json_int_t)end.duration_ms, "cpu_ms",
	    (json_int_t)end.cpu_ms, "peak_memory", (json_int_t)end.peak_memory,
	    "processes_left", (json_int_t)end.left, "stdout_bytes",
	    (json_int_t)end.out.seen, "stderr_bytes", (json_int_t)end.err.seen,
	    "guarantees", guarantees_of(result));
	if (value == NULL ||
	    bytes_set(value, "stdout", end.out.bytes, end.out.len) < 0 ||
	    bytes_set(value, "stderr", end.err.bytes, end.err.len) < 0) {
		json_decref(value);
		json_decref(object);
		return answer_fault(id, "memory", "out of memory");
	}
	json_object_set_new(object, "result", value);
	return print(object);
}
