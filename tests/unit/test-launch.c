/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-launch.c - what a backend may build, and what is kept of it:
 * core/launch/launch.c, core/run/stack.c.
 */

#include "harness.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "building.h"
#include "child/clone.h"
#include "launch/launch.h"

static int
nothing(const void *state)
{
	(void)state;
	return 0;
}

static int
answer(const void *state)
{
	return *(const int *)state;
}

static void
test_new_launch_is_empty(void **state)
{
	struct omega_launch *launch = omega_launch_new();
	const char *backend = NULL;

	(void)state;
	assert_non_null(launch);
	assert_int_equal(launch->step_count, 0);
	assert_int_equal(omega_launch_check(launch, &backend), 0);
	assert_false(omega_launch_needs_own_memory(launch));
	omega_launch_unref(launch);
	omega_launch_unref(NULL);
	assert_null(omega_launch_ref(NULL));
}

static void
test_public_part_carries_its_size(void **state)
{
	struct building building;

	(void)state;
	building_begin(&building, false);
	assert_int_equal(
	    building.public->size, sizeof(struct omega_sandbox_launch));
	assert_true(OMEGA_SANDBOX_HAS(building.public, explain));
	building_end(&building);
}

static void
test_steps_are_copied(void **state)
{
	struct building building;
	char name[] = "restrict";
	int number = 7;

	(void)state;
	building_begin(&building, false);
	assert_int_equal(building.public->add_step(building.public, 400, name,
			     answer, &number, sizeof(number)),
	    0);
	memset(name, 'x', sizeof(name) - 1);
	number = 8;
	assert_int_equal(building.launch->step_count, 1);
	assert_string_equal(building.launch->steps[0].name, "restrict");
	assert_string_equal(building.launch->steps[0].backend, "mock");
	assert_int_equal(
	    building.launch->steps[0].step(building.launch->steps[0].state), 7);
	building_end(&building);
}

static void
test_step_without_state_gets_null(void **state)
{
	struct building building;

	(void)state;
	building_begin(&building, false);
	assert_int_equal(building.public->add_step(
			     building.public, 400, "x", nothing, "ignored", 0),
	    0);
	assert_null(building.launch->steps[0].state);
	building_end(&building);
}

static void
test_senseless_steps_are_refused(void **state)
{
	static const uint32_t bad[] = {
	    0, 1, 99, 200, 600, 900, 901, 0xffffffff};
	struct building building;
	struct omega_sandbox_launch *p;
	size_t i;

	(void)state;
	building_begin(&building, false);
	p = building.public;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(
		    p->add_step(p, bad[i], "x", nothing, NULL, 0), -EINVAL);
	assert_int_equal(p->add_step(p, 400, NULL, nothing, NULL, 0), -EINVAL);
	assert_int_equal(p->add_step(p, 400, "", nothing, NULL, 0), -EINVAL);
	assert_int_equal(p->add_step(p, 400, "x", NULL, NULL, 0), -EINVAL);
	assert_int_equal(p->add_step(p, 400, "x", nothing, NULL, 4), -EINVAL);
	assert_int_equal(building.launch->step_count, 0);
	building_end(&building);
}

static void
test_finish_sorts_by_phase_and_keeps_order(void **state)
{
	static const uint32_t phases[] = {
	    800, 100, 400, 100, 899, 400, 201, 100, 601, 599};
	static const char *const sorted[] = {
	    "1", "3", "7", "6", "2", "5", "9", "8", "0", "4"};
	struct building building;
	size_t i;

	(void)state;
	building_begin(&building, false);
	for (i = 0; i < 10; i++)
		assert_int_equal(
		    building.public->add_step(building.public, phases[i],
			text("%zu", i), nothing, NULL, 0),
		    0);
	omega_launch_finish(building.launch);
	for (i = 0; i < 10; i++)
		assert_string_equal(building.launch->steps[i].name, sorted[i]);
	building_end(&building);
}

static void
test_excerpt_descriptor_is_a_high_duplicate(void **state)
{
	int before = count_descriptors();
	struct building building;
	int pipe_ends[2];
	int kept;
	char byte;

	(void)state;
	building_begin(&building, false);
	assert_int_equal(pipe(pipe_ends), 0);
	kept = building.public->keep_fd(building.public, pipe_ends[1]);
	assert_true(kept >= 10);
	assert_int_equal(fcntl(kept, F_GETFD), FD_CLOEXEC);
	close(pipe_ends[1]);
	assert_int_equal(write(kept, "k", 1), 1);
	assert_int_equal(read(pipe_ends[0], &byte, 1), 1);
	assert_int_equal(building.public->keep_fd(building.public, -1), -EBADF);
	assert_int_equal(
	    building.public->keep_fd(building.public, 999999), -EBADF);
	building_end(&building);
	assert_int_equal(fcntl(kept, F_GETFD), -1);
	close(pipe_ends[0]);
	assert_int_equal(count_descriptors(), before);
}

static void
test_words_are_for_prefix_backends_only(void **state)
{
	struct building building;
	struct omega_sandbox_launch *p;

	(void)state;
	building_begin(&building, false);
	p = building.public;
	assert_int_equal(p->add_word(p, "/usr/bin/bwrap"), -EINVAL);
	assert_int_equal(p->pass_fd(p, 1), -EINVAL);
	assert_int_equal(building.launch->word_count, 0);
	assert_int_equal(building.launch->kept_count, 0);
	building_end(&building);
}

static void
test_words_begin_with_an_absolute_program(void **state)
{
	struct building building;
	struct omega_sandbox_launch *p;

	(void)state;
	building_begin(&building, true);
	p = building.public;
	assert_int_equal(p->add_word(p, "bwrap"), -EINVAL);
	assert_int_equal(p->add_word(p, ""), -EINVAL);
	assert_int_equal(p->add_word(p, NULL), -EINVAL);
	assert_int_equal(p->add_word(p, "/usr/bin/bwrap"), 0);
	assert_int_equal(p->add_word(p, "--ro-bind"), 0);
	assert_int_equal(p->add_word(p, ""), 0);
	assert_int_equal(building.launch->word_count, 3);
	assert_string_equal(building.launch->words[1], "--ro-bind");
	assert_string_equal(building.launch->prefix, "mock");
	building_end(&building);
}

static void
test_passed_descriptor_has_a_number_for_the_program(void **state)
{
	struct building building;
	int number;

	(void)state;
	building_begin(&building, true);
	number = building.public->pass_fd(building.public, 1);
	assert_true(number >= 100);
	assert_int_equal(building.launch->passed_count, 1);
	assert_int_equal(building.launch->passed[0].child_fd, number);
	assert_int_equal(fcntl(number, F_GETFD), FD_CLOEXEC);
	assert_int_equal(building.public->pass_fd(building.public, -1), -EBADF);
	assert_int_equal(building.launch->passed_count, 1);
	building_end(&building);
}

static int
pass_with_low_limit(void *arg)
{
	struct rlimit limit;
	struct building building;
	int number;

	(void)arg;
	need(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = 40;
	need(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	building_begin(&building, true);
	number = building.public->pass_fd(building.public, 1);
	building_end(&building);
	need(number >= 10 && number < 40);
	return 0;
}

static void
test_passed_descriptor_fits_a_low_limit(void **state)
{
	(void)state;
	assert_int_equal(in_child(pass_with_low_limit, NULL), 0);
}

static void
test_prefix_excludes_join_and_restrict_of_others(void **state)
{
	struct building building;
	struct omega_launch_builder other;
	struct omega_sandbox_launch *p;

	(void)state;
	building_begin(&building, true);
	assert_int_equal(
	    building.public->add_word(building.public, "/usr/bin/bwrap"), 0);
	omega_launch_builder_begin(&other, building.launch, "other", false);
	p = &other.public;
	assert_int_equal(p->add_step(p, 100, "x", nothing, NULL, 0), -EBUSY);
	assert_int_equal(p->add_step(p, 199, "x", nothing, NULL, 0), -EBUSY);
	assert_int_equal(p->add_step(p, 400, "x", nothing, NULL, 0), -EBUSY);
	assert_int_equal(p->add_step(p, 300, "x", nothing, NULL, 0), 0);
	assert_int_equal(p->add_step(p, 700, "x", nothing, NULL, 0), 0);
	/* Its own are its own affair. */
	p = building.public;
	assert_int_equal(p->add_step(p, 100, "x", nothing, NULL, 0), 0);
	omega_launch_builder_end(&other);
	building_end(&building);
}

static void
test_join_or_restrict_excludes_a_later_prefix(void **state)
{
	static const uint32_t phases[] = {100, 400};
	struct omega_launch_builder other;
	struct building building;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		building_begin(&building, false);
		assert_int_equal(building.public->add_step(building.public,
				     phases[i], "x", nothing, NULL, 0),
		    0);
		omega_launch_builder_begin(
		    &other, building.launch, "other", true);
		assert_int_equal(
		    other.public.add_word(&other.public, "/bin/x"), -EBUSY);
		assert_int_equal(
		    other.public.pass_fd(&other.public, 1), -EBUSY);
		omega_launch_builder_end(&other);
		building_end(&building);
	}
}

static void
test_two_prefixes_exclude_each_other(void **state)
{
	struct omega_launch_builder other;
	struct building building;

	(void)state;
	building_begin(&building, true);
	assert_int_equal(
	    building.public->add_word(building.public, "/bin/x"), 0);
	omega_launch_builder_begin(&other, building.launch, "other", true);
	assert_int_equal(
	    other.public.add_word(&other.public, "/bin/y"), -EBUSY);
	omega_launch_builder_end(&other);
	building_end(&building);
}

static void
test_one_filter_is_kept(void **state)
{
	static const char code[] = "12345678";
	struct building building;
	struct omega_sandbox_launch *p;

	(void)state;
	building_begin(&building, false);
	p = building.public;
	assert_int_equal(p->set_filter(p, code, 0), -EINVAL);
	assert_int_equal(p->set_filter(p, NULL, 8), -EINVAL);
	assert_int_equal(p->set_filter(p, code, 8), 0);
	assert_int_equal(p->set_filter(p, code, 8), -EBUSY);
	assert_int_equal(building.launch->filter_size, 8);
	assert_memory_equal(building.launch->filter, code, 8);
	building_end(&building);
}

static void
test_environment_changes_replace_each_other(void **state)
{
	struct building building;
	struct omega_sandbox_launch *p;

	(void)state;
	building_begin(&building, false);
	p = building.public;
	assert_int_equal(p->set_env(p, "A", "1"), 0);
	assert_int_equal(p->set_env(p, "B", NULL), 0);
	assert_int_equal(p->set_env(p, "A", "2"), 0);
	assert_int_equal(p->set_env(p, "B", ""), 0);
	assert_int_equal(building.launch->env_count, 2);
	assert_string_equal(building.launch->env[0].value, "2");
	assert_string_equal(building.launch->env[1].value, "");
	assert_int_equal(p->set_env(p, "A", NULL), 0);
	assert_null(building.launch->env[0].value);
	assert_int_equal(p->set_env(p, NULL, "x"), -EINVAL);
	assert_int_equal(p->set_env(p, "", "x"), -EINVAL);
	assert_int_equal(p->set_env(p, "A=B", "x"), -EINVAL);
	building_end(&building);
}

static void
test_flags_add_up_and_decide_about_memory(void **state)
{
	struct building building;
	struct omega_sandbox_launch *p;

	(void)state;
	building_begin(&building, false);
	p = building.public;
	assert_int_equal(p->set_flags(p, 0), 0);
	assert_int_equal(p->set_flags(p, OMEGA_SANDBOX_LAUNCH_SHARES), 0);
	assert_true(omega_launch_needs_own_memory(building.launch));
	assert_int_equal(p->set_flags(p, OMEGA_SANDBOX_LAUNCH_SEPARATES), 0);
	assert_false(omega_launch_needs_own_memory(building.launch));
	assert_int_equal(p->set_flags(p, 0x80), -EINVAL);
	building_end(&building);
	building_begin(&building, false);
	p = building.public;
	assert_false(omega_launch_lacks_separation(building.launch));
	assert_int_equal(
	    p->set_flags(p, OMEGA_SANDBOX_LAUNCH_NEEDS_SEPARATION), 0);
	assert_true(omega_launch_lacks_separation(building.launch));
	assert_int_equal(p->set_flags(p, OMEGA_SANDBOX_LAUNCH_SEPARATES), 0);
	assert_false(omega_launch_lacks_separation(building.launch));
	building_end(&building);
}

static void
test_held_bits_are_remembered_per_atom(void **state)
{
	struct omega_sandbox_atom atoms[20];
	struct building building;
	struct omega_sandbox_launch *p;
	size_t i;

	(void)state;
	building_begin(&building, false);
	p = building.public;
	memset(atoms, 0, sizeof(atoms));
	for (i = 0; i < 20; i++) {
		atoms[i].access = 0x3f;
		assert_int_equal(p->hold(p, &atoms[i], 0x01), 0);
	}
	assert_int_equal(p->hold(p, &atoms[3], 0x04), 0);
	assert_int_equal(
	    omega_launch_builder_held(&building.builder, &atoms[3]), 0x05);
	assert_int_equal(
	    omega_launch_builder_held(&building.builder, &atoms[19]), 0x01);
	assert_int_equal(p->hold(p, NULL, 1), -EINVAL);
	assert_int_equal(p->hold(p, &atoms[0], 0x80), -EINVAL);
	omega_launch_builder_end(&building.builder);
	assert_int_equal(
	    omega_launch_builder_held(&building.builder, &atoms[3]), 0);
	building_end(&building);
}

static void
test_checks_are_asked_in_order(void **state)
{
	static const struct {
		int answers[3];
		int expected;
	} rows[] = {{{0, 0, 0}, 0}, {{0, 1, 0}, 1}, {{0, 5, 0}, 1},
	    {{0, -EIO, 1}, -EIO}, {{0, 1, -EIO}, 1}};
	struct building building;
	const char *backend;
	size_t i;
	size_t j;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		building_begin(&building, false);
		for (j = 0; j < 3; j++)
			assert_int_equal(
			    building.public->add_check(building.public, answer,
				&rows[i].answers[j], sizeof(int)),
			    0);
		backend = NULL;
		assert_int_equal(omega_launch_check(building.launch, &backend),
		    rows[i].expected);
		if (rows[i].expected != 0)
			assert_string_equal(backend, "mock");
		building_end(&building);
	}
	building_begin(&building, false);
	assert_int_equal(
	    building.public->add_check(building.public, NULL, NULL, 0),
	    -EINVAL);
	building_end(&building);
}

static void
test_explanation_is_cut_to_its_room(void **state)
{
	struct building building;
	char long_text[1000];

	(void)state;
	building_begin(&building, false);
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	building.public->explain(building.public, long_text);
	assert_int_equal(strlen(building.builder.explanation), 255);
	building.public->explain(building.public, "short");
	assert_string_equal(building.builder.explanation, "short");
	building.public->explain(building.public, NULL);
	assert_string_equal(building.builder.explanation, "");
	building_end(&building);
}

static void *
ref_and_unref(void *arg)
{
	int i;

	for (i = 0; i < 20000; i++)
		omega_launch_unref(omega_launch_ref(arg));
	return NULL;
}

static void
test_references_are_counted_across_threads(void **state)
{
	struct omega_launch *launch = omega_launch_new();
	pthread_t threads[4];
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, ref_and_unref, launch),
		    0);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(atomic_load(&launch->refs), 1);
	omega_launch_unref(launch);
}

static void *
take_and_give(void *arg)
{
	void *taken[3];
	int i;
	int j;

	for (i = 0; i < 2000; i++) {
		for (j = 0; j < 3; j++) {
			taken[j] = omega_stacks_take(arg);
			if (taken[j] == NULL)
				return arg;
			memset((char *)taken[j] + OMEGA_STACK_SIZE - 4096, j,
			    4096);
		}
		for (j = 0; j < 3; j++) {
			if (((char *)taken[j])[OMEGA_STACK_SIZE - 1] != j)
				return arg; /* somebody else has it too */
			omega_stacks_give(arg, taken[j]);
		}
	}
	return NULL;
}

static void
test_stack_has_one_user_at_a_time(void **state)
{
	struct omega_stacks *stacks = omega_stacks_new();
	pthread_t threads[4];
	void *result;
	size_t i;

	(void)state;
	assert_non_null(stacks);
	for (i = 0; i < 4; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, take_and_give, stacks),
		    0);
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		assert_null(result);
	}
	omega_stacks_free(stacks);
	omega_stacks_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_new_launch_is_empty),
	    cmocka_unit_test(test_public_part_carries_its_size),
	    cmocka_unit_test(test_steps_are_copied),
	    cmocka_unit_test(test_step_without_state_gets_null),
	    cmocka_unit_test(test_senseless_steps_are_refused),
	    cmocka_unit_test(test_finish_sorts_by_phase_and_keeps_order),
	    cmocka_unit_test(test_excerpt_descriptor_is_a_high_duplicate),
	    cmocka_unit_test(test_words_are_for_prefix_backends_only),
	    cmocka_unit_test(test_words_begin_with_an_absolute_program),
	    cmocka_unit_test(
		test_passed_descriptor_has_a_number_for_the_program),
	    cmocka_unit_test(test_passed_descriptor_fits_a_low_limit),
	    cmocka_unit_test(test_prefix_excludes_join_and_restrict_of_others),
	    cmocka_unit_test(test_join_or_restrict_excludes_a_later_prefix),
	    cmocka_unit_test(test_two_prefixes_exclude_each_other),
	    cmocka_unit_test(test_one_filter_is_kept),
	    cmocka_unit_test(test_environment_changes_replace_each_other),
	    cmocka_unit_test(test_flags_add_up_and_decide_about_memory),
	    cmocka_unit_test(test_held_bits_are_remembered_per_atom),
	    cmocka_unit_test(test_checks_are_asked_in_order),
	    cmocka_unit_test(test_explanation_is_cut_to_its_room),
	    cmocka_unit_test(test_references_are_counted_across_threads),
	    cmocka_unit_test(test_stack_has_one_user_at_a_time),
	};

	return run_all(tests);
}
