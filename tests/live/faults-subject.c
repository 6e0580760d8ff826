/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-subject.c - see faults-subject.h.
 */

#include "faults-subject.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "faults-probe.h"
#include "faults-trace.h"

#define MAX_FDS 1024

/* What a host would notice if it were different afterwards. */
struct state {
	bool fds[MAX_FDS];
	sigset_t mask;
	mode_t modes;
	char dir[PATH_MAX];
};

static void
look(struct state *state)
{
	int fd;

	memset(state, 0, sizeof(*state));
	for (fd = 0; fd < MAX_FDS; fd++)
		state->fds[fd] = fcntl(fd, F_GETFD) >= 0;
	sigprocmask(SIG_SETMASK, NULL, &state->mask);
	state->modes = umask(022);
	umask(state->modes);
	if (getcwd(state->dir, sizeof(state->dir)) == NULL)
		state->dir[0] = '\0';
}

static bool
has_same_mask(const sigset_t *a, const sigset_t *b)
{
	int i;

	for (i = 1; i < NSIG; i++)
		if (sigismember(a, i) != sigismember(b, i))
			return false;
	return true;
}

static void
compare(const struct state *before, struct faults_outcome *outcome)
{
	struct state after;
	pid_t pid;
	int fd;

	look(&after);
	for (fd = 0; fd < MAX_FDS; fd++)
		outcome->fds += after.fds[fd] != before->fds[fd];
	outcome->is_changed = !has_same_mask(&before->mask, &after.mask) ||
			      before->modes != after.modes ||
			      strcmp(before->dir, after.dir) != 0;
	/* Zombies and running ones alike. */
	while ((pid = waitpid(-1, NULL, WNOHANG | __WALL)) >= 0) {
		outcome->children++;
		if (pid == 0)
			break;
	}
}

static bool
note(struct faults_outcome *outcome, const char *call, int code,
    const struct omega_sandbox_error *error)
{
	if (code >= 0)
		return true;
	snprintf(outcome->call, sizeof(outcome->call), "%s", call);
	outcome->code = code;
	snprintf(outcome->text, sizeof(outcome->text), "%.500s", error->text);
	return false;
}

static bool
add_words(
    const struct faults_subject *subject, struct omega_sandbox_command *command)
{
	const char *const words[] = {
	    "probe", subject->place->base, subject->place->outside};
	size_t i;
	int ret = omega_sandbox_command_set(command, "dir", "/", NULL);

	for (i = 0; ret >= 0 && i < sizeof(words) / sizeof(*words); i++)
		ret = omega_sandbox_command_add_arg(command, words[i], NULL);
	if (ret >= 0)
		return true;
	/* These have no error object: the code says all. */
	snprintf(subject->outcome->call, sizeof(subject->outcome->call),
	    "command_add_arg");
	snprintf(subject->outcome->text, sizeof(subject->outcome->text),
	    "code %d", ret);
	subject->outcome->code = ret;
	return false;
}

/* What is said not to be enforced may be possible. */
static void
note_report(
    struct omega_sandbox_prepared *prepared, struct faults_outcome *outcome)
{
	struct omega_sandbox_guarantee told = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &told) == 0; i++) {
		if (told.state == OMEGA_SANDBOX_ENFORCED)
			continue;
		if (strcmp(told.kind, "outside_signals") == 0)
			outcome->given_up |= FAULTS_PROBE_SIGNAL;
		/* Of those outside, in part is all but those bound later. */
		if (strcmp(told.kind, "launcher_sockets") == 0 ||
		    (strcmp(told.kind, "outside_sockets") == 0 &&
			told.state == OMEGA_SANDBOX_NOT_ENFORCED))
			outcome->given_up |= FAULTS_PROBE_SOCKET;
	}
	omega_sandbox_report_unref(report);
}

/* A host asks again when asking has failed. */
static void
wait_for(struct omega_sandbox_child *child, struct faults_outcome *outcome)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	int ret = omega_sandbox_child_wait(child, -1, &end, &error);

	if (!note(outcome, "wait", ret, &error)) {
		ret = omega_sandbox_child_wait(child, -1, &end, &error);
		outcome->is_waited_late = ret == 1;
	}
	outcome->is_protected = end.is_protected != 0;
	outcome->status = end.signal != 0 ? 128 + end.signal : end.status;
}

static void
go(const struct faults_subject *subject)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct faults_outcome *outcome = subject->outcome;
	struct omega_sandbox *sandbox = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_command *command = NULL;
	struct omega_sandbox_child *child = NULL;

	if (note(outcome, "open",
		omega_sandbox_open(
		    subject->place->config, NULL, NULL, &sandbox, &error),
		&error) &&
	    note(outcome, "policy_new",
		omega_sandbox_policy_new(sandbox, NULL, &policy, &error),
		&error) &&
	    note(outcome, "set_data_dir",
		omega_sandbox_policy_set(
		    policy, "data_dir", subject->place->data_dir, &error),
		&error) &&
	    (subject->backend == NULL ||
		note(outcome, "set_backend",
		    omega_sandbox_policy_set(
			policy, "backend", subject->backend, &error),
		    &error)) &&
	    note(outcome, "prepare",
		omega_sandbox_prepare(policy, &prepared, &error), &error) &&
	    note(outcome, "command_new",
		omega_sandbox_command_new(
		    prepared, subject->program, &command, &error),
		&error) &&
	    add_words(subject, command) &&
	    note(outcome, "spawn", omega_sandbox_spawn(command, &child, &error),
		&error)) {
		wait_for(child, outcome);
		note_report(prepared, outcome);
	}
	omega_sandbox_child_free(child);
	omega_sandbox_command_unref(command);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
}

void
faults_subject_run(void *arg)
{
	const struct faults_subject *subject = arg;
	struct state before;

	memset(subject->outcome, 0, sizeof(*subject->outcome));
	subject->outcome->status = -1;
	if (!faults_probe_redirect(subject->place))
		return;
	look(&before);
	faults_trace_begin();
	if (subject->before != NULL)
		subject->before(subject->arg);
	go(subject);
	if (subject->after != NULL)
		subject->after(subject->arg);
	faults_trace_end();
	compare(&before, subject->outcome);
	subject->outcome->is_finished = true;
}

bool
faults_subject_make(
    struct faults_subject *subject, const struct faults_place *place)
{
	memset(subject, 0, sizeof(*subject));
	subject->place = place;
	subject->outcome = mmap(NULL, sizeof(*subject->outcome),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return subject->outcome != MAP_FAILED &&
	       readlink("/proc/self/exe", subject->program,
		   sizeof(subject->program) - 1) > 0;
}

void
faults_subject_end(struct faults_subject *subject)
{
	munmap(subject->outcome, sizeof(*subject->outcome));
}
