/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capture-end.c - how commands end, and that nothing of them stays.
 */

#include "capture-tests.h"

#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "capture-acts.h"
#include "spawning.h"
#include "subject.h"

/* The same without a supervisor: what a host's own kill(2) leaves. */
static int
survive(struct omega_sandbox_prepared *prepared)
{
	struct omega_sandbox_child *child = NULL;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct subject subject;
	char text[8];
	int faults = 0;
	int out;

	if (!subject_make(&subject, prepared, "tree", "awake"))
		return 1;
	must(omega_sandbox_command_set_stdio(
		 subject.command, 1, OMEGA_SANDBOX_STDIO_PIPE, -1, NULL) == 0);
	if (omega_sandbox_spawn(subject.command, &child, NULL) < 0)
		return 1;
	out = omega_sandbox_child_take_stdio(child, 1);
	CHECK(faults, read(out, text, sizeof(text)) > 0, "no tree");
	omega_sandbox_child_signal(child, SIGKILL);
	CHECK(faults, omega_sandbox_child_wait(child, -1, &end, NULL) == 1,
	    "wait");
	omega_sandbox_child_free(child);
	close(out);
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
	struct subject_scene scene;
	int children;
	size_t i;
	int faults = 0;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
	    !subject_open(&scene, base, ""))
		return 1;
	children = library_children();
	for (i = 0; i < 2 * sizeof(acts) / sizeof(acts[0]); i++) {
		size_t j = i / 2;

		fprintf(stderr, "# %s %s\n", i % 2 ? "outside" : "inside",
		    acts[j].word);
		faults += subject_act(
		    i % 2 ? scene.library.outside : scene.library.inside,
		    acts[j].word, acts[j].arg, 1500, 0, &outcome, &result);
		CHECK(faults, outcome.is_timed_out, "not timed out: %d %d",
		    outcome.status, outcome.signal);
		CHECK(faults, outcome.signal != 0, "ended with %d",
		    outcome.status);
		CHECK(faults,
		    result != NULL &&
			subject_ends_with(&outcome.out, acts[j].said),
		    "it said %zu bytes", outcome.out.len);
		CHECK(faults, outcome.duration_ms >= 1500, "%llu ms",
		    (unsigned long long)outcome.duration_ms);
		omega_sandbox_result_free(result);
		CHECK(faults, library_children() == children,
		    "%d children, not %d", library_children(), children);
	}
	/* One that ends before what it has started. */
	faults += subject_act(scene.library.inside, "tree", "leave", 600000, 0,
	    &outcome, &result);
	CHECK(faults, !outcome.is_timed_out && outcome.status == 3,
	    "ended with %d, %d", outcome.status, outcome.signal);
	omega_sandbox_result_free(result);
	CHECK(faults, library_children() == children, "children are left");
	subject_close(&scene);
	return faults;
}

/* What would be left by one who kills the process alone. */
static int
unsupervised(void *base)
{
	struct subject_scene scene;
	int faults;

	if (!subject_open(&scene, base, ""))
		return 1;
	faults = survive(scene.library.inside);
	subject_close(&scene);
	return faults;
}

static int
cost(void *base)
{
	struct omega_sandbox_outcome outcome;
	struct omega_sandbox_result *result;
	struct omega_sandbox_report *report;
	struct subject_scene scene;
	int faults = 0;

	if (!subject_open(&scene, base, ""))
		return 1;
	faults += subject_act(
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
	subject_close(&scene);
	return faults;
}

/* ---- Cancelling --------------------------------------------------------- */

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
	struct subject_scene scene;
	pthread_t thread;
	int faults = 0;

	if (!subject_open(&scene, base, "") ||
	    !subject_make(&subject, scene.library.inside, "tree", "stay"))
		return 1;
	CHECK(faults,
	    omega_sandbox_command_cancel(subject.command) ==
		OMEGA_SANDBOX_E_STATE,
	    "there was nothing to cancel");
	must(omega_sandbox_command_set_number(
		 subject.command, "timeout_ms", 600000, NULL) == 0);
	if (pthread_create(&thread, NULL, cancel_soon, subject.command) != 0)
		return 1;
	result = subject_capture(&subject, &outcome, &faults);
	pthread_join(thread, NULL);
	CHECK(faults, outcome.is_cancelled && !outcome.is_timed_out,
	    "cancelled %d, timed out %d", outcome.is_cancelled,
	    outcome.is_timed_out);
	omega_sandbox_result_free(result);
	subject_end(&subject);
	subject_close(&scene);
	return faults;
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
	struct subject_scene scene;
	int faults = 0;
	int ret;

	if (!subject_open(&scene, base, "") ||
	    !subject_make(&subject, scene.library.outside, "kill-parent", NULL))
		return 1;
	ret = omega_sandbox_capture(subject.command, &result, &error);
	CHECK(faults, ret == OMEGA_SANDBOX_E_STATUS_LOST, "%d: %s", ret,
	    error.text);
	CHECK(
	    faults, strstr(error.text, "supervisor") != NULL, "%s", error.text);
	CHECK(faults, !subject_is_alive(&subject, 60000), "it goes on");
	omega_sandbox_result_free(result);
	subject_end(&subject);
	/* One that is stopped is woken. */
	faults += subject_act(scene.library.outside, "stop-parent", NULL, 3000,
	    0, &outcome, &result);
	CHECK(faults, outcome.is_timed_out && outcome.signal == SIGKILL,
	    "timed out %d, signal %d", outcome.is_timed_out, outcome.signal);
	omega_sandbox_result_free(result);
	if (subject_is_enforced(scene.library.inside, "left_processes")) {
		/* Its parent there hears nothing from inside. */
		faults += subject_act(scene.library.inside, "kill-parent", NULL,
		    500, 0, &outcome, &result);
		CHECK(faults, outcome.is_timed_out && outcome.signal != 0,
		    "inside: %d, %d", outcome.status, outcome.signal);
		omega_sandbox_result_free(result);
	} else if (subject_is_enforced(
		       scene.library.inside, "outside_signals")) {
		faults += subject_act(scene.library.inside, "kill-parent", NULL,
		    0, 0, &outcome, &result);
		CHECK(faults, outcome.status == EPERM, "inside: %d, %d",
		    outcome.status, outcome.signal);
		omega_sandbox_result_free(result);
	} else {
		fprintf(stderr, "# no backend keeps signals inside here\n");
	}
	subject_close(&scene);
	return faults;
}

/* ---- What cannot be ended ----------------------------------------------- */

static char *raised; /* a copy of this program with root's rights */

static int
unended(void *base)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result = NULL;
	const char *words[] = {raised, "rise", NULL};
	struct omega_sandbox_command *command;
	struct subject_scene scene;
	struct subject subject;
	int faults = 0;
	int ret;

	if (!subject_open(&scene, base, "") ||
	    !subject_make(&subject, scene.library.outside, "rise", NULL))
		return 1;
	command = library_command(scene.library.outside, words);
	must(omega_sandbox_command_pass_fd(
		 command, subject.life[0], ACT_LIFE, NULL) == 0);
	must(omega_sandbox_command_set_number(command, "grace_ms", 100, NULL) ==
	     0);
	must(omega_sandbox_command_set_number(
		 command, "timeout_ms", 1000, NULL) == 0);
	ret = omega_sandbox_capture(command, &result, &error);
	CHECK(faults, ret == 0, "%d: %s", ret, error.text);
	omega_sandbox_result_get(result, &outcome);
	CHECK(faults, outcome.is_timed_out && outcome.left >= 1, "%d, %u left",
	    outcome.is_timed_out, outcome.left);
	CHECK(faults, outcome.status == -1 && outcome.signal == 0,
	    "it has ended: %d, %d", outcome.status, outcome.signal);
	omega_sandbox_result_free(result);
	ret = omega_sandbox_run(command, &end, &error);
	CHECK(faults, ret == 0, "%d: %s", ret, error.text);
	CHECK(faults, end.is_timed_out && end.left >= 1, "%d, %u left",
	    end.is_timed_out, end.left);
	CHECK(faults, end.status == -1 && end.signal == 0,
	    "it has ended: %d, %d", end.status, end.signal);
	omega_sandbox_command_unref(command);
	subject_end(&subject); /* lets them go */
	subject_close(&scene);
	return faults;
}

static void
copy_self(const char *path)
{
	static char block[64 * 1024];
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	ssize_t len;

	while ((len = read(from, block, sizeof(block))) > 0)
		assert_int_equal(write(to, block, (size_t)len), len);
	assert_int_equal(len, 0);
	close(from);
	assert_int_equal(close(to), 0);
}

/* It must not look like one that ended well. */
static void
test_unended(void **state)
{
	char base[PATH_MAX];
	char path[PATH_MAX + 16];
	struct statvfs fs;
	int faults;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root makes a program with root's rights");
	if (is_under_valgrind() || is_sanitized())
		skip_because("such a program runs without its tools");
	twice_scratch(base, sizeof(base), SPARE_UID);
	if (statvfs(base, &fs) != 0 || (fs.f_flag & ST_NOSUID) != 0 ||
	    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0)
		skip_because("programs get no other user's rights here");
	snprintf(path, sizeof(path), "%s/raised", base);
	raised = path;
	copy_self(path);
	assert_int_equal(chown(path, 0, 0), 0);
	assert_int_equal(chmod(path, 04755), 0);
	faults = in_user_child(unended, base);
	unlink(path);
	if (faults != 0)
		fail_msg("%d faults", faults);
}

/* ---- What cannot be seen ------------------------------------------------ */

static int
hidden(void *base)
{
	struct omega_sandbox_outcome outcome;
	struct omega_sandbox_result *result;
	struct subject_scene scene;
	int faults = 0;

	if (!subject_open(&scene, base, ""))
		return 1;
	faults += subject_act(
	    scene.library.outside, "hide", NULL, 3000, 0, &outcome, &result);
	CHECK(faults, outcome.is_timed_out && outcome.signal == SIGKILL,
	    "timed out %d, signal %d", outcome.is_timed_out, outcome.signal);
	omega_sandbox_result_free(result);
	subject_close(&scene);
	return faults;
}

/* A user, where /proc shows nobody the processes of others. */
static int
hidden_from_users(void *base)
{
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("proc", "/proc", "proc", 0, "hidepid=2") != 0)
		return CANNOT_MOUNT;
	return in_user_child(hidden, base);
}

static void
test_hidden(void **state)
{
	char base[PATH_MAX];
	int faults;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root mounts a /proc that hides processes");
	if (is_under_valgrind())
		skip_because("valgrind knows no pidfd_open(2)");
	twice_scratch(base, sizeof(base), SPARE_UID);
	faults = in_child(hidden_from_users, base);
	if (faults == CANNOT_MOUNT)
		skip_because("mounting is forbidden");
	if (faults != 0)
		fail_msg("%d faults", faults);
}

CAPTURE(timed_out)
CAPTURE(unsupervised)
CAPTURE(cost)
CAPTURE(cancelled)
CAPTURE(attacked)

const struct CMUnitTest capture_end_tests[] = {
    cmocka_unit_test(test_timed_out),
    cmocka_unit_test(test_unsupervised),
    cmocka_unit_test(test_cost),
    cmocka_unit_test(test_cancelled),
    cmocka_unit_test(test_attacked),
    cmocka_unit_test(test_unended),
    cmocka_unit_test(test_hidden),
    {NULL, NULL, NULL, NULL, NULL},
};
