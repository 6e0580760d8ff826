/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * tool.h - what the verbs of the tool share. One file per verb; everything a
 * verb does goes through the public API.
 */

#ifndef OMEGA_TOOL_H
#define OMEGA_TOOL_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include <omega/sandbox.h>

/* Exits of every verb but run. */
enum tool_exit {
	TOOL_YES = 0, /* fine, not blocked */
	TOOL_NO = 1, /* blocked, refused, a hole was found */
	TOOL_ERROR = 2 /* wrong usage, or it could not be found out */
};

/* The verbs: argv[0] is the verb's own name. */
int tool_check(int argc, char **argv);
int tool_config(int argc, char **argv);
int tool_describe(int argc, char **argv);
int tool_explain(int argc, char **argv);
int tool_list(int argc, char **argv);
int tool_rpc(int argc, char **argv);
int tool_run(int argc, char **argv);
int tool_status(int argc, char **argv);
int tool_verify(int argc, char **argv);
int tool_verify_attempt(int argc, char **argv); /* inside; not for people */

/* Options that several verbs take. */
struct tool_options {
	const char *config; /* --config FILE, or NULL */
	const char *data_dir; /* --data-dir DIR, or NULL */
	const char *config_path; /* --config-path FILE, or NULL */
	const char *backend; /* --backend LIST, or NULL */
	const char *policy; /* --policy NAME, or NULL */
	const char *agent; /* --agent NAME, or NULL */
	const char *network; /* --net MODE, or NULL */
	const char *unix_sockets; /* --unix-sockets WHICH, or NULL */
	const char *session; /* --session WHICH, or NULL */
	const char *work_dir; /* --work-dir DIR, or NULL */
	const char *timeout; /* --timeout SEC, or NULL */
	const char *max_output; /* --max-output BYTES, or NULL */
	const char *context; /* --context TEXT, or NULL */
	bool is_json; /* --json */
	bool is_verbose; /* --verbose */
	bool is_dry; /* --dry-run */
	bool is_witnessed; /* --witness */
	const char *jobs_text; /* --jobs N, or NULL */
	bool is_first; /* --first */
	bool is_profile; /* --profile */
	int first; /* argv[first] is the first word behind the options */
};

/* Which of them a verb takes; --help always. */
enum tool_option_bits {
	TOOL_OPT_CONFIG = 1,
	TOOL_OPT_DATA_DIR = 2,
	TOOL_OPT_CONFIG_PATH = 4,
	TOOL_OPT_BACKEND = 8,
	TOOL_OPT_JSON = 16,
	TOOL_OPT_STOP = 32, /* options end at the first other word */
	TOOL_OPT_POLICY = 64,
	TOOL_OPT_AGENT = 128,
	TOOL_OPT_NET = 256,
	TOOL_OPT_WORK_DIR = 512,
	TOOL_OPT_WITNESS = 1024,
	TOOL_OPT_FIRST = 2048,
	TOOL_OPT_JOBS = 4096,
	TOOL_OPT_TIMEOUT = 8192,
	TOOL_OPT_MAX_OUTPUT = 16384,
	TOOL_OPT_PROFILE = 32768,
	TOOL_OPT_CONTEXT = 65536,
	TOOL_OPT_VERBOSE = 131072,
	TOOL_OPT_DRY_RUN = 262144,
	TOOL_OPT_UNIX_SOCKETS = 524288,
	TOOL_OPT_SESSION = 1048576,
	TOOL_OPT_MAY_BE_EMPTY = TOOL_OPT_BACKEND | TOOL_OPT_CONTEXT,
	/* All that say under which policy. */
	TOOL_OPT_UNDER = TOOL_OPT_CONFIG | TOOL_OPT_DATA_DIR |
			 TOOL_OPT_BACKEND | TOOL_OPT_POLICY | TOOL_OPT_AGENT |
			 TOOL_OPT_NET | TOOL_OPT_UNIX_SOCKETS |
			 TOOL_OPT_SESSION | TOOL_OPT_WORK_DIR
};

/* Their lines in the help text of such a verb. */
#define TOOL_HELP_UNDER                                                        \
	"  --config FILE    this configuration instead of the installed one\n" \
	"  --policy NAME    this policy (omega-sandbox list policies)\n"       \
	"  --agent NAME     and the profile of an agent program "              \
	"(list agents)\n"                                                      \
	"  --data-dir DIR   the agent's data directory (default: as "          \
	"configured,\n"                                                        \
	"                   else ~/.omega)\n"                                  \
	"  --work-dir DIR   the work directory (default: the current one)\n"   \
	"  --net MODE       allow, unix-only or deny\n"                        \
	"  --unix-sockets WHICH  all, own or none\n"                           \
	"  --session WHICH  new, pty or keep: whose session, and terminal\n"   \
	"  --backend LIST   these backends, comma-separated; noop protects "   \
	"nothing\n"

/*
 * Read them. -1: go on. Otherwise the exit status, everything said: 0 after
 * --help, usage_exit after an error.
 */
int tool_read_options(int argc, char **argv, unsigned taken, const char *help,
    int usage_exit, struct tool_options *options);

/*
 * Open the sandbox and the policy as the options say. 0, or the code
 * of the failure, which has been printed. policy may be NULL. What was opened
 * is given up by the caller, also after a failure.
 */
int tool_open(const struct tool_options *options,
    struct omega_sandbox **sandbox, struct omega_sandbox_policy **policy);

/* The policy of the options, of a sandbox that is open; says nothing. */
int tool_policy(const struct tool_options *options,
    struct omega_sandbox *sandbox, struct omega_sandbox_policy **policy,
    struct omega_sandbox_error *error);

/* Print the report of a policy: TOOL_YES, TOOL_NO when a command would be
 * refused, or TOOL_ERROR, which has been said. In describe.c. */
int tool_show(const struct tool_options *options,
    struct omega_sandbox_policy *policy, const char *verb);

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

/* Print a JSON value (stolen) and a newline. */
void tool_print_json(json_t *value);

/*
 * The result of a captured command. Output that is not UTF-8 is given as
 * base64, under another name. NULL when out of memory.
 */
json_t *tool_json_result(const struct omega_sandbox_result *result);

/*
 * A JSON string of bytes that may not be UTF-8: bytes that are not become
 * U+FFFD, since JSON has no other way to show them.
 */
json_t *tool_json_text(const char *text);

#endif
