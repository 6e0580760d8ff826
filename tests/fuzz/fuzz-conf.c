/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * fuzz-conf.c - any bytes as configuration text.
 *
 * Nothing may crash, and: a refusal has a message with file and line; what is
 * accepted makes sense; the same text once more tightens or is refused; and
 * whatever came before, the next text is read as it is written.
 *
 * With OMEGA_FUZZ_REPLAY a program of its own that runs the files of
 * tests/fuzz/corpus-conf and tests/fixtures/conf, or those it is given, as
 * tests.
 */

#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "conf/named.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool is_true, const char *what)
{
	if (is_true)
		return;
	fprintf(stderr, "fuzz-conf: %s\n", what);
	abort();
}

static void
check_texts(const struct omega_conf_list *list, bool are_paths)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct omega_conf_text *item = &list->items[i];

		require(
		    item->text != NULL && item->file != NULL && item->line > 0,
		    "a value without text or place");
		require(!are_paths || item->text[0] == '/', "a relative path");
	}
}

static void
check_accepted(const struct omega_conf *conf)
{
	size_t i;
	size_t j;

	check_texts(omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS), true);
	check_texts(omega_conf_items(conf, OMEGA_OPTION_BACKEND), false);
	check_texts(omega_conf_items(conf, OMEGA_OPTION_FLOOR), false);
	require(
	    omega_conf_first(conf, OMEGA_OPTION_DATA_DIR)->text == NULL ||
		omega_conf_first(conf, OMEGA_OPTION_DATA_DIR)->text[0] == '/',
	    "a relative data_dir");
	require(
	    omega_conf_first(conf, OMEGA_OPTION_CONFIG_FILE)->text == NULL ||
		omega_conf_first(conf, OMEGA_OPTION_CONFIG_FILE)->text[0] ==
		    '/',
	    "a relative config_file");
	for (i = 0; i < conf->section_count; i++) {
		const struct omega_conf_section *section = &conf->sections[i];

		for (j = 0; j < section->entry_count; j++) {
			const struct omega_conf_entry *entry =
			    &section->entries[j];

			check_texts(&entry->values, false);
			require(entry->is_list || entry->values.count == 1,
			    "not one value");
			require(
			    section->title[0] != '\0' && entry->name[0] != '\0',
			    "an option without a name");
		}
	}
}

static void
check_refused(
    const struct omega_sandbox_error *error, int ret, const char *name)
{
	require(ret == OMEGA_SANDBOX_E_CONFIG && error->code == ret,
	    "an unexpected code");
	require(strcmp(error->file, name) == 0, "the wrong file");
	require(strncmp(error->text, name, strlen(name)) == 0 &&
		    strlen(error->text) > strlen(name) + 2,
	    "no message");
	require(strchr(error->text, '\n') == NULL, "several lines");
	/* Only a text that is too big is at fault as a whole. */
	require(
	    error->line > 0 || strstr(error->text, "bytes") != NULL, "no line");
}

/* The same text as another file: nothing becomes looser. */
static void
check_twice(struct omega_conf *conf, const char *text, size_t size)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	const struct omega_conf before = *conf;
	int ret;

	ret = omega_conf_parse(conf, "again.conf", text, size, &error);
	if (ret < 0) {
		check_refused(&error, ret, "again.conf");
		require(strstr(error.text, "is already set at fuzz.conf:") !=
				NULL ||
			    strstr(error.text,
				"is already there (fuzz.conf:") != NULL,
		    "refused without a reason");
		return;
	}
	require(omega_conf_is(conf, OMEGA_OPTION_ENABLED) ==
			omega_conf_is(&before, OMEGA_OPTION_ENABLED) &&
		    omega_conf_is(conf, OMEGA_OPTION_FAIL_CLOSED) ==
			omega_conf_is(&before, OMEGA_OPTION_FAIL_CLOSED) &&
		    omega_conf_is(conf, OMEGA_OPTION_ALLOW_ROOT) ==
			omega_conf_is(&before, OMEGA_OPTION_ALLOW_ROOT) &&
		    omega_conf_is(conf, OMEGA_OPTION_LOG) ==
			omega_conf_is(&before, OMEGA_OPTION_LOG) &&
		    omega_conf_number(conf, OMEGA_OPTION_ACCEPT) ==
			omega_conf_number(&before, OMEGA_OPTION_ACCEPT),
	    "the same text came to something else");
	require(omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->count ==
		    2 * omega_conf_items(&before, OMEGA_OPTION_BLOCKED_PATHS)
			    ->count,
	    "blocked paths were lost");
	require(conf->files.count == 2, "a file was lost");
}

/* The same as rules of every kind of author: sections are understood or
 * refused, and what a user may say is no more than an administrator. */
static void
check_sections(const char *text, size_t size)
{
	static const enum omega_conf_rank ranks[] = {
	    OMEGA_CONF_ADMIN, OMEGA_CONF_USER, OMEGA_CONF_SHIPPED};
	bool is_fine[3];
	size_t i;

	for (i = 0; i < 3; i++) {
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct omega_conf *conf = omega_conf_new();
		int ret;

		require(conf != NULL, "no memory");
		conf->rank = ranks[i];
		ret = omega_conf_parse(conf, "rank.conf", text, size, &error);
		if (ret == 0)
			ret = omega_named_check(conf, &error);
		if (ret < 0)
			check_refused(&error, ret, "rank.conf");
		is_fine[i] = ret == 0;
		omega_conf_free(conf);
	}
	require(!is_fine[1] || is_fine[0], "a user may say more");
	require(!is_fine[2] || is_fine[0], "the product may say more");
}

static void
check_next(void)
{
	static const char text[] = "enabled = false\nlog = \"syslog\"\n";
	struct omega_conf *conf = omega_conf_new();

	require(conf != NULL &&
		    omega_conf_parse(
			conf, "next.conf", text, sizeof(text) - 1, NULL) == 0 &&
		    !omega_conf_is(conf, OMEGA_OPTION_ENABLED) &&
		    omega_conf_is(conf, OMEGA_OPTION_LOG),
	    "the next text was not read as it is written");
	omega_conf_free(conf);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();
	const char *text = (const char *)data;
	int ret;

	require(conf != NULL, "no memory");
	ret = omega_conf_parse(conf, "fuzz.conf", text, size, &error);
	if (ret < 0) {
		check_refused(&error, ret, "fuzz.conf");
	} else {
		check_accepted(conf);
		check_twice(conf, text, size);
	}
	omega_conf_free(conf);
	check_sections(text, size);
	check_next();
	return 0;
}

#ifdef OMEGA_FUZZ_REPLAY
#include <glob.h>

/* Seeds are small; more than this is cut. */
#define MAX_SEED (2 * 1024 * 1024)

static bool
replay(const char *file, uint8_t *buffer)
{
	FILE *in = fopen(file, "r");
	size_t size;

	if (in == NULL)
		return false;
	size = fread(buffer, 1, MAX_SEED, in);
	fclose(in);
	LLVMFuzzerTestOneInput(buffer, size);
	return true;
}

int
main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir");
	uint8_t *buffer = malloc(MAX_SEED);
	glob_t found = {0};
	char pattern[4096];
	int failed = 0;
	size_t i;

	require(buffer != NULL, "no memory");
	if (argc < 2) {
		top = top == NULL ? "." : top;
		snprintf(pattern, sizeof(pattern),
		    "%s/tests/fuzz/corpus-conf/*", top);
		glob(pattern, 0, NULL, &found);
		snprintf(
		    pattern, sizeof(pattern), "%s/tests/fixtures/conf/*", top);
		glob(pattern, GLOB_APPEND, NULL, &found);
		argv = found.gl_pathv;
		argc = (int)found.gl_pathc;
	} else {
		argv++;
		argc--;
	}
	printf("1..%d\n", argc > 0 ? 1 : 0);
	for (i = 0; i < (size_t)argc; i++) {
		if (!replay(argv[i], buffer)) {
			printf("# cannot read %s\n", argv[i]);
			failed = 1;
		}
	}
	printf("%sok 1 - %d texts\n", failed ? "not " : "", argc);
	globfree(&found);
	free(buffer);
	return failed;
}
#endif
