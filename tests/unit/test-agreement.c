/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-agreement.c - one policy, asked about paths: the path checks against
 * the table and against the planner's atoms, and both against each other for
 * random policies and trees. The kernel's part is live/test-agreement-kernel.c.
 *
 * OMEGA_TEST_SEED and OMEGA_TEST_ROUNDS as in test-path-property.c.
 */

#include "harness.h"

#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ground.h"
#include "table/agreement.h"

#define DEFAULT_ROUNDS 60

struct score {
	unsigned verdicts;
	unsigned allowed;
	unsigned excepted;
	unsigned wrong;
};

static const char *const meanings[] = {
    "open", "denied", "absent and denied", "on no list"};

static void
disagree(struct score *score, const char *what, char access, const char *path,
    const char *expected, const char *got)
{
	score->wrong++;
	printf("# %s: %c %s: expected %s, got %s\n", what, access, path,
	    expected, got);
	fflush(stdout);
}

/* Does a reason stand beside the answer, where there must be one? */
static bool
is_explained(const struct omega_sandbox_verdict *verdict, bool is_allowed)
{
	if (is_allowed || verdict->reason == OMEGA_SANDBOX_UNDECIDED)
		return verdict->rule == NULL;
	return verdict->rule != NULL && verdict->origin != NULL;
}

static void
ask_row(struct ground *ground, const struct agreement_policy *policy,
    const struct agreement_row *row, struct score *score)
{
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;
	unsigned access = ground_access(row->access);
	enum meaning meaning = MEANING_OPEN;
	char path[PATH_MAX];
	bool is_decided;
	bool is_allowed;

	ground_fill(ground, row->path, path);
	is_allowed = ground_allows(ground, access, path, &verdict);
	score->verdicts++;
	score->allowed += is_allowed;
	score->excepted += row->but != AGREED;
	if (is_allowed != (row->expected == 'y') ||
	    !is_explained(&verdict, is_allowed))
		disagree(score, policy->name, row->access, row->path,
		    row->expected == 'y' ? "allowed by the checks" : "blocked",
		    text("reason %d, %s", verdict.reason,
			verdict.rule == NULL ? "no rule" : verdict.rule));
	is_decided = ground_means(ground, access, path, &meaning);
	if (is_decided == (row->but == BUT_UNDECIDED))
		disagree(score, policy->name, row->access, row->path, "a place",
		    "none, or the other way");
	/* By its name, or by another one: atoms know places alone. */
	if (row->but == BUT_SPELLED || row->but == BUT_ALIAS)
		is_allowed = true;
	if (is_decided && is_allowed != (meaning == MEANING_OPEN))
		disagree(score, policy->name, row->access, row->path,
		    is_allowed ? "open by the atoms" : "not open",
		    meanings[meaning]);
}

static int
run_table(void *arg)
{
	struct score score = {0};
	struct ground ground;
	size_t i;
	size_t j;

	need(ground_make(&ground, arg));
	for (i = 0; i < AGREEMENT_COUNT; i++) {
		const struct agreement_policy *policy = &agreement[i];

		need(ground_open(
		    &ground, policy->conf, policy->rule, policy->value));
		for (j = 0; policy->rows[j].access != 0; j++)
			ask_row(&ground, policy, &policy->rows[j], &score);
		ground_close(&ground);
	}
	ground_clear(&ground);
	printf("# %zu policies, %u verdicts, %u allowed, %u on the list of "
	       "exceptions\n",
	    AGREEMENT_COUNT, score.verdicts, score.allowed, score.excepted);
	fflush(stdout);
	return score.wrong == 0 ? 0 : 1;
}

/* Blocked by its name, though the link of that name leads elsewhere. */
static bool
is_spelled(const struct omega_sandbox_verdict *verdict, const char *path,
    enum meaning meaning, struct score *score)
{
	if (verdict->reason != OMEGA_SANDBOX_BY_NAME ||
	    meaning != MEANING_OPEN || strcmp(verdict->resolved, path) == 0)
		return false;
	score->excepted++;
	return true;
}

static void
ask_random(struct ground *ground, struct score *score)
{
	static const char accesses[] = "rwx";
	char path[PATH_MAX];
	size_t i;
	size_t j;

	for (i = 0; i < ground->path_count; i++)
		for (j = 0; j < 3; j++) {
			struct omega_sandbox_verdict verdict =
			    OMEGA_SANDBOX_VERDICT_INIT;
			unsigned access = ground_access(accesses[j]);
			enum meaning meaning = MEANING_OPEN;
			bool is_allowed;

			ground_fill(ground, ground->paths[i], path);
			/* Of what is absent only its creation is denied. */
			if (accesses[j] != 'w' && euidaccess(path, F_OK) != 0)
				continue;
			is_allowed =
			    ground_allows(ground, access, path, &verdict);
			score->verdicts++;
			score->allowed += is_allowed;
			if (!ground_means(ground, access, path, &meaning) ||
			    (is_allowed != (meaning == MEANING_OPEN) &&
				!is_spelled(&verdict, path, meaning, score)) ||
			    !is_explained(&verdict, is_allowed))
				disagree(score, "random", accesses[j],
				    ground->paths[i], meanings[meaning],
				    text("reason %d, %s", verdict.reason,
					verdict.rule == NULL ? "no rule"
							     : verdict.rule));
		}
}

static unsigned long
number_from(const char *variable, unsigned long otherwise)
{
	const char *value = getenv(variable);

	return value == NULL ? otherwise : strtoul(value, NULL, 0);
}

static int
run_random(void *arg)
{
	unsigned long seed = number_from("OMEGA_TEST_SEED", 1);
	unsigned long rounds = number_from("OMEGA_TEST_ROUNDS", DEFAULT_ROUNDS);
	struct score score = {0};
	char conf[16384];
	unsigned long i;

	for (i = 0; i < rounds && score.wrong == 0; i++) {
		struct ground ground;

		need(ground_grow(&ground, arg, seed + i, conf, sizeof(conf)));
		need(ground_open(&ground, conf, NULL, NULL));
		ask_random(&ground, &score);
		if (score.wrong > 0)
			printf("# OMEGA_TEST_SEED=%lu OMEGA_TEST_ROUNDS=1\n%s",
			    seed + i, conf);
		ground_close(&ground);
		ground_clear(&ground);
	}
	printf("# seed %lu: %lu policies, %u verdicts, %u allowed, %u blocked "
	       "by their spelling alone\n",
	    seed, i, score.verdicts, score.allowed, score.excepted);
	fflush(stdout);
	return score.wrong == 0 ? 0 : 1;
}

static char *
base(void)
{
	char *path = scratch_dir();

	assert_int_equal(chmod(path, 0755), 0);
	return path;
}

static void
test_checks_and_atoms_say_what_the_table_says(void **state)
{
	(void)state;
	assert_int_equal(in_child(run_table, base()), 0);
}

static void
test_checks_and_atoms_agree_on_random_policies(void **state)
{
	(void)state;
	assert_int_equal(in_child(run_random, base()), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_checks_and_atoms_say_what_the_table_says),
    cmocka_unit_test(test_checks_and_atoms_agree_on_random_policies),
};

int
main(void)
{
	return run_all(tests);
}
