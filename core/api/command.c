/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * command.c - the public functions about commands and children. The object
 * joins a prepared policy with a command as data; everything else is done in
 * run/. Documentation is in omega/sandbox.h.
 */

#include "config.h"

#include <omega/sandbox.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "api/command.h"
#include "base/error.h"
#include "base/log.h"
#include "child/end.h"
#include "conf/value.h"
#include "launch/command.h"
#include "plan/prepared.h"
#include "plan/record.h"
#include "run/child.h"
#include "run/spawn.h"

int
omega_sandbox_command_new(struct omega_sandbox_prepared *prepared,
    const char *program, struct omega_sandbox_command **command,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_command *made;
	int ret;

	if (prepared == NULL || program == NULL || program[0] == '\0' ||
	    command == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a prepared policy, a program and a place for the command "
		    "are needed");
	*command = NULL;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return omega_error_memory(error);
	ret = omega_command_init(&made->command, program, error);
	if (ret < 0) {
		free(made);
		return ret;
	}
	atomic_init(&made->refs, 1);
	pthread_mutex_init(&made->lock, NULL);
	made->grace_ms = OMEGA_COMMAND_GRACE_MS;
	made->prepared = omega_sandbox_prepared_ref(prepared);
	*command = made;
	return 0;
}

int
omega_sandbox_protected_command(const char *program, const char *data_dir,
    struct omega_sandbox_command **command, struct omega_sandbox_error *error)
{
	struct omega_sandbox *sandbox = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_prepared *prepared = NULL;
	int ret;

	if (command == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "no place for the command was given");
	*command = NULL;
	ret = omega_sandbox_open(NULL, NULL, NULL, &sandbox, error);
	if (ret == 0)
		ret = omega_sandbox_policy_new(sandbox, NULL, &policy, error);
	if (ret == 0 && data_dir != NULL)
		ret = omega_sandbox_policy_set(
		    policy, "data_dir", data_dir, error);
	if (ret == 0)
		ret = omega_sandbox_prepare(policy, &prepared, error);
	if (ret == 0)
		ret = omega_sandbox_command_new(
		    prepared, program, command, error);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
	return ret;
}

struct omega_sandbox_command *
omega_sandbox_command_ref(struct omega_sandbox_command *command)
{
	if (command != NULL)
		atomic_fetch_add(&command->refs, 1);
	return command;
}

void
omega_sandbox_command_unref(struct omega_sandbox_command *command)
{
	if (command == NULL || atomic_fetch_sub(&command->refs, 1) != 1)
		return;
	omega_command_drop(&command->command);
	pthread_mutex_destroy(&command->lock);
	free(command->input);
	omega_sandbox_prepared_unref(command->prepared);
	free(command);
}

struct omega_sandbox_prepared *
omega_sandbox_command_prepared(struct omega_sandbox_command *command)
{
	return command == NULL ? NULL
			       : omega_sandbox_prepared_ref(command->prepared);
}

/* ---- What it is like: all of these fail alike ---------------------------- */

int
omega_command_told(int ret, struct omega_sandbox_error *error, const char *what)
{
	if (ret == OMEGA_SANDBOX_E_MEMORY)
		return omega_error_memory(error);
	return ret == 0 ? 0
			: omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT,
			      EINVAL, "%s", what);
}

int
omega_sandbox_command_add_arg(struct omega_sandbox_command *command,
    const char *arg, struct omega_sandbox_error *error)
{
	return omega_command_told(
	    command == NULL ? OMEGA_SANDBOX_E_ARGUMENT
			    : omega_command_add_arg(&command->command, arg),
	    error, "a command and an argument are needed");
}

int
omega_sandbox_command_set_env(struct omega_sandbox_command *command,
    const char *const *env, struct omega_sandbox_error *error)
{
	return omega_command_told(
	    command == NULL ? OMEGA_SANDBOX_E_ARGUMENT
			    : omega_command_set_env(&command->command, env),
	    error, "a command and texts NAME=VALUE are needed");
}

static int
set_text(
    struct omega_sandbox_command *command, const char *name, const char *value)
{
	int is_on;

	if (command == NULL || name == NULL)
		return OMEGA_SANDBOX_E_ARGUMENT;
	if (strcmp(name, "dir") == 0)
		return omega_command_set_dir(&command->command, value);
	if (strcmp(name, "context") == 0)
		return omega_command_set_context(&command->command, value);
	is_on = value == NULL ? 1 : omega_value_switch(value);
	if (strcmp(name, "checked") != 0 || is_on < 0)
		return OMEGA_SANDBOX_E_ARGUMENT;
	command->command.is_unchecked = !is_on;
	return 0;
}

int
omega_sandbox_command_set(struct omega_sandbox_command *command,
    const char *name, const char *value, struct omega_sandbox_error *error)
{
	return omega_command_told(set_text(command, name, value), error,
	    "a command, one of dir, context and checked, and a value that it "
	    "can have are needed");
}

static const struct {
	const char *name;
	size_t offset; /* of an uint64_t */
	uint64_t most;
} numbers[] = {
#define AT(field) offsetof(struct omega_sandbox_command, field)
    {"timeout_ms", AT(timeout_ms), INT64_MAX / 1000},
    {"grace_ms", AT(grace_ms), UINT32_MAX},
    {"max_output", AT(max_output), UINT64_MAX},
    {"ignored_signals", AT(command.ignored), UINT64_MAX},
    {"blocked_signals", AT(command.blocked), UINT64_MAX},
    {"watch_fd", AT(command.watch), INT_MAX},
#undef AT
};

int
omega_sandbox_command_set_number(struct omega_sandbox_command *command,
    const char *name, uint64_t value, struct omega_sandbox_error *error)
{
	size_t i;

	for (i = 0; command != NULL && name != NULL &&
		    i < sizeof(numbers) / sizeof(numbers[0]);
	     i++)
		if (strcmp(name, numbers[i].name) == 0 &&
		    value <= numbers[i].most) {
			*(uint64_t *)(void *)((char *)command +
					      numbers[i].offset) = value;
			return 0;
		}
	return omega_command_told(OMEGA_SANDBOX_E_ARGUMENT, error,
	    "a command, one of timeout_ms, grace_ms, max_output, "
	    "ignored_signals, blocked_signals and watch_fd, and a number that "
	    "it can have are needed");
}

int
omega_sandbox_command_set_events(struct omega_sandbox_command *command,
    omega_sandbox_event_fn *event, void *arg, struct omega_sandbox_error *error)
{
	if (command == NULL)
		return omega_command_told(
		    OMEGA_SANDBOX_E_ARGUMENT, error, "a command is needed");
	command->event = (struct omega_event){.fn = event, .arg = arg};
	return 0;
}

int
omega_sandbox_command_set_stdio(struct omega_sandbox_command *command,
    int which, enum omega_sandbox_stdio how, int fd,
    struct omega_sandbox_error *error)
{
	return omega_command_told(
	    command == NULL
		? OMEGA_SANDBOX_E_ARGUMENT
		: omega_command_set_stdio(&command->command, which, how, fd),
	    error,
	    "a command, a descriptor 0, 1 or 2 and what it is are needed");
}

int
omega_sandbox_command_set_terminal(struct omega_sandbox_command *command,
    int fd, bool is_in_front, struct omega_sandbox_error *error)
{
	if (command == NULL || fd < -1)
		return omega_command_told(OMEGA_SANDBOX_E_ARGUMENT, error,
		    "a command and a descriptor, or -1, are needed");
	command->command.terminal = fd;
	command->command.has_terminal = fd >= 0;
	command->command.is_in_front = is_in_front;
	return 0;
}

int
omega_sandbox_command_pass_fd(struct omega_sandbox_command *command, int fd,
    int child_fd, struct omega_sandbox_error *error)
{
	return omega_command_told(
	    command == NULL
		? OMEGA_SANDBOX_E_ARGUMENT
		: omega_command_pass_fd(&command->command, fd, child_fd),
	    error,
	    "a command, a descriptor, and a number of 3 or more for it are "
	    "needed");
}

/* ---- Starting it --------------------------------------------------------- */

void
omega_command_say_left(struct omega_sandbox_prepared *prepared, const char *dir)
{
	omega_log_say(omega_prepared_log(prepared), LOG_WARNING, 0,
	    "the working directory %s is out of the command's reach; it "
	    "starts in /",
	    dir);
}

/* How often in a row a child may find its launch out of date. */
#define MAX_STARTS 4

int
omega_command_start(struct omega_sandbox_command *command,
    omega_command_starter *starter, void *arg,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_report *report = NULL;
	struct omega_launch *launch = NULL;
	bool is_stale;
	int starts = 0;
	int ret;
	int renewed;

	for (;;) {
		ret = omega_prepared_launch(
		    command->prepared, &launch, &report, error);
		if (ret < 0)
			return ret;
		ret = starter(arg, launch, report, &command->command, error);
		omega_sandbox_report_unref(report);
		/* Domains within domains have an end (E2BIG), which only the
		 * first command meets where nothing was tried. */
		is_stale = error->sys_errno == ESTALE;
		if (ret != OMEGA_SANDBOX_E_STEP ||
		    (!is_stale &&
			!(launch->is_believed && error->sys_errno == E2BIG)) ||
		    ++starts == MAX_STARTS)
			break;
		renewed = omega_prepared_renew(
		    command->prepared, launch, is_stale, error);
		omega_launch_unref(launch);
		if (renewed < 0)
			return renewed;
	}
	omega_launch_unref(launch);
	if (ret < 0)
		ret = omega_not_executed_tell(command->prepared->policy,
		    command->command.program, ret, error);
	return ret;
}

/* What spawn starts, and whether it is protected. */
struct spawning {
	struct omega_spawned spawned;
	struct omega_record *record;
	bool is_protected;
};

static int
start(void *arg, const struct omega_launch *launch,
    struct omega_sandbox_report *report, const struct omega_command *command,
    struct omega_sandbox_error *error)
{
	struct spawning *spawning = arg;
	int ret;

	spawning->is_protected = omega_sandbox_report_is_protected(report);
	ret = omega_record_held(spawning->record, report, error);
	if (ret < 0)
		return ret;
	return omega_spawn(launch, command, &spawning->spawned, error);
}

/* Nobody stays beside the command to hold such limits. */
static void
say_unlimited(const struct omega_sandbox_command *command)
{
	if (omega_command_is_limited(command))
		omega_log_say(omega_prepared_log(command->prepared),
		    LOG_WARNING, 0,
		    "timeout and max_output do not hold for a command that is "
		    "only started: run or capture it, or see to its end");
}

static void
note_end(void *arg, const struct omega_sandbox_outcome *end)
{
	static const struct omega_sandbox_outcome lost;

	omega_record_end(arg, end != NULL ? end : &lost, end == NULL);
}

static int
spawn(struct omega_sandbox_command *command, enum omega_record_kind kind,
    struct omega_sandbox_child **child, struct omega_sandbox_error *error)
{
	struct omega_sandbox_error own = OMEGA_SANDBOX_ERROR_INIT;
	struct spawning spawning = {.record = NULL};
	int ret;

	/* Memory first: a program that was started cannot be unstarted. */
	*child = omega_child_new();
	if (*child == NULL)
		return omega_error_memory(error);
	ret = omega_record_begin(
	    command->prepared, &command->command, kind, &spawning.record, &own);
	if (ret == 0)
		ret = omega_command_start(command, start, &spawning, &own);
	if (ret < 0) {
		omega_record_refuse(spawning.record, &own);
		omega_error_copy(error, &own);
		omega_sandbox_child_free(*child);
		*child = NULL;
		return ret;
	}
	omega_child_adopt(*child, &spawning.spawned, spawning.is_protected);
	omega_record_start(spawning.record, spawning.spawned.pid);
	if (spawning.record != NULL)
		omega_child_on_end(*child, note_end, spawning.record);
	say_unlimited(command);
	if (spawning.spawned.left[0] != '\0')
		omega_command_say_left(
		    command->prepared, spawning.spawned.left);
	return 0;
}

int
omega_sandbox_spawn(struct omega_sandbox_command *command,
    struct omega_sandbox_child **child, struct omega_sandbox_error *error)
{
	if (command == NULL || child == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a command and a place for the child are needed");
	return spawn(command, OMEGA_RECORD_SPAWN, child, error);
}

static bool
has_pipes(const struct omega_command *command)
{
	int i;

	for (i = 0; i < 3; i++)
		if (command->stdio[i].how == OMEGA_SANDBOX_STDIO_PIPE)
			return true;
	return false;
}

int
omega_sandbox_exec(
    struct omega_sandbox_command *command, struct omega_sandbox_error *error)
{
	struct omega_sandbox_error own = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	struct omega_record *record = NULL;
	struct omega_launch *launch = NULL;
	char *left;
	int ret;

	if (command == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a command is needed");
	if (has_pipes(&command->command))
		return omega_error_set(error, OMEGA_SANDBOX_E_STATE, 0,
		    "a process that becomes the command has nobody to hold "
		    "the other end of a pipe");
	ret = omega_prepared_launch(command->prepared, &launch, &report, error);
	if (ret < 0)
		return ret;
	ret = omega_record_begin(command->prepared, &command->command,
	    OMEGA_RECORD_EXEC, &record, &own);
	if (ret == 0)
		ret = omega_record_held(record, report, &own);
	omega_sandbox_report_unref(report);
	if (ret < 0) {
		omega_record_refuse(record, &own);
		omega_error_copy(error, &own);
		omega_launch_unref(launch);
		return ret;
	}
	/* Afterwards nobody would be there to say it. */
	left = omega_hidden_find(&launch->hidden, command->command.dir);
	if (left != NULL)
		omega_command_say_left(command->prepared, left);
	free(left);
	say_unlimited(command);
	ret = omega_spawn_exec(launch, &command->command, &own);
	omega_record_refuse(record, &own);
	omega_error_copy(error, &own);
	omega_launch_unref(launch);
	return ret;
}

/* See it to its end, and tell what happens on the way. */
static int
see_to_end(const struct omega_sandbox_command *command,
    struct omega_sandbox_child *child, struct omega_sandbox_outcome *end,
    struct omega_sandbox_error *error)
{
	const pid_t pid = omega_child_pid(child);
	const int fd = omega_child_fd(child);
	int signal;
	int ret;

	if (command->event.fn == NULL)
		return omega_sandbox_child_wait(child, -1, end, error);
	omega_event_tell(
	    &command->event, OMEGA_SANDBOX_EVENT_STARTED, pid, fd, 0);
	while ((signal = omega_end_wait_stop(fd, pid)) > 0)
		if (omega_event_tell(&command->event,
			OMEGA_SANDBOX_EVENT_STOPPED, pid, fd, signal) != 0)
			omega_child_signal(child, SIGCONT);
	ret = omega_sandbox_child_wait(child, -1, end, error);
	omega_event_tell(
	    &command->event, OMEGA_SANDBOX_EVENT_ENDED, pid, fd, 0);
	return ret;
}

int
omega_sandbox_run(struct omega_sandbox_command *command,
    struct omega_sandbox_outcome *end, struct omega_sandbox_error *error)
{
	struct omega_sandbox_child *child = NULL;
	int ret;

	if (command == NULL || end == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a command and a place for its end are needed");
	if (has_pipes(&command->command))
		return omega_error_set(error, OMEGA_SANDBOX_E_STATE, 0,
		    "run does not serve pipes; use spawn");
	if (omega_command_is_limited(command))
		return omega_command_run_limited(command, end, error);
	ret = spawn(command, OMEGA_RECORD_RUN, &child, error);
	if (ret < 0)
		return ret;
	ret = see_to_end(command, child, end, error);
	/* Nobody else knows it: it does not go on alone. */
	if (ret < 0 && ret != OMEGA_SANDBOX_E_STATUS_LOST &&
	    omega_sandbox_child_signal(child, SIGKILL) == 0)
		omega_child_wait(child, -1, NULL, NULL);
	omega_sandbox_child_free(child);
	return ret < 0 ? ret : 0;
}
