/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * status.c - omega-sandbox status: what is configured, what this host offers,
 * and what comes of it.
 */

#include "config.h"

#include "tool.h"

/* What status knows, gathered once for both forms. */
struct facts {
	struct omega_sandbox *sandbox;
	const char *config; /* the first file, or "" */
	const char *data_dir;
	json_t *backend;
	json_t *accept;
	struct omega_sandbox_platform platform;
	const struct omega_sandbox_report *report;
	struct omega_sandbox_error refusal;
	int verdict;
};

static bool
is_on(const struct omega_sandbox *sandbox, const char *option)
{
	return strcmp(tool_option(sandbox, option), "true") == 0;
}

unsigned
tool_count_state(const struct omega_sandbox_report *report, int state)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	unsigned count = 0;
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &line) == 0; i++)
		count += line.state == state;
	return count;
}

/* A label, and text behind it that may take several lines. */
static void
print_line(const char *label, const char *text)
{
	printf("%-12s", label);
	tool_print_wrapped(text, 12, 12);
}

/* Those that can be used, or not; list has the reasons. */
static void
name_backends(struct omega_sandbox *sandbox, bool is_usable, FILE *out)
{
	const char *before = is_usable ? "" : "; not usable: ";
	struct omega_sandbox_backend backend = OMEGA_SANDBOX_BACKEND_INIT;
	size_t i;

	for (i = 0; omega_sandbox_get_backend(sandbox, i, &backend) >= 0; i++)
		if ((backend.is_usable != 0) == is_usable) {
			fprintf(out, "%s%s", before, backend.name);
			before = ", ";
		}
}

static void
print_backends(struct omega_sandbox *sandbox)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return;
	name_backends(sandbox, true, out);
	name_backends(sandbox, false, out);
	if (fclose(out) == 0)
		print_line("backends:", text);
	free(text);
}

static void
print_settings(const struct facts *facts)
{
	const struct omega_sandbox *s = facts->sandbox;
	const char *accept = json_string_value(facts->accept);
	size_t kinds = accept[0] != '\0';
	char *text = NULL;

	while ((accept = strchr(accept, ',')) != NULL) {
		accept++;
		kinds++;
	}
	if (asprintf(&text,
		"%s, fail %s, root %s, backend %s, %zu kinds accepted%s",
		is_on(s, "enabled") ? "enabled" : "NOT ENABLED",
		is_on(s, "fail_closed") ? "closed" : "OPEN",
		is_on(s, "allow_root") ? "allowed" : "not allowed",
		json_string_value(facts->backend), kinds,
		strcmp(tool_option(s, "log"), "syslog") == 0 ? ", syslog"
							     : "") < 0)
		return;
	print_line("settings:", text);
	free(text);
}

static void
print_text(const struct facts *facts)
{
	const struct omega_sandbox *s = facts->sandbox;
	bool is_protected = omega_sandbox_report_is_protected(facts->report);
	char *text = NULL;

	printf("%-12s", "protected:");
	tool_print_word(is_protected ? TOOL_GREEN : TOOL_RED,
	    is_protected ? "yes" : "no", 0);
	putchar('\n');
	print_line(
	    "a command:", facts->verdict < 0 ? facts->refusal.text : "starts");
	printf("%-12s%u enforced, %u partial, %u not enforced\n", "guarantees:",
	    tool_count_state(facts->report, OMEGA_SANDBOX_ENFORCED),
	    tool_count_state(facts->report, OMEGA_SANDBOX_PARTIAL),
	    tool_count_state(facts->report, OMEGA_SANDBOX_NOT_ENFORCED));
	print_line("config:",
	    facts->config[0] != '\0' ? facts->config : "none, defaults");
	print_settings(facts);
	if (asprintf(&text, "%s (%s), sockets hidden: %s",
		facts->data_dir[0] != '\0' ? facts->data_dir : "unknown",
		tool_option(s, "data_dir_mode"),
		tool_option(s, "hide_sockets")) >= 0)
		print_line("data dir:", text);
	free(text);
	print_backends(facts->sandbox);
	print_line("platform:", facts->platform.summary);
}

static json_t *
platform_json(const struct omega_sandbox_platform *p)
{
	return json_pack("{s:s, s:s, s:b, s:i, s:i, s:s, s:b, s:s, s:b, s:s, "
			 "s:b, s:s, s:s}",
	    "system", p->system, "kernel", p->kernel, "landlock",
	    p->has_landlock, "landlock_abi", (int)p->landlock_abi,
	    "landlock_errata", (int)p->landlock_errata, "landlock_reason",
	    p->landlock_reason, "seccomp", p->has_seccomp, "seccomp_reason",
	    p->seccomp_reason, "user_namespaces", p->has_user_namespaces,
	    "user_namespaces_reason", p->user_namespaces_reason, "sandbox_exec",
	    p->has_sandbox_exec, "sandbox_exec_reason", p->sandbox_exec_reason,
	    "summary", p->summary);
}

static void
print_json(const struct facts *facts)
{
	const struct omega_sandbox *s = facts->sandbox;
	json_t *settings = json_pack("{s:b, s:b, s:b, s:o, s:O, s:O, s:o, s:s, "
				     "s:s, s:s}",
	    "enabled", is_on(s, "enabled"), "fail_closed",
	    is_on(s, "fail_closed"), "allow_root", is_on(s, "allow_root"),
	    "config", tool_json_text(facts->config), "backend", facts->backend,
	    "accept", facts->accept, "data_dir",
	    tool_json_text(facts->data_dir), "log", tool_option(s, "log"),
	    "data_dir_mode", tool_option(s, "data_dir_mode"), "hide_sockets",
	    tool_option(s, "hide_sockets"));
	json_t *report = tool_json_report(facts->report);

	tool_print_json(json_pack("{s:s, s:o, s:o, s:o}", "version",
	    omega_sandbox_version(), "settings", settings, "platform",
	    platform_json(&facts->platform), "report",
	    report != NULL ? report : json_null()));
}

static int
status(struct tool_call *call)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct facts facts = {
	    .platform = OMEGA_SANDBOX_PLATFORM_INIT,
	    .refusal = OMEGA_SANDBOX_ERROR_INIT,
	};

	if (tool_open_policy(call) < 0)
		return TOOL_ERROR;
	if (omega_sandbox_describe(call->policy, &report, &error) < 0)
		return tool_error("status: %s", error.text);
	facts.config = omega_sandbox_get_config_file(call->sandbox, 0);
	if (facts.config == NULL)
		facts.config = "";
	facts.data_dir = call->options.data_dir != NULL
			     ? call->options.data_dir
			     : tool_option(call->sandbox, "data_dir");
	facts.backend = call->options.backend != NULL
			    ? json_string(call->options.backend)
			    : tool_json_words(call->sandbox, "backend");
	facts.accept = tool_json_words(call->sandbox, "accept");
	facts.sandbox = call->sandbox;
	omega_sandbox_get_platform(&facts.platform);
	facts.report = report;
	facts.verdict =
	    omega_sandbox_report_get_verdict(report, &facts.refusal);
	if (call->options.is_json)
		print_json(&facts);
	else
		print_text(&facts);
	omega_sandbox_report_unref(report);
	json_decref(facts.backend);
	json_decref(facts.accept);
	return facts.verdict == 0 ? TOOL_YES : TOOL_NO;
}

const struct tool_verb tool_status = {
    .name = "status",
    .summary = "settings, backends and platform",
    .run = status,
    .options = TOOL_UNDER " json",
    .is_alone = true,
    .help =
	"Shows the settings in force, the platform, the backends, and whether "
	"a\n"
	"command would start protected.\n",
    .exit_help =
	"Exit: 0 a command would start, 1 it would be refused, 2 error.\n",
};
