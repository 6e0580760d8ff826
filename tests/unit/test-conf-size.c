/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-conf-size.c - configurations that are big, many, or disturbed; and
 * what reading them leaves alone.
 */

#include "harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <confuse.h>

#include "base/nearest.h"
#include "conf/conf.h"
#include "conf/scan.h"
#include "texts.h"

static void
say_nothing(cfg_t *cfg, const char *format, va_list args)
{
	(void)cfg;
	(void)format;
	(void)args;
}

/* libconfuse goes on in the next text where the last one left it, as long as
 * nothing is freed. */
static void
test_a_disturbed_libconfuse_loses_nothing(void **state)
{
	static const char *const disturbances[] = {
	    "a = \"", "a = '", "/* ", "a = \"x", "# ", "a = b", "\"*/", "'*/"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(disturbances) / sizeof(disturbances[0]); i++) {
		cfg_opt_t opts[] = {CFG_STR("a", NULL, CFGF_NONE), CFG_END()};
		struct omega_conf *conf = omega_conf_new();
		cfg_t *cfg = cfg_init(opts, CFGF_IGNORE_UNKNOWN);

		cfg_set_error_function(cfg, say_nothing);
		cfg_parse_buf(cfg, disturbances[i]);
		assert_int_equal(
		    texts_parse(conf, "enabled = false\n", NULL), 0);
		assert_false(omega_conf_is(conf, OMEGA_OPTION_ENABLED));
		cfg_free(cfg);
		omega_conf_free(conf);
	}
}

static void
test_a_big_file_is_read(void **state)
{
	struct omega_conf *conf = omega_conf_new();
	char *content = calloc(1, OMEGA_SCAN_MAX_BYTES + 2);
	size_t len;
	unsigned count = 0;

	(void)state;
	assert_non_null(content);
	len = (size_t)sprintf(content, "blocked_paths = {\n");
	while (len < OMEGA_SCAN_MAX_BYTES - 64)
		len += (size_t)sprintf(
		    content + len, "\t\"/srv/%u\", # %u\n", count, count),
		    count++;
	len += (size_t)sprintf(content + len, "}\n#");
	memset(content + len, 'x', OMEGA_SCAN_MAX_BYTES - len);
	assert_int_equal(omega_conf_parse(conf, "x.conf", content,
			     OMEGA_SCAN_MAX_BYTES, NULL),
	    0);
	assert_int_equal(
	    omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)->count, count);
	assert_string_equal(omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)
				->items[count - 1]
				.text,
	    text("/srv/%u", count - 1));
	assert_int_equal(omega_conf_items(conf, OMEGA_OPTION_BLOCKED_PATHS)
			     ->items[count - 1]
			     .line,
	    count + 1);
	omega_conf_free(conf);
	free(content);
}

static void
test_a_bigger_file_is_not_read(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();
	char *content = malloc(OMEGA_SCAN_MAX_BYTES + 1);

	(void)state;
	assert_non_null(content);
	memset(content, '\n', OMEGA_SCAN_MAX_BYTES + 1);
	assert_int_equal(omega_conf_parse(conf, "x.conf", content,
			     OMEGA_SCAN_MAX_BYTES + 1, &error),
	    OMEGA_SANDBOX_E_CONFIG);
	assert_non_null(strstr(error.text, "more than 1048576 bytes"));
	omega_conf_free(conf);
	free(content);
}

/* A long string goes through libconfuse unharmed. */
static void
test_a_long_value_is_kept(void **state)
{
	static const char *const frames[][2] = {{"plugin a { b = \"", "\" }"},
	    {"plugin a { b = '", "' }"}, {"plugin a { b = ", "}"}};
	const size_t len = 100000;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct omega_conf *conf = omega_conf_new();
		char *content = calloc(1, len + 64);

		assert_non_null(content);
		strcpy(content, frames[i][0]);
		memset(content + strlen(content), 'y', len);
		strcat(content, frames[i][1]);
		assert_int_equal(texts_parse(conf, content, NULL), 0);
		assert_int_equal(
		    strlen(conf->sections[0].entries[0].values.items[0].text),
		    len);
		omega_conf_free(conf);
		free(content);
	}
}

static void
test_many_options_are_enough(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char *content = calloc(1, 65536);
	unsigned count;
	int used;

	(void)state;
	assert_non_null(content);
	for (count = 511; count <= 512; count++) {
		struct omega_conf *conf = omega_conf_new();
		unsigned i;
		int ret;

		used = sprintf(content, "plugin a {\n");
		for (i = 0; i < count; i++)
			used += sprintf(content + used, "o%u = %u\n", i, i);
		sprintf(content + used, "}\n");
		ret = texts_parse(conf, content, &error);
		if (count == 511) {
			const struct omega_conf_section *section =
			    &conf->sections[0];

			assert_int_equal(ret, 0);
			assert_int_equal(section->entry_count, 511);
			assert_string_equal(section->entries[510].name, "o510");
			assert_string_equal(
			    section->entries[510].values.items[0].text, "510");
		} else {
			assert_int_equal(ret, OMEGA_SANDBOX_E_CONFIG);
			assert_int_equal(error.line, 513);
			assert_non_null(
			    strstr(error.text, "more than 512 options"));
		}
		omega_conf_free(conf);
	}
	free(content);
}

static void *
parse_often(void *arg)
{
	unsigned number = *(unsigned *)arg;
	char content[512];
	char path[64];
	unsigned i;

	for (i = 0; i < 200; i++) {
		struct omega_conf *conf = omega_conf_new();
		bool is_bad = i % 3 == 2;
		int ret;

		snprintf(path, sizeof(path), "/srv/%u/%u", number, i);
		snprintf(content, sizeof(content),
		    "# %u\nenabled = %s\nblocked_paths = { \"%s\" }\n"
		    "plugin \"p%u\" { n = %u }\n%s",
		    i, i % 2 == 0 ? "true" : "false", path, number, i,
		    is_bad ? "log = \"" : "");
		ret = texts_parse(conf, content, NULL);
		if (is_bad ? ret != OMEGA_SANDBOX_E_CONFIG
			   : (ret != 0 ||
				 omega_conf_is(conf, OMEGA_OPTION_ENABLED) !=
				     (i % 2 == 0) ||
				 strcmp(omega_conf_items(
					    conf, OMEGA_OPTION_BLOCKED_PATHS)
					    ->items[0]
					    .text,
				     path) != 0 ||
				 atoi(conf->sections[0]
					  .entries[0]
					  .values.items[0]
					  .text) != (int)i))
			return arg;
		omega_conf_free(conf);
	}
	return NULL;
}

static void
test_threads_parse_at_the_same_time(void **state)
{
	pthread_t threads[8];
	unsigned numbers[8];
	void *failed;
	unsigned i;

	(void)state;
	for (i = 0; i < 8; i++) {
		numbers[i] = i;
		assert_int_equal(
		    pthread_create(&threads[i], NULL, parse_often, &numbers[i]),
		    0);
	}
	for (i = 0; i < 8; i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
}

static void
test_nothing_is_printed(void **state)
{
	struct omega_conf *conf = omega_conf_new();
	char out[16];
	int ends[2];
	int saved = dup(STDERR_FILENO);
	ssize_t got;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	texts_parse(conf, "enabled = maybe\n", NULL);
	texts_parse(conf, "enabled = true\n", NULL);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	got = read(ends[0], out, sizeof(out));
	close(ends[0]);
	assert_int_equal(got, 0);
	omega_conf_free(conf);
}

static void
test_near_names_are_guessed(void **state)
{
	(void)state;
	assert_true(omega_nearest("enabled", "enabled"));
	assert_true(omega_nearest("enable", "enabled"));
	assert_true(omega_nearest("enabeld", "enabled"));
	assert_true(omega_nearest("data-dir", "data_dir"));
	assert_false(omega_nearest("disabled", "enabled"));
	assert_false(omega_nearest("", "log"));
	assert_true(omega_nearest("lug", "log"));
	assert_false(omega_nearest("dot", "log"));
	assert_false(omega_nearest("", "enabled"));
	assert_false(omega_nearest("blocked", "blocked_paths"));
}

static void
test_free_takes_nothing(void **state)
{
	struct omega_conf *conf = omega_conf_new();

	(void)state;
	assert_int_equal(omega_conf_parse(conf, "x", NULL, 0, NULL), 0);
	assert_int_equal(conf->files.count, 1);
	omega_conf_free(conf);
	omega_conf_free(NULL);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_disturbed_libconfuse_loses_nothing),
	    cmocka_unit_test(test_a_big_file_is_read),
	    cmocka_unit_test(test_a_bigger_file_is_not_read),
	    cmocka_unit_test(test_a_long_value_is_kept),
	    cmocka_unit_test(test_many_options_are_enough),
	    cmocka_unit_test(test_threads_parse_at_the_same_time),
	    cmocka_unit_test(test_nothing_is_printed),
	    cmocka_unit_test(test_near_names_are_guessed),
	    cmocka_unit_test(test_free_takes_nothing),
	};

	return run_all(tests);
}
