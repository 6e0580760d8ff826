/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capture.c - the public functions about captures and their results; the work
 * is done in run/capture.c. Documentation is in omega/sandbox.h.
 */

#include "config.h"

#include <omega/sandbox.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/command.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/system.h"
#include "plan/record.h"
#include "run/capture.h"

/* Where neither host nor configuration nor policy says anything. */
#define DEFAULT_TIMEOUT_MS UINT64_C(30000)
#define DEFAULT_MAX_OUTPUT (UINT64_C(1) << 20)

struct omega_sandbox_result {
	struct omega_captured captured;
	struct omega_sandbox_report *report;
};

int
omega_sandbox_command_set_input(struct omega_sandbox_command *command,
    const void *bytes, size_t len, struct omega_sandbox_error *error)
{
	uint8_t *copy = NULL;

	if (command == NULL || (bytes == NULL && len > 0))
		return omega_command_told(OMEGA_SANDBOX_E_ARGUMENT, error,
		    "a command and bytes are needed");
	if (bytes != NULL) {
		copy = malloc(len + 1);
		if (copy == NULL)
			return omega_error_memory(error);
		memcpy(copy, bytes, len);
	}
	free(command->input);
	command->input = copy;
	command->input_len = len;
	return 0;
}

int
omega_sandbox_command_set_output(struct omega_sandbox_command *command,
    omega_sandbox_output_fn *output, void *arg,
    struct omega_sandbox_error *error)
{
	if (command == NULL)
		return omega_command_told(
		    OMEGA_SANDBOX_E_ARGUMENT, error, "a command is needed");
	command->output = output;
	command->output_arg = arg;
	return 0;
}

int
omega_sandbox_command_cancel(struct omega_sandbox_command *command)
{
	struct omega_command_run *run;
	int saved = errno;
	int ret = OMEGA_SANDBOX_E_STATE;

	if (command == NULL)
		return OMEGA_SANDBOX_E_ARGUMENT;
	pthread_mutex_lock(&command->lock);
	for (run = command->runs; run != NULL; run = run->next)
		if (omega_system_wake(run->cancel) == 0)
			ret = 0;
	pthread_mutex_unlock(&command->lock);
	errno = saved;
	return ret;
}

/* Be there to be cancelled. 0 or -errno. */
static int
enlist(struct omega_sandbox_command *command, struct omega_command_run *run)
{
	run->cancel = omega_system_make_wake();
	if (run->cancel < 0)
		return run->cancel;
	pthread_mutex_lock(&command->lock);
	run->next = command->runs;
	command->runs = run;
	pthread_mutex_unlock(&command->lock);
	return 0;
}

static void
strike(struct omega_sandbox_command *command, struct omega_command_run *run)
{
	struct omega_command_run **place = &command->runs;

	pthread_mutex_lock(&command->lock);
	while (*place != run)
		place = &(*place)->next;
	*place = run->next;
	pthread_mutex_unlock(&command->lock);
	close(run->cancel);
}

static uint64_t
least(uint64_t one, uint64_t two)
{
	if (one == 0 || two == 0)
		return one + two;
	return one < two ? one : two;
}

/* A capture about to be made. */
struct capturing {
	struct omega_capture how;
	struct omega_sandbox_result *result;
	struct omega_record *record;
};

static int
start(void *arg, const struct omega_launch *launch,
    struct omega_sandbox_report *report, const struct omega_command *command,
    struct omega_sandbox_error *error)
{
	struct capturing *capturing = arg;
	int ret;

	ret = omega_record_held(capturing->record, report, error);
	if (ret == 0)
		ret = omega_capture_run(launch, command, &capturing->how,
		    &capturing->result->captured, error);
	if (ret == 0)
		capturing->result->report = omega_sandbox_report_ref(report);
	return ret;
}

static int
capture(struct omega_sandbox_command *command, struct capturing *capturing,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_error own = OMEGA_SANDBOX_ERROR_INIT;
	const struct omega_captured *captured = &capturing->result->captured;
	struct omega_command_run run;
	int ret;

	ret = enlist(command, &run);
	if (ret < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -ret,
		    "the command could not be cancelled: %s", strerror(-ret));
	capturing->how.cancel = run.cancel;
	ret = omega_record_begin(command->prepared, &command->command,
	    OMEGA_RECORD_RUN, &capturing->record, &own);
	if (ret == 0)
		ret = omega_command_start(command, start, capturing, &own);
	strike(command, &run);
	if (captured->pid > 0) {
		omega_record_start(capturing->record, captured->pid);
		omega_record_end(
		    capturing->record, &captured->outcome, ret < 0);
	} else {
		omega_record_refuse(capturing->record, &own);
	}
	if (ret < 0)
		omega_error_copy(error, &own);
	else if (captured->dir_left[0] != '\0')
		omega_command_say_left(command->prepared, captured->dir_left);
	return ret;
}

static void
set_limits(
    const struct omega_sandbox_command *command, struct omega_capture *how)
{
	how->timeout_ms = least(
	    command->timeout_ms, omega_prepared_timeout(command->prepared));
	how->max_output = least(
	    command->max_output, omega_prepared_max_output(command->prepared));
	how->grace_ms = (uint32_t)command->grace_ms;
	how->output = command->output;
	how->output_arg = command->output_arg;
	how->event = command->event;
	how->input = command->input;
	how->input_len = command->input_len;
}

int
omega_sandbox_capture(struct omega_sandbox_command *command,
    struct omega_sandbox_result **result, struct omega_sandbox_error *error)
{
	struct capturing capturing = {.result = NULL};
	int saved = errno;
	int ret;

	if (command == NULL || result == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a command and a place for the result are needed");
	*result = NULL;
	capturing.result = calloc(1, sizeof(*capturing.result));
	if (capturing.result == NULL)
		return omega_error_memory(error);
	set_limits(command, &capturing.how);
	if (capturing.how.timeout_ms == 0)
		capturing.how.timeout_ms = DEFAULT_TIMEOUT_MS;
	if (capturing.how.max_output == 0 && command->output == NULL)
		capturing.how.max_output = DEFAULT_MAX_OUTPUT;
	ret = capture(command, &capturing, error);
	if (ret < 0)
		free(capturing.result);
	else
		*result = capturing.result;
	errno = saved;
	return ret;
}

bool
omega_command_is_limited(const struct omega_sandbox_command *command)
{
	return command->timeout_ms != 0 || command->max_output != 0 ||
	       omega_prepared_timeout(command->prepared) != 0 ||
	       omega_prepared_max_output(command->prepared) != 0;
}

/* To our own stream of this number; arg is for why that fails. */
static int
pass(void *arg, int which, const void *bytes, size_t len)
{
	int32_t *failed = arg;
	struct pollfd set = {.fd = which, .events = POLLOUT};
	const char *at = bytes;
	ssize_t done;

	while (len > 0) {
		done = write(which, at, len);
		if (done > 0) {
			at += done;
			len -= (size_t)done;
		} else if (errno == EAGAIN) {
			(void)poll(&set, 1, -1);
		} else if (errno == EBADF) {
			return 0; /* as /dev/null */
		} else if (errno != EINTR) {
			*failed = errno;
			return -1;
		}
	}
	return 0;
}

static void
give_stream(
    const struct omega_excerpt *kept, struct omega_sandbox_stream *stream)
{
	stream->bytes = kept->bytes;
	stream->len = kept->len;
	stream->seen = kept->seen;
}

int
omega_sandbox_result_get(const struct omega_sandbox_result *result,
    struct omega_sandbox_outcome *outcome)
{
	struct omega_sandbox_outcome full;

	if (result == NULL || outcome == NULL ||
	    outcome->size < sizeof(outcome->size))
		return OMEGA_SANDBOX_E_ARGUMENT;
	full = result->captured.outcome;
	full.is_protected = omega_sandbox_report_is_protected(result->report);
	give_stream(&result->captured.streams[0], &full.out);
	give_stream(&result->captured.streams[1], &full.err);
	omega_sized_give(outcome, &full, sizeof(full));
	return 0;
}

int
omega_command_run_limited(struct omega_sandbox_command *command,
    struct omega_sandbox_outcome *end, struct omega_sandbox_error *error)
{
	struct omega_sandbox_outcome full = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result = calloc(1, sizeof(*result));
	struct capturing capturing = {.result = result};
	int32_t output_error = 0;
	int ret;

	if (result == NULL)
		return omega_error_memory(error);
	set_limits(command, &capturing.how);
	capturing.how.is_inheriting = true;
	capturing.how.output = pass;
	capturing.how.output_arg = &output_error;
	ret = capture(command, &capturing, error);
	if (ret < 0) {
		free(result);
		return ret;
	}
	omega_sandbox_result_get(result, &full);
	full.output_error = output_error;
	/* They were passed on, and go with the result. */
	full.out.bytes = full.err.bytes = (const uint8_t *)"";
	full.out.len = full.err.len = 0;
	omega_sized_give(end, &full, sizeof(full));
	omega_sandbox_result_free(result);
	return 0;
}

struct omega_sandbox_report *
omega_sandbox_result_report(const struct omega_sandbox_result *result)
{
	return result == NULL ? NULL : omega_sandbox_report_ref(result->report);
}

void
omega_sandbox_result_free(struct omega_sandbox_result *result)
{
	if (result == NULL)
		return;
	omega_capture_drop(&result->captured);
	omega_sandbox_report_unref(result->report);
	free(result);
}
