/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-limit.c - as many symbolic links as open(2) follows, 40, the path
 * checks follow too; one more is ELOOP there and blocked here.
 *
 * In a mount namespace of its own, yet the kernel may still be disturbed: when
 * somebody mounts meanwhile it walks once more, counts the links it has
 * followed twice, and says ELOOP too early. So what must work may take some
 * turns; what must not must not in any.
 */

#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <omega/sandbox.h>

#define PATIENCE 10000
#define INSISTENCE 50

/* How one link of a chain names the next: relative, or absolute. */
enum style { RELATIVE, ABSOLUTE };

struct ground {
	char base[PATH_MAX / 4];
	char data_dir[PATH_MAX / 2];
	struct omega_sandbox_guard *guard;
};

/* base/NAME-COUNT, a link that takes count links to get to target. */
static bool
make_chain(const char *base, const char *name, enum style style, int count,
    const char *target, char *last)
{
	char next[PATH_MAX];
	int i;

	snprintf(next, sizeof(next), "%s", target);
	for (i = 1; i <= count; i++) {
		snprintf(last, PATH_MAX, "%s/%s-%d-%d", base, name, count, i);
		if (symlink(next, last) != 0)
			return false;
		if (style == ABSOLUTE)
			snprintf(next, sizeof(next), "%s", last);
		else
			snprintf(
			    next, sizeof(next), "%s-%d-%d", name, count, i);
	}
	return true;
}

static bool
opens(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || errno != ELOOP;
}

static bool
opens_checked(const struct ground *ground, const char *path)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
	int fd = -1;

	if (omega_sandbox_open_checked(
		ground->guard, path, O_RDONLY, 0, &fd, &verdict, &error) != 0)
		return false;
	close(fd);
	return true;
}

/* What is asked of a path, and who answers. */
static bool
answer(const struct ground *ground, int who, const char *path)
{
	switch (who) {
	case 0:
		return opens(path);
	case 1:
		return !omega_sandbox_is_read_blocked(
		    path, ground->data_dir, NULL);
	case 2:
		return !omega_sandbox_is_write_blocked(path, ground->data_dir);
	case 3:
		return !omega_sandbox_guard_is_blocked(
		    ground->guard, OMEGA_SANDBOX_READ, path, NULL);
	default:
		return opens_checked(ground, path);
	}
}

/* Everybody allows it, if perhaps not at once; or nobody ever does. */
static int
ask(const struct ground *ground, const char *path, bool is_free)
{
	int faults = 0;
	int turns = is_free ? PATIENCE : INSISTENCE;
	int who;
	int i;

	for (who = 0; who < 5; who++) {
		for (i = 0; i < turns && !answer(ground, who, path); i++)
			;
		if ((i < turns) == is_free)
			continue;
		faults++;
		printf("# %s: %d says %s\n", path, who,
		    is_free ? "no, always" : "yes");
	}
	return faults;
}

static int
at_the_limit(void *arg)
{
	static const int counts[] = {1, 20, 39, 40, 41, 42, 80};
	struct ground *ground = arg;
	char target[PATH_MAX];
	char path[PATH_MAX];
	int faults = 0;
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		bool is_free = counts[i] <= 40;

		/* To a file, by links of either kind. */
		need(make_chain(
		    ground->base, "file", RELATIVE, counts[i], "free/f", path));
		faults += ask(ground, path, is_free);
		snprintf(target, sizeof(target), "%s/free/f", ground->base);
		need(make_chain(
		    ground->base, "abs", ABSOLUTE, counts[i], target, path));
		faults += ask(ground, path, is_free);
		/* The last of them on the way, not at the end. */
		need(make_chain(
		    ground->base, "way", RELATIVE, counts[i], "free", path));
		strcat(path, "/f");
		faults += ask(ground, path, is_free);
		/* To what is protected: never. */
		need(make_chain(ground->base, "data", RELATIVE, counts[i],
		    "o/data/f", path));
		faults +=
		    omega_sandbox_is_read_blocked(path, ground->data_dir, NULL)
			? 0
			: 1;
		faults += omega_sandbox_guard_is_blocked(
			      ground->guard, OMEGA_SANDBOX_READ, path, NULL)
			      ? 0
			      : 1;
	}
	fflush(stdout);
	return faults;
}

static void
test_as_many_links_as_open_follows(void **state)
{
	struct ground ground;
	int status;

	(void)state;
	snprintf(ground.base, sizeof(ground.base), "%s", scratch_dir());
	snprintf(ground.data_dir, sizeof(ground.data_dir), "%s/o", ground.base);
	make_file(text("%s/o/data/f", ground.base), "secret");
	make_file(text("%s/free/f", ground.base), "free");
	assert_int_equal(
	    omega_sandbox_guard_new(ground.data_dir, NULL, &ground.guard, NULL),
	    0);
	status = in_mount_child(at_the_limit, &ground);
	omega_sandbox_guard_free(ground.guard);
	if (status == CANNOT_MOUNT)
		skip_because("no mount namespace of our own to be had");
	assert_int_equal(status, 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_as_many_links_as_open_follows),
	};

	return run_all(tests);
}
