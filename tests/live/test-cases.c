/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-cases.c - bindings/cases.json, done by the C library itself: what every
 * binding must agree with. rpc and the bindings have tests of their own for it.
 */

#include "harness.h"

#include <sys/stat.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <omega/sandbox.h>

static json_t *table; /* with the data directory put in */
static char *config;

static const struct {
	const char *name;
	int code;
} codes[] = {
    {"invalid_policy", OMEGA_SANDBOX_E_INVALID_POLICY},
    {"refused", OMEGA_SANDBOX_E_REFUSED},
    {"not_found", OMEGA_SANDBOX_E_NOT_FOUND},
    {"not_executable", OMEGA_SANDBOX_E_NOT_EXECUTABLE},
    {"step", OMEGA_SANDBOX_E_STEP},
};

static int
code_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (name != NULL && strcmp(codes[i].name, name) == 0)
			return codes[i].code;
	if (name != NULL)
		fail_msg("no code is called %s", name);
	return 0;
}

static const char *
text_of(const json_t *value)
{
	if (json_is_integer(value))
		return text("%lld", (long long)json_integer_value(value));
	if (json_is_boolean(value))
		return json_is_true(value) ? "true" : "false";
	assert_true(json_is_string(value));
	return json_string_value(value);
}

/* A rule with one value or a list of them. */
static int
set_rule(struct omega_sandbox_policy *policy, const char *name,
    const json_t *value, struct omega_sandbox_error *error)
{
	int ret = 0;
	size_t i;

	if (!json_is_array(value))
		return omega_sandbox_policy_set(
		    policy, name, text_of(value), error);
	for (i = 0; ret == 0 && i < json_array_size(value); i++)
		ret = omega_sandbox_policy_set(
		    policy, name, text_of(json_array_get(value, i)), error);
	return ret;
}

/* The rules of an object, whose names have something before them. */
static int
set_rules(struct omega_sandbox_policy *policy, const char *before,
    json_t *object, struct omega_sandbox_error *error)
{
	const char *name;
	json_t *value;
	int ret = 0;

	json_object_foreach(object, name, value)
	{
		if (ret == 0 &&
		    strstr("timeout_ms grace_ms max_output", name) == NULL)
			ret = set_rule(
			    policy, text("%s%s", before, name), value, error);
	}
	return ret;
}

static int
make_policy(struct omega_sandbox *sandbox, json_t *request,
    struct omega_sandbox_policy **policy, struct omega_sandbox_error *error)
{
	static const char *const names[] = {
	    "data_dir", "agent", "backend", "hosts"};
	size_t i;
	int ret;

	ret = omega_sandbox_policy_new(sandbox,
	    json_string_value(json_object_get(request, "policy")), policy,
	    error);
	for (i = 0; ret == 0 && i < sizeof(names) / sizeof(names[0]); i++)
		if (json_object_get(request, names[i]) != NULL)
			ret = set_rule(*policy, names[i],
			    json_object_get(request, names[i]), error);
	if (ret == 0)
		ret = set_rules(
		    *policy, "", json_object_get(request, "paths"), error);
	if (ret == 0)
		ret = set_rules(
		    *policy, "", json_object_get(request, "set"), error);
	if (ret == 0)
		ret = set_rules(
		    *policy, "max_", json_object_get(request, "limits"), error);
	return ret;
}

static int
fill_command(struct omega_sandbox_command *command, json_t *request,
    struct omega_sandbox_error *error)
{
	static const char *const limits[] = {
	    "timeout_ms", "max_output", "grace_ms"};
	const json_t *input = json_object_get(request, "stdin");
	json_t *argv = json_object_get(request, "argv");
	json_t *env = json_object_get(request, "env");
	const char *list[16] = {NULL};
	const char *name;
	json_t *value;
	size_t i;
	int ret;

	ret = omega_sandbox_command_set(command, "dir",
	    json_string_value(json_object_get(request, "cwd")), error);
	for (i = 1; ret == 0 && i < json_array_size(argv); i++)
		ret = omega_sandbox_command_add_arg(
		    command, text_of(json_array_get(argv, i)), error);
	i = 0;
	json_object_foreach(env, name, value) list[i++] =
	    text("%s=%s", name, text_of(value));
	if (ret == 0 && env != NULL)
		ret = omega_sandbox_command_set_env(command, list, error);
	if (ret == 0 && input != NULL)
		ret = omega_sandbox_command_set_input(command,
		    json_string_value(input), json_string_length(input), error);
	for (i = 0; ret == 0 && i < 3; i++) {
		value = json_object_get(
		    json_object_get(request, "limits"), limits[i]);
		if (value != NULL)
			ret =
			    omega_sandbox_command_set_number(command, limits[i],
				(uint64_t)json_integer_value(value), error);
	}
	return ret;
}

static json_t *
told(const struct omega_sandbox_result *result)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;

	assert_int_equal(omega_sandbox_result_get(result, &end), 0);
	return json_pack("{s:o, s:o, s:b, s:b, s:b, s:I, s:o, s:o}", "exit",
	    end.status >= 0 ? json_integer(end.status) : json_null(), "signal",
	    end.signal != 0 ? json_integer(end.signal) : json_null(),
	    "sandbox_applied", end.is_protected, "timed_out", end.is_timed_out,
	    "truncated", end.is_truncated, "stdout_bytes",
	    (json_int_t)end.out.seen, "stdout",
	    json_stringn((const char *)end.out.bytes, end.out.len), "stderr",
	    json_stringn((const char *)end.err.bytes, end.err.len));
}

static void
try_case(struct omega_sandbox *sandbox, json_t *one)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	const char *title = text_of(json_object_get(one, "name"));
	json_t *request = json_object_get(one, "request");
	json_t *expect = json_object_get(one, "expect");
	int code = code_of(json_string_value(json_object_get(expect, "code")));
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_command *command = NULL;
	struct omega_sandbox_result *result = NULL;
	const char *name;
	json_t *value;
	json_t *all;
	int ret;

	ret = make_policy(sandbox, request, &policy, &error);
	if (ret == 0)
		ret = omega_sandbox_prepare(policy, &prepared, &error);
	if (ret == 0)
		ret = omega_sandbox_command_new(prepared,
		    text_of(
			json_array_get(json_object_get(request, "argv"), 0)),
		    &command, &error);
	if (ret == 0)
		ret = fill_command(command, request, &error);
	if (ret == 0)
		ret = omega_sandbox_capture(command, &result, &error);
	if (ret != code)
		fail_msg("%s: %d (%s), not %d", title, ret, error.text, code);
	if (ret == 0) {
		all = told(result);
		json_object_foreach(expect, name, value)
		{
			if (!json_equal(json_object_get(all, name), value))
				fail_msg("%s: %s is %s", title, name,
				    json_dumps(json_object_get(all, name),
					JSON_ENCODE_ANY));
		}
		json_decref(all);
	}
	omega_sandbox_result_free(result);
	omega_sandbox_command_unref(command);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_policy_unref(policy);
}

static void
test_every_case(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	json_t *cases = json_object_get(table, "cases");
	struct omega_sandbox *sandbox = NULL;
	size_t i;

	(void)state;
	if (omega_sandbox_open(config, NULL, NULL, &sandbox, &error) < 0)
		fail_msg("%s", error.text);
	assert_true(json_array_size(cases) > 20);
	for (i = 0; i < json_array_size(cases); i++)
		try_case(sandbox, json_array_get(cases, i));
	omega_sandbox_unref(sandbox);
}

/* The table, with a directory in the place of @DATA_DIR@. */
static json_t *
read_table(const char *dir)
{
	const char *top = getenv("top_srcdir");
	char *words =
	    file_text(text("%s/bindings/cases.json", top != NULL ? top : "."));
	char *all = text("%s", "");
	char *at;

	while ((at = strstr(words, "@DATA_DIR@")) != NULL) {
		all = text("%s%.*s%s", all, (int)(at - words), words, dir);
		words = at + strlen("@DATA_DIR@");
	}
	return json_loads(text("%s%s", all, words), 0, NULL);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_case),
	};
	char *dir = scratch_dir();
	int status;

	chmod(dir, 0755); /* a configuration is to be believed */
	make_file(text("%s/omega/data/secret", dir), "secret\n");
	config = text("%s/sandbox.conf", dir);
	make_file(config,
	    text("data_dir = \"%s/omega\"\npolicy \"shut\" { write = {} }\n",
		dir));
	table = read_table(text("%s/omega", dir));
	status = run_all(tests);
	json_decref(table);
	return status;
}
