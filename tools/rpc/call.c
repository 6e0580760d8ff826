/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * call.c - see call.h.
 *
 * Strict: a field that is not known, or not what it must be, is an error. A
 * host that misspells "timeout_ms" must not run without one.
 */

#include "config.h"

#include "rpc/call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

struct reader {
	struct call *call;
	char *fault;
	size_t fault_size;
};

/* Say what is wrong, once. Returns -1. */
static int
wrong(struct reader *reader, const char *field, const char *what)
{
	if (reader->fault[0] == '\0')
		snprintf(reader->fault, reader->fault_size, "%.64s: %s", field,
		    what);
	return -1;
}

/* A text without NUL in it. */
static int
read_text(struct reader *reader, const char *field, const json_t *value,
    const char **text)
{
	if (!json_is_string(value) ||
	    strlen(json_string_value(value)) != json_string_length(value))
		return wrong(reader, field, "a text is expected");
	*text = json_string_value(value);
	return 0;
}

static int
read_number(struct reader *reader, const char *field, const json_t *value,
    uint64_t *number)
{
	if (!json_is_integer(value) || json_integer_value(value) < 1)
		return wrong(reader, field, "a number above 0 is expected");
	*number = (uint64_t)json_integer_value(value);
	return 0;
}

static int
read_argv(struct reader *reader, const json_t *value)
{
	struct call *call = reader->call;
	size_t count = json_array_size(value);
	size_t i;

	if (!json_is_array(value) || count == 0)
		return wrong(reader, "argv", "a list of texts is expected");
	call->argv = calloc(count + 1, sizeof(*call->argv));
	if (call->argv == NULL)
		return wrong(reader, "argv", "out of memory");
	for (i = 0; i < count; i++)
		if (read_text(reader, "argv", json_array_get(value, i),
			&call->argv[i]) < 0)
			return -1;
	if (call->argv[0][0] == '\0')
		return wrong(
		    reader, "argv", "the name of the command is empty");
	return 0;
}

static int
read_env(struct reader *reader, json_t *value)
{
	struct call *call = reader->call;
	size_t used = 0;
	const char *name;
	json_t *item;

	if (!json_is_object(value))
		return wrong(reader, "env", "an object of texts is expected");
	call->env = calloc(json_object_size(value) + 1, sizeof(*call->env));
	if (call->env == NULL)
		return wrong(reader, "env", "out of memory");
	json_object_foreach(value, name, item)
	{
		const char *text = NULL;

		if (read_text(reader, "env", item, &text) < 0)
			return -1;
		if (name[0] == '\0' || strchr(name, '=') != NULL)
			return wrong(reader, "env",
			    name[0] == '\0'
				? "the name of a variable is empty"
				: "the name of a variable has a '=' in it");
		if (asprintf(&call->env[used], "%s=%s", name, text) < 0) {
			call->env[used] = NULL;
			return wrong(reader, "env", "out of memory");
		}
		used++;
	}
	return 0;
}

static int
read_input(struct reader *reader, const json_t *value, bool is_base64)
{
	struct call *call = reader->call;
	const char *field = is_base64 ? "stdin_base64" : "stdin";
	int ret;

	if (!json_is_string(value))
		return wrong(reader, field, "a text is expected");
	if (call->input != NULL)
		return wrong(reader, field, "standard input is given twice");
	if (is_base64) {
		ret = bytes_decode(json_string_value(value),
		    json_string_length(value), &call->input, &call->input_len);
		if (ret < 0)
			return wrong(reader, field,
			    ret == -ENOMEM ? "out of memory" : "not base64");
		return 0;
	}
	call->input_len = json_string_length(value);
	call->input = malloc(call->input_len + 1);
	if (call->input == NULL)
		return wrong(reader, field, "out of memory");
	memcpy(call->input, json_string_value(value), call->input_len);
	return 0;
}

static int
read_limits(struct reader *reader, json_t *value)
{
	struct call *call = reader->call;
	uint64_t number = 0;
	const char *name;
	json_t *item;
	int ret = 0;

	if (!json_is_object(value))
		return wrong(reader, "limits", "an object is expected");
	json_object_foreach(value, name, item)
	{
		if (strcmp(name, "timeout_ms") == 0) {
			ret =
			    read_number(reader, name, item, &call->timeout_ms);
		} else if (strcmp(name, "max_output") == 0) {
			ret =
			    read_number(reader, name, item, &call->max_output);
		} else if (strcmp(name, "grace_ms") == 0) {
			ret = read_number(reader, name, item, &number);
			call->grace_ms =
			    number > UINT32_MAX ? UINT32_MAX : (int64_t)number;
		} else {
			ret = wrong(reader, "limits",
			    "known are timeout_ms, grace_ms and max_output");
		}
		if (ret < 0)
			break;
	}
	return ret;
}

static int
read_field(struct reader *reader, const char *name, json_t *value)
{
	struct call *call = reader->call;
	const struct {
		const char *name;
		const char **to;
	} texts[] = {
	    {"cwd", &call->cwd},
	    {"policy", &call->policy},
	    {"tier", &call->tier},
	    {"work_dir", &call->work_dir},
	    {"data_dir", &call->data_dir},
	    {"unix_sockets", &call->unix_sockets},
	    {"session", &call->session},
	    {"context", &call->context},
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(name, texts[i].name) == 0)
			return read_text(reader, name, value, texts[i].to);
	if (strcmp(name, "id") == 0)
		return 0;
	if (strcmp(name, "version") == 0)
		return json_is_integer(value) &&
			       json_integer_value(value) == CALL_VERSION
			   ? 0
			   : wrong(reader, name, "only version 1 is spoken");
	if (strcmp(name, "argv") == 0)
		return read_argv(reader, value);
	if (strcmp(name, "env") == 0)
		return read_env(reader, value);
	if (strcmp(name, "stdin") == 0)
		return read_input(reader, value, false);
	if (strcmp(name, "stdin_base64") == 0)
		return read_input(reader, value, true);
	if (strcmp(name, "limits") == 0)
		return read_limits(reader, value);
	if (strcmp(name, "cancel") == 0) {
		call->is_cancel = json_is_true(value);
		return call->is_cancel
			   ? 0
			   : wrong(reader, name, "true is expected");
	}
	return wrong(reader, name, "this field is not known");
}

static void
read_all(struct reader *reader)
{
	struct call *call = reader->call;
	const char *name;
	json_t *value;

	call->id = json_object_get(call->request, "id");
	if (!json_is_string(call->id) && !json_is_integer(call->id)) {
		call->id = NULL;
		wrong(reader, "id", "a text or a whole number is expected");
		return;
	}
	json_object_foreach(call->request, name, value)
	{
		if (read_field(reader, name, value) < 0)
			return;
	}
	if (call->is_cancel &&
	    json_object_size(call->request) >
		2u + (json_object_get(call->request, "version") != NULL))
		wrong(reader, "cancel", "nothing but the id goes with it");
	else if (!call->is_cancel && call->argv == NULL)
		wrong(reader, "argv", "it is missing");
	else if (call->policy != NULL && call->tier != NULL)
		wrong(reader, "tier", "a tier names its policy itself");
}

static json_t *
take_id(json_t *id)
{
	if (json_is_string(id) || json_is_integer(id))
		return id;
	json_decref(id);
	return NULL;
}

/* What stands behind the word at the start of the text, which has no blanks
 * before it. NULL: another word does. */
static const char *
skip_word(const char *text, const char *end, const char *word)
{
	size_t len = strlen(word);

	if (text == NULL || (size_t)(end - text) < len ||
	    memcmp(text, word, len) != 0)
		return NULL;
	for (text += len; text < end && strchr(" \t\r", *text) != NULL; text++)
		continue;
	return text;
}

json_t *
call_find_id(const char *line, size_t len)
{
	json_t *request = json_loadb(line, len, 0, NULL);
	json_t *id = json_incref(json_object_get(request, "id"));
	const char *end = line + len;
	json_error_t error;

	json_decref(request);
	if (request != NULL)
		return take_id(id);
	/* It is broken further on. */
	line = skip_word(line, end, "");
	line = skip_word(line, end, "{");
	line = skip_word(line, end, "\"id\"");
	line = skip_word(line, end, ":");
	if (line == NULL)
		return NULL;
	id = json_loadb(line, (size_t)(end - line),
	    JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, &error);
	if (id != NULL)
		line = skip_word(line + error.position, end, "");
	/* Else it may go on. */
	if (id != NULL && (line == end || strchr(",}", *line) == NULL)) {
		json_decref(id);
		id = NULL;
	}
	return take_id(id);
}

struct call *
call_read(const char *line, size_t len, const char **kind, char *fault,
    size_t fault_size)
{
	struct call *call = calloc(1, sizeof(*call));
	struct reader reader = {call, fault, fault_size};
	json_error_t error;

	if (call == NULL)
		return NULL;
	call->grace_ms = -1;
	fault[0] = '\0';
	*kind = "parse";
	call->request = json_loadb(line, len, JSON_REJECT_DUPLICATES, &error);
	if (call->request == NULL) {
		snprintf(fault, fault_size, "column %d: %s", error.column,
		    error.text);
		call->id = call_find_id(line, len);
		if (call->id != NULL)
			call->request = json_pack("{s:o}", "id", call->id);
		if (call->request == NULL)
			call->id = NULL;
		return call;
	}
	*kind = "request";
	if (!json_is_object(call->request))
		wrong(&reader, "request", "an object is expected");
	else
		read_all(&reader);
	return call;
}

void
call_free(struct call *call)
{
	size_t i;

	if (call == NULL)
		return;
	for (i = 0; call->env != NULL && call->env[i] != NULL; i++)
		free(call->env[i]);
	free(call->env);
	free(call->argv);
	free(call->input);
	json_decref(call->request);
	free(call);
}
