/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-protected.c - the public API from end to end, as a host application
 * uses it, and every public function with arguments it must refuse.
 *
 * Started by tests/tool/test-core.sh, which has put noop and a configuration
 * that names it where this library looks.
 */

#include "harness.h"

#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

static struct omega_sandbox_command *
make_command(const char *program)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *command = NULL;

	if (omega_sandbox_protected_command(
		program, scratch_dir(), &command, &error) < 0)
		fail_msg("%s", error.text);
	return command;
}

static void
test_protected_command_returns_command(void **state)
{
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *command;

	(void)state;
	command = make_command("true");
	assert_non_null(command);
	assert_int_equal(omega_sandbox_run(command, &end, &error), 0);
	assert_int_equal(end.status, 0);
	assert_int_equal(end.signal, 0);
	/* noop protects nothing, and the result says so. */
	assert_int_equal(end.is_protected, 0);
	omega_sandbox_command_unref(command);
}

static void
test_objects_may_be_given_up_in_any_order(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox *sandbox = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_command *command = NULL;
	struct omega_sandbox_report *report;

	(void)state;
	assert_int_equal(
	    omega_sandbox_open(NULL, NULL, NULL, &sandbox, &error), 0);
	assert_int_equal(
	    omega_sandbox_policy_new(sandbox, NULL, &policy, &error), 0);
	omega_sandbox_unref(sandbox);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "data_dir", scratch_dir(), &error),
	    0);
	assert_int_equal(omega_sandbox_prepare(policy, &prepared, &error), 0);
	omega_sandbox_policy_unref(policy);
	assert_int_equal(
	    omega_sandbox_command_new(prepared, "sh", &command, &error), 0);
	report = omega_sandbox_prepared_report(prepared);
	omega_sandbox_prepared_unref(prepared);
	assert_int_equal(omega_sandbox_command_add_arg(command, "-c", NULL), 0);
	assert_int_equal(
	    omega_sandbox_command_add_arg(command, "exit 5", NULL), 0);
	assert_int_equal(omega_sandbox_run(command, &end, &error), 0);
	assert_int_equal(end.status, 5);
	omega_sandbox_command_unref(command);
	assert_non_null(
	    strstr(omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT),
		"not enforced"));
	omega_sandbox_report_unref(report);
}

static void
test_spawn_gives_pipes_and_a_pollable_descriptor(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = make_command("cat");
	struct omega_sandbox_child *child = NULL;
	struct pollfd poll_fd;
	char text_read[16] = "";
	int in;
	int out;

	(void)state;
	assert_int_equal(omega_sandbox_command_set_stdio(
			     command, 0, OMEGA_SANDBOX_STDIO_PIPE, -1, NULL),
	    0);
	assert_int_equal(omega_sandbox_command_set_stdio(
			     command, 1, OMEGA_SANDBOX_STDIO_PIPE, -1, NULL),
	    0);
	/* run and exec have nobody to serve a pipe. */
	assert_int_equal(
	    omega_sandbox_run(command, &end, &error), OMEGA_SANDBOX_E_STATE);
	assert_int_equal(
	    omega_sandbox_exec(command, &error), OMEGA_SANDBOX_E_STATE);
	assert_int_equal(omega_sandbox_spawn(command, &child, &error), 0);
	assert_true(omega_sandbox_child_pid(child) > 0);
	assert_int_equal(omega_sandbox_child_wait(child, 0, &end, &error), 0);
	in = omega_sandbox_child_take_stdio(child, 0);
	assert_int_equal(write(in, "hello", 5), 5);
	close(in);
	assert_int_equal(omega_sandbox_child_take_stdio(child, 0), -1);
	out = omega_sandbox_child_take_stdio(child, 1);
	assert_int_equal(read(out, text_read, sizeof(text_read) - 1), 5);
	close(out);
	assert_string_equal(text_read, "hello");
	poll_fd.fd = omega_sandbox_child_fd(child);
	poll_fd.events = POLLIN;
	assert_int_equal(poll(&poll_fd, 1, PATIENCE_MS), 1);
	assert_int_equal(omega_sandbox_child_wait(child, 0, &end, &error), 1);
	assert_int_equal(end.status, 0);
	/* It may be asked again, and is not signalled any more. */
	assert_int_equal(omega_sandbox_child_wait(child, -1, &end, &error), 1);
	assert_int_equal(
	    omega_sandbox_child_signal(child, SIGKILL), OMEGA_SANDBOX_E_STATE);
	omega_sandbox_child_free(child);
	omega_sandbox_command_unref(command);
}

static void
test_cancel_ends_a_child(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = make_command("sleep");
	struct omega_sandbox_child *child = NULL;

	(void)state;
	assert_int_equal(
	    omega_sandbox_command_add_arg(command, "100", NULL), 0);
	assert_int_equal(omega_sandbox_spawn(command, &child, &error), 0);
	assert_int_equal(omega_sandbox_child_wait(child, 10, &end, &error), 0);
	assert_int_equal(omega_sandbox_child_signal(child, SIGKILL), 0);
	assert_int_equal(omega_sandbox_child_wait(child, -1, &end, &error), 1);
	assert_int_equal(end.signal, SIGKILL);
	assert_int_equal(end.status, -1);
	omega_sandbox_child_free(child);
	omega_sandbox_command_unref(command);
}

static int
become_command(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *command = arg;

	omega_sandbox_exec(command, &error);
	return 99;
}

static void
test_exec_becomes_the_command(void **state)
{
	struct omega_sandbox_command *command = make_command("sh");

	(void)state;
	assert_int_equal(omega_sandbox_command_add_arg(command, "-c", NULL), 0);
	assert_int_equal(
	    omega_sandbox_command_add_arg(command, "exit 9", NULL), 0);
	assert_int_equal(in_child(become_command, command), 9);
	omega_sandbox_command_unref(command);
}

/* ---- Sessions -------------------------------------------------------------
 */

/* Under a policy with this session. */
static struct omega_sandbox_command *
make_in_session(const char *session, const char *script)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox *sandbox = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_command *command = NULL;
	int ret;

	ret = omega_sandbox_open(NULL, NULL, NULL, &sandbox, &error);
	if (ret == 0)
		ret = omega_sandbox_policy_new(sandbox, NULL, &policy, &error);
	if (ret == 0)
		ret = omega_sandbox_policy_set(
		    policy, "data_dir", scratch_dir(), &error);
	assert_int_equal(omega_sandbox_policy_get_session(policy),
	    OMEGA_SANDBOX_SESSION_NEW);
	if (ret == 0)
		ret = omega_sandbox_policy_set(
		    policy, "session", session, &error);
	if (ret == 0)
		ret = omega_sandbox_prepare(policy, &prepared, &error);
	if (ret == 0)
		ret =
		    omega_sandbox_command_new(prepared, "sh", &command, &error);
	if (ret == 0)
		ret = omega_sandbox_command_add_arg(command, "-c", NULL);
	if (ret == 0)
		ret = omega_sandbox_command_add_arg(command, script, NULL);
	if (ret < 0)
		fail_msg("%s", error.text);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
	return command;
}

/* Is the number of its session that of ours? */
static bool
is_in_our_session(const char *word)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = make_in_session(
	    word, text("test $(ps -o sid= -p $$) = %d", (int)getsid(0)));

	if (omega_sandbox_run(command, &end, &error) != 0)
		fail_msg("%s", error.text);
	assert_in_range(end.status, 0, 1);
	omega_sandbox_command_unref(command);
	return end.status == 0;
}

static void
test_commands_have_a_session_of_their_own(void **state)
{
	(void)state;
	assert_false(is_in_our_session("new"));
	assert_false(is_in_our_session("pty"));
	assert_true(is_in_our_session("keep"));
	assert_int_equal(
	    omega_sandbox_policy_get_session(NULL), OMEGA_SANDBOX_SESSION_NEW);
}

static int
refuse_leader(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	need(setpgid(0, 0) == 0);
	need(omega_sandbox_exec(arg, &error) == OMEGA_SANDBOX_E_STATE);
	need(strstr(error.text, "leads its process group") != NULL);
	return 0;
}

static int
lead_and_become(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	need(setsid() > 0);
	omega_sandbox_exec(arg, &error);
	return 99;
}

static int
lead_group_and_become(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	need(setpgid(0, 0) == 0);
	omega_sandbox_exec(arg, &error);
	return 99;
}

static void
test_exec_wants_a_session_too(void **state)
{
	struct omega_sandbox_command *command =
	    make_in_session("new", "exit 9");
	struct omega_sandbox_command *kept = make_in_session("keep", "exit 8");

	(void)state;
	assert_int_equal(in_child(become_command, command), 9);
	assert_int_equal(in_child(refuse_leader, command), 0);
	assert_int_equal(in_child(lead_and_become, command), 9);
	assert_int_equal(in_child(lead_group_and_become, kept), 8);
	omega_sandbox_command_unref(kept);
	omega_sandbox_command_unref(command);
}

/* A session on a pty, made for the command. */
static int
lead_on_terminal(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	int slave;

	need(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	need(slave >= 0);
	need(omega_sandbox_command_set_stdio(
		 arg, 0, OMEGA_SANDBOX_STDIO_FD, slave, NULL) == 0);
	/* One that is nobody's is a terminal all the same. */
	need(omega_sandbox_run(arg, &end, &error) == OMEGA_SANDBOX_E_STATE);
	need(strstr(error.text, "put a pty between") != NULL);
	/* It is not the terminal of our session. */
	need(omega_sandbox_command_set_terminal(arg, slave, true, NULL) == 0);
	need(omega_sandbox_run(arg, &end, &error) == OMEGA_SANDBOX_E_STATE);
	need(setsid() > 0 && ioctl(slave, TIOCSCTTY, 0) == 0);
	need(omega_sandbox_run(arg, &end, &error) == 0);
	return end.status;
}

static void
test_a_command_may_have_a_terminal(void **state)
{
	struct omega_sandbox_command *command =
	    make_in_session("pty", "set -- $(ps -o pgid=,tpgid=,pid= -p $$);"
				   "test $1 = $2 && test $1 = $3 && exit 6");

	(void)state;
	assert_int_equal(in_child(lead_on_terminal, command), 6);
	assert_int_equal(
	    omega_sandbox_command_set_terminal(NULL, -1, false, NULL),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(
	    omega_sandbox_command_set_terminal(command, -2, true, NULL),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(
	    omega_sandbox_command_set_terminal(command, -1, false, NULL), 0);
	omega_sandbox_command_unref(command);
}

/* Has every call go on that is told; exits with how many there were. */
static void
answer_calls(int fd)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))];
	char byte;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = space,
	    .msg_controllen = sizeof(space)};
	struct pollfd poller = {.events = POLLIN};
	int count = 0;

	if (recvmsg(fd, &message, 0) != 1 || CMSG_FIRSTHDR(&message) == NULL)
		_exit(0);
	memcpy(
	    &poller.fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(poller.fd));
	while (poll(&poller, 1, -1) == 1 && (poller.revents & POLLIN) != 0) {
		struct seccomp_notif call = {.id = 0};
		struct seccomp_notif_resp answer = {
		    .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

		if (ioctl(poller.fd, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
			break;
		answer.id = call.id;
		ioctl(poller.fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
		count++;
	}
	_exit(count < 100 ? count : 100);
}

/* As a user may have it that is not root: without a backend nobody else sees to
 * that. */
static int
watch_runs(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	int pair[2];
	int status = -1;
	pid_t other;

	need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	need(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	other = fork();
	if (other == 0) {
		close(pair[0]);
		answer_calls(pair[1]);
	}
	close(pair[1]);
	need(omega_sandbox_command_set_number(
		 arg, "watch_fd", (uint64_t)pair[0], &error) == 0);
	need(omega_sandbox_run(arg, &end, &error) == 0 && end.status == 0);
	/* To execute both, and to open a file, at the least. */
	need(waitpid(other, &status, 0) == other);
	need(WIFEXITED(status) && WEXITSTATUS(status) >= 3);
	/* Nobody is there whom it could be told. */
	need(omega_sandbox_run(arg, &end, &error) == OMEGA_SANDBOX_E_STEP);
	need(strstr(error.text, "cannot be watched") != NULL);
	close(pair[0]);
	need(omega_sandbox_run(arg, &end, &error) == OMEGA_SANDBOX_E_SYSTEM);
	need(omega_sandbox_command_set_number(arg, "watch_fd", 0, &error) == 0);
	need(omega_sandbox_run(arg, &end, &error) == 0 && end.status == 0);
	return 6;
}

static void
test_a_command_may_be_watched(void **state)
{
	struct omega_sandbox_command *command =
	    make_in_session("new", "exec cat /proc/self/status >/dev/null");

	(void)state;
	assert_int_equal(omega_sandbox_command_set_number(
			     command, "watch_fd", (uint64_t)INT_MAX + 1, NULL),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(in_child(watch_runs, command), 6);
	omega_sandbox_command_unref(command);
}

static int
confine(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	return omega_sandbox_confine_self(arg, &error) == 0 ? 0 : 1;
}

static void
test_confine_self_works_in_a_worker(void **state)
{
	struct omega_sandbox_command *command = make_command("true");
	struct omega_sandbox_prepared *prepared =
	    omega_sandbox_command_prepared(command);

	(void)state;
	assert_int_equal(in_child(confine, prepared), 0);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_command_unref(command);
}

static void
test_programs_are_told_apart(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *command = NULL;
	const char *dir = scratch_dir();
	char plain[512];

	(void)state;
	snprintf(plain, sizeof(plain), "%s/plain", dir);
	make_file(plain, "text");
	assert_int_equal(omega_sandbox_protected_command(
			     "no-such-program", dir, &command, &error),
	    OMEGA_SANDBOX_E_NOT_FOUND);
	assert_null(command);
	assert_int_equal(
	    omega_sandbox_protected_command(plain, dir, &command, &error),
	    OMEGA_SANDBOX_E_NOT_EXECUTABLE);
	assert_int_equal(omega_sandbox_protected_command(
			     "true", "relative", &command, &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_non_null(strstr(error.text, "relative"));
}

static void
test_commands_refuse_bad_arguments(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = make_command("true");
	struct omega_sandbox_prepared *prepared =
	    omega_sandbox_command_prepared(command);
	struct omega_sandbox_command *none = NULL;
	struct omega_sandbox_child *child = NULL;
	const int wrong = OMEGA_SANDBOX_E_ARGUMENT;

	(void)state;
	assert_int_equal(
	    omega_sandbox_command_new(NULL, "true", &none, &error), wrong);
	assert_int_equal(
	    omega_sandbox_command_new(prepared, NULL, &none, &error), wrong);
	assert_int_equal(
	    omega_sandbox_command_new(prepared, "", &none, &error), wrong);
	assert_int_equal(
	    omega_sandbox_command_new(prepared, "true", NULL, &error), wrong);
	assert_int_equal(
	    omega_sandbox_protected_command("true", "/", NULL, &error), wrong);
	assert_int_equal(omega_sandbox_command_add_arg(NULL, "x", NULL), wrong);
	assert_int_equal(
	    omega_sandbox_command_add_arg(command, NULL, NULL), wrong);
	assert_int_equal(
	    omega_sandbox_command_set_env(NULL, NULL, NULL), wrong);
	assert_int_equal(
	    omega_sandbox_command_set(NULL, "dir", "/", NULL), wrong);
	error.code = 0;
	assert_int_equal(
	    omega_sandbox_command_set(command, "frog", "/", &error), wrong);
	assert_int_equal(error.code, wrong);
	assert_non_null(strstr(error.text, "context"));
	assert_int_equal(
	    omega_sandbox_command_set(command, NULL, "/", NULL), wrong);
	assert_int_equal(
	    omega_sandbox_command_set(command, "dir", "", NULL), wrong);
	assert_int_equal(
	    omega_sandbox_command_set(command, "checked", "frog", NULL), wrong);
	assert_int_equal(
	    omega_sandbox_command_set_number(NULL, "ignored_signals", 0, NULL),
	    wrong);
	assert_int_equal(
	    omega_sandbox_command_set_number(command, "frog", 0, &error),
	    wrong);
	assert_non_null(strstr(error.text, "grace_ms"));
	assert_int_equal(omega_sandbox_command_set_number(command, "grace_ms",
			     (uint64_t)UINT32_MAX + 1, NULL),
	    wrong);
	assert_int_equal(omega_sandbox_command_set_number(
			     command, "timeout_ms", UINT64_MAX, NULL),
	    wrong);
	assert_int_equal(
	    omega_sandbox_command_set_events(NULL, NULL, NULL, NULL), wrong);
	assert_int_equal(omega_sandbox_command_set_stdio(
			     command, 3, OMEGA_SANDBOX_STDIO_NULL, -1, NULL),
	    wrong);
	assert_int_equal(omega_sandbox_command_set_stdio(
			     NULL, 0, OMEGA_SANDBOX_STDIO_NULL, -1, NULL),
	    wrong);
	assert_int_equal(omega_sandbox_command_set_stdio(
			     command, 0, OMEGA_SANDBOX_STDIO_FD, -1, NULL),
	    wrong);
	assert_int_equal(
	    omega_sandbox_command_pass_fd(command, 0, 2, NULL), wrong);
	assert_int_equal(
	    omega_sandbox_command_pass_fd(NULL, 0, 3, NULL), wrong);
	assert_int_equal(omega_sandbox_spawn(NULL, &child, &error), wrong);
	assert_int_equal(omega_sandbox_spawn(command, NULL, &error), wrong);
	assert_int_equal(omega_sandbox_exec(NULL, &error), wrong);
	assert_int_equal(omega_sandbox_run(NULL, &end, &error), wrong);
	assert_int_equal(omega_sandbox_run(command, NULL, &error), wrong);
	assert_int_equal(omega_sandbox_confine_self(NULL, &error), wrong);
	assert_null(omega_sandbox_command_prepared(NULL));
	assert_null(omega_sandbox_command_ref(NULL));
	assert_null(omega_sandbox_prepared_ref(NULL));
	omega_sandbox_command_unref(NULL);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_command_unref(command);
}

static void
test_children_refuse_bad_arguments(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	const int wrong = OMEGA_SANDBOX_E_ARGUMENT;

	(void)state;
	assert_int_equal(omega_sandbox_child_pid(NULL), -1);
	assert_int_equal(omega_sandbox_child_fd(NULL), -1);
	assert_int_equal(omega_sandbox_child_take_stdio(NULL, 0), -1);
	assert_int_equal(
	    omega_sandbox_child_wait(NULL, 0, &end, &error), wrong);
	assert_int_equal(
	    omega_sandbox_child_wait(NULL, 0, &end, &error), wrong);
	assert_int_equal(omega_sandbox_child_signal(NULL, SIGTERM), wrong);
	omega_sandbox_child_free(NULL);
}

static void
test_sandboxes_refuse_bad_arguments(void **state)
{
	struct omega_sandbox_backend backend = OMEGA_SANDBOX_BACKEND_INIT;
	struct omega_sandbox_platform platform = OMEGA_SANDBOX_PLATFORM_INIT;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox *sandbox = NULL;
	struct omega_sandbox_policy *policy = NULL;
	const int wrong = OMEGA_SANDBOX_E_ARGUMENT;

	(void)state;
	assert_int_equal(
	    omega_sandbox_open(NULL, NULL, NULL, NULL, &error), wrong);
	assert_int_equal(
	    omega_sandbox_open("/no/such/file", NULL, NULL, &sandbox, &error),
	    OMEGA_SANDBOX_E_CONFIG);
	assert_null(sandbox);
	assert_int_equal(
	    omega_sandbox_open(NULL, NULL, NULL, &sandbox, &error), 0);
	assert_string_equal(
	    omega_sandbox_get_option(sandbox, "backend", 0, NULL, NULL),
	    "noop");
	assert_int_equal(omega_sandbox_get_backend(NULL, 0, &backend), wrong);
	assert_int_equal(omega_sandbox_get_backend(sandbox, 99, &backend),
	    OMEGA_SANDBOX_E_NOT_FOUND);
	assert_int_equal(omega_sandbox_get_backend(sandbox, 0, &backend), 0);
	assert_string_equal(backend.name, "noop");
	assert_int_equal(backend.is_usable, 1);
	assert_int_equal(omega_sandbox_get_platform(NULL), wrong);
	assert_int_equal(omega_sandbox_get_platform(&platform), 0);
	assert_string_equal(platform.system, "Linux");
	assert_null(
	    omega_sandbox_get_option(NULL, "blocked_paths", 0, NULL, NULL));
	assert_null(
	    omega_sandbox_get_option(sandbox, "blocked_paths", 0, NULL, NULL));
	assert_int_equal(
	    omega_sandbox_policy_new(sandbox, "frog", &policy, &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(
	    omega_sandbox_policy_new(sandbox, "default", &policy, &error), 0);
	assert_int_equal(
	    omega_sandbox_policy_set(NULL, "data_dir", "/", &error), wrong);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "data_dir", NULL, &error), wrong);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "data_dir", "x", &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(
	    omega_sandbox_policy_set(NULL, "blocked_paths", "/x", &error),
	    wrong);
	assert_int_equal(
	    omega_sandbox_policy_set(NULL, "backend", "noop", &error), wrong);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "backend", NULL, &error), wrong);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "backend", "a/b", &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "backend", "noop,noop", &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "backend", "auto,noop", &error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "backend", "frog", &error),
	    OMEGA_SANDBOX_E_PLUGIN);
	assert_string_equal(error.backend, "frog");
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
}

static void
test_later_changes_do_not_reach_a_prepared_policy(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox *sandbox = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_report *report = NULL;

	(void)state;
	assert_int_equal(
	    omega_sandbox_open(NULL, NULL, NULL, &sandbox, &error), 0);
	assert_int_equal(
	    omega_sandbox_policy_new(sandbox, NULL, &policy, &error), 0);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "data_dir", scratch_dir(), &error),
	    0);
	assert_int_equal(omega_sandbox_prepare(policy, &prepared, &error), 0);
	assert_int_equal(omega_sandbox_policy_set(
			     policy, "blocked_paths", "/srv/later", &error),
	    0);
	report = omega_sandbox_prepared_report(prepared);
	assert_null(
	    strstr(omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT),
		"/srv/later"));
	omega_sandbox_report_unref(report);
	assert_int_equal(omega_sandbox_describe(policy, &report, &error), 0);
	assert_non_null(
	    strstr(omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT),
		"/srv/later"));
	omega_sandbox_report_unref(report);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_protected_command_returns_command),
	    cmocka_unit_test(test_objects_may_be_given_up_in_any_order),
	    cmocka_unit_test(test_spawn_gives_pipes_and_a_pollable_descriptor),
	    cmocka_unit_test(test_cancel_ends_a_child),
	    cmocka_unit_test(test_exec_becomes_the_command),
	    cmocka_unit_test(test_commands_have_a_session_of_their_own),
	    cmocka_unit_test(test_exec_wants_a_session_too),
	    cmocka_unit_test(test_a_command_may_be_watched),
	    cmocka_unit_test(test_a_command_may_have_a_terminal),
	    cmocka_unit_test(test_confine_self_works_in_a_worker),
	    cmocka_unit_test(test_programs_are_told_apart),
	    cmocka_unit_test(test_commands_refuse_bad_arguments),
	    cmocka_unit_test(test_children_refuse_bad_arguments),
	    cmocka_unit_test(test_sandboxes_refuse_bad_arguments),
	    cmocka_unit_test(test_later_changes_do_not_reach_a_prepared_policy),
	};

	return run_all(tests);
}
