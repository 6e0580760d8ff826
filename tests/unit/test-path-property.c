/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-property.c - random trees, random paths: the functions without a
 * guard, the guard, open_checked and the slow reference must all agree.
 *
 * OMEGA_TEST_SEED chooses the first tree (a number, or "random"), and
 * OMEGA_TEST_ROUNDS how many each test grows. A failure prints the tree, the
 * path, both answers and the seed of that one tree.
 */

#include "harness.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "forest.h"
#include "reference.h"

#define DEFAULT_SEED 1
#define DEFAULT_ROUNDS 400
#define PATHS_PER_TREE 6

/* An errno that nothing here sets. */
#define UNTOUCHED EXFULL

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

/* What one test asks its child to do. */
struct plan {
	const char *base; /* an empty directory, open to everybody */
	uint64_t seed;
	unsigned rounds;
	unsigned options;
	bool without_openat2;
	bool without_statx;
};

struct score {
	unsigned guards;
	unsigned verdicts;
	unsigned blocked;
	unsigned opened;
	unsigned wrong;
};

/* The tree at hand and the guard for it, NULL where none can be made. */
struct subject {
	struct forest forest;
	uint64_t seed;
	struct omega_sandbox_guard *guard;
	struct score *score;
};

static void
disagree(struct subject *subject, const char *path, const char *question,
    const char *expected, const char *actual)
{
	subject->score->wrong++;
	printf("# disagreement in tree OMEGA_TEST_SEED=%llu "
	       "OMEGA_TEST_ROUNDS=1\n",
	    (unsigned long long)subject->seed);
	forest_print(&subject->forest, stdout);
	printf("# path        \"%s\"\n", path);
	printf("# %s: expected %s, got %s\n", question, expected, actual);
	fflush(stdout);
}

static const char *
word(bool blocked)
{
	return blocked ? "blocked" : "allowed";
}

static void
compare(struct subject *subject, const char *path, const char *question,
    bool expected, bool actual)
{
	if (errno != UNTOUCHED)
		disagree(subject, path, question, "errno as it was",
		    strerror(errno));
	subject->score->verdicts++;
	subject->score->blocked += expected;
	if (expected != actual)
		disagree(subject, path, question, word(expected), word(actual));
}

/* The guard's answer, its reason, and the place it has found. */
static void
compare_guard(struct subject *subject, const char *path, bool is_write,
    bool expected, const char *place)
{
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
	const char *question = is_write ? "guard, write" : "guard, read";
	bool actual;

	errno = UNTOUCHED;
	actual = omega_sandbox_guard_is_blocked(subject->guard,
	    is_write ? OMEGA_SANDBOX_WRITE : OMEGA_SANDBOX_READ, path,
	    &verdict);
	compare(subject, path, question, expected, actual);
	if (actual != (verdict.reason != OMEGA_SANDBOX_NOT_BLOCKED))
		disagree(subject, path, question, word(actual), "its reason");
	if (subject->guard != NULL && place != NULL &&
	    verdict.reason != OMEGA_SANDBOX_UNDECIDED &&
	    strcmp(place, verdict.resolved) != 0)
		disagree(subject, path, "leads to", place, verdict.resolved);
}

/* open_checked opens what open(2) would, if it is not blocked. */
static void
compare_open(
    struct subject *subject, const char *path, bool is_write, bool blocked)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	int flags = (is_write ? O_WRONLY : O_RDONLY) | O_NONBLOCK | O_NOCTTY;
	int plain;
	int plain_errno;
	int fd;
	int ret;

	ret = omega_sandbox_open_checked(
	    subject->guard, path, flags, 0, &fd, NULL, &error);
	if ((ret == 0) != (fd >= 0))
		disagree(subject, path, "open", "code and descriptor", "one");
	if (blocked && ret == 0)
		disagree(subject, path, "open", "refused", "opened");
	if (!blocked) {
		plain = open(path, flags | O_CLOEXEC);
		plain_errno = plain < 0 ? errno : 0;
		if (plain_errno != error.sys_errno)
			disagree(subject, path, "open", strerror(plain_errno),
			    text("%d, %s", ret, error.text));
		if (plain >= 0)
			close(plain);
	}
	subject->score->opened += ret == 0;
	if (fd >= 0)
		close(fd);
}

static void
ask(struct subject *subject, const char *path)
{
	const char *data_dir = subject->forest.data_dir;
	const char *config = subject->forest.config_path;
	bool read = reference_is_blocked(false, path, data_dir, config);
	bool write = reference_is_blocked(true, path, data_dir, NULL);
	bool guard_write = reference_is_blocked(true, path, data_dir, config);
	bool exists;
	char *place = reference_resolve(path, &exists);
	bool actual;

	errno = UNTOUCHED;
	actual = omega_sandbox_is_read_blocked(
	    path, data_dir, config[0] == '\0' ? NULL : config);
	compare(subject, path, "is_read_blocked", read, actual);
	errno = UNTOUCHED;
	actual = omega_sandbox_is_write_blocked(path, data_dir);
	compare(subject, path, "is_write_blocked", write, actual);
	compare_guard(subject, path, false, read, place);
	compare_guard(subject, path, true, guard_write, place);
	if (subject->guard != NULL) {
		compare_open(subject, path, false, read);
		compare_open(subject, path, true, guard_write);
	}
	free(place);
}

static void
ask_about_tree(struct subject *subject)
{
	struct forest *forest = &subject->forest;
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	bool can = reference_can_protect(forest->data_dir, forest->config_path);
	char path[PATH_MAX];
	int before = count_descriptors();
	int i;

	subject->guard = NULL;
	if ((omega_sandbox_guard_new(forest->data_dir, forest->config_path,
		 &subject->guard, &error) == 0) != can)
		disagree(subject, "", "guard_new", can ? "a guard" : "none",
		    error.text);
	subject->score->guards += subject->guard != NULL;
	for (i = 0; i < PATHS_PER_TREE; i++) {
		forest_path(forest, path);
		ask(subject, path);
	}
	omega_sandbox_guard_free(subject->guard);
	if (count_descriptors() != before)
		disagree(subject, path, "descriptors", text("%d", before),
		    text("%d", count_descriptors()));
}

/* Let the system calls look as on a kernel that lacks them. */
static bool
forget_calls(const struct plan *plan)
{
	unsigned openat2 = plan->without_openat2 ? SYS_openat2 : ~0u;
	unsigned statx = plan->without_statx ? SYS_statx : ~0u;
	struct sock_filter code[] = {
	    BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, openat2, 1, 0),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, statx, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
	    .len = sizeof(code) / sizeof(code[0]), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Runs in a child: 0 all right, 1 disagreement, 2 could not be tried. */
static int
run_plan(void *arg)
{
	const struct plan *plan = arg;
	struct score score = {0};
	struct subject subject = {.score = &score};
	unsigned i;

	if ((plan->without_openat2 || plan->without_statx) &&
	    !forget_calls(plan))
		return 2;
	for (i = 0; i < plan->rounds && score.wrong == 0; i++) {
		subject.seed = plan->seed + i;
		if (!forest_grow(&subject.forest,
			text("%s/%x", plan->base, (unsigned)i), subject.seed,
			plan->options)) {
			printf("# tree %u: %s\n", i, strerror(errno));
			return 2;
		}
		ask_about_tree(&subject);
		forest_fell(&subject.forest);
	}
	printf("# seed %llu: %u trees, %u guards, %u verdicts, %u blocked, "
	       "%u opened\n",
	    (unsigned long long)plan->seed, i, score.guards, score.verdicts,
	    score.blocked, score.opened);
	fflush(stdout);
	return score.wrong == 0 ? 0 : 1;
}

static struct plan
make_plan(unsigned options)
{
	const char *seed = getenv("OMEGA_TEST_SEED");
	const char *rounds = getenv("OMEGA_TEST_ROUNDS");
	struct plan plan = {
	    .base = scratch_dir(),
	    .seed = DEFAULT_SEED,
	    .rounds = DEFAULT_ROUNDS,
	    .options = options,
	};

	if (seed != NULL && strcmp(seed, "random") == 0)
		plan.seed = (uint64_t)time(NULL) << 20;
	else if (seed != NULL)
		plan.seed = strtoull(seed, NULL, 0);
	if (rounds != NULL)
		plan.rounds = (unsigned)strtoul(rounds, NULL, 0);
	if ((options & FOREST_SHUT) == 0 && reference_knows_volume("/") &&
	    reference_knows_volume(plan.base))
		plan.options |= FOREST_CASE;
	return plan;
}

static void
test_verdicts_equal_the_reference(void **state)
{
	struct plan plan = make_plan(0);

	(void)state;
	plan.rounds *= 2;
	assert_int_equal(in_child(run_plan, &plan), 0);
}

static void
test_verdicts_equal_the_reference_for_an_ordinary_user(void **state)
{
	struct plan plan = make_plan(FOREST_SHUT);

	(void)state;
	assert_int_equal(in_user_child(run_plan, &plan), 0);
}

static void
test_verdicts_equal_the_reference_without_openat2(void **state)
{
	struct plan plan = make_plan(0);

	(void)state;
	plan.without_openat2 = true;
	assert_int_equal(in_child(run_plan, &plan), 0);
}

static void
test_verdicts_equal_the_reference_on_an_old_kernel(void **state)
{
	struct plan plan = make_plan(FOREST_SHUT);

	(void)state;
	plan.without_openat2 = true;
	plan.without_statx = true;
	assert_int_equal(in_user_child(run_plan, &plan), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_verdicts_equal_the_reference),
	    cmocka_unit_test(
		test_verdicts_equal_the_reference_for_an_ordinary_user),
	    cmocka_unit_test(test_verdicts_equal_the_reference_without_openat2),
	    cmocka_unit_test(
		test_verdicts_equal_the_reference_on_an_old_kernel),
	};

	return run_all(tests);
}
