/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-audit.c - writing down what was executed: core/run/{audit,mask}.c.
 */

#include "harness.h"

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "run/audit.h"
#include "run/mask.h"

struct log {
	struct omega_conf *conf;
	struct omega_log log;
	struct omega_audit audit;
	char path[512];
	int told; /* messages */
};

static void
take_message(void *arg, int level, int code, const char *message)
{
	struct log *log = arg;

	(void)level;
	(void)code;
	(void)message;
	log->told++;
}

/* A log in DIR, configured by this and more. */
static void
open_log(struct log *log, const char *dir, const char *more)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char content[1024];

	memset(log, 0, sizeof(*log));
	snprintf(log->path, sizeof(log->path), "%s/audit.log", dir);
	snprintf(content, sizeof(content), "audit = '%s'\n%s", log->path, more);
	log->conf = omega_conf_new();
	if (omega_conf_parse(
		log->conf, "x.conf", content, strlen(content), &error) != 0)
		abort();
	log->log = (struct omega_log){.fn = take_message, .arg = log};
	omega_audit_init(&log->audit, log->conf, &log->log);
}

static void
close_log(struct log *log)
{
	omega_audit_close(&log->audit);
	omega_conf_free(log->conf);
}

/* A directory that trust accepts. */
static char *
log_dir(void)
{
	char *dir = text("%s", scratch_dir());

	assert_int_equal(chmod(dir, 0755), 0);
	return dir;
}

static void
test_lines_are_appended_to_a_file_of_its_own(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct stat st;
	struct log log;

	(void)state;
	open_log(&log, log_dir(), "");
	assert_true(omega_audit_is_on(&log.audit));
	assert_int_equal(omega_audit_ready(&log.audit, &error), 0);
	assert_int_equal(stat(log.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(omega_audit_write(&log.audit, "{1}", &error), 0);
	assert_int_equal(omega_audit_write(&log.audit, "{2}", &error), 0);
	assert_string_equal(file_text(log.path), "{1}\n{2}\n");
	close_log(&log);
}

static void
test_a_log_that_was_moved_is_made_anew(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct log log;
	char *moved;

	(void)state;
	open_log(&log, log_dir(), "");
	moved = text("%s.1", log.path);
	assert_int_equal(omega_audit_write(&log.audit, "{1}", &error), 0);
	assert_int_equal(rename(log.path, moved), 0);
	assert_int_equal(omega_audit_write(&log.audit, "{2}", &error), 0);
	assert_string_equal(file_text(moved), "{1}\n");
	assert_string_equal(file_text(log.path), "{2}\n");
	/* Moved, and made by who moved it. */
	assert_int_equal(rename(log.path, moved), 0);
	make_file(log.path, "");
	assert_int_equal(chmod(log.path, 0640), 0);
	assert_int_equal(omega_audit_write(&log.audit, "{3}", &error), 0);
	assert_string_equal(file_text(log.path), "{3}\n");
	/* Emptied in place. */
	assert_int_equal(truncate(log.path, 0), 0);
	assert_int_equal(omega_audit_write(&log.audit, "{4}", &error), 0);
	assert_string_equal(file_text(log.path), "{4}\n");
	close_log(&log);
}

static void
test_a_torn_line_is_ended(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct log log;

	(void)state;
	open_log(&log, log_dir(), "");
	make_file(log.path, "{\"half");
	assert_int_equal(chmod(log.path, 0600), 0);
	assert_int_equal(omega_audit_write(&log.audit, "{1}", &error), 0);
	assert_int_equal(omega_audit_write(&log.audit, "{2}", &error), 0);
	assert_string_equal(file_text(log.path), "{\"half\n{1}\n{2}\n");
	close_log(&log);
}

/* What a command can do to its user's own directories, as that user. */
static int
close_the_way(void *arg)
{
	static const mode_t modes[] = {0, 0100, 0200, 0400, 0600};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	const char *top = text("%s/top", (const char *)arg);
	const char *dir = text("%s/log", top);
	const char *closed[3] = {top, dir, text("%s/audit.log", dir)};
	struct log log;
	struct log next;
	size_t i;
	size_t j;

	need(mkdir(top, 0755) == 0 && mkdir(dir, 0755) == 0);
	for (i = 0; i < 3; i++)
		for (j = 0; j < sizeof(modes) / sizeof(modes[0]); j++) {
			open_log(&log, dir, "");
			need(omega_audit_ready(&log.audit, &error) == 0);
			need(chmod(closed[i], modes[j]) == 0);
			/* Its own line, */
			need(omega_audit_write(&log.audit, "{1}", &error) == 0);
			close_log(&log);
			need(chmod(closed[i], modes[j]) == 0);
			/* and the next command, by another process. */
			open_log(&next, dir, "");
			need(omega_audit_ready(&next.audit, &error) == 0);
			need(
			    omega_audit_write(&next.audit, "{2}", &error) == 0);
			close_log(&next);
			need(chmod(closed[i], i == 2 ? 0600 : 0755) == 0);
			need(strcmp(file_text(closed[2]), "{1}\n{2}\n") == 0);
			need(unlink(closed[2]) == 0);
		}
	return 0;
}

static void
test_a_way_that_was_closed_is_opened(void **state)
{
	char *dir = log_dir();

	(void)state;
	assert_int_equal(chmod(dir, 0755), 0);
	if (geteuid() == 0)
		assert_int_equal(chown(dir, SPARE_UID, SPARE_UID), 0);
	assert_int_equal(in_user_child(close_the_way, dir), 0);
}

/* Expect a refusal that says this. */
static void
assert_refused(struct log *log, const char *why)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;

	assert_int_equal(
	    omega_audit_ready(&log->audit, &error), OMEGA_SANDBOX_E_REFUSED);
	if (strstr(error.text, why) == NULL)
		fail_msg("%s", error.text);
	assert_string_equal(error.file, "x.conf");
	assert_int_equal(error.line, 1);
	assert_int_equal(omega_audit_write(&log->audit, "{1}", &error),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_int_equal(log->told, 2);
	log->told = 0;
}

static void
test_links_and_open_files_are_refused(void **state)
{
	struct log log;
	char *target;

	(void)state;
	open_log(&log, log_dir(), "");
	target = text("%s.target", log.path);
	make_link(target, log.path);
	assert_refused(&log, "symbolic link");
	assert_int_equal(access(target, F_OK), -1);
	unlink(log.path);
	make_file(target, "x");
	assert_int_equal(chmod(target, 0600), 0);
	make_hard_link(target, log.path);
	assert_refused(&log, "other names");
	unlink(log.path);
	make_file(log.path, "");
	assert_int_equal(chmod(log.path, 0620), 0);
	assert_refused(&log, "chmod 600");
	assert_int_equal(chmod(log.path, 0604), 0);
	assert_refused(&log, "chmod 600");
	unlink(log.path);
	assert_int_equal(mkfifo(log.path, 0600), 0);
	assert_refused(&log, "regular");
	unlink(log.path);
	make_dir(log.path);
	assert_refused(&log, "irectory");
	assert_string_equal(file_text(target), "x");
	close_log(&log);
}

static void
test_a_directory_that_others_write_is_refused(void **state)
{
	struct log log;
	char *dir = log_dir();

	(void)state;
	open_log(&log, dir, "");
	assert_int_equal(chmod(dir, 0777), 0);
	assert_refused(&log, dir);
	assert_int_equal(chmod(dir, 0755), 0);
	close_log(&log);
	open_log(&log, text("%s/none", dir), "");
	assert_refused(&log, "there is no directory");
	close_log(&log);
}

static void
test_foreign_files_are_refused(void **state)
{
	struct log log;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root can give a file to somebody else");
	open_log(&log, log_dir(), "");
	make_file(log.path, "");
	assert_int_equal(chmod(log.path, 0600), 0);
	assert_int_equal(chown(log.path, SPARE_UID, (gid_t)-1), 0);
	assert_refused(&log, "belongs to user");
	close_log(&log);
}

/* ---- Before anything is written ------------------------------------------ */

/* The answer to a file that is configured so; its error in *error. */
static int
check(const char *dir, const char *name, uid_t owner,
    struct omega_sandbox_error *error)
{
	const struct omega_log none = {.fn = NULL};
	struct omega_conf *conf = omega_conf_new();
	struct omega_audit audit;
	char content[1024];
	char file[600];
	int ret;

	snprintf(file, sizeof(file), "%s/sandbox.conf", dir);
	snprintf(content, sizeof(content), "audit = '%s'\n", name);
	make_file(file, content);
	assert_int_equal(
	    geteuid() == owner ? 0 : chown(file, owner, (gid_t)-1), 0);
	assert_int_equal(
	    omega_conf_parse(conf, file, content, strlen(content), error), 0);
	omega_audit_init(&audit, conf, &none);
	ret = omega_audit_check(&audit, error);
	omega_audit_close(&audit);
	omega_conf_free(conf);
	return ret;
}

static void
test_a_check_makes_nothing(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char *dir = log_dir();
	char *log = text("%s/{uid}.log", dir);
	char *own = text("%s/%lu.log", dir, (unsigned long)geteuid());

	(void)state;
	assert_int_equal(check(dir, log, geteuid(), &error), 0);
	assert_int_equal(access(own, F_OK), -1);
	make_file(own, "");
	assert_int_equal(chmod(own, 0604), 0);
	assert_int_equal(
	    check(dir, log, geteuid(), &error), OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(error.text, own));
	assert_int_equal(chmod(own, 0600), 0);
	assert_int_equal(check(dir, log, geteuid(), &error), 0);
	assert_int_equal(
	    check(dir, text("%s/none/log", dir), geteuid(), &error),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(error.text, "there is no directory"));
}

/* A stranger who takes the name first is told of before it matters. */
static void
test_a_place_that_everybody_can_write_is_told_of(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char *dir = log_dir();

	(void)state;
	assert_int_equal(chmod(dir, 01777), 0);
	assert_int_equal(
	    check(dir, text("%s/{uid}.log", dir), geteuid(), &error),
	    OMEGA_SANDBOX_E_REFUSED);
	assert_non_null(strstr(error.text, dir));
}

static void
test_one_file_for_all_users_is_told_of(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char *dir = log_dir();

	(void)state;
	if (geteuid() != 0)
		skip_because("only root has a configuration for others");
	assert_int_equal(
	    check(dir, text("%s/log", dir), 0, &error), OMEGA_SANDBOX_E_CONFIG);
	assert_non_null(strstr(error.text, "every user but 0 are refused"));
	assert_non_null(strstr(error.text, "{uid}"));
	assert_int_equal(check(dir, text("%s/log", dir), SPARE_UID, &error), 0);
	assert_int_equal(check(dir, text("%s/{uid}", dir), 0, &error), 0);
	assert_int_equal(check(dir, "syslog", 0, &error), 0);
}

/* In a child with the rights of an ordinary user. */
static int
check_as_user(void *dir)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct log log;

	open_log(&log, dir, "");
	need(omega_audit_check(&log.audit, &error) == OMEGA_SANDBOX_E_REFUSED);
	need(strstr(error.text, "may not write or make it") != NULL);
	need(strstr(error.text, "{uid}") != NULL);
	need(omega_audit_ready(&log.audit, &error) == OMEGA_SANDBOX_E_REFUSED);
	need(strstr(error.text, "may not write or make it") != NULL);
	close_log(&log);
	return 0;
}

static void
test_a_user_is_told_who_may_write(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip_because("a directory of root's is needed");
	assert_int_equal(in_user_child(check_as_user, log_dir()), 0);
}

static void
test_a_failure_may_be_a_warning(void **state)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct log log;

	(void)state;
	open_log(&log, text("%s/none", log_dir()), "audit_failure = warn\n");
	assert_int_equal(omega_audit_ready(&log.audit, &error), 0);
	assert_int_equal(log.told, 1);
	assert_int_equal(omega_audit_write(&log.audit, "{1}", &error), 0);
	assert_int_equal(log.told, 2);
	close_log(&log);
}

/* In a child: a limit on the size of files is an error, not the end. */
static int
write_over_limit(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct rlimit limit = {.rlim_cur = 8, .rlim_max = RLIM_INFINITY};
	struct log log;
	sigset_t pending;

	open_log(&log, arg, "");
	need(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	need(omega_audit_ready(&log.audit, &error) == OMEGA_SANDBOX_E_REFUSED);
	need(error.sys_errno == EFBIG);
	need(omega_audit_write(&log.audit, "{1}", &error) == 0);
	need(omega_audit_write(&log.audit, "{\"long\"}", &error) ==
	     OMEGA_SANDBOX_E_REFUSED);
	need(omega_audit_write(&log.audit, "{\"long\"}", &error) ==
	     OMEGA_SANDBOX_E_REFUSED);
	need(error.sys_errno == EFBIG);
	need(sigpending(&pending) == 0);
	need(sigismember(&pending, SIGXFSZ) == 0);
	/* And goes on in a new line when there is room again. */
	limit.rlim_cur = RLIM_INFINITY;
	need(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	need(omega_audit_write(&log.audit, "{2}", &error) == 0);
	need(strcmp(file_text(log.path), "{1}\n{\"lo\n{2}\n") == 0);
	close_log(&log);
	return 0;
}

static void
test_a_limit_on_files_does_not_kill(void **state)
{
	(void)state;
	assert_int_equal(in_child(write_over_limit, log_dir()), 0);
}

#define WRITERS 8
#define LINES 200

static int
write_many(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct log log;
	int i;

	open_log(&log, arg, "");
	for (i = 0; i < LINES; i++)
		need(omega_audit_write(&log.audit,
			 text("{\"%d\":\"%0500d\"}", (int)getpid(), i),
			 &error) == 0);
	close_log(&log);
	return 0;
}

static void
test_lines_of_several_processes_do_not_mix(void **state)
{
	char *dir = strdup(log_dir());
	char line[1024];
	int lines = 0;
	int status;
	FILE *file;
	int i;

	(void)state;
	for (i = 0; i < WRITERS; i++)
		if (fork() == 0)
			_exit(write_many(dir));
	for (i = 0; i < WRITERS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	file = fopen(text("%s/audit.log", dir), "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		size_t len = strlen(line);

		assert_true(len > 500 && line[0] == '{');
		assert_string_equal(line + len - 3, "\"}\n");
		lines++;
	}
	fclose(file);
	assert_int_equal(lines, WRITERS * LINES);
	free(dir);
}

static void
test_masks(void **state)
{
	static const struct {
		const char *before;
		const char *argument;
		int keep; /* -1: all */
	} cases[] = {
	    {NULL, "plain", -1},
	    {NULL, "--password=hush", 11},
	    {NULL, "--DB-Password=hush", 14},
	    {NULL, "--db-password-file=hush", 19},
	    {NULL, "-password=hush", 10},
	    {"--password", "hush", 0},
	    {"--api-key", "hush", 0},
	    {"password", "hush", -1},
	    {"--verbose", "hush", -1},
	    {NULL, "GITHUB_TOKEN=hush", 13},
	    {NULL, "--token=a=b", 8},
	    {NULL, "Authorization: Bearer hush", 14},
	    {NULL, "sk-abcdef", 3},
	    {NULL, "ghp_abcdef", 4},
	    {NULL, "--pin=1234", 6},
	    {"--code", "1234", 0},
	    {NULL, "whole-word", 0},
	    {NULL, "whole-words", -1},
	    {NULL, "", -1},
	    {NULL, "=", -1},
	};
	struct omega_conf *conf = omega_conf_new();
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	static const char content[] =
	    "audit_mask = { '--pin=*', '--code *', 'whole-word' }";
	size_t i;

	(void)state;
	assert_int_equal(omega_conf_parse(conf, "x.conf", content,
			     sizeof(content) - 1, &error),
	    0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t keep = omega_mask_keep(
		    omega_conf_items(conf, OMEGA_OPTION_AUDIT_MASK),
		    cases[i].before, cases[i].argument);
		size_t want = cases[i].keep < 0 ? strlen(cases[i].argument)
						: (size_t)cases[i].keep;

		if (keep != want)
			fail_msg("%s: %zu", cases[i].argument, keep);
	}
	omega_conf_free(conf);
}

/* One message at /dev/log: facility and level, our name, the line. */
static int
check_message(int fd, const char *line)
{
	char got[512] = "";
	char head[16];
	char tail[256];
	size_t len;

	snprintf(head, sizeof(head), "<%d>", LOG_AUTHPRIV | LOG_INFO);
	snprintf(tail, sizeof(tail), ": omega-sandbox audit: %s", line);
	if (recv(fd, got, sizeof(got) - 1, 0) <= 0)
		return 97;
	len = strlen(got);
	if (strncmp(got, head, strlen(head)) == 0 && len >= strlen(tail) &&
	    strcmp(got + len - strlen(tail), tail) == 0)
		return 0;
	print_error("'%s'\n", got);
	return 1;
}

/* One line under such a configuration. */
static int
write_line(int fd, const char *content, const char *line)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	const struct omega_log none = {.fn = NULL};
	struct omega_conf *conf = omega_conf_new();
	struct omega_audit audit;
	int ret = 96;

	if (omega_conf_parse(
		conf, "x.conf", content, strlen(content), &error) != 0) {
		print_error("%s\n", error.text);
		return 96;
	}
	omega_audit_init(&audit, conf, &none);
	if (omega_audit_is_on(&audit) &&
	    omega_audit_ready(&audit, &error) == 0 &&
	    omega_audit_write(&audit, line, &error) == 0)
		ret = check_message(fd, line);
	else
		print_error("%s\n", error.text);
	omega_audit_close(&audit);
	omega_conf_free(conf);
	return ret;
}

/* Where /dev/log is our own. */
static int
write_to_syslog(void *dir)
{
	struct sockaddr_un name = {
	    .sun_family = AF_UNIX, .sun_path = "/dev/log"};
	struct timeval limit = {.tv_sec = 30};
	char content[PATH_MAX + 128];
	char path[PATH_MAX + 16];
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret;

	if (mount("none", "/dev", "tmpfs", 0, NULL) != 0)
		return CANNOT_MOUNT;
	if (fd < 0 || bind(fd, (struct sockaddr *)&name, sizeof(name)) != 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) != 0)
		return 98;
	/* There alone; beside a file; and where the file cannot be written. */
	ret = write_line(fd, "audit = syslog\n", "{\"100%n\":1}");
	snprintf(content, sizeof(content), "audit = {'%s/log', syslog}\n",
	    (const char *)dir);
	if (ret == 0)
		ret = write_line(fd, content, "{\"two\":2}");
	snprintf(path, sizeof(path), "%s/log", (const char *)dir);
	if (ret == 0 && strcmp(file_text(path), "{\"two\":2}\n") != 0)
		ret = 95;
	snprintf(content, sizeof(content),
	    "audit = {'%s/none/log', syslog}\naudit_failure = warn\n",
	    (const char *)dir);
	if (ret == 0)
		ret = write_line(fd, content, "{\"three\":3}");
	close(fd);
	return ret;
}

static void
test_lines_go_to_syslog(void **state)
{
	char dir[PATH_MAX];
	int status;

	(void)state;
	snprintf(dir, sizeof(dir), "%s", scratch_dir());
	assert_int_equal(chmod(dir, 0755), 0);
	status = in_mount_child(write_to_syslog, dir);
	if (status == CANNOT_MOUNT)
		skip_because("mounts are forbidden here");
	assert_int_equal(status, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lines_are_appended_to_a_file_of_its_own),
	    cmocka_unit_test(test_a_log_that_was_moved_is_made_anew),
	    cmocka_unit_test(test_a_torn_line_is_ended),
	    cmocka_unit_test(test_a_way_that_was_closed_is_opened),
	    cmocka_unit_test(test_links_and_open_files_are_refused),
	    cmocka_unit_test(test_a_directory_that_others_write_is_refused),
	    cmocka_unit_test(test_foreign_files_are_refused),
	    cmocka_unit_test(test_a_check_makes_nothing),
	    cmocka_unit_test(test_a_place_that_everybody_can_write_is_told_of),
	    cmocka_unit_test(test_one_file_for_all_users_is_told_of),
	    cmocka_unit_test(test_a_user_is_told_who_may_write),
	    cmocka_unit_test(test_a_failure_may_be_a_warning),
	    cmocka_unit_test(test_a_limit_on_files_does_not_kill),
	    cmocka_unit_test(test_lines_of_several_processes_do_not_mix),
	    cmocka_unit_test(test_masks),
	    cmocka_unit_test(test_lines_go_to_syslog),
	};

	return run_all(tests);
}
