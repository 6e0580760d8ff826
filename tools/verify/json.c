/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * json.c - the result of verify for programs.
 */

#include "config.h"

#include "verify.h"

#include <string.h>

static const char *
state_word(int state)
{
	if (state == OMEGA_SANDBOX_ENFORCED)
		return "enforced";
	return state == OMEGA_SANDBOX_PARTIAL ? "partial" : "not enforced";
}

/* "worked", "refused" with the reason, or "silent". */
static json_t *
answer(const struct verify_answer *answer)
{
	static const char *const words[] = {"worked", "refused", "silent"};
	const char *text = answer->text;

	if (answer->end == VERIFY_REFUSED && text[0] == '\0')
		text = strerror(answer->error);
	return json_pack("{s:s, s:i, s:o}", "seen", words[answer->end], "errno",
	    answer->error, "text", tool_json_text(text));
}

static json_t *
tries(const struct verify_line *line)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < line->count; i++)
		json_array_append_new(
		    list, json_pack("{s:s, s:o, s:o}", "attempt",
			      line->tries[i].attempt->name, "outside",
			      answer(&line->tries[i].outside), "inside",
			      answer(&line->tries[i].inside)));
	return list;
}

json_t *
verify_json(const struct verify_result *result)
{
	size_t counts[VERIFY_ON_COPY + 1] = {0};
	json_t *list = json_array();
	json_t *summary = json_object();
	size_t i;

	for (i = 0; i < result->count; i++) {
		const struct verify_line *line = &result->lines[i];

		counts[line->verdict]++;
		json_array_append_new(list,
		    json_pack("{s:s, s:o, s:s, s:o, s:s, s:o, s:b, s:s, s:o, "
			      "s:o}",
			"where", line->where, "text",
			tool_json_text(line->claim.text), "kind",
			line->claim.kind, "path",
			line->claim.path != NULL
			    ? tool_json_text(line->claim.path)
			    : json_null(),
			"claimed", state_word(line->claim.state), "backends",
			tool_json_text(line->claim.backends), "required",
			line->claim.is_required, "verdict",
			verify_word(line->verdict), "why",
			tool_json_text(line->why), "tries", tries(line)));
	}
	for (i = 0; i <= VERIFY_ON_COPY; i++)
		json_object_set_new(summary, verify_word(i),
		    json_integer((json_int_t)counts[i]));
	return json_pack("{s:i, s:o, s:o, s:o}", "exit", verify_exit(result),
	    "fault",
	    result->fault[0] != '\0' ? tool_json_text(result->fault)
				     : json_null(),
	    "summary", summary, "guarantees", list);
}
