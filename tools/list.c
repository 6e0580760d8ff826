/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * list.c - omega-sandbox list: the backends, and whether they can be used; and
 * what has a name in the configuration.
 */

#include "config.h"

#include "tool.h"

static const char *
state_word(const struct omega_sandbox_backend *backend)
{
	if (backend->is_installed)
		return backend->is_usable ? "usable" : "unusable";
	return backend->is_broken ? "broken" : "missing";
}

static void
print_backend(const struct omega_sandbox_backend *backend)
{
	printf("%-10s ", backend->name);
	tool_print_word(backend->is_usable   ? TOOL_GREEN
			: backend->is_broken ? TOOL_RED
					     : TOOL_YELLOW,
	    state_word(backend), 9);
	printf(" %-9s", backend->is_in_stack ? "in stack" : "");
	if (backend->version[0] != '\0')
		printf(" %s", backend->version);
	if (backend->description[0] != '\0')
		printf(" %s", backend->description);
	if (backend->reason[0] != '\0')
		printf("%s%s", backend->description[0] != '\0' ? "; " : " ",
		    backend->reason);
	putchar('\n');
}

static json_t *
backend_json(const struct omega_sandbox_backend *backend)
{
	return json_pack("{s:s, s:b, s:b, s:b, s:b, s:o, s:o, s:o, s:b, s:o}",
	    "name", backend->name, "installed", backend->is_installed, "broken",
	    backend->is_broken, "usable", backend->is_usable, "in_stack",
	    backend->is_in_stack, "version", tool_json_text(backend->version),
	    "description", tool_json_text(backend->description), "reason",
	    tool_json_text(backend->reason), "network", backend->has_network,
	    "network_reason", tool_json_text(backend->network_reason));
}

static void
list_backends(struct omega_sandbox *sandbox, json_t *all)
{
	size_t i;

	for (i = 0;; i++) {
		struct omega_sandbox_backend backend =
		    OMEGA_SANDBOX_BACKEND_INIT;

		if (omega_sandbox_get_backend(sandbox, i, &backend) < 0)
			break;
		if (all != NULL)
			json_array_append_new(all, backend_json(&backend));
		else
			print_backend(&backend);
	}
}

static void
print_section(bool is_tier, const struct omega_sandbox_section *section)
{
	printf("%-16s ", section->name);
	tool_print_visible(section->description);
	if (is_tier && !section->is_sandboxed)
		printf("; no sandbox");
	else if (is_tier)
		printf("; policy %s", section->policy);
	if (section->file[0] == '\0') {
		puts(" (built in)");
		return;
	}
	printf(" (");
	tool_print_visible(section->file);
	printf(":%u)\n", section->line);
}

static json_t *
section_json(bool is_tier, const struct omega_sandbox_section *section)
{
	json_t *json = json_pack("{s:s, s:o, s:b, s:o, s:i}", "name",
	    section->name, "description", tool_json_text(section->description),
	    "shipped", section->is_shipped, "file",
	    tool_json_text(section->file), "line", (int)section->line);

	json_object_set_new(json, is_tier ? "policy" : "extends",
	    tool_json_text(section->policy));
	if (is_tier)
		json_object_set_new(
		    json, "sandbox", json_boolean(section->is_sandboxed));
	return json;
}

static void
list_sections(struct omega_sandbox *sandbox,
    enum omega_sandbox_section_type type, json_t *all)
{
	bool is_tier = type == OMEGA_SANDBOX_SECTION_TIER;
	size_t i;

	for (i = 0;; i++) {
		struct omega_sandbox_section section =
		    OMEGA_SANDBOX_SECTION_INIT;

		if (omega_sandbox_get_section(
			sandbox, type, NULL, i, &section, NULL) < 0)
			break;
		if (all != NULL)
			json_array_append_new(
			    all, section_json(is_tier, &section));
		else
			print_section(is_tier, &section);
	}
}

/* 0: backends. -1: there is no such list. */
static int
find_list(const char *word)
{
	static const struct {
		const char *word;
		int type;
	} lists[] = {
	    {"backends", 0},
	    {"policies", OMEGA_SANDBOX_SECTION_POLICY},
	    {"agents", OMEGA_SANDBOX_SECTION_AGENT},
	    {"groups", OMEGA_SANDBOX_SECTION_GROUP},
	    {"tiers", OMEGA_SANDBOX_SECTION_TIER},
	};
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (strcmp(lists[i].word, word) == 0)
			return lists[i].type;
	return -1;
}

static int
list(struct tool_call *call)
{
	json_t *all = NULL;
	int type = call->word_count > 0 ? find_list(call->words[0]) : 0;

	if (type < 0)
		return tool_error("list: '%s' is not a list; known: backends, "
				  "policies, agents, groups, tiers",
		    call->words[0]);
	if (call->word_count > 1)
		return tool_error(
		    "list: one list at a time, not also '%s'", call->words[1]);
	if (tool_open(call) < 0)
		return TOOL_ERROR;
	if (call->options.is_json)
		all = json_array();
	if (type == 0)
		list_backends(call->sandbox, all);
	else
		list_sections(
		    call->sandbox, (enum omega_sandbox_section_type)type, all);
	if (call->options.is_json)
		tool_print_json(all);
	return TOOL_YES;
}

const struct tool_verb tool_list = {
    .name = "list",
    .summary = "the backends and whether they can be used",
    .run = list,
    .options = "config json",
    .usage = "[WHAT] [OPTION...]",
    .help =
	"Lists what there is:\n"
	"\n"
	"  backends         those of the stack first, then the others known; "
	"this\n"
	"                   is what is listed when nothing is named\n"
	"  policies         for --policy, and for floor in sandbox.conf\n"
	"  agents           profiles of agent programs, for --agent\n"
	"  groups           of paths, for the lists of a policy: @NAME\n"
	"  tiers            of trust, and the policy each has\n",
    .json_help = "print one JSON array",
    .exit_help = "Exit: 0, or 2 after an error.\n",
};
