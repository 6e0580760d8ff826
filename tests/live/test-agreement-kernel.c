/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-agreement-kernel.c - the kernel's part of table/agreement.h, and random
 * policies and trees asked of kernel, planner and path checks at once. As root
 * and as an ordinary user.
 *
 * OMEGA_TEST_SEED and OMEGA_TEST_ROUNDS as in test-path-property.c.
 */

#include "harness.h"

#include <sys/stat.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agreement-judged.h"
#include "agreement-tries.h"
#include "ground.h"
#include "table/agreement.h"
#include "twice.h"

#define DEFAULT_ROUNDS 12

struct score {
	unsigned verdicts;
	unsigned allowed;
	unsigned excepted;
	unsigned wrong;
};

static struct omega_sandbox_prepared *
prepare(struct ground *ground)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;

	if (omega_sandbox_prepare(ground->policy, &prepared, &error) != 0)
		printf("# prepare: %s\n", error.text);
	return prepared;
}

/* Is a guarantee of this kind enforced for a place at or above path? A link
 * is not looked through. */
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
		    meaning_is_below(path, line.path) &&
		    line.state == OMEGA_SANDBOX_ENFORCED)
			is_found = true;
	omega_sandbox_report_unref(report);
	return is_found;
}

/* ---- The table ------------------------------------------------------------
 */

/* What the kernel must say, where the checks say expected; -1: either. */
static int
expected_of(const struct ground *ground,
    struct omega_sandbox_prepared *prepared, const struct agreement_row *row)
{
	char secret[PATH_MAX];
	char path[PATH_MAX];

	ground_fill(ground, "%T/s/twin", secret);
	ground_fill(ground, row->path, path);
	switch (row->but) {
	case BUT_DEVICE:
		return true;
	case BUT_SELF:
		return geteuid() != 0;
	case BUT_UNDECIDED:
		return false;
	case BUT_SPELLED:
	case BUT_LISTED:
		return true;
	case BUT_HIDDEN:
		return false;
	case BUT_ABSENT:
		return !is_enforced(prepared, "absent_paths", path);
	case BUT_ALIAS:
		return !is_enforced(prepared, "aliases", secret);
	default:
		return row->expected == 'y';
	}
}

static int
try_policy(struct ground *ground, const struct agreement_policy *policy,
    struct tries *tries, struct score *score,
    bool (*run)(struct omega_sandbox_prepared *, struct tries *))
{
	struct omega_sandbox_prepared *prepared = prepare(ground);
	char path[PATH_MAX];
	size_t i;

	need(prepared != NULL);
	tries->count = 0;
	for (i = 0; policy->rows[i].access != 0; i++) {
		ground_fill(ground, policy->rows[i].path, path);
		tries_add(tries, policy->rows[i].access, path);
	}
	need(run(prepared, tries));
	for (i = 0; i < tries->count; i++) {
		const struct agreement_row *row = &policy->rows[i];
		int expected = expected_of(ground, prepared, row);
		bool is_allowed = tries->list[i].error == 0;

		score->verdicts++;
		score->allowed += is_allowed;
		score->excepted += row->but != AGREED;
		if (expected < 0 || is_allowed == expected)
			continue;
		score->wrong++;
		printf("# %s: %c %s: expected %s, got %s\n", policy->name,
		    row->access, row->path, expected ? "allowed" : "denied",
		    strerror(tries->list[i].error));
	}
	omega_sandbox_prepared_unref(prepared);
	return 0;
}

/*
 * The configuration of a policy, and on its lists what a command needs to
 * start: none of the rows is about that.
 */
static const char *
startable(const struct agreement_policy *policy)
{
	static const char *const lists[] = {" read = { ", "execute = { "};
	const size_t size = 4 * PATH_MAX;
	char *conf = harness_keep(size);
	char self[PATH_MAX] = "";
	const char *at = policy->conf;
	size_t used = 0;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return NULL;
	while (*at != '\0') {
		size_t i;

		for (i = 0; i < 2; i++) {
			size_t len = strlen(lists[i]);

			if (strncmp(at, lists[i], len) != 0)
				continue;
			used += (size_t)snprintf(conf + used, size - used,
			    "%s\"%s\", \"/usr/lib\", \"/lib\", \"/lib64\", "
			    "\"/usr/lib64\", \"/etc/ld.so.cache\", ",
			    lists[i], self);
			at += len;
			break;
		}
		if (used + 2 * PATH_MAX > size)
			return NULL;
		if (i == 2)
			conf[used++] = *at++;
	}
	conf[used] = '\0';
	return conf;
}

static int
try_table(
    void *arg, bool (*run)(struct omega_sandbox_prepared *, struct tries *))
{
	struct score score = {0};
	struct tries *tries = tries_new();
	struct ground ground;
	unsigned count = 0;
	size_t i;

	need(tries != NULL && ground_make(&ground, arg));
	for (i = 0; i < AGREEMENT_COUNT; i++) {
		const char *conf = agreement[i].conf;

		if (run == tries_by_command)
			conf = startable(&agreement[i]);
		count++;
		need(
		    conf != NULL && ground_open(&ground, conf,
					agreement[i].rule, agreement[i].value));
		need(try_policy(&ground, &agreement[i], tries, &score, run) ==
		     0);
		ground_close(&ground);
	}
	ground_clear(&ground);
	printf("# uid %d: %u policies, %u verdicts of the kernel, %u allowed, "
	       "%u on the list of exceptions\n",
	    (int)geteuid(), count, score.verdicts, score.allowed,
	    score.excepted);
	fflush(stdout);
	return score.wrong == 0 ? 0 : 1;
}

static int
table(void *arg)
{
	return try_table(arg, tries_by_worker);
}

static int
table_for_commands(void *arg)
{
	return try_table(arg, tries_by_command);
}

/* ---- Random policies ------------------------------------------------------
 */

/* Is the place, or a directory on the way to it, hidden from reading? */
static bool
is_hidden(struct ground *ground, const char *path)
{
	const char *end = path;
	char dir[PATH_MAX];

	while (*end != '\0') {
		enum meaning reading = MEANING_OPEN;

		end += 1 + strcspn(end + 1, "/");
		snprintf(dir, sizeof(dir), "%.*s", (int)(end - path), path);
		if (ground_means(ground, OMEGA_SANDBOX_READ, dir, &reading) &&
		    reading == MEANING_DENIED)
			return true;
	}
	return false;
}

/*
 * May the kernel differ from what the atoms mean? The same list as that of
 * the table: absent paths, and what is hidden from reading.
 */
static bool
is_excepted(struct ground *ground, struct omega_sandbox_prepared *prepared,
    const struct trial *trial, enum meaning meaning, bool is_allowed)
{
	if (meaning == MEANING_ABSENT && is_allowed)
		return !is_enforced(prepared, "absent_paths", trial->path);
	if (is_allowed)
		return false;
	return is_hidden(ground, trial->path);
}

/* The path checks say what the atoms mean, but that they block a name as it
 * is spelled, too. */
static void
compare_checks(struct ground *ground, const struct trial *trial,
    enum meaning meaning, struct score *score)
{
	struct omega_sandbox_verdict verdict = OMEGA_SANDBOX_VERDICT_INIT;

	if (ground_allows(ground, ground_access(trial->letter), trial->path,
		&verdict) == (meaning == MEANING_OPEN) ||
	    (meaning == MEANING_OPEN &&
		verdict.reason == OMEGA_SANDBOX_BY_NAME &&
		strcmp(verdict.resolved, trial->path) != 0))
		return;
	score->wrong++;
	printf("# %c %s: the atoms say %s, the checks: reason %d\n",
	    trial->letter, trial->path,
	    meaning == MEANING_OPEN ? "open" : "not open", verdict.reason);
}

static void
compare(struct ground *ground, struct omega_sandbox_prepared *prepared,
    const struct trial *trial, struct score *score)
{
	enum meaning meaning = MEANING_OPEN;
	bool is_allowed = trial->error == 0;
	unsigned access = ground_access(trial->letter);

	score->verdicts++;
	score->allowed += is_allowed;
	if (!ground_means(ground, access, trial->path, &meaning)) {
		score->wrong++;
		printf("# %s leads nowhere\n", trial->path);
		return;
	}
	compare_checks(ground, trial, meaning, score);
	if (is_allowed == (meaning == MEANING_OPEN))
		return;
	if (is_excepted(ground, prepared, trial, meaning, is_allowed)) {
		score->excepted++;
		return;
	}
	score->wrong++;
	printf("# %c %s: the atoms say %s, the kernel: %s\n", trial->letter,
	    trial->path, meaning == MEANING_OPEN ? "open" : "not open",
	    is_allowed ? "allowed" : strerror(trial->error));
}

static int
try_random(struct ground *ground, struct tries *tries, struct score *score)
{
	struct omega_sandbox_prepared *prepared = prepare(ground);
	struct stat st;
	char path[PATH_MAX];
	size_t i;

	need(prepared != NULL);
	tries->count = 0;
	for (i = 0; i < ground->path_count; i++) {
		bool is_there;

		ground_fill(ground, ground->paths[i], path);
		is_there = stat(path, &st) == 0;
		if (is_there)
			tries_add(tries, 'r', path);
		if (is_there && S_ISDIR(st.st_mode))
			strcat(path, "/new");
		else if (is_there)
			tries_add(tries, 'x', path);
		tries_add(tries, 'w', path);
	}
	need(tries_by_worker(prepared, tries));
	for (i = 0; i < tries->count; i++)
		compare(ground, prepared, &tries->list[i], score);
	omega_sandbox_prepared_unref(prepared);
	return 0;
}

static unsigned long
number_from(const char *variable, unsigned long otherwise)
{
	const char *value = getenv(variable);

	return value == NULL ? otherwise : strtoul(value, NULL, 0);
}

static int
random_policies(void *arg)
{
	unsigned long seed = number_from("OMEGA_TEST_SEED", 1);
	unsigned long rounds = number_from("OMEGA_TEST_ROUNDS", DEFAULT_ROUNDS);
	struct tries *tries = tries_new();
	struct score score = {0};
	char conf[16384];
	unsigned long i;

	need(tries != NULL);
	for (i = 0; i < rounds && score.wrong == 0; i++) {
		struct ground ground;

		need(ground_grow(&ground, arg, seed + i, conf, sizeof(conf)));
		if (!ground_open(&ground, conf, NULL, NULL) ||
		    try_random(&ground, tries, &score) != 0)
			score.wrong++;
		if (score.wrong > 0)
			printf("# OMEGA_TEST_SEED=%lu OMEGA_TEST_ROUNDS=1\n%s",
			    seed + i, conf);
		ground_close(&ground);
		ground_clear(&ground);
	}
	printf("# uid %d, seed %lu: %lu policies, %u verdicts of the kernel, "
	       "%u allowed, %u on the list of exceptions\n",
	    (int)geteuid(), seed, i, score.verdicts, score.allowed,
	    score.excepted);
	fflush(stdout);
	return score.wrong == 0 ? 0 : 1;
}

/* Without a sandbox everything in the tree can be done: what is denied above
 * is denied by it. */
static int
without(void *arg)
{
	struct tries *tries = tries_new();
	struct ground ground;
	unsigned refused = 0;
	size_t i;
	size_t j;

	need(tries != NULL && ground_make(&ground, arg));
	for (i = 0; i < AGREEMENT_COUNT; i++) {
		char path[PATH_MAX];

		tries->count = 0;
		for (j = 0; agreement[i].rows[j].access != 0; j++) {
			const struct agreement_row *row = &agreement[i].rows[j];

			if (strncmp(row->path, "%T", 2) != 0 ||
			    row->but == BUT_UNDECIDED)
				continue;
			ground_fill(&ground, row->path, path);
			tries_add(tries, row->access, path);
		}
		need(tries_by_worker(NULL, tries));
		for (j = 0; j < tries->count; j++)
			if (tries->list[j].error != 0) {
				refused++;
				printf("# %c %s: %s\n", tries->list[j].letter,
				    tries->list[j].path,
				    strerror(tries->list[j].error));
			}
	}
	ground_clear(&ground);
	fflush(stdout);
	return refused == 0 ? 0 : 1;
}

/* A denied path that the host makes after the policy was prepared. */
static int
late_in(struct ground *ground, const char *conf, struct tries *tries)
{
	struct omega_sandbox_prepared *prepared;
	char path[PATH_MAX];
	FILE *file;
	int faults = 0;

	need(ground_open(ground, conf, NULL, NULL));
	prepared = prepare(ground);
	need(prepared != NULL);
	ground_fill(ground, "%T/a/late", path);
	file = fopen(path, "w");
	need(file != NULL && fputs("secret", file) >= 0 && fclose(file) == 0);
	tries->count = 0;
	tries_add(tries, 'r', path);
	need(tries_by_worker(prepared, tries));
	if (tries->list[0].error == 0 ||
	    ground_allows(ground, OMEGA_SANDBOX_READ, path, NULL)) {
		printf("# %s: the kernel lets it be read: %d\n", conf,
		    tries->list[0].error == 0);
		faults++;
	}
	unlink(path);
	omega_sandbox_prepared_unref(prepared);
	ground_close(ground);
	return faults;
}

static int
late(void *arg)
{
	static const char *const confs[] = {
	    "policy p { deny = { \"%T/a/late\" } }",
	    "policy p { deny_read = { \"%T/a/late\" } }",
	    "policy p { deny = { \"%T/a/late\" } write = { \"%T/w\" } }",
	    "policy p { deny = { \"%T/a/late\" } write = { \"%T/a\" } }",
	    "policy p { deny = { \"%T/a/late\" } read = { \"%T/a\" } }"};
	struct tries *tries = tries_new();
	struct ground ground;
	int faults = 0;
	size_t i;

	need(tries != NULL && ground_make(&ground, arg));
	for (i = 0; i < sizeof(confs) / sizeof(confs[0]); i++)
		faults += late_in(&ground, confs[i], tries);
	ground_clear(&ground);
	fflush(stdout);
	return faults;
}

TWICE(without)
TWICE(late)
TWICE(agreement_judged)
TWICE(table)
TWICE(table_for_commands)
TWICE(random_policies)

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_without),
    cmocka_unit_test(test_table),
    cmocka_unit_test(test_table_for_commands),
    cmocka_unit_test(test_late),
    cmocka_unit_test(test_agreement_judged),
    cmocka_unit_test(test_random_policies),
};

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "try") == 0)
		return tries_main(argc, argv);
	return run_all(tests);
}
