/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-shipped.c - the policies, profiles, groups and tiers that come with the
 * product (etc/shipped) and the examples (etc/examples): they load, name only
 * what is there, and say what their descriptions promise.
 */

#include "harness.h"

#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/confuse.h"
#include "conf/named.h"
#include "conf/scan.h"
#include "conf/sections.h"
#include "home.h"
#include "policy/combine.h"
#include "policy/policy.h"
#include "shipped.h"

static const char *const agents[] = {"generic", "claude", "codex", "gemini",
    "aider", "opencode", "openclaw", "claude-online", "codex-online",
    "gemini-online", "opencode-online", NULL};
static const char *const policies[] = {
    "default", "tool", "mcp", "strict", "https", "agent", NULL};

/* A sandbox with what is shipped and nothing else; "~" is base/home. */
static struct omega_sandbox *
open_shipped(void)
{
	static char home[600];
	char base[512];
	struct omega_sandbox *sandbox;

	snprintf(base, sizeof(base), "%s", scratch_dir());
	snprintf(home, sizeof(home), "%s/home", base);
	chmod(base, 0755);
	make_dir(home);
	home_set(home);
	sandbox =
	    shipped_open(base, text("%s/none.conf", base), "/nonexistent");
	assert_non_null(sandbox);
	return sandbox;
}

/* libconfuse is not asked about what is shipped, so that it is asked here: it
 * finds the same, or says so. */
static void
test_libconfuse_finds_the_same(void **state)
{
	static const char *const files[] = {
	    "agents", "groups", "policies", "tiers"};
	const char *top = getenv("top_srcdir");
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		char *name = text("%s/etc/shipped/%s.conf",
		    top == NULL ? "." : top, files[i]);
		char *content = file_text(name);
		struct omega_conf_text *first;
		struct omega_scan scan;

		memset(&scan, 0, sizeof(scan));
		assert_int_equal(omega_scan_text(&scan, name, content,
				     strlen(content), NULL, &error),
		    0);
		assert_false(scan.has_escapes);
		assert_true(scan.section_count > 1);
		first = scan.sections[1].entries[0].values.items;
		assert_int_equal(omega_confuse_fill(&scan, name, &error), 0);
		free(first->text);
		first->text = strdup("another");
		assert_int_equal(omega_confuse_fill(&scan, name, &error),
		    OMEGA_SANDBOX_E_CONFIG);
		omega_scan_clear(&scan);
	}
}

/* Every policy comes to something, also with an agent. */
static void
combine(struct omega_sandbox *sandbox, const char *name, const char *agent)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_combined combined;
	const char *dir = scratch_dir();
	char *omega = text("%s/omega", dir);
	char *work = text("%s/work", dir);

	make_dir(omega);
	make_dir(work);
	if (omega_sandbox_policy_new(sandbox, name, &policy, &error) != 0 ||
	    omega_sandbox_policy_set(policy, "data_dir", omega, &error) != 0 ||
	    omega_sandbox_policy_set(policy, "work_dir", work, &error) != 0 ||
	    (agent != NULL && omega_sandbox_policy_set(
				  policy, "agent", agent, &error) != 0) ||
	    omega_combine(policy, &combined, &error) != 0)
		fail_msg(
		    "%s %s: %s", name, agent == NULL ? "" : agent, error.text);
	omega_combine_drop(&combined);
	omega_sandbox_policy_unref(policy);
}

static void
test_all_of_them_load(void **state)
{
	struct omega_sandbox *sandbox = open_shipped();
	size_t i;
	size_t j;

	(void)state;
	for (i = 0; policies[i] != NULL; i++)
		combine(sandbox, policies[i], NULL);
	for (i = 0; agents[i] != NULL; i++)
		for (j = 0; policies[j] != NULL; j++)
			combine(sandbox, policies[j], agents[i]);
	omega_sandbox_unref(sandbox);
}

static void
test_every_section_has_a_description(void **state)
{
	struct omega_sandbox *sandbox = open_shipped();
	size_t i;

	(void)state;
	assert_in_range(sandbox->conf->section_count, 20, 1000);
	for (i = 0; i < sandbox->conf->section_count; i++) {
		const struct omega_conf_section *section =
		    &sandbox->conf->sections[i];

		if (omega_sections_entry(section, "description") == NULL)
			fail_msg("%s \"%s\" has none",
			    omega_scan_types[section->type], section->title);
	}
	omega_sandbox_unref(sandbox);
}

static bool
has(const struct omega_layer *rules, enum omega_option_id rule,
    const char *word)
{
	return omega_list_has(&rules->values[rule].items, word);
}

/* Is path one of the group's, or below one? */
static bool
is_in_group(const struct omega_conf *conf, const char *group, const char *path)
{
	const struct omega_conf_list *list = omega_named_group(conf, group);
	size_t i;

	assert_non_null(list);
	for (i = 0; i < list->count; i++) {
		size_t len = strlen(list->items[i].text);

		if (strncmp(path, list->items[i].text, len) == 0 &&
		    (path[len] == '/' || path[len] == '\0'))
			return true;
	}
	return false;
}

/* Nothing a profile lets a program write is within what it denies. */
static void
check_agent(const struct omega_conf *conf, const char *name)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_layer rules;
	const struct omega_conf_list *write;
	size_t i;
	size_t j;

	memset(&rules, 0, sizeof(rules));
	if (omega_named_rules(conf, OMEGA_SCAN_AGENT, name, &rules, &error) !=
	    0)
		fail_msg("%s", error.text);
	assert_true(rules.values[OMEGA_OPTION_READ_ALL].number == 1);
	assert_true(has(&rules, OMEGA_OPTION_WRITE, "{work_dir}"));
	assert_true(has(&rules, OMEGA_OPTION_WRITE, "/tmp"));
	assert_true(has(&rules, OMEGA_OPTION_DENY, "@credentials"));
	assert_true(has(&rules, OMEGA_OPTION_DENY_WRITE, "@persistence"));
	assert_true(has(&rules, OMEGA_OPTION_DENY_WRITE, "@project"));
	write = &rules.values[OMEGA_OPTION_WRITE].items;
	for (i = 0; i < write->count; i++) {
		const struct omega_conf_list *lists[] = {
		    &rules.values[OMEGA_OPTION_DENY].items,
		    &rules.values[OMEGA_OPTION_DENY_WRITE].items};
		size_t k;

		for (k = 0; k < 2; k++)
			for (j = 0; j < lists[k]->count; j++)
				if (is_in_group(conf,
					lists[k]->items[j].text + 1,
					write->items[i].text))
					fail_msg("%s writes %s, which is in %s",
					    name, write->items[i].text,
					    lists[k]->items[j].text);
	}
	omega_layer_clear(&rules);
}

static void
test_agents_are_consistent(void **state)
{
	struct omega_sandbox *sandbox = open_shipped();
	size_t i;
	size_t j;

	(void)state;
	for (i = 0; agents[i] != NULL; i++)
		check_agent(sandbox->conf, agents[i]);
	/* A profile denies what the other programs sign in with, and not what
	 * its own does. */
	for (i = 0; agents[i] != NULL; i++)
		for (j = 1; strstr(agents[j], "-online") == NULL; j++) {
			struct omega_layer rules;

			memset(&rules, 0, sizeof(rules));
			assert_int_equal(
			    omega_named_rules(sandbox->conf, OMEGA_SCAN_AGENT,
				agents[i], &rules, NULL),
			    0);
			assert_int_equal(has(&rules, OMEGA_OPTION_DENY,
					     text("@%s-tokens", agents[j])),
			    strncmp(agents[i], agents[j], strlen(agents[j])) !=
				0);
			omega_layer_clear(&rules);
		}
	omega_sandbox_unref(sandbox);
}

static void
test_groups_have_the_well_known(void **state)
{
	static const char *const credentials[] = {"~/.ssh/id_ed25519",
	    "~/.gnupg", "~/.aws/credentials", "~/.config/gcloud", "~/.azure",
	    "~/.netrc", "~/.npmrc", "~/.pypirc", "~/.cargo/credentials.toml",
	    "~/.git-credentials", "~/.docker/config.json", "~/.kube/config",
	    "~/.mozilla/firefox", "~/.config/google-chrome",
	    "~/.local/share/keyrings", "~/.bash_history", "~/.zsh_history",
	    "{runtime_dir}/containers/auth.json", "~/.config/github-copilot",
	    "~/.config/goose", "~/.continue", "~/.kaggle", "~/.config/solana",
	    "~/.modal.toml", "~/.config/wandb", "~/.doppler", "~/.supabase",
	    "/etc/shadow", "/etc/ssl/private/x.key",
	    "/etc/ssh/ssh_host_ed25519_key", "~/.var/app/org.signal.Signal",
	    "~/.electrum", NULL};
	static const char *const persistence[] = {"~/.bashrc", "~/.profile",
	    "~/.zshrc", "~/.gitconfig", "~/.config/git/hooks",
	    "~/.config/systemd/user", "~/.config/autostart",
	    "/var/spool/cron/crontabs", "~/.ssh/authorized_keys",
	    "~/.claude/settings.json", "~/.vscode", "~/.config/Code", NULL};
	struct omega_sandbox *sandbox = open_shipped();
	size_t i;

	(void)state;
	for (i = 0; credentials[i] != NULL; i++)
		if (!is_in_group(sandbox->conf, "credentials", credentials[i]))
			fail_msg("%s", credentials[i]);
	for (i = 0; persistence[i] != NULL; i++)
		if (!is_in_group(sandbox->conf, "persistence", persistence[i]))
			fail_msg("%s", persistence[i]);
	omega_sandbox_unref(sandbox);
}

/* Root can read what is private by its mode: no list may have it. */
static void
test_strict_reads_nothing_private(void **state)
{
	static const char *const private[] = {"/etc/ssl/private",
	    "/etc/pki/tls/private", "/etc/pki/CA/private", "/etc/pki/nssdb",
	    "/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh",
	    "/etc/krb5.keytab", "/root", "/home", "/var/lib", "/var/log",
	    "/var/spool", "/run", "/mnt", "/srv", NULL};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox *sandbox = open_shipped();
	const struct omega_conf_list *read;
	struct omega_layer rules;
	size_t i;
	size_t j;

	(void)state;
	memset(&rules, 0, sizeof(rules));
	if (omega_named_rules(sandbox->conf, OMEGA_SCAN_POLICY, "strict",
		&rules, &error) != 0)
		fail_msg("%s", error.text);
	read = &rules.values[OMEGA_OPTION_READ].items;
	assert_int_not_equal(read->count, 0);
	for (i = 0; i < read->count; i++)
		for (j = 0; private[j] != NULL; j++) {
			size_t len = strlen(read->items[i].text);

			if (strncmp(private[j], read -> items[i].text, len) ==
				0 &&
			    (private[j][len] == '/' || private[j][len] == '\0'))
				fail_msg(
				    "%s: %s", read->items[i].text, private[j]);
		}
	omega_layer_clear(&rules);
	assert_false(is_in_group(sandbox->conf, "credentials", "~/.yarnrc"));
	omega_sandbox_unref(sandbox);
}

static void
test_tiers_are_sandboxed(void **state)
{
	static const char *const tiers[][2] = {{"untrusted", "strict"},
	    {"verified", "tool"}, {"local", "default"}};
	struct omega_sandbox *sandbox = open_shipped();
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct omega_sandbox_section tier = OMEGA_SANDBOX_SECTION_INIT;

		assert_int_equal(omega_sandbox_get_section(sandbox,
				     OMEGA_SANDBOX_SECTION_TIER, tiers[i][0], 0,
				     &tier, NULL),
		    0);
		assert_true(tier.is_sandboxed);
		assert_string_equal(tier.policy, tiers[i][1]);
	}
	omega_sandbox_unref(sandbox);
}

/* The policy with a work directory. */
static struct omega_sandbox_policy *
policy_of(struct omega_sandbox *sandbox, const char *name)
{
	struct omega_sandbox_policy *policy = NULL;
	const char *work = scratch_dir();

	assert_int_equal(
	    omega_sandbox_policy_new(sandbox, name, &policy, NULL), 0);
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "work_dir", work, NULL), 0);
	return policy;
}

/* A sandbox with what is shipped and one of the examples. */
static struct omega_sandbox *
open_example(const char *name)
{
	static char home[600];
	char base[512];
	struct omega_sandbox *sandbox;

	snprintf(base, sizeof(base), "%s", scratch_dir());
	snprintf(home, sizeof(home), "%s/home", base);
	chmod(base, 0755);
	make_dir(text("%s/project/output", home));
	home_set(home);
	assert_in_range(
	    shipped_copy("etc/examples", text("%s/examples", base)), 3, 100);
	sandbox = shipped_open(
	    base, text("%s/examples/%s", base, name), "/nonexistent");
	assert_non_null(sandbox);
	assert_non_null(omega_sandbox_get_config_file(sandbox, 0));
	return sandbox;
}

static void
test_the_presets_written_out(void **state)
{
	static const char *const names[] = {
	    "default-tool", "mcp-server", "strict-tool", NULL};
	struct omega_sandbox *sandbox = open_example("presets.conf");
	size_t i;

	(void)state;
	for (i = 0; names[i] != NULL; i++) {
		struct omega_sandbox_policy *policy =
		    policy_of(sandbox, names[i]);
		struct omega_combined combined;
		bool is_mcp = strcmp(names[i], "mcp-server") == 0;

		make_dir(text("%s/.git", policy->work_dir));
		assert_int_equal(omega_combine(policy, &combined, NULL), 0);
		assert_false(combined.read.is_limited);
		assert_true(combined.write.is_limited);
		assert_int_equal(combined.write.places.count, is_mcp ? 1 : 2);
		assert_int_equal(combined.deny_network == NULL, is_mcp);
		/* The data directory and the git metadata at least. */
		assert_in_range(combined.denies.count,
		    strcmp(names[i], "strict-tool") == 0 ? 100 : 2, 1000);
		omega_combine_drop(&combined);
		omega_sandbox_policy_unref(policy);
	}
	omega_sandbox_unref(sandbox);
}

static void
test_the_lists_of_the_example(void **state)
{
	struct omega_sandbox *sandbox = open_example("allowlist.conf");
	struct omega_sandbox_policy *policy = policy_of(sandbox, "project");
	struct omega_combined combined;

	(void)state;
	assert_int_equal(omega_combine(policy, &combined, NULL), 0);
	assert_true(combined.read.is_limited);
	assert_int_equal(combined.write.places.count, 2);
	assert_true(combined.run.is_limited);
	assert_int_equal(combined.ports[0].count, 1);
	assert_int_equal(combined.ports[0].list[0], 443);
	assert_true(combined.ports[1].is_limited);
	assert_int_equal(combined.ports[1].count, 0);
	assert_true(combined.values[OMEGA_OPTION_MAX_MEMORY].number ==
		    (uint64_t)2048 << 20);
	assert_int_equal(
	    combined.values[OMEGA_OPTION_MAX_OPEN_FILES].number, 1024);
	assert_int_equal(
	    combined.values[OMEGA_OPTION_MAX_PROCESSES].number, 50);
	assert_int_equal(omega_policy_limit(policy, OMEGA_OPTION_TIMEOUT), 300);
	omega_combine_drop(&combined);
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
}

static void
test_the_blocked_paths_of_the_example(void **state)
{
	struct omega_sandbox *sandbox = open_example("blocked-paths.conf");

	(void)state;
	assert_string_equal(
	    omega_sandbox_get_option(sandbox, "blocked_paths", 0, NULL, NULL),
	    "/etc/shadow");
	assert_string_equal(
	    omega_sandbox_get_option(sandbox, "blocked_paths", 1, NULL, NULL),
	    "/etc/passwd");
	assert_null(
	    omega_sandbox_get_option(sandbox, "blocked_paths", 2, NULL, NULL));
	omega_sandbox_unref(sandbox);
}

/* Is there a line about path that ends like this? */
static bool
says(struct omega_sandbox_policy *policy, const char *words)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_report *report = NULL;
	bool is_said = false;
	size_t i;

	if (omega_sandbox_describe(policy, &report, &error) < 0)
		fail_msg("%s", error.text);
	for (i = 0;; i++) {
		struct omega_sandbox_guarantee line =
		    OMEGA_SANDBOX_GUARANTEE_INIT;

		if (omega_sandbox_report_get(report, i, &line) < 0)
			break;
		if (strstr(line.text, words) != NULL)
			is_said = true;
	}
	omega_sandbox_report_unref(report);
	return is_said;
}

/* What cannot be written anyway needs no guarantee of its own that it is not
 * made. */
static void
test_absent_paths_out_of_lists_are_not_told(void **state)
{
	struct omega_sandbox *sandbox = open_shipped();
	struct omega_sandbox_policy *policy;

	(void)state;
	policy = policy_of(sandbox, "strict");
	assert_false(says(policy, "/.ssh cannot be created"));
	omega_sandbox_policy_unref(policy);
	policy = policy_of(sandbox, "default");
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "deny", "~/.ssh", NULL), 0);
	assert_true(says(policy, "/.ssh cannot be created"));
	omega_sandbox_policy_unref(policy);
	policy = policy_of(sandbox, "default");
	assert_int_equal(
	    omega_sandbox_policy_set(policy, "agent", "claude", NULL), 0);
	assert_false(says(policy, "/.ssh cannot be created"));
	assert_true(says(policy, "/.vscode cannot be created"));
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
}

static void
test_sections_are_told(void **state)
{
	struct omega_sandbox_section section = OMEGA_SANDBOX_SECTION_INIT;
	struct omega_sandbox *sandbox = open_shipped();
	bool has_claude = false;
	size_t i;

	(void)state;
	for (i = 0;
	     omega_sandbox_get_section(sandbox, OMEGA_SANDBOX_SECTION_AGENT,
		 NULL, i, &section, NULL) == 0;
	     i++)
		if (strcmp(section.name, "claude") == 0) {
			has_claude = true;
			assert_true(section.is_shipped);
			assert_string_equal(section.policy, "agent");
			assert_non_null(strstr(section.file, "agents.conf"));
			assert_int_not_equal(section.line, 0);
		}
	assert_int_equal(i, 11);
	assert_true(has_claude);
	assert_int_equal(
	    omega_sandbox_get_section(
		sandbox, OMEGA_SANDBOX_SECTION_AGENT, NULL, i, &section, NULL),
	    OMEGA_SANDBOX_E_NOT_FOUND);
	assert_null(omega_sandbox_get_option(sandbox, "floor", 0, NULL, NULL));
	assert_null(omega_sandbox_get_config_file(sandbox, 0));
	omega_sandbox_unref(sandbox);
}

static void
test_sections_of_an_administrator(void **state)
{
	struct omega_sandbox_section section = OMEGA_SANDBOX_SECTION_INIT;
	struct omega_sandbox_sources sources = {.plugindir = "/nonexistent"};
	struct omega_log log = {.fn = NULL};
	struct omega_sandbox *sandbox = NULL;
	const char *dir = scratch_dir();
	const char *file = NULL;
	uint32_t line = 0;

	(void)state;
	chmod(dir, 0755);
	sources.conf.file = text("%s/x.conf", dir);
	sources.conf.is_explicit = true;
	make_file(sources.conf.file,
	    "floor = p\npolicy p {\n}\ntier t { policy = p }\n");
	assert_int_equal(
	    omega_sandbox_object_new(&sources, &log, &sandbox, NULL), 0);
	/* default is always there. */
	assert_int_equal(
	    omega_sandbox_get_section(
		sandbox, OMEGA_SANDBOX_SECTION_POLICY, NULL, 0, &section, NULL),
	    0);
	assert_string_equal(section.name, "default");
	assert_string_equal(section.file, "");
	assert_int_equal(
	    omega_sandbox_get_section(
		sandbox, OMEGA_SANDBOX_SECTION_POLICY, NULL, 1, &section, NULL),
	    0);
	assert_string_equal(section.name, "p");
	assert_string_equal(section.description, "");
	assert_string_equal(section.policy, "");
	assert_string_equal(section.file, text("%s/x.conf", dir));
	assert_int_equal(section.line, 2);
	assert_false(section.is_shipped);
	assert_int_equal(
	    omega_sandbox_get_section(
		sandbox, OMEGA_SANDBOX_SECTION_POLICY, NULL, 2, &section, NULL),
	    OMEGA_SANDBOX_E_NOT_FOUND);
	assert_int_equal(
	    omega_sandbox_get_section(
		sandbox, OMEGA_SANDBOX_SECTION_GROUP, NULL, 0, &section, NULL),
	    OMEGA_SANDBOX_E_NOT_FOUND);
	assert_int_equal(
	    omega_sandbox_get_section(
		sandbox, OMEGA_SANDBOX_SECTION_TIER, NULL, 0, &section, NULL),
	    0);
	assert_string_equal(section.policy, "p");
	assert_string_equal(
	    omega_sandbox_get_option(sandbox, "floor", 0, &file, &line), "p");
	assert_string_equal(file, text("%s/x.conf", dir));
	assert_int_equal(line, 1);
	assert_null(omega_sandbox_get_option(sandbox, "floor", 1, NULL, NULL));
	assert_string_equal(omega_sandbox_get_config_file(sandbox, 0), file);
	assert_null(omega_sandbox_get_config_file(sandbox, 1));
	/* A struct of an older release is not written past its end. */
	section.size = sizeof(section.size) + 4;
	section.name = "kept";
	assert_int_equal(
	    omega_sandbox_get_section(
		sandbox, OMEGA_SANDBOX_SECTION_TIER, NULL, 0, &section, NULL),
	    0);
	assert_string_equal(section.name, "kept");
	section.size = 0;
	assert_int_equal(
	    omega_sandbox_get_section(
		sandbox, OMEGA_SANDBOX_SECTION_TIER, NULL, 0, &section, NULL),
	    OMEGA_SANDBOX_E_ARGUMENT);
	section.size = sizeof(section);
	assert_int_equal(
	    omega_sandbox_get_section(sandbox,
		(enum omega_sandbox_section_type)5, NULL, 0, &section, NULL),
	    OMEGA_SANDBOX_E_ARGUMENT);
	assert_int_equal(
	    omega_sandbox_get_section(
		NULL, OMEGA_SANDBOX_SECTION_TIER, NULL, 0, &section, NULL),
	    OMEGA_SANDBOX_E_ARGUMENT);
	omega_sandbox_unref(sandbox);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_libconfuse_finds_the_same),
    cmocka_unit_test(test_all_of_them_load),
    cmocka_unit_test(test_every_section_has_a_description),
    cmocka_unit_test(test_agents_are_consistent),
    cmocka_unit_test(test_groups_have_the_well_known),
    cmocka_unit_test(test_strict_reads_nothing_private),
    cmocka_unit_test(test_tiers_are_sandboxed),
    cmocka_unit_test(test_absent_paths_out_of_lists_are_not_told),
    cmocka_unit_test(test_the_presets_written_out),
    cmocka_unit_test(test_the_lists_of_the_example),
    cmocka_unit_test(test_the_blocked_paths_of_the_example),
    cmocka_unit_test(test_sections_are_told),
    cmocka_unit_test(test_sections_of_an_administrator),
};

int
main(void)
{
	scratch_outside_tmp();
	return run_all(tests);
}
