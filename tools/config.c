/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * config.c - omega-sandbox config: show or check the configuration, or say
 * which files it is in.
 */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tool.h"

static const char help[] =
    "usage: omega-sandbox config show|check|path [OPTION...]\n"
    "\n"
    "show   prints the settings in force, in the form of sandbox.conf\n"
    "check  reads the configuration, loads the backends it names, and says\n"
    "       what is wrong\n"
    "path   prints the files that are read, in their order, one per line\n"
    "\n"
    "  --config FILE    this configuration instead of the installed one\n"
    "  --json           print one JSON object (show, path)\n"
    "  --help           print this\n"
    "\n"
    "Exit: 0 it is fine, 2 it is not; path: 1 when there is no file.\n";

/* In the quotes of sandbox.conf; its own are escaped. */
static void
print_quoted(const char *text)
{
	putchar('"');
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('"');
}

/* A comma-separated text as a list. */
static void
print_list(const char *name, const char *text)
{
	const char *between = "";

	printf("%s = {", name);
	while (*text != '\0') {
		size_t len = strcspn(text, ",");

		printf("%s\"%.*s\"", between, (int)len, text);
		between = ", ";
		text += len + (text[len] == ',');
	}
	puts("}");
}

/* One of the lists of paths. */
typedef const char *get_path(const struct omega_sandbox *sandbox, size_t index,
    const char **file, uint32_t *line);

static void
print_paths(
    const char *name, const struct omega_sandbox *sandbox, get_path *get)
{
	const char *path;
	size_t i;

	printf("%s = {", name);
	for (i = 0; (path = get(sandbox, i, NULL, NULL)) != NULL; i++) {
		printf("%s", i == 0 ? "\n\t" : ",\n\t");
		print_quoted(path);
	}
	puts(i == 0 ? "}" : "\n}");
}

/* Options that are lists, and options that are not. */
static const char *const running_lists[] = {"env_deny", "env_allow", "env_set",
    "allowed_commands", "safe_path", "audit", "audit_mask", NULL};
static const char *const running_words[] = {
    "check_arguments", "audit_failure", NULL};

static void
print_running(const struct omega_sandbox *sandbox)
{
	const char *value;
	size_t i;
	size_t j;

	for (i = 0; running_lists[i] != NULL; i++) {
		const char *name = running_lists[i];

		value = omega_sandbox_get_option(sandbox, name, 0, NULL, NULL);
		/* An empty one cannot be written. */
		if (value == NULL && strcmp(name, "safe_path") == 0)
			continue;
		printf("%s = {", name);
		for (j = 0; (value = omega_sandbox_get_option(
				 sandbox, name, j, NULL, NULL)) != NULL;
		     j++) {
			printf("%s", j == 0 ? "\n\t" : ",\n\t");
			print_quoted(value);
		}
		puts(j == 0 ? "}" : "\n}");
	}
	for (i = 0; running_words[i] != NULL; i++)
		printf("%s = %s\n", running_words[i],
		    omega_sandbox_get_option(
			sandbox, running_words[i], 0, NULL, NULL));
}

static json_t *
running_json(const struct omega_sandbox *sandbox)
{
	json_t *all = json_object();
	const char *value;
	size_t i;
	size_t j;

	for (i = 0; running_lists[i] != NULL; i++) {
		json_t *list = json_array();

		for (j = 0; (value = omega_sandbox_get_option(sandbox,
				 running_lists[i], j, NULL, NULL)) != NULL;
		     j++)
			json_array_append_new(list, tool_json_text(value));
		json_object_set_new(all, running_lists[i], list);
	}
	for (i = 0; running_words[i] != NULL; i++)
		json_object_set_new(all, running_words[i],
		    json_string(omega_sandbox_get_option(
			sandbox, running_words[i], 0, NULL, NULL)));
	return all;
}

/* Every file can have one, and their policies are not shown here: comments. */
static void
print_floors(const struct omega_sandbox *sandbox)
{
	const char *name;
	const char *file;
	uint32_t line;
	size_t i;

	for (i = 0;
	     (name = omega_sandbox_get_floor(sandbox, i, &file, &line)) != NULL;
	     i++) {
		printf("# floor = %s: ", name);
		tool_print_visible(file);
		printf(":%u\n", line);
	}
}

/* The sections, by where they are; those of the product are not shown. */
static void
print_sections(const struct omega_sandbox *sandbox)
{
	static const char *const words[] = {
	    NULL, "policy", "agent", "group", "tier"};
	int type;
	size_t i;

	for (type = OMEGA_SANDBOX_SECTION_POLICY;
	     type <= OMEGA_SANDBOX_SECTION_TIER; type++)
		for (i = 0;; i++) {
			struct omega_sandbox_section section =
			    OMEGA_SANDBOX_SECTION_INIT;

			if (omega_sandbox_get_section(sandbox,
				(enum omega_sandbox_section_type)type, i,
				&section) < 0)
				break;
			if (section.is_shipped || section.file[0] == '\0')
				continue;
			printf("# %s \"%s\": ", words[type], section.name);
			tool_print_visible(section.file);
			printf(":%u\n", section.line);
		}
}

static void
print_settings(
    const struct omega_sandbox *sandbox, const struct omega_sandbox_settings *s)
{
	const char *file;
	size_t i;

	for (i = 0; (file = omega_sandbox_get_config_file(sandbox, i)) != NULL;
	     i++) {
		printf("# ");
		tool_print_visible(file);
		putchar('\n');
	}
	if (i == 0)
		puts("# no file was found: defaults");
	printf("enabled = %s\n", s->is_enabled ? "true" : "false");
	print_list("backend", s->backend);
	printf("fail_closed = %s\n", s->is_fail_closed ? "true" : "false");
	print_list("accept", s->accept);
	printf("allow_root = %s\n", s->is_root_allowed ? "true" : "false");
	if (s->data_dir[0] != '\0') {
		printf("data_dir = ");
		print_quoted(s->data_dir);
		putchar('\n');
	}
	if (s->external_config[0] != '\0') {
		printf("config_file = ");
		print_quoted(s->external_config);
		putchar('\n');
	}
	printf("log = \"%s\"\n", s->log);
	printf("witness = %s\n", s->is_witnessed ? "on" : "off");
	printf("data_dir_mode = %s\n", s->data_dir_mode);
	printf("hide_sockets = %s\n", s->hide_sockets);
	if (s->timeout != 0)
		printf("timeout = %llus\n", (unsigned long long)s->timeout);
	if (s->max_output != 0)
		printf(
		    "max_output = %llu\n", (unsigned long long)s->max_output);
	print_floors(sandbox);
	print_paths("blocked_paths", sandbox, omega_sandbox_get_blocked_path);
	print_paths("allow_sockets", sandbox, omega_sandbox_get_allowed_socket);
	print_paths("allow_devices", sandbox, omega_sandbox_get_allowed_device);
	print_running(sandbox);
	print_sections(sandbox);
}

static json_t *
paths_json(const struct omega_sandbox *sandbox, const char *what, get_path *get)
{
	json_t *list = json_array();
	const char *path;
	const char *file;
	uint32_t line;
	size_t i;

	for (i = 0; (path = get(sandbox, i, &file, &line)) != NULL; i++)
		json_array_append_new(list,
		    json_pack("{s:o, s:o, s:i}", what, tool_json_text(path),
			"file", tool_json_text(file), "line", (int)line));
	return list;
}

static json_t *
files_json(const struct omega_sandbox *sandbox)
{
	json_t *list = json_array();
	const char *file;
	size_t i;

	for (i = 0; (file = omega_sandbox_get_config_file(sandbox, i)) != NULL;
	     i++)
		json_array_append_new(list, tool_json_text(file));
	return list;
}

static void
print_json(
    const struct omega_sandbox *sandbox, const struct omega_sandbox_settings *s)
{
	tool_print_json(
	    json_pack("{s:o, s:b, s:s, s:b, s:s, s:b, s:o, s:o, s:s, s:b, s:o, "
		      "s:s, s:s, s:o, s:o, s:I, s:I, s:o, s:o, s:o}",
		"config", tool_json_text(s->config_file), "enabled",
		s->is_enabled, "backend", s->backend, "fail_closed",
		s->is_fail_closed, "accept", s->accept, "allow_root",
		s->is_root_allowed, "data_dir", tool_json_text(s->data_dir),
		"config_file", tool_json_text(s->external_config), "log",
		s->log, "witness", s->is_witnessed, "blocked_paths",
		paths_json(sandbox, "path", omega_sandbox_get_blocked_path),
		"data_dir_mode", s->data_dir_mode, "hide_sockets",
		s->hide_sockets, "allow_sockets",
		paths_json(sandbox, "path", omega_sandbox_get_allowed_socket),
		"allow_devices",
		paths_json(sandbox, "path", omega_sandbox_get_allowed_device),
		"timeout", (json_int_t)s->timeout, "max_output",
		(json_int_t)s->max_output, "floors",
		paths_json(sandbox, "policy", omega_sandbox_get_floor), "files",
		files_json(sandbox), "running", running_json(sandbox)));
}

static int
print_files(const struct omega_sandbox *sandbox, int is_json)
{
	const char *file;
	size_t i;

	if (is_json)
		tool_print_json(
		    json_pack("{s:o}", "files", files_json(sandbox)));
	for (i = 0; (file = omega_sandbox_get_config_file(sandbox, i)) != NULL;
	     i++)
		if (!is_json) {
			tool_print_visible(file);
			putchar('\n');
		}
	if (i == 0)
		tool_error("config: no file was found: defaults are in force");
	return tool_finish(i == 0 ? TOOL_NO : TOOL_YES);
}

int
tool_config(int argc, char **argv)
{
	struct omega_sandbox_settings settings = OMEGA_SANDBOX_SETTINGS_INIT;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox *sandbox = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct tool_options options;
	struct omega_sandbox_report *report = NULL;
	const char *word;
	int status;
	int fault;
	bool is_others;

	status = tool_read_options(argc, argv, TOOL_OPT_CONFIG | TOOL_OPT_JSON,
	    help, TOOL_ERROR, &options);
	if (status >= 0)
		return status;
	word = options.first < argc ? argv[options.first] : "";
	if (options.first + 1 != argc ||
	    (strcmp(word, "show") != 0 && strcmp(word, "check") != 0 &&
		strcmp(word, "path") != 0))
		return tool_error("config: say show, check or path; see "
				  "omega-sandbox config --help");
	if (options.is_json && strcmp(word, "check") == 0)
		return tool_error("config: check has no JSON form");
	status = TOOL_ERROR;
	if (tool_open(&options, &sandbox, &policy) < 0)
		goto out;
	if (strcmp(word, "path") == 0) {
		status = print_files(sandbox, options.is_json);
		goto out;
	}
	omega_sandbox_get_settings(sandbox, &settings);
	if (strcmp(word, "check") == 0) {
		/* A plan loads every backend and reads its options. */
		if (omega_sandbox_describe(policy, &report, &error) < 0) {
			tool_error("config: %s", error.text);
			goto out;
		}
		/* What others can do is not asked of a file for one run. */
		fault = omega_sandbox_check_audit(sandbox, &error);
		is_others = fault == OMEGA_SANDBOX_E_CONFIG &&
			    options.config != NULL;
		if (fault < 0)
			tool_error("config: %s%s",
			    is_others ? "warning: " : "", error.text);
		if (fault < 0 && !is_others)
			goto out;
		printf("%s: no fault found\n", settings.config_file[0] != '\0'
						   ? settings.config_file
						   : "defaults");
	} else if (options.is_json) {
		print_json(sandbox, &settings);
	} else {
		print_settings(sandbox, &settings);
	}
	status = tool_finish(TOOL_YES);
out:
	omega_sandbox_report_unref(report);
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
	return status;
}
