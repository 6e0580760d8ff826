/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-seatbelt-agreement.c - the table that the kernel of Linux is asked, and
 * random policies, put to the profiles of the seatbelt backend.
 *
 * A profile goes by names as they are resolved. So it knows neither spellings
 * nor other names of a file; it keeps absent names from being made, and what
 * cannot be read can still be written where a policy says no more than that.
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
#include "judge.h"
#include "meaning.h"
#include "policy/policy.h"
#include "reference.h"
#include "table/agreement.h"

#define DEFAULT_ROUNDS 60

struct score {
	unsigned asked;
	unsigned allowed;
	unsigned excepted;
	unsigned wrong;
};

static bool
open_judge(struct judge *judge, const struct ground *ground)
{
	if (judge_atoms_open(judge, &ground->atoms))
		return true;
	printf("# %s\n# %s\n", judge->error,
	    judge->profile.text == NULL ? "" : judge->profile.text);
	return false;
}

static enum sbpl_answer
ask(struct judge *judge, char letter, const char *path, struct score *score)
{
	enum sbpl_answer answers[2];
	bool exists = false;
	char *place = reference_resolve(path, &exists);
	int i;

	if (place == NULL)
		return SBPL_NONSENSE;
	/* The order of rules does not matter. */
	for (i = 0; i < 2; i++) {
		answers[i] = judge_access(judge, letter, place, exists);
		sbpl_reverse(judge->sbpl);
	}
	free(place);
	score->asked++;
	score->allowed += answers[0] == SBPL_ALLOWED;
	return answers[0] == answers[1] ? answers[0] : SBPL_DISPUTED;
}

static void
disagree(struct score *score, const char *what, char letter, const char *path,
    enum sbpl_answer answer)
{
	static const char *const words[] = {
	    "allowed", "denied", "disputed", "no answer"};

	score->wrong++;
	printf("# %s: %c %s: %s\n", what, letter, path, words[answer]);
	fflush(stdout);
}

static void
ask_row(struct judge *judge, const struct ground *ground,
    const struct agreement_policy *policy, const struct agreement_row *row,
    struct score *score)
{
	enum sbpl_answer expected =
	    row->expected == 'y' ? SBPL_ALLOWED : SBPL_DENIED;
	enum sbpl_answer answer;
	char path[PATH_MAX];

	score->excepted += row->but != AGREED;
	if (row->but == BUT_UNDECIDED)
		return;
	if (row->but == BUT_DEVICE || row->but == BUT_SPELLED ||
	    row->but == BUT_ALIAS)
		expected = SBPL_ALLOWED;
	ground_fill(ground, row->path, path);
	answer = ask(judge, row->access, path, score);
	if (answer != expected)
		disagree(score, policy->name, row->access, row->path, answer);
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
		struct judge judge;

		need(ground_open(
		    &ground, policy->conf, policy->rule, policy->value));
		need(open_judge(&judge, &ground));
		for (j = 0; policy->rows[j].access != 0; j++)
			ask_row(
			    &judge, &ground, policy, &policy->rows[j], &score);
		judge_close(&judge);
		ground_close(&ground);
	}
	ground_clear(&ground);
	printf("# %zu policies, %u questions, %u allowed, %u on the list of "
	       "exceptions\n",
	    AGREEMENT_COUNT, score.asked, score.allowed, score.excepted);
	fflush(stdout);
	return score.wrong == 0 ? 0 : 1;
}

/* What is absent has no atom about reading it, but is not to be read when it
 * appears. */
static bool
is_unreadable(const struct ground *ground, const char *path)
{
	char *const *name = ground->atoms.unreadable;
	bool exists = false;
	char *place = reference_resolve(path, &exists);
	bool is_found = false;

	for (; place != NULL && name != NULL && *name != NULL; name++)
		is_found = is_found || meaning_is_below(place, *name);
	free(place);
	return is_found;
}

static void
ask_random(
    struct judge *judge, const struct ground *ground, struct score *score)
{
	static const char letters[] = "rwx";
	char path[PATH_MAX];
	size_t i;
	size_t j;

	for (i = 0; i < ground->path_count; i++)
		for (j = 0; j < 3; j++) {
			unsigned access = ground_access(letters[j]);
			enum meaning meaning = MEANING_OPEN;
			enum sbpl_answer answer;
			bool is_denied;
			bool is_told;

			ground_fill(ground, ground->paths[i], path);
			answer = ask(judge, letters[j], path, score);
			is_told = ground_means(ground, access, path, &meaning);
			is_denied =
			    meaning != MEANING_OPEN ||
			    (letters[j] != 'w' && is_unreadable(ground, path));
			if (!is_told ||
			    answer != (is_denied ? SBPL_DENIED : SBPL_ALLOWED))
				disagree(score, "random", letters[j],
				    ground->paths[i], answer);
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
		struct judge judge;

		need(ground_grow(&ground, arg, seed + i, conf, sizeof(conf)));
		need(ground_open(&ground, conf, NULL, NULL));
		need(open_judge(&judge, &ground));
		ask_random(&judge, &ground, &score);
		if (score.wrong > 0)
			printf("# OMEGA_TEST_SEED=%lu OMEGA_TEST_ROUNDS=1\n%s",
			    seed + i, conf);
		judge_close(&judge);
		ground_close(&ground);
		ground_clear(&ground);
	}
	printf("# seed %lu: %lu policies, %u questions, %u allowed\n", seed, i,
	    score.asked, score.allowed);
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
test_profiles_say_what_the_table_says(void **state)
{
	(void)state;
	assert_int_equal(in_child(run_table, base()), 0);
}

static void
test_profiles_say_what_random_policies_mean(void **state)
{
	(void)state;
	assert_int_equal(in_child(run_random, base()), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_profiles_say_what_the_table_says),
    cmocka_unit_test(test_profiles_say_what_random_policies_mean),
};

int
main(void)
{
	return run_all(tests);
}
