/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * summary.c - a report on one screen: the verdict, what is held and what is
 * not, alike ones together. What all of it is has omega_sandbox_report_text().
 */

#include "config.h"

#include "tool.h"

#define WIDTH 80

/* Sentences that are the same but for the place they are about. */
struct group {
	struct omega_sandbox_guarantee first;
	const char *rest; /* of the sentence, behind the place; else NULL */
	size_t rest_len;
	size_t count;
	char places[WIDTH + 1]; /* as many as there is room for */
	size_t shown;
};

void
tool_print_wrapped(const char *text, int at, int indent)
{
	bool is_first = true;

	while (*text == ' ')
		text++;
	while (*text != '\0') {
		int len = (int)strcspn(text, " ");
		char *word = strndup(text, (size_t)len);

		if (!is_first && at + 1 + len > WIDTH) {
			printf("\n%*s", indent, "");
			at = indent;
		} else if (!is_first) {
			putchar(' ');
			at++;
		}
		is_first = false;
		if (word != NULL)
			tool_print_visible(word);
		free(word);
		at += len;
		text += len;
		text += strspn(text, " ");
	}
	putchar('\n');
}

/* "cannot be changed" of "/dev cannot be changed, harmless devices excepted" */
static void
cut_sentence(struct group *group)
{
	size_t len = group->first.path == NULL ? 0 : strlen(group->first.path);

	if (len == 0 || strncmp(group->first.text, group->first.path, len) != 0)
		return;
	group->rest = group->first.text + len;
	group->rest_len = strcspn(group->rest, ",");
	if (group->rest_len > WIDTH / 2)
		group->rest_len = WIDTH / 2;
}

/* What is said of several at once. */
static const struct {
	const char *kind;
	const char *rest;
} plurals[] = {
    {"metadata", " keep their modes, owners and times"},
    {"aliases", " cannot be reached by other names they have"},
    {"replaced_files", " stay out of reach when the host replaces them"},
};

static char *
plural_of(const struct group *group)
{
	const char *more = "";
	char number[32] = "";
	char *text = NULL;
	size_t i;

	for (i = 0; i < sizeof(plurals) / sizeof(plurals[0]); i++)
		if (strcmp(group->first.kind, plurals[i].kind) == 0)
			more = plurals[i].rest;
	if (group->shown < group->count)
		snprintf(number, sizeof(number), " and %zu more",
		    group->count - group->shown);
	if (asprintf(&text, "%zu places%.*s: %s%s", group->count,
		more[0] != '\0' ? (int)strlen(more) : (int)group->rest_len,
		more[0] != '\0' ? more : group->rest, group->places,
		number) < 0)
		return NULL;
	return text;
}

static bool
is_alike(const struct group *one, const struct group *two)
{
	if (one->rest == NULL || two->rest == NULL ||
	    one->first.state != two->first.state ||
	    one->first.is_accepted != two->first.is_accepted ||
	    strcmp(one->first.kind, two->first.kind) != 0)
		return false;
	/* What is read and what is changed is of one kind. */
	return strcmp(one->first.kind, "path") != 0 ||
	       (one->rest_len == two->rest_len &&
		   memcmp(one->rest, two->rest, one->rest_len) == 0);
}

/* Room is left for what surrounds them in the line. */
static void
add_place(struct group *group, const char *place)
{
	size_t used = strlen(group->places);
	size_t room = WIDTH - 27 - group->rest_len;

	group->count++;
	if (place == NULL || (used > 0 && used + strlen(place) + 2 > room) ||
	    used + strlen(place) + 3 > sizeof(group->places))
		return;
	snprintf(group->places + used, sizeof(group->places) - used, "%s%s",
	    used > 0 ? ", " : "", place);
	group->shown++;
}

/* The groups of a report, in its order; to be freed. NULL: no memory. */
static struct group *
make_groups(const struct omega_sandbox_report *report, size_t *count)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct group *groups;
	size_t total = 0;
	size_t used = 0;
	size_t i;

	while (omega_sandbox_report_get(report, total, &line) == 0)
		total++;
	groups = calloc(total + 1, sizeof(*groups));
	for (i = 0; groups != NULL && i < total; i++) {
		struct group *next = &groups[used];
		size_t j;

		memset(next, 0, sizeof(*next));
		next->first.size = sizeof(next->first);
		omega_sandbox_report_get(report, i, &next->first);
		cut_sentence(next);
		for (j = 0; j < used && !is_alike(&groups[j], next);)
			j++;
		add_place(&groups[j], next->first.path);
		used += j == used;
	}
	*count = used;
	return groups;
}

/* One backend's reason, the others' are much the same; unless it was that of
 * the group before. */
static void
print_why(const char *why, const char *before)
{
	size_t len = strcspn(why, ";");
	char *reason;

	if (len == 0 ||
	    (strncmp(why, before, len) == 0 && strcspn(before, ";") == len))
		return;
	reason = strndup(why, len);
	printf("%*s", 6, "");
	tool_print_wrapped(reason != NULL ? reason : why, 6, 6);
	free(reason);
}

static void
print_group(const struct group *group)
{

	char *text = group->count > 1 ? plural_of(group) : NULL;

	fputs("  ", stdout);
	tool_print_wrapped(text != NULL ? text : group->first.text, 2, 6);
	free(text);
}

/* What is held of places beside that they are neither read nor changed. */
static bool
is_beside(const struct group *group)
{
	return group->first.state == OMEGA_SANDBOX_ENFORCED &&
	       group->rest != NULL &&
	       (strcmp(group->first.kind, "metadata") == 0 ||
		   strcmp(group->first.kind, "aliases") == 0 ||
		   strcmp(group->first.kind, "replaced_files") == 0);
}

static void
print_state(const struct group *groups, size_t count, int state,
    enum tool_colour colour, const char *title)
{
	size_t total = 0;
	size_t needed = 0;
	size_t beside = 0;
	const char *before = "";
	size_t i;

	for (i = 0; i < count; i++)
		if (groups[i].first.state == state) {
			total += groups[i].count;
			if (is_beside(&groups[i]))
				beside += groups[i].count;
			if (!groups[i].first.is_accepted)
				needed += groups[i].count;
		}
	if (total == 0)
		return;
	/* What may be missing is no alarm. */
	if (colour == TOOL_RED && needed == 0)
		colour = TOOL_YELLOW;
	tool_print_word(colour, title, 0);
	printf(" (%zu)%s:\n", total,
	    state != OMEGA_SANDBOX_ENFORCED && needed == 0
		? ", which is accepted"
		: "");
	for (i = 0; i < count; i++)
		if (groups[i].first.state == state && !is_beside(&groups[i])) {
			print_group(&groups[i]);
			if (state != OMEGA_SANDBOX_ENFORCED)
				print_why(groups[i].first.why, before);
			before = groups[i].first.why;
		}
	if (beside > 0)
		printf("  %zu more about modes, owners, other names and "
		       "replacing of places\n",
		    beside);
}

/* The names of the backends that hold something. */
static json_t *
find_holders(const json_t *report)
{
	json_t *names = json_array();
	const json_t *backend;
	size_t i;

	json_array_foreach(json_object_get(report, "backends"), i,
	    backend) if (json_is_true(json_object_get(backend, "usable")) &&
			 json_is_true(json_object_get(backend, "needed")))
	    json_array_append(names, json_object_get(backend, "name"));
	return names;
}

/* "policy NAME, floor NAME, agent NAME, held by A, B"; all but who holds it is
 * the first line of the whole text. */
static void
print_stack(const json_t *report, const char *whole)
{
	json_t *names = find_holders(report);
	size_t i;

	printf("%.*s", (int)strcspn(whole, "\n"), whole);
	for (i = 0; i < json_array_size(names); i++)
		printf("%s%s", i > 0 ? ", " : ", held by ",
		    json_string_value(json_array_get(names, i)));
	putchar('\n');
	json_decref(names);
}

static void
print_note(const char *text, size_t *shown)
{
	fputs("note: ", stdout);
	tool_print_wrapped(text, 6, 6);
	(*shown)++;
}

static void
print_notes(const json_t *report)
{
	static const char absent[] = " does not exist and is left out";
	const json_t *note;
	size_t left_out = 0;
	size_t shown = 0;
	size_t others = 0;
	size_t i;

	json_array_foreach(json_object_get(report, "notes"), i, note)
	{
		const char *text = json_string_value(note);
		size_t len = strlen(text);

		if (len >= sizeof(absent) &&
		    strcmp(text + len - (sizeof(absent) - 1), absent) == 0)
			left_out++;
		else if (shown < TOOL_NOTES_SHOWN)
			print_note(text, &shown);
		else
			others++;
	}
	if (json_is_string(json_object_get(report, "directory_note")))
		print_note(json_string_value(
			       json_object_get(report, "directory_note")),
		    &shown);
	if (left_out > 0)
		printf(left_out == 1 ? "note: %zu place of lists does not "
				       "exist and is left out\n"
				     : "note: %zu places of lists do not exist "
				       "and are left out\n",
		    left_out);
	if (others > 0)
		printf(
		    "note: %zu more note%s\n", others, others == 1 ? "" : "s");
}

/* The last line of the whole text. */
static void
print_verdict(const struct omega_sandbox_report *report)
{
	const char *text =
	    omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT);
	size_t len = strlen(text);
	char *line;

	while (len > 0 && text[len - 1] == '\n')
		len--;
	line = strndup(text, len);
	if (line == NULL)
		return;
	text = strrchr(line, '\n');
	text = text != NULL ? text + 1 : line;
	fputs(tool_colour(omega_sandbox_report_is_protected(report) ? TOOL_GREEN
								    : TOOL_RED),
	    stdout);
	tool_print_wrapped(text, 0, 0);
	fputs(tool_colour(TOOL_PLAIN), stdout);
	free(line);
}

void
tool_print_summary(const struct omega_sandbox_report *report)
{
	json_t *all = tool_json_report(report);
	size_t count = 0;
	struct group *groups = make_groups(report, &count);

	print_verdict(report);
	print_stack(
	    all, omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT));
	if (groups != NULL) {
		print_state(
		    groups, count, OMEGA_SANDBOX_ENFORCED, TOOL_GREEN, "held");
		print_state(groups, count, OMEGA_SANDBOX_PARTIAL, TOOL_YELLOW,
		    "held in part");
		print_state(groups, count, OMEGA_SANDBOX_NOT_ENFORCED, TOOL_RED,
		    "not held");
	}
	print_notes(all);
	puts("--all shows every guarantee, who holds it and who asks for it");
	free(groups);
	json_decref(all);
}

static json_t *
group_json(const struct group *group)
{
	return json_pack("{s:s, s:s, s:b, s:I, s:o}", "kind", group->first.kind,
	    "state", tool_state_word(group->first.state), "accepted",
	    group->first.is_accepted, "count", (json_int_t)group->count, "text",
	    tool_json_text(group->first.text));
}

json_t *
tool_json_summary(const struct omega_sandbox_report *report)
{
	json_t *all = tool_json_report(report);
	json_t *notes = json_object_get(all, "notes");
	json_t *missing = json_array();
	size_t count = 0;
	struct group *groups = make_groups(report, &count);
	size_t i;

	for (i = 0; groups != NULL && i < count; i++)
		if (groups[i].first.state != OMEGA_SANDBOX_ENFORCED &&
		    json_array_size(missing) < TOOL_NOTES_SHOWN)
			json_array_append_new(missing, group_json(&groups[i]));
	while (json_array_size(notes) > TOOL_NOTES_SHOWN)
		json_array_remove(notes, json_array_size(notes) - 1);
	json_object_del(all, "guarantees");
	json_object_set_new(all, "backends", find_holders(all));
	json_object_set_new(all, "enforced",
	    json_integer(tool_count_state(report, OMEGA_SANDBOX_ENFORCED)));
	json_object_set_new(all, "partial",
	    json_integer(tool_count_state(report, OMEGA_SANDBOX_PARTIAL)));
	json_object_set_new(all, "not_enforced",
	    json_integer(tool_count_state(report, OMEGA_SANDBOX_NOT_ENFORCED)));
	json_object_set_new(all, "missing", missing);
	free(groups);
	return all;
}
