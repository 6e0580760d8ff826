/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-shared.c - what stays within reach, as the documents say: queues and
 * semaphores of processes outside, and names a file had before.
 */

#include "stack.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>

static bool
is_enforced(
    struct omega_sandbox_prepared *prepared, const char *kind, const char *path)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	bool is_found = false;
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &line) == 0; i++)
		if (strcmp(line.kind, kind) == 0 && line.path != NULL &&
		    strcmp(line.path, path) == 0)
			is_found = line.state == OMEGA_SANDBOX_ENFORCED;
	omega_sandbox_report_unref(report);
	return is_found;
}

/* Inside as outside: nothing is promised about them. */
static int
queues_and_semaphores(void *base)
{
	static const char *const names[] = {"message queue", "semaphore"};
	struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 8};
	char subject[64];
	struct stack stack;
	struct world world;
	sem_t *semaphore;
	mqd_t queue;
	int faults = 0;
	int i;

	world_make(&world, base, ".omega");
	if (!stack_open(&stack, base, world.dir, ""))
		return 1;
	snprintf(subject, sizeof(subject), "/omega-test-%d", (int)getpid());
	queue = mq_open(subject, O_CREAT | O_EXCL | O_RDWR, 0600, &attributes);
	semaphore = sem_open(subject, O_CREAT | O_EXCL, 0600, 1);
	for (i = 0; i < 2; i++) {
		int outside = stack_try(&stack.out, &world, names[i], subject);
		int inside = stack_try(&stack.in, &world, names[i], subject);

		if (outside != 0)
			printf("# %s: not to be had here: %s\n", names[i],
			    strerror(outside));
		else
			CHECK(faults, inside == 0, "%s: %s", names[i],
			    strerror(inside));
	}
	if (queue != (mqd_t)-1) {
		mq_close(queue);
		mq_unlink(subject);
	}
	if (semaphore != SEM_FAILED) {
		sem_close(semaphore);
		sem_unlink(subject);
	}
	stack_close(&stack);
	world_end(&world);
	return faults;
}

/* A second name in the workspace, made before the start. */
static int
name_from_before(const char *base, const char *of)
{
	struct stack stack;
	struct world world;
	char path[PATH_MAX];
	char link_path[PATH_MAX];
	int faults = 0;

	world_make(&world, base, ".omega");
	snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX - 64, world.dir, of);
	snprintf(link_path, sizeof(link_path), "%.*s/workspace/before",
	    PATH_MAX - 64, world.dir);
	stack_put_secret(path);
	if (!stack_open(&stack, base, world.dir, ""))
		return 1;
	/* Where there is none, nothing is left open. */
	CHECK(faults,
	    is_enforced(stack.inside, "aliases",
		strcmp(of, CONFIG) == 0 ? path : escapes_in(world.dir, "data")),
	    "%s: one name, not promised", of);
	stack_close(&stack);
	if (link(path, link_path) != 0 ||
	    !stack_open(&stack, base, world.dir, ""))
		return faults + 1;
	CHECK(faults,
	    !is_enforced(stack.inside, "aliases",
		strcmp(of, CONFIG) == 0 ? path : escapes_in(world.dir, "data")),
	    "%s: two names, promised", of);
	CHECK(faults,
	    stack_try(&stack.in, &world, "denied: read", path) == EACCES,
	    "%s: read by its own name", of);
	CHECK(faults,
	    stack_try(&stack.in, &world, "denied: read", link_path) == 0,
	    "%s: the other name is closed; say so in the documents", of);
	CHECK(faults, omega_sandbox_is_read_blocked(link_path, world.dir, NULL),
	    "%s: the path check knows the file", of);
	stack_close(&stack);
	/* Who accepts nothing gets nothing started. */
	if (stack_open(&stack, base, world.dir, "accept = {}\n")) {
		CHECK(faults, 0, "%s: started", of);
		stack_close(&stack);
	} else {
		stack_close(&stack);
	}
	world_end(&world);
	return faults;
}

static int
names_from_before(void *base)
{
	return name_from_before(base, CONFIG) + name_from_before(base, DB);
}

TWICE(queues_and_semaphores)
TWICE(names_from_before)

const struct CMUnitTest stack_shared_tests[] = {
    cmocka_unit_test(test_queues_and_semaphores),
    cmocka_unit_test(test_names_from_before),
    {NULL, NULL, NULL, NULL, NULL},
};
