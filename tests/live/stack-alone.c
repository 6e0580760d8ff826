/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-alone.c - each backend without the others: what it says to hold it
 * holds, what it does not is said, and then nothing is started.
 */

#include "stack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A line "STATE  WHAT..." of the report that begins like this? */
static bool
says(const char *report, const char *state, const char *what)
{
	const char *line = report;
	size_t len = strlen(state);

	while (line != NULL && *line != '\0') {
		const char *at = line + strspn(line, " ");
		const char *end = strchr(at, '\n');
		const char *found = strstr(at, what);

		if (strncmp(at, state, len) == 0 && at[len] == ' ' &&
		    found != NULL && (end == NULL || found < end))
			return true;
		line = end == NULL ? NULL : end + 1;
	}
	return false;
}

/* With fail_closed a backend alone starts nothing, and says what it lacks. */
static int
is_refused(const char *base, const struct world *world, const char *backend)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox *sandbox = NULL;
	char path[PATH_MAX + 32];
	int faults = 0;
	int ret;
	FILE *file;

	snprintf(path, sizeof(path), "%s/strict.conf", base);
	file = fopen(path, "w");
	if (file == NULL || fclose(file) != 0 ||
	    omega_sandbox_open(path, NULL, NULL, &sandbox, &error) < 0 ||
	    omega_sandbox_policy_new(sandbox, NULL, &policy, &error) < 0 ||
	    omega_sandbox_policy_set(policy, "data_dir", world->dir, &error) <
		0 ||
	    omega_sandbox_policy_set(policy, "backend", backend, &error) < 0) {
		fprintf(stderr, "# %s\n", error.text);
		faults++;
	} else {
		ret = omega_sandbox_prepare(policy, &prepared, &error);
		CHECK(faults, ret == OMEGA_SANDBOX_E_REQUIRED, "%s: %d: %s",
		    backend, ret, error.text);
		omega_sandbox_prepared_unref(prepared);
	}
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
	return faults;
}

/* What a report must say; NULL ends a list. */
struct claims {
	const char *enforced[10];
	const char *partial[6];
	const char *not_enforced[10];
	bool holds_tracing; /* but for samples of all, where anybody has them */
};

/* As the administrator of this machine has it. */
static bool
has_samples(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 4;

	if (file != NULL && fscanf(file, "%d", &level) != 1)
		level = 4;
	if (file != NULL)
		fclose(file);
	return level <= 0;
}

static int
check_claims(const char *base, const char *backend, const struct claims *claims)
{
	struct omega_sandbox_report *report;
	const char *text;
	struct stack stack;
	struct world world;
	int faults;
	int i;

	world_make(&world, base, ".omega");
	faults = is_refused(base, &world, backend);
	if (!stack_open_alone(&stack, base, world.dir, backend))
		return faults + 1;
	report = omega_sandbox_prepared_report(stack.inside);
	text = omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT);
	for (i = 0; claims->enforced[i] != NULL; i++)
		CHECK(faults, says(text, "enforced", claims->enforced[i]),
		    "%s: %s: not enforced", backend, claims->enforced[i]);
	for (i = 0; claims->partial[i] != NULL; i++)
		CHECK(faults, says(text, "partial", claims->partial[i]),
		    "%s: %s: not partial", backend, claims->partial[i]);
	for (i = 0; claims->not_enforced[i] != NULL; i++)
		CHECK(faults,
		    says(text, "not enforced", claims->not_enforced[i]),
		    "%s: %s: claimed", backend, claims->not_enforced[i]);
	if (claims->holds_tracing)
		CHECK(faults,
		    says(text, has_samples() ? "partial" : "enforced",
			"cannot be traced"),
		    "%s: tracing", backend);
	/* Only mounts without devices keep root from nodes left elsewhere. */
	if (geteuid() == 0)
		CHECK(faults,
		    says(text,
			strcmp(backend, "namespace") == 0 ||
				strcmp(backend, "bwrap") == 0
			    ? "enforced"
			    : "not enforced",
			"/dev cannot be reached by nodes that lie elsewhere"),
		    "%s: nodes elsewhere", backend);
	omega_sandbox_report_unref(report);
	stack_close(&stack);
	world_end(&world);
	return faults;
}

/* ---- namespace -------------------------------------------------------------
 */

static int
namespace_alone(void *base)
{
	static const struct claims claims = {
	    {"/data cannot be read", "/data cannot be changed",
		"/config.toml cannot be read", "/etc cannot be changed",
		"/etc keeps its modes", "known ways to start programs", NULL},
	    {"caller's other programs", NULL},
	    {"get no signals", "abstract sockets", "typed into",
		"keys cannot be used", "replaces it", NULL},
	    true,
	};
	static const char *const outside[] = {"process_vm_readv",
	    "process_vm_writev", "PTRACE_SEIZE", "/proc/PID/environ",
	    "/proc/PID/maps", "setns by a pidfd", "kcmp", NULL};
	static const char *const name = "namespace";
	struct stack stack;
	struct world world;
	int faults = check_claims(base, name, &claims);
	int seen = 0;

	faults += stack_go_alone(base, name, attempts_on_data, NULL);
	faults += stack_go_alone(base, name, escapes_data, NULL);
	faults += stack_go_alone(base, name, attempts_on_mounts, NULL);
	faults += stack_go_alone(base, name, attempts_on_system, NULL);
	faults += stack_go_alone(base, name, escapes_system, NULL);
	faults += stack_go_alone(base, name, escapes_outside, outside);
	/* The next command, on its way, has memory of its own. */
	world_make(&world, base, ".omega");
	if (!stack_open_alone(&stack, base, world.dir, name))
		return faults + 1;
	faults += stack_besiege(stack.inside, &world, "resident reader",
	    harness_rounds(300), &seen);
	CHECK(faults, seen == EPERM, "inside: %d", seen);
	world_end(&world);
	world_make(&world, base, ".omega");
	faults += stack_besiege_outside(&stack, &world, "resident reader");
	stack_close(&stack);
	world_end(&world);
	return faults;
}

/* ---- landlock --------------------------------------------------------------
 */

#define NOT_BY_LANDLOCK                                                      \
	{                                                                    \
		"/data cannot be read", "/data cannot be changed",           \
		    "/config.toml cannot be read", "/etc keeps its modes",   \
		    "typed into", "keys cannot be used", "replaces it", NULL \
	}

static int
landlock_alone(void *base)
{
	/* Signals: by the ABI, see below. */
	static const struct claims claims = {
	    {"/etc cannot be changed", "/usr/bin cannot be changed",
		"/sys cannot be changed", "/dev cannot be changed", NULL},
	    {NULL},
	    NOT_BY_LANDLOCK,
	    true,
	};
	/* Files can be truncated before ABI 3. */
	static const struct claims early = {
	    {NULL},
	    {"/etc cannot be changed", "/usr/bin cannot be changed",
		"/sys cannot be changed", "/dev cannot be changed", NULL},
	    NOT_BY_LANDLOCK,
	    true,
	};
	static const char *const system[] = {"create in /etc", "write in /etc",
	    "write by /proc/self/root", "write by /proc/PID/root",
	    "write /proc/sys", "write sysrq-trigger", "write /sys",
	    "oom_score_adj of another", "raw disk by a new node", "ptrace",
	    "/proc/PID/mem", "pidfd_getfd", NULL};
	static const char *const more[] = {"system: reopen", "system: rename",
	    "system: link out", "system: create", "system: remount", "mount",
	    "node of a disk", "cgroup", NULL};
	static const char *const outside[] = {"process_vm_readv",
	    "process_vm_writev", "PTRACE_SEIZE", "kcmp", "/proc/PID/environ",
	    "/proc/PID/maps", "/proc/PID/map_files", "/proc/PID/pagemap", NULL};
	static const char *const rings[] = {
	    "io_uring: write in /etc", "io_uring: write /proc/sys", NULL};
	static const char *const name = "landlock";
	int faults = check_claims(
	    base, name, stack_landlock_abi() >= 3 ? &claims : &early);

	faults += stack_go_alone(base, name, attempts_on_system, system);
	faults += stack_go_alone(base, name, escapes_system, more);
	faults += stack_go_alone(base, name, escapes_outside, outside);
	faults += stack_go_alone(base, name, escapes_rings, rings);
	return faults;
}

/* Scopes came with ABI 6; before that nothing is claimed. */
static int
landlock_scopes(void *base)
{
	static const char *const signals[] = {"kill", "tgkill",
	    "pidfd_send_signal", "killpg", "signal by F_SETOWN", "vhangup",
	    NULL};
	static const char *const sockets[] = {"abstract socket", NULL};
	static const char *const rings[] = {"io_uring: abstract socket", NULL};
	static const char *const name = "landlock";
	struct omega_sandbox_report *report;
	struct stack stack;
	struct world world;
	int faults = 0;
	bool has_scopes;

	world_make(&world, base, ".omega");
	if (!stack_open_alone(&stack, base, world.dir, name))
		return 1;
	report = omega_sandbox_prepared_report(stack.inside);
	has_scopes =
	    says(omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT),
		"enforced", "abstract sockets");
	/* prlimit is left for seccomp. */
	CHECK(faults,
	    says(omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT),
		has_scopes ? "partial" : "not enforced", "get no signals"),
	    "signals");
	omega_sandbox_report_unref(report);
	stack_close(&stack);
	world_end(&world);
	if (!has_scopes) {
		printf("# this kernel has no scopes\n");
		return faults;
	}
	faults += stack_go_alone(base, name, escapes_outside, signals);
	faults += stack_go_alone(base, name, escapes_caller, sockets);
	faults += stack_go_alone(base, name, escapes_rings, rings);
	return faults;
}

/* ---- seccomp ---------------------------------------------------------------
 */

static int
seccomp_alone(void *base)
{
	static const struct claims claims = {
	    {"typed into", "keys cannot be used", NULL},
	    {"get no signals", "cannot be traced", NULL},
	    {"/data cannot be read", "/data cannot be changed",
		"/etc cannot be changed", "/etc keeps its modes",
		"abstract sockets", "known ways to start programs", NULL},
	    false,
	};
	static const char *const keys[] = {"session keyring", "user keyring",
	    "add_key", "request_key", "key for files",
	    "key for files with upper bits", "key for a directory",
	    "key for a cipher", "key for remote calls", NULL};
	static const char *const limits[] = {"prlimit", "child for the parent",
	    "child for the parent by clone3", "perf_event_open of a processor",
	    "lease on a file", "lease with upper bits", NULL};
	static const char *const name = "seccomp";
	int faults = check_claims(base, name, &claims);

	faults += stack_go_alone(base, name, escapes_caller, keys);
	faults += stack_go_alone(base, name, escapes_outside, limits);
	return faults;
}

/* ---- bwrap -----------------------------------------------------------------
 */

static int
bwrap_alone(void *base)
{
	static const struct claims claims = {
	    {"/data cannot be read", "/data cannot be changed",
		"/config.toml cannot be read", "/etc cannot be changed",
		"/etc keeps its modes", "known ways to start programs", NULL},
	    {"caller's other programs", "get no signals", NULL},
	    {"abstract sockets", "typed into", "keys cannot be used",
		"replaces it", NULL},
	    true,
	};
	static const char *const name = "bwrap";
	int faults;

	if (access("/usr/bin/bwrap", X_OK) != 0) {
		printf("# bwrap is not installed\n");
		return 0;
	}
	faults = check_claims(base, name, &claims);
	faults += stack_go_alone(base, name, attempts_on_data, NULL);
	faults += stack_go_alone(base, name, escapes_data, NULL);
	faults += stack_go_alone(base, name, attempts_on_mounts, NULL);
	faults += stack_go_alone(base, name, attempts_on_system, NULL);
	faults += stack_go_alone(base, name, escapes_system, NULL);
	faults += stack_go_alone(base, "bwrap,seccomp", escapes_outside, NULL);
	return faults;
}

TWICE(namespace_alone)
TWICE_WITH_LANDLOCK(landlock_alone)
TWICE_WITH_LANDLOCK(landlock_scopes)
TWICE(seccomp_alone)
TWICE(bwrap_alone)

const struct CMUnitTest stack_alone_tests[] = {
    cmocka_unit_test(test_namespace_alone),
    cmocka_unit_test(test_landlock_alone),
    cmocka_unit_test(test_landlock_scopes),
    cmocka_unit_test(test_seccomp_alone),
    cmocka_unit_test(test_bwrap_alone),
    {NULL, NULL, NULL, NULL, NULL},
};
