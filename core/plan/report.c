/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * report.c - see plan.h.
 */

#include "config.h"

#include "plan/plan.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "conf/kinds.h"
#include "path/text.h"
#include "policy/atom-add.h"

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
fill_line(struct omega_sandbox_guarantee *line, const struct omega_atom *atom,
    const struct omega_plan_item *item)
{
	const struct omega_kind *kind =
	    omega_kinds_by_number(atom->public.kind);

	line->size = sizeof(*line);
	line->state = item->state;
	line->is_required =
	    (atom->public.flags & OMEGA_SANDBOX_ATOM_REQUIRED) != 0;
	line->is_accepted = item->is_accepted;
	line->kind = kind != NULL ? kind->name : "unknown";
	line->path = atom->path == NULL ? NULL : strdup(atom->path);
	line->text = strdup(atom->sentence);
	line->backends = strdup(item->backends);
	line->why = strdup(item->why);
	line->origin = strdup(atom->origin);
	line->forbids = atom->public.access;
	return (atom->path != NULL && line->path == NULL) ||
		       line->text == NULL || line->backends == NULL ||
		       line->why == NULL || line->origin == NULL
		   ? -1
		   : 0;
}

static void
drop_line(struct omega_sandbox_guarantee *line)
{
	const char *const texts[] = {
	    line->path, line->text, line->backends, line->why, line->origin};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free((char *)(uintptr_t)texts[i]);
}

/* ", floor house, agent claude": what counts beside the policy. */
static void
print_layers(struct omega_buffer *out, const struct omega_plan *plan)
{
	const struct omega_sandbox_policy *policy = plan->policy;
	size_t i;

	for (i = 0; i < policy->layer_count; i++) {
		const char *name = policy->layers[i].name;

		if (i < policy->floor_count && name != NULL &&
		    strcmp(name, "policy default") != 0)
			omega_buffer_print(
			    out, ", floor %s", strchr(name, ' ') + 1);
		else if (i > policy->floor_count && name != NULL)
			omega_buffer_print(out, ", %s", name);
	}
}

static char *
make_text_head(const struct omega_plan *plan)
{
	struct omega_buffer out = {.text = NULL};
	size_t i;

	omega_buffer_print(&out, "policy %s", plan->policy->name);
	print_layers(&out, plan);
	omega_buffer_add(&out, "\n");
	for (i = 0; i < plan->stack_count; i++) {
		const struct omega_plan_backend *entry = &plan->stack[i];

		omega_buffer_print(&out, "  backend       %s", entry->name);
		if (entry->probe.version[0] != '\0')
			omega_buffer_print(&out, " (%s)", entry->probe.version);
		if (!entry->is_usable)
			omega_buffer_print(
			    &out, " cannot be used: %s", entry->probe.reason);
		else if (!entry->is_needed)
			omega_buffer_add(&out, " is not needed: it holds "
					       "nothing the others do not");
		omega_buffer_add(&out, "\n");
	}
	return omega_buffer_take(&out);
}

/* Those of one state together, what is not held last: it is what counts. */
static void
print_lines(struct omega_buffer *out, const struct omega_sandbox_report *report,
    int state)
{
	size_t i;

	for (i = 0; i < report->line_count; i++) {
		const struct omega_sandbox_guarantee *line = &report->lines[i];

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

static void
print_note(struct omega_buffer *out, const char *note)
{
	omega_buffer_add(out, "note: ");
	omega_buffer_visible(out, note);
	omega_buffer_add(out, "\n");
}

static char *
make_text_tail(
    const struct omega_plan *plan, const struct omega_sandbox_report *report)
{
	struct omega_buffer out = {.text = NULL};
	char warning[1024];
	size_t i;

	for (i = 0; i < plan->atoms.note_count; i++)
		print_note(&out, plan->atoms.notes[i]);
	if (report->dir_note != NULL)
		print_note(&out, report->dir_note);
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

	omega_buffer_add(out, ",\"backends\":[");
	for (i = 0; i < plan->stack_count; i++) {
		const struct omega_plan_backend *entry = &plan->stack[i];

		omega_buffer_add(out, i == 0 ? "{" : ",{");
		omega_buffer_member(out, "name", entry->name);
		omega_buffer_flag(out, "usable", entry->is_usable);
		omega_buffer_flag(out, "needed", entry->is_needed);
		omega_buffer_member(out, "version", entry->probe.version);
		omega_buffer_member(out, "reason", entry->probe.reason);
		omega_buffer_add(out, "}");
	}
	omega_buffer_add(out, "]");
}

static void
json_line(struct omega_buffer *out, const struct omega_sandbox_guarantee *line)
{
	omega_buffer_add(out, "{");
	omega_buffer_member(out, "text", line->text);
	omega_buffer_member(out, "kind", line->kind);
	omega_buffer_member(out, "path", line->path);
	omega_buffer_flag(out, "required", line->is_required);
	omega_buffer_flag(out, "accepted", line->is_accepted);
	omega_buffer_member(out, "state", state_word(line->state));
	omega_buffer_member(out, "backends", line->backends);
	omega_buffer_member(out, "why", line->why);
	omega_buffer_member(out, "origin", line->origin);
	omega_buffer_add(out, "}");
}

static char *
make_json_head(
    const struct omega_plan *plan, const struct omega_sandbox_report *report)
{
	struct omega_buffer out = {.text = NULL};
	size_t i;

	omega_buffer_add(&out, "{");
	omega_buffer_member(&out, "policy", plan->policy->name);
	omega_buffer_member(&out, "data_dir", plan->atoms.data_dir);
	json_backends(&out, plan);
	omega_buffer_flag(&out, "starts", report->verdict == 0);
	omega_buffer_flag(&out, "protected", report->is_protected);
	omega_buffer_flag(&out, "waived", plan->is_waived);
	omega_buffer_member(
	    &out, "refusal", report->verdict < 0 ? report->refusal.text : NULL);
	omega_buffer_add(&out, ",\"notes\":[");
	for (i = 0; i < plan->atoms.note_count; i++) {
		omega_buffer_add(&out, i == 0 ? "" : ",");
		omega_buffer_json(&out, plan->atoms.notes[i]);
	}
	omega_buffer_add(&out, "]");
	omega_buffer_member(&out, "directory_note", report->dir_note);
	omega_buffer_add(&out, ",\"guarantees\":[");
	return omega_buffer_take(&out);
}

/* Most reports are never read, and a policy may have many lines. */
const char *
omega_report_whole(
    const struct omega_sandbox_report *report, enum omega_sandbox_format form)
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
	for (i = 0; form == OMEGA_SANDBOX_FORMAT_JSON && i < report->line_count;
	     i++) {
		omega_buffer_add(&out, i == 0 ? "" : ",");
		json_line(&out, &report->lines[i]);
	}
	if (form == OMEGA_SANDBOX_FORMAT_TEXT) {
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

/* Is /dev another one, by somebody who mounts? */
static bool
has_own_dev(const struct omega_plan *plan)
{
	size_t i;
	size_t j;

	for (i = 0; i < plan->atoms.count; i++)
		for (j = 0; plan->atoms.list[i].path != NULL &&
			    strcmp(plan->atoms.list[i].path, "/dev") == 0 &&
			    j < plan->stack_count;
		     j++)
			if (plan->items[i].assigned[j] != 0 &&
			    omega_plan_has_flag(&plan->stack[j],
				OMEGA_SANDBOX_PLUGIN_CHANGES_MOUNTS))
				return true;
	return false;
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
	report->has_own_dev = has_own_dev(plan);
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
	report->heads[OMEGA_SANDBOX_FORMAT_TEXT] = make_text_head(plan);
	report->tails[OMEGA_SANDBOX_FORMAT_TEXT] = make_text_tail(plan, report);
	report->heads[OMEGA_SANDBOX_FORMAT_JSON] = make_json_head(plan, report);
	report->tails[OMEGA_SANDBOX_FORMAT_JSON] = strdup("]}");
	for (i = 0; i < 2; i++)
		if (report->heads[i] == NULL || report->tails[i] == NULL)
			goto fail;
	return report;
fail:
	omega_report_free(report);
	return NULL;
}

void
omega_report_free(struct omega_sandbox_report *report)
{
	size_t i;

	while (report->line_count > 0)
		drop_line(&report->lines[--report->line_count]);
	free(report->lines);
	free(report->dir_note);
	for (i = 0; i < 2; i++) {
		free(report->heads[i]);
		free(report->tails[i]);
		free(report->wholes[i]);
	}
	free(report);
}

/* ---- Which guarantee keeps commands from a path ------------------------- */

/* Is it one of the kinds that can keep a command from such a place? */
static bool
is_kind(const struct omega_finding *finding, const char *kind)
{
	switch (finding->reason) {
	case OMEGA_SANDBOX_BY_LIST:
		return strcmp(
			   kind, finding->rule->access == OMEGA_SANDBOX_EXECUTE
				     ? "execute"
				     : "elsewhere") == 0;
	case OMEGA_SANDBOX_BY_HARD_LINK:
	case OMEGA_SANDBOX_BY_MOUNT:
		return strcmp(kind, "aliases") == 0;
	default:
		return strcmp(kind, "path") == 0 ||
		       strcmp(kind, "absent_paths") == 0;
	}
}

static bool
is_about(const struct omega_sandbox_guarantee *line, const char *place)
{
	return line->path == NULL || omega_text_is_below(place, strlen(place),
					 line->path, strlen(line->path));
}

static bool
is_access(const struct omega_finding *finding, uint32_t bits, unsigned access)
{
	if (finding->reason == OMEGA_SANDBOX_BY_LIST)
		access = finding->rule->access;
	if (bits == OMEGA_SANDBOX_ATOM_ALL)
		return true;
	return ((access & OMEGA_SANDBOX_WRITE) != 0 &&
		   (bits & OMEGA_ATOM_CHANGE_BITS) != 0) ||
	       ((access & ~(unsigned)OMEGA_SANDBOX_WRITE) != 0 &&
		   (bits & OMEGA_ATOM_READ_BITS) != 0);
}

bool
omega_report_keeper(const struct omega_sandbox_report *report,
    const struct omega_finding *finding, unsigned access, const char *place,
    struct omega_sandbox_guarantee *guarantee)
{
	bool is_found = false;
	size_t i;

	if (report == NULL || finding->rule == NULL)
		return false;
	if (place[0] == '\0' || finding->reason == OMEGA_SANDBOX_BY_HARD_LINK ||
	    finding->reason == OMEGA_SANDBOX_BY_MOUNT)
		place = finding->rule->text;
	for (i = 0; i < report->line_count; i++) {
		const struct omega_sandbox_guarantee *line = &report->lines[i];

		if (is_kind(finding, line->kind) && is_about(line, place) &&
		    is_access(finding, line->forbids, access) &&
		    (!is_found || line->state > guarantee->state)) {
			*guarantee = *line;
			is_found = true;
		}
	}
	return is_found;
}
