/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-env.c - which variables reach a command: core/launch/env.c and its
 * patterns.
 */

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/env.h"

static enum omega_env_class
class_of(const char *name)
{
	return omega_env_class_of(name, strlen(name));
}

static void
test_what_is_built_in(void **state)
{
	static const struct {
		const char *name;
		enum omega_env_class class;
	} cases[] = {
	    {"ANTHROPIC_API_KEY", OMEGA_ENV_SECRET},
	    {"OPENAI_KEY", OMEGA_ENV_SECRET},
	    {"github_token", OMEGA_ENV_SECRET},
	    {"GH_TOKEN", OMEGA_ENV_SECRET},
	    {"CLIENT_SECRET_ID", OMEGA_ENV_SECRET},
	    {"SECRET", OMEGA_ENV_SECRET},
	    {"PGPASSWORD", OMEGA_ENV_SECRET},
	    {"AWS_ACCESS_KEY_ID", OMEGA_ENV_SECRET},
	    {"AWS_SESSION_TOKEN", OMEGA_ENV_SECRET},
	    {"GOOGLE_APPLICATION_CREDENTIALS", OMEGA_ENV_SECRET},
	    {"DATABASE_URL", OMEGA_ENV_SECRET},
	    {"NPM_CONFIG__AUTH", OMEGA_ENV_SECRET},
	    {"LD_PRELOAD", OMEGA_ENV_LOADER},
	    {"LD_LIBRARY_PATH", OMEGA_ENV_LOADER},
	    {"DYLD_INSERT_LIBRARIES", OMEGA_ENV_LOADER},
	    {"BASH_ENV", OMEGA_ENV_LOADER},
	    {"BASH_FUNC_ls%%", OMEGA_ENV_LOADER},
	    {"ENV", OMEGA_ENV_LOADER},
	    {"PYTHONSTARTUP", OMEGA_ENV_LOADER},
	    {"NODE_OPTIONS", OMEGA_ENV_LOADER},
	    {"PERL5OPT", OMEGA_ENV_LOADER},
	    {"RUBYOPT", OMEGA_ENV_LOADER},
	    {"SSH_AUTH_SOCK", OMEGA_ENV_SOCKET},
	    {"DBUS_SESSION_BUS_ADDRESS", OMEGA_ENV_SOCKET},
	    {"DOCKER_HOST", OMEGA_ENV_SOCKET},
	    {"TMUX", OMEGA_ENV_SOCKET},
	    /* What people cannot do without. */
	    {"PATH", OMEGA_ENV_PLAIN},
	    {"HOME", OMEGA_ENV_PLAIN},
	    {"PWD", OMEGA_ENV_PLAIN},
	    {"OLDPWD", OMEGA_ENV_PLAIN},
	    {"LANG", OMEGA_ENV_PLAIN},
	    {"LC_ALL", OMEGA_ENV_PLAIN},
	    {"TERM", OMEGA_ENV_PLAIN},
	    {"USER", OMEGA_ENV_PLAIN},
	    {"SHELL", OMEGA_ENV_PLAIN},
	    {"DISPLAY", OMEGA_ENV_PLAIN},
	    {"XDG_RUNTIME_DIR", OMEGA_ENV_PLAIN},
	    {"XDG_CONFIG_HOME", OMEGA_ENV_PLAIN},
	    {"SSL_CERT_FILE", OMEGA_ENV_PLAIN},
	    {"HTTPS_PROXY", OMEGA_ENV_PLAIN},
	    {"PYTHONPATH", OMEGA_ENV_PLAIN},
	    {"GIT_SSH_COMMAND", OMEGA_ENV_PLAIN},
	    {"SSH_ASKPASS", OMEGA_ENV_PLAIN},
	    {"GIT_CONFIG_KEY_0", OMEGA_ENV_PLAIN},
	    {"MAX_THINKING_TOKENS", OMEGA_ENV_PLAIN},
	    {"TOKENIZERS_PARALLELISM", OMEGA_ENV_PLAIN},
	    {"MONKEY", OMEGA_ENV_PLAIN},
	    {"ENVIRONMENT", OMEGA_ENV_PLAIN},
	    {"EDITOR", OMEGA_ENV_PLAIN},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (class_of(cases[i].name) != cases[i].class)
			fail_msg(
			    "%s is %d", cases[i].name, class_of(cases[i].name));
}

/* One pattern after the other, as they are written. */
static enum omega_env_class
class_by_patterns(const char *name)
{
	const struct omega_env_pattern *pattern;

	for (pattern = omega_env_patterns; pattern->text != NULL; pattern++)
		if (omega_env_fits(pattern->text, strlen(pattern->text), name,
			strlen(name), true))
			return pattern->class;
	return OMEGA_ENV_PLAIN;
}

/* What is taken from every pattern: its letters with something for its stars,
 * one letter less at either end, and in small letters. */
static void
test_the_short_way_is_the_same(void **state)
{
	static const char *const fillers[] = {"", "X", "_", "MY_", "_2"};
	const struct omega_env_pattern *pattern;
	char name[600];
	size_t i;
	size_t tried = 0;

	(void)state;
	for (pattern = omega_env_patterns; pattern->text != NULL; pattern++)
		for (i = 0; i < 4 * sizeof(fillers) / sizeof(fillers[0]); i++) {
			const char *at = pattern->text;
			size_t used = 0;

			for (; *at != '\0'; at++)
				if (*at == '*')
					used += (size_t)snprintf(name + used,
					    sizeof(name) - used, "%s",
					    fillers[i / 4]);
				else
					name[used++] =
					    (char)(i % 4 == 1 ? *at | 0x20
							      : *at);
			name[used] = '\0';
			if (i % 4 == 2 && used > 0)
				name[used - 1] = '\0';
			at = i % 4 == 3 && used > 0 ? name + 1 : name;
			if (class_of(at) != class_by_patterns(at))
				fail_msg("%s is %d by %s", at, class_of(at),
				    pattern->text);
			tried++;
		}
	assert_true(tried > 1000);
	/* And a name that is too long for it. */
	memset(name, 'A', sizeof(name));
	strcpy(name + sizeof(name) - 5, "_KEY");
	assert_int_equal(class_of(name), OMEGA_ENV_SECRET);
	strcpy(name + sizeof(name) - 5, "_TEA");
	assert_int_equal(class_of(name), OMEGA_ENV_PLAIN);
	assert_int_equal(omega_env_class_of("KEY", 0), OMEGA_ENV_PLAIN);
}

static void
test_patterns(void **state)
{
	static const struct {
		const char *pattern;
		const char *name;
		bool fits;
	} cases[] = {
	    {"A", "A", true},
	    {"A", "AB", false},
	    {"A", "a", false},
	    {"A*", "A", true},
	    {"A*", "ABC", true},
	    {"*A", "BCA", true},
	    {"*A", "BAC", false},
	    {"*A*", "BAC", true},
	    {"*AB*AB", "AABAB", true},
	    {"*AB*AB", "AAB", false},
	    {"A?C", "ABC", true},
	    {"A?C", "AC", false},
	    {"*", "", true},
	    {"", "", true},
	    {"", "A", false},
	    {"**A**", "A", true},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (omega_env_fits(cases[i].pattern, strlen(cases[i].pattern),
			cases[i].name, strlen(cases[i].name),
			false) != cases[i].fits)
			fail_msg("%s on %s", cases[i].pattern, cases[i].name);
}

/* What of base stays, joined by blanks. */
static char *
filter(const struct omega_env *env, const char *const *base)
{
	char **kept = NULL;
	char *joined = text("%s", "");
	size_t i;

	assert_int_equal(
	    omega_env_filter(env, (char *const *)(uintptr_t)base, &kept), 0);
	for (i = 0; kept[i] != NULL; i++)
		joined = text("%s%s%s", joined, i == 0 ? "" : " ", kept[i]);
	free(kept);
	return joined;
}

static void
test_secrets_go_and_the_rest_stays(void **state)
{
	static const char *const base[] = {"PATH=/bin", "A_TOKEN=x",
	    "LD_PRELOAD=/x", "HOME=/h", "LD_PRELOAD=/again", "junk", "=odd",
	    "EMPTY=", NULL};
	struct omega_env env = {.places = NULL};

	(void)state;
	assert_string_equal(filter(&env, base), "PATH=/bin HOME=/h EMPTY=");
	assert_string_equal(filter(&env, NULL), "");
}

static void
test_one_place_has_exceptions_to_its_own_denies(void **state)
{
	static const char *const base[] = {
	    "PATH=/bin", "HOME=/h", "A_TOKEN=x", "B_TOKEN=y", NULL};
	struct omega_env env = {.places = NULL};
	struct omega_env_place *place = omega_env_add_place(&env);

	(void)state;
	assert_int_equal(omega_env_add(&place->deny, "*"), 0);
	assert_int_equal(omega_env_add(&place->allow, "PATH"), 0);
	assert_int_equal(omega_env_add(&place->allow, "A_TOKEN"), 0);
	assert_string_equal(filter(&env, base), "PATH=/bin A_TOKEN=x");
	omega_env_drop(&env);
}

static void
test_what_one_place_denies_no_other_gives_back(void **state)
{
	static const char *const base[] = {
	    "A_TOKEN=x", "B_TOKEN=y", "home=/h", NULL};
	struct omega_env env = {.places = NULL};
	struct omega_env_place *place = omega_env_add_place(&env);

	(void)state;
	/* In either order, and whatever the case of letters. */
	assert_int_equal(omega_env_add(&place->deny, "a_token"), 0);
	assert_int_equal(omega_env_add(&place->deny, "HOME"), 0);
	place = omega_env_add_place(&env);
	assert_int_equal(omega_env_add(&place->allow, "*"), 0);
	assert_string_equal(filter(&env, base), "B_TOKEN=y");
	place = omega_env_add_place(&env);
	assert_int_equal(omega_env_add(&place->deny, "B_*"), 0);
	assert_string_equal(filter(&env, base), "");
	/* What is given back must be spelled as it is. */
	omega_env_drop(&env);
	place = omega_env_add_place(&env);
	assert_int_equal(omega_env_add(&place->allow, "a_token"), 0);
	assert_string_equal(filter(&env, base), "home=/h");
	omega_env_drop(&env);
}

static void
test_values_are_set_by_the_first_place(void **state)
{
	static const char *const base[] = {"A=0", "B=0", NULL};
	struct omega_env env = {.places = NULL};
	struct omega_env_place *place = omega_env_add_place(&env);

	(void)state;
	assert_int_equal(omega_env_add(&place->set, "A=1"), 0);
	assert_int_equal(omega_env_add(&place->set, "A=1b"), 0);
	place = omega_env_add_place(&env);
	assert_int_equal(omega_env_add(&place->set, "A=2"), 0);
	assert_int_equal(omega_env_add(&place->set, "LD_X=2"), 0);
	assert_string_equal(filter(&env, base), "B=0 A=1 LD_X=2");
	assert_int_equal(omega_env_judge(&env, "A=0"), OMEGA_ENV_REPLACED);
	/* A deny of somebody else holds for values too: then neither the
	 * caller's nor the set one is there. */
	place = omega_env_add_place(&env);
	assert_int_equal(omega_env_add(&place->deny, "LD_*"), 0);
	assert_int_equal(omega_env_add(&place->deny, "A"), 0);
	assert_string_equal(filter(&env, base), "B=0");
	omega_env_drop(&env);
}

static void
test_sockets_stay_when_they_are_granted(void **state)
{
	static const char *const base[] = {"SSH_AUTH_SOCK=/run/agent",
	    "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/bus,guid=1",
	    "DOCKER_HOST=unix:///run/docker.sock", "TMUX=/tmp/tmux-1/x,2,3",
	    NULL};
	struct omega_env env = {.places = NULL};

	(void)state;
	assert_string_equal(filter(&env, base), "");
	/* A part of a path is not the path. */
	assert_int_equal(omega_env_add(&env.sockets, "/run"), 0);
	assert_int_equal(omega_env_add(&env.sockets, "/agent"), 0);
	assert_int_equal(omega_env_add(&env.sockets, "/run/docker"), 0);
	assert_string_equal(filter(&env, base), "");
	assert_int_equal(omega_env_add(&env.sockets, "/run/agent"), 0);
	assert_string_equal(filter(&env, base), base[0]);
	assert_int_equal(omega_env_add(&env.sockets, "/run/bus"), 0);
	assert_int_equal(omega_env_add(&env.sockets, "/run/docker.sock"), 0);
	assert_int_equal(omega_env_add(&env.sockets, "/tmp/tmux-1/x"), 0);
	assert_string_equal(filter(&env, base),
	    text("%s %s %s %s", base[0], base[1], base[2], base[3]));
	omega_env_drop(&env);
	env.is_socket_open = true;
	assert_string_equal(filter(&env, base),
	    text("%s %s %s %s", base[0], base[1], base[2], base[3]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_what_is_built_in),
	    cmocka_unit_test(test_the_short_way_is_the_same),
	    cmocka_unit_test(test_patterns),
	    cmocka_unit_test(test_secrets_go_and_the_rest_stays),
	    cmocka_unit_test(test_one_place_has_exceptions_to_its_own_denies),
	    cmocka_unit_test(test_what_one_place_denies_no_other_gives_back),
	    cmocka_unit_test(test_values_are_set_by_the_first_place),
	    cmocka_unit_test(test_sockets_stay_when_they_are_granted),
	};

	return run_all(tests);
}
