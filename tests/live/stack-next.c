/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-next.c - one that stays, against those that come.
 */

#include "stack.h"

#include <sys/mount.h>
#include <sys/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

int
stack_besiege(struct omega_sandbox_prepared *prepared, struct world *world,
    const char *who, int rounds, int *seen)
{
	static char attempt[] = "attempt";
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command;
	struct omega_sandbox_child *child = NULL;
	struct driver driver = {.plugin = NULL};
	char self[PATH_MAX] = "";
	char path[2 * PATH_MAX];
	char *argv[] = {self, attempt, (char *)(uintptr_t)who, world->dir,
	    world->arg, NULL};
	char program[] = "/bin/true";
	char *quick[] = {program, NULL};
	int waited = 0;
	int faults = 0;
	int i;

	driver.host.core = prepared;
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	/* Neither that Yama lets only parents trace nor that we were root
	 * once is to be what holds here. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	command = stack_command(prepared, argv);
	if (omega_sandbox_spawn(command, &child, &error) < 0) {
		fprintf(stderr, "# spawn: %s\n", error.text);
		return 1;
	}
	omega_sandbox_command_unref(command);
	snprintf(path, sizeof(path), "%s/workspace/ready", world->dir);
	while (access(path, F_OK) != 0 && wait_a_little(&waited))
		continue;
	snprintf(path, sizeof(path), "%s/workspace/found", world->dir);
	for (i = 0; i < rounds && access(path, F_OK) != 0; i++)
		CHECK(faults, driver_run(&driver, quick) == 0, "round %d", i);
	snprintf(path, sizeof(path), "%s/workspace/stop", world->dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	CHECK(faults, omega_sandbox_child_wait(child, 60000, &end, &error) >= 0,
	    "%s", error.text);
	omega_sandbox_child_free(child);
	*seen = end.signal != 0 ? 128 + end.signal : end.status;
	return faults;
}

/* Does Yama forbid us to trace whoever may ask for it? */
static bool
is_kept_apart(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (file != NULL) {
		if (fscanf(file, "%d", &scope) != 1)
			scope = 0;
		fclose(file);
	}
	return scope >= (geteuid() == 0 ? 3 : 2);
}

int
stack_besiege_outside(struct stack *stack, struct world *world, const char *who)
{
	int faults;
	int seen = 0;

	if (is_kept_apart()) {
		printf("# %s: cannot be shown outside: kernel.yama.ptrace_scope"
		       " forbids tracing\n",
		    who);
		return 0;
	}
	faults =
	    stack_besiege(stack->outside, world, who, STACK_UNTIL_FOUND, &seen);
	CHECK(faults, seen == 0, "outside: %d", seen);
	return faults;
}

/* Landlock keeps commands apart on every kernel that has it; signals are among
 * it only where the report says so. */
static const char *
attacker(struct omega_sandbox_prepared *prepared)
{
	if (stack_claims(prepared, "kill"))
		return "resident";
	if (stack_landlock_abi() > 0)
		return "resident without signals";
	return "resident against the host";
}

static int
next_command(void *base)
{
	struct stack stack;
	struct world world;
	const char *who;
	int faults = 0;
	int seen = 0;

	world_make(&world, base, ".omega");
	if (!stack_open(&stack, base, world.dir, ""))
		return 1;
	who = attacker(stack.inside);
	printf("# %s\n", who);
	faults += stack_besiege(
	    stack.inside, &world, who, harness_rounds(300), &seen);
	CHECK(faults, seen == EPERM, "inside: %d", seen);
	world_end(&world);
	world_make(&world, base, ".omega");
	faults += stack_besiege_outside(&stack, &world, who);
	stack_close(&stack);
	world_end(&world);
	return faults;
}

TWICE(next_command)

/* ---- What comes in the place of what is kept ------------------------------
 */

/* Its entries are looked at when it has changed. */
#define STEADY "/var/lib"
#define KEPT STEADY "/dpkg" /* from root's commands */
#define CANNOT_MOUNT 99

static int
exchange(void *base)
{
	static char shell[] = "/bin/sh";
	static char option[] = "-c";
	static char script[] = "echo >" KEPT "/new";
	char *argv[] = {shell, option, script, NULL};
	struct driver driver = {.plugin = NULL};
	struct stack stack;
	struct world world;
	int faults = 0;
	int i;

	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("s", STEADY, "tmpfs", 0, "mode=755") != 0)
		return CANNOT_MOUNT;
	make_dir(KEPT);
	sleep(3); /* until its time of change says something */
	world_make(&world, base, ".omega");
	/* Who looks from inside would find it, too. */
	if (!stack_open(&stack, base, world.dir, "witness = off\n"))
		return 1;
	driver.host.core = stack.inside;
	for (i = 0; i < 3; i++) {
		CHECK(faults, driver_run(&driver, argv) == 2, "turn %d", i);
		if (rename(KEPT, text(STEADY "/old%d", i)) != 0)
			return 1;
		make_dir(KEPT);
	}
	CHECK(faults, driver_run(&driver, argv) == 2, "at the end");
	stack_close(&stack);
	world_end(&world);
	return faults;
}

static void
test_exchanged_in_a_steady_directory(void **state)
{
	char base[PATH_MAX];
	int status;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root can mount a directory of the system");
	twice_scratch(base, sizeof(base), 0);
	status = in_child(exchange, base);
	if (status == CANNOT_MOUNT)
		skip_because("cannot mount anything");
	assert_int_equal(status, 0);
}

const struct CMUnitTest stack_next_tests[] = {
    cmocka_unit_test(test_next_command),
    cmocka_unit_test(test_exchanged_in_a_steady_directory),
    {NULL, NULL, NULL, NULL, NULL},
};
