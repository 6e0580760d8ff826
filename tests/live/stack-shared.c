/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-shared.c - what stays within reach, as the documents say: queues and
 * semaphores of processes outside, names a file had before, and what links in
 * the data lead to.
 */

#include "stack.h"

#include <sys/stat.h>
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

struct link_case {
	const char *to; /* from the home directory, or as it is */
	bool is_as_is;
	const char *blocked; /* below the home directory */
	bool is_told;
	int error; /* of reading home/elsewhere/secret inside */
};

/* The why of the aliases of path. */
static bool
says(struct omega_sandbox_prepared *prepared, const char *path, const char *why)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	bool is_said = false;
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &line) == 0; i++)
		if (strcmp(line.kind, "aliases") == 0 &&
		    strcmp(line.path, path) == 0)
			is_said = line.state == OMEGA_SANDBOX_PARTIAL &&
				  strstr(line.why, why) != NULL;
	omega_sandbox_report_unref(report);
	return is_said;
}

static int
link_inside(const char *base, const struct link_case *at)
{
	char lines[2 * PATH_MAX] = "";
	char path[PATH_MAX];
	char secret[PATH_MAX];
	char to[2 * PATH_MAX];
	struct stack stack;
	struct world world;
	int faults = 0;
	int ret;

	world_make(&world, base, ".omega");
	snprintf(secret, sizeof(secret), "%.*s/elsewhere", PATH_MAX - 64,
	    world.home);
	mkdir(secret, 0755);
	strcat(secret, "/secret");
	stack_put_secret(secret);
	snprintf(
	    path, sizeof(path), "%.*s/data/a-link", PATH_MAX - 64, world.dir);
	snprintf(to, sizeof(to), "%s%s%s", at->is_as_is ? "" : world.home,
	    at->is_as_is ? "" : "/", at->to);
	if (at->blocked != NULL)
		snprintf(lines, sizeof(lines),
		    "blocked_paths = {\"%.*s/%s\"}\n", PATH_MAX, world.home,
		    at->blocked);
	if (symlink(to, path) != 0 ||
	    !stack_open(&stack, base, world.dir, lines))
		return 1;
	*strrchr(path, '/') = '\0';
	if (at->is_told)
		CHECK(faults, says(stack.inside, path, "a-link in it leads to"),
		    "%s: not told", to);
	else
		CHECK(faults, is_enforced(stack.inside, "aliases", path),
		    "%s: told", to);
	strcat(path, "/a-link");
	ret = stack_try(&stack.in, &world, "denied: read", path);
	CHECK(faults, ret == EACCES, "%s: by the link: %d", to, ret);
	ret = stack_try(&stack.in, &world, "denied: read", secret);
	CHECK(faults, ret == at->error, "%s: by its name: %d", to, ret);
	/* The path checks agree, but for what the configuration blocks. */
	CHECK(faults, omega_sandbox_is_read_blocked(path, world.dir, NULL),
	    "%s: the link", to);
	CHECK(faults, !omega_sandbox_is_read_blocked(secret, world.dir, NULL),
	    "%s: what it leads to", to);
	stack_close(&stack);
	world_end(&world);
	return faults;
}

/* What they lead to is not closed, and that is said. */
static int
links_inside(void *base)
{
	static const struct link_case cases[] = {
	    {"elsewhere/secret", false, NULL, true, 0},
	    {"elsewhere", false, NULL, true, 0},
	    {"../../elsewhere/secret", true, NULL, true, 0},
	    {"../../elsewhere/absent", true, NULL, true, 0},
	    {"elsewhere/absent", false, NULL, true, 0},
	    {"elsewhere/secret", false, "elsewhere", false, EACCES},
	    {"elsewhere/secret", false, "elsewhere/secret", false, EACCES},
	    {".omega/data/memory.db", false, NULL, false, 0},
	    {"memory.db", true, NULL, false, 0},
	    {"nobody:1234", true, NULL, false, 0}};
	int faults = 0;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		faults += link_inside(base, &cases[i]);
	return faults;
}

TWICE(queues_and_semaphores)
TWICE(links_inside)
TWICE(names_from_before)

const struct CMUnitTest stack_shared_tests[] = {
    cmocka_unit_test(test_queues_and_semaphores),
    cmocka_unit_test(test_names_from_before),
    cmocka_unit_test(test_links_inside),
    {NULL, NULL, NULL, NULL, NULL},
};
