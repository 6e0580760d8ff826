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

/* The names of those that worked. */
static void
print_worked(FILE *out, const struct verify_line *line)
{
	const char *before = ": ";
	size_t left = SHOWN;
	size_t i;

	for (i = 0; i < line->count; i++) {
		if (line->tries[i].inside.end != VERIFY_WORKED)
			continue;
		if (left-- == 0) {
			fputs(", ...", out);
			return;
		}
		fprintf(out, "%s%s", before, line->tries[i].attempt->name);
		if (line->tries[i].inside.text[0] != '\0') {
			fputs(" (", out);
			tool_put_visible(out, line->tries[i].inside.text);
			fputs(")", out);
		}
		before = ", ";
	}
}

/* A sentence, in which ~ stands for the home of the copy. */
static void
print_sentence(FILE *out, const struct verify_result *result, const char *text)
{
	char home[PATH_MAX + 64];
	size_t len;

	snprintf(home, sizeof(home), "%s/%s", result->base, COPY_HOME);
	len = strlen(home);
	if (result->base[0] != '\0' && strncmp(text, home, len) == 0) {
		putc('~', out);
		text += len;
	}
	tool_put_visible(out, text);
}

static void
print_line(FILE *out, const struct verify_result *result,
    const struct verify_line *line)
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
	print_sentence(out, result, line->claim.text);
	fprintf(out, "; claimed %s", tool_state_word(line->claim.state));
	if (line->claim.backends[0] != '\0')
		fprintf(out, " by %s", line->claim.backends);
	if (line->verdict == VERIFY_ON_COPY) {
		fputs("; tried on the copy only", out);
		return;
	}
	fprintf(out, "; tried %zu, %zu work outside", told, able);
	if (worked > 0) {
		fprintf(out, "; seen %zu work", worked);
		print_worked(out, line);
	} else if (told > 0) {
		fputs("; seen all refused", out);
	}
	if (line->verdict == VERIFY_IDLE)
		fputs(", but so are they outside", out);
	if (line->verdict == VERIFY_UNTRIED) {
		fputs("; ", out);
		tool_put_visible(out, line->why);
	}
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

/* Below what is known, on a terminal; goes when more is. */
static void
print_counter(const struct verify_result *result, bool is_more)
{
	char text[64] = "";

	if (!isatty(1))
		return;
	snprintf(text, sizeof(text), "%zu of at least %zu tried", result->count,
	    result->expected);
	printf("\r%-40s\r%s", "", is_more ? text : "");
}

void
verify_tell(const struct verify_result *result)
{
	const struct verify_line *line = &result->lines[result->count - 1];
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (out != NULL)
		print_line(out, result, line);
	if (out == NULL || fclose(out) != 0)
		return;
	print_counter(result, false);
	if (result->count == 1 || strcmp(line->where, line[-1].where) != 0)
		print_heading(result, line->where);
	fputs("  ", stdout);
	tool_print_word(line->verdict == VERIFY_HOLDS	? TOOL_GREEN
			: line->verdict == VERIFY_FALSE ? TOOL_RED
							: TOOL_YELLOW,
	    verify_word(line->verdict), 8);
	putchar(' ');
	if (isatty(1))
		tool_print_wrapped(text, 11, 11);
	else
		puts(text);
	free(text);
	print_counter(result, true);
	fflush(stdout);
}

void
verify_print(const struct verify_result *result)
{
	size_t counts[VERIFY_ON_COPY + 1] = {0};
	size_t tries = 0;
	size_t i;

	print_counter(result, false);
	for (i = 0; i < result->count; i++) {
		counts[result->lines[i].verdict]++;
		tries += result->lines[i].count;
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
			"claimed", tool_state_word(line->claim.state),
			"backends", tool_json_text(line->claim.backends),
			"required", line->claim.is_required, "verdict",
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
