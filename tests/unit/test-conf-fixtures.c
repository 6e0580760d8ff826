/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-conf-fixtures.c - configuration as text: core/conf without files and
 * trust.
 *
 * The cases are files in tests/fixtures/conf, one test each:
 *
 *   NAME.shipped a file of the product before it, if there is one
 *   NAME.conf    the text
 *   NAME.over    a second file on top of it, if there is one
 *   NAME.user    a user's file on top of both, if there is one
 *   NAME.expect  line and message of the error it must give, also to who
 *                goes on after it, or
 *   NAME.dump    what it must come to; it is shown and read again as well
 *
 * Texts that a file would not keep as they are stand in test-conf.c.
 */

#include "harness.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "conf/faults.h"
#include "conf/named.h"
#include "conf/show.h"
#include "texts.h"

#define FIXTURES "tests/fixtures/conf"

/* The first so many files of the fixture, each with its rank. */
static int
parse_files(struct omega_conf *conf, const char *name, size_t count,
    struct omega_sandbox_error *error)
{
	static const struct {
		const char *end;
		enum omega_conf_rank rank;
	} files[] = {{"shipped", OMEGA_CONF_SHIPPED},
	    {"conf", OMEGA_CONF_ADMIN}, {"over", OMEGA_CONF_ADMIN},
	    {"user", OMEGA_CONF_USER}};
	size_t i;
	int ret = 0;

	for (i = 0; i < count && ret == 0; i++) {
		char *file = text("%s.%s", name, files[i].end);
		size_t len;
		char *content = texts_read(text(FIXTURES "/%s", file), &len);

		conf->rank = files[i].rank;
		if (content != NULL)
			ret = omega_conf_parse(conf, file, content, len, error);
		else
			assert_string_not_equal(files[i].end, "conf");
		free(content);
	}
	return ret;
}

/* All of them, then the sections. */
static int
parse_fixture(struct omega_conf *conf, const char *name,
    struct omega_sandbox_error *error)
{
	int ret = parse_files(conf, name, 4, error);

	return ret < 0 ? ret : omega_named_check(conf, error);
}

/* Whoever collects faults finds this one, and goes on. */
static void
assert_collected(const char *name, const char *message, unsigned line)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_faults faults = {.list = NULL};
	struct omega_conf *conf = omega_conf_new();
	bool is_there = false;
	size_t i;

	conf->faults = &faults;
	if (parse_fixture(conf, name, &error) != 0)
		fail_msg("%s", error.text);
	omega_faults_sort(&faults);
	for (i = 0; i < faults.count; i++) {
		if (strstr(faults.list[i].text, "libconfuse") != NULL)
			fail_msg("%s", faults.list[i].text);
		if (faults.list[i].line == line &&
		    strstr(faults.list[i].text, message) != NULL)
			is_there = true;
	}
	if (!is_there)
		fail_msg("not among %zu faults", faults.count);
	omega_faults_clear(&faults);
	omega_conf_free(conf);
}

/* Drop comments that are no settings: they say where something is from. */
static char *
without_places(char *shown)
{
	char *to = shown;
	char *line = shown;

	while (*line != '\0') {
		size_t len = strcspn(line, "\n") + 1;

		if (line[0] != '#' || memmem(line, len, " = ", 3) != NULL) {
			memmove(to, line, len);
			to += len;
		}
		line += len;
	}
	*to = '\0';
	return shown;
}

/* What is shown comes to the same when it is read. */
static void
assert_shown_again(const struct omega_conf *conf, const char *name)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *again = omega_conf_new();
	char *shown = omega_show(conf);
	char *second;

	assert_non_null(shown);
	if (parse_files(again, name, 1, &error) != 0)
		fail_msg("%s", error.text);
	again->rank = OMEGA_CONF_ADMIN;
	if (omega_conf_parse(again, "shown", shown, strlen(shown), &error) !=
		0 ||
	    omega_named_check(again, &error) != 0)
		fail_msg("%s\nof\n%s", error.text, shown);
	second = omega_show(again);
	assert_non_null(second);
	if (strcmp(without_places(shown), without_places(second)) != 0)
		fail_msg("%s\ncomes to\n%s", shown, second);
	free(shown);
	free(second);
	omega_conf_free(again);
}

static void
test_bad_fixture(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();
	const char *name = *state;
	size_t len;
	char *expected = texts_read(text(FIXTURES "/%s.expect", name), &len);
	char *message;
	char *start;
	unsigned line;

	assert_non_null(expected);
	line = (unsigned)strtoul(expected, &message, 10);
	message++;
	message[strcspn(message, "\n")] = '\0';
	assert_int_equal(
	    parse_fixture(conf, name, &error), OMEGA_SANDBOX_E_CONFIG);
	assert_int_equal(error.code, OMEGA_SANDBOX_E_CONFIG);
	if (error.line != line || strstr(error.text, message) == NULL)
		fail_msg("line %u: %s", error.line, error.text);
	start = text("%s:%u: ", error.file, line);
	assert_memory_equal(error.text, start, strlen(start));
	assert_memory_equal(error.file, name, strlen(name));
	assert_collected(name, message, line);
	free(expected);
	omega_conf_free(conf);
}

static void
test_good_fixture(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();
	const char *name = *state;
	size_t len;
	char *expected = texts_read(text(FIXTURES "/%s.dump", name), &len);
	char *found;

	assert_non_null(expected);
	if (parse_fixture(conf, name, &error) != 0)
		fail_msg("%s", error.text);
	found = texts_dump(conf);
	if (strcmp(found, expected) != 0)
		fail_msg("%s\ncomes to:\n%s", name, found);
	assert_shown_again(conf, name);
	free(found);
	free(expected);
	omega_conf_free(conf);
}

#define MAX_FIXTURES 512

static int
is_fixture(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot != NULL &&
	       (strcmp(dot, ".expect") == 0 || strcmp(dot, ".dump") == 0);
}

/* The tests above and one per fixture. */
int
main(void)
{
	static struct CMUnitTest all[MAX_FIXTURES];
	const char *top = getenv("top_srcdir");
	struct dirent **entries = NULL;
	size_t used = 0;
	int count;
	int ret;
	int i;

	count = scandir(text("%s/" FIXTURES, top == NULL ? "." : top), &entries,
	    is_fixture, alphasort);
	if (count <= 0 || count > MAX_FIXTURES)
		return 1;
	for (i = 0; i < count; i++) {
		char *name = entries[i]->d_name;
		char *dot = strrchr(name, '.');
		bool is_bad = strcmp(dot, ".expect") == 0;

		*dot = '\0';
		all[used].name = name;
		all[used].initial_state = name;
		all[used++].test_func =
		    is_bad ? test_bad_fixture : test_good_fixture;
	}
	ret = harness_run(all, used);
	for (i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	return ret;
}
