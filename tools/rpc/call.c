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
#include <unistd.h>

#include "bytes.h"
#include "tool.h"

struct reader {
	struct call *call;
	const char **kind; /* of the fault */
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
		return wrong(reader, field, "a text is expected, without NUL");
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
read_words(struct reader *reader, const char *field, const json_t *value)
{
	struct call *call = reader->call;
	size_t count = json_array_size(value);
	size_t i;

	if (count == 0)
		return wrong(reader, field, "a list of texts is expected");
	call->words = calloc(count + 1, sizeof(*call->words));
	if (call->words == NULL)
		return wrong(reader, field, "out of memory");
	for (i = 0; i < count; i++)
		if (read_text(reader, field, json_array_get(value, i),
			&call->words[i]) < 0)
			return -1;
	return 0;
}

static int
read_argv(struct reader *reader, const char *field, json_t *value)
{
	if (read_words(reader, field, value) < 0)
		return -1;
	return reader->call->words[0][0] != '\0'
		   ? 0
		   : wrong(reader, field, "the name of the command is empty");
}

static int
read_check(struct reader *reader, const char *field, json_t *value)
{
	struct call *call = reader->call;

	if (json_object_size(value) != 2)
		return wrong(reader, field, "access and paths are expected");
	if (read_text(reader, "access", json_object_get(value, "access"),
		&call->access) < 0)
		return -1;
	if (tool_access(call->access) == 0)
		return wrong(reader, "access", "say read, write or execute");
	return read_words(reader, "paths", json_object_get(value, "paths"));
}

static bool
is_spoken(const json_t *version)
{
	return json_is_integer(version) &&
	       json_integer_value(version) == CALL_VERSION;
}

/* The version of the request, or all that the host can speak. */
static int
read_version(struct reader *reader, const char *field, json_t *value)
{
	size_t i;

	for (i = 0; i < json_array_size(value); i++)
		if (is_spoken(json_array_get(value, i)))
			return 0;
	if (is_spoken(value))
		return 0;
	*reader->kind = "version";
	return wrong(reader, field, "only version 1 is spoken");
}

static int
read_env(struct reader *reader, const char *field, json_t *value)
{
	struct call *call = reader->call;
	size_t used = 0;
	const char *name;
	json_t *item;

	if (!json_is_object(value))
		return wrong(reader, field, "an object of texts is expected");
	call->env = calloc(json_object_size(value) + 1, sizeof(*call->env));
	if (call->env == NULL)
		return wrong(reader, field, "out of memory");
	json_object_foreach(value, name, item)
	{
		const char *text = NULL;

		if (read_text(reader, field, item, &text) < 0)
			return -1;
		if (name[0] == '\0' || strchr(name, '=') != NULL)
			return wrong(reader, field,
			    name[0] == '\0'
				? "the name of a variable is empty"
				: "the name of a variable has a '=' in it");
		if (asprintf(&call->env[used], "%s=%s", name, text) < 0) {
			call->env[used] = NULL;
			return wrong(reader, field, "out of memory");
		}
		used++;
	}
	return 0;
}

/* All of the standard input, or more of it. */
static int
read_input(struct reader *reader, const char *field, json_t *value)
{
	struct call *call = reader->call;
	int ret;

	if (!json_is_string(value))
		return wrong(reader, field, "a text is expected");
	if (call->input != NULL)
		return wrong(reader, field, "standard input is given twice");
	if (strstr(field, "_base64") != NULL) {
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

/* Fields that are there, or are not. */
static int
read_true(struct reader *reader, const char *field, json_t *value)
{
	struct call *call = reader->call;

	if (!json_is_true(value))
		return wrong(reader, field, "true is expected");
	call->is_streamed |= strcmp(field, "stream") == 0;
	call->is_open |= strcmp(field, "stdin_open") == 0;
	call->is_last |= strcmp(field, "input_end") == 0;
	call->is_brief |= strcmp(field, "brief") == 0;
	return 0;
}

static int
read_count(struct reader *reader, const char *field, json_t *value)
{
	struct call *call = reader->call;

	return read_number(reader, field, value,
	    strcmp(field, "window") == 0 ? &call->window : &call->number);
}

static int
read_signal(struct reader *reader, const char *field, json_t *value)
{
	if (read_count(reader, field, value) < 0 || reader->call->number > 64)
		return wrong(reader, field, "the number of a signal is wanted");
	return 0;
}

static int
read_place(struct reader *reader, const char *field, json_t *value)
{
	struct call *call = reader->call;

	return read_text(reader, field, value,
	    strcmp(field, "cwd") == 0 ? &call->cwd : &call->context);
}

/* A value of the policy, which has nothing but texts. */
static json_t *
text_of(const json_t *value)
{
	char number[32];

	snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
	    json_integer_value(value));
	if (json_is_integer(value))
		return json_string(number);
	if (json_is_boolean(value))
		return json_string(json_is_true(value) ? "true" : "false");
	return json_is_string(value) && strlen(json_string_value(value)) ==
					    json_string_length(value)
		   ? json_string(json_string_value(value))
		   : NULL;
}

/* Keep what the policy depends on, under the name it has there. */
static int
keep_rule(struct reader *reader, const char *field, const char *name,
    const json_t *value)
{
	json_t *list;
	size_t i;

	if (json_object_get(reader->call->under, name) != NULL)
		return wrong(reader, field, "it is given twice");
	list = json_array();
	json_object_set_new(reader->call->under, name, list);
	if (!json_is_array(value) &&
	    json_array_append_new(list, text_of(value)) < 0)
		return wrong(reader, field, "a text is expected, without NUL");
	for (i = 0; i < json_array_size(value); i++)
		if (json_array_append_new(
			list, text_of(json_array_get(value, i))) < 0)
			return wrong(reader, field,
			    "a list of texts is expected, without NUL");
	return 0;
}

static int
read_rule(struct reader *reader, const char *field, json_t *value)
{
	const char *text = NULL;

	if (read_text(reader, field, value, &text) < 0)
		return -1;
	return keep_rule(reader, field, field, value);
}

static int
read_list(struct reader *reader, const char *field, json_t *value)
{
	if (!json_is_array(value))
		return wrong(reader, field, "a list of texts is expected");
	return keep_rule(reader, field, field, value);
}

static int
read_witness(struct reader *reader, const char *field, json_t *value)
{
	if (read_true(reader, field, value) < 0)
		return -1;
	return keep_rule(reader, field, field, value);
}

/* Any rules of sandbox.conf, or those about paths alone. */
static int
read_rules(struct reader *reader, const char *field, json_t *value)
{
	bool is_paths = strcmp(field, "paths") == 0;
	const char *name;
	json_t *item;

	if (!json_is_object(value))
		return wrong(reader, field, "an object is expected");
	json_object_foreach(value, name, item)
	{
		if (is_paths && strcmp(name, "read") != 0 &&
		    strcmp(name, "write") != 0 &&
		    strcmp(name, "execute") != 0 && strcmp(name, "deny") != 0 &&
		    strcmp(name, "deny_read") != 0 &&
		    strcmp(name, "deny_write") != 0)
			return wrong(reader, field,
			    "known are read, write, execute, deny, deny_read "
			    "and deny_write");
		if (is_paths ? read_list(reader, name, item) < 0
			     : keep_rule(reader, name, name, item) < 0)
			return -1;
	}
	return 0;
}

static int
read_limits(struct reader *reader, const char *field, json_t *value)
{
	struct call *call = reader->call;
	const struct {
		const char *name;
		uint64_t *to; /* NULL: the policy has it */
		const char *rule;
	} limits[] = {
	    {"timeout_ms", &call->timeout_ms, NULL},
	    {"grace_ms", &call->grace_ms, NULL},
	    {"max_output", &call->max_output, NULL},
	    {"memory", NULL, "max_memory"},
	    {"processes", NULL, "max_processes"},
	    {"open_files", NULL, "max_open_files"},
	    {"cpu_seconds", NULL, "max_cpu_seconds"},
	    {"file_size", NULL, "max_file_size"},
	};
	const size_t count = sizeof(limits) / sizeof(limits[0]);
	uint64_t number;
	const char *name;
	json_t *item;
	size_t i;

	if (!json_is_object(value))
		return wrong(reader, field, "an object is expected");
	json_object_foreach(value, name, item)
	{
		for (i = 0; i < count; i++)
			if (strcmp(name, limits[i].name) == 0)
				break;
		if (i == count)
			return wrong(reader, field,
			    "known are timeout_ms, grace_ms, max_output, "
			    "memory, processes, open_files, cpu_seconds and "
			    "file_size");
		if (read_number(reader, name, item,
			limits[i].to != NULL ? limits[i].to : &number) < 0 ||
		    (limits[i].rule != NULL &&
			keep_rule(reader, name, limits[i].rule, item) < 0))
			return -1;
	}
	return 0;
}

#define ALL                                                                 \
	(CALL_RUN | CALL_DESCRIBE | CALL_CHECK | CALL_HELLO | CALL_CANCEL | \
	    CALL_INPUT | CALL_READ | CALL_SIGNAL)
#define UNDER (CALL_RUN | CALL_DESCRIBE | CALL_CHECK)

/* The first ones say what kind of request it is. */
static const struct field {
	const char *name;
	unsigned kinds; /* that it is for */
	int (*read)(struct reader *reader, const char *name, json_t *value);
} fields[] = {
    {"argv", CALL_RUN, read_argv},
    {"describe", CALL_DESCRIBE, read_true},
    {"check", CALL_CHECK, read_check},
    {"hello", CALL_HELLO, read_version},
    {"cancel", CALL_CANCEL, read_true},
    {"input", CALL_INPUT, read_input},
    {"input_base64", CALL_INPUT, read_input},
    {"input_end", CALL_INPUT, read_true},
    {"read", CALL_READ, read_count},
    {"signal", CALL_SIGNAL, read_signal},
#define KIND_FIELDS 10
    {"id", ALL, NULL},
    {"version", ALL, read_version},
    {"cwd", CALL_RUN, read_place},
    {"context", CALL_RUN, read_place},
    {"env", CALL_RUN, read_env},
    {"stdin", CALL_RUN, read_input},
    {"stdin_base64", CALL_RUN, read_input},
    {"stdin_open", CALL_RUN, read_true},
    {"stream", CALL_RUN, read_true},
    {"brief", CALL_RUN, read_true},
    {"window", CALL_RUN, read_count},
    {"policy", UNDER, read_rule},
    {"tier", UNDER, read_rule},
    {"agent", UNDER, read_rule},
    {"backend", UNDER, read_rule},
    {"data_dir", UNDER, read_rule},
    {"work_dir", UNDER, read_rule},
    {"network", UNDER, read_rule},
    {"hosts", UNDER, read_list},
    {"unix_sockets", UNDER, read_rule},
    {"session", UNDER, read_rule},
    {"witness", UNDER, read_witness},
    {"paths", UNDER, read_rules},
    {"set", UNDER, read_rules},
    {"limits", UNDER, read_limits},
};

static int
read_field(struct reader *reader, const char *name, json_t *value)
{
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (strcmp(name, fields[i].name) != 0)
			continue;
		if ((fields[i].kinds & reader->call->kind) == 0)
			return wrong(reader, name,
			    "this field is not for such a request");
		return fields[i].read == NULL
			   ? 0
			   : fields[i].read(reader, name, value);
	}
	return wrong(reader, name, "this field is not known");
}

static void
read_all(struct reader *reader)
{
	struct call *call = reader->call;
	const char *name;
	json_t *value;
	size_t i;

	call->id = json_object_get(call->request, "id");
	if (!json_is_string(call->id) && !json_is_integer(call->id)) {
		call->id = NULL;
		wrong(reader, "id", "a text or a whole number is expected");
		return;
	}
	for (i = 0; i < KIND_FIELDS && call->kind == CALL_NONE; i++)
		if (json_object_get(call->request, fields[i].name) != NULL)
			call->kind = (enum call_kind)fields[i].kinds;
	if (call->kind == CALL_NONE)
		call->kind = CALL_RUN;
	json_object_foreach(call->request, name, value)
	{
		if (read_field(reader, name, value) < 0)
			return;
	}
	if (call->kind == CALL_RUN && call->words == NULL)
		wrong(reader, "argv", "it is missing");
	else if (call->is_open && call->input != NULL)
		wrong(reader, "stdin_open", "standard input is given twice");
	else if (call->window != 0 && !call->is_streamed)
		wrong(reader, "window", "it is for output that is streamed");
	else if (call_under(call, "policy") != NULL &&
		 call_under(call, "tier") != NULL)
		wrong(reader, "tier", "a tier names its policy itself");
}

const char *
call_under(const struct call *call, const char *name)
{
	return json_string_value(
	    json_array_get(json_object_get(call->under, name), 0));
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
	json_t *request = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
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
	struct reader reader = {call, kind, fault, fault_size};
	json_error_t error;

	if (call == NULL)
		return NULL;
	call->input_fd = -1;
	call->under = json_object();
	fault[0] = '\0';
	*kind = "parse";
	call->request = json_loadb(
	    line, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
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
	free(call->words);
	free(call->input);
	if (call->input_fd >= 0)
		close(call->input_fd);
	json_decref(call->under);
	json_decref(call->request);
	free(call);
}
