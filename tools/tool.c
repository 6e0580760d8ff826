/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * tool.c - see tool.h.
 */

#include "config.h"

#include "tool.h"

#include <sys/stat.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

int
tool_error(const char *format, ...)
{
	char text[4096 + 256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fflush(stdout);
	fputs("omega-sandbox: ", stderr);
	tool_put_visible(stderr, text);
	fputs(strstr(text, strerror(EMFILE)) != NULL
		  ? "; raise the limit: ulimit -n 256\n"
		  : "\n",
	    stderr);
	return TOOL_ERROR;
}

int
tool_finish(int exit_status)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		return tool_error(
		    "cannot write the answer: %s", strerror(errno));
	return exit_status;
}

void
tool_print_json(json_t *value)
{
	/* On a terminal nothing but letters that everybody knows. */
	json_dumpf(value, stdout,
	    JSON_INDENT(2) | (isatty(1) ? JSON_ENSURE_ASCII : 0));
	putchar('\n');
	json_decref(value);
}

/* How many bytes at s make one character that JSON can show; 0: none. */
static size_t
character(const char *s)
{
	size_t len;

	for (len = 1; len <= 4 && (len == 1 || s[len - 1] != '\0'); len++) {
		json_t *value = json_stringn(s, len);

		json_decref(value);
		if (value != NULL)
			return len;
	}
	return 0;
}

json_t *
tool_json_text(const char *text)
{
	json_t *value = json_string(text);
	char *copy;
	size_t used = 0;

	if (value != NULL)
		return value;
	copy = malloc(strlen(text) * 3 + 1);
	if (copy == NULL)
		return NULL;
	while (*text != '\0') {
		size_t len = character(text);

		if (len == 0) {
			memcpy(copy + used, "\xef\xbf\xbd", 3);
			used += 3;
			text++;
		} else {
			memcpy(copy + used, text, len);
			used += len;
			text += len;
		}
	}
	value = json_stringn(copy, used);
	free(copy);
	return value;
}

/* Where the value of each goes: a text, or a switch that it sets. */
static const struct {
	const char *name;
	int has_arg;
	unsigned bit;
	size_t field;
} known_options[] = {
#define TEXT(name, bit, field)                           \
	{                                                \
		name, required_argument, bit,            \
		    offsetof(struct tool_options, field) \
	}
#define SWITCH(name, bit, field)                                             \
	{                                                                    \
		name, no_argument, bit, offsetof(struct tool_options, field) \
	}
    TEXT("config", TOOL_OPT_CONFIG, config),
    TEXT("data-dir", TOOL_OPT_DATA_DIR, data_dir),
    TEXT("config-path", TOOL_OPT_CONFIG_PATH, config_path),
    TEXT("backend", TOOL_OPT_BACKEND, backend),
    SWITCH("json", TOOL_OPT_JSON, is_json),
    TEXT("policy", TOOL_OPT_POLICY, policy),
    TEXT("agent", TOOL_OPT_AGENT, agent),
    TEXT("net", TOOL_OPT_NET, network),
    TEXT("unix-sockets", TOOL_OPT_UNIX_SOCKETS, unix_sockets),
    TEXT("session", TOOL_OPT_SESSION, session),
    TEXT("work-dir", TOOL_OPT_WORK_DIR, work_dir),
    SWITCH("witness", TOOL_OPT_WITNESS, is_witnessed),
    TEXT("jobs", TOOL_OPT_JOBS, jobs_text),
    SWITCH("first", TOOL_OPT_FIRST, is_first),
    TEXT("timeout", TOOL_OPT_TIMEOUT, timeout),
    TEXT("max-output", TOOL_OPT_MAX_OUTPUT, max_output),
    SWITCH("profile", TOOL_OPT_PROFILE, is_profile),
    TEXT("context", TOOL_OPT_CONTEXT, context),
    SWITCH("verbose", TOOL_OPT_VERBOSE, is_verbose),
    SWITCH("dry-run", TOOL_OPT_DRY_RUN, is_dry),
#undef TEXT
#undef SWITCH
};

#define KNOWN_COUNT (sizeof(known_options) / sizeof(known_options[0]))
#define FIRST_VALUE 256 /* what getopt_long returns for known_options[0] */

/* Keep what an option says. False: it makes no sense, and that was told. */
static bool
take_option(struct tool_options *options, const char *verb, size_t index,
    const char *value)
{
	const char *name = known_options[index].name;
	char *field = (char *)options + known_options[index].field;

	if (known_options[index].has_arg == no_argument) {
		*(bool *)field = true;
		return true;
	}
	if (*(const char **)field != NULL) {
		tool_error("%s: --%s is given twice", verb, name);
		return false;
	}
	if (value[0] == '\0' &&
	    (known_options[index].bit & TOOL_OPT_MAY_BE_EMPTY) == 0) {
		tool_error(
		    "%s: --%s needs a value, and it is empty", verb, name);
		return false;
	}
	*(const char **)field = value;
	return true;
}

/* What getopt_long could make nothing of. */
static void
refuse_option(char **argv, int option)
{
	const char *word = argv[optind - 1];
	char letter[3] = {'-', (char)optopt, '\0'};

	if (option == ':')
		tool_error("%s: %s needs an argument", argv[0], word);
	else if (optopt >= FIRST_VALUE ||
		 (optopt != 0 && strncmp(word, "--", 2) == 0))
		tool_error(
		    "%s: '%s': this option takes no value", argv[0], word);
	else
		tool_error("%s: unknown option '%s'; see omega-sandbox %s "
			   "--help",
		    argv[0], optopt != 0 ? letter : word, argv[0]);
}

int
tool_read_options(int argc, char **argv, unsigned taken, const char *help,
    int usage_exit, struct tool_options *options)
{
	struct option list[KNOWN_COUNT + 2];
	size_t count = 0;
	size_t i;
	int option;

	memset(list, 0, sizeof(list));
	memset(options, 0, sizeof(*options));
	for (i = 0; i < KNOWN_COUNT; i++)
		if ((known_options[i].bit & taken) != 0) {
			list[count].name = known_options[i].name;
			list[count].has_arg = known_options[i].has_arg;
			list[count++].val = FIRST_VALUE + (int)i;
		}
	list[count].name = "help";
	list[count].val = 'h';
	opterr = 0;
	while ((option = getopt_long(argc, argv,
		    (taken & TOOL_OPT_STOP) != 0 ? "+:h" : ":h", list, NULL)) !=
	       -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return tool_finish(TOOL_YES);
		}
		if (option < FIRST_VALUE) {
			refuse_option(argv, option);
			return usage_exit;
		}
		if (!take_option(options, argv[0],
			(size_t)(option - FIRST_VALUE), optarg))
			return usage_exit;
	}
	options->first = optind;
	return -1;
}

/* What the library has to say: warnings and errors, to stderr. */
static void
print_log(void *arg, int level, int code, const char *text)
{
	(void)arg;
	(void)code;
	if (level <= LOG_WARNING)
		tool_error(
		    "%s%s", level == LOG_WARNING ? "warning: " : "", text);
}

/* The current directory as the caller's shell calls it, links and all. */
static char *
current_dir(void)
{
	const char *name = getenv("PWD");
	struct stat named;
	struct stat here;

	if (name != NULL && name[0] == '/' && stat(name, &named) == 0 &&
	    stat(".", &here) == 0 && named.st_dev == here.st_dev &&
	    named.st_ino == here.st_ino)
		return strdup(name);
	return getcwd(NULL, 0);
}

/* A command can close its work directory, and nobody else's is to stop the
 * next one: the caller's own are opened again. */
static bool
can_enter(char *path)
{
	char *slash = path;
	struct stat st;

	if (access(path, X_OK) == 0)
		return true;
	while (errno == EACCES && slash != NULL) {
		slash = strchr(slash + 1, '/');
		if (slash != NULL)
			*slash = '\0';
		if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
		    st.st_uid == geteuid() && (st.st_mode & S_IXUSR) == 0 &&
		    chmod(path, (st.st_mode & 07777) | S_IRWXU) == 0)
			tool_error("warning: %s was closed (mode %04o), and is "
				   "opened again",
			    path, (unsigned)(st.st_mode & 07777));
		if (slash != NULL)
			*slash = '/';
		errno = EACCES;
	}
	return access(path, X_OK) == 0;
}

/*
 * A work directory may be named from the current one, which it is when none
 * is named. Links stay in its name: the library does not follow those that a
 * command could have made.
 */
static int
set_work_dir(struct omega_sandbox_policy *policy, const char *dir,
    struct omega_sandbox_error *error)
{
	char *full = dir != NULL && dir[0] == '/' ? strdup(dir) : current_dir();
	struct stat st;
	char *joined;
	bool is_open;
	int ret;

	if (dir == NULL && (full == NULL || !can_enter(full))) {
		free(full);
		return 0; /* the current one is gone, or not for us */
	}
	if (full != NULL && dir != NULL && dir[0] != '/') {
		joined =
		    asprintf(&joined, "%s/%s", full, dir) < 0 ? NULL : joined;
		free(full);
		full = joined;
	}
	is_open = full != NULL && can_enter(full);
	if (full == NULL || stat(full, &st) != 0 ||
	    (S_ISDIR(st.st_mode) && !is_open)) {
		snprintf(error->text, sizeof(error->text),
		    "the work directory %s: %s", dir != NULL ? dir : full,
		    strerror(errno));
		free(full);
		return OMEGA_SANDBOX_E_INVALID_POLICY;
	}
	ret = omega_sandbox_policy_set_work_dir(policy, full, error);
	free(full);
	return ret;
}

/* A rule of the policy by its option, which a fault is told by. */
static int
set_rule(struct omega_sandbox_policy *policy, const char *name,
    const char *option, const char *value, struct omega_sandbox_error *error)
{
	const char *const values[] = {value, NULL};
	char text[512];
	int ret;

	if (value == NULL)
		return 0;
	ret = omega_sandbox_policy_set(policy, name, values, error);
	if (ret < 0) {
		snprintf(text, sizeof(text), "%.500s", error->text);
		snprintf(
		    error->text, sizeof(error->text), "%s: %s", option, text);
	}
	return ret;
}

int
tool_policy(const struct tool_options *options, struct omega_sandbox *sandbox,
    struct omega_sandbox_policy **policy, struct omega_sandbox_error *error)
{
	int ret;

	ret = omega_sandbox_policy_new(sandbox, options->policy, policy, error);
	if (ret == 0)
		ret = set_work_dir(*policy, options->work_dir, error);
	if (ret == 0 && options->agent != NULL)
		ret = omega_sandbox_policy_add_agent(
		    *policy, options->agent, error);
	if (ret == 0)
		ret = set_rule(
		    *policy, "network", "--net", options->network, error);
	if (ret == 0)
		ret = set_rule(*policy, "unix_sockets", "--unix-sockets",
		    options->unix_sockets, error);
	if (ret == 0)
		ret = set_rule(
		    *policy, "session", "--session", options->session, error);
	if (ret == 0)
		ret = set_rule(
		    *policy, "timeout", "--timeout", options->timeout, error);
	if (ret == 0)
		ret = set_rule(*policy, "max_output", "--max-output",
		    options->max_output, error);
	if (ret == 0 && options->data_dir != NULL)
		ret = omega_sandbox_policy_set_data_dir(
		    *policy, options->data_dir, error);
	if (ret == 0 && options->backend != NULL)
		ret = omega_sandbox_policy_set_backend(
		    *policy, options->backend, error);
	return ret;
}

int
tool_open(const struct tool_options *options, struct omega_sandbox **sandbox,
    struct omega_sandbox_policy **policy)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	int ret;

	ret = omega_sandbox_open(
	    options->config, print_log, NULL, sandbox, &error);
	if (ret == 0 && policy != NULL)
		ret = tool_policy(options, *sandbox, policy, &error);
	if (ret == 0 && policy != NULL && options->is_witnessed)
		ret = omega_sandbox_policy_set_witness(*policy, true, &error);
	if (ret < 0)
		tool_error("%s", error.text);
	return ret;
}
