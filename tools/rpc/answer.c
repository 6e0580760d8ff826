/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * answer.c - see answer.h.
 */

#include "config.h"

#include "rpc/answer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
answer_cancelled(const json_t *id)
{
	return answer_fault(id, "cancelled", "cancelled before it began");
}

bool
answer_error(const json_t *id, const struct omega_sandbox_error *error)
{
#define ROW(code, name) [-OMEGA_SANDBOX_E_##code] = name
	static const char *const names[] = {ROW(ARGUMENT, "argument"),
	    ROW(INVALID_POLICY, "invalid_policy"), ROW(REFUSED, "refused"),
	    ROW(SYSTEM, "system"), ROW(MEMORY, "memory"), ROW(CONFIG, "config"),
	    ROW(TRUST, "trust"), ROW(PLUGIN, "plugin"),
	    ROW(UNAVAILABLE, "unavailable"), ROW(REQUIRED, "required"),
	    ROW(NOT_FOUND, "not_found"), ROW(NOT_EXECUTABLE, "not_executable"),
	    ROW(STEP, "step"), ROW(STATE, "state"),
	    ROW(STATUS_LOST, "status_lost"), ROW(WITNESS, "witness")};
#undef ROW
	size_t index = (size_t)-error->code;

	return fault(id,
	    index < sizeof(names) / sizeof(names[0]) ? names[index] : "unknown",
	    error->code,
	    error->text[0] != '\0' ? error->text : "out of memory");
}

bool
answer_value(const json_t *id, const char *name, json_t *value)
{
	json_t *object = begin(id);

	if (value == NULL || json_object_set_new(object, name, value) < 0) {
		json_decref(object);
		/* An error would be the answer, which is still to come. */
		return strcmp(name, "event") == 0 ||
		       answer_fault(id, "memory", "out of memory");
	}
	return print(object);
}

bool
answer_result(const struct call *call,
    const struct omega_sandbox_result *result, json_t *hosts)
{
	json_t *value = tool_json_result(result, !call->is_brief);
	json_t *report = json_object_get(value, "report");

	if (!call->is_brief) {
		json_object_set(
		    value, "guarantees", json_object_get(report, "guarantees"));
		json_object_del(value, "report");
	}
	if (json_array_size(hosts) > 0)
		json_object_set(value, "refused_hosts", hosts);
	return answer_value(call->id, "result", value);
}
