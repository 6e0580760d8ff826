/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-audit.c - writing down what was executed: core/audit/audit.c.
 * What goes to syslog is in test-audit-syslog.c.
 */

#include "harness.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/audit.h"

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
	/* Who gets the error is not told by the log as well. */
	assert_int_equal(log->told, 0);
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
	const char *dir;

	(void)state;
	dir = text("%s/none", log_dir());
	open_log(&log, dir, "audit_failure = warn\n");
	assert_int_equal(omega_audit_ready(&log.audit, &error), 0);
	assert_int_equal(log.told, 1);
	/* Once, until it has worked. */
	assert_int_equal(omega_audit_write(&log.audit, "{1}", &error), 0);
	assert_int_equal(log.told, 1);
	assert_int_equal(mkdir(dir, 0700), 0);
	assert_int_equal(omega_audit_write(&log.audit, "{2}", &error), 0);
	assert_int_equal(unlink(log.path), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(omega_audit_write(&log.audit, "{3}", &error), 0);
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
	};

	return run_all(tests);
}
