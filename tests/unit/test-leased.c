/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-leased.c - files on which another program holds a lease: what we open
 * ourselves waits for it, not for ever, and then says what is the matter.
 */

#include "harness.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "audit/audit.h"
#include "base/leased.h"
#include "path/trust.h"

/* How long it keeps the lease after it was asked. */
#define BRIEFLY_MS 200
#define FOR_EVER -1

/* A program that has taken a lease on the file when this returns. */
static pid_t
hold(const char *path, int keeps_ms)
{
	sigset_t asked;
	int ready[2];
	pid_t pid;
	char byte;
	int fd;

	if (pipe(ready) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sigemptyset(&asked);
		sigaddset(&asked, SIGIO);
		sigprocmask(SIG_BLOCK, &asked, NULL);
		fd = open(path, O_RDWR);
		if (fd < 0 || fcntl(fd, F_SETLEASE, F_WRLCK) != 0)
			_exit(1);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		if (keeps_ms == FOR_EVER)
			pause();
		sigwaitinfo(&asked, NULL);
		usleep((unsigned)keeps_ms * 1000);
		_exit(0);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

static void
end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A directory of our own with a file in it. */
static void
make_scene(char dir[512], char file[512])
{
	char name[] = "/tmp/omega-leased-XXXXXX";

	if (mkdtemp(name) == NULL)
		abort();
	snprintf(dir, 512, "%s", name);
	snprintf(file, 512, "%s/file", name);
	make_file(file, "");
	chmod(file, 0600);
}

static void
remove_scene(const char *dir, const char *file)
{
	unlink(file);
	rmdir(dir);
}

static int
open_what_is_let_go(void *arg)
{
	char dir[512], file[512];
	pid_t pid;
	int fd;

	(void)arg;
	make_scene(dir, file);
	pid = hold(file, BRIEFLY_MS);
	need(pid > 0);
	/* So it would end without waiting. */
	need(open(file, O_RDONLY | O_NONBLOCK) < 0 && errno == EWOULDBLOCK);
	fd = omega_leased_open(AT_FDCWD, file, O_RDONLY, 0);
	need(fd >= 0);
	close(fd);
	end(pid);
	remove_scene(dir, file);
	return 0;
}

static int
trust_what_is_kept(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char dir[512], file[512];
	bool is_roots;
	double begun;
	pid_t pid;

	(void)arg;
	make_scene(dir, file);
	pid = hold(file, FOR_EVER);
	need(pid > 0);
	begun = now();
	need(omega_trust_open(file, OMEGA_TRUST_FILE, &is_roots, &error) < 0);
	need(now() - begun > 4 && now() - begun < 40);
	need(strstr(error.text, file) != NULL);
	need(strstr(error.text, "holds a lease") != NULL);
	end(pid);
	remove_scene(dir, file);
	return 0;
}

/* Ready for a line? 0, or the code with the error. */
static int
ask_audit(const char *file, struct omega_sandbox_error *error)
{
	struct omega_log log = {.fn = NULL};
	struct omega_conf *conf = omega_conf_new();
	struct omega_audit audit;
	char content[600];
	int ret;

	snprintf(content, sizeof(content), "audit = '%s'\n", file);
	if (omega_conf_parse(conf, "x", content, strlen(content), error) != 0)
		abort();
	omega_audit_init(&audit, conf, &log);
	ret = omega_audit_ready(&audit, error);
	omega_audit_close(&audit);
	omega_conf_free(conf);
	return ret;
}

static int
write_down(void *arg)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char dir[512], file[512];
	pid_t pid;

	(void)arg;
	make_scene(dir, file);
	pid = hold(file, BRIEFLY_MS);
	need(pid > 0);
	need(ask_audit(file, &error) == 0);
	end(pid);
	pid = hold(file, FOR_EVER);
	need(pid > 0);
	need(ask_audit(file, &error) == OMEGA_SANDBOX_E_REFUSED);
	need(strstr(error.text, file) != NULL);
	need(strstr(error.text, "holds a lease") != NULL);
	end(pid);
	need(ask_audit(file, &error) == 0);
	remove_scene(dir, file);
	return 0;
}

static void
test_a_lease_that_goes_is_waited_for(void **state)
{
	(void)state;
	assert_int_equal(in_child(open_what_is_let_go, NULL), 0);
	assert_int_equal(in_user_child(open_what_is_let_go, NULL), 0);
}

static void
test_a_lease_that_stays_is_named(void **state)
{
	(void)state;
	assert_int_equal(in_user_child(trust_what_is_kept, NULL), 0);
}

static void
test_the_log_waits_and_says_why_not(void **state)
{
	(void)state;
	assert_int_equal(in_user_child(write_down, NULL), 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_lease_that_goes_is_waited_for),
	    cmocka_unit_test(test_a_lease_that_stays_is_named),
	    cmocka_unit_test(test_the_log_waits_and_says_why_not),
	};

	return run_all(tests);
}
