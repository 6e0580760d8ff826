/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-capture.c - commands run to the end of all of their processes: what
 * they say, how they end, and that nothing of them stays, as root and as an
 * ordinary user.
 *
 * Every process of a command holds the writing end of a pipe that only they
 * have, so that its end of file tells that none of them is left. No timing is
 * judged: a call that does not return is the failure.
 */

#include "library.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture-acts.h"
#include "spawning.h"
#include "twice.h"

/* A command with its mark. */
struct subject {
	struct omega_sandbox_command *command;
	int mark[2];
	int life[2];
};

static bool
subject_make(struct subject *subject, struct omega_sandbox_prepared *prepared,
    const char *act, const char *arg)
{
	const char *words[] = {library_self(), act, arg, NULL};

	subject->command = library_command(prepared, words);
	if (subject->command == NULL || pipe2(subject->mark, O_CLOEXEC) != 0 ||
	    pipe2(subject->life, O_CLOEXEC) != 0)
		return false;
	return omega_sandbox_command_pass_fd(
		   subject->command, subject->mark[1], ACT_MARK) == 0 &&
	       omega_sandbox_command_pass_fd(
		   subject->command, subject->life[0], ACT_LIFE) == 0 &&
	       omega_sandbox_command_set_grace(subject->command, 200) == 0;
}

/* Is any process of it left? Asked once, when the last start is over. */
static bool
subject_is_alive(struct subject *subject, int wait_ms)
{
	struct pollfd set = {.fd = subject->mark[0], .events = POLLIN};

	if (subject->mark[1] >= 0)
		close(subject->mark[1]);
	subject->mark[1] = -1;
	return poll(&set, 1, wait_ms) == 0;
}

static void
subject_end(struct subject *subject)
{
	if (subject->mark[1] >= 0)
		close(subject->mark[1]);
	close(subject->mark[0]);
	close(subject->life[0]);
	close(subject->life[1]);
	omega_sandbox_command_unref(subject->command);
}

/* Run it and look that it is gone. The result is the caller's, or NULL. */
static struct omega_sandbox_result *
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

struct scene {
	struct library library;
	struct world world;
};

static bool
scene_open(struct scene *scene, const char *base, const char *lines)
{
	world_make(&scene->world, base, ".omega");
	return library_open(&scene->library, base, scene->world.dir, lines);
}

static void
scene_close(struct scene *scene)
{
	library_close(&scene->library);
	world_end(&scene->world);
}

/* One act from begin to end. */
static int
act(struct omega_sandbox_prepared *prepared, const char *word, const char *arg,
    uint64_t timeout_ms, uint64_t max_output,
    struct omega_sandbox_outcome *outcome, struct omega_sandbox_result **result)
{
	struct subject subject;
	int faults = 0;

	*result = NULL;
	*outcome = (struct omega_sandbox_outcome)OMEGA_SANDBOX_OUTCOME_INIT;
	if (!subject_make(&subject, prepared, word, arg))
		return 1;
	omega_sandbox_command_set_timeout(subject.command, timeout_ms);
	omega_sandbox_command_set_max_output(subject.command, max_output);
	*result = subject_capture(&subject, outcome, &faults);
	subject_end(&subject);
	return *result == NULL ? faults + 1 : faults;
}

/* ---- Output -------------------------------------------------------------- */

static bool
ends_with(const struct omega_sandbox_stream *stream, const char *text)
{
	size_t len = strlen(text);

	return stream->len >= len &&
	       memcmp(stream->bytes + stream->len - len, text, len) == 0;
}

static int
check_flood(const struct omega_sandbox_stream *stream, uint64_t seen)
{
	int faults = 0;

	CHECK(faults, stream->seen == seen, "%llu were seen",
	    (unsigned long long)stream->seen);
	CHECK(faults, stream->len <= 10000 && stream->len > 9000,
	    "%zu were kept", stream->len);
	CHECK(faults, memcmp(stream->bytes, "abcdefghij", 10) == 0,
	    "the beginning is missing");
	CHECK(faults, ends_with(stream, "END"), "the end is missing");
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
	struct scene scene;
	const char *much =
	    is_sanitized() || is_under_valgrind() ? "16777216" : "2147483648";
	uint64_t seen = strtoull(much, NULL, 10) + 3;
	int faults = 0;

	if (!scene_open(&scene, base, ""))
		return 1;
	faults += act(scene.library.inside, "flood", much, 600000, 10000,
	    &outcome, &result);
	if (result != NULL) {
		CHECK(faults, outcome.status == 0, "%d", outcome.status);
		CHECK(faults, outcome.is_truncated, "not truncated");
		CHECK(faults, !outcome.is_timed_out, "timed out");
		CHECK(faults, outcome.is_protected, "not protected");
		faults += check_flood(&outcome.out, seen);
		faults += check_flood(&outcome.err, seen);
	}
	omega_sandbox_result_free(result);
	faults += act(
	    scene.library.inside, "close-one", NULL, 0, 0, &outcome, &result);
	CHECK(faults,
	    outcome.status == 7 && outcome.out.len == 0 &&
		ends_with(&outcome.err, "still here"),
	    "a stream was closed: %d", outcome.status);
	omega_sandbox_result_free(result);
	faults +=
	    act(scene.library.inside, "nothing", NULL, 0, 0, &outcome, &result);
	CHECK(faults,
	    outcome.status == 0 && outcome.out.len == 0 &&
		outcome.err.len == 0 && !outcome.is_truncated,
	    "nothing was said");
	omega_sandbox_result_free(result);
	scene_close(&scene);
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
	struct scene scene;
	int faults = 0;

	if (!scene_open(&scene, base, "") ||
	    !subject_make(&subject, scene.library.inside, "flood", "1000000"))
		return 1;
	omega_sandbox_command_set_output(subject.command, hear, &told);
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
	omega_sandbox_command_set_output(subject.command, hear, &told);
	omega_sandbox_command_set_max_output(subject.command, 1000);
	result = subject_capture(&subject, &outcome, &faults);
	CHECK(faults,
	    told.bytes[1] == 1000 && told.bytes[2] == 1000 &&
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
	omega_sandbox_command_set_output(subject.command, hear, &told);
	result = subject_capture(&subject, &outcome, &faults);
	CHECK(faults, told.calls == 1 && outcome.is_cancelled,
	    "%d calls, cancelled %d", told.calls, outcome.is_cancelled);
	omega_sandbox_result_free(result);
	subject_end(&subject);
	scene_close(&scene);
	return faults;
}

/* ---- Input --------------------------------------------------------------- */

static int
input(void *base)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result;
	struct subject subject;
	struct scene scene;
	size_t len = 300000;
	char *bytes = calloc(1, len);
	int ends[2];
	int faults = 0;

	if (bytes == NULL || !scene_open(&scene, base, ""))
		return 1;
	memset(bytes, 'x', len);
	bytes[len - 1] = '!';
	/* More than a pipe holds, to one that reads and to one that does not.
	 */
	if (!subject_make(&subject, scene.library.inside, "copy", NULL))
		return 1;
	omega_sandbox_command_set_input(subject.command, bytes, len);
	result = subject_capture(&subject, &outcome, &faults);
	CHECK(faults,
	    result != NULL && outcome.out.len == len &&
		memcmp(outcome.out.bytes, bytes, len) == 0,
	    "%zu came back", outcome.out.len);
	omega_sandbox_result_free(result);
	subject_end(&subject);
	if (!subject_make(&subject, scene.library.inside, "nothing", NULL))
		return 1;
	omega_sandbox_command_set_input(subject.command, bytes, len);
	result = subject_capture(&subject, &outcome, &faults);
	CHECK(faults, outcome.status == 0, "status %d", outcome.status);
	omega_sandbox_result_free(result);
	subject_end(&subject);
	/* Nothing. */
	faults +=
	    act(scene.library.inside, "copy", NULL, 0, 0, &outcome, &result);
	CHECK(faults, outcome.status == 0 && outcome.out.len == 0, "nothing");
	omega_sandbox_result_free(result);
	/* A descriptor. */
	if (!subject_make(&subject, scene.library.inside, "copy", NULL) ||
	    pipe2(ends, O_CLOEXEC) != 0 || write(ends[1], "hello", 5) != 5)
		return 1;
	close(ends[1]);
	omega_sandbox_command_set_stdio(
	    subject.command, 0, OMEGA_SANDBOX_STDIO_FD, ends[0]);
	result = subject_capture(&subject, &outcome, &faults);
	CHECK(faults, outcome.out.len == 5 && ends_with(&outcome.out, "hello"),
	    "%zu came back", outcome.out.len);
	omega_sandbox_result_free(result);
	close(ends[0]);
	subject_end(&subject);
	free(bytes);
	scene_close(&scene);
	return faults;
}

/* ---- Time-outs ----------------------------------------------------------- */

/* The same without a supervisor: what a host's own kill(2) leaves. */
static int
survive(struct omega_sandbox_prepared *prepared)
{
	struct omega_sandbox_child *child = NULL;
	struct omega_sandbox_exit end = OMEGA_SANDBOX_EXIT_INIT;
	struct subject subject;
	char text[8];
	int faults = 0;

	if (!subject_make(&subject, prepared, "tree", "awake"))
		return 1;
	omega_sandbox_command_set_stdio(
	    subject.command, 1, OMEGA_SANDBOX_STDIO_PIPE, -1);
	if (omega_sandbox_spawn(subject.command, &child, NULL) < 0)
		return 1;
	CHECK(faults,
	    read(omega_sandbox_child_stdio(child, 1), text, sizeof(text)) > 0,
	    "no tree");
	omega_sandbox_child_signal(child, SIGKILL);
	CHECK(faults, omega_sandbox_child_wait(child, -1, &end, NULL) == 1,
	    "wait");
	omega_sandbox_child_free(child);
	CHECK(faults, subject_is_alive(&subject, 0),
	    "all of it ended by itself: the test shows nothing");
	subject_end(&subject);
	return faults;
}

static int
timed_out(void *base)
{
	static const struct {
		const char *word;
		const char *arg;
		const char *said;
	} acts[] = {
	    {"stay", NULL, ""},
	    {"tree", "stay", "tree\n"},
	    {"storm", NULL, "storm\n"},
	    {"stop", NULL, ""},
	};
	struct omega_sandbox_outcome outcome;
	struct omega_sandbox_result *result;
	struct scene scene;
	int children;
	size_t i;
	int faults = 0;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
	    !scene_open(&scene, base, ""))
		return 1;
	children = library_children();
	for (i = 0; i < 2 * sizeof(acts) / sizeof(acts[0]); i++) {
		size_t j = i / 2;

		fprintf(stderr, "# %s %s\n", i % 2 ? "outside" : "inside",
		    acts[j].word);
		faults +=
		    act(i % 2 ? scene.library.outside : scene.library.inside,
			acts[j].word, acts[j].arg, 1500, 0, &outcome, &result);
		CHECK(faults, outcome.is_timed_out, "not timed out: %d %d",
		    outcome.status, outcome.signal);
		CHECK(faults, outcome.signal != 0, "ended with %d",
		    outcome.status);
		CHECK(faults,
		    result != NULL && ends_with(&outcome.out, acts[j].said),
		    "it said %zu bytes", outcome.out.len);
		CHECK(faults, outcome.duration_ms >= 1500, "%llu ms",
		    (unsigned long long)outcome.duration_ms);
		omega_sandbox_result_free(result);
		CHECK(faults, library_children() == children,
		    "%d children, not %d", library_children(), children);
	}
	/* One that ends before what it has started. */
	faults += act(scene.library.inside, "tree", "leave", 600000, 0,
	    &outcome, &result);
	CHECK(faults, !outcome.is_timed_out && outcome.status == 3,
	    "ended with %d, %d", outcome.status, outcome.signal);
	omega_sandbox_result_free(result);
	CHECK(faults, library_children() == children, "children are left");
	scene_close(&scene);
	return faults;
}

/* What would be left by one who kills the process alone. */
static int
unsupervised(void *base)
{
	struct scene scene;
	int faults;

	if (!scene_open(&scene, base, ""))
		return 1;
	faults = survive(scene.library.inside);
	scene_close(&scene);
	return faults;
}

static int
cost(void *base)
{
	struct omega_sandbox_outcome outcome;
	struct omega_sandbox_result *result;
	struct omega_sandbox_report *report;
	struct scene scene;
	int faults = 0;

	if (!scene_open(&scene, base, ""))
		return 1;
	faults += act(
	    scene.library.inside, "work", NULL, 600000, 0, &outcome, &result);
	CHECK(faults, outcome.status == 0, "ended with %d", outcome.status);
	CHECK(faults, outcome.cpu_ms > 0, "no processor time");
	CHECK(faults, outcome.peak_memory > UINT64_C(64) << 20,
	    "%llu bytes of memory", (unsigned long long)outcome.peak_memory);
	report = omega_sandbox_result_report(result);
	CHECK(faults, omega_sandbox_report_is_protected(report),
	    "the report is another one's");
	omega_sandbox_report_unref(report);
	omega_sandbox_result_free(result);
	scene_close(&scene);
	return faults;
}

/* ---- Cancelling ---------------------------------------------------------- */

static void *
cancel_soon(void *arg)
{
	int i;

	for (i = 0; i < 60000; i++) {
		if (omega_sandbox_command_cancel(arg) == 0)
			return NULL;
		usleep(1000);
	}
	return NULL;
}

static int
cancelled(void *base)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result;
	struct subject subject;
	struct scene scene;
	pthread_t thread;
	int faults = 0;

	if (!scene_open(&scene, base, "") ||
	    !subject_make(&subject, scene.library.inside, "tree", "stay"))
		return 1;
	CHECK(faults,
	    omega_sandbox_command_cancel(subject.command) ==
		OMEGA_SANDBOX_E_STATE,
	    "there was nothing to cancel");
	omega_sandbox_command_set_timeout(subject.command, 600000);
	if (pthread_create(&thread, NULL, cancel_soon, subject.command) != 0)
		return 1;
	result = subject_capture(&subject, &outcome, &faults);
	pthread_join(thread, NULL);
	CHECK(faults, outcome.is_cancelled && !outcome.is_timed_out,
	    "cancelled %d, timed out %d", outcome.is_cancelled,
	    outcome.is_timed_out);
	omega_sandbox_result_free(result);
	subject_end(&subject);
	scene_close(&scene);
	return faults;
}

/* Is this guarantee enforced? */
static bool
is_enforced(struct omega_sandbox_prepared *prepared, const char *kind)
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

/* A command that kills its supervisor, where it can: the host is told, and
 * the command does not go on. */
static int
attacked(void *base)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome outcome;
	struct omega_sandbox_result *result = NULL;
	struct subject subject;
	struct scene scene;
	int faults = 0;
	int ret;

	if (!scene_open(&scene, base, "") ||
	    !subject_make(&subject, scene.library.outside, "kill-parent", NULL))
		return 1;
	ret = omega_sandbox_capture(subject.command, &result, &error);
	CHECK(faults, ret == OMEGA_SANDBOX_E_SYSTEM, "%d: %s", ret, error.text);
	CHECK(
	    faults, strstr(error.text, "supervisor") != NULL, "%s", error.text);
	CHECK(faults, !subject_is_alive(&subject, 60000), "it goes on");
	omega_sandbox_result_free(result);
	subject_end(&subject);
	/* One that is stopped is woken. */
	faults += act(scene.library.outside, "stop-parent", NULL, 500, 0,
	    &outcome, &result);
	CHECK(faults, outcome.is_timed_out && outcome.signal == SIGKILL,
	    "timed out %d, signal %d", outcome.is_timed_out, outcome.signal);
	omega_sandbox_result_free(result);
	if (is_enforced(scene.library.inside, "outside_signals")) {
		faults += act(scene.library.inside, "kill-parent", NULL, 0, 0,
		    &outcome, &result);
		CHECK(faults, outcome.status == EPERM, "inside: %d, %d",
		    outcome.status, outcome.signal);
		omega_sandbox_result_free(result);
	} else {
		fprintf(stderr, "# no backend keeps signals inside here\n");
	}
	scene_close(&scene);
	return faults;
}

/* ---- Hosts --------------------------------------------------------------- */

static atomic_bool is_over;

static void *
wait_for_all(void *unused)
{
	(void)unused;
	while (!atomic_load(&is_over))
		if (waitpid(-1, NULL, WNOHANG) <= 0)
			usleep(100);
	return NULL;
}

/* One that collects every child there is, and one that wants to see none. */
static int
careless(void *base)
{
	struct omega_sandbox_outcome outcome;
	struct omega_sandbox_result *result;
	struct scene scene;
	pthread_t thread;
	int faults = 0;
	int i;

	if (!scene_open(&scene, base, ""))
		return 1;
	signal(SIGCHLD, SIG_IGN);
	for (i = 0; i < 10; i++) {
		faults += act(scene.library.inside, "count", "42", 0, 0,
		    &outcome, &result);
		CHECK(faults, outcome.status == 42, "SIGCHLD is ignored: %d",
		    outcome.status);
		omega_sandbox_result_free(result);
	}
	signal(SIGCHLD, SIG_DFL);
	atomic_store(&is_over, false);
	if (pthread_create(&thread, NULL, wait_for_all, NULL) != 0)
		return 1;
	for (i = 0; i < 20; i++) {
		faults += act(scene.library.inside, "count", "42", 0, 0,
		    &outcome, &result);
		CHECK(faults, outcome.status == 42, "others wait: %d",
		    outcome.status);
		omega_sandbox_result_free(result);
	}
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
	scene_close(&scene);
	return faults;
}

static void *
capture_tree(void *arg)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	int faults = 0;

	omega_sandbox_result_free(subject_capture(arg, &outcome, &faults));
	return NULL;
}

/* A host that is killed in the middle of its runs. */
static int
killed(void *base)
{
	enum { RUNS = 4 };
	struct subject subjects[RUNS];
	struct scene scene;
	pthread_t threads[RUNS];
	int ready[2];
	char byte;
	int faults = 0;
	pid_t host;
	int i;

	if (!scene_open(&scene, base, "") || pipe(ready) != 0)
		return 1;
	for (i = 0; i < RUNS; i++) {
		if (!subject_make(&subjects[i],
			i % 2 ? scene.library.inside : scene.library.outside,
			"tree", "stay"))
			return 1;
		omega_sandbox_command_set_stdio(
		    subjects[i].command, 1, OMEGA_SANDBOX_STDIO_FD, ready[1]);
		omega_sandbox_command_set_timeout(subjects[i].command, 600000);
	}
	host = fork();
	if (host == 0) {
		for (i = 0; i < RUNS; i++)
			if (pthread_create(&threads[i], NULL, capture_tree,
				&subjects[i]) != 0)
				_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	/* Five letters of each. */
	for (i = 0; i < 5 * RUNS; i++)
		CHECK(faults, read(ready[0], &byte, 1) == 1, "no tree");
	kill(host, SIGKILL);
	waitpid(host, NULL, 0);
	for (i = 0; i < RUNS; i++) {
		CHECK(faults, !subject_is_alive(&subjects[i], 60000),
		    "something is left");
		subject_end(&subjects[i]);
	}
	close(ready[0]);
	scene_close(&scene);
	return faults;
}

/* A thousand runs by a few threads. */
struct crowd {
	struct omega_sandbox_prepared *prepared;
	atomic_int next;
	atomic_int faults;
	int runs;
};

static void *
run_many(void *arg)
{
	struct crowd *crowd = arg;
	int number;

	while ((number = atomic_fetch_add(&crowd->next, 1)) < crowd->runs) {
		char text[2][16];
		const char *words[] = {library_self(), "count", text[0], NULL};
		struct omega_sandbox_outcome outcome =
		    OMEGA_SANDBOX_OUTCOME_INIT;
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct omega_sandbox_result *result = NULL;
		struct omega_sandbox_command *command;
		int faults = 0;

		snprintf(text[0], sizeof(text[0]), "%d", number);
		snprintf(text[1], sizeof(text[1]), "%d", 2 * number);
		command = library_command(crowd->prepared, words);
		omega_sandbox_command_set_timeout(command, 600000);
		if (omega_sandbox_capture(command, &result, &error) < 0)
			CHECK(faults, false, "%d: %s", number, error.text);
		else if (omega_sandbox_result_get(result, &outcome) == 0)
			CHECK(faults,
			    outcome.status == number % 100 &&
				outcome.out.len == strlen(text[0]) &&
				ends_with(&outcome.out, text[0]) &&
				outcome.err.len == strlen(text[1]) &&
				ends_with(&outcome.err, text[1]),
			    "%d: status %d, %zu and %zu bytes", number,
			    outcome.status, outcome.out.len, outcome.err.len);
		omega_sandbox_result_free(result);
		omega_sandbox_command_unref(command);
		atomic_fetch_add(&crowd->faults, faults);
	}
	return NULL;
}

static int
crowded(void *base)
{
	enum { THREADS = 16 };
	pthread_t threads[THREADS];
	struct crowd crowd = {.runs = library_rounds(1000)};
	struct scene scene;
	int descriptors;
	int children;
	int faults = 0;
	int i;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
	    !scene_open(&scene, base, ""))
		return 1;
	crowd.prepared = scene.library.inside;
	descriptors = count_descriptors();
	children = library_children();
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run_many, &crowd) != 0)
			return 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	faults += atomic_load(&crowd.faults);
	CHECK(faults, count_descriptors() == descriptors,
	    "%d descriptors, not %d", count_descriptors(), descriptors);
	CHECK(faults, library_children() == children, "%d children, not %d",
	    library_children(), children);
	scene_close(&scene);
	return faults;
}

#define CAPTURE(name)                                                    \
	static void test_##name(void **state)                            \
	{                                                                \
		(void)state;                                             \
		if (is_under_valgrind())                                 \
			skip_because("valgrind knows no pidfd_open(2)"); \
		twice(name);                                             \
	}

CAPTURE(output)
CAPTURE(streamed)
CAPTURE(input)
CAPTURE(timed_out)
CAPTURE(unsupervised)
CAPTURE(cost)
CAPTURE(cancelled)
CAPTURE(attacked)
CAPTURE(careless)
CAPTURE(killed)
CAPTURE(crowded)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_output),
	    cmocka_unit_test(test_streamed),
	    cmocka_unit_test(test_input),
	    cmocka_unit_test(test_timed_out),
	    cmocka_unit_test(test_unsupervised),
	    cmocka_unit_test(test_cost),
	    cmocka_unit_test(test_cancelled),
	    cmocka_unit_test(test_attacked),
	    cmocka_unit_test(test_careless),
	    cmocka_unit_test(test_killed),
	    cmocka_unit_test(test_crowded),
	};
	int status = capture_act(argc, argv);

	if (status >= 0)
		_exit(status);
	status = library_main(argc, argv);
	if (status >= 0)
		_exit(status);
	return run_all(tests);
}
