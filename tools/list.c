/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * list.c - omega-sandbox list: the backends, and whether they can be used.
 */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tool.h"

static const char help[] =
    "usage: omega-sandbox list [backends] [OPTION...]\n"
    "\n"
    "Lists the backends: those of the stack first, then the others known.\n"
    "\n"
    "  --config FILE    this configuration instead of the installed one\n"
    "  --json           print one JSON array\n"
    "  --help           print this\n"
    "\n"
    "Exit: 0, or 2 after an error.\n";

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
	printf("%-10s %-9s %-9s", backend->name, state_word(backend),
	    backend->is_in_stack ? "in stack" : "");
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

int
tool_list(int argc, char **argv)
{
	struct omega_sandbox *sandbox = NULL;
	struct tool_options options;
	json_t *all = NULL;
	size_t i;
	int status;

	status = tool_read_options(argc, argv, TOOL_OPT_CONFIG | TOOL_OPT_JSON,
	    help, TOOL_ERROR, &options);
	if (status >= 0)
		return status;
	if (options.first < argc &&
	    strcmp(argv[options.first], "backends") == 0)
		options.first++;
	if (options.first < argc)
		return tool_error("list: '%s' is not a list; known: backends",
		    argv[options.first]);
	if (tool_open(&options, &sandbox, NULL) < 0) {
		omega_sandbox_unref(sandbox);
		return TOOL_ERROR;
	}
	all = json_array();
	for (i = 0;; i++) {
		struct omega_sandbox_backend backend =
		    OMEGA_SANDBOX_BACKEND_INIT;

		if (omega_sandbox_get_backend(sandbox, i, &backend) < 0)
			break;
		if (options.is_json)
			json_array_append_new(all, backend_json(&backend));
		else
			print_backend(&backend);
	}
	if (options.is_json)
		tool_print_json(all);
	else
		json_decref(all);
	omega_sandbox_unref(sandbox);
	return tool_finish(TOOL_YES);
}
