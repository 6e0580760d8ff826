/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-loader-host.c - what a plugin is given by its host: options, a
 * log, helper programs.
 */

#include "harness.h"

#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "load/loader.h"
#include "loading.h"
#include "path/helper.h"
#include "plugins.h"
#include "written.h"

/* ---- Options and log, through the plugin itself ------------------------- */

static void
probe_options(const struct omega_conf *conf, char reason[256])
{
	struct omega_backend *backend =
	    loading_load("mock-options", conf, NULL);
	struct omega_sandbox_probe probe = {.size = sizeof(probe)};

	assert_int_equal(backend->plugin.probe(&backend->host, &probe), 0);
	memcpy(reason, probe.reason, sizeof(probe.reason));
	omega_loader_free(backend);
}

static void
test_options_reach_the_plugin(void **state)
{
	static const char *const items[] = {"x", "y", NULL};
	struct written written = {.conf.section_count = 0};
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
	struct written written = {.conf.section_count = 0};
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
	struct omega_backend *backend =
	    loading_load("mock-options", NULL, &log);
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
	assert_no_helper(dir, "none", -ENOENT, "has to be started again");
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
	struct omega_backend *backend = loading_load("mock-good", NULL, &log);

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

int
main(void)
{
	static const struct CMUnitTest tests[] = {
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
	};

	return run_all(tests);
}
