/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sbpl.c - rules of a profile, and which of them wins. See sbpl.h.
 */

#include "sbpl.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sbpl-filter.h"
#include "sbpl-form.h"

struct rule {
	bool is_allow;
	char **operations;
	size_t operation_count;
	struct sbpl_filter **filters; /* any of them; none: everything */
	size_t filter_count;
	char *text;
	bool is_left_out;
};

struct sbpl {
	struct rule *rules;
	size_t count;
	bool is_default_allow;
	bool has_default;
	unsigned asked;
};

/* ---- Reading --------------------------------------------------------------
 */

struct reading {
	struct sbpl *sbpl;
	struct sbpl_filter_source source;
	const char *text;
};

static bool
fail(struct reading *reading, const char *what, const char *which)
{
	snprintf(reading->source.error, reading->source.error_size, "%s: %s",
	    what, which == NULL ? "a list" : which);
	return false;
}

static void *
grown(void *list, size_t count, size_t size)
{
	void *more = reallocarray(list, count + 1, size);

	if (more == NULL)
		abort();
	return more;
}

static bool
read_default(struct reading *reading, const struct sbpl_form *form)
{
	if (form->count != 2)
		return fail(reading, "default takes nothing else", "default");
	if (reading->sbpl->has_default)
		return fail(reading, "there twice", "default");
	if (reading->sbpl->count > 0)
		return fail(reading, "not before the rules", "default");
	reading->sbpl->has_default = true;
	reading->sbpl->is_default_allow = sbpl_form_is(form, "allow");
	return true;
}

static bool
read_operation(struct reading *reading, struct rule *rule, const char *name)
{
	unsigned about = sbpl_filter_about(name);

	if (about == SBPL_ABOUT_UNKNOWN)
		return fail(reading, "no operation", name);
	reading->source.about &= about;
	rule->operations =
	    grown(rule->operations, rule->operation_count, sizeof(char *));
	rule->operations[rule->operation_count++] = strdup(name);
	return true;
}

static bool
read_rule(struct reading *reading, const struct sbpl_form *form)
{
	struct sbpl *sbpl = reading->sbpl;
	struct rule *rule;
	size_t i;

	if (form->count > 1 && form->items[1]->kind == SBPL_WORD &&
	    strcmp(form->items[1]->text, "default") == 0)
		return read_default(reading, form);
	if (!sbpl->has_default)
		return fail(reading, "a rule before", "default");
	sbpl->rules = grown(sbpl->rules, sbpl->count, sizeof(*rule));
	rule = &sbpl->rules[sbpl->count++];
	memset(rule, 0, sizeof(*rule));
	rule->is_allow = sbpl_form_is(form, "allow");
	rule->text =
	    strndup(reading->text + form->start, form->end - form->start);
	reading->source.about = ~0u;
	for (i = 1; i < form->count && form->items[i]->kind == SBPL_WORD; i++)
		if (!read_operation(reading, rule, form->items[i]->text))
			return false;
	if (rule->operation_count == 0)
		return fail(reading, "a rule without", "an operation");
	for (; i < form->count; i++) {
		struct sbpl_filter *filter =
		    sbpl_filter_read(&reading->source, form->items[i]);

		if (filter == NULL)
			return false;
		rule->filters =
		    grown(rule->filters, rule->filter_count, sizeof(filter));
		rule->filters[rule->filter_count++] = filter;
	}
	return true;
}

static bool
read_forms(struct reading *reading, const struct sbpl_form *all)
{
	size_t i;

	if (all->count == 0 || !sbpl_form_is(all->items[0], "version") ||
	    all->items[0]->count != 2 ||
	    all->items[0]->items[1]->text == NULL ||
	    strcmp(all->items[0]->items[1]->text, "1") != 0)
		return fail(reading, "does not begin with", "(version 1)");
	for (i = 1; i < all->count; i++) {
		const struct sbpl_form *form = all->items[i];

		if (!sbpl_form_is(form, "allow") && !sbpl_form_is(form, "deny"))
			return fail(reading, "neither allow nor deny",
			    form->kind == SBPL_LIST && form->count > 0
				? form->items[0]->text
				: form->text);
		if (!read_rule(reading, form))
			return false;
	}
	if (!reading->sbpl->has_default)
		return fail(reading, "missing", "default");
	for (i = 0; i < reading->source.param_count; i++)
		if (!reading->source.params[i].is_used)
			return fail(reading, "a parameter nobody uses",
			    reading->source.params[i].name);
	return true;
}

static bool
take_params(struct reading *reading, const char *const *params)
{
	struct sbpl_filter_source *source = &reading->source;
	size_t i;

	for (; params != NULL && *params != NULL; params += 2) {
		for (i = 0; i < source->param_count; i++)
			if (strcmp(source->params[i].name, params[0]) == 0)
				return fail(
				    reading, "a parameter twice", params[0]);
		source->params = grown(source->params, source->param_count,
		    sizeof(*source->params));
		source->params[source->param_count++] =
		    (struct sbpl_param){params[0], params[1], false};
	}
	return true;
}

struct sbpl *
sbpl_read(
    const char *text, const char *const *params, char *error, size_t error_size)
{
	struct reading reading = {
	    .text = text, .source = {.error = error, .error_size = error_size}};
	struct sbpl_form *all = sbpl_form_read(text, error, error_size);
	bool is_good;

	if (all == NULL)
		return NULL;
	reading.sbpl = calloc(1, sizeof(*reading.sbpl));
	if (reading.sbpl == NULL)
		abort();
	is_good = take_params(&reading, params) && read_forms(&reading, all);
	sbpl_form_free(all);
	free(reading.source.params);
	if (is_good)
		return reading.sbpl;
	sbpl_free(reading.sbpl);
	return NULL;
}

void
sbpl_free(struct sbpl *sbpl)
{
	if (sbpl == NULL)
		return;
	while (sbpl->count > 0) {
		struct rule *rule = &sbpl->rules[--sbpl->count];

		while (rule->operation_count > 0)
			free(rule->operations[--rule->operation_count]);
		while (rule->filter_count > 0)
			sbpl_filter_free(rule->filters[--rule->filter_count]);
		free(rule->operations);
		free(rule->filters);
		free(rule->text);
	}
	free(sbpl->rules);
	free(sbpl);
}

/* ---- Judging --------------------------------------------------------------
 */

static bool
concerns(const struct rule *rule, const char *operation)
{
	size_t i;

	for (i = 0; !rule->is_left_out && i < rule->operation_count; i++)
		if (sbpl_filter_covers(rule->operations[i], operation))
			return true;
	return false;
}

static bool
matches(const struct rule *rule, const struct sbpl_question *question,
    size_t *length)
{
	size_t i;

	*length = 0;
	if (!concerns(rule, question->operation))
		return false;
	for (i = 0; i < rule->filter_count; i++)
		if (sbpl_filter_matches(rule->filters[i], question, length))
			return true;
	return rule->filter_count == 0;
}

/* What each way to read a profile says so far. */
struct verdicts {
	bool allows[SBPL_READINGS];
	bool has_match;
	bool has_filtered;
	size_t length;
};

static void
take_match(struct verdicts *verdicts, const struct rule *rule, size_t length)
{
	bool *allows = verdicts->allows;
	bool is_allow = rule->is_allow;

	if (!verdicts->has_match)
		allows[SBPL_FIRST] = is_allow;
	allows[SBPL_LAST] = is_allow;
	if (rule->filter_count > 0 || !verdicts->has_filtered)
		allows[SBPL_FILTERED] = is_allow;
	verdicts->has_filtered |= rule->filter_count > 0;
	if (!verdicts->has_match || length > verdicts->length ||
	    (length == verdicts->length && !is_allow)) {
		allows[SBPL_LONGEST] = is_allow;
		verdicts->length = length;
	}
	allows[SBPL_DENY] =
	    is_allow && (!verdicts->has_match || allows[SBPL_DENY]);
	verdicts->has_match = true;
}

/* false: no such operation. */
static bool
judge(struct sbpl *sbpl, const struct sbpl_question *question,
    struct verdicts *verdicts)
{
	size_t length;
	size_t i;

	memset(verdicts, 0, sizeof(*verdicts));
	if (strchr(question->operation, '*') != NULL ||
	    sbpl_filter_about(question->operation) == SBPL_ABOUT_UNKNOWN)
		return false;
	sbpl->asked++;
	for (i = 0; i < sbpl->count; i++)
		if (matches(&sbpl->rules[i], question, &length))
			take_match(verdicts, &sbpl->rules[i], length);
	for (i = 0; !verdicts->has_match && i < SBPL_READINGS; i++)
		verdicts->allows[i] = sbpl->is_default_allow;
	return true;
}

enum sbpl_answer
sbpl_ask_as(struct sbpl *sbpl, const struct sbpl_question *question,
    enum sbpl_reading reading)
{
	struct verdicts verdicts;

	if (!judge(sbpl, question, &verdicts))
		return SBPL_NONSENSE;
	return verdicts.allows[reading] ? SBPL_ALLOWED : SBPL_DENIED;
}

enum sbpl_answer
sbpl_ask(struct sbpl *sbpl, const struct sbpl_question *question)
{
	struct verdicts verdicts;
	size_t i;

	if (!judge(sbpl, question, &verdicts))
		return SBPL_NONSENSE;
	for (i = 1; i < SBPL_READINGS; i++)
		if (verdicts.allows[i] != verdicts.allows[0])
			return SBPL_DISPUTED;
	return verdicts.allows[0] ? SBPL_ALLOWED : SBPL_DENIED;
}

unsigned
sbpl_asked(const struct sbpl *sbpl)
{
	return sbpl->asked;
}

bool
sbpl_allows_by_default(const struct sbpl *sbpl)
{
	return sbpl->is_default_allow;
}

size_t
sbpl_rule_count(const struct sbpl *sbpl)
{
	return sbpl->count;
}

const char *
sbpl_rule_text(const struct sbpl *sbpl, size_t index)
{
	return sbpl->rules[index].text;
}

void
sbpl_leave_out(struct sbpl *sbpl, size_t index)
{
	size_t i;

	for (i = 0; i < sbpl->count; i++)
		sbpl->rules[i].is_left_out = i == index;
}

void
sbpl_reverse(struct sbpl *sbpl)
{
	size_t i;

	for (i = 0; i < sbpl->count / 2; i++) {
		struct rule rule = sbpl->rules[i];

		sbpl->rules[i] = sbpl->rules[sbpl->count - 1 - i];
		sbpl->rules[sbpl->count - 1 - i] = rule;
	}
}
