/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-agents.c - the shipped agent profiles on this kernel: a program in the
 * place of each agent can write its state and its work directory, and neither
 * read nor write keys, start-up files or its own settings. Every attempt is
 * made without a sandbox first, where it succeeds.
 */

#include "harness.h"

#include <sys/stat.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omega/sandbox.h>

#include "deeds.h"
#include "home.h"
#include "shipped.h"
#include "twice.h"

/* What a stand-in does, by sh in its home. */
struct deed {
	const char *script; /* exits with 0 when it could */
	bool is_allowed;
};

static const struct deed always[] = {
    {"echo x >work/new", true},
    {"echo x >work/old && mv work/old work/older && rm work/older", true},
    {"echo x >.cache/new", true},
    {"t=$(mktemp) && rm $t", true},
    {"cat .profile", true},
    {"cat .ssh/id_test", false},
    {"ls .ssh/*", false},
    {"echo x >.ssh/authorized_keys", false},
    {"cat .netrc", false},
    {"cat .aws/credentials", false},
    {"echo x >>.profile", false},
    {"mv .profile .profile.away && mv .profile.away .profile", false},
    {"echo x >>.gitconfig", false},
    {"echo x >.config/systemd/user/x.service", false},
    {"echo x >.config/autostart/x.desktop", false},
    {"echo x >work/.vscode/tasks.json", false},
    {"echo x >work/.git/hooks/pre-commit", false},
    {"echo x >>work/.git/config", false},
    {"echo x >elsewhere", false},
};

/* The state of each agent: a directory, something in it that it runs or obeys,
 * and what the others sign in with. */
static const struct agent {
	const char *name;
	const char *state;
	const char *obeyed; /* NULL: nothing */
	const char *tokens; /* its own; NULL: none */
} agents[] = {
    {"generic", ".cache/any", NULL, NULL},
    {"claude", ".claude", ".claude/settings.json", ".claude/.credentials.json"},
    {"codex", ".codex", ".codex/config.toml", ".codex/auth.json"},
    {"gemini", ".gemini", ".gemini/settings.json", ".gemini/oauth_creds.json"},
    {"aider", ".aider", ".aider.conf.yml", ".aider/oauth-keys.env"},
    {"opencode", ".local/share/opencode", ".config/opencode/opencode.json",
	".local/share/opencode/auth.json"},
    {"openclaw", ".openclaw", ".openclaw/openclaw.json", ".openclaw/.env"},
    {"claude-online", ".claude", ".claude/settings.json",
	".claude/.credentials.json"},
};
#define AGENTS (sizeof(agents) / sizeof(agents[0]))

static int
make_home(const char *home)
{
	static const char *const files[] = {".profile", ".gitconfig", ".netrc",
	    ".ssh/id_test", ".aws/credentials", ".cache/any/x",
	    ".config/systemd/user/a", ".config/autostart/a", "work/a",
	    "work/.git/config", "work/.git/hooks/a", "work/.vscode/a",
	    ".omega/data/memory.db", ".omega/config.toml", NULL};
	size_t i;
	int faults = 0;

	need(mkdir(home, 0755) == 0);
	for (i = 0; files[i] != NULL; i++)
		faults += deeds_put(home, files[i]);
	for (i = 0; i < AGENTS; i++) {
		faults += deeds_put(home, text("%s/state", agents[i].state));
		if (agents[i].obeyed != NULL)
			faults += deeds_put(home, agents[i].obeyed);
		if (agents[i].tokens != NULL)
			faults += deeds_put(home, agents[i].tokens);
	}
	return faults;
}

static int
try_agent(
    struct omega_sandbox *sandbox, const char *home, const struct agent *agent)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_policy *policy = NULL;
	int faults = 0;
	size_t i;

	if (omega_sandbox_policy_new(sandbox, "default", &policy, &error) < 0 ||
	    omega_sandbox_policy_set(
		policy, "work_dir", text("%s/work", home), &error) < 0 ||
	    omega_sandbox_policy_set(policy, "agent", agent->name, &error) <
		0 ||
	    omega_sandbox_prepare(policy, &prepared, &error) < 0) {
		fprintf(stderr, "# %s: %s\n", agent->name, error.text);
		omega_sandbox_policy_unref(policy);
		return 1;
	}
	for (i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		faults += deeds_judge(agent->name, prepared, home,
		    always[i].script, always[i].is_allowed);
	faults += deeds_judge(agent->name, prepared, home,
	    text("echo x >%s/new && mv %s/new %s/state", agent->state,
		agent->state, agent->state),
	    true);
	if (agent->obeyed != NULL) {
		faults += deeds_judge(agent->name, prepared, home,
		    text("cat %s", agent->obeyed), true);
		faults += deeds_judge(agent->name, prepared, home,
		    text("echo x >>%s", agent->obeyed), false);
	}
	for (i = 0; i < AGENTS; i++)
		if (agents[i].tokens != NULL)
			faults += deeds_judge(agent->name, prepared, home,
			    text("cat %s", agents[i].tokens),
			    agent->tokens != NULL &&
				strcmp(agent->tokens, agents[i].tokens) == 0);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_policy_unref(policy);
	return faults;
}

static int
agents_write_their_state_only(void *arg)
{
	const char *base = arg;
	static char home[PATH_MAX];
	struct omega_sandbox *sandbox;
	int faults = 0;
	size_t i;

	snprintf(home, sizeof(home), "%s/home", base);
	need(make_home(home) == 0);
	home_set(home);
	/* Its directory would be kept as it is, if it were there. */
	sandbox = shipped_open(
	    base, text("%s/none/sandbox.conf", base), OMEGA_PLUGINDIR);
	need(sandbox != NULL);
	for (i = 0; i < AGENTS; i++)
		faults += try_agent(sandbox, home, &agents[i]);
	omega_sandbox_unref(sandbox);
	return faults;
}
TWICE(agents_write_their_state_only)

/* In a home that has never seen it: describing makes nothing, a start does. */
static int
try_fresh(
    struct omega_sandbox *sandbox, const char *home, const struct agent *agent)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_report *report = NULL;
	char *state = text("%s/%s", home, agent->state);
	struct stat st;
	int faults = 0;

	need(omega_sandbox_policy_new(sandbox, "default", &policy, &error) ==
		 0 &&
	     omega_sandbox_policy_set(
		 policy, "work_dir", text("%s/work", home), &error) == 0 &&
	     omega_sandbox_policy_set(policy, "agent", agent->name, &error) ==
		 0 &&
	     omega_sandbox_describe(policy, &report, &error) == 0);
	need(stat(state, &st) != 0 && errno == ENOENT);
	if (omega_sandbox_prepare(policy, &prepared, &error) < 0) {
		fprintf(stderr, "# %s: %s\n", agent->name, error.text);
		faults++;
	} else if (stat(state, &st) != 0 || st.st_mode != (S_IFDIR | 0700)) {
		fprintf(stderr, "# %s: %s\n", agent->name, state);
		faults++;
	} else {
		faults += deeds_judge(agent->name, prepared, home,
		    text("echo x >%s/new && mv %s/new %s/state", agent->state,
			agent->state, agent->state),
		    true);
		/* Of claude it is set, and below the home. */
		faults += deeds_judge(agent->name, prepared, home,
		    "[ \"$CLAUDE_CONFIG_DIR\" != \"$PWD/.claude\" ]",
		    strncmp(agent->name, "claude", 6) != 0);
	}
	omega_sandbox_report_unref(report);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_policy_unref(policy);
	return faults;
}

static int
state_is_made(void *arg)
{
	const char *base = arg;
	static char home[PATH_MAX];
	struct omega_sandbox *sandbox;
	int faults = 0;
	size_t i;

	snprintf(home, sizeof(home), "%s/home", base);
	need(mkdir(home, 0755) == 0 && deeds_put(home, "work/a") == 0 &&
	     deeds_put(home, ".omega/config.toml") == 0);
	home_set(home);
	sandbox = shipped_open(
	    base, text("%s/none/sandbox.conf", base), OMEGA_PLUGINDIR);
	need(sandbox != NULL);
	for (i = 1; i < AGENTS; i++) { /* the first has none */
		faults += try_fresh(sandbox, home, &agents[i]);
		/* Another may have the same. */
		need(rename(text("%s/%s", home, agents[i].state),
			 text("%s/was-%zu", home, i)) == 0);
	}
	omega_sandbox_unref(sandbox);
	return faults;
}
TWICE(state_is_made)

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_agents_write_their_state_only),
    cmocka_unit_test(test_state_is_made),
};

int
main(void)
{
	/* The shell has its temporary files in /tmp all the same. */
	scratch_outside_tmp();
	return run_all(tests);
}
