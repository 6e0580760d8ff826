/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-conf.c - configuration as text: core/conf without files and trust.
 *
 * Most cases are files in tests/fixtures/conf, one test each:
 *
 *   NAME.shipped a file of the product before it, if there is one
 *   NAME.conf    the text
 *   NAME.over    a second file on top of it, if there is one
 *   NAME.user    a user's file on top of both, if there is one
 *   NAME.expect  line and message of the error it must give, or
 *   NAME.dump    what it must come to
 *
 * Texts that a file would not keep as they are stand below.
 */

#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <confuse.h>

#include "conf/conf.h"
#include "conf/home.h"
#include "conf/nearest.h"
#include "conf/scan.h"
#include "policy/named.h"

#define FIXTURES "tests/fixtures/conf"

static int
parse(struct omega_conf *conf, const char *content,
    struct omega_sandbox_error *error)
{
	return omega_conf_parse(
	    conf, "x.conf", content, strlen(content), error);
}

/* The content of a file below the source directory; NULL if there is none. */
static char *
read_source(const char *name, size_t *len)
{
	const char *top = getenv("top_srcdir");
	FILE *in = fopen(text("%s/%s", top == NULL ? "." : top, name), "r");
	char *content;

	if (in == NULL)
		return NULL;
	content = calloc(1, 65536);
	assert_non_null(content);
	*len = fread(content, 1, 65535, in);
	fclose(in);
	return content;
}

static void
dump_places(FILE *out, const char *name, const struct omega_conf_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		fprintf(out, "%s \"%s\" at %s:%u\n", name, list->items[i].text,
		    list->items[i].file, list->items[i].line);
}

static void
dump_section(FILE *out, const struct omega_conf_section *section)
{
	size_t i;

	fprintf(out, "%s %s at %s:%u\n", omega_scan_types[section->type],
	    section->title, section->file, section->line);
	for (i = 0; i < section->entry_count; i++) {
		const struct omega_conf_entry *entry = &section->entries[i];

		fprintf(out, "\t%s%s at line %u\n", entry->name,
		    entry->is_list ? " list" : "", entry->line);
		dump_places(out, "\tvalue", &entry->values);
	}
}

/* Everything a configuration says. */
static char *
dump(const struct omega_conf *conf)
{
	const struct omega_kind *kind;
	char *content = NULL;
	size_t len;
	size_t i;
	FILE *out = open_memstream(&content, &len);

	assert_non_null(out);
	fprintf(out, "%s %s %s %s\n", conf->is_enabled ? "enabled" : "disabled",
	    conf->is_fail_closed ? "fail_closed" : "fail_open",
	    conf->is_root_allowed ? "root" : "no_root",
	    conf->is_syslog ? "syslog" : "no_log");
	fprintf(out, "accept");
	for (kind = omega_kinds; kind->name != NULL; kind++)
		if ((conf->accept & omega_kinds_bit(kind->number)) != 0)
			fprintf(out, " %s", kind->name);
	fprintf(out, "\n");
	dump_places(out, "backend", &conf->backends);
	if (conf->data_dir.text != NULL)
		fprintf(out, "data_dir \"%s\" at %s:%u\n", conf->data_dir.text,
		    conf->data_dir.file, conf->data_dir.line);
	if (conf->config_file.text != NULL)
		fprintf(out, "config_file \"%s\" at %s:%u\n",
		    conf->config_file.text, conf->config_file.file,
		    conf->config_file.line);
	dump_places(out, "blocked", &conf->blocked_paths);
	if (conf->data_dir_mode != 0)
		fprintf(out, "data_dir_mode %u\n", conf->data_dir_mode);
	if (conf->hide_sockets != 0)
		fprintf(out, "hide_sockets %u\n", conf->hide_sockets);
	dump_places(out, "socket", &conf->allow_sockets);
	dump_places(out, "device", &conf->allow_devices);
	dump_places(out, "env_deny", &conf->env_deny);
	dump_places(out, "env_allow", &conf->env_allow);
	dump_places(out, "env_set", &conf->env_set);
	dump_places(out, "command", &conf->allowed_commands);
	dump_places(out, "safe", &conf->safe_path);
	dump_places(out, "mask", &conf->audit_mask);
	if (!conf->has_unchecked_arguments)
		fprintf(out, "check_arguments\n");
	if (conf->audit_file.text != NULL)
		fprintf(out, "audit \"%s\" at %s:%u\n", conf->audit_file.text,
		    conf->audit_file.file, conf->audit_file.line);
	if (conf->is_audit_syslog)
		fprintf(out, "audit syslog\n");
	if (conf->is_audit_optional)
		fprintf(out, "audit optional\n");
	for (i = 0; i < conf->option_count; i++) {
		const struct omega_conf_option *option = &conf->options[i];

		fprintf(out, "plugin %s: %s%s at %s:%u\n", option->plugin,
		    option->name, option->is_list ? " list" : "", option->file,
		    option->line);
		dump_places(out, "\tvalue", &option->values);
	}
	dump_places(out, "floor", &conf->floors);
	for (i = 0; i < conf->section_count; i++)
		dump_section(out, &conf->sections[i]);
	for (i = 0; i < OMEGA_CONF_COUNT; i++)
		if (conf->places[i].file != NULL)
			fprintf(out, "option %u at %s:%u\n", (unsigned)i,
			    conf->places[i].file, conf->places[i].line);
	fclose(out);
	return content;
}

/* All files of the fixture, each with its rank, then the sections. */
static int
parse_fixture(struct omega_conf *conf, const char *name,
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

	for (i = 0; i < 4 && ret == 0; i++) {
		char *file = text("%s.%s", name, files[i].end);
		size_t len;
		char *content = read_source(text(FIXTURES "/%s", file), &len);

		conf->rank = files[i].rank;
		if (content != NULL)
			ret = omega_conf_parse(conf, file, content, len, error);
		else
			assert_string_not_equal(files[i].end, "conf");
		free(content);
	}
	return ret < 0 ? ret : omega_named_check(conf, error);
}

static void
test_bad_fixture(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();
	const char *name = *state;
	size_t len;
	char *expected = read_source(text(FIXTURES "/%s.expect", name), &len);
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
	char *expected = read_source(text(FIXTURES "/%s.dump", name), &len);
	char *found;

	assert_non_null(expected);
	if (parse_fixture(conf, name, &error) != 0)
		fail_msg("%s", error.text);
	found = dump(conf);
	if (strcmp(found, expected) != 0)
		fail_msg("%s\ncomes to:\n%s", name, found);
	free(found);
	free(expected);
	omega_conf_free(conf);
}

/* Bytes that a file in a repository may lose on its way. */
static const struct {
	const char *content;
	size_t len;
	uint32_t line;
	const char *message;
} raw_faults[] = {
#define RAW(content, line, message)                         \
	{                                                   \
		content, sizeof(content) - 1, line, message \
	}
    RAW("enabled = true\n\0", 2, "there is a NUL byte in the text"),
    RAW("# comment \0\n", 1, "there is a NUL byte in the text"),
    RAW("data_dir = \"/a\0b\"\n", 1, "there is a NUL byte in the text"),
    RAW("\xef\xbb\xbf"
	"enabled = true\n",
	1, "the file begins with a byte order mark"),
    RAW("# old Mac\renabled = false\r", 1,
	"a carriage return without a line feed"),
    RAW("\r\n\r\nenabled = false\r", 3,
	"a carriage return without a line feed"),
    RAW("data_dir = \"/a\rb\"\n", 1, "a carriage return without a line feed"),
    RAW("\ndata_dir = \"/a\033b\"\n", 2,
	"there is a control character in the string; write it as \\x1b"),
    RAW("data_dir = '/a\177b'\n", 1,
	"there is a control character in the string; write it as \\x7f"),
    RAW("data_dir = \"/a\r\n", 1, "the string is not closed"),
    RAW("enabled = \f true\n", 1, "unexpected byte 0x0c outside quotes"),
    RAW("enabled = tr\xfc\n", 1, "unexpected byte 0xfc outside quotes"),
    RAW("a", 1, "expected '=' after 'a'"),
    RAW("/", 1, "unexpected '/'"),
    RAW("/*", 1, "the comment that begins here with /* is not closed"),
    RAW("/*/", 1, "the comment that begins here with /* is not closed"),
    RAW("\n/**", 2, "the comment that begins here with /* is not closed"),
    RAW("\"", 1, "the string is not closed"),
    RAW("'\\", 1, "in single quotes a backslash"),
    RAW("\"\\x", 1, "\\x needs two hexadecimal digits"),
    RAW("\"\\x0", 1, "\\x needs two hexadecimal digits"),
    RAW("+", 1, "unexpected '+'"),
    RAW("$", 1, "unexpected '$'"),
    RAW("${", 1, "${...} would be taken from the environment"),
};

static void
test_bytes_no_configuration_has_are_refused(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(raw_faults) / sizeof(raw_faults[0]); i++) {
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct omega_conf *conf = omega_conf_new();

		assert_int_equal(
		    omega_conf_parse(conf, "x.conf", raw_faults[i].content,
			raw_faults[i].len, &error),
		    OMEGA_SANDBOX_E_CONFIG);
		if (error.line != raw_faults[i].line ||
		    strstr(error.text, raw_faults[i].message) == NULL)
			fail_msg("%u: line %u: %s", (unsigned)i, error.line,
			    error.text);
		omega_conf_free(conf);
	}
}

static void
test_lines_may_end_as_on_windows(void **state)
{
	static const char content[] = "# a\r\nenabled = false\r\n"
				      "blocked_paths = {\r\n\"/a\",\r\n}\r\n";
	struct omega_conf *conf = omega_conf_new();

	(void)state;
	assert_int_equal(parse(conf, content, NULL), 0);
	assert_false(conf->is_enabled);
	assert_int_equal(conf->blocked_paths.count, 1);
	assert_string_equal(conf->blocked_paths.items[0].text, "/a");
	assert_int_equal(conf->blocked_paths.items[0].line, 4);
	omega_conf_free(conf);
}

static void
test_paths_are_bytes(void **state)
{
	struct omega_conf *conf = omega_conf_new();

	(void)state;
	assert_int_equal(
	    parse(conf, "data_dir = \"/\xff\xfe\"\nconfig_file = '/\x80\xc3'\n",
		NULL),
	    0);
	assert_string_equal(conf->data_dir.text, "/\xff\xfe");
	assert_string_equal(conf->config_file.text, "/\x80\xc3");
	omega_conf_free(conf);
}

static void
test_tilde_is_home_by_passwd(void **state)
{
	struct omega_conf *conf = omega_conf_new();
	char *home = NULL;

	(void)state;
	if (omega_home(&home) < 0)
		skip_because("this user has no passwd entry");
	setenv("HOME", "/somewhere/else", 1);
	assert_int_equal(parse(conf,
			     "data_dir = \"~\"\nconfig_file = '~/a b'\n"
			     "blocked_paths = { \"~/\", \"/~\", \"/a/~/b\" }\n",
			     NULL),
	    0);
	assert_string_equal(conf->data_dir.text, home);
	assert_string_equal(conf->config_file.text, text("%s/a b", home));
	assert_string_equal(
	    conf->blocked_paths.items[0].text, text("%s/", home));
	assert_string_equal(conf->blocked_paths.items[1].text, "/~");
	assert_string_equal(conf->blocked_paths.items[2].text, "/a/~/b");
	free(home);
	omega_conf_free(conf);
}

static int
use_tilde_without_home(void *arg)
{
	struct omega_sandbox_error *error = arg;
	struct omega_conf *conf = omega_conf_new();
	int ret;

	ret = parse(conf, "\ndata_dir = \"~/x\"\n", error);
	omega_conf_free(conf);
	return ret == OMEGA_SANDBOX_E_CONFIG && error->line == 2 &&
		       strstr(error->text, "has no meaning") != NULL
		   ? 0
		   : 1;
}

static void
test_tilde_without_home_is_an_error(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	(void)state;
	if (getuid() != 0)
		skip_because("only root can become a user without an entry");
	assert_int_equal(in_user_child(use_tilde_without_home, &error), 0);
}

/* One option at a time: it changes what it says and nothing else. */
static void
test_an_option_changes_nothing_else(void **state)
{
	static const struct {
		const char *content;
		const char *line; /* of the dump */
	} cases[] = {
	    {"enabled = false", "disabled fail_closed root no_log"},
	    {"fail_closed = false", "enabled fail_open root no_log"},
	    {"allow_root = false", "enabled fail_closed no_root no_log"},
	    {"log = syslog", "enabled fail_closed root syslog"},
	    {"accept = {}", "accept"},
	    {"accept = { terminal }", "accept terminal"},
	    {"backend = noop", "backend \"noop\" at x.conf:1"},
	    {"data_dir = '/a'", "data_dir \"/a\" at x.conf:1"},
	    {"config_file = '/a'", "config_file \"/a\" at x.conf:1"},
	    {"blocked_paths = {'/a'}", "blocked \"/a\" at x.conf:1"},
	    {"data_dir_mode = mask", "data_dir_mode 1"},
	    {"data_dir_mode = shield", "data_dir_mode 2"},
	    {"hide_sockets = launchers", "hide_sockets 1"},
	    {"hide_sockets = none", "hide_sockets 2"},
	    {"allow_sockets = {'/a'}", "socket \"/a\" at x.conf:1"},
	    {"allow_devices = {'/a'}", "device \"/a\" at x.conf:1"},
	    {"env_deny = {'*_X'}", "env_deny \"*_X\" at x.conf:1"},
	    {"env_allow = {A_KEY}", "env_allow \"A_KEY\" at x.conf:1"},
	    {"env_set = {'A=b=c'}", "env_set \"A=b=c\" at x.conf:1"},
	    {"allowed_commands = {ls}", "command \"ls\" at x.conf:1"},
	    {"allowed_commands = {'/a'}", "command \"/a\" at x.conf:1"},
	    {"safe_path = {'/a'}", "safe \"/a\" at x.conf:1"},
	    {"check_arguments = true", "check_arguments"},
	    {"audit = '/a'", "audit \"/a\" at x.conf:1"},
	    {"audit = {syslog}", "audit syslog"},
	    {"audit_mask = {'-p*'}", "mask \"-p*\" at x.conf:1"},
	    {"audit_failure = warn", "audit optional"},
	    {"plugin a { b = c }", "plugin a: b at x.conf:1"},
	};
	struct omega_conf *none = omega_conf_new();
	char *before = dump(none);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct omega_conf *conf = omega_conf_new();
		char *after;
		char *line;
		char *rest;
		unsigned changed = 0;

		assert_int_equal(parse(conf, cases[i].content, NULL), 0);
		after = dump(conf);
		assert_non_null(strstr(after, text("%s\n", cases[i].line)));
		for (line = strtok_r(after, "\n", &rest); line != NULL;
		     line = strtok_r(NULL, "\n", &rest))
			if (strstr(before, text("%s\n", line)) == NULL &&
			    line[0] != '\t' && strncmp(line, "option", 6) != 0)
				changed++;
		assert_int_equal(changed, 1);
		free(after);
		omega_conf_free(conf);
	}
	free(before);
	omega_conf_free(none);
}

/* Parse two texts as two files, one after the other. */
static struct omega_conf *
parse_two(const char *one, const char *two)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();

	if (omega_conf_parse(conf, "1", one, strlen(one), &error) != 0 ||
	    omega_conf_parse(conf, "2", two, strlen(two), &error) != 0)
		fail_msg("%s", error.text);
	return conf;
}

/* Of two files the stricter word wins, whichever comes first. */
static void
test_a_later_file_only_closes_openings(void **state)
{
	static const char *const modes[] = {"mask", "auto", "shield"};
	static const char *const hides[] = {"none", "launchers", "own"};
	static const uint32_t mode_values[] = {1, 0, 2};
	static const uint32_t hide_values[] = {2, 1, 0};
	struct omega_conf *conf;
	size_t i;
	size_t j;

	(void)state;
	for (i = 0; i < 3; i++)
		for (j = 0; j < 3; j++) {
			size_t max = i > j ? i : j;

			conf = parse_two(
			    text("data_dir_mode = %s\nhide_sockets = %s\n",
				modes[i], hides[i]),
			    text("data_dir_mode = %s\nhide_sockets = %s\n",
				modes[j], hides[j]));
			assert_int_equal(conf->data_dir_mode, mode_values[max]);
			assert_int_equal(conf->hide_sockets, hide_values[max]);
			omega_conf_free(conf);
		}
	conf = parse_two("allow_sockets = {'/a', '/b'}\n"
			 "allow_devices = {'/dev/kvm'}\n",
	    "allow_sockets = {'/b', '/c'}\nallow_devices = {}\n");
	assert_int_equal(conf->allow_sockets.count, 1);
	assert_string_equal(conf->allow_sockets.items[0].text, "/b");
	assert_int_equal(conf->allow_devices.count, 0);
	omega_conf_free(conf);
}

static void
test_words_that_are_none_are_refused(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();

	(void)state;
	assert_int_equal(parse(conf, "data_dir_mode = veil", &error),
	    OMEGA_SANDBOX_E_CONFIG);
	assert_string_equal(error.text,
	    "x.conf:1: data_dir_mode is one of mask, auto, shield, not 'veil'");
	omega_conf_free(conf);
	conf = omega_conf_new();
	assert_int_equal(
	    parse(conf, "hide_sockets = ''", &error), OMEGA_SANDBOX_E_CONFIG);
	assert_string_equal(error.text,
	    "x.conf:1: hide_sockets is one of none, launchers, own, not ''");
	omega_conf_free(conf);
	{
		static const char *const wrong[] = {"env_deny = {'A=B'}",
		    "env_allow = {'A B'}", "env_deny = {''}",
		    "env_set = {NAME}", "env_set = {'=x'}",
		    "env_set = {'A*=x'}", "allowed_commands = {''}",
		    "allowed_commands = {'a/b'}", "safe_path = {}",
		    "safe_path = {bin}", "check_arguments = maybe",
		    "audit = {'/a', '/b'}", "audit = relative",
		    "audit = {none, syslog}", "audit_mask = {''}",
		    "audit_failure = maybe"};
		size_t i;

		for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
			conf = omega_conf_new();
			if (parse(conf, wrong[i], &error) !=
			    OMEGA_SANDBOX_E_CONFIG)
				fail_msg("%s was taken", wrong[i]);
			omega_conf_free(conf);
		}
		/* What is to be secret is not told. */
		conf = omega_conf_new();
		assert_int_equal(parse(conf, "env_set = {'A B=hush'}", &error),
		    OMEGA_SANDBOX_E_CONFIG);
		assert_null(strstr(error.text, "hush"));
		omega_conf_free(conf);
	}
	conf = omega_conf_new();
	assert_int_equal(parse(conf, "allow_sockets = {'agent'}", &error),
	    OMEGA_SANDBOX_E_CONFIG);
	omega_conf_free(conf);
}

/* The shipped file, with "#option" lines taken for what they show. */
static void
test_shipped_file_shows_the_defaults(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();
	struct omega_conf *none = omega_conf_new();
	char *home = NULL;
	size_t len;
	size_t i;
	size_t shown = 0;
	char *content = read_source("etc/sandbox.conf", &len);

	(void)state;
	if (omega_home(&home) < 0)
		skip_because("this user has no passwd entry");
	assert_non_null(content);
	if (omega_conf_parse(conf, "a", content, len, &error) != 0)
		fail_msg("%s", error.text);
	for (i = 0; i < OMEGA_CONF_COUNT; i++)
		assert_null(conf->places[i].file);
	for (i = 0; i < len; i++)
		if (content[i] == '#' && (i == 0 || content[i - 1] == '\n') &&
		    content[i + 1] >= 'a' && content[i + 1] <= 'z') {
			content[i] = ' ';
			shown++;
		}
	/* All but two, which are other names. */
	assert_int_equal(shown, OMEGA_CONF_COUNT - 2);
	if (omega_conf_parse(conf, "b", content, len, &error) != 0)
		fail_msg("%s", error.text);
	for (i = 0; i < OMEGA_CONF_COUNT; i++)
		if (i != OMEGA_CONF_MAX_EXECUTION_TIME_SECS &&
		    i != OMEGA_CONF_MAX_OUTPUT_BYTES)
			assert_non_null(conf->places[i].file);
	assert_int_equal(conf->timeout, 30);
	assert_int_equal(conf->max_output, 1 << 20);
	assert_int_equal(conf->is_enabled, none->is_enabled);
	assert_int_equal(conf->is_fail_closed, none->is_fail_closed);
	assert_int_equal(conf->is_root_allowed, none->is_root_allowed);
	assert_int_equal(conf->is_syslog, none->is_syslog);
	assert_int_equal(conf->accept, none->accept);
	assert_false(conf->is_witnessed); /* the twin's own default is on */
	assert_false(conf->has_unchecked_arguments); /* as above */
	assert_int_equal(conf->env_deny.count, 0);
	assert_int_equal(conf->env_allow.count, 0);
	assert_int_equal(conf->env_set.count, 0);
	assert_int_equal(conf->allowed_commands.count, 0);
	assert_int_equal(conf->safe_path.count, 6);
	assert_null(conf->audit_file.text);
	assert_false(conf->is_audit_syslog);
	assert_int_equal(conf->audit_mask.count, 0);
	assert_int_equal(conf->is_audit_optional, none->is_audit_optional);
	assert_int_equal(conf->blocked_paths.count, 0);
	assert_int_equal(conf->data_dir_mode, none->data_dir_mode);
	assert_int_equal(conf->hide_sockets, none->hide_sockets);
	assert_int_equal(conf->allow_sockets.count, 0);
	assert_int_equal(conf->allow_devices.count, 0);
	assert_int_equal(conf->option_count, 0);
	assert_null(conf->config_file.text);
	assert_int_equal(conf->backends.count, 1);
	assert_string_equal(conf->backends.items[0].text, "auto");
	assert_string_equal(conf->data_dir.text, text("%s/.omega", home));
	free(home);
	free(content);
	omega_conf_free(conf);
	omega_conf_free(none);
}

static void
test_the_smallest_limit_of_a_run_counts(void **state)
{
	static const struct {
		const char *content;
		const char *text; /* of the error */
	} wrong[] = {
	    {"timeout = 5s\nmax_execution_time_secs = 5",
		"x.conf:2: max_execution_time_secs is the same as timeout, "
		"which is set in line 1; keep one of them"},
	    {"max_output_bytes = 5\nmax_output = 5",
		"x.conf:2: max_output is the same as max_output_bytes, which "
		"is set in line 1; keep one of them"},
	    {"timeout = 0", "x.conf:1: timeout: '0' is zero or too large"},
	    {"timeout = 5x", "x.conf:1: timeout is a time such as 30s (s, m, "
			     "h, d), not '5x'"},
	    {"max_execution_time_secs = 5s",
		"x.conf:1: max_execution_time_secs is a number of seconds, "
		"not '5s'"},
	    {"max_output_bytes = 1M",
		"x.conf:1: max_output_bytes is a number of bytes, not '1M'"},
	    {"max_output = {1}",
		"x.conf:1: max_output takes one value, not a list"},
	};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_conf *conf = omega_conf_new();
	static const char second[] = "max_execution_time_secs = 45\n"
				     "max_output_bytes = 1000000";
	static const char third[] = "timeout = 2m\nmax_output = 2M";
	size_t i;

	(void)state;
	assert_int_equal(conf->timeout, 0);
	assert_int_equal(conf->max_output, 0);
	assert_int_equal(
	    parse(conf, "timeout = 1m\nmax_output = 1M", &error), 0);
	assert_int_equal(conf->timeout, 60);
	assert_int_equal(conf->max_output, 1 << 20);
	assert_int_equal(
	    omega_conf_parse(conf, "y", second, strlen(second), &error), 0);
	assert_int_equal(
	    omega_conf_parse(conf, "z", third, strlen(third), &error), 0);
	assert_int_equal(conf->timeout, 45);
	assert_int_equal(conf->max_output, 1000000);
	omega_conf_free(conf);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		conf = omega_conf_new();
		assert_int_equal(parse(conf, wrong[i].content, &error),
		    OMEGA_SANDBOX_E_CONFIG);
		assert_string_equal(error.text, wrong[i].text);
		omega_conf_free(conf);
	}
}

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
		assert_int_equal(parse(conf, "enabled = false\n", NULL), 0);
		assert_false(conf->is_enabled);
		cfg_free(cfg);
		omega_conf_free(conf);
	}
}

static void
test_a_bad_text_does_not_reach_the_next(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(raw_faults) / sizeof(raw_faults[0]); i++) {
		struct omega_conf *bad = omega_conf_new();
		struct omega_conf *good = omega_conf_new();

		assert_true(omega_conf_parse(bad, "bad", raw_faults[i].content,
				raw_faults[i].len, NULL) < 0);
		assert_int_equal(parse(good, "enabled = false\n", NULL), 0);
		assert_false(good->is_enabled);
		omega_conf_free(bad);
		omega_conf_free(good);
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
	assert_int_equal(conf->blocked_paths.count, count);
	assert_string_equal(conf->blocked_paths.items[count - 1].text,
	    text("/srv/%u", count - 1));
	assert_int_equal(conf->blocked_paths.items[count - 1].line, count + 1);
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
		assert_int_equal(parse(conf, content, NULL), 0);
		assert_int_equal(
		    strlen(conf->options[0].values.items[0].text), len);
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
		ret = parse(conf, content, &error);
		if (count == 511) {
			assert_int_equal(ret, 0);
			assert_int_equal(conf->option_count, 511);
			assert_string_equal(conf->options[510].name, "o510");
			assert_string_equal(
			    conf->options[510].values.items[0].text, "510");
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
		ret = parse(conf, content, NULL);
		if (is_bad ? ret != OMEGA_SANDBOX_E_CONFIG
			   : (ret != 0 || conf->is_enabled != (i % 2 == 0) ||
				 strcmp(conf->blocked_paths.items[0].text,
				     path) != 0 ||
				 atoi(conf->options[0].values.items[0].text) !=
				     (int)i))
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
	parse(conf, "enabled = maybe\n", NULL);
	parse(conf, "enabled = true\n", NULL);
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
	assert_false(omega_nearest("dog", "log"));
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bytes_no_configuration_has_are_refused),
    cmocka_unit_test(test_lines_may_end_as_on_windows),
    cmocka_unit_test(test_paths_are_bytes),
    cmocka_unit_test(test_tilde_is_home_by_passwd),
    cmocka_unit_test(test_tilde_without_home_is_an_error),
    cmocka_unit_test(test_an_option_changes_nothing_else),
    cmocka_unit_test(test_a_later_file_only_closes_openings),
    cmocka_unit_test(test_words_that_are_none_are_refused),
    cmocka_unit_test(test_shipped_file_shows_the_defaults),
    cmocka_unit_test(test_a_disturbed_libconfuse_loses_nothing),
    cmocka_unit_test(test_a_bad_text_does_not_reach_the_next),
    cmocka_unit_test(test_a_big_file_is_read),
    cmocka_unit_test(test_a_bigger_file_is_not_read),
    cmocka_unit_test(test_the_smallest_limit_of_a_run_counts),
    cmocka_unit_test(test_a_long_value_is_kept),
    cmocka_unit_test(test_many_options_are_enough),
    cmocka_unit_test(test_threads_parse_at_the_same_time),
    cmocka_unit_test(test_nothing_is_printed),
    cmocka_unit_test(test_near_names_are_guessed),
    cmocka_unit_test(test_free_takes_nothing),
};

#define TEST_COUNT (sizeof(tests) / sizeof(tests[0]))
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
	static struct CMUnitTest all[TEST_COUNT + MAX_FIXTURES];
	const char *top = getenv("top_srcdir");
	struct dirent **entries = NULL;
	size_t used = TEST_COUNT;
	int count;
	int ret;
	int i;

	memcpy(all, tests, sizeof(tests));
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
