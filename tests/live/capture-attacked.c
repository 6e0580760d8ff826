/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capture-attacked.c - what comes of capture-attacks.c. As in test-capture.c no
 * timing is judged.
 */

#include "capture-tests.h"

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture-acts.h"
#include "hosts.h"
#include "spawning.h"
#include "subject.h"

/* A test gets a library and a data directory; the number of its faults. */
static int
in_scene(void *base, int (*fn)(struct subject_scene *scene))
{
	struct subject_scene scene;
	int faults;

	if (!subject_open(&scene, base, ""))
		return 1;
	faults = fn(&scene);
	subject_close(&scene);
	return faults;
}

#define ATTACKED(name)                            \
	static int name(void *base)               \
	{                                         \
		return in_scene(base, name##_in); \
	}                                         \
	CAPTURE(name)

/* It goes on until its time is over, and nothing is left then. */
static int
run_out(struct omega_sandbox_prepared *prepared, const char *act)
{
	struct omega_sandbox_outcome outcome;
	struct omega_sandbox_result *result;
	int faults;

	faults = subject_act(prepared, act, NULL, 1000, 0, &outcome, &result);
	CHECK(faults, outcome.is_timed_out && outcome.signal != 0,
	    "%s: status %d, signal %d", act, outcome.status, outcome.signal);
	omega_sandbox_result_free(result);
	return faults;
}

static const struct {
	const char *word;
	bool is_fast; /* for who looks for them one by one */
} acts[] = {{"trace-flood", false}, {"all", false}, {"zombies", false},
    {"exhaust", false}, {"many", false}, {"bomb", false}, {"web", false},
    {"chain", true}};

/* Outside of a pid namespace, where is_first is false. */
static int
run_out_all(struct omega_sandbox_prepared *prepared, bool is_first)
{
	int faults = 0;
	size_t i;

	for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (is_first || !acts[i].is_fast)
			faults += run_out(prepared, acts[i].word);
	return faults;
}

/* In a pid namespace, or outside of it: everything ends, and it is told. */
static int
ended_in(struct subject_scene *scene)
{
	return run_out_all(scene->library.inside,
		   subject_is_enforced(
		       scene->library.inside, "left_processes")) +
	       run_out_all(scene->library.outside, false);
}
ATTACKED(ended)

/* Where there can be no pid namespace: said, and done as well as it can be. */
static int
without_in(struct subject_scene *scene)
{
	int faults = 0;

	CHECK(faults,
	    !subject_is_enforced(scene->library.inside, "left_processes"),
	    "said to be enforced");
	return faults + run_out_all(scene->library.inside, false);
}

static int
without(void *base)
{
	/* A user's own has one id, and the directories above have another. */
	if (geteuid() != 0 || hosts_no_pid_namespaces(base) != 0) {
		fprintf(stderr, "# no user namespace to forbid them in\n");
		return 0;
	}
	return in_scene(base, without_in);
}
CAPTURE(without)

/* A host that has stopped itself reads nothing, and the time goes on. */
static int
look_whether_gone(void *arg, const struct omega_sandbox_event *event)
{
	struct subject *subject = arg;

	if (event->kind == OMEGA_SANDBOX_EVENT_STOPPED &&
	    subject->mark[1] >= 0 && subject_is_alive(subject, 60000))
		fprintf(stderr, "# still there while nobody listens\n");
	return 0;
}

static int
unheard_in(struct subject_scene *scene)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct subject subject;
	int faults = 0;
	int i;

	for (i = 0; i < 2; i++) {
		if (!subject_make(&subject,
			i == 0 ? scene->library.inside : scene->library.outside,
			"stop-flood", NULL))
			return faults + 1;
		must(omega_sandbox_command_set_number(
			 subject.command, "timeout_ms", 1000, NULL) == 0);
		must(omega_sandbox_command_set_events(subject.command,
			 look_whether_gone, &subject, NULL) == 0);
		omega_sandbox_result_free(
		    subject_capture(&subject, &outcome, &faults));
		CHECK(faults, outcome.is_timed_out, "not timed out");
		subject_end(&subject);
	}
	return faults;
}
ATTACKED(unheard)

/* While one has all descriptors in flight that there may be, others start, and
 * sandboxes are prepared. */
static int
in_flight(void *base)
{
	struct omega_sandbox_outcome outcome;
	struct omega_sandbox_result *result;
	struct omega_sandbox_child *child = NULL;
	struct subject_scene scenes[2];
	struct subject subject;
	char text[8];
	int faults = 0;
	int i;
	int out;

	if (!subject_open(&scenes[0], base, "") ||
	    !subject_make(&subject, scenes[0].library.inside, "flight", NULL))
		return 1;
	must(omega_sandbox_command_set_stdio(
		 subject.command, 1, OMEGA_SANDBOX_STDIO_PIPE, -1, NULL) == 0);
	if (omega_sandbox_spawn(subject.command, &child, NULL) < 0)
		return 1;
	out = omega_sandbox_child_take_stdio(child, 1);
	CHECK(faults, read(out, text, sizeof(text)) == 5,
	    "it has not filled anything");
	if (!subject_open(&scenes[1], base, ""))
		return faults + 1;
	for (i = 0; i < 2; i++) {
		faults += subject_act(scenes[i].library.inside, "count", "7", 0,
		    0, &outcome, &result);
		CHECK(faults, outcome.status == 7, "it ended with %d, %d",
		    outcome.status, outcome.signal);
		omega_sandbox_result_free(result);
	}
	omega_sandbox_child_signal(child, SIGKILL);
	CHECK(faults, omega_sandbox_child_wait(child, -1, NULL, NULL) == 1,
	    "wait");
	omega_sandbox_child_free(child);
	close(out);
	subject_end(&subject);
	subject_close(&scenes[1]);
	subject_close(&scenes[0]);
	return faults;
}
CAPTURE(in_flight)

static size_t
count_of(const struct omega_sandbox_stream *stream, char letter)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < stream->len; i++)
		count += stream->bytes[i] == (uint8_t)letter;
	return count;
}

/* Each of them is asked to end before it is made to. */
static int
asked_in(struct subject_scene *scene)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result;
	struct subject subject;
	int faults = 0;

	if (!subject_make(&subject, scene->library.inside, "listen", NULL))
		return 1;
	must(omega_sandbox_command_set_number(
		 subject.command, "timeout_ms", 3000, NULL) == 0);
	must(omega_sandbox_command_set_number(
		 subject.command, "grace_ms", 60000, NULL) == 0);
	result = subject_capture(&subject, &outcome, &faults);
	CHECK(faults,
	    result != NULL &&
		count_of(&outcome.out, 't') == count_of(&outcome.out, 'r'),
	    "of %zu %zu were asked", count_of(&outcome.out, 'r'),
	    count_of(&outcome.out, 't'));
	CHECK(faults, outcome.is_timed_out && outcome.status == 9,
	    "it ended with %d, %d", outcome.status, outcome.signal);
	omega_sandbox_result_free(result);
	subject_end(&subject);
	return faults;
}
ATTACKED(asked)

/* The first process has less than it needs; where a filter lets that be. */
static int
starved_in(struct subject_scene *scene)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result = NULL;
	struct subject subject;
	int faults = 0;
	int ret;

	if (!subject_is_enforced(scene->library.inside, "left_processes")) {
		fprintf(stderr, "# no pid namespaces here\n");
		return 0;
	}
	faults += subject_act(scene->library.inside, "starve", "files", 1000, 0,
	    &outcome, &result);
	CHECK(faults,
	    outcome.status == EPERM ||
		(outcome.is_timed_out && outcome.signal != 0),
	    "files: %d, %d", outcome.status, outcome.signal);
	omega_sandbox_result_free(result);
	if (!subject_make(&subject, scene->library.inside, "starve", "time"))
		return faults + 1;
	result = NULL;
	must(omega_sandbox_command_set_number(
		 subject.command, "timeout_ms", 20000, NULL) == 0);
	ret = omega_sandbox_capture(subject.command, &result, &error);
	CHECK(faults,
	    ret == OMEGA_SANDBOX_E_STATUS_LOST ||
		(omega_sandbox_result_get(result, &outcome) == 0 &&
		    (outcome.signal == SIGKILL || outcome.status == EPERM)),
	    "time: %d: %s", ret, error.text);
	CHECK(faults, !subject_is_alive(&subject, 0), "something is left");
	omega_sandbox_result_free(result);
	subject_end(&subject);
	return faults;
}
ATTACKED(starved)

/* ---- What nobody can end ------------------------------------------------ */

/* It is not waited for, and told. */
static int
cannot_end(struct subject *subject, bool is_cancelled)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result = NULL;
	int faults = 0;
	int ret;

	must(omega_sandbox_command_set_number(subject->command, "timeout_ms",
		 is_cancelled ? 60000 : 1000, NULL) == 0);
	ret = omega_sandbox_capture(subject->command, &result, &error);
	CHECK(faults, ret == 0, "%d: %s", ret, error.text);
	omega_sandbox_result_get(result, &outcome);
	CHECK(faults, outcome.is_timed_out == !is_cancelled, "timed out: %d",
	    outcome.is_timed_out);
	CHECK(faults, outcome.is_cancelled == is_cancelled, "cancelled: %d",
	    outcome.is_cancelled);
	CHECK(faults, outcome.left >= 1, "none is left");
	CHECK(faults, outcome.status == -1 && outcome.signal == 0,
	    "it has ended: %d, %d", outcome.status, outcome.signal);
	omega_sandbox_result_free(result);
	return faults;
}

/* One outside traces it and has its end told, but does not listen. */
enum ending { TIMED_OUT, CANCELLED, UNSUPERVISED };

struct tracer {
	pid_t pid;
	struct omega_sandbox_command *command;
	enum ending ending;
	int to[2];
	int from[2];
	int error; /* of PTRACE_SEIZE */
};

static _Noreturn void
be_tracer(const struct tracer *tracer)
{
	pid_t pid;
	int error = 0;

	if (read(tracer->to[0], &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	if (ptrace(PTRACE_SEIZE, pid, NULL,
		(void *)(intptr_t)PTRACE_O_TRACEEXIT) != 0)
		error = errno;
	if (write(tracer->from[1], &error, sizeof(error)) < 0)
		_exit(1);
	for (;;)
		pause();
}

/* Stop the process that sees to it, for good: it is killed by the host. */
static void
stop_parent(pid_t pid)
{
	char path[64];
	FILE *stream;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	stream = fopen(path, "re");
	if (stream == NULL)
		return;
	if (fscanf(stream, "%*d (%*[^)]) %*c %d", &parent) == 1 && parent > 1)
		kill(parent, SIGSTOP);
	fclose(stream);
}

static int
have_traced(void *arg, const struct omega_sandbox_event *event)
{
	struct tracer *tracer = arg;

	if (event->kind != OMEGA_SANDBOX_EVENT_STARTED)
		return 0;
	if (write(tracer->to[1], &event->pid, sizeof(event->pid)) < 0 ||
	    read(tracer->from[0], &tracer->error, sizeof(int)) < 0)
		tracer->error = errno;
	if (tracer->ending == CANCELLED)
		omega_sandbox_command_cancel(tracer->command);
	if (tracer->ending == UNSUPERVISED)
		stop_parent(event->pid);
	return 0;
}

static int
hold(struct omega_sandbox_prepared *prepared, enum ending ending)
{
	struct tracer tracer = {.error = -1, .ending = ending};
	struct subject subject;
	int faults = 0;

	if (pipe(tracer.to) != 0 || pipe(tracer.from) != 0)
		return 1;
	tracer.pid = fork();
	if (tracer.pid == 0)
		be_tracer(&tracer);
	if (!subject_make(&subject, prepared, "stay", NULL))
		return 1;
	tracer.command = subject.command;
	must(omega_sandbox_command_set_events(
		 subject.command, have_traced, &tracer, NULL) == 0);
	faults += cannot_end(&subject, ending == CANCELLED);
	CHECK(faults, tracer.error == 0, "it cannot be traced: %s",
	    strerror(tracer.error));
	kill(tracer.pid, SIGKILL);
	waitpid(tracer.pid, NULL, 0);
	CHECK(faults, !subject_is_alive(&subject, 60000), "it goes on");
	subject_end(&subject);
	close(tracer.to[0]);
	close(tracer.to[1]);
	close(tracer.from[0]);
	close(tracer.from[1]);
	return faults;
}

static int
held_in(struct subject_scene *scene)
{
	int faults;

	faults = hold(scene->library.inside, TIMED_OUT) +
		 hold(scene->library.inside, CANCELLED) +
		 hold(scene->library.outside, TIMED_OUT);
	if (subject_is_enforced(scene->library.inside, "left_processes"))
		faults += hold(scene->library.inside, UNSUPERVISED);
	return faults;
}
ATTACKED(held)

/* Two that trace each other. They stay until the machine is started anew, and
 * hold every pid namespace around them. */
static int
husks_in(struct subject_scene *scene)
{
	struct subject subject;
	int faults;

	if (!subject_make(&subject, scene->library.inside, "husks", NULL))
		return 1;
	faults = cannot_end(&subject, false);
	subject_end(&subject);
	return faults;
}

static int
husks(void *base)
{
	return in_scene(base, husks_in);
}

static void
test_husks(void **state)
{
	(void)state;
	if (getenv("OMEGA_TEST_HUSKS") == NULL)
		skip_because("what it makes stays until the machine is started "
			     "anew (OMEGA_TEST_HUSKS=1)");
	twice(husks);
}

const struct CMUnitTest capture_attacked_tests[] = {
    cmocka_unit_test(test_ended),
    cmocka_unit_test(test_without),
    cmocka_unit_test(test_unheard),
    cmocka_unit_test(test_in_flight),
    cmocka_unit_test(test_asked),
    cmocka_unit_test(test_starved),
    cmocka_unit_test(test_held),
    cmocka_unit_test(test_husks),
    {NULL, NULL, NULL, NULL, NULL},
};
