/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-stops.c - nothing a command can do to the files of its user stops the
 * next command, or takes from it what the user's configuration denies.
 */

#include "harness.h"

#include <sys/stat.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "deeds.h"
#include "home.h"
#include "load/sandbox.h"
#include "shipped.h"
#include "twice.h"

#define USERS ".config/omega/sandbox.conf"

/* What a command tries, by sh in its home. What it is refused is fine too. */
static const char *const acts[] = {
    /* The user's configuration, and the way to it */
    "mkdir -p .config/omega; echo garbage >" USERS,
    "rm -rf .config; mkdir -p .config/omega/sandbox.conf",
    "rm -rf .config; ln -s .config .config",
    "rm -rf .config; echo >.config",
    "rm -rf .config; ln -s nowhere .config",
    "mv .config .away",
    "mv .config/omega .config/away",
    "chmod 000 " USERS "; chmod 666 " USERS,
    "chmod 000 .config/omega",
    "chmod 000 .config",
    "chmod 600 .config",
    "chmod 777 . .config .config/omega",
    "chown 1234 . .config .config/omega " USERS,
    "chmod 000 .",
    "chmod 400 .",
    "mv ../home ../away",
    NULL,
    /* The data directory */
    "chmod 000 .omega",
    "chmod 600 .omega",
    "chmod 300 .omega",
    "chmod 500 .omega",
    "chmod 000 .omega/data .omega/config.toml",
    "chmod 000 .omega .config; chmod 000 .",
    "chown 1234 .omega; chmod 000 .omega",
    "mv .omega .away",
    "rm -rf .omega; echo >.omega",
    "rm -rf .omega; ln -s .omega .omega",
    "rm -rf .omega/workspace; ln -s workspace .omega/workspace",
    "chattr +i .omega .config; chattr +a .",
    "setfacl -m u::--- .omega .config",
    "setfacl -d -m u::---,g::---,o::--- . .omega .config",
    "setfattr -n user.x -v y .omega",
    /* Names that a policy denies */
    "ln -s .netrc .netrc",
    "ln -s .pgpass .netrc; ln -s .netrc .pgpass",
    "ln -s .netrc/x .netrc",
    "ln -s nowhere/.. .netrc",
    "ln -s /proc/self/fd/0 .netrc",
    "mkfifo .netrc; mkdir .npmrc",
    "ln -s / .netrc",
    "ln -s . .netrc; ln -s .. .npmrc",
    "ln -s /usr/bin .netrc; ln -s /bin/sh .npmrc",
    "ln -s /lib .netrc; ln -s /lib64/ld-linux-x86-64.so.2 .npmrc",
    "ln -s /var .netrc; ln -s /dev/null .npmrc",
    "mkdir .aws; echo x >.aws/credentials; chmod 000 .aws",
    "mkdir -p .docker/config.json; chmod 000 .docker",
    "mkdir .kube; chmod 000 .kube; ln -s .kube/x .netrc",
    "rm -rf .cache; ln -s .cache .cache",
    "d=$(printf '%0250d' 0); p=.; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do"
    " p=$p/$d; done; mkdir -p $p && ln -s $p l1 && cd -P l1 && mkdir -p $p &&"
    " echo x >$p/x && ln -s $p l2 && cd - && ln -s l1/l2/x .netrc",
    /* The work directory */
    "rm -rf work/.git; ln -s .git work/.git",
    "rm -rf work/.git; echo gitdir: /usr >work/.git",
    "rm -rf work/.git; mkdir work/.git; chmod 000 work/.git",
    "mkdir work/a; chmod 000 work/a",
};

struct next {
	const char *policy;
	const char *agent;
	const char *as; /* what it is called in messages */
};

/* Without a network of its own: neighbours' sockets are not the matter here. */
#define CONFIGURATION                                       \
	"policy t { extends = \"tool\" network = allow }\n" \
	"policy s { extends = \"strict\" network = allow }\n"

static const struct next nexts[] = {
    {"default", NULL, "default"},
    {"t", NULL, "tool"},
    {"s", NULL, "strict"},
    {"default", "claude", "agent"},
};

static struct omega_sandbox *
open_sandbox(const char *base)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_sources sources = {.plugindir = OMEGA_PLUGINDIR};
	struct omega_log log = {.fn = NULL};
	struct omega_sandbox *sandbox = NULL;
	char shipped[PATH_MAX];
	char file[PATH_MAX];

	snprintf(shipped, sizeof(shipped), "%s/shipped", base);
	snprintf(file, sizeof(file), "%s/etc/sandbox.conf", base);
	sources.conf.shipped = shipped;
	sources.conf.file = file;
	sources.conf.user = USERS;
	if (omega_sandbox_object_new(&sources, &log, &sandbox, &error) < 0)
		fprintf(stderr, "# open: %s\n", error.text);
	return sandbox;
}

/* A script in the home, from nothing on. Its status, or -1. */
static int
run(const char *base, const struct next *next, const char *script)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_command *command = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox *sandbox = open_sandbox(base);
	char work[PATH_MAX];
	int ret = -1;
	int i;

	snprintf(work, sizeof(work), "%s/home/work", base);
	if (sandbox == NULL)
		return -1;
	ret = omega_sandbox_policy_new(sandbox, next->policy, &policy, &error);
	if (ret == 0)
		ret =
		    omega_sandbox_policy_set(policy, "work_dir", work, &error);
	if (ret == 0 && next->agent != NULL)
		ret = omega_sandbox_policy_set(
		    policy, "agent", next->agent, &error);
	if (ret == 0)
		ret = omega_sandbox_prepare(policy, &prepared, &error);
	if (ret == 0)
		ret = omega_sandbox_command_new(
		    prepared, "/bin/sh", &command, &error);
	for (i = 0; ret == 0 && i < 3; i++)
		ret = omega_sandbox_command_set_stdio(
		    command, i, OMEGA_SANDBOX_STDIO_NULL, -1, NULL);
	if (ret == 0)
		ret = omega_sandbox_command_add_arg(command, "-c", NULL);
	if (ret == 0)
		ret = omega_sandbox_command_add_arg(command, script, NULL);
	if (ret == 0)
		ret = omega_sandbox_command_set(command, "dir", "/", NULL);
	if (ret == 0)
		ret = omega_sandbox_run(command, &end, &error);
	if (ret < 0)
		fprintf(stderr, "# %s: %s\n", next->as, error.text);
	omega_sandbox_command_unref(command);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
	return ret < 0 ? -1 : end.status;
}

static int
make_home(const char *home, bool has_file)
{
	static const char *const files[] = {"secret", "work/.git/config",
	    ".omega/data/memory.db", ".omega/config.toml", ".cache/x", NULL};
	char path[PATH_MAX];
	FILE *file;
	size_t i;
	int faults = 0;

	/* GNU rm and chmod stop at what a command has closed. */
	need(system(text("cd / && { chattr -R -i -a %s; "
			 "find %s -type d -exec chmod u+rwx '{}' \\; ; "
			 "find %s -type d -exec chmod u+rwx '{}' \\; ; "
			 "rm -rf %s; } >/dev/null 2>&1 </dev/null",
		 home, home, home, home)) == 0);
	need(mkdir(home, 0755) == 0);
	for (i = 0; files[i] != NULL; i++)
		faults += deeds_put(home, files[i]);
	if (!has_file)
		return faults;
	faults += deeds_put(home, USERS);
	snprintf(path, sizeof(path), "%s/" USERS, home);
	file = fopen(path, "w");
	need(file != NULL);
	fputs("blocked_paths = { \"~/secret\" }\n", file);
	need(fclose(file) == 0);
	return faults;
}

/* Is what was content still so, by its owner? */
static bool
is_kept(const char *home, const char *name)
{
	char line[64] = "";
	FILE *file;

	chmod(home, 0755);
	chmod(text("%s/.omega", home), 0755);
	file = fopen(text("%s/%s", home, name), "r");
	if (file == NULL || fgets(line, sizeof(line), file) == NULL)
		line[0] = '\0';
	if (file != NULL)
		fclose(file);
	return strcmp(line, "content\n") == 0;
}

static int
try_act(const char *base, const char *act, bool has_file)
{
	/* Open what may be closed, then look for what is always denied, and
	 * for what the user has denied. */
	static const char look[] =
	    "cd %s/home 2>/dev/null; h=%s/home; chmod 700 $h $h/.omega; "
	    "cat $h/.omega/data/memory.db && exit 7; "
	    "echo >$h/.omega/data/memory.db && exit 8; "
	    "cat $h/secret && exit %d; exit 0";
	char home[PATH_MAX];
	int faults = 0;
	size_t i;

	snprintf(home, sizeof(home), "%s/home", base);
	need(make_home(home, has_file) == 0);
	home_set(home);
	need(run(base, &nexts[0], text("cd %s; %s", home, act)) >= 0);
	for (i = 0; i < sizeof(nexts) / sizeof(nexts[0]); i++) {
		int status;

		status = run(
		    base, &nexts[i], text(look, base, base, has_file ? 9 : 0));
		if (status != 0 || !is_kept(home, ".omega/data/memory.db")) {
			fprintf(stderr, "# then %s: %d, file %d: %s\n",
			    nexts[i].as, status, has_file, act);
			faults++;
		}
	}
	return faults;
}

static int
go_on(void *arg, bool has_file)
{
	const char *base = arg;
	FILE *file;
	int faults = 0;
	size_t i;

	umask(022);
	need(shipped_copy("etc/shipped", text("%s/shipped", base)) > 0);
	need(mkdir(text("%s/etc", base), 0755) == 0);
	file = fopen(text("%s/etc/sandbox.conf", base), "w");
	need(file != NULL && fputs(CONFIGURATION, file) >= 0);
	need(fclose(file) == 0);
	for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (acts[i] != NULL)
			faults += try_act(base, acts[i], has_file);
		else if (has_file)
			break; /* the others have to do with no file */
	need(make_home(text("%s/home", base), false) == 0);
	return faults;
}

static int
the_next_command_starts(void *arg)
{
	return go_on(arg, false);
}
TWICE(the_next_command_starts)

static int
the_users_file_still_counts(void *arg)
{
	return go_on(arg, true);
}
TWICE(the_users_file_still_counts)

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_next_command_starts),
    cmocka_unit_test(test_the_users_file_still_counts),
};

int
main(void)
{
	scratch_outside_tmp();
	return run_all(tests);
}
