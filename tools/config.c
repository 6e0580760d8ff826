/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * config.c - omega-sandbox config: show or check the configuration, or say
 * which files it is in.
 */

#include "config.h"

#include "tool.h"

/* How an option is shown. */
enum form { END, SWITCH, TEXT, WORDS, AMOUNT, LIST, PLACES };
struct shown {
	const char *option;
	enum form form;
};

static const struct shown settings[] = {{"enabled", SWITCH}, {"backend", WORDS},
    {"fail_closed", SWITCH}, {"accept", WORDS}, {"allow_root", SWITCH},
    {"data_dir", TEXT}, {"config_file", TEXT}, {"log", TEXT},
    {"witness", SWITCH}, {"blocked_paths", PLACES}, {"data_dir_mode", TEXT},
    {"hide_sockets", TEXT}, {"allow_sockets", PLACES},
    {"allow_devices", PLACES}, {"timeout", AMOUNT}, {"max_output", AMOUNT},
    {"floor", PLACES}, {NULL, END}};
static const struct shown running[] = {{"env_deny", LIST}, {"env_allow", LIST},
    {"env_set", LIST}, {"allowed_commands", LIST}, {"safe_path", LIST},
    {"audit", LIST}, {"audit_mask", LIST}, {"check_arguments", TEXT},
    {"audit_failure", TEXT}, {NULL, END}};

/* The file of the product that comes behind this one, by one of its sections;
 * NULL: none. */
static const char *
find_shipped(const struct omega_sandbox *sandbox, const char *last)
{
	struct omega_sandbox_section section = OMEGA_SANDBOX_SECTION_INIT;
	const char *next = NULL;
	unsigned type;
	size_t i;

	for (type = OMEGA_SANDBOX_SECTION_POLICY;
	     type <= OMEGA_SANDBOX_SECTION_TIER; type++)
		for (i = 0; omega_sandbox_get_section(sandbox,
				(enum omega_sandbox_section_type)type, NULL, i,
				&section, NULL) == 0;
		     i++)
			if (section.is_shipped &&
			    strcmp(section.file, last) > 0 &&
			    (next == NULL || strcmp(section.file, next) < 0))
				next = section.file;
	return next;
}

/* The files in the order they are read. */
static const char *
get_file(const struct omega_sandbox *sandbox, size_t index)
{
	const char *file = "";

	while ((file = find_shipped(sandbox, file)) != NULL)
		if (index-- == 0)
			return file;
	return omega_sandbox_get_config_file(sandbox, index);
}

/* The values of an option; or the files, where none is named. */
static json_t *
texts_json(const struct omega_sandbox *sandbox, const char *option)
{
	json_t *list = json_array();
	const char *text;
	size_t i;

	for (i = 0;; i++) {
		text = option == NULL ? get_file(sandbox, i)
				      : omega_sandbox_get_option(
					    sandbox, option, i, NULL, NULL);
		if (text == NULL)
			return list;
		json_array_append_new(list, tool_json_text(text));
	}
}

/* One line for each. */
static void
print_names(const struct omega_sandbox *sandbox, const char *before)
{
	const char *file;
	size_t i;

	for (i = 0; (file = get_file(sandbox, i)) != NULL; i++) {
		fputs(before, stdout);
		tool_print_visible(file);
		putchar('\n');
	}
}

/* The files, and what they come to. */
static int
print_settings(struct omega_sandbox *sandbox)
{
	const char *text = omega_sandbox_get_config_text(sandbox);

	print_names(sandbox, "# ");
	if (omega_sandbox_get_config_file(sandbox, 0) == NULL)
		puts("# no file was found: defaults");
	if (text == NULL)
		return tool_error("config: out of memory");
	fputs(text, stdout);
	return TOOL_YES;
}

/* With the places they were written at. */
static json_t *
places_json(const struct omega_sandbox *sandbox, const struct shown *shown)
{
	json_t *list = json_array();
	const char *text;
	const char *file;
	uint32_t line;
	size_t i;

	for (i = 0; (text = omega_sandbox_get_option(
			 sandbox, shown->option, i, &file, &line)) != NULL;
	     i++)
		json_array_append_new(list,
		    json_pack("{s:o, s:o, s:i}",
			strcmp(shown->option, "floor") == 0 ? "policy" : "path",
			tool_json_text(text), "file", tool_json_text(file),
			"line", (int)line));
	return list;
}

static json_t *
option_json(const struct omega_sandbox *sandbox, const struct shown *shown)
{
	const char *first = tool_option(sandbox, shown->option);

	switch (shown->form) {
	case SWITCH:
		return json_boolean(strcmp(first, "true") == 0);
	case AMOUNT:
		return json_integer(strtoll(first, NULL, 10));
	case WORDS:
		return tool_json_words(sandbox, shown->option);
	case LIST:
		return texts_json(sandbox, shown->option);
	case PLACES:
		return places_json(sandbox, shown);
	default:
		return tool_json_text(first);
	}
}

static json_t *
add_options(
    json_t *all, const struct omega_sandbox *sandbox, const struct shown *shown)
{
	for (; shown->option != NULL; shown++)
		json_object_set_new(all,
		    strcmp(shown->option, "floor") == 0 ? "floors"
							: shown->option,
		    option_json(sandbox, shown));
	return all;
}

static void
print_json(const struct omega_sandbox *sandbox)
{
	const char *file = omega_sandbox_get_config_file(sandbox, 0);
	json_t *all = json_pack(
	    "{s:o}", "config", tool_json_text(file != NULL ? file : ""));

	add_options(all, sandbox, settings);
	json_object_set_new(all, "files", texts_json(sandbox, NULL));
	json_object_set_new(
	    all, "running", add_options(json_object(), sandbox, running));
	tool_print_json(all);
}

static int
print_files(const struct omega_sandbox *sandbox, bool is_json)
{
	bool is_any = omega_sandbox_get_config_file(sandbox, 0) != NULL;

	if (is_json)
		tool_print_json(
		    json_pack("{s:o}", "files", texts_json(sandbox, NULL)));
	else
		print_names(sandbox, "");
	if (!is_any)
		tool_error("config: no file was found: defaults are in force");
	return is_any ? TOOL_YES : TOOL_NO;
}

/* Told at once, or kept for the end. */
struct faults {
	json_t *list; /* NULL: told */
};

static void
take_fault(void *arg, const struct omega_sandbox_error *fault)
{
	struct faults *faults = arg;

	if (faults->list == NULL)
		tool_error("config: %s", fault->text);
	else
		json_array_append_new(faults->list,
		    json_pack("{s:o, s:i, s:o}", "file",
			tool_json_text(fault->file), "line", (int)fault->line,
			"text", tool_json_text(fault->text)));
}

/* A plan loads every backend of the stack and asks it. */
static int
check_plan(const struct tool_call *call, struct faults *faults)
{
	const char *file = omega_sandbox_get_config_file(call->sandbox, 0);
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	const char *other;
	bool is_others;
	size_t i;
	int fault;

	if (omega_sandbox_describe(call->policy, &report, &error) < 0) {
		take_fault(faults, &error);
		return TOOL_ERROR;
	}
	omega_sandbox_report_unref(report);
	/* What others can do is not asked of a file for one run. */
	fault = omega_sandbox_check_audit(call->sandbox, &error);
	is_others =
	    fault == OMEGA_SANDBOX_E_CONFIG && call->options.config != NULL;
	if (fault < 0 && !is_others) {
		take_fault(faults, &error);
		return TOOL_ERROR;
	}
	if (fault < 0)
		tool_error("config: warning: %s", error.text);
	if (faults->list == NULL)
		printf(
		    "%s: no fault found\n", file != NULL ? file : "defaults");
	/* Those beside it, as config path has them. */
	for (i = 0; faults->list == NULL &&
		    (other = get_file(call->sandbox, i)) != NULL;
	     i++)
		if (strcmp(other, file != NULL ? file : "") != 0)
			printf("%s: no fault found\n", other);
	return TOOL_YES;
}

/* Is there a program of this name, where names are looked for? */
static bool
is_program(const struct omega_sandbox *sandbox, const char *name)
{
	/* Unless it is set, as sandbox.conf(5) has it. */
	static const char *const usual[] = {"/usr/local/sbin", "/usr/local/bin",
	    "/usr/sbin", "/usr/bin", "/sbin", "/bin", NULL};
	bool is_set = omega_sandbox_get_option(
			  sandbox, "safe_path", 0, NULL, NULL) != NULL;
	char path[4096];
	const char *dir;
	size_t i;

	if (strchr(name, '/') != NULL)
		return access(name, X_OK) == 0;
	for (i = 0; (dir = is_set ? omega_sandbox_get_option(
					sandbox, "safe_path", i, NULL, NULL)
				  : usual[i]) != NULL;
	     i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, name);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* What allows nothing here may allow something elsewhere: no fault. */
static void
warn_commands(const struct omega_sandbox *sandbox)
{
	const char *name;
	const char *file = "";
	uint32_t line = 0;
	size_t i;

	for (i = 0; (name = omega_sandbox_get_option(
			 sandbox, "allowed_commands", i, &file, &line)) != NULL;
	     i++)
		if (!is_program(sandbox, name))
			tool_error("warning: %s:%u: allowed_commands: there is "
				   "no program '%s' here, so that it allows "
				   "nothing",
			    file, (unsigned)line, name);
}

static int
check(struct tool_call *call)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct faults faults = {call->options.is_json ? json_array() : NULL};
	int status = TOOL_ERROR;
	int ret;

	ret = omega_sandbox_check_config(
	    call->options.config, take_fault, &faults, &error);
	if (ret == OMEGA_SANDBOX_E_MEMORY)
		take_fault(&faults, &error);
	if (ret == 0 && tool_open_policy(call) == 0) {
		status = check_plan(call, &faults);
		warn_commands(call->sandbox);
	}
	if (call->options.is_json)
		tool_print_json(json_pack("{s:b, s:o}", "ok",
		    status == TOOL_YES, "faults", faults.list));
	return status;
}

static int
config(struct tool_call *call)
{
	const char *word = call->word_count > 0 ? call->words[0] : "";

	if (strcmp(word, "show") != 0 && strcmp(word, "check") != 0 &&
	    strcmp(word, "path") != 0)
		return tool_error("config: say show, check or path, not '%s'; "
				  "see omega-sandbox config --help",
		    word);
	if (call->word_count > 1)
		return tool_error("config: unexpected '%s'; a file is named by "
				  "--config FILE",
		    call->words[1]);
	if (strcmp(word, "check") == 0)
		return check(call);
	if (tool_open(call) < 0)
		return TOOL_ERROR;
	if (strcmp(word, "path") == 0)
		return print_files(call->sandbox, call->options.is_json);
	if (!call->options.is_json)
		return print_settings(call->sandbox);
	print_json(call->sandbox);
	return TOOL_YES;
}

const struct tool_verb tool_config = {
    .name = "config",
    .summary = "show or check the configuration",
    .run = config,
    .options = "config json",
    .usage = "show|check|path [OPTION...]",
    .help = "show   prints the settings in force, in the form of sandbox.conf\n"
	    "check  reads the configuration, loads the backends it names, and "
	    "says\n"
	    "       all that is wrong\n"
	    "path   prints the files that are read, in their order, one per "
	    "line\n",
    .exit_help =
	"Exit: 0 it is fine, 2 it is not; path: 1 when there is no file.\n",
};
