/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack.c - see stack.h.
 */

#include "stack.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stack-errors.h"

/* ---- The library as the driver of world.c ---------------------------------
 */

static struct omega_sandbox_prepared *
prepare(struct omega_sandbox *sandbox, const char *dir, const char *backend)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_policy *policy = NULL;

	if (omega_sandbox_policy_new(sandbox, NULL, &policy, &error) < 0 ||
	    omega_sandbox_policy_set(policy, "data_dir", dir, &error) < 0 ||
	    (backend != NULL && omega_sandbox_policy_set(
				    policy, "backend", backend, &error) < 0) ||
	    omega_sandbox_prepare(policy, &prepared, &error) < 0)
		fprintf(stderr, "# prepare: %s\n", error.text);
	omega_sandbox_policy_unref(policy);
	return prepared;
}

static bool
open_with(struct stack *stack, const char *base, const char *dir,
    const char *lines, const char *backend)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char path[PATH_MAX + 32];
	FILE *file;

	memset(stack, 0, sizeof(*stack));
	snprintf(path, sizeof(path), "%s/sandbox.conf", base);
	file = fopen(path, "w");
	if (file == NULL || fputs(lines, file) < 0 || fclose(file) != 0)
		return false;
	if (omega_sandbox_open(path, NULL, NULL, &stack->sandbox, &error) < 0) {
		fprintf(stderr, "# open: %s\n", error.text);
		return false;
	}
	stack->outside = prepare(stack->sandbox, dir, "noop");
	stack->inside = prepare(stack->sandbox, dir, backend);
	stack->in.host.core = stack->inside;
	stack->out.host.core = stack->outside;
	return stack->inside != NULL && stack->outside != NULL;
}

bool
stack_open(
    struct stack *stack, const char *base, const char *dir, const char *lines)
{
	return open_with(
	    stack, base, dir, lines, getenv("OMEGA_TEST_BACKENDS"));
}

#define UNHELD "fail_closed = false\n"

bool
stack_open_alone(
    struct stack *stack, const char *base, const char *dir, const char *backend)
{
	return open_with(stack, base, dir, UNHELD, backend);
}

void
stack_close(struct stack *stack)
{
	omega_sandbox_prepared_unref(stack->inside);
	omega_sandbox_prepared_unref(stack->outside);
	omega_sandbox_unref(stack->sandbox);
	memset(stack, 0, sizeof(*stack));
}

struct omega_sandbox_command *
stack_command(struct omega_sandbox_prepared *prepared, char *const argv[])
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *command = NULL;

	if (omega_sandbox_command_new(prepared, *argv, &command, &error) < 0) {
		fprintf(stderr, "# command: %s\n", error.text);
		return NULL;
	}
	must(omega_sandbox_command_set(command, "dir", "/", NULL) == 0);
	while (*++argv != NULL)
		must(omega_sandbox_command_add_arg(command, *argv, NULL) == 0);
	return command;
}

/* What world.c calls: the status, 128 + signal, or 1000 - code. */
int
driver_run(struct driver *driver, char *const argv[])
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command =
	    stack_command(driver->host.core, argv);
	int ret;

	if (command == NULL)
		return 1000;
	ret = omega_sandbox_run(command, &end, &error);
	omega_sandbox_command_unref(command);
	if (ret < 0) {
		fprintf(stderr, "# run: %s\n", error.text);
		return 1000 - ret;
	}
	return end.signal != 0 ? 128 + end.signal : end.status;
}

/* ---- What is expected -----------------------------------------------------
 */

static bool
is_expected(const char *name, int error)
{
	const struct expected *at = expectations;
	const struct expected *end =
	    at + sizeof(expectations) / sizeof(*expectations);
	size_t i;

	for (; at < end; at++)
		for (i = 0; at->names[i] != NULL; i++)
			if (strcmp(at->names[i], name) == 0)
				return at->errors[0] == error ||
				       at->errors[1] == error;
	return false;
}

/* ---- Going through a list --------------------------------------------------
 */

static int
listen_abstract(const char *name)
{
	struct sockaddr_un at;
	socklen_t size = escapes_abstract(name, &at);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&at, size) != 0 || listen(fd, 8) != 0)
		fprintf(stderr, "# abstract: %s\n", strerror(errno));
	return fd;
}

int
stack_try(struct driver *driver, struct world *world, const char *name,
    const char *subject)
{
	static char attempt[] = "attempt";
	char self[PATH_MAX] = "";
	char *argv[] = {self, attempt, (char *)(uintptr_t)name,
	    (char *)(uintptr_t)subject, world->arg, NULL};

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1000;
	return driver_run(driver, argv);
}

static int
start_world(struct world *world, const char *base, const struct course *course,
    char *subject)
{
	world_make(world, base, ".omega");
	snprintf(subject, PATH_MAX, "%s", world->dir);
	if (course->arrange != NULL)
		course->arrange(world, subject, PATH_MAX);
	return listen_abstract(world->dir);
}

static bool
has_outside(const struct world *world)
{
	return waitpid(world->outside, NULL, WNOHANG) == 0;
}

/* What is not claimed works inside as it does outside, and says so. It is done
 * to a world of its own: the process there may not live on. */
static int
check_unclaimed(struct stack *stack, const char *base,
    const struct course *course, const char *name)
{
	char subject[PATH_MAX];
	struct world world;
	int faults = 0;
	int inside;
	int fd = start_world(&world, base, course, subject);

	inside = stack_try(&stack->in, &world, name, subject);
	CHECK(faults, inside == 0, "%s: not claimed, inside: %d", name, inside);
	printf("# %s: not claimed on this kernel, and not held\n", name);
	close(fd);
	world_end(&world);
	return faults;
}

/* With the whole stack, or with one backend and what it says to hold. */
static int
go(const char *base, const struct course *course, const char *backend)
{
	const struct attempt *list = course->list;
	bool is_root = geteuid() == 0;
	char subject[PATH_MAX];
	char twin_subject[PATH_MAX];
	char twin_base[PATH_MAX];
	char lines[4 * PATH_MAX];
	struct stack stack;
	struct world world;
	int faults = 0;
	int held = 0;
	int fd;

	fd = start_world(&world, base, course, subject);
	snprintf(lines, sizeof(lines), "%s%s%s", course->lines,
	    course->behind != NULL ? subject : "",
	    course->behind != NULL ? course->behind : "");
	if (!open_with(&stack, base, world.dir, lines, backend))
		return 1;
	snprintf(twin_base, sizeof(twin_base), "%.*s/twin", PATH_MAX - 8, base);
	mkdir(twin_base, 0755);
	for (; list->name != NULL; list++) {
		struct world twin;
		int outside;
		int inside;
		int twin_fd;

		if (list->for_root != 0 && (list->for_root == 1) != is_root)
			continue;
		twin_fd = start_world(&twin, twin_base, course, twin_subject);
		outside =
		    stack_try(&stack.out, &twin, list->name, twin_subject);
		close(twin_fd);
		world_end(&twin);
		if (list->kind == ATTEMPTS_MAYBE && outside != 0)
			printf("# %s: cannot be shown here: %s\n", list->name,
			    strerror(outside));
		else
			CHECK(faults, outside == 0, "%s: outside: %s",
			    list->name, strerror(outside));
		if (backend == NULL &&
		    !stack_claims(stack.inside, list->name)) {
			faults += check_unclaimed(
			    &stack, twin_base, course, list->name);
			continue;
		}
		inside = stack_try(&stack.in, &world, list->name, subject);
		if (getenv("OMEGA_TEST_VERBOSE") != NULL)
			fprintf(stderr, "# %-34s outside %s, inside %s\n",
			    list->name, strerror(outside), strerror(inside));
		if (list->kind == ATTEMPTS_USE)
			CHECK(faults, inside == 0, "%s: inside: %s", list->name,
			    strerror(inside));
		else if (list->kind == ATTEMPTS_MAYBE && outside == inside)
			continue; /* the machine does not have it */
		else
			CHECK(faults,
			    backend == NULL ? is_expected(list->name, inside)
					    : inside != 0 && inside < 200,
			    "%s: inside: %d", list->name, inside);
		held += inside != 0;
		CHECK(faults, course->is_changed || world_is_whole(&world),
		    "%s: the data changed", list->name);
		CHECK(faults, has_outside(&world), "%s: killed a process",
		    list->name);
	}
	/* Nothing was done to the next command's protection either. */
	stack_close(&stack);
	if (!open_with(&stack, base, world.dir, lines, backend))
		faults++;
	else if (backend == NULL)
		CHECK(faults,
		    stack_try(&stack.in, &world, "read", world.dir) == EACCES,
		    "the next command");
	printf("# %s, %s: %d attempts held\n", is_root ? "root" : "user",
	    backend == NULL ? "the stack" : backend, held);
	fflush(stdout);
	stack_close(&stack);
	close(fd);
	world_end(&world);
	return faults;
}

int
stack_go_through(const char *base, const struct course *course)
{
	return go(base, course, NULL);
}

/* Is it one of these names? The list ends with NULL. */
static bool
is_named(const char *name, const char *const *names)
{
	for (; *names != NULL; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

int
stack_go_alone(const char *base, const char *backend,
    const struct attempt *list, const char *const *names)
{
	struct attempt chosen[64];
	struct course course = {chosen, UNHELD, NULL, NULL, false};
	size_t count = 0;

	for (; list->name != NULL && count < 63; list++)
		if (names == NULL || is_named(list->name, names))
			chosen[count++] = *list;
	chosen[count] = *list;
	return go(base, &course, backend);
}

void
stack_put_secret(const char *path)
{
	FILE *file = fopen(path, "w");

	if (file == NULL || fputs(SECRET, file) < 0 || fclose(file) != 0)
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
}
