/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-shipped.c - the policies, profiles, groups and tiers that come with the
 * product (etc/shipped) and the examples (etc/examples): they load, name only
 * what is there, and say what their descriptions promise.
 */

#include "harness.h"

#include <sys/stat.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/sections.h"
#include "load/log.h"
#include "policy/combine.h"
#include "policy/named.h"
#include "policy/policy.h"

static const char *const agents[] = {"generic", "claude", "codex", "gemini",
    "aider", "opencode", "openclaw", NULL};
static const char *const policies[] = {
    "default", "tool", "mcp", "strict", "https", "agent", NULL};

/* Copies of the *.conf of a source directory, which need not be trusted. */
static const char *
copy_confs(const char *from, const char *to)
{
	const char *top = getenv("top_srcdir");
	char *source = text("%s/%s", top == NULL ? "." : top, from);
	DIR *dir = opendir(source);
	struct dirent *entry;
	size_t copied = 0;

	assert_non_null(dir);
	make_dir(to);
	chmod(to, 0755);
	while ((entry = readdir(dir)) != NULL) {
		size_t len = strlen(entry->d_name);
		char *content;
		FILE *in;

		if (len < 5 || strcmp(entry->d_name + len - 5, ".conf") != 0)
			continue;
		in = fopen(text("%s/%s", source, entry->d_name), "r");
		assert_non_null(in);
		content = calloc(1, 65536);
		assert_non_null(content);
		assert_in_range(fread(content, 1, 65535, in), 1, 65534);
		fclose(in);
		make_file(text("%s/%s", to, entry->d_name), content);
		chmod(text("%s/%s", to, entry->d_name), 0644);
		free(content);
		copied++;
	}
	closedir(dir);
	assert_int_not_equal(copied, 0);
	return to;
}

/* A sandbox with what is shipped, and a file of the administrator's. */
static struct omega_sandbox *
open_shipped(const char *base, const char *file)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_sources sources = {.plugindir = "/nonexistent"};
	struct omega_log log = {.fn = NULL};
	struct omega_sandbox *sandbox = NULL;

	chmod(base, 0755);
	sources.conf.shipped =
	    copy_confs("etc/shipped", text("%s/shipped", base));
	sources.conf.file = file;
	if (omega_sandbox_object_new(&sources, &log, &sandbox, &error) != 0)
		fail_msg("%s", error.text);
	return sandbox;
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
	    omega_sandbox_policy_set_data_dir(policy, omega, &error) != 0 ||
	    omega_sandbox_policy_set_work_dir(policy, work, &error) != 0 ||
	    (agent != NULL &&
		omega_sandbox_policy_add_agent(policy, agent, &error) != 0) ||
	    omega_combine(policy, &combined, &error) != 0)
		fail_msg(
		    "%s %s: %s", name, agent == NULL ? "" : agent, error.text);
	omega_combine_drop(&combined);
	omega_sandbox_policy_unref(policy);
}

static void
test_all_of_them_load(void **state)
{
	char base[512];
	struct omega_sandbox *sandbox;
	size_t i;
	size_t j;

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_dir());
	sandbox = open_shipped(base, text("%s/none.conf", base));
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
	char base[512];
	struct omega_sandbox *sandbox;
	size_t i;

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_dir());
	sandbox = open_shipped(base, text("%s/none.conf", base));
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
has(const struct omega_layer *rules, enum omega_layer_rule rule,
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
	assert_true(rules.values[OMEGA_RULE_READ_ALL].number == 1);
	assert_true(has(&rules, OMEGA_RULE_WRITE, "{work_dir}"));
	assert_true(has(&rules, OMEGA_RULE_WRITE, "/tmp"));
	assert_true(has(&rules, OMEGA_RULE_DENY, "@credentials"));
	assert_true(has(&rules, OMEGA_RULE_DENY_WRITE, "@persistence"));
	assert_true(has(&rules, OMEGA_RULE_DENY_WRITE, "@project"));
	write = &rules.values[OMEGA_RULE_WRITE].items;
	for (i = 0; i < write->count; i++) {
		const struct omega_conf_list *lists[] = {
		    &rules.values[OMEGA_RULE_DENY].items,
		    &rules.values[OMEGA_RULE_DENY_WRITE].items};
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
	char base[512];
	struct omega_sandbox *sandbox;
	size_t i;
	size_t j;

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_dir());
	sandbox = open_shipped(base, text("%s/none.conf", base));
	for (i = 0; agents[i] != NULL; i++)
		check_agent(sandbox->conf, agents[i]);
	/* A profile denies what the other programs sign in with, and not what
	 * its own does. */
	for (i = 0; agents[i] != NULL; i++)
		for (j = 1; agents[j] != NULL; j++) {
			struct omega_layer rules;

			memset(&rules, 0, sizeof(rules));
			assert_int_equal(
			    omega_named_rules(sandbox->conf, OMEGA_SCAN_AGENT,
				agents[i], &rules, NULL),
			    0);
			assert_int_equal(has(&rules, OMEGA_RULE_DENY,
					     text("@%s-tokens", agents[j])),
			    i != j);
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
	    NULL};
	static const char *const persistence[] = {"~/.bashrc", "~/.profile",
	    "~/.zshrc", "~/.gitconfig", "~/.config/git/hooks",
	    "~/.config/systemd/user", "~/.config/autostart",
	    "/var/spool/cron/crontabs", "~/.ssh/authorized_keys",
	    "~/.claude/settings.json", "~/.vscode", "~/.config/Code", NULL};
	char base[512];
	struct omega_sandbox *sandbox;
	size_t i;

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_dir());
	sandbox = open_shipped(base, text("%s/none.conf", base));
	for (i = 0; credentials[i] != NULL; i++)
		if (!is_in_group(sandbox->conf, "credentials", credentials[i]))
			fail_msg("%s", credentials[i]);
	for (i = 0; persistence[i] != NULL; i++)
		if (!is_in_group(sandbox->conf, "persistence", persistence[i]))
			fail_msg("%s", persistence[i]);
	omega_sandbox_unref(sandbox);
}

static void
test_tiers_are_sandboxed(void **state)
{
	static const char *const tiers[][2] = {{"untrusted", "strict"},
	    {"verified", "tool"}, {"local", "default"}};
	char base[512];
	struct omega_sandbox *sandbox;
	size_t i;

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_dir());
	sandbox = open_shipped(base, text("%s/none.conf", base));
	for (i = 0; i < 3; i++) {
		struct omega_sandbox_tier tier = OMEGA_SANDBOX_TIER_INIT;

		assert_int_equal(
		    omega_sandbox_get_tier(sandbox, tiers[i][0], &tier, NULL),
		    0);
		assert_true(tier.is_sandboxed);
		assert_string_equal(tier.policy, tiers[i][1]);
	}
	omega_sandbox_unref(sandbox);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_all_of_them_load),
    cmocka_unit_test(test_every_section_has_a_description),
    cmocka_unit_test(test_agents_are_consistent),
    cmocka_unit_test(test_groups_have_the_well_known),
    cmocka_unit_test(test_tiers_are_sandboxed),
};

int
main(void)
{
	return run_all(tests);
}
