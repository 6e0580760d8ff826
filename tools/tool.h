/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * tool.h - what the verbs of the tool share. One file per verb; everything a
 * verb does goes through the public API.
 */

#ifndef OMEGA_TOOL_H
#define OMEGA_TOOL_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include <omega/sandbox.h>

/* Exits of every verb but run. */
enum tool_exit {
	TOOL_YES = 0, /* fine, not blocked */
	TOOL_NO = 1, /* blocked, refused, a hole was found */
	TOOL_ERROR = 2 /* wrong usage, or it could not be found out */
};

/* Of an option that may be given several times. */
#define TOOL_MAX_WORDS 64
struct tool_words {
	const char *list[TOOL_MAX_WORDS];
	size_t count;
};

/* The values of the options; NULL or false where one is not given. */
struct tool_options {
	const char *config;
	const char *policy_file;
	struct tool_words read;
	struct tool_words write;
	struct tool_words execute;
	struct tool_words env;
	const char *policy;
	const char *agent;
	const char *data_dir;
	const char *work_dir;
	const char *config_path;
	const char *network;
	const char *unix_sockets;
	const char *session;
	const char *backend;
	const char *timeout;
	const char *max_output;
	const char *context;
	const char *jobs;
	const char *hosts[64]; /* as many as are given; NULL ends them */
	const char *merge;
	bool is_first;
	bool is_witnessed;
	bool is_why;
	bool is_verbose;
	bool is_dry;
	bool is_json;
	bool is_profile;
	bool is_all;
	bool is_revoked;
};

/* All that say under which policy. */
#define TOOL_UNDER                                                      \
	"config policy policy-file agent data-dir work-dir read write " \
	"execute env net allow-host unix-sockets session backend"

/* A verb under way. */
struct tool_call {
	const struct tool_verb *verb;
	struct tool_options options;
	char **words; /* behind the options; NULL ends them */
	int word_count;
	/* Given up by who has called the verb. */
	struct omega_sandbox *sandbox;
	struct omega_sandbox_policy *policy;
};

struct tool_verb {
	const char *name;
	const char *summary;
	int (*run)(struct tool_call *call); /* its exit */
	const char *options; /* the names of those it takes; --help always */
	bool is_alone; /* no words behind the options */
	bool is_command; /* options end at the first other word */
	int usage_exit; /* 0: TOOL_ERROR */
	const char *usage; /* in place of "[OPTION...]" */
	const char *help; /* before the options */
	const char *json_help; /* in place of "print one JSON object" */
	const char *exit_help; /* behind the options */
};

extern const struct tool_verb tool_check;
extern const struct tool_verb tool_config;
extern const struct tool_verb tool_describe;
extern const struct tool_verb tool_explain;
extern const struct tool_verb tool_learn;
extern const struct tool_verb tool_list;
extern const struct tool_verb tool_rpc;
extern const struct tool_verb tool_run;
extern const struct tool_verb tool_status;
extern const struct tool_verb tool_trust;
extern const struct tool_verb tool_verify;

/* What verify starts inside the sandbox; not for people. */
int tool_verify_attempt(int argc, char **argv);

/*
 * Read the options of call->verb, which argv[0] is. -1: go on. Otherwise the
 * exit status, everything said: 0 after --help, or that of wrong usage.
 */
int tool_read_options(int argc, char **argv, struct tool_call *call);
int tool_usage_exit(const struct tool_verb *verb);

/* Open the sandbox, and the policy, as the options say. 0, or the code of the
 * failure, which has been printed. */
int tool_open(struct tool_call *call);
int tool_open_policy(struct tool_call *call);

/* The policy of the options, of a sandbox that is open; says nothing. */
int tool_policy(const struct tool_options *options,
    struct omega_sandbox *sandbox, struct omega_sandbox_policy **policy,
    struct omega_sandbox_error *error);

/* The first value of an option of the configuration; "" when it has none. */
const char *tool_option(const struct omega_sandbox *sandbox, const char *name);

/* A rule of the policy by its option, which a fault is told by. */
int tool_set(struct omega_sandbox_policy *policy, const char *name,
    const char *option, const char *value, struct omega_sandbox_error *error);

/* The work directory that was set last, as it was named, or NULL. */
const char *tool_work_dir(void);

/* What the options grant; what the file of a project does, if it is trusted;
 * and see that nobody forbids what the options grant. In grant.c. */
int tool_grant(const struct tool_options *options,
    struct omega_sandbox_policy *policy, struct omega_sandbox_error *error);
int tool_grant_project(struct omega_sandbox_policy *policy,
    const char *work_dir, struct omega_sandbox_error *error);
int tool_check_grants(
    const struct tool_call *call, struct omega_sandbox_error *error);

/* With this granted beside what the call's options do: are all of the needs,
 * which NULL ends, open to the access? In grant.c. */
bool tool_would_grant(const struct tool_call *call,
    const struct omega_sandbox_report *report, unsigned access,
    const char *path, const char *const *needs);

/* Who a rule is from: of what was set by us the option. */
const char *tool_origin(const char *origin, const char *rule);

/* A path, from the current directory on, as it would be there; to be freed.
 * NULL: error has why, or there is no memory. In tool.c. */
char *tool_full_path(const char *path, struct omega_sandbox_error *error);

/* Print the report of a policy: TOOL_YES, TOOL_NO when a command would be
 * refused, or TOOL_ERROR, which has been said. In describe.c. */
int tool_show(const struct tool_call *call);

/* How many guarantees of a report are in this state. In status.c. */
unsigned tool_count_state(const struct omega_sandbox_report *report, int state);

/* Print "omega-sandbox: ..." on stderr, on one line; returns TOOL_ERROR. */
__attribute__((format(printf, 1, 2))) int tool_error(const char *format, ...);

/* Flush standard output; a full disk turns a good exit into TOOL_ERROR. */
int tool_finish(int exit_status);

/* Print text on one line; control characters, and those that turn the
 * direction of writing or take no room, become visible. */
void tool_put_visible(FILE *out, const char *text);
void tool_print_visible(const char *text);

/* What begins such a colour on standard output; "" where it is no terminal, or
 * NO_COLOR is set. */
enum tool_colour { TOOL_PLAIN, TOOL_GREEN, TOOL_YELLOW, TOOL_RED };
const char *tool_colour(enum tool_colour colour);

/* A word in a colour, and blanks behind it up to a width. */
void tool_print_word(enum tool_colour colour, const char *word, int width);

/* The text of a report, its states in colours. */
void tool_print_report(const char *text);

/* The same on one screen, and as JSON with no more than what is missing. In
 * summary.c. */
#define TOOL_NOTES_SHOWN 4
void tool_print_summary(const struct omega_sandbox_report *report);
json_t *tool_json_summary(const struct omega_sandbox_report *report);

/* Print text from column at, in 80 columns, words whole, further lines from
 * column indent; and a newline. */
void tool_print_wrapped(const char *text, int at, int indent);

/* Print a JSON value (stolen) and a newline. */
void tool_print_json(json_t *value);

/*
 * The result of a captured command, with the whole report or with what it
 * comes to. Output that is not UTF-8 is given as base64, under another name.
 * NULL when out of memory.
 */
json_t *tool_json_result(
    const struct omega_sandbox_result *result, bool is_all);

/*
 * The hosts that commands of prepared wanted to reach and did not, with the
 * rule of the policy (or NULL) and what would allow them; before: only since
 * this list was made. NULL when out of memory.
 */
json_t *tool_json_hosts(struct omega_sandbox_prepared *prepared,
    struct omega_sandbox_policy *policy, const json_t *before);

/* Tell of each, or of all in one line. */
void tool_tell_hosts(const json_t *list, bool is_brief);

/* Put them among what --why has seen. */
void tool_add_hosts(json_t *refused, const json_t *list);

/* A report as it says itself; NULL when out of memory. */
json_t *tool_json_report(const struct omega_sandbox_report *report);

/* "enforced", "partial" or "not enforced". */
const char *tool_state_word(int state);

/* The values of an option as one JSON string, with commas between. */
json_t *tool_json_words(const struct omega_sandbox *sandbox, const char *name);

/* READ, WRITE or EXECUTE by its word; 0: it is none. In check.c. */
unsigned tool_access(const char *word);

/* Why it is not known where a path leads, or, with a rule, whether one of its
 * other names is there. */
void tool_print_undecided(const char *rule, int error);

/* What check says of paths, which NULL ends. NULL when out of memory. */
json_t *tool_json_check(const struct omega_sandbox_guard *guard,
    const char *access, const char *const *paths);

/*
 * A JSON string of bytes that may not be UTF-8: bytes that are not become
 * U+FFFD, since JSON has no other way to show them.
 */
json_t *tool_json_text(const char *text);

#endif
