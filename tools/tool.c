/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * tool.c - what a verb opens, and what it says: see tool.h.
 */

#include "config.h"

#include "tool.h"

#include <sys/stat.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <syslog.h>

/* What the current directory is that it is not taken for work; or NULL. */
static const char *no_work_dir;
static char *work_dir;

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
	/* Where {work_dir} is written is nobody's fault then. */
	if (no_work_dir != NULL && strstr(text, "{work_dir}") != NULL)
		fprintf(stderr,
		    "the current directory %s: change to the project, or say "
		    "with --work-dir DIR which is meant",
		    no_work_dir);
	else
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

/* What the library has to say to people, to stderr. */
static void
print_log(void *arg, int level, int code, const char *text)
{
	(void)arg;
	(void)code;
	if (level <= LOG_NOTICE)
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

static bool
is_same(const struct stat *one, const char *path)
{
	struct stat other;

	return path != NULL && stat(path, &other) == 0 &&
	       one->st_dev == other.st_dev && one->st_ino == other.st_ino;
}

/* Is a whole file system mounted there, not a part of one? */
static bool
is_file_system(const char *path)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;
	bool is_found = false;

	while (
	    mounts != NULL && !is_found && getline(&line, &size, mounts) > 0) {
		char *root = strchr(line, '/');
		char *at = root != NULL ? strchr(root, ' ') : NULL;

		if (at == NULL || at != root + 1)
			continue;
		at++;
		at[strcspn(at, " ")] = '\0';
		is_found = strcmp(at, path) == 0;
	}
	free(line);
	if (mounts != NULL)
		fclose(mounts);
	return is_found;
}

/* A policy that lets the work directory be written would leave all of it open;
 * nobody means that who does not say so. NULL: it is a place like any other. */
static const char *
find_too_much(const char *dir)
{
	const struct passwd *owner;
	char real[PATH_MAX];
	struct stat st;

	if (stat(dir, &st) != 0 || realpath(dir, real) == NULL)
		return NULL;
	owner = getpwuid(st.st_uid);
	if (strcmp(real, "/") == 0)
		return "is /";
	if (is_same(&st, getenv("HOME")) ||
	    (owner != NULL && is_same(&st, owner->pw_dir)))
		return "is a home";
	return is_file_system(real) ? "is a whole file system" : NULL;
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

	if (dir == NULL && (full == NULL || !can_enter(full) ||
			       (no_work_dir = find_too_much(full)) != NULL)) {
		if (no_work_dir == NULL)
			no_work_dir =
			    full == NULL ? "is gone" : "cannot be entered";
		free(full);
		return 0;
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
	ret = omega_sandbox_policy_set(policy, "work_dir", full, error);
	if (ret == 0)
		ret = tool_grant_project(policy, full, error);
	free(work_dir);
	work_dir = full;
	return ret;
}

const char *
tool_work_dir(void)
{
	return work_dir;
}

int
tool_set(struct omega_sandbox_policy *policy, const char *name,
    const char *option, const char *value, struct omega_sandbox_error *error)
{
	char text[512];
	int ret;

	if (value == NULL)
		return 0;
	ret = omega_sandbox_policy_set(policy, name, value, error);
	if (ret < 0) {
		snprintf(text, sizeof(text), "%.500s", error->text);
		snprintf(
		    error->text, sizeof(error->text), "%s: %s", option, text);
	}
	return ret;
}

const char *
tool_origin(const char *origin, const char *rule)
{
	if (strcmp(origin, "host application") != 0)
		return origin;
	return strcmp(rule, "network") == 0	  ? "--net"
	       : strcmp(rule, "allow_hosts") == 0 ? "--allow-host"
						  : "the command line";
}

int
tool_policy(const struct tool_options *options, struct omega_sandbox *sandbox,
    struct omega_sandbox_policy **policy, struct omega_sandbox_error *error)
{
	const struct {
		const char *name;
		const char *option;
		const char *value;
	} rules[] = {
	    {"network", "--net", options->network},
	    {"unix_sockets", "--unix-sockets", options->unix_sockets},
	    {"session", "--session", options->session},
	    {"timeout", "--timeout", options->timeout},
	    {"max_output", "--max-output", options->max_output},
	};
	size_t i;
	int ret;

	if (options->policy != NULL && options->policy_file != NULL) {
		snprintf(error->text, sizeof(error->text),
		    "--policy and --policy-file both name the policy; give "
		    "one of them");
		return OMEGA_SANDBOX_E_INVALID_POLICY;
	}
	ret = omega_sandbox_policy_new(sandbox, options->policy, policy, error);
	if (ret == 0)
		ret = set_work_dir(*policy, options->work_dir, error);
	if (ret == 0 && options->agent != NULL)
		ret = omega_sandbox_policy_set(
		    *policy, "agent", options->agent, error);
	if (ret == 0)
		ret = tool_grant(options, *policy, error);
	for (i = 0; ret == 0 && i < sizeof(rules) / sizeof(rules[0]); i++)
		ret = tool_set(*policy, rules[i].name, rules[i].option,
		    rules[i].value, error);
	for (i = 0; ret == 0 && options->hosts[i] != NULL; i++)
		ret = tool_set(*policy, "allow_hosts", "--allow-host",
		    options->hosts[i], error);
	if (ret == 0 && options->data_dir != NULL)
		ret = omega_sandbox_policy_set(
		    *policy, "data_dir", options->data_dir, error);
	if (ret == 0 && options->backend != NULL)
		ret = omega_sandbox_policy_set(
		    *policy, "backend", options->backend, error);
	return ret;
}

char *
tool_full_path(const char *path, struct omega_sandbox_error *error)
{
	char *dir;
	char *full = NULL;

	if (path[0] == '/')
		return strdup(path);
	if (path[0] == '\0') {
		snprintf(error->text, sizeof(error->text), "a PATH is empty");
		return NULL;
	}
	dir = getcwd(NULL, 0);
	if (dir == NULL)
		snprintf(error->text, sizeof(error->text),
		    "'%s' is taken from the current directory, which cannot be "
		    "found: %s",
		    path, strerror(errno));
	else if (asprintf(&full, "%s/%s", dir, path) < 0)
		full = NULL;
	free(dir);
	return full;
}

const char *
tool_option(const struct omega_sandbox *sandbox, const char *name)
{
	const char *value =
	    omega_sandbox_get_option(sandbox, name, 0, NULL, NULL);

	return value != NULL ? value : "";
}

int
tool_open(struct tool_call *call)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	int ret = omega_sandbox_open(
	    call->options.config, print_log, NULL, &call->sandbox, &error);

	if (ret < 0)
		tool_error("%s", error.text);
	return ret;
}

int
tool_open_policy(struct tool_call *call)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	int ret = tool_open(call);

	if (ret < 0)
		return ret;
	ret = tool_policy(&call->options, call->sandbox, &call->policy, &error);
	if (ret == 0 && call->options.is_witnessed)
		ret = omega_sandbox_policy_set(
		    call->policy, "witness", "true", &error);
	if (ret == 0)
		ret = tool_check_grants(call, &error);
	if (ret < 0)
		tool_error("%s", error.text);
	return ret;
}
