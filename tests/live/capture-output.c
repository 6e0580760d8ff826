/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capture-output.c - what commands say and what they read.
 */

#include "capture-tests.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spawning.h"
#include "subject.h"

static int
check_flood(const struct omega_sandbox_stream *stream, uint64_t seen)
{
	int faults = 0;

	CHECK(faults, stream->seen == seen, "%llu were seen",
	    (unsigned long long)stream->seen);
	CHECK(faults, stream->len <= 5000 && stream->len > 4500,
	    "%zu were kept", stream->len);
	CHECK(faults, memcmp(stream->bytes, "abcdefghij", 10) == 0,
	    "the beginning is missing");
	CHECK(faults, subject_ends_with(stream, "END"), "the end is missing");
	CHECK(faults,
	    memmem(stream->bytes, stream->len, " bytes left out ...]\n", 21) !=
		NULL,
	    "no word about what is left out");
	return faults;
}

/* Gigabytes, and no more memory than was said. */
static int
output(void *base)
{
	struct omega_sandbox_outcome outcome;
	struct omega_sandbox_result *result;
	struct subject_scene scene;
	const char *much =
	    is_sanitized() || is_under_valgrind() ? "16777216" : "2147483648";
	uint64_t seen = strtoull(much, NULL, 10) + 3;
	int faults = 0;

	if (!subject_open(&scene, base, ""))
		return 1;
	faults += subject_act(scene.library.inside, "flood", much, 600000,
	    10000, &outcome, &result);
	if (result != NULL) {
		CHECK(faults, outcome.status == 0, "%d", outcome.status);
		CHECK(faults, outcome.is_truncated, "not truncated");
		CHECK(faults, !outcome.is_timed_out, "timed out");
		CHECK(faults, outcome.is_protected, "not protected");
		faults += check_flood(&outcome.out, seen);
		faults += check_flood(&outcome.err, seen);
	}
	omega_sandbox_result_free(result);
	faults += subject_act(
	    scene.library.inside, "close-one", NULL, 0, 0, &outcome, &result);
	CHECK(faults,
	    outcome.status == 7 && outcome.out.len == 0 &&
		subject_ends_with(&outcome.err, "still here"),
	    "a stream was closed: %d", outcome.status);
	omega_sandbox_result_free(result);
	faults += subject_act(
	    scene.library.inside, "nothing", NULL, 0, 0, &outcome, &result);
	CHECK(faults,
	    outcome.status == 0 && outcome.out.len == 0 &&
		outcome.err.len == 0 && !outcome.is_truncated,
	    "nothing was said");
	omega_sandbox_result_free(result);
	subject_close(&scene);
	return faults;
}

/* What was told to the host. */
struct told {
	uint64_t bytes[3];
	int stop_after; /* calls; 0: never */
	int calls;
};

static int
hear(void *arg, int which, const void *bytes, size_t len)
{
	struct told *told = arg;

	(void)bytes;
	told->bytes[which] += len;
	return ++told->calls == told->stop_after;
}

static int
streamed(void *base)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result;
	struct told told = {{0, 0, 0}, 0, 0};
	struct subject subject;
	struct subject_scene scene;
	int faults = 0;

	if (!subject_open(&scene, base, "") ||
	    !subject_make(&subject, scene.library.inside, "flood", "1000000"))
		return 1;
	must(omega_sandbox_command_set_output(
		 subject.command, hear, &told, NULL) == 0);
	result = subject_capture(&subject, &outcome, &faults);
	CHECK(faults,
	    told.bytes[1] == 1000003 && told.bytes[2] == 1000003 &&
		outcome.out.seen == 1000003 && outcome.out.len == 0 &&
		!outcome.is_truncated,
	    "%llu and %llu were told", (unsigned long long)told.bytes[1],
	    (unsigned long long)told.bytes[2]);
	omega_sandbox_result_free(result);
	subject_end(&subject);
	/* Within a bound. */
	told = (struct told){{0, 0, 0}, 0, 0};
	if (!subject_make(&subject, scene.library.inside, "flood", "1000000"))
		return 1;
	must(omega_sandbox_command_set_output(
		 subject.command, hear, &told, NULL) == 0);
	must(omega_sandbox_command_set_number(
		 subject.command, "max_output", 1000, NULL) == 0);
	result = subject_capture(&subject, &outcome, &faults);
	CHECK(faults,
	    told.bytes[1] + told.bytes[2] == 1000 &&
		outcome.err.seen == 1000003 && outcome.is_truncated,
	    "%llu and %llu were told", (unsigned long long)told.bytes[1],
	    (unsigned long long)told.bytes[2]);
	omega_sandbox_result_free(result);
	subject_end(&subject);
	/* Until the host has enough. */
	told = (struct told){{0, 0, 0}, 1, 0};
	if (!subject_make(
		&subject, scene.library.inside, "flood", "999999999999"))
		return 1;
	must(omega_sandbox_command_set_output(
		 subject.command, hear, &told, NULL) == 0);
	result = subject_capture(&subject, &outcome, &faults);
	CHECK(faults, told.calls == 1 && outcome.is_cancelled,
	    "%d calls, cancelled %d", told.calls, outcome.is_cancelled);
	omega_sandbox_result_free(result);
	subject_end(&subject);
	subject_close(&scene);
	return faults;
}

/* ---- Input --------------------------------------------------------------- */

static int
input(void *base)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result;
	struct subject subject;
	struct subject_scene scene;
	size_t len = 300000;
	char *bytes = calloc(1, len);
	int ends[2];
	int faults = 0;

	if (bytes == NULL || !subject_open(&scene, base, ""))
		return 1;
	memset(bytes, 'x', len);
	bytes[len - 1] = '!';
	/* More than a pipe holds, to one that reads and to one that does not.
	 */
	if (!subject_make(&subject, scene.library.inside, "copy", NULL))
		return 1;
	must(omega_sandbox_command_set_input(
		 subject.command, bytes, len, NULL) == 0);
	result = subject_capture(&subject, &outcome, &faults);
	CHECK(faults,
	    result != NULL && outcome.out.len == len &&
		memcmp(outcome.out.bytes, bytes, len) == 0,
	    "%zu came back", outcome.out.len);
	omega_sandbox_result_free(result);
	subject_end(&subject);
	if (!subject_make(&subject, scene.library.inside, "nothing", NULL))
		return 1;
	must(omega_sandbox_command_set_input(
		 subject.command, bytes, len, NULL) == 0);
	result = subject_capture(&subject, &outcome, &faults);
	CHECK(faults, outcome.status == 0, "status %d", outcome.status);
	omega_sandbox_result_free(result);
	subject_end(&subject);
	/* Nothing. */
	faults += subject_act(
	    scene.library.inside, "copy", NULL, 0, 0, &outcome, &result);
	CHECK(faults, outcome.status == 0 && outcome.out.len == 0, "nothing");
	omega_sandbox_result_free(result);
	/* A descriptor. */
	if (!subject_make(&subject, scene.library.inside, "copy", NULL) ||
	    pipe2(ends, O_CLOEXEC) != 0 || write(ends[1], "hello", 5) != 5)
		return 1;
	close(ends[1]);
	must(omega_sandbox_command_set_stdio(subject.command, 0,
		 OMEGA_SANDBOX_STDIO_FD, ends[0], NULL) == 0);
	result = subject_capture(&subject, &outcome, &faults);
	CHECK(faults,
	    outcome.out.len == 5 && subject_ends_with(&outcome.out, "hello"),
	    "%zu came back", outcome.out.len);
	omega_sandbox_result_free(result);
	close(ends[0]);
	subject_end(&subject);
	free(bytes);
	subject_close(&scene);
	return faults;
}

CAPTURE(output)
CAPTURE(streamed)
CAPTURE(input)

const struct CMUnitTest capture_output_tests[] = {
    cmocka_unit_test(test_output),
    cmocka_unit_test(test_streamed),
    cmocka_unit_test(test_input),
    {NULL, NULL, NULL, NULL, NULL},
};
