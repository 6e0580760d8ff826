/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * subject.c - see subject.h.
 */

#include "subject.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "capture-acts.h"
#include "twice.h"

bool
subject_make(struct subject *subject, struct omega_sandbox_prepared *prepared,
    const char *act, const char *arg)
{
	const char *words[] = {library_self(), act, arg, NULL};

	subject->command = library_command(prepared, words);
	if (subject->command == NULL || pipe2(subject->mark, O_CLOEXEC) != 0 ||
	    pipe2(subject->life, O_CLOEXEC) != 0)
		return false;
	return omega_sandbox_command_pass_fd(
		   subject->command, subject->mark[1], ACT_MARK, NULL) == 0 &&
	       omega_sandbox_command_pass_fd(
		   subject->command, subject->life[0], ACT_LIFE, NULL) == 0 &&
	       omega_sandbox_command_set_number(
		   subject->command, "grace_ms", 200, NULL) == 0;
}

bool
subject_is_alive(struct subject *subject, int wait_ms)
{
	struct pollfd set = {.fd = subject->mark[0], .events = POLLIN};

	if (subject->mark[1] >= 0)
		close(subject->mark[1]);
	subject->mark[1] = -1;
	return poll(&set, 1, wait_ms) == 0;
}

void
subject_end(struct subject *subject)
{
	if (subject->mark[1] >= 0)
		close(subject->mark[1]);
	close(subject->mark[0]);
	close(subject->life[0]);
	close(subject->life[1]);
	omega_sandbox_command_unref(subject->command);
}

struct omega_sandbox_result *
subject_capture(
    struct subject *subject, struct omega_sandbox_outcome *outcome, int *faults)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_result *result = NULL;
	int ret;

	ret = omega_sandbox_capture(subject->command, &result, &error);
	CHECK(*faults, ret == 0, "capture: %d: %s", ret, error.text);
	if (ret < 0)
		return NULL;
	CHECK(*faults, omega_sandbox_result_get(result, outcome) == 0, "get");
	CHECK(*faults, outcome->left == 0, "%u are left", outcome->left);
	CHECK(*faults, !subject_is_alive(subject, 0), "something is left");
	return result;
}

bool
subject_open(struct subject_scene *scene, const char *base, const char *lines)
{
	world_make(&scene->world, base, ".omega");
	return library_open(&scene->library, base, scene->world.dir, lines);
}

void
subject_close(struct subject_scene *scene)
{
	library_close(&scene->library);
	world_end(&scene->world);
}

int
subject_act(struct omega_sandbox_prepared *prepared, const char *word,
    const char *arg, uint64_t timeout_ms, uint64_t max_output,
    struct omega_sandbox_outcome *outcome, struct omega_sandbox_result **result)
{
	struct subject subject;
	int faults = 0;

	*result = NULL;
	*outcome = (struct omega_sandbox_outcome)OMEGA_SANDBOX_OUTCOME_INIT;
	if (!subject_make(&subject, prepared, word, arg))
		return 1;
	if (omega_sandbox_command_set_number(
		subject.command, "timeout_ms", timeout_ms, NULL) < 0 ||
	    omega_sandbox_command_set_number(
		subject.command, "max_output", max_output, NULL) < 0)
		faults++;
	*result = subject_capture(&subject, outcome, &faults);
	subject_end(&subject);
	return *result == NULL ? faults + 1 : faults;
}

bool
subject_ends_with(const struct omega_sandbox_stream *stream, const char *text)
{
	size_t len = strlen(text);

	return stream->len >= len &&
	       memcmp(stream->bytes + stream->len - len, text, len) == 0;
}

bool
subject_is_enforced(struct omega_sandbox_prepared *prepared, const char *kind)
{
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	struct omega_sandbox_guarantee guarantee = OMEGA_SANDBOX_GUARANTEE_INIT;
	bool is_found = false;
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &guarantee) == 0; i++)
		if (strcmp(guarantee.kind, kind) == 0)
			is_found = guarantee.state == OMEGA_SANDBOX_ENFORCED;
	omega_sandbox_report_unref(report);
	return is_found;
}
