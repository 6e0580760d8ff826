/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * json.c - what the verbs print as JSON: see tool.h.
 */

#include "config.h"

#include "tool.h"

#include "bytes.h"

void
tool_print_json(json_t *value)
{
	/* On a terminal nothing but letters that everybody knows. */
	json_dumpf(value, stdout,
	    JSON_INDENT(2) | (isatty(1) ? JSON_ENSURE_ASCII : 0));
	putchar('\n');
	json_decref(value);
}

/* How many bytes at s make one character that JSON can show; 0: none. */
static size_t
character(const char *s)
{
	size_t len;

	for (len = 1; len <= 4 && (len == 1 || s[len - 1] != '\0'); len++) {
		json_t *value = json_stringn(s, len);

		json_decref(value);
		if (value != NULL)
			return len;
	}
	return 0;
}

json_t *
tool_json_text(const char *text)
{
	json_t *value = json_string(text);
	char *copy;
	size_t used = 0;

	if (value != NULL)
		return value;
	copy = malloc(strlen(text) * 3 + 1);
	if (copy == NULL)
		return NULL;
	while (*text != '\0') {
		size_t len = character(text);

		if (len == 0) {
			memcpy(copy + used, "\xef\xbf\xbd", 3);
			used += 3;
			text++;
		} else {
			memcpy(copy + used, text, len);
			used += len;
			text += len;
		}
	}
	value = json_stringn(copy, used);
	free(copy);
	return value;
}

json_t *
tool_json_report(const struct omega_sandbox_report *report)
{
	return json_loads(
	    omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_JSON), 0,
	    NULL);
}

const char *
tool_state_word(int state)
{
	if (state == OMEGA_SANDBOX_ENFORCED)
		return "enforced";
	return state == OMEGA_SANDBOX_PARTIAL ? "partial" : "not enforced";
}

json_t *
tool_json_words(const struct omega_sandbox *sandbox, const char *name)
{
	json_t *all = json_string("");
	const char *word;
	size_t i;

	for (i = 0; (word = omega_sandbox_get_option(
			 sandbox, name, i, NULL, NULL)) != NULL;
	     i++) {
		json_t *longer = json_sprintf(
		    "%s%s%s", json_string_value(all), i == 0 ? "" : ",", word);

		json_decref(all);
		all = longer;
	}
	return all;
}

json_t *
tool_json_result(const struct omega_sandbox_result *result, bool is_all)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_report *report =
	    omega_sandbox_result_report(result);
	json_t *guarantees =
	    is_all ? tool_json_report(report) : tool_json_summary(report);
	json_t *value;

	omega_sandbox_result_get(result, &outcome);
	value = json_pack("{s:o, s:o, s:b, s:b, s:b, s:b, s:I, s:I, s:I, s:I, "
			  "s:I, s:I, s:o}",
	    "exit",
	    outcome.status >= 0 ? json_integer(outcome.status) : json_null(),
	    "signal",
	    outcome.signal != 0 ? json_integer(outcome.signal) : json_null(),
	    "sandbox_applied", outcome.is_protected, "truncated",
	    outcome.is_truncated, "timed_out", outcome.is_timed_out,
	    "cancelled", outcome.is_cancelled, "duration_ms",
	    (json_int_t)outcome.duration_ms, "cpu_ms",
	    (json_int_t)outcome.cpu_ms, "peak_memory",
	    (json_int_t)outcome.peak_memory, "processes_left",
	    (json_int_t)outcome.left, "stdout_bytes",
	    (json_int_t)outcome.out.seen, "stderr_bytes",
	    (json_int_t)outcome.err.seen, "report",
	    guarantees != NULL ? guarantees : json_null());
	if (value != NULL && (bytes_set(value, "stdout", outcome.out.bytes,
				  outcome.out.len) < 0 ||
				 bytes_set(value, "stderr", outcome.err.bytes,
				     outcome.err.len) < 0)) {
		json_decref(value);
		value = NULL;
	}
	omega_sandbox_report_unref(report);
	return value;
}
