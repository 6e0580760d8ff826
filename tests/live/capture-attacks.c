/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capture-attacks.c - commands that do what they can to go on after their end,
 * or to have it told wrongly. As in test-capture.c no timing is judged.
 */

#include "capture-tests.h"

#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture-acts.h"
#include "hosts.h"
#include "spawning.h"
#include "subject.h"

/* ---- The acts ----------------------------------------------------------- */

static int
stay(void)
{
	for (;;)
		pause();
	return 0;
}

/* An orphan, which belongs to whoever inherits it. */
static void
orphan(int (*fn)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		if (fork() == 0) {
			signal(SIGTERM, SIG_IGN);
			setsid();
			_exit(fn());
		}
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void
nothing(int signal)
{
	(void)signal;
}

/* Every signal is a stop that the parent is told of. */
static int
be_traced(void)
{
	signal(SIGUSR1, nothing);
	for (;;) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGUSR1);
	}
	return 0;
}

static int
flood_traces(void)
{
	int i;

	for (i = 0; i < 40; i++)
		orphan(be_traced);
	return stay();
}

static int
flood_stops(void)
{
	pid_t parent = getpid();

	if (fork() == 0)
		for (;;) {
			kill(parent, SIGSTOP);
			kill(parent, SIGCONT);
		}
	return stay();
}

/* Descriptors that nobody receives, until the user may have no more. */
static int
fill_flight(void)
{
	int pair[2];
	int i;
	int j;

	for (i = 0; i < 200; i++) {
		if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair) !=
		    0)
			break;
		for (j = 0; j < 10; j++) {
			int fds[200];
			union {
				char space[CMSG_SPACE(sizeof(fds))];
				struct cmsghdr align;
			} control;
			char byte = 0;
			struct iovec part = {.iov_base = &byte, .iov_len = 1};
			struct msghdr message = {.msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control)};
			struct cmsghdr *head;
			int k;

			memset(&control, 0, sizeof(control));
			for (k = 0; k < 200; k++)
				fds[k] = 1;
			head = CMSG_FIRSTHDR(&message);
			head->cmsg_level = SOL_SOCKET;
			head->cmsg_type = SCM_RIGHTS;
			head->cmsg_len = CMSG_LEN(sizeof(fds));
			memcpy(CMSG_DATA(head), fds, sizeof(fds));
			if (sendmsg(pair[0], &message, 0) < 0)
				break;
		}
	}
	if (write(1, "full\n", 5) != 5)
		return 1;
	return stay();
}

static void
say_terminated(int signal)
{
	(void)signal;
	(void)!write(1, "t", 1);
	_exit(9);
}

static int
be_polite(void)
{
	signal(SIGTERM, say_terminated);
	(void)!write(1, "r", 1);
	return stay();
}

/* Four that hear SIGTERM, in sessions of their own but for one. */
static int
listen_all(void)
{
	int i;

	for (i = 0; i < 3; i++)
		orphan(be_polite);
	return be_polite();
}

/* Whoever waits for a child that shares its memory hears nothing. */
static int
be_vforked(void)
{
	volatile pid_t pid = vfork();

	if (pid == 0)
		stay();
	return 0;
}

static void *
exec_stay(void *unused)
{
	char *const argv[] = {(char *)(uintptr_t)library_self(),
	    (char *)(uintptr_t) "stay", NULL};

	(void)unused;
	execv(argv[0], argv);
	return NULL;
}

/* Another thread than the first becomes the next program. */
static int
exec_in_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exec_stay, NULL) != 0)
		return 1;
	return stay();
}

static int
be_stopped(void)
{
	raise(SIGSTOP);
	return stay();
}

static int
be_all(void)
{
	int i;

	for (i = 0; i < 5; i++) {
		orphan(stay);
		orphan(be_vforked);
		orphan(exec_in_thread);
		orphan(be_stopped);
	}
	return stay();
}

/* Dead ones that nobody has taken leave of, as many as may be. */
static int
leave_zombies(void)
{
	int i;

	for (i = 0; i < 500; i++)
		if (fork() == 0)
			_exit(0);
	orphan(stay);
	return stay();
}

/* No more processes for this user in here. */
static int
exhaust(void)
{
	const struct rlimit few = {1, 1};

	orphan(stay);
	setrlimit(RLIMIT_NPROC, &few);
	return stay();
}

/* What can be done to the first process from inside. */
static int
starve(const char *what)
{
	const struct rlimit none = {0, 0};
	int i;

	orphan(stay);
	if (prlimit(1, strcmp(what, "files") == 0 ? RLIMIT_NOFILE : RLIMIT_CPU,
		&none, NULL) != 0)
		return errno;
	/* It has to do something, to be out of time. */
	for (i = 0; strcmp(what, "time") == 0; i++)
		if (fork() == 0) {
			if (fork() == 0)
				_exit(0);
			_exit(0);
		} else {
			wait(NULL);
		}
	return stay();
}

static int
trace_each_other(void)
{
	pid_t first = getpid();
	pid_t second = fork();

	if (second < 0)
		return 1;
	ptrace(PTRACE_SEIZE, second == 0 ? first : second, NULL,
	    (void *)(intptr_t)PTRACE_O_TRACEEXIT);
	return stay();
}

int
capture_attack(int argc, char **argv)
{
	static const struct {
		const char *word;
		int (*fn)(void);
	} acts[] = {{"trace-flood", flood_traces}, {"stop-flood", flood_stops},
	    {"flight", fill_flight}, {"listen", listen_all}, {"all", be_all},
	    {"zombies", leave_zombies}, {"exhaust", exhaust},
	    {"husks", trace_each_other}};
	size_t i;

	if (argc < 2)
		return -1;
	for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (strcmp(argv[1], acts[i].word) == 0)
			return acts[i].fn();
	if (strcmp(argv[1], "starve") == 0 && argc > 2)
		return starve(argv[2]);
	return -1;
}

/* ---- What comes of them ------------------------------------------------- */

/* In a pid namespace, or outside of it: everything ends, and it is told. */
static int
ended(void *base)
{
	static const char *const acts[] = {
	    "trace-flood", "all", "zombies", "exhaust"};
	struct omega_sandbox_outcome outcome;
	struct omega_sandbox_result *result;
	struct subject_scene scene;
	size_t i;
	int faults = 0;

	if (!subject_open(&scene, base, ""))
		return 1;
	for (i = 0; i < 2 * sizeof(acts) / sizeof(acts[0]); i++) {
		fprintf(stderr, "# %s %s\n", i % 2 ? "outside" : "inside",
		    acts[i / 2]);
		faults += subject_act(
		    i % 2 ? scene.library.outside : scene.library.inside,
		    acts[i / 2], NULL, 1000, 0, &outcome, &result);
		CHECK(faults, outcome.is_timed_out && outcome.signal != 0,
		    "%s: status %d, signal %d", acts[i / 2], outcome.status,
		    outcome.signal);
		omega_sandbox_result_free(result);
	}
	subject_close(&scene);
	return faults;
}

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
unheard(void *base)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result;
	struct subject subject;
	struct subject_scene scene;
	int faults = 0;
	int i;

	if (!subject_open(&scene, base, ""))
		return 1;
	for (i = 0; i < 2; i++) {
		if (!subject_make(&subject,
			i == 0 ? scene.library.inside : scene.library.outside,
			"stop-flood", NULL))
			return faults + 1;
		omega_sandbox_command_set_timeout(subject.command, 1000);
		omega_sandbox_command_set_events(
		    subject.command, look_whether_gone, &subject);
		result = subject_capture(&subject, &outcome, &faults);
		CHECK(faults, outcome.is_timed_out, "not timed out");
		omega_sandbox_result_free(result);
		subject_end(&subject);
	}
	subject_close(&scene);
	return faults;
}

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

	if (!subject_open(&scenes[0], base, "") ||
	    !subject_make(&subject, scenes[0].library.inside, "flight", NULL))
		return 1;
	omega_sandbox_command_set_stdio(
	    subject.command, 1, OMEGA_SANDBOX_STDIO_PIPE, -1);
	if (omega_sandbox_spawn(subject.command, &child, NULL) < 0)
		return 1;
	CHECK(faults,
	    read(omega_sandbox_child_stdio(child, 1), text, sizeof(text)) == 5,
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
	subject_end(&subject);
	subject_close(&scenes[1]);
	subject_close(&scenes[0]);
	return faults;
}

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
asked(void *base)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result;
	struct subject subject;
	struct subject_scene scene;
	int faults = 0;

	if (!subject_open(&scene, base, "") ||
	    !subject_make(&subject, scene.library.inside, "listen", NULL))
		return 1;
	omega_sandbox_command_set_timeout(subject.command, 3000);
	omega_sandbox_command_set_grace(subject.command, 60000);
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
	subject_close(&scene);
	return faults;
}

/* The first process has less than it needs; where a filter lets that be. */
static int
starved(void *base)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result = NULL;
	struct subject subject;
	struct subject_scene scene;
	int faults = 0;
	int ret;

	if (!subject_open(&scene, base, ""))
		return 1;
	if (!subject_is_enforced(scene.library.inside, "left_processes")) {
		fprintf(stderr, "# no pid namespaces here\n");
		subject_close(&scene);
		return 0;
	}
	faults += subject_act(scene.library.inside, "starve", "files", 1000, 0,
	    &outcome, &result);
	CHECK(faults,
	    outcome.status == EPERM ||
		(outcome.is_timed_out && outcome.signal != 0),
	    "files: %d, %d", outcome.status, outcome.signal);
	omega_sandbox_result_free(result);
	if (!subject_make(&subject, scene.library.inside, "starve", "time"))
		return faults + 1;
	result = NULL;
	omega_sandbox_command_set_timeout(subject.command, 20000);
	ret = omega_sandbox_capture(subject.command, &result, &error);
	CHECK(faults,
	    ret == OMEGA_SANDBOX_E_STATUS_LOST ||
		(omega_sandbox_result_get(result, &outcome) == 0 &&
		    (outcome.signal == SIGKILL || outcome.status == EPERM)),
	    "time: %d: %s", ret, error.text);
	CHECK(faults, !subject_is_alive(&subject, 0), "something is left");
	omega_sandbox_result_free(result);
	subject_end(&subject);
	subject_close(&scene);
	return faults;
}

/* Two that nobody can end: not waited for, and told. They stay until the
 * machine is started anew, and hold every pid namespace around them. */
static int
husks(void *base)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_result *result = NULL;
	struct subject subject;
	struct subject_scene scene;
	int faults = 0;
	int ret;

	if (!subject_open(&scene, base, "") ||
	    !subject_make(&subject, scene.library.inside, "husks", NULL))
		return 1;
	omega_sandbox_command_set_timeout(subject.command, 1000);
	ret = omega_sandbox_capture(subject.command, &result, &error);
	CHECK(faults, ret == OMEGA_SANDBOX_E_SYSTEM, "%d: %s", ret, error.text);
	omega_sandbox_result_free(result);
	subject_end(&subject);
	subject_close(&scene);
	return faults;
}

/* Where there can be no pid namespace: said, and done as well as it can be. */
static int
without(void *base)
{
	static const char *const acts[] = {
	    "trace-flood", "all", "zombies", "exhaust"};
	struct omega_sandbox_outcome outcome;
	struct omega_sandbox_result *result;
	struct subject_scene scene;
	size_t i;
	int faults = 0;

	/* A user's own has one id, and the directories above have another. */
	if (geteuid() != 0 || hosts_no_pid_namespaces(base) != 0) {
		fprintf(stderr, "# no user namespace to forbid them in\n");
		return 0;
	}
	if (!subject_open(&scene, base, ""))
		return 1;
	CHECK(faults,
	    !subject_is_enforced(scene.library.inside, "left_processes"),
	    "said to be enforced");
	for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		faults += subject_act(scene.library.inside, acts[i], NULL, 1000,
		    0, &outcome, &result);
		CHECK(faults, outcome.is_timed_out && outcome.signal != 0,
		    "%s: status %d, signal %d", acts[i], outcome.status,
		    outcome.signal);
		omega_sandbox_result_free(result);
	}
	subject_close(&scene);
	return faults;
}

CAPTURE(ended)
CAPTURE(without)
CAPTURE(unheard)
CAPTURE(in_flight)
CAPTURE(asked)
CAPTURE(starved)

static void
test_husks(void **state)
{
	(void)state;
	if (getenv("OMEGA_TEST_HUSKS") == NULL)
		skip_because("what it makes stays until the machine is started "
			     "anew (OMEGA_TEST_HUSKS=1)");
	twice(husks);
}

const struct CMUnitTest capture_attacks_tests[] = {
    cmocka_unit_test(test_ended),
    cmocka_unit_test(test_without),
    cmocka_unit_test(test_unheard),
    cmocka_unit_test(test_in_flight),
    cmocka_unit_test(test_asked),
    cmocka_unit_test(test_starved),
    cmocka_unit_test(test_husks),
    {NULL, NULL, NULL, NULL, NULL},
};
