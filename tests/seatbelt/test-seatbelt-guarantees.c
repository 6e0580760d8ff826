/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-seatbelt-guarantees.c - for every guarantee the README lists, questions
 * to the profile that is to hold it: what must be refused, and what must go on
 * as usual (guarantees.c). The README has their numbers, which depend on
 * nothing but that file; and no rule of a profile can be left out unnoticed.
 */

#include "harness.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guarantees.h"

/* ---- Asking ---------------------------------------------------------------
 */

/* The word at *list, which goes on to the next; NULL behind the last. */
static const char *
next_word(const char **list, char *word, size_t size)
{
	size_t len = strcspn(*list, " ");

	if (len == 0)
		return NULL;
	if (len >= size)
		fail_msg("a word is too long");
	memcpy(word, *list, len);
	word[len] = '\0';
	*list += len;
	*list += strspn(*list, " ");
	return word;
}

/* What came of questions. */
struct answers {
	unsigned wrong;
	uint64_t all; /* a number that tells them from others */
	bool is_told;
};

static void
ask_row(struct judge *judge, const struct row *row, struct answers *answers)
{
	const char *operations = row->operations;
	char operation[64];
	char path[PATH_MAX];

	while (next_word(&operations, operation, sizeof(operation)) != NULL) {
		const char *paths = row->paths;

		while (next_word(&paths, path, sizeof(path)) != NULL) {
			struct sbpl_question question = row->rest;
			enum sbpl_answer answer;

			question.operation = operation;
			if (strcmp(path, NONE) != 0)
				question.path = path;
			answer = sbpl_ask(judge->sbpl, &question);
			answers->all =
			    (answers->all ^ (uint64_t)answer) * 1099511628211u;
			if (answer ==
			    (row->expected == 'y' ? SBPL_ALLOWED : SBPL_DENIED))
				continue;
			answers->wrong++;
			if (answers->is_told)
				printf("# %s %s: %d\n", operation, path,
				    (int)answer);
		}
	}
}

static void
ask_part(struct judge *judge, const struct part *part, struct answers *answers)
{
	size_t i;

	for (i = 0; i < part->count; i++)
		ask_row(judge, &part->rows[i], answers);
}

/* All that is asked of a policy; the default one is asked of all that allow by
 * default. */
static uint64_t
ask_all(struct judge *judge, const struct part *part)
{
	struct answers answers = {.wrong = 0};
	size_t i;

	for (i = 0; i < part_count; i++)
		if (parts[i].make == part->make ||
		    (parts[i].make == guarantees_make_default &&
			sbpl_allows_by_default(judge->sbpl)))
			ask_part(judge, &parts[i], &answers);
	return answers.all;
}

static void
open_part(struct judge *judge, struct judge_case *one, const struct part *part)
{
	memset(one, 0, sizeof(*one));
	part->make(one);
	if (!judge_case_open(judge, one))
		fail_msg("%s\n%s", judge->error,
		    judge->profile.text == NULL ? "" : judge->profile.text);
}

static void
close_part(struct judge *judge, struct judge_case *one)
{
	judge_close(judge);
	texts_drop(&one->sockets);
	texts_drop(&one->links);
}

/* Questions to all parts with the same line. */
static unsigned
count_line(const char *line)
{
	unsigned count = 0;
	size_t i;

	for (i = 0; i < part_count; i++)
		if (strcmp(parts[i].line, line) == 0) {
			struct answers answers = {.wrong = 0};
			struct judge_case one;
			struct judge judge;

			open_part(&judge, &one, &parts[i]);
			ask_part(&judge, &parts[i], &answers);
			count += sbpl_asked(judge.sbpl);
			close_part(&judge, &one);
		}
	return count;
}

static void
test_profiles_hold_every_guarantee(void **state)
{
	struct answers answers = {.is_told = true};
	size_t i;
	int j;

	(void)state;
	for (i = 0; i < part_count; i++) {
		struct judge_case one;
		struct judge judge;

		open_part(&judge, &one, &parts[i]);
		/* In whatever order the rules stand. */
		for (j = 0; j < 2; j++) {
			ask_part(&judge, &parts[i], &answers);
			sbpl_reverse(judge.sbpl);
		}
		printf("# %s: %u questions\n", parts[i].line,
		    sbpl_asked(judge.sbpl) / 2);
		close_part(&judge, &one);
	}
	assert_int_equal(answers.wrong, 0);
}

/* With each rule left out in turn some answer is another. */
static void
test_no_rule_can_be_left_out(void **state)
{
	unsigned missed = 0;
	unsigned rules = 0;
	size_t i;
	size_t j;

	(void)state;
	for (i = 0; i < part_count; i++) {
		struct judge_case one;
		struct judge judge;
		uint64_t before;

		if (i > 0 && parts[i].make == parts[i - 1].make)
			continue;
		open_part(&judge, &one, &parts[i]);
		before = ask_all(&judge, &parts[i]);
		for (j = 0; j < sbpl_rule_count(judge.sbpl); j++) {
			sbpl_leave_out(judge.sbpl, j);
			rules++;
			if (ask_all(&judge, &parts[i]) != before)
				continue;
			missed++;
			printf("# not missed: %s\n",
			    sbpl_rule_text(judge.sbpl, j));
		}
		close_part(&judge, &one);
	}
	printf("# %u rules left out, %u not noticed\n", rules, missed);
	assert_int_equal(missed, 0);
}

static void
test_the_readme_has_the_numbers(void **state)
{
	const char *top = getenv("top_srcdir");
	char *readme = NULL;
	size_t size = 0;
	size_t i;
	FILE *file;

	(void)state;
	file = fopen(text("%s/README.md", top == NULL ? "." : top), "r");
	if (file == NULL)
		skip_because("there is no README.md");
	if (getdelim(&readme, &size, '\0', file) < 0)
		fail_msg("README.md is empty");
	fclose(file);
	for (i = 0; i < part_count; i++) {
		const char *line =
		    strstr(readme, text("| %s |", parts[i].line));
		const char *cell =
		    text("modelled, %u questions", count_line(parts[i].line));
		size_t len;

		if (line == NULL)
			fail_msg("no line: %s", parts[i].line);
		len = strcspn(line, "\n");
		if (memmem(line, len, cell, strlen(cell)) == NULL)
			fail_msg("%s: not \"%s\"", parts[i].line, cell);
	}
	free(readme);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_profiles_hold_every_guarantee),
    cmocka_unit_test(test_no_rule_can_be_left_out),
    cmocka_unit_test(test_the_readme_has_the_numbers),
};

int
main(void)
{
	return run_all(tests);
}
