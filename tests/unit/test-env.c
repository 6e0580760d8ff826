/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-env.c - which variables reach a command: core/run/env.c and its
 * patterns.
 */

#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "run/env.h"
#include "run/pattern.h"

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
		if (omega_pattern_fits(cases[i].pattern,
			strlen(cases[i].pattern), cases[i].name,
			strlen(cases[i].name), false) != cases[i].fits)
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
	    cmocka_unit_test(test_patterns),
	    cmocka_unit_test(test_secrets_go_and_the_rest_stays),
	    cmocka_unit_test(test_one_place_has_exceptions_to_its_own_denies),
	    cmocka_unit_test(test_what_one_place_denies_no_other_gives_back),
	    cmocka_unit_test(test_values_are_set_by_the_first_place),
	    cmocka_unit_test(test_sockets_stay_when_they_are_granted),
	};

	return run_all(tests);
}
