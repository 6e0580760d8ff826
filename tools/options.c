/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * options.c - the options of all verbs, and the help texts: see tool.h.
 */

#include "config.h"

#include "tool.h"

#include <getopt.h>
#include <stddef.h>

#include "../core/base/nearest.h"

#define FIELD(name) offsetof(struct tool_options, name)

/* In the order of the help texts. */
static const struct known {
	const char *name;
	const char *argument; /* what its value is, or NULL: a switch */
	size_t field; /* a text, texts, or what the switch sets */
	const char *help;
} known_options[] = {
    {"config", "FILE", FIELD(config),
	"this configuration instead of the installed one"},
    {"policy", "NAME", FIELD(policy),
	"this policy (omega-sandbox list policies)"},
    {"policy-file", "FILE", FIELD(policy_file), "the policy of this file"},
    {"agent", "NAME", FIELD(agent),
	"and the profile of an agent program (list agents)"},
    {"data-dir", "DIR", FIELD(data_dir),
	"the agent's data directory (default: as configured,\n"
	"else ~/.omega)"},
    {"work-dir", "DIR", FIELD(work_dir),
	"the work directory (default: the current one)"},
    {"read", "PATH", FIELD(read), "may be read too; several times if needed"},
    {"write", "PATH", FIELD(write), "may be read and written too"},
    {"execute", "PATH", FIELD(execute), "may be read and run too"},
    {"env", "NAME", FIELD(env), "pass this variable on; NAME=VALUE sets it"},
    {"config-path", "FILE", FIELD(config_path),
	"the agent's configuration, if it lives elsewhere"},
    {"net", "MODE", FIELD(network), "allow, unix-only or deny"},
    {"allow-host", "HOST", FIELD(hosts),
	"reach this host and others so named, such as\n"
	"api.example.com:443, and no other"},
    {"unix-sockets", "WHICH", FIELD(unix_sockets), "all, own or none"},
    {"session", "WHICH", FIELD(session),
	"new, pty or keep: whose session, and terminal"},
    {"backend", "LIST", FIELD(backend),
	"these backends, comma-separated; noop protects nothing"},
    {"first", NULL, FIELD(is_first), "stop at the first claim that is false"},
    {"witness", NULL, FIELD(is_witnessed),
	"let the child try its sandbox before COMMAND is started"},
    {"timeout", "SEC", FIELD(timeout),
	"end it with all of its processes after so long"},
    {"max-output", "BYTES", FIELD(max_output),
	"pass on no more than this of its output"},
    {"context", "TEXT", FIELD(context),
	"write these words to the audit log with it"},
    {"merge", "FILE", FIELD(merge),
	"into the policy that this file has, instead of printing it"},
    {"why", NULL, FIELD(is_why),
	"tell at the end what was refused, by which rule, and what\n"
	"would allow it"},
    {"verbose", NULL, FIELD(is_verbose),
	"say in one line on stderr how it ended"},
    {"dry-run", NULL, FIELD(is_dry), "run nothing, print what describe prints"},
    {"all", NULL, FIELD(is_all), "every guarantee, not only what they come to"},
    {"json", NULL, FIELD(is_json), "print one JSON object"},
    {"revoke", NULL, FIELD(is_revoked), "believe it no longer"},
    {"profile", NULL, FIELD(is_profile),
	"print what the backend would put before a command, as one\n"
	"JSON array of strings; with --backend seatbelt, on any system"},
    {"jobs", "N", FIELD(jobs), "so many at a time (8; 256 at most)"},
};

#define KNOWN_COUNT (sizeof(known_options) / sizeof(known_options[0]))
#define HOST_COUNT \
	(sizeof(((struct tool_options *)0)->hosts) / sizeof(const char *))
#define FIRST_VALUE 256 /* what getopt_long returns for known_options[0] */

/* Is it one of the words? */
static bool
is_among(const char *words, const char *name)
{
	size_t len = strlen(name);
	const char *at = words;

	while ((at = strstr(at, name)) != NULL) {
		if ((at == words || at[-1] == ' ') &&
		    (at[len] == ' ' || at[len] == '\0'))
			return true;
		at += len;
	}
	return false;
}

/* Text begins in a column, behind two blanks at least, and goes on there. */
static void
print_option(
    int column, const char *name, const char *argument, const char *text)
{
	int len = printf("  --%s%s%s", name, argument != NULL ? " " : "",
	    argument != NULL ? argument : "");
	int gap = len + 2 > column ? 2 : column - len;

	while (*text != '\0') {
		int part = (int)strcspn(text, "\n");

		printf("%*s%.*s\n", gap, "", part, text);
		text += part + (text[part] == '\n');
		gap = column;
	}
}

static void
print_help(const struct tool_verb *verb)
{
	/* Where it is said which configuration is protected it is wider. */
	int column = is_among(verb->options, "config-path") ? 22 : 19;
	const struct known *known;

	printf("usage: omega-sandbox %s %s\n\n%s\n", verb->name,
	    verb->usage != NULL ? verb->usage : "[OPTION...]", verb->help);
	for (known = known_options; known < known_options + KNOWN_COUNT;
	     known++)
		if (is_among(verb->options, known->name))
			print_option(column, known->name, known->argument,
			    verb->json_help != NULL &&
				    strcmp(known->name, "json") == 0
				? verb->json_help
				: known->help);
	print_option(column, "help", NULL, "print this");
	printf("\n%s", verb->exit_help);
}

/* Keep what an option says. False: it makes no sense, and that was told. */
static bool
take_option(struct tool_options *options, const char *verb,
    const struct known *known, const char *value)
{
	char *field = (char *)options + known->field;
	size_t i;
	bool is_many = is_among("read write execute env", known->name);
	struct tool_words *words;

	if (known->argument == NULL) {
		*(bool *)field = true;
		return true;
	}
	if (known->field == FIELD(hosts))
		for (i = 0; i + 2 < HOST_COUNT && options->hosts[i] != NULL;
		     i++)
			field += sizeof(options->hosts[0]);
	if (!is_many && *(const char **)field != NULL) {
		tool_error("%s: --%s is given %s", verb, known->name,
		    known->field == FIELD(hosts) ? "too often" : "twice");
		return false;
	}
	/* What ends the options was not meant to be the value of one. */
	if (strcmp(value, "--") == 0) {
		tool_error(
		    "%s: --%s needs a value before --", verb, known->name);
		return false;
	}
	if (value[0] == '\0' && !is_among("backend context", known->name)) {
		tool_error("%s: --%s needs a value, and it is empty", verb,
		    known->name);
		return false;
	}
	if (!is_many) {
		*(const char **)field = value;
		return true;
	}
	words = (struct tool_words *)(void *)field;
	if (words->count == TOOL_MAX_WORDS) {
		tool_error("%s: --%s is given more than %d times", verb,
		    known->name, TOOL_MAX_WORDS);
		return false;
	}
	words->list[words->count++] = value;
	return true;
}

/* The option of the verb that this could be a slip of the pen for, or NULL. */
static const char *
find_meant(const struct tool_verb *verb, const char *word)
{
	char name[32];
	size_t i;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	for (i = 0; i < KNOWN_COUNT; i++)
		if (is_among(verb->options, known_options[i].name) &&
		    omega_nearest(name, known_options[i].name))
			return known_options[i].name;
	return NULL;
}

/* What getopt_long could make nothing of. */
static void
refuse_option(const struct tool_verb *verb, char **argv, int option)
{
	const char *word = argv[optind - 1];
	const char *meant = optopt != 0 ? NULL : find_meant(verb, word + 2);
	char letter[3] = {'-', (char)optopt, '\0'};

	if (option == ':')
		tool_error("%s: %s needs an argument", argv[0], word);
	else if (optopt >= FIRST_VALUE ||
		 (optopt != 0 && strncmp(word, "--", 2) == 0))
		tool_error(
		    "%s: '%s': this option takes no value", argv[0], word);
	else
		tool_error("%s: unknown option '%s'; %s%s%ssee omega-sandbox "
			   "%s --help",
		    argv[0], optopt != 0 ? letter : word,
		    meant != NULL ? "did you mean --" : "",
		    meant != NULL ? meant : "", meant != NULL ? "? " : "",
		    argv[0]);
}

int
tool_usage_exit(const struct tool_verb *verb)
{
	return verb->usage_exit != 0 ? verb->usage_exit : TOOL_ERROR;
}

int
tool_read_options(int argc, char **argv, struct tool_call *call)
{
	const struct tool_verb *verb = call->verb;
	struct option list[KNOWN_COUNT + 2] = {{.name = "help", .val = 'h'}};
	size_t count = 1;
	size_t i;
	int option;

	for (i = 0; i < KNOWN_COUNT; i++)
		if (is_among(verb->options, known_options[i].name)) {
			list[count].name = known_options[i].name;
			list[count].has_arg = known_options[i].argument != NULL
						  ? required_argument
						  : no_argument;
			list[count++].val = FIRST_VALUE + (int)i;
		}
	opterr = 0;
	while ((option = getopt_long(argc, argv,
		    verb->is_command ? "+:h" : ":h", list, NULL)) != -1) {
		if (option == 'h') {
			print_help(verb);
			return tool_finish(TOOL_YES);
		}
		if (option < FIRST_VALUE) {
			refuse_option(verb, argv, option);
			return tool_usage_exit(verb);
		}
		if (!take_option(&call->options, argv[0],
			&known_options[option - FIRST_VALUE], optarg))
			return tool_usage_exit(verb);
	}
	call->words = argv + optind;
	call->word_count = argc - optind;
	return -1;
}
