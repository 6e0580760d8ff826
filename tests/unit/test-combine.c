/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-combine.c - layers of a policy, from the text of sections to what they
 * come to together: core/policy/{layer,named,expand,combine}.c.
 */

#include "harness.h"

#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox-plugin.h>

#include "combined.h"
#include "policy/host-lists.h"
#include "policy/planted-links.h"
#include "policy/rule-atoms.h"
#include "policy/state.h"

#define DENIED 0x3f /* READ LIST WRITE CREATE REMOVE RENAME */

static void
set(struct combined_world *world, const char *rule, const char *value)
{
	if (omega_sandbox_policy_set(
		world->policy, rule, value, &world->error) != 0)
		fail_msg("%s", world->error.text);
}

static void
test_lists_of_one_policy(void **state)
{
	struct combined_world world;

	(void)state;
	combined_make(&world,
	    "policy p { read = { \"%D/a\" } write = { \"{work_dir}\" }"
	    " execute = { \"%D/a/b\" } deny = { \"{data_dir}\" }"
	    " deny_read = { \"%D/a/b/c\" } }");
	assert_true(world.combined.read.is_limited);
	assert_int_equal(world.combined.read.places.count, 3);
	assert_true(combined_has(&world, &world.combined.read.places, "/job"));
	assert_true(combined_has(&world, &world.combined.read.places, "/a/b"));
	assert_int_equal(world.combined.write.places.count, 1);
	assert_int_equal(world.combined.run.places.count, 1);
	assert_int_equal(world.combined.denies.count, 2);
	assert_int_equal(world.combined.denies.list[0].access, DENIED);
	assert_int_equal(world.combined.denies.list[1].access, 0x3);
	combined_close(&world);
}

static void
test_no_lists_limit_nothing(void **state)
{
	struct combined_world world;

	(void)state;
	combined_make(&world, "policy p { description = \"nothing\" }");
	assert_false(world.combined.read.is_limited);
	assert_false(world.combined.write.is_limited);
	assert_false(world.combined.run.is_limited);
	assert_null(world.combined.deny_network);
	combined_close(&world);
}

static void
test_an_empty_list_is_one(void **state)
{
	struct combined_world world;

	(void)state;
	combined_make(&world, "policy p { write = {} connect = {} }");
	assert_true(world.combined.write.is_limited);
	assert_int_equal(world.combined.write.places.count, 0);
	assert_true(world.combined.ports[0].is_limited);
	assert_int_equal(world.combined.ports[0].count, 0);
	combined_close(&world);
}

static void
test_lists_of_layers_intersect(void **state)
{
	struct combined_world world;

	(void)state;
	if (combined_open(&world, "floor = f policy f { write = { \"%D/a\", "
				  "\"%D/job\" } connect = { 80, 443 } }"
				  "policy p { write = { \"%D/a/b\", \"/usr\" } "
				  "connect = { 443, 22 } }") != 0 ||
	    combined_policy(&world, "p") != 0)
		fail_msg("%s", world.error.text);
	set(&world, "write", text("%s", world.dir));
	combined_finish(&world);
	assert_int_equal(world.combined.write.places.count, 1);
	assert_true(combined_has(&world, &world.combined.write.places, "/a/b"));
	assert_int_equal(world.combined.ports[0].count, 1);
	assert_int_equal(world.combined.ports[0].list[0], 443);
	combined_close(&world);
}

static void
check_hosts(struct combined_world *world, const char *expected)
{
	char *sentence = omega_host_lists_sentence(&world->combined.hosts);

	assert_string_equal(sentence, expected);
	free(sentence);
	combined_close(world);
}

static void
test_hosts_of_layers_intersect(void **state)
{
	struct combined_world world;

	(void)state;
	if (combined_open(&world,
		"floor = f policy f { hosts = { \"*.x\", \"y:22\", \"z\" } "
		"names = any deny_hosts = { \"bad.x\" } connect = { 22, 443 } "
		"} policy p { hosts = { \"A.x.\", \"bad.x:443\", \"y:22\", "
		"\"q\" } }") != 0 ||
	    combined_policy(&world, "p") != 0)
		fail_msg("%s", world.error.text);
	set(&world, "hosts", "*.x");
	set(&world, "hosts", "y:22");
	combined_finish(&world);
	assert_true(world.combined.hosts.is_strict); /* p does not say any */
	assert_null(world.combined.deny_network);
	assert_int_equal(
	    world.combined.values[OMEGA_OPTION_UNIX_SOCKETS].number,
	    OMEGA_SANDBOX_UNIX_OWN);
	assert_int_equal(world.combined.note_count, 1);
	assert_non_null(strstr(world.combined.notes[0], "no name can be"));
	check_hosts(&world, "nothing outside is reached but https://a.x, y:22");
}

static void
test_no_host_is_no_network(void **state)
{
	struct combined_world world;

	(void)state;
	combined_make(&world, "policy p { hosts = {} }");
	assert_non_null(world.combined.deny_network);
	combined_close(&world);
	combined_make(&world,
	    "policy p { hosts = { \"a.x:22\" } deny_hosts = { \"*.x\" } }");
	assert_non_null(world.combined.deny_network);
	combined_close(&world);
	combined_make(
	    &world, "policy p { network = deny deny_hosts = { \"*.x\" } }");
	assert_non_null(world.combined.deny_network);
	combined_close(&world);
	/* From what there is no list of nothing can be taken. */
	if (combined_open(&world, "policy p { deny_hosts = { x } }") != 0 ||
	    combined_policy(&world, "p") != 0)
		fail_msg("%s", world.error.text);
	assert_int_equal(
	    omega_combine(world.policy, &world.combined, &world.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_non_null(strstr(world.error.text, "deny_hosts takes away"));
	combined_close(&world);
}

static void
test_extends_adds_lists_and_replaces_values(void **state)
{
	struct combined_world world;

	(void)state;
	combined_make(&world,
	    "policy base { write = { \"%D/a\" } network = deny "
	    "max_memory = 512M } "
	    "policy p { extends = base write = { \"{work_dir}\" } "
	    "network = unix-only }");
	assert_int_equal(world.combined.write.places.count, 2);
	assert_null(world.combined.deny_network);
	assert_non_null(world.combined.only_unix);
	assert_int_equal(
	    world.combined.values[OMEGA_OPTION_MAX_MEMORY].number, 512 << 20);
	combined_close(&world);
}

static void
test_limits_take_the_minimum_and_no_beats_yes(void **state)
{
	struct combined_world world;

	(void)state;
	if (combined_open(&world,
		"floor = f policy f { max_processes = 10 "
		"signals = false } policy p { max_processes = 20 "
		"signals = true ptrace = true }") != 0 ||
	    combined_policy(&world, "p") != 0)
		fail_msg("%s", world.error.text);
	combined_finish(&world);
	assert_int_equal(
	    world.combined.values[OMEGA_OPTION_MAX_PROCESSES].number, 10);
	assert_int_equal(
	    omega_combine_switch(&world.combined, OMEGA_OPTION_SIGNALS),
	    OMEGA_COMBINED_NO);
	assert_int_equal(
	    omega_combine_switch(&world.combined, OMEGA_OPTION_PTRACE),
	    OMEGA_COMBINED_YES);
	assert_int_equal(
	    omega_combine_switch(&world.combined, OMEGA_OPTION_FORK),
	    OMEGA_COMBINED_UNSAID);
	combined_close(&world);
}

/* What is granted widens the policy that was chosen, and no floor. */
static void
test_grants_widen_what_was_chosen(void **state)
{
	struct combined_world world;
	const char *const rules[] = {
	    "allow_read", "allow_write", "allow_execute"};
	size_t i;

	(void)state;
	if (combined_open(&world,
		"floor = f policy f { write = { \"%D/a\", \"{work_dir}\" } }\n"
		"policy p { read = { \"/usr\" } write = { \"{work_dir}\" } "
		"execute = { \"/usr\" } deny = { \"%D/c\" } }") != 0 ||
	    combined_policy(&world, "p") != 0)
		fail_msg("%s", world.error.text);
	make_dir(text("%s/b", world.dir));
	make_dir(text("%s/c", world.dir));
	for (i = 0; i < 3; i++)
		assert_int_equal(omega_sandbox_policy_set(world.policy,
				     rules[i], text("%s/b", world.dir), NULL),
		    0);
	assert_int_equal(omega_sandbox_policy_set(world.policy, "allow_write",
			     text("%s/a", world.dir), NULL),
	    0);
	assert_int_equal(omega_sandbox_policy_set(world.policy, "allow_read",
			     text("%s/c", world.dir), NULL),
	    0);
	combined_finish(&world);
	assert_true(combined_has(&world, &world.combined.read.places, "/b"));
	assert_true(combined_has(&world, &world.combined.run.places, "/b"));
	assert_true(combined_has(&world, &world.combined.write.places, "/a"));
	assert_false(combined_has(&world, &world.combined.write.places, "/b"));
	/* The floor is who keeps it, and the deny of a file stands. */
	assert_non_null(strstr(world.combined.write.origin, ":1"));
	assert_int_equal(world.combined.denies.count, 1);
	combined_close(&world);
}

/* Hosts that are granted: what is listed then. */
static const char *
hosts_with(const char *conf, const char *policy, const char *granted)
{
	struct combined_world world;
	char *sentence;
	const char *kept;

	if (combined_open(&world, conf) != 0 ||
	    combined_policy(&world, policy) != 0)
		fail_msg("%s", world.error.text);
	assert_int_equal(omega_sandbox_policy_set(
			     world.policy, "allow_hosts", granted, NULL),
	    0);
	combined_finish(&world);
	assert_true(world.combined.hosts.is_limited);
	assert_true(world.combined.hosts.is_strict);
	assert_int_equal(
	    world.combined.values[OMEGA_OPTION_UNIX_SOCKETS].number,
	    OMEGA_SANDBOX_UNIX_OWN);
	if (world.combined.deny_network != NULL) {
		kept = "none";
	} else {
		sentence = omega_host_lists_sentence(&world.combined.hosts);
		kept = text(
		    "%s", sentence + strlen("nothing outside is reached but "));
		free(sentence);
	}
	combined_close(&world);
	return kept;
}

static void
test_granted_hosts(void **state)
{
	static const char conf[] = "policy listed { hosts = { \"a.test\" } }\n"
				   "policy closed { network = deny }\n"
				   "policy denies { hosts = { \"a.test\" } "
				   "deny_hosts = { \"*.x\" } }\n"
				   "policy open { }\n";
	const char *const floored =
	    text("floor = f policy f { hosts = { \"*.test\" } }\n%s", conf);
	const char *const closed =
	    text("floor = f policy f { network = deny }\n%s", conf);

	(void)state;
	assert_string_equal(
	    hosts_with(conf, "listed", "b.test:22"), "a.test, b.test:22");
	assert_string_equal(
	    hosts_with(conf, "closed", "b.test:22"), "b.test:22");
	assert_string_equal(hosts_with(conf, "open", "b.test:22"), "b.test:22");
	assert_string_equal(hosts_with(conf, "denies", "y.x:22"), "a.test");
	/* No further than a floor. */
	assert_string_equal(
	    hosts_with(floored, "listed", "b.test"), "a.test, b.test");
	assert_string_equal(hosts_with(floored, "listed", "b.org"), "a.test");
	assert_string_equal(hosts_with(floored, "open", "b.org"), "none");
	assert_string_equal(hosts_with(floored, "open", "b.test"), "b.test");
	assert_string_equal(hosts_with(closed, "listed", "b.test"), "none");
}

/* Who keeps commands from a host: "RULE:LINE GRANT". */
static const char *
judge_host(const struct combined_world *world, const char *host)
{
	struct omega_sandbox_judgement said = OMEGA_SANDBOX_JUDGEMENT_INIT;

	assert_int_equal(omega_sandbox_policy_judge(world->policy, NULL,
			     OMEGA_SANDBOX_CONNECT, host, &said, NULL),
	    0);
	return said.is_allowed
		   ? "allowed"
		   : text("%s:%u %s", said.rule, said.line, said.resolved);
}

static void
test_hosts_are_judged(void **state)
{
	struct omega_sandbox_judgement said = OMEGA_SANDBOX_JUDGEMENT_INIT;
	struct combined_world world;

	(void)state;
	combined_make(&world,
	    "floor = f\n"
	    "policy f { deny_hosts = { \"bad.test\" }\n"
	    "connect = { 53, 80, 443 } }\n"
	    "policy p { hosts = { \"a.test\", \"*.b.test:443\", "
	    "\"192.0.2.0/24:80\", \"localhost:80\", \"bad.test\" } }\n");
	assert_string_equal(judge_host(&world, "A.test.:443"), "allowed");
	assert_string_equal(judge_host(&world, "x.b.test:443"), "allowed");
	assert_string_equal(judge_host(&world, "192.0.2.7:80"), "allowed");
	assert_string_equal(judge_host(&world, "localhost:80"), "allowed");
	assert_string_equal(
	    judge_host(&world, "b.test:443"), "hosts:4 b.test:443");
	assert_string_equal(
	    judge_host(&world, "192.0.3.7:80"), "hosts:4 192.0.3.7:80");
	assert_string_equal(judge_host(&world, "bad.test:80"), "deny_hosts:2 ");
	assert_string_equal(judge_host(&world, "a.test:22"), "connect:3 ");
	assert_int_equal(omega_sandbox_policy_judge(world.policy, NULL,
			     OMEGA_SANDBOX_CONNECT, "a.test", &said, NULL),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(omega_sandbox_policy_judge(world.policy, NULL,
			     OMEGA_SANDBOX_CONNECT, "*.test:80", &said, NULL),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(omega_sandbox_policy_judge(world.policy, NULL,
			     OMEGA_SANDBOX_CONNECT | OMEGA_SANDBOX_READ,
			     "a.test:80", &said, NULL),
	    OMEGA_SANDBOX_E_ARGUMENT);
	combined_close(&world);
	combined_make(&world, "policy p { network = deny }\n");
	assert_string_equal(
	    judge_host(&world, "a.test:80"), "network:1 a.test:80");
	combined_close(&world);
}

/* What package managers are told by variables; files are for the live test. */
static void
test_registries(void **state)
{
	struct combined_world world;
	char *sentence;
	size_t i;
	size_t notes = 0;

	(void)state;
	setenv("npm_config_registry", "https://u:p@npm.test:8443/x/", 1);
	setenv("PIP_INDEX_URL", "file:///srv https://bad_\xff/ http://", 1);
	setenv("PIP_EXTRA_INDEX_URL",
	    "https://more.test/a HTTP://[2001:db8::1]:9/b", 1);
	setenv("GOPROXY", "https://a.test,direct|http://b.test", 1);
	combined_make(&world,
	    "policy p { hosts = { \"@registries\" } write = { \"%D\" } }");
	sentence = omega_host_lists_sentence(&world.combined.hosts);
	assert_non_null(strstr(sentence, " npm.test:8443,"));
	assert_null(strstr(sentence, "npmjs"));
	assert_non_null(strstr(sentence, "https://pypi.org, "));
	assert_non_null(strstr(sentence, " https://more.test, "));
	assert_non_null(strstr(sentence, " [2001:db8::1]:9, "));
	assert_non_null(strstr(sentence, "https://a.test, http://b.test"));
	assert_null(strstr(sentence, "golang"));
	assert_null(strstr(sentence, "bad"));
	free(sentence);
	for (i = 0; i < world.combined.note_count; i++)
		notes +=
		    strstr(world.combined.notes[i], "@registries of go: "
						    "https://a.test") != NULL;
	assert_int_equal(notes, 1);
	combined_close(&world);
	unsetenv("npm_config_registry");
	unsetenv("PIP_INDEX_URL");
	unsetenv("PIP_EXTRA_INDEX_URL");
	unsetenv("GOPROXY");
	/* Nothing is denied by where it is read from. */
	assert_int_not_equal(
	    combined_open(&world, "policy p { hosts = { \"a.test\" } "
				  "deny_hosts = { \"@registries\" } }"),
	    0);
}

static void
test_refused_hosts_have_arguments(void **state)
{
	struct omega_sandbox_refused_host host =
	    OMEGA_SANDBOX_REFUSED_HOST_INIT;

	(void)state;
	assert_int_equal(omega_sandbox_prepared_get_refused(NULL, 0, &host),
	    OMEGA_SANDBOX_E_ARGUMENT);
}

/* What is no absolute path, and a rule that only who runs a command has. */
static void
test_grants_are_refused(void **state)
{
	struct combined_world world;

	(void)state;
	combined_make(&world, "policy p { }");
	assert_int_equal(omega_sandbox_policy_set(
			     world.policy, "policy_file", "x", &world.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(omega_sandbox_policy_set(
			     world.policy, "project", "x", &world.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(omega_sandbox_policy_set(world.policy, "policy_file",
			     "/nonexistent/p.conf", &world.error),
	    OMEGA_SANDBOX_E_SYSTEM);
	assert_non_null(strstr(world.error.text, "/nonexistent/p.conf"));
	assert_int_equal(omega_sandbox_policy_set(
			     world.policy, "project", "/nonexistent", NULL),
	    0);
	assert_int_equal(omega_sandbox_policy_set(
			     world.policy, "allow_read", "b", &world.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	combined_close(&world);
}

static void
test_groups_and_absent_grants(void **state)
{
	struct combined_world world;

	(void)state;
	combined_make(&world,
	    "group g { paths = { \"%D/a\", \"{work_dir}/none\" } } "
	    "policy p { deny = { \"@g\" } read = { \"%D/gone\" } }");
	assert_int_equal(world.combined.denies.count, 2);
	assert_false(world.combined.denies.list[1].exists);
	assert_int_equal(world.combined.read.places.count, 0);
	assert_int_equal(world.combined.note_count, 1);
	assert_non_null(strstr(world.combined.notes[0], "gone"));
	combined_close(&world);
}

/* The strictest of all layers, said or implied. */
static void
test_unix_sockets(void **state)
{
	static const struct {
		const char *conf;
		uint32_t expected;
	} rows[] = {
	    {"policy p { }", OMEGA_SANDBOX_UNIX_ALL},
	    {"policy p { network = unix-only }", OMEGA_SANDBOX_UNIX_ALL},
	    {"policy p { network = deny }", OMEGA_SANDBOX_UNIX_OWN},
	    {"policy p { network = deny unix_sockets = all }",
		OMEGA_SANDBOX_UNIX_ALL},
	    {"policy p { unix_sockets = none }", OMEGA_SANDBOX_UNIX_NONE},
	    {"policy q { network = deny } "
	     "policy p { extends = q unix_sockets = all }",
		OMEGA_SANDBOX_UNIX_ALL},
	    {"floor = f policy f { unix_sockets = none } "
	     "policy p { network = deny unix_sockets = all }",
		OMEGA_SANDBOX_UNIX_NONE},
	    {"floor = f policy f { network = deny } "
	     "policy p { unix_sockets = all }",
		OMEGA_SANDBOX_UNIX_OWN},
	};
	struct combined_world world;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		combined_make(&world, rows[i].conf);
		if (world.combined.values[OMEGA_OPTION_UNIX_SOCKETS].number !=
		    rows[i].expected)
			fail_msg("%s: %u", rows[i].conf,
			    (unsigned)world.combined
				.values[OMEGA_OPTION_UNIX_SOCKETS]
				.number);
		combined_close(&world);
	}
	/* A host narrows, and does not widen. */
	if (combined_open(&world, "policy p { network = deny }") != 0 ||
	    combined_policy(&world, "p") != 0)
		fail_msg("%s", world.error.text);
	set(&world, "unix_sockets", "all");
	combined_finish(&world);
	assert_int_equal(
	    world.combined.values[OMEGA_OPTION_UNIX_SOCKETS].number,
	    OMEGA_SANDBOX_UNIX_OWN);
	combined_close(&world);
}

/* The farthest from the caller, of all layers. */
static void
test_session(void **state)
{
	static const struct {
		const char *conf;
		enum omega_sandbox_session expected;
	} rows[] = {
	    {"policy p { }", OMEGA_SANDBOX_SESSION_NEW},
	    {"policy p { session = keep }", OMEGA_SANDBOX_SESSION_KEEP},
	    {"policy p { session = pty }", OMEGA_SANDBOX_SESSION_PTY},
	    {"floor = f policy f { session = new } "
	     "policy p { session = keep }",
		OMEGA_SANDBOX_SESSION_NEW},
	    {"floor = f policy f { session = pty } "
	     "policy p { session = new }",
		OMEGA_SANDBOX_SESSION_PTY},
	};
	struct combined_world world;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		combined_make(&world, rows[i].conf);
		if (omega_sandbox_policy_get_session(world.policy) !=
		    rows[i].expected)
			fail_msg("%s", rows[i].conf);
		combined_close(&world);
	}
}

static void
test_a_refused_rule_changes_nothing(void **state)
{
	struct combined_world world;

	(void)state;
	if (combined_open(&world, "policy p { }") != 0 ||
	    combined_policy(&world, "p") != 0)
		fail_msg("%s", world.error.text);
	set(&world, "network", "deny");
	assert_int_equal(omega_sandbox_policy_set(world.policy, "write",
			     "not/absolute", &world.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(omega_sandbox_policy_set(
			     world.policy, "connect", "443", &world.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_int_equal(omega_sandbox_policy_set(
			     world.policy, "wirte", "443", &world.error),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
	assert_non_null(strstr(world.error.text, "did you mean 'write'?"));
	combined_finish(&world);
	assert_false(world.combined.write.is_limited);
	assert_non_null(world.combined.deny_network);
	combined_close(&world);
}

/* Texts that are refused, and with which words. */
static const struct {
	const char *conf;
	const char *words;
} bad[] = {
    {"policy p { extends = q }", "there is no policy 'q'"},
    {"policy p { extends = p }", "in a circle"},
    {"policy p { extends = q } policy q { extends = p }", "in a circle"},
    {"policy p { write = \"/a\" }", "write takes a list"},
    {"policy p { write = { \"/a*\" } }", "has a pattern in it"},
    {"policy p { write = { \"a\" } }", "is not an absolute path"},
    {"policy p { write = { \"@none\" } }", "there is no group '@none'"},
    {"policy p { network = maybe }", "network is allow, unix-only or deny"},
    {"policy p { unix_sockets = some }", "unix_sockets is all, own or none"},
    {"policy p { session = old }", "session is keep, new or pty"},
    {"policy p { connect = { \"example.org:443\" } }",
	"names a host or an address"},
    {"policy p { connect = { 0 } }", "is not a port"},
    {"policy p { connect = { 65536 } }", "is not a port"},
    {"policy p { bind = { -1 } }", "is not a port"},
    {"policy p { max_memory = 0 }", "is zero or too large"},
    {"policy p { max_memory = 12Q }", "such as 512M"},
    {"policy p { max_memory = 99999999999G }", "is zero or too large"},
    {"policy p { max_cpu_seconds = -3 }", "such as 30s"},
    {"policy p { fork = maybe }", "fork is true or false"},
    {"policy p { read_all = true read = { \"/usr\" } }",
	"the list read contradicts read_all = true"},
    {"policy p { network = deny connect = { 443 } }",
	"the list connect contradicts network = deny"},
    {"policy p { env_set = { \"A=1\", \"A=2\" } }", "'A' is set twice"},
    {"policy p { colour = red }", "unknown rule 'colour'"},
    {"policy p { } policy p { }", "has two sections"},
    {"group g { }", "has no paths"},
    {"group g { paths = { \"@h\" } }", "cannot have a group in it"},
    {"tier t { policy = none }", "there is no policy 'none'"},
    {"tier t { sandbox = maybe }", "is true or false"},
    {"tier t { colour = red }", "unknown option 'colour' in a tier"},
    {"floor = none", "floor: there is no policy 'none'"},
    {"policy = p", "policy sections begin with a name"},
};

static void
test_bad_texts(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct combined_world world;

		assert_int_equal(
		    combined_open(&world, bad[i].conf), OMEGA_SANDBOX_E_CONFIG);
		if (strstr(world.error.text, bad[i].words) == NULL)
			fail_msg("%s: %s", bad[i].conf, world.error.text);
	}
}

static void
test_tiers(void **state)
{
	struct omega_sandbox_section tier = OMEGA_SANDBOX_SECTION_INIT;
	struct combined_world world;

	(void)state;
	if (combined_open(&world,
		"policy strict { } tier untrusted { policy = "
		"strict } tier local { sandbox = false }") != 0)
		fail_msg("%s", world.error.text);
	assert_int_equal(
	    omega_sandbox_get_section(world.sandbox, OMEGA_SANDBOX_SECTION_TIER,
		"untrusted", 0, &tier, &world.error),
	    0);
	assert_int_equal(tier.is_sandboxed, 1);
	assert_string_equal(tier.policy, "strict");
	assert_int_equal(
	    omega_sandbox_get_section(world.sandbox, OMEGA_SANDBOX_SECTION_TIER,
		"local", 0, &tier, &world.error),
	    0);
	assert_int_equal(tier.is_sandboxed, 0);
	assert_string_equal(tier.policy, "default");
	assert_int_equal(
	    omega_sandbox_get_section(world.sandbox, OMEGA_SANDBOX_SECTION_TIER,
		"none", 0, &tier, &world.error),
	    OMEGA_SANDBOX_E_NOT_FOUND);
	combined_close(&world);
}

/* What a list was found to name, by a link, while somebody puts a directory and
 * a link in each other's place: when it is looked at again there is none. */
static void
test_what_was_found_by_a_link_that_is_gone(void **state)
{
	struct omega_combined_place *place;
	struct combined_world world;
	struct omega_place elsewhere;

	(void)state;
	if (combined_open(&world, "policy p { write = { \"%D/job/d\" } }") != 0)
		fail_msg("%s", world.error.text);
	make_dir(text("%s/job/d", world.dir));
	assert_int_equal(combined_policy(&world, "p"), 0);
	combined_finish(&world);
	assert_int_equal(omega_planted_links_gather(&world.combined), 0);
	assert_int_equal(world.combined.planted.count, 0);
	place = &world.combined.write.places.list[0];
	assert_int_equal(
	    omega_place_find(text("%s/a", world.dir), &elsewhere), 0);
	free(place->text);
	place->text = strdup(elsewhere.text);
	place->object = elsewhere.object;
	assert_int_equal(omega_planted_links_gather(&world.combined), 0);
	assert_int_equal(world.combined.planted.count, 1);
	combined_close(&world);
}

/* What is there when a place is opened that had been found. */
static void
test_what_is_put_in_the_place_of_one_that_was_found(void **state)
{
	struct combined_world world;
	struct omega_atoms atoms;
	int round;

	(void)state;
	for (round = 0; round < 3; round++) {
		memset(&atoms, 0, sizeof(atoms));
		if (combined_open(
			&world, "policy p { write = { \"%D/job/d\" } }") != 0)
			fail_msg("%s", world.error.text);
		make_dir(text("%s/job/d", world.dir));
		assert_int_equal(combined_policy(&world, "p"), 0);
		combined_finish(&world);
		if (round > 0)
			assert_int_equal(rename(text("%s/job/d", world.dir),
					     text("%s/job/e", world.dir)),
			    0);
		if (round == 1)
			make_link("../a", text("%s/job/d", world.dir));
		if (round == 2)
			make_dir(text("%s/job/d", world.dir));
		assert_int_equal(
		    omega_rule_atoms_add(&atoms, &world.combined), 0);
		assert_int_equal(atoms.grant_count, round == 0 ? 1 : 0);
		assert_int_equal(atoms.note_count, round == 0 ? 0 : 1);
		omega_atoms_drop(&atoms);
		combined_close(&world);
	}
}

static void
test_state_is_not_made_by_a_link(void **state)
{
	struct combined_world world;
	struct stat made;

	(void)state;
	if (combined_open(&world,
		"policy p { write = {} state = { \"%D/job/n/m\", "
		"\"%D/job/l/x\", \"%D/job/l/x/y\", \"%D/job/l\" } }") != 0)
		fail_msg("%s", world.error.text);
	make_link("../a", text("%s/job/l", world.dir));
	assert_int_equal(combined_policy(&world, "p"), 0);
	omega_state_make(world.policy);
	assert_int_equal(stat(text("%s/job/n/m", world.dir), &made), 0);
	assert_int_equal(made.st_mode & 07777, 0700);
	assert_int_equal(access(text("%s/a/x", world.dir), F_OK), -1);
	combined_close(&world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_lists_of_one_policy),
    cmocka_unit_test(test_no_lists_limit_nothing),
    cmocka_unit_test(test_an_empty_list_is_one),
    cmocka_unit_test(test_hosts_of_layers_intersect),
    cmocka_unit_test(test_no_host_is_no_network),
    cmocka_unit_test(test_lists_of_layers_intersect),
    cmocka_unit_test(test_extends_adds_lists_and_replaces_values),
    cmocka_unit_test(test_limits_take_the_minimum_and_no_beats_yes),
    cmocka_unit_test(test_grants_widen_what_was_chosen),
    cmocka_unit_test(test_refused_hosts_have_arguments),
    cmocka_unit_test(test_registries),
    cmocka_unit_test(test_granted_hosts),
    cmocka_unit_test(test_hosts_are_judged),
    cmocka_unit_test(test_grants_are_refused),
    cmocka_unit_test(test_groups_and_absent_grants),
    cmocka_unit_test(test_unix_sockets),
    cmocka_unit_test(test_session),
    cmocka_unit_test(test_a_refused_rule_changes_nothing),
    cmocka_unit_test(test_bad_texts),
    cmocka_unit_test(test_tiers),
    cmocka_unit_test(test_state_is_not_made_by_a_link),
    cmocka_unit_test(test_what_was_found_by_a_link_that_is_gone),
    cmocka_unit_test(test_what_is_put_in_the_place_of_one_that_was_found),
};

int
main(void)
{
	return run_all(tests);
}
