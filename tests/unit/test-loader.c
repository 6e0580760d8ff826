/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-loader.c - from a name to a checked vtable, and every way to be
 * wrong.
 */

#include "harness.h"

#include <sys/stat.h>
#include <sys/time.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "load/loader.h"
#include "loading.h"
#include "path/helper.h"
#include "plugins.h"
#include "written.h"

/* ---- Names -------------------------------------------------------------- */

static void
test_names_are_names(void **state)
{
	static const char *const good[] = {"landlock", "a", "0", "my_own-1",
	    "abcdefghijklmnopqrstuvwxyz01234"};
	static const char *const bad[] = {"", "Landlock", "land lock", "a.b",
	    "../noop", "/lib/x", "a/b", "n\xc3\xb6", "noop\n",
	    "abcdefghijklmnopqrstuvwxyz012345"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(omega_helper_is_name(good[i]));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct omega_backend *backend = NULL;

		assert_false(omega_helper_is_name(bad[i]));
		assert_false(omega_loader_is_installed(plugin_dir(), bad[i]));
		assert_int_equal(omega_loader_load(plugin_dir(), bad[i], NULL,
				     NULL, &backend, &error),
		    OMEGA_SANDBOX_E_INVALID_POLICY);
		assert_non_null(
		    strstr(error.text, "is not the name of a backend"));
		assert_null(strchr(error.text, '\n'));
		assert_null(strchr(error.backend, '\n'));
	}
	assert_false(omega_helper_is_name(NULL));
	assert_int_equal(
	    omega_loader_load(plugin_dir(), NULL, NULL, NULL, NULL, NULL),
	    OMEGA_SANDBOX_E_INVALID_POLICY);
}

static void
test_installed_means_that_the_file_is_there(void **state)
{
	(void)state;
	assert_true(omega_loader_is_installed(plugin_dir(), "mock-good"));
	assert_true(omega_loader_is_installed(plugin_dir(), "mock-text"));
	assert_false(omega_loader_is_installed(plugin_dir(), "landlocked"));
	assert_false(omega_loader_is_installed("/none", "mock-good"));
	assert_false(omega_loader_is_installed(NULL, "mock-good"));
}

/* A link to nothing was put there by somebody: loading it says what is wrong,
 * rather than that there is nothing. */
static void
test_link_to_nothing_is_installed_but_broken(void **state)
{
	(void)state;
	make_link("gone.so", text("%s/mock-link.so", plugin_dir()));
	assert_true(omega_loader_is_installed(plugin_dir(), "mock-link"));
	loading_refused_in(plugin_dir(), "mock-link", OMEGA_SANDBOX_E_SYSTEM,
	    ENOENT, "gone.so, which does not exist");
}

static void
test_plugin_directory_is_compiled_in(void **state)
{
	(void)state;
	assert_int_equal(omega_loader_plugindir[0], '/');
}

/* ---- What can be loaded ------------------------------------------------- */

static void
test_good_mocks_are_loaded(void **state)
{
	static const char *const names[] = {"mock-good", "mock-read",
	    "mock-write", "mock-hardening", "mock-partial", "mock-prefix",
	    "mock-launch", "mock-options", "mock-unusable", "mock-probe-fails",
	    "mock-describe-fails", "mock-promise", "mock-apply-fails",
	    "mock-step-fails"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct omega_backend *backend =
		    loading_load(names[i], NULL, NULL);

		assert_string_equal(backend->plugin.name, names[i]);
		assert_string_equal(
		    backend->file, text("%s/%s.so", plugin_dir(), names[i]));
		assert_int_equal(backend->is_roots, geteuid() == 0);
		omega_loader_free(backend);
	}
	omega_loader_free(NULL);
}

static void
test_flags_are_kept(void **state)
{
	struct omega_backend *backend = loading_load("mock-prefix", NULL, NULL);

	(void)state;
	assert_true(backend->plugin.flags == OMEGA_SANDBOX_PLUGIN_PREFIX);
	omega_loader_free(backend);
}

/* Longer, of a newer minor, with a flag we do not know: used as one of ours. */
static void
test_newer_minor_is_cut_to_our_size(void **state)
{
	struct omega_backend *backend = loading_load("mock-newer", NULL, NULL);
	struct omega_sandbox_probe probe = {.size = sizeof(probe)};

	(void)state;
	assert_int_equal(
	    backend->plugin.abi_version, OMEGA_SANDBOX_PLUGIN_ABI + 7);
	assert_true(backend->plugin.flags == 0);
	assert_int_equal(backend->plugin.probe(&backend->host, &probe), 0);
	assert_int_equal(probe.is_usable, 1);
	omega_loader_free(backend);
}

static void
test_host_is_complete(void **state)
{
	struct omega_backend *backend = loading_load("mock-good", NULL, NULL);
	const struct omega_sandbox_host *host = &backend->host;

	(void)state;
	assert_int_equal(host->size, sizeof(*host));
	assert_int_equal(host->abi_version, OMEGA_SANDBOX_PLUGIN_ABI);
	/* Asking for what was not declared is harmless. */
	assert_int_equal(host->option_int(host, "none"), 0);
	assert_null(host->option_text(host, "none"));
	assert_null(host->option_item(host, "none", 0));
	host->log(host, LOG_INFO, "nobody listens");
	omega_loader_free(backend);
}

static void
test_what_was_loaded_stays_in_memory(void **state)
{
	struct omega_backend *backend = loading_load("mock-read", NULL, NULL);
	const char *name = backend->plugin.name;

	(void)state;
	omega_loader_free(backend);
	assert_string_equal(name, "mock-read");
}

/* ---- Every way to be wrong ---------------------------------------------- */

static void
test_missing_plugin_names_the_package(void **state)
{
	(void)state;
	loading_refused_in("/nowhere", "landlock", OMEGA_SANDBOX_E_PLUGIN,
	    ENOENT,
	    "backend 'landlock' is not installed; the package is "
	    "omega-sandbox-landlock");
	loading_refused_in("/nowhere", "frobnicate", OMEGA_SANDBOX_E_PLUGIN,
	    ENOENT,
	    "backend 'frobnicate' is not installed: /nowhere/frobnicate.so "
	    "does not exist");
	loading_refused_in(plugin_dir(), "landlocked", OMEGA_SANDBOX_E_PLUGIN,
	    ENOENT, "/landlocked.so does not exist; did you mean 'landlock'?");
	loading_refused_in(plugin_dir(), "mock-god", OMEGA_SANDBOX_E_PLUGIN,
	    ENOENT, "/mock-god.so does not exist; did you mean 'mock-good'?");
}

static void
test_wrong_plugins_are_refused(void **state)
{
	static const struct {
		const char *name;
		const char *part;
	} rows[] = {
	    {"mock-no-symbol",
		"mock-no-symbol.so cannot be used: it is no plugin, for it "
		"does not export omega_sandbox_plugin"},
	    {"mock-constructor", "it is no plugin"},
	    {"mock-function",
		"cannot be used: it was built for plugin ABI "},
	    {"mock-text",
		"cannot be used: it is not a shared object, or damaged"},
	    {"mock-empty", "it is not a shared object, or damaged"},
	    {"mock-cut", "it is not a shared object, or damaged"},
	    {"mock-foreign",
		"cannot be used: it was built for another machine"},
	    {"mock-unresolved",
		"mock-unresolved.so cannot be used: the dynamic loader says: "},
	    {"mock-other-major",
		"cannot be used: it was built for plugin ABI 2.0, this "
		"library has 1.0; build it anew"},
	    {"mock-short", "plugin ABI 1.0 has 64; struct_size is wrong"},
	    {"mock-null-name", "cannot be used: it has no name"},
	    {"mock-other-name", "cannot be used: it is called 'mock-good', not "
				"'mock-other-name' as its file is"},
	    {"mock-null-description", "cannot be used: it has no description"},
	    {"mock-lines", "cannot be used: its description is not one line"},
	    {"mock-no-probe", "cannot be used: it has no function probe"},
	    {"mock-no-describe", "cannot be used: it has no function describe"},
	    {"mock-no-apply", "cannot be used: it has no function apply"},
	    {"mock-flags",
		"cannot be used: it sets flags (0x10000000000) that plugin "
		"ABI 1.0 does not have"},
	    {"mock-bad-options",
		"cannot be used: its option 'twice' is declared twice"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (sizeof(void *) != 8 &&
		    strcmp(rows[i].name, "mock-short") == 0)
			continue;
		loading_refused(
		    rows[i].name, OMEGA_SANDBOX_E_PLUGIN, rows[i].part);
	}
}

static void
test_writable_plugin_is_not_trusted(void **state)
{
	(void)state;
	loading_refused("mock-writable", OMEGA_SANDBOX_E_TRUST,
	    text("backend 'mock-writable' is not loaded: "
		 "%s/mock-writable.so can be written by everybody (mode "
		 "0666); mend it with: chmod go-w %s/mock-writable.so",
		plugin_dir(), plugin_dir()));
}

static void
test_plugin_in_a_writable_directory_is_not_trusted(void **state)
{
	(void)state;
	loading_refused_in(writable_plugin_dir(), "mock-good",
	    OMEGA_SANDBOX_E_TRUST, 0,
	    text("mend it with: chmod go-w %s", writable_plugin_dir()));
	/* Even one that is not there: somebody else may put it there. */
	loading_refused_in(writable_plugin_dir(), "mock-none",
	    OMEGA_SANDBOX_E_TRUST, 0, "can be written by everybody");
}

static void
test_directory_is_not_a_plugin(void **state)
{
	(void)state;
	loading_refused("mock-directory", OMEGA_SANDBOX_E_TRUST,
	    "mock-directory.so is a directory, not a regular file");
}

static int
load_as_user(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_backend *backend = NULL;
	int ret =
	    omega_loader_load(arg, "mock-good", NULL, NULL, &backend, &error);

	omega_loader_free(backend);
	if (ret == OMEGA_SANDBOX_E_TRUST &&
	    strstr(error.text, "belongs to uid 61952") != NULL)
		return 2;
	return ret == 0 ? 0 : 1;
}

static void
test_strangers_plugin_is_not_trusted(void **state)
{
	char dir[PATH_MAX];

	(void)state;
	snprintf(dir, sizeof(dir), "%s", scratch_dir());
	assert_int_equal(chmod(dir, 0755), 0);
	copy_file(text("%s/mock-good.so", plugin_dir()),
	    text("%s/mock-good.so", dir), 0644);
	assert_int_equal(in_user_child(load_as_user, dir), 0);
	if (geteuid() != 0)
		skip_because("only root can make files of another user");
	assert_int_equal(chown(text("%s/mock-good.so", dir), 61952, 0), 0);
	assert_int_equal(in_user_child(load_as_user, dir), 2);
	assert_int_equal(in_child(load_as_user, dir), 2);
}

/* ---- Threads ------------------------------------------------------------ */

static void *
load_many(void *arg)
{
	uintptr_t failures = 0;
	int i;

	for (i = 0; i < 50; i++) {
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct omega_backend *backend = NULL;

		if (omega_loader_load(
			arg, "mock-good", NULL, NULL, &backend, &error) != 0)
			failures++;
		omega_loader_free(backend);
		if (omega_loader_load(arg, "mock-short", NULL, NULL, &backend,
			&error) != OMEGA_SANDBOX_E_PLUGIN)
			failures++;
	}
	return (void *)failures;
}

static void
test_threads_may_load_at_once(void **state)
{
	pthread_t threads[8];
	char dir[PATH_MAX];
	size_t i;

	(void)state;
	snprintf(dir, sizeof(dir), "%s", plugin_dir());
	for (i = 0; i < 8; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, load_many, dir), 0);
	for (i = 0; i < 8; i++) {
		void *failures = NULL;

		assert_int_equal(pthread_join(threads[i], &failures), 0);
		assert_null(failures);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names_are_names),
	    cmocka_unit_test(test_installed_means_that_the_file_is_there),
	    cmocka_unit_test(test_link_to_nothing_is_installed_but_broken),
	    cmocka_unit_test(test_plugin_directory_is_compiled_in),
	    cmocka_unit_test(test_good_mocks_are_loaded),
	    cmocka_unit_test(test_flags_are_kept),
	    cmocka_unit_test(test_newer_minor_is_cut_to_our_size),
	    cmocka_unit_test(test_host_is_complete),
	    cmocka_unit_test(test_what_was_loaded_stays_in_memory),
	    cmocka_unit_test(test_missing_plugin_names_the_package),
	    cmocka_unit_test(test_wrong_plugins_are_refused),
	    cmocka_unit_test(test_writable_plugin_is_not_trusted),
	    cmocka_unit_test(
		test_plugin_in_a_writable_directory_is_not_trusted),
	    cmocka_unit_test(test_directory_is_not_a_plugin),
	    cmocka_unit_test(test_strangers_plugin_is_not_trusted),
	    cmocka_unit_test(test_threads_may_load_at_once),
	};

	return run_all(tests);
}
