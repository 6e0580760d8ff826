/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * learn.c - omega-sandbox learn: run a command that may do almost anything, and
 * print the policy that lets it do again what it did.
 *
 * The policy extends one that there is, and has what that one would refuse. The
 * command runs without credentials and without changing what others start
 * later, as it will under what is printed; that it tried to is told.
 */

#include "config.h"

#include "watch/learn.h"

#include <sys/stat.h>
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>

#include "run.h"
#include "tool.h"
#include "watch/watch.h"

/* Beyond so many names nothing new is noted. */
#define MOST 20000

static struct {
	struct omega_sandbox_guard *base; /* what there is */
	struct omega_sandbox_guard *never; /* what is not granted */
	json_t *places[LEARN_LISTS]; /* path: how often */
	json_t *refused; /* path: which access */
	json_t *addresses; /* address: how often */
	json_t *known; /* what was decided already */
	json_t *removed; /* variables */
} learnt;

char *learn_home;

/* ---- In the watcher ------------------------------------------------------ */

/* A name that is no UTF-8 can be on no list. */
static void
count(json_t *places, const char *path)
{
	json_t *times = json_object_get(places, path);

	if (times != NULL)
		json_integer_set(times, json_integer_value(times) + 1);
	else if (json_object_size(places) < MOST)
		json_object_set_new(places, path, json_integer(1));
}

void
learn_cut_name(char *path)
{
	char *slash = strrchr(path, '/');

	slash[slash == path] = '\0';
}

bool
learn_is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return len > 1 && strncmp(path, dir, len) == 0 && path[len] == '/';
}

bool
learn_is_shared(const char *path)
{
	static const char *const of_home[] = {"", "/.config", "/.cache",
	    "/.local", "/.local/share", "/.local/state", "/.local/bin", NULL};
	static const char *const of_system[] = {"/", "/home", "/root", "/etc",
	    "/var", "/var/lib", "/var/cache", "/var/log", "/usr", "/opt",
	    "/srv", "/mnt", "/media", "/run", "/run/user", NULL};
	size_t len = learn_home != NULL ? strlen(learn_home) : 0;
	size_t i;

	for (i = 0; of_system[i] != NULL; i++)
		if (strcmp(path, of_system[i]) == 0)
			return true;
	for (i = 0; len > 1 && of_home[i] != NULL; i++)
		if (strncmp(path, learn_home, len) == 0 &&
		    strcmp(path + len, of_home[i]) == 0)
			return true;
	return false;
}

/* What a program keeps for itself: a directory in one of many programs, which
 * the home has hidden. "" when it is none of that. */
static void
find_state(const char *path, char *state)
{
	const char *slash;
	char dir[PATH_MAX];

	state[0] = '\0';
	if (learn_home == NULL || !learn_is_below(path, learn_home))
		return;
	for (slash = path + strlen(learn_home); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
		if (!learn_is_shared(dir))
			return;
		/* The last of them counts. */
		snprintf(state, PATH_MAX, "%.*s",
		    (int)(slash - path + 1 +
			  (ptrdiff_t)strcspn(slash + 1, "/")),
		    path);
		if (learn_is_shared(state) ||
		    (strcmp(dir, learn_home) == 0 && slash[1] != '.'))
			state[0] = '\0';
	}
}

/* Below /proc, /sys and /dev no list is of use. */
static bool
is_passed_over(const char *path)
{
	return learn_is_below(path, "/proc") || learn_is_below(path, "/sys") ||
	       learn_is_below(path, "/dev");
}

static void
refuse(const char *path, const char *access)
{
	if (json_object_size(learnt.refused) < MOST)
		json_object_set_new(learnt.refused, path, json_string(access));
}

/* What must be on the list for this; NULL: that is told instead. */
static void
note_write(const struct watch_act *act, const char *path, bool is_there)
{
	char place[PATH_MAX];
	char state[PATH_MAX];
	struct stat st;

	snprintf(place, sizeof(place), "%s", path);
	if (act->is_name || !is_there)
		learn_cut_name(place);
	find_state(path, state);
	if (state[0] != '\0' &&
	    (lstat(state, &st) == 0 ? S_ISDIR(st.st_mode)
				    : strcmp(state, path) != 0 || act->is_dir))
		count(learnt.places[LEARN_STATE], state);
	else if (!learn_is_shared(place))
		count(learnt.places[LEARN_WRITE], place);
	else if (act->is_dir && !learn_is_shared(path))
		count(learnt.places[LEARN_STATE], path);
	else if (!act->is_dir)
		refuse(path, "made among those of other programs");
}

static void
note_path(const struct watch_act *act, unsigned access, int list)
{
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
	char key[sizeof(act->path) + 8];
	char real[PATH_MAX];
	struct stat st;
	bool is_there;

	snprintf(key, sizeof(key), "%d%d%d%s", list, act->is_name, act->is_dir,
	    act->path);
	if (json_object_get(learnt.known, key) != NULL)
		return;
	if (json_object_size(learnt.known) > MOST)
		json_object_clear(learnt.known);
	json_object_set_new_nocheck(learnt.known, key, json_true());
	is_there = lstat(act->path, &st) == 0;
	if (is_passed_over(act->path) ||
	    (act->is_made ? is_there : !is_there && !act->is_new))
		return;
	if (omega_sandbox_guard_is_blocked(
		learnt.never, access, act->path, &verdict)) {
		/* What is not known was open to the command. */
		if (verdict.reason != OMEGA_SANDBOX_UNDECIDED)
			refuse(act->path, learn_lists[list].done);
		return;
	}
	if (!omega_sandbox_guard_is_blocked(
		learnt.base, access, act->path, &verdict) ||
	    verdict.reason == OMEGA_SANDBOX_UNDECIDED)
		return;
	/* As it is, not as it is called; of an entry its directory. */
	snprintf(key, sizeof(key), "%s", act->path);
	if (act->is_name || !is_there)
		learn_cut_name(key);
	if (realpath(key, real) == NULL)
		return;
	if (act->is_name || !is_there) {
		const char *name = strrchr(act->path, '/');

		if (strlen(real) + strlen(name) >= sizeof(real))
			return;
		strcat(real, real[1] == '\0' ? name + 1 : name);
	}
	if (list == LEARN_WRITE)
		note_write(act, real, is_there);
	else if (stat(real, &st) == 0)
		count(learnt.places[list], real);
}

static void
note(void *arg, const struct watch_act *act)
{
	char text[64];

	(void)arg;
	if (act->address != NULL &&
	    why_print_address(act->address, text, sizeof(text)))
		count(learnt.addresses, text);
	if ((act->access & OMEGA_SANDBOX_WRITE) != 0 ||
	    (act->is_new && !act->is_name))
		note_path(act, OMEGA_SANDBOX_WRITE, LEARN_WRITE);
	if ((act->access & OMEGA_SANDBOX_READ) != 0 && !act->is_look)
		note_path(act, OMEGA_SANDBOX_READ, LEARN_READ);
	if ((act->access & OMEGA_SANDBOX_EXECUTE) != 0) {
		note_path(act, OMEGA_SANDBOX_EXECUTE, LEARN_EXECUTE);
		note_path(act, OMEGA_SANDBOX_READ, LEARN_READ);
	}
}

static json_t *
sum(void *arg)
{
	(void)arg;
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",
	    learn_lists[LEARN_READ].name, learnt.places[LEARN_READ],
	    learn_lists[LEARN_WRITE].name, learnt.places[LEARN_WRITE],
	    learn_lists[LEARN_EXECUTE].name, learnt.places[LEARN_EXECUTE],
	    learn_lists[LEARN_STATE].name, learnt.places[LEARN_STATE],
	    "refused", learnt.refused, "addresses", learnt.addresses);
}

static int
begin(struct omega_sandbox_command *command, const struct tool_call *call,
    struct omega_sandbox_error *error)
{
	static const struct watch_look look = {.note = note, .sum = sum};
	int ret;
	int i;

	for (i = 0; i < LEARN_LISTS; i++)
		learnt.places[i] = json_object();
	learnt.refused = json_object();
	learnt.addresses = json_object();
	learnt.known = json_object();
	ret = omega_sandbox_guard_new_for_policy(
	    call->policy, &learnt.never, error);
	return ret < 0 ? ret : watch_begin(command, &look, error);
}

/* ---- The verb -------------------------------------------------------------
 */

/* The policy that is extended, and the one that it runs under. */
static int
open_policies(struct tool_call *call, struct omega_sandbox_policy **base,
    bool *is_network, struct omega_sandbox_error *error)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_sandbox_report *report = NULL;
	struct tool_options options = call->options;
	size_t i;
	int ret;

	if (options.policy == NULL && options.agent == NULL)
		options.policy = "tool";
	ret = tool_policy(&options, call->sandbox, base, error);
	if (ret == 0)
		ret = omega_sandbox_describe(*base, &report, error);
	for (i = 0; ret == 0 && omega_sandbox_report_get(report, i, &line) == 0;
	     i++)
		*is_network |= strcmp(line.kind, "network") == 0;
	if (ret == 0)
		learnt.removed = run_removed(report);
	omega_sandbox_report_unref(report);
	if (ret == 0)
		ret = omega_sandbox_guard_new_for_policy(
		    *base, &learnt.base, error);
	options.policy = NULL;
	options.agent = NULL;
	if (ret == 0)
		ret =
		    tool_policy(&options, call->sandbox, &call->policy, error);
	if (ret == 0)
		ret = omega_sandbox_policy_set(
		    call->policy, "deny", "@credentials", error);
	if (ret == 0)
		ret = omega_sandbox_policy_set(
		    call->policy, "deny_write", "@persistence", error);
	return ret;
}

/* As the library has it: not what a variable says. */
static void
find_home(void)
{
	const struct passwd *user = getpwuid(getuid());

	if (user != NULL && user->pw_dir[0] == '/')
		learn_home = realpath(user->pw_dir, NULL);
}

static int
learn(struct tool_call *call)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *base = NULL;
	bool is_network = false;
	json_t *said;
	int status;
	int ret;

	if (call->word_count == 0 || call->words[0][0] == '\0') {
		tool_error("learn: no command given; see omega-sandbox learn "
			   "--help");
		return tool_usage_exit(call->verb);
	}
	if (call->options.merge != NULL &&
	    learn_read_merged(call->options.merge) < 0) {
		tool_error("learn: --merge %s: %s", call->options.merge,
		    errno == ELOOP || errno == EINVAL
			? "this is no plain file of at most 1 MiB"
			: strerror(errno));
		return tool_usage_exit(call->verb);
	}
	if (call->options.agent != NULL && call->options.merge != NULL) {
		tool_error("learn: --merge is about policies, and --agent "
			   "prints grants: give one of them");
		return tool_usage_exit(call->verb);
	}
	if (tool_open(call) < 0)
		return tool_usage_exit(call->verb);
	find_home();
	ret = open_policies(call, &base, &is_network, &error);
	if (ret < 0) {
		tool_error("%s", error.text);
		status = tool_usage_exit(call->verb);
	} else {
		status = run_watched(call, begin);
	}
	said = watch_end();
	json_object_set_new(
	    json_object_get(said, "sum"), "variables", learnt.removed);
	if (said != NULL &&
	    learn_tell(call, json_object_get(said, "sum"), is_network) < 0)
		status = tool_usage_exit(call->verb);
	json_decref(said);
	omega_sandbox_guard_free(learnt.base);
	omega_sandbox_guard_free(learnt.never);
	omega_sandbox_policy_unref(base);
	free(learn_home);
	return status;
}

const struct tool_verb tool_learn = {
    .name = "learn",
    .summary = "run a command, print the policy it needs",
    .run = learn,
    .options = "config policy agent data-dir work-dir backend merge",
    .is_command = true,
    .usage_exit = 125,
    .usage = "[OPTION...] [--] COMMAND [ARG...]",
    .help = "Runs COMMAND with what is always protected, credentials and what "
	    "other\n"
	    "programs start out of its reach, and prints a policy that extends "
	    "NAME\n"
	    "(tool) by what that would have refused. With --agent: what is "
	    "to be granted\n"
	    "beside the profile, as .omega-sandbox.conf has it.\n",
    .exit_help = "Exit: as of run.\n",
};
