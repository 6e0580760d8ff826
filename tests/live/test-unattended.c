/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-unattended.c - a command of root's plants nothing in what the machine
 * runs by itself: cron, at, units, rules. In mounts of its own, with such
 * directories made for it.
 */

#include "harness.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "load/sandbox.h"
#include "trees.h"
#include "twice.h"

static const char *const kept[] = {"/var/spool/cron/crontabs",
    "/var/spool/cron/atjobs", "/var/spool/at", "/run/systemd/system",
    "/run/systemd/generator.late", "/run/systemd/transient",
    "/run/udev/rules.d", "/run/service", "/var/lib/dpkg/info",
    "/var/lib/cloud/scripts/per-boot", "/var/lib/polkit-1/rules.d",
    "/usr/share/dbus-1/system-services", "/usr/share/polkit-1/actions",
    "/usr/share/perl5/Debconf", "/usr/share/git-core/templates/hooks",
    "/var/lib/apt/lists", "/var/lib/pam", "/var/cache/debconf", NULL};

/* Not there: said to be open, and seen by the path check. */
static const char *const absent[] = {
    "/run/modprobe.d", "/run/initramfs", "/run/tmpfiles.d", NULL};

static int
enter_ground(void)
{
	static const char *const trees[] = {
	    "/run", "/var/spool", "/var/lib", "/var/cache", "/usr/share", NULL};
	size_t i;

	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return CANNOT_MOUNT;
	for (i = 0; trees[i] != NULL; i++)
		need(trees_cover(trees[i], "mode=0755") == 0);
	umask(022);
	for (i = 0; kept[i] != NULL; i++)
		make_dir(kept[i]);
	make_dir("/run/free");
	return 0;
}

static int
run(struct omega_sandbox_prepared *prepared, const char *script)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = NULL;
	int ret;
	int i;

	ret = omega_sandbox_command_new(prepared, "/bin/sh", &command, &error);
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
	omega_sandbox_command_unref(command);
	if (ret < 0)
		fprintf(stderr, "# %s\n", error.text);
	return ret < 0 ? -1 : end.status;
}

static int
says_blocked(
    const struct omega_sandbox_guard *guard, const char *path, bool is_blocked)
{
	if (omega_sandbox_guard_is_blocked(
		guard, OMEGA_SANDBOX_WRITE, path, NULL) == is_blocked)
		return 0;
	fprintf(stderr, "# %s: not %d\n", path, is_blocked);
	return 1;
}

static int
try_all(struct omega_sandbox_prepared *prepared,
    const struct omega_sandbox_guard *guard)
{
	int faults = 0;
	size_t i;

	for (i = 0; kept[i] != NULL; i++) {
		const char *dir = kept[i];

		need(run(prepared, text("cd %s", dir)) == 0);
		if (run(prepared, text("echo x >%s/new", dir)) == 0 ||
		    run(prepared, text("chmod 777 %s", dir)) == 0 ||
		    run(prepared, text("mv %s %s.away", dir, dir)) == 0 ||
		    access(text("%s/new", dir), F_OK) == 0) {
			fprintf(stderr, "# can be changed: %s\n", dir);
			faults++;
		}
		faults += says_blocked(guard, text("%s/new", dir), true);
	}
	/* The way to them is not to be exchanged. */
	need(run(prepared, "mv /run/systemd /run/away") != 0);
	need(run(prepared, "mv /var/spool/cron /var/spool/away") != 0);
	for (i = 0; absent[i] != NULL; i++)
		faults += says_blocked(guard, text("%s/x", absent[i]), true);
	need(run(prepared, "echo x >/run/free/x && mkdir /run/other") == 0);
	faults += says_blocked(guard, "/run/free/y", false);
	return faults;
}

/* What is absent is in the report, and accepted by default. */
static int
tells_absent(struct omega_sandbox_prepared *prepared)
{
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	const char *shown =
	    omega_sandbox_report_text(report, OMEGA_SANDBOX_FORMAT_TEXT);
	size_t i;

	for (i = 0; absent[i] != NULL; i++)
		need(strstr(shown, text("%s cannot be created", absent[i])) !=
		     NULL);
	omega_sandbox_report_unref(report);
	return 0;
}

static int
nothing_is_planted(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_sources sources = {.plugindir = OMEGA_PLUGINDIR};
	struct omega_log log = {.fn = NULL};
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_guard *guard = NULL;
	struct omega_sandbox *sandbox = NULL;
	char file[4096];
	int faults = enter_ground();

	if (faults != 0)
		return faults;
	snprintf(file, sizeof(file), "%s/none/sandbox.conf", (char *)arg);
	sources.conf.file = file;
	if (omega_sandbox_object_new(&sources, &log, &sandbox, &error) < 0 ||
	    omega_sandbox_policy_new(sandbox, NULL, &policy, &error) < 0 ||
	    omega_sandbox_policy_set(policy, "data_dir",
		text("%s/.omega", (char *)arg), &error) < 0 ||
	    omega_sandbox_prepare(policy, &prepared, &error) < 0 ||
	    omega_sandbox_guard_new_for_policy(policy, &guard, &error) < 0) {
		fprintf(stderr, "# %s\n", error.text);
		return 1;
	}
	faults = try_all(prepared, guard) + tells_absent(prepared);
	omega_sandbox_guard_free(guard);
	omega_sandbox_prepared_unref(prepared);
	omega_sandbox_policy_unref(policy);
	omega_sandbox_unref(sandbox);
	return faults;
}

static void
test_root_plants_nothing(void **state)
{
	char base[4096];
	int status;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root can write there");
	twice_scratch(base, sizeof(base), 0);
	status = in_child(nothing_is_planted, base);
	if (status == CANNOT_MOUNT)
		skip_because("cannot mount here");
	assert_int_equal(status, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_root_plants_nothing),
};

int
main(void)
{
	return run_all(tests);
}
