/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-conf-faults.c - all faults of a configuration at once: which there are,
 * in which order, and how many at most. core/conf/faults.c; that every single
 * fault is found is for test-conf-fixtures.c.
 */

#include "harness.h"

#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "conf/faults.h"
#include "conf/named.h"
#include "home.h"
#include "texts.h"

struct row {
	const char *file; /* its end */
	uint32_t line;
	const char *text;
};

/* These faults, no others, in this order. */
static void
assert_faults(struct omega_faults *faults, const struct row *rows, size_t count)
{
	size_t i;

	omega_faults_sort(faults);
	for (i = 0; i < faults->count; i++) {
		const struct omega_sandbox_error *fault = &faults->list[i];
		size_t len = strlen(fault->file);

		if (i >= count || fault->line != rows[i].line ||
		    len < strlen(rows[i].file) ||
		    strcmp(fault->file + len - strlen(rows[i].file),
			rows[i].file) != 0 ||
		    strstr(fault->text, rows[i].text) == NULL)
			fail_msg("fault %zu: line %u: %s", i, fault->line,
			    fault->text);
	}
	assert_int_equal(faults->count, count);
}

static void
collect(struct omega_faults *faults, const char *content)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();

	memset(faults, 0, sizeof(*faults));
	conf->faults = faults;
	if (texts_parse(conf, content, &error) != 0 ||
	    omega_named_check(conf, &error) != 0)
		fail_msg("%s", error.text);
	omega_conf_free(conf);
}

static void
test_one_for_every_statement(void **state)
{
	static const struct row rows[] = {
	    {"x.conf", 1, "did you mean 'enabled'?"},
	    {"x.conf", 2, "is true or false"},
	    {"x.conf", 4, "',' or '}' in the list"},
	    {"x.conf", 6, "expected '=' after 'house'"},
	    {"x.conf", 9, "unexpected ';'"},
	    {"x.conf", 10, "the string is not closed"},
	    {"x.conf", 12, "unknown rule 'frok'"},
	    {"x.conf", 13, "has a pattern in it"},
	    {"x.conf", 14, "there is no group '@none'"},
	    {"x.conf", 15, "unknown section 'write'"},
	    {"x.conf", 16, "'signals' is set twice"},
	    {"x.conf", 18, "is no name for policy sections"},
	    {"x.conf", 22, "expected the name of an option"},
	    {"x.conf", 23, "floor: there is no policy 'cellar'"},
	};
	struct omega_faults faults;

	(void)state;
	collect(&faults, "enabld = true\n" /* 1 */
			 "fail_closed = maybe\n"
			 "blocked_paths = {\n"
			 "\t\"/a\" \"/b\",\n" /* 4 */
			 "\t\"/c\" }\n"
			 "house \"x\" {\n" /* 6 */
			 "\tfork = maybe\n"
			 "}\n"
			 "log = ;\n" /* 9 */
			 "data_dir = \"/a\n"
			 "policy \"p\" {\n"
			 "\tfrok = true\n" /* 12 */
			 "\tdeny = { \"/a/*\" }\n"
			 "\tread = { \"@none\" } signals = true\n"
			 "\twrite { \"/a\" }\n" /* 15 */
			 "\tsignals = false }\n"
			 "allow_root = false\n"
			 "policy \"Not a name\" {\n" /* 18 */
			 "\tfork = maybe\n"
			 "\tdeny = { \"/a\" }\n"
			 "}\n"
			 "= 3\n" /* 22 */
			 "floor = cellar\n");
	assert_faults(&faults, rows, 14);
	omega_faults_clear(&faults);
}

/* One statement does not hide another of its section, or on the next line. */
static void
test_none_hides_another(void **state)
{
	static const struct row rows[] = {
	    {"x.conf", 2, "there is no policy 'none'"},
	    {"x.conf", 3, "there is no group '@no'"},
	    {"x.conf", 6, "in a circle"},
	    {"x.conf", 7, "there is no group '@nor'"},
	    {"x.conf", 10, "contradicts network = deny"},
	    {"x.conf", 11, "there is no group '@never'"},
	    {"x.conf", 14, "there is no policy 'nobody'"},
	    {"x.conf", 15, "is true or false"},
	    {"x.conf", 17, "expected '=' after 'word'"},
	    {"x.conf", 18, "fail_closed is true or false"},
	    {"x.conf", 19, "on the same line"},
	    {"x.conf", 20, "allow_root is true or false"},
	    {"x.conf", 21, "expected '=' after 'fork'"},
	    {"x.conf", 22, "expected a value after '='"},
	    {"x.conf", 23, "witness is true or false"},
	};
	struct omega_faults faults;

	(void)state;
	collect(&faults, "policy \"a\" {\n" /* 1 */
			 "\textends = none\n"
			 "\tdeny = { \"@no\" }\n"
			 "}\n"
			 "policy \"b\" {\n" /* 5 */
			 "\textends = b\n"
			 "\tdeny = { \"@nor\" }\n"
			 "}\n"
			 "policy \"c\" { network = deny\n"
			 "\tconnect = { 443 }\n" /* 10 */
			 "\tdeny = { \"@never\" }\n"
			 "}\n"
			 "tier \"t\" {\n"
			 "\tpolicy = nobody\n"
			 "\tsandbox = maybe\n" /* 15 */
			 "}\n"
			 "word\n"
			 "fail_closed = maybe\n"
			 "log =\n"
			 "allow_root = maybe\n" /* 20 */
			 "policy \"d\" { fork }\n"
			 "policy \"e\" { fork = }\n"
			 "witness = maybe\n");
	assert_faults(&faults, rows, 15);
	omega_faults_clear(&faults);
}

/* What follows an end that is missing cannot be told; the rest is. */
static void
test_ends_that_are_missing(void **state)
{
	static const struct row section[] = {{"x.conf", 1, "is not closed"},
	    {"x.conf", 2, "fork is true or false"}};
	static const struct row list[] = {
	    {"x.conf", 1, "enabled is true or false"},
	    {"x.conf", 4, "the file ends here"}};
	static const struct row comment[] = {
	    {"x.conf", 1, "did you mean 'enabled'?"},
	    {"x.conf", 2, "/* is not closed"}};
	struct omega_faults faults;

	(void)state;
	collect(&faults, "policy p {\n\tfork = maybe\n");
	assert_faults(&faults, section, 2);
	omega_faults_clear(&faults);
	collect(&faults, "enabled = 1\nblocked_paths = { \"/a\",\n\"/b\",\n");
	assert_faults(&faults, list, 2);
	omega_faults_clear(&faults);
	collect(&faults, "enabld = true\n/* log = x\nlog = x\n");
	assert_faults(&faults, comment, 2);
	omega_faults_clear(&faults);
}

/* A rule that many policies extend is wrong once. */
static void
test_the_same_fault_is_told_once(void **state)
{
	static const struct row rows[] = {{"x.conf", 1, "fork is true"}};
	struct omega_faults faults;

	(void)state;
	collect(&faults, "policy a { fork = x }\npolicy b { extends = a }\n"
			 "policy c { extends = b }\n");
	assert_faults(&faults, rows, 1);
	omega_faults_clear(&faults);
}

static void
test_there_is_an_end(void **state)
{
	struct omega_faults faults;
	char content[8192] = "";
	size_t used = 0;
	unsigned i;

	(void)state;
	for (i = 0; i < 300; i++)
		used += (size_t)snprintf(
		    content + used, sizeof(content) - used, "x%u = y\n", i);
	collect(&faults, content);
	omega_faults_sort(&faults);
	assert_int_equal(faults.count, OMEGA_FAULTS_MAX + 1);
	assert_int_equal(faults.list[99].line, 100);
	assert_string_equal(
	    faults.list[100].text, "and more; mend these first");
	omega_faults_clear(&faults);
}

/* More statements than a file may have: one fault, not one for each. */
static void
test_a_full_file_is_one_fault(void **state)
{
	static const struct row rows[] = {{"x.conf", 513, "more than 512"}};
	struct omega_faults faults;
	char *content = calloc(1, 65536);
	size_t used = 0;
	unsigned i;

	(void)state;
	assert_non_null(content);
	for (i = 0; i < 600; i++)
		used += (size_t)snprintf(
		    content + used, 65536 - used, "%s p%u {}\n", "policy", i);
	collect(&faults, content);
	assert_faults(&faults, rows, 1);
	omega_faults_clear(&faults);
	free(content);
}

/* A file that cannot be believed hides nothing of the others. */
static void
test_every_file_is_looked_at(void **state)
{
	static const struct row rows[] = {
	    {"/shipped/a.conf", 1, "is for the administrator to set"},
	    {"/sandbox.conf", 2, "unknown option 'x'"},
	    {"/sandbox.d/1.conf", 0, "can be written by"},
	    {"/sandbox.d/2.conf", 1, "unknown option 'y'"},
	    {"/omega/sandbox.conf", 1, "is for the administrator to set"}};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_faults faults = {.list = NULL};
	struct omega_conf_paths paths = {
	    .user = ".config/omega/sandbox.conf", .faults = &faults};
	struct omega_conf *conf = NULL;
	char dir[512];

	(void)state;
	snprintf(dir, sizeof(dir), "%s", scratch_dir());
	chmod(dir, 0755);
	make_dir(text("%s/shipped", dir));
	make_dir(text("%s/sandbox.d", dir));
	make_dir(text("%s/.config/omega", dir));
	make_file(text("%s/shipped/a.conf", dir), "enabled = true\n");
	make_file(text("%s/sandbox.conf", dir), "enabled = true\nx = y\n");
	make_file(text("%s/sandbox.d/1.conf", dir), "z = y\n");
	make_file(text("%s/sandbox.d/2.conf", dir), "y = y\n");
	make_file(text("%s/.config/omega/sandbox.conf", dir), "log = none\n");
	chmod(text("%s/sandbox.d/1.conf", dir), 0666);
	home_set(dir);
	paths.shipped = text("%s/shipped", dir);
	paths.file = text("%s/sandbox.conf", dir);
	paths.dropin = text("%s/sandbox.d", dir);
	if (omega_conf_load(&paths, &conf, &error) != 0)
		fail_msg("%s", error.text);
	assert_faults(&faults, rows, 5);
	omega_conf_free(conf);
	omega_faults_clear(&faults);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_for_every_statement),
    cmocka_unit_test(test_none_hides_another),
    cmocka_unit_test(test_ends_that_are_missing),
    cmocka_unit_test(test_the_same_fault_is_told_once),
    cmocka_unit_test(test_there_is_an_end),
    cmocka_unit_test(test_a_full_file_is_one_fault),
    cmocka_unit_test(test_every_file_is_looked_at),
};

int
main(void)
{
	return run_all(tests);
}
