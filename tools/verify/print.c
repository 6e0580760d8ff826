/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * print.c - the result of verify: for people one line per guarantee, claimed,
 * tried, seen; for programs every attempt, as JSON.
 */

#include "config.h"

#include "verify.h"

/* So many of the attempts that worked are named; --json has all. */
#define SHOWN 6

#define COPY_HOME VERIFY_SCENE "/" ATTEMPT_HOME

static const char *
state_word(int state)
{
	if (state == OMEGA_SANDBOX_ENFORCED)
		return "enforced";
	return state == OMEGA_SANDBOX_PARTIAL ? "partial" : "not enforced";
}

/* The names of those that worked. */
static void
print_worked(const struct verify_line *line)
{
	const char *before = ": ";
	size_t left = SHOWN;
	size_t i;

	for (i = 0; i < line->count; i++) {
		if (line->tries[i].inside.end != VERIFY_WORKED)
			continue;
		if (left-- == 0) {
			printf(", ...");
			return;
		}
		printf("%s%s", before, line->tries[i].attempt->name);
		if (line->tries[i].inside.text[0] != '\0') {
			printf(" (");
			tool_print_visible(line->tries[i].inside.text);
			printf(")");
		}
		before = ", ";
	}
}

/* A sentence, in which ~ stands for the home of the copy. */
static void
print_sentence(const struct verify_result *result, const char *text)
{
	char home[PATH_MAX + 64];
	size_t len;

	snprintf(home, sizeof(home), "%s/%s", result->base, COPY_HOME);
	len = strlen(home);
	if (result->base[0] != '\0' && strncmp(text, home, len) == 0) {
		putchar('~');
		text += len;
	}
	tool_print_visible(text);
}

static void
print_line(const struct verify_result *result, const struct verify_line *line)
{
	size_t able = 0;
	size_t worked = 0;
	size_t told = 0;
	size_t i;

	for (i = 0; i < line->count; i++) {
		able += line->tries[i].outside.end == VERIFY_WORKED;
		worked += line->tries[i].inside.end == VERIFY_WORKED;
		told += line->tries[i].inside.end != VERIFY_SILENT;
	}
	fputs("  ", stdout);
	tool_print_word(line->verdict == VERIFY_HOLDS	? TOOL_GREEN
			: line->verdict == VERIFY_FALSE ? TOOL_RED
							: TOOL_YELLOW,
	    verify_word(line->verdict), 8);
	putchar(' ');
	print_sentence(result, line->claim.text);
	printf("; claimed %s", state_word(line->claim.state));
	if (line->claim.backends[0] != '\0')
		printf(" by %s", line->claim.backends);
	if (line->verdict == VERIFY_ON_COPY) {
		printf("; tried on the copy only\n");
		return;
	}
	printf("; tried %zu, %zu work outside", told, able);
	if (worked > 0) {
		printf("; seen %zu work", worked);
		print_worked(line);
	} else if (told > 0) {
		printf("; seen all refused");
	}
	if (line->verdict == VERIFY_IDLE)
		printf(", but so are they outside");
	if (line->verdict == VERIFY_UNTRIED) {
		printf("; ");
		tool_print_visible(line->why);
	}
	putchar('\n');
}

static void
print_heading(const struct verify_result *result, const char *where)
{
	if (strcmp(where, "real") == 0) {
		puts("the real places and processes, attempts that do no harm "
		     "if they work:");
		return;
	}
	printf("a %s, every attempt in full (~ is ", where);
	tool_print_visible(result->base);
	puts("/" COPY_HOME "):");
}

void
verify_print(const struct verify_result *result)
{
	size_t counts[VERIFY_ON_COPY + 1] = {0};
	const char *where = "";
	size_t tries = 0;
	size_t i;

	for (i = 0; i < result->count; i++) {
		const struct verify_line *line = &result->lines[i];

		if (strcmp(line->where, where) != 0)
			print_heading(result, line->where);
		where = line->where;
		print_line(result, line);
		counts[line->verdict]++;
		tries += line->count;
	}
	if (result->fault[0] != '\0') {
		printf("nothing could be tried: ");
		tool_print_visible(result->fault);
		putchar('\n');
	}
	printf("%zu guarantees, %zu attempts: %zu hold, %zu FALSE, %zu open, "
	       "%zu idle, %zu untried, %zu on copy\n",
	    result->count, tries, counts[VERIFY_HOLDS], counts[VERIFY_FALSE],
	    counts[VERIFY_OPEN], counts[VERIFY_IDLE], counts[VERIFY_UNTRIED],
	    counts[VERIFY_ON_COPY]);
}

/* ---- JSON ---------------------------------------------------------------- */

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
