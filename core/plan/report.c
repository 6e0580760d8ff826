/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * report.c - see report.h. The public functions are documented in
 * omega/sandbox.h.
 */

#include "config.h"

#include "plan/report.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "conf/kinds.h"
#include "error.h"
#include "plan/verdict.h"

struct line {
	struct omega_sandbox_guarantee public;
	uint32_t access;
	char *path;
	char *text;
	char *backends;
	char *why;
	char *origin;
};

struct omega_sandbox_report {
	atomic_uint refs;
	struct line *lines;
	size_t line_count;
	int verdict;
	struct omega_sandbox_error refusal;
	bool is_protected;
	char *dir_note; /* about the directory it was made in, or NULL */
	/* What is before and behind the lines, as text and as JSON; and all of
	 * it once somebody has asked. */
	char *heads[2];
	char *tails[2];
	char *_Atomic wholes[2];
};

enum { TEXT, JSON };

static const char *
state_word(int state)
{
	switch (state) {
	case OMEGA_SANDBOX_ENFORCED:
		return "enforced";
	case OMEGA_SANDBOX_PARTIAL:
		return "partial";
	default:
		return "not enforced";
	}
}

static int
fill_line(struct line *line, const struct omega_atom *atom,
    const struct omega_plan_item *item)
{
	const struct omega_kind *kind =
	    omega_kinds_by_number(atom->public.kind);

	line->path = atom->path == NULL ? NULL : strdup(atom->path);
	line->text = strdup(atom->sentence);
	line->backends = strdup(item->backends);
	line->why = strdup(item->why);
	line->origin = strdup(atom->origin);
	if ((atom->path != NULL && line->path == NULL) || line->text == NULL ||
	    line->backends == NULL || line->why == NULL || line->origin == NULL)
		return -1;
	line->access = atom->public.access;
	line->public.size = sizeof(line->public);
	line->public.state = item->state;
	line->public.is_required =
	    (atom->public.flags & OMEGA_SANDBOX_ATOM_REQUIRED) != 0;
	line->public.is_accepted = item->is_accepted;
	line->public.kind = kind != NULL ? kind->name : "unknown";
	line->public.path = line->path;
	line->public.text = line->text;
	line->public.backends = line->backends;
	line->public.why = line->why;
	line->public.origin = line->origin;
	line->public.forbids = atom->public.access;
	return 0;
}

static void
print_backends(struct omega_buffer *out, const struct omega_plan *plan)
{
	size_t i;

	omega_buffer_print(out, "policy %s\n", plan->policy->name);
	for (i = 0; i < plan->stack_count; i++) {
		const struct omega_plan_backend *entry = &plan->stack[i];

		omega_buffer_print(out, "  backend       %s", entry->name);
		if (entry->probe.version[0] != '\0')
			omega_buffer_print(out, " (%s)", entry->probe.version);
		if (!entry->is_usable)
			omega_buffer_print(
			    out, " cannot be used: %s", entry->probe.reason);
		else if (!entry->is_needed)
			omega_buffer_add(out, " is not needed: it holds "
					      "nothing the others do not");
		omega_buffer_add(out, "\n");
	}
}

/* Those of one state together, what is not held last: it is what counts. */
static void
print_lines(struct omega_buffer *out, const struct omega_sandbox_report *report,
    int state)
{
	size_t i;

	for (i = 0; i < report->line_count; i++) {
		const struct omega_sandbox_guarantee *line =
		    &report->lines[i].public;

		if (line->state != state)
			continue;
		omega_buffer_print(out, "  %-12s  ", state_word(state));
		omega_buffer_visible(out, line->text);
		if (!line->is_required)
			omega_buffer_print(out, "  [%s%s]", line->kind,
			    line->is_accepted && state != OMEGA_SANDBOX_ENFORCED
				? ", accepted"
				: "");
		if (line->backends[0] != '\0')
			omega_buffer_print(out, "  by %s", line->backends);
		if (strcmp(line->origin, "built in") != 0) {
			omega_buffer_add(out, "  (");
			omega_buffer_visible(out, line->origin);
			omega_buffer_add(out, ")");
		}
		omega_buffer_add(out, "\n");
		if (line->why[0] != '\0') {
			omega_buffer_add(out, "                because ");
			omega_buffer_visible(out, line->why);
			omega_buffer_add(out, "\n");
		}
	}
}

/* What a command started from here would find; to be freed, or NULL. */
static char *
make_dir_note(const struct omega_plan *plan)
{
	char *dir = omega_hidden_find(&plan->hidden, NULL);
	char *note = NULL;

	if (dir != NULL &&
	    asprintf(&note,
		"the current directory %s is out of a command's reach; one "
		"that has no other starts in /",
		dir) < 0)
		note = NULL;
	free(dir);
	return note;
}

static char *
make_text_head(const struct omega_plan *plan)
{
	struct omega_buffer out = {.text = NULL};

	print_backends(&out, plan);
	return omega_buffer_take(&out);
}

static char *
make_text_tail(
    const struct omega_plan *plan, const struct omega_sandbox_report *report)
{
	struct omega_buffer out = {.text = NULL};
	char warning[1024];
	size_t i;

	for (i = 0; i < plan->atoms.note_count; i++) {
		omega_buffer_add(&out, "note: ");
		omega_buffer_visible(&out, plan->atoms.notes[i]);
		omega_buffer_add(&out, "\n");
	}
	if (report->dir_note != NULL) {
		omega_buffer_add(&out, "note: ");
		omega_buffer_visible(&out, report->dir_note);
		omega_buffer_add(&out, "\n");
	}
	if (report->verdict < 0) {
		omega_buffer_print(
		    &out, "a command is %s\n", report->refusal.text);
	} else if (plan->is_waived) {
		omega_verdict_warning(plan, warning, sizeof(warning));
		omega_buffer_add(&out, "a command starts, ");
		omega_buffer_visible(&out, warning);
		omega_buffer_add(&out, "\n");
	} else {
		omega_buffer_add(&out, "a command starts; every required "
				       "guarantee is enforced\n");
	}
	return omega_buffer_take(&out);
}

static void
json_backends(struct omega_buffer *out, const struct omega_plan *plan)
{
	size_t i;

	omega_buffer_add(out, "\"backends\":[");
	for (i = 0; i < plan->stack_count; i++) {
		const struct omega_plan_backend *entry = &plan->stack[i];

		omega_buffer_add(out, i == 0 ? "{\"name\":" : ",{\"name\":");
		omega_buffer_json(out, entry->name);
		omega_buffer_print(out, ",\"usable\":%s,\"needed\":%s",
		    entry->is_usable ? "true" : "false",
		    entry->is_needed ? "true" : "false");
		omega_buffer_add(out, ",\"version\":");
		omega_buffer_json(out, entry->probe.version);
		omega_buffer_add(out, ",\"reason\":");
		omega_buffer_json(out, entry->probe.reason);
		omega_buffer_add(out, "}");
	}
	omega_buffer_add(out, "]");
}

static void
json_line(struct omega_buffer *out, const struct omega_sandbox_guarantee *line)
{
	omega_buffer_add(out, "{\"text\":");
	omega_buffer_json(out, line->text);
	omega_buffer_add(out, ",\"kind\":");
	omega_buffer_json(out, line->kind);
	omega_buffer_add(out, ",\"path\":");
	omega_buffer_json(out, line->path);
	omega_buffer_print(out, ",\"required\":%s,\"accepted\":%s,\"state\":",
	    line->is_required ? "true" : "false",
	    line->is_accepted ? "true" : "false");
	omega_buffer_json(out, state_word(line->state));
	omega_buffer_add(out, ",\"backends\":");
	omega_buffer_json(out, line->backends);
	omega_buffer_add(out, ",\"why\":");
	omega_buffer_json(out, line->why);
	omega_buffer_add(out, ",\"origin\":");
	omega_buffer_json(out, line->origin);
	omega_buffer_add(out, "}");
}

static char *
make_json_head(
    const struct omega_plan *plan, const struct omega_sandbox_report *report)
{
	struct omega_buffer out = {.text = NULL};
	size_t i;

	omega_buffer_add(&out, "{\"policy\":");
	omega_buffer_json(&out, plan->policy->name);
	omega_buffer_add(&out, ",\"data_dir\":");
	omega_buffer_json(&out, plan->atoms.data_dir);
	omega_buffer_add(&out, ",");
	json_backends(&out, plan);
	omega_buffer_print(&out,
	    ",\"starts\":%s,\"protected\":%s,\"waived\":%s,\"refusal\":",
	    report->verdict == 0 ? "true" : "false",
	    report->is_protected ? "true" : "false",
	    plan->is_waived ? "true" : "false");
	omega_buffer_json(
	    &out, report->verdict < 0 ? report->refusal.text : NULL);
	omega_buffer_add(&out, ",\"notes\":[");
	for (i = 0; i < plan->atoms.note_count; i++) {
		omega_buffer_add(&out, i == 0 ? "" : ",");
		omega_buffer_json(&out, plan->atoms.notes[i]);
	}
	omega_buffer_add(&out, "]");
	omega_buffer_add(&out, ",\"directory_note\":");
	omega_buffer_json(&out, report->dir_note);
	omega_buffer_add(&out, ",\"guarantees\":[");
	return omega_buffer_take(&out);
}

/* Most reports are never read, and a policy may have many lines. */
static const char *
whole(const struct omega_sandbox_report *report, int form)
{
	struct omega_sandbox_report *own =
	    (struct omega_sandbox_report *)(uintptr_t)report;
	struct omega_buffer out = {.text = NULL};
	char *made = atomic_load(&own->wholes[form]);
	char *other = NULL;
	size_t i;

	if (made != NULL)
		return made;
	omega_buffer_add(&out, report->heads[form]);
	for (i = 0; form == JSON && i < report->line_count; i++) {
		omega_buffer_add(&out, i == 0 ? "" : ",");
		json_line(&out, &report->lines[i].public);
	}
	if (form == TEXT) {
		print_lines(&out, report, OMEGA_SANDBOX_ENFORCED);
		print_lines(&out, report, OMEGA_SANDBOX_PARTIAL);
		print_lines(&out, report, OMEGA_SANDBOX_NOT_ENFORCED);
	}
	omega_buffer_add(&out, report->tails[form]);
	made = omega_buffer_take(&out);
	if (made == NULL)
		return "";
	if (atomic_compare_exchange_strong(&own->wholes[form], &other, made))
		return made;
	free(made);
	return other;
}

struct omega_sandbox_report *
omega_report_new(const struct omega_plan *plan)
{
	struct omega_sandbox_report *report;
	size_t i;

	report = calloc(1, sizeof(*report));
	if (report == NULL)
		return NULL;
	atomic_init(&report->refs, 1);
	report->verdict = plan->verdict;
	report->refusal = plan->refusal;
	report->is_protected = plan->is_protected;
	report->lines = calloc(plan->atoms.count, sizeof(*report->lines));
	if (report->lines == NULL)
		goto fail;
	for (i = 0; i < plan->atoms.count; i++) {
		report->line_count++;
		if (fill_line(&report->lines[i], &plan->atoms.list[i],
			&plan->items[i]) < 0)
			goto fail;
	}
	report->dir_note = make_dir_note(plan);
	report->heads[TEXT] = make_text_head(plan);
	report->tails[TEXT] = make_text_tail(plan, report);
	report->heads[JSON] = make_json_head(plan, report);
	report->tails[JSON] = strdup("]}");
	for (i = 0; i < 2; i++)
		if (report->heads[i] == NULL || report->tails[i] == NULL)
			goto fail;
	return report;
fail:
	omega_sandbox_report_unref(report);
	return NULL;
}

struct omega_sandbox_report *
omega_sandbox_report_ref(struct omega_sandbox_report *report)
{
	if (report != NULL)
		atomic_fetch_add(&report->refs, 1);
	return report;
}

void
omega_sandbox_report_unref(struct omega_sandbox_report *report)
{
	size_t i;

	if (report == NULL || atomic_fetch_sub(&report->refs, 1) != 1)
		return;
	while (report->line_count > 0) {
		struct line *line = &report->lines[--report->line_count];

		free(line->path);
		free(line->text);
		free(line->backends);
		free(line->why);
		free(line->origin);
	}
	free(report->lines);
	free(report->dir_note);
	for (i = 0; i < 2; i++) {
		free(report->heads[i]);
		free(report->tails[i]);
		free(report->wholes[i]);
	}
	free(report);
}

int
omega_sandbox_report_get(const struct omega_sandbox_report *report,
    size_t index, struct omega_sandbox_guarantee *guarantee)
{
	uint32_t size;

	if (report == NULL || guarantee == NULL ||
	    guarantee->size < sizeof(guarantee->size))
		return OMEGA_SANDBOX_E_ARGUMENT;
	if (index >= report->line_count)
		return OMEGA_SANDBOX_E_NOT_FOUND;
	size = guarantee->size;
	memcpy(guarantee, &report->lines[index].public,
	    size < sizeof(*guarantee) ? size : sizeof(*guarantee));
	guarantee->size = size;
	return 0;
}

uint32_t
omega_report_access(const struct omega_sandbox_report *report, size_t index)
{
	return index < report->line_count ? report->lines[index].access : 0;
}

int
omega_sandbox_report_get_verdict(const struct omega_sandbox_report *report,
    struct omega_sandbox_error *error)
{
	if (report == NULL)
		return omega_error_set(
		    error, OMEGA_SANDBOX_E_ARGUMENT, 0, "a report is needed");
	if (report->verdict < 0)
		omega_error_copy(error, &report->refusal);
	return report->verdict;
}

bool
omega_sandbox_report_is_protected(const struct omega_sandbox_report *report)
{
	return report != NULL && report->is_protected;
}

const char *
omega_sandbox_report_text(const struct omega_sandbox_report *report)
{
	return report == NULL ? "" : whole(report, TEXT);
}

const char *
omega_sandbox_report_json(const struct omega_sandbox_report *report)
{
	return report == NULL ? "" : whole(report, JSON);
}
