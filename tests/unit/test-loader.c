/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-loader.c - from a name to a checked vtable: core/load/loader.c, dl.c,
 * helper.c and log.c. A row for every way a plugin can be wrong, with its mock.
 */

#include "harness.h"

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "load/helper.h"
#include "load/loader.h"
#include "plugins.h"
#include "written.h"

static struct omega_backend *
load(const char *name, const struct omega_conf *conf,
    const struct omega_log *log)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_backend *backend = NULL;
	int ret =
	    omega_loader_load(plugin_dir(), name, conf, log, &backend, &error);

	if (ret != 0)
		fail_msg("%s: %d: %s", name, ret, error.text);
	return backend;
}

/* FILE stands for the plugin's file in part. */
static void
assert_refused_in(
    const char *dir, const char *name, int code, int sys, const char *expected)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_backend *backend = NULL;
	int before = count_descriptors();
	int ret = omega_loader_load(dir, name, NULL, NULL, &backend, &error);

	if (ret != code || error.code != code ||
	    strstr(error.text, expected) == NULL)
		fail_msg("%s: %d: '%s', expected %d: '%s'", name, ret,
		    error.text, code, expected);
	assert_int_equal(error.sys_errno, sys);
	assert_string_equal(error.backend, name);
	assert_null(backend);
	assert_int_equal(count_descriptors(), before);
	/* An error object is not needed. */
	assert_int_equal(
	    omega_loader_load(dir, name, NULL, NULL, &backend, NULL), code);
}

static void
assert_refused(const char *name, int code, const char *expected)
{
	assert_refused_in(plugin_dir(), name, code, 0, expected);
}

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
		assert_true(omega_loader_is_name(good[i]));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
		struct omega_backend *backend = NULL;

		assert_false(omega_loader_is_name(bad[i]));
		assert_false(omega_loader_is_installed(plugin_dir(), bad[i]));
		assert_int_equal(omega_loader_load(plugin_dir(), bad[i], NULL,
				     NULL, &backend, &error),
		    OMEGA_SANDBOX_E_INVALID_POLICY);
		assert_non_null(
		    strstr(error.text, "is not the name of a backend"));
		assert_null(strchr(error.text, '\n'));
		assert_null(strchr(error.backend, '\n'));
	}
	assert_false(omega_loader_is_name(NULL));
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
	assert_refused_in(plugin_dir(), "mock-link", OMEGA_SANDBOX_E_SYSTEM,
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
		struct omega_backend *backend = load(names[i], NULL, NULL);

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
	struct omega_backend *backend = load("mock-prefix", NULL, NULL);

	(void)state;
	assert_true(backend->plugin.flags == OMEGA_SANDBOX_PLUGIN_PREFIX);
	omega_loader_free(backend);
}

/* Longer, of a newer minor, with a flag we do not know: used as one of ours. */
static void
test_newer_minor_is_cut_to_our_size(void **state)
{
	struct omega_backend *backend = load("mock-newer", NULL, NULL);
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
	struct omega_backend *backend = load("mock-good", NULL, NULL);
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
	struct omega_backend *backend = load("mock-read", NULL, NULL);
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
	assert_refused_in("/nowhere", "landlock", OMEGA_SANDBOX_E_PLUGIN,
	    ENOENT,
	    "backend 'landlock' is not installed: /nowhere/landlock.so does "
	    "not exist; install the package omega-sandbox-landlock");
	assert_refused_in(plugin_dir(), "landlocked", OMEGA_SANDBOX_E_PLUGIN,
	    ENOENT, "install the package omega-sandbox-landlocked");
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
		"cannot be used: its omega_sandbox_plugin is a function, not "
		"an object"},
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
		assert_refused(
		    rows[i].name, OMEGA_SANDBOX_E_PLUGIN, rows[i].part);
	}
}

static void
test_writable_plugin_is_not_trusted(void **state)
{
	(void)state;
	assert_refused("mock-writable", OMEGA_SANDBOX_E_TRUST,
	    text("backend 'mock-writable' is not loaded: "
		 "%s/mock-writable.so can be written by everybody (mode "
		 "0666); mend it with: chmod go-w %s/mock-writable.so",
		plugin_dir(), plugin_dir()));
}

static void
test_plugin_in_a_writable_directory_is_not_trusted(void **state)
{
	(void)state;
	assert_refused_in(writable_plugin_dir(), "mock-good",
	    OMEGA_SANDBOX_E_TRUST, 0,
	    text("mend it with: chmod go-w %s", writable_plugin_dir()));
	/* Even one that is not there: somebody else may put it there. */
	assert_refused_in(writable_plugin_dir(), "mock-none",
	    OMEGA_SANDBOX_E_TRUST, 0, "can be written by everybody");
}

static void
test_directory_is_not_a_plugin(void **state)
{
	(void)state;
	assert_refused("mock-directory", OMEGA_SANDBOX_E_TRUST,
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

/* Loading leaves a mark; asking the loader of ours does not. */
static void
test_nothing_runs_before_the_checks(void **state)
{
	char *mark = text("%s/mark", scratch_dir());
	char *file = text("%s/mock-constructor.so", plugin_dir());
	struct omega_backend *backend = NULL;
	void *handle;

	(void)state;
	setenv("OMEGA_MOCK_MARK", mark, 1);
	assert_int_equal(omega_loader_load(plugin_dir(), "mock-constructor",
			     NULL, NULL, &backend, NULL),
	    OMEGA_SANDBOX_E_PLUGIN);
	assert_int_equal(access(mark, F_OK), -1);
	/* Or the above has proven nothing. */
	handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(handle);
	assert_int_equal(access(mark, F_OK), 0);
	dlclose(handle);
	unsetenv("OMEGA_MOCK_MARK");
}

/* ---- Options and log, through the plugin itself ------------------------- */

static void
probe_options(const struct omega_conf *conf, char reason[256])
{
	struct omega_backend *backend = load("mock-options", conf, NULL);
	struct omega_sandbox_probe probe = {.size = sizeof(probe)};

	assert_int_equal(backend->plugin.probe(&backend->host, &probe), 0);
	memcpy(reason, probe.reason, sizeof(probe.reason));
	omega_loader_free(backend);
}

static void
test_options_reach_the_plugin(void **state)
{
	static const char *const items[] = {"x", "y", NULL};
	struct written written = {.conf.option_count = 0};
	char reason[256];

	(void)state;
	probe_options(NULL, reason);
	assert_string_equal(
	    reason, "flag=1 number=7 word=(none) mode=soft list=");
	write_value(&written, "mock-options", "flag", "no", 1);
	write_value(&written, "mock-options", "number", "-5", 2);
	write_value(&written, "mock-options", "word", "w", 3);
	write_value(&written, "mock-options", "mode", "hard", 4);
	write_option(&written, "mock-options", "list", true, items, 5);
	probe_options(&written.conf, reason);
	assert_string_equal(
	    reason, "flag=0 number=-5 word=w mode=hard list=x,y");
}

static void
test_wrong_option_is_an_error_of_the_configuration(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct written written = {.conf.option_count = 0};
	struct omega_backend *backend = NULL;

	(void)state;
	write_value(&written, "mock-good", "speed", "1", 12);
	assert_int_equal(omega_loader_load(plugin_dir(), "mock-good",
			     &written.conf, NULL, &backend, &error),
	    OMEGA_SANDBOX_E_CONFIG);
	assert_string_equal(error.text,
	    "/etc/test.conf:12: plugin \"mock-good\" takes no option 'speed'; "
	    "it takes none");
	assert_string_equal(error.file, "/etc/test.conf");
	assert_int_equal(error.line, 12);
	assert_string_equal(error.backend, "mock-good");
	assert_null(backend);
}

struct heard {
	int count;
	int level;
	int code;
	char text[2048];
};

static void
hear(void *arg, int level, int code, const char *said)
{
	struct heard *heard = arg;

	heard->count++;
	heard->level = level;
	heard->code = code;
	snprintf(heard->text, sizeof(heard->text), "%s", said);
	errno = E2BIG;
}

static void
test_plugin_speaks_to_the_host(void **state)
{
	struct heard heard = {.count = 0};
	const struct omega_log log = {.fn = hear, .arg = &heard};
	struct omega_backend *backend = load("mock-options", NULL, &log);
	struct omega_sandbox_probe probe = {.size = sizeof(probe)};

	(void)state;
	assert_int_equal(backend->plugin.probe(&backend->host, &probe), 0);
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.level, LOG_INFO);
	assert_int_equal(heard.code, 0);
	assert_string_equal(heard.text, "mock-options: probed");
	backend->host.log(&backend->host, LOG_WARNING, NULL);
	assert_string_equal(heard.text, "mock-options: ");
	omega_loader_free(backend);
}

static void
test_log_is_one_line_whatever_is_said(void **state)
{
	struct heard heard = {.count = 0};
	const struct omega_log log = {.fn = hear, .arg = &heard};
	char said[4000];

	(void)state;
	errno = EXDEV;
	omega_log_say(&log, LOG_ERR | LOG_MAIL, OMEGA_SANDBOX_E_TRUST, "a%sb%s",
	    "\n", "\033[31m");
	assert_int_equal(errno, EXDEV);
	assert_string_equal(heard.text, "a?b?[31m");
	assert_int_equal(heard.level, LOG_ERR);
	assert_int_equal(heard.code, OMEGA_SANDBOX_E_TRUST);
	memset(said, 'x', sizeof(said) - 1);
	said[sizeof(said) - 1] = '\0';
	omega_log_say(&log, LOG_ERR, 0, "%s", said);
	assert_int_equal(strlen(heard.text), 1023);
}

static void
test_log_without_listener_is_silent(void **state)
{
	const struct omega_log none = {.fn = NULL};

	(void)state;
	omega_log_say(NULL, LOG_ERR, 0, "nobody");
	omega_log_say(&none, LOG_ERR, 0, "nobody");
}

/* Say something where /dev/log is our own, and read it there. */
static int
say_to_syslog(void *arg)
{
	const struct omega_log log = {.is_syslog = true};
	struct sockaddr_un name = {
	    .sun_family = AF_UNIX, .sun_path = "/dev/log"};
	struct timeval limit = {.tv_sec = 10};
	char got[512] = "";
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)arg;
	if (mount("none", "/dev", "tmpfs", 0, NULL) != 0)
		return CANNOT_MOUNT;
	if (fd < 0 || bind(fd, (struct sockaddr *)&name, sizeof(name)) != 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) != 0)
		return 98;
	omega_log_say(&log, LOG_WARNING, 0, "it is %s", "said");
	if (recv(fd, got, sizeof(got) - 1, 0) <= 0)
		return 97;
	close(fd);
	/* Facility and level, then our name and what was said. */
	if (strncmp(got, text("<%d>", LOG_AUTHPRIV | LOG_WARNING), 4) == 0 &&
	    strstr(got, ": omega-sandbox: it is said") != NULL)
		return 0;
	print_error("'%s'\n", got);
	return 1;
}

static void
test_log_goes_to_syslog(void **state)
{
	int status = in_mount_child(say_to_syslog, NULL);

	(void)state;
	if (status == CANNOT_MOUNT)
		skip_because("mounts are forbidden here");
	assert_int_equal(status, 0);
}

/* ---- Helper programs ---------------------------------------------------- */

static void
assert_no_helper(
    const char *dir, const char *name, int ret, const char *expected)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	int before = count_descriptors();

	assert_int_equal(omega_helper_open(dir, name, &error), ret);
	if (strstr(error.text, expected) == NULL)
		fail_msg("%s: '%s'", name, error.text);
	assert_int_equal(error.code == OMEGA_SANDBOX_E_TRUST, ret == -EPERM);
	assert_int_equal(count_descriptors(), before);
}

static void
test_helper_is_opened_for_execution(void **state)
{
	char *const args[] = {(char *)(uintptr_t) "helper", NULL};
	char dir[PATH_MAX];
	int status;
	pid_t pid;
	int fd;

	(void)state;
	snprintf(dir, sizeof(dir), "%s", scratch_dir());
	assert_int_equal(chmod(dir, 0755), 0);
	copy_file("/bin/true", text("%s/helper", dir), 0755);
	fd = omega_helper_open(dir, "helper", NULL);
	assert_true(fd >= 0);
	pid = fork();
	if (pid == 0) {
		fexecve(fd, args, environ);
		_exit(99);
	}
	close(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void
test_wrong_helpers_are_refused(void **state)
{
	char dir[PATH_MAX];

	(void)state;
	snprintf(dir, sizeof(dir), "%s", scratch_dir());
	assert_int_equal(chmod(dir, 0755), 0);
	copy_file("/bin/true", text("%s/plain", dir), 0644);
	copy_file("/bin/true", text("%s/open", dir), 0757);
	assert_no_helper(dir, "none", -ENOENT,
	    text("the helper program %s/none does not exist", dir));
	assert_no_helper(dir, "plain", -EACCES, "is not executable");
	assert_no_helper(dir, "open", -EPERM, "can be written by everybody");
	assert_no_helper(dir, "../open", -EINVAL,
	    "'../open' is not the name of a helper program");
	assert_no_helper(dir, NULL, -EINVAL, "is not the name");
	memset(dir, '/', sizeof(dir));
	dir[sizeof(dir) - 1] = '\0';
	assert_no_helper(dir, "open", -ENAMETOOLONG, "is too long");
}

/* A plugin gets a number, so the reason goes to the log. */
static void
test_plugin_asks_for_a_helper(void **state)
{
	struct heard heard = {.count = 0};
	const struct omega_log log = {.fn = hear, .arg = &heard};
	struct omega_backend *backend = load("mock-good", NULL, &log);

	(void)state;
	assert_int_equal(
	    backend->host.open_helper(&backend->host, "/bin/sh"), -EINVAL);
	assert_int_equal(heard.level, LOG_ERR);
	assert_int_equal(heard.code, OMEGA_SANDBOX_E_PLUGIN);
	assert_string_equal(heard.text,
	    "mock-good: '/bin/sh' is not the name of a helper program");
	assert_int_equal(omega_helper_dir[0], '/');
	omega_loader_free(backend);
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
	    cmocka_unit_test(test_nothing_runs_before_the_checks),
	    cmocka_unit_test(test_options_reach_the_plugin),
	    cmocka_unit_test(
		test_wrong_option_is_an_error_of_the_configuration),
	    cmocka_unit_test(test_plugin_speaks_to_the_host),
	    cmocka_unit_test(test_log_is_one_line_whatever_is_said),
	    cmocka_unit_test(test_log_without_listener_is_silent),
	    cmocka_unit_test(test_log_goes_to_syslog),
	    cmocka_unit_test(test_helper_is_opened_for_execution),
	    cmocka_unit_test(test_wrong_helpers_are_refused),
	    cmocka_unit_test(test_plugin_asks_for_a_helper),
	    cmocka_unit_test(test_threads_may_load_at_once),
	};

	return run_all(tests);
}
