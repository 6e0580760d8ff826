/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-attack.c - ways around the path checks that were tried on
 * purpose: other mount namespaces, chroots, mounts, missing system calls.
 * And harmless paths that once were refused.
 */

#include "harness.h"

#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "path/guard.h"
#include "path/judge.h"
#include "path/place.h"
#include "volume.h"

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

/* In a child, where cmocka must not jump: say what failed, and go on. */
#define expect(condition) expect_that(condition, #condition, __LINE__)

static int failures;

static void
expect_that(bool holds, const char *condition, int line)
{
	if (holds)
		return;
	failures++;
	printf("# line %d: not so: %s\n", line, condition);
	fflush(stdout);
}

/*
 * The answers of both interfaces for one kind of access, which must agree.
 * Path and data directory are below base.
 */
static bool
is_blocked(
    bool is_write, const char *base, const char *path, const char *data_dir)
{
	struct omega_sandbox_guard *guard = NULL;
	char whole[PATH_MAX];
	char dir[PATH_MAX];
	bool direct;
	bool by_guard = true;

	snprintf(whole, sizeof(whole), "%s/%s", base, path);
	snprintf(dir, sizeof(dir), "%s/%s", base, data_dir);
	direct = is_write ? omega_sandbox_is_write_blocked(whole, dir)
			  : omega_sandbox_is_read_blocked(whole, dir, NULL);
	if (omega_sandbox_guard_new(dir, NULL, &guard, NULL) == 0)
		by_guard = omega_sandbox_guard_is_blocked(guard,
		    is_write ? OMEGA_SANDBOX_WRITE : OMEGA_SANDBOX_READ, whole,
		    NULL);
	omega_sandbox_guard_free(guard);
	expect(direct == by_guard);
	return direct;
}

#define read_blocked(base, path) is_blocked(false, base, path, "o")
#define write_blocked(base, path) is_blocked(true, base, path, "o")

/* base/o with data/secret, data/sub/db and config.toml; base/a with file. */
static void
make_tree(const char *base)
{
	make_file(text("%s/o/data/secret", base), "secret");
	make_file(text("%s/o/data/sub/db", base), "secret");
	make_file(text("%s/o/config.toml", base), "secret");
	make_file(text("%s/a/file", base), "harmless");
}

/* Run fn(base) in a mount namespace of its own; skip where there is none. */
static void
run_with_mounts(int (*fn)(void *))
{
	char base[PATH_MAX];
	int status;

	snprintf(base, sizeof(base), "%s", scratch_dir());
	make_tree(base);
	status = in_mount_child(fn, base);
	if (status == CANNOT_MOUNT)
		skip_because("this cannot be mounted here");
	assert_int_equal(status, 0);
}

static bool
bind_to(const char *from, const char *to)
{
	return mount(from, to, "none", MS_BIND | MS_REC, NULL) == 0;
}

static bool
forget_openat2(void)
{
	struct sock_filter code[] = {
	    BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
	    .len = sizeof(code) / sizeof(code[0]), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* A process that sees from at to, in a mount namespace of its own. */
static pid_t
start_elsewhere(const char *from, const char *to)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		if (unshare(CLONE_NEWNS) != 0 || !bind_to(from, to) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		close(ready[1]);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

static void
stop_elsewhere(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/*
 * There a/sub is the data directory, here it is a harmless one. The link's
 * text must not be taken for a place here.
 */
static int
try_foreign_dangling_link(void *arg)
{
	char *base = arg;
	pid_t pid;

	make_dir(text("%s/a/sub", base));
	make_link("sub/new", text("%s/a/link", base));
	pid = start_elsewhere(text("%s/o/data", base), text("%s/a/sub", base));
	if (pid < 0)
		return CANNOT_MOUNT;
	make_link(text("/proc/%d/root%s/a/link", (int)pid, base),
	    text("%s/way", base));
	expect(write_blocked(base, "way"));
	expect(read_blocked(base, "way"));
	stop_elsewhere(pid);
	return failures;
}

static void
test_dangling_link_in_another_namespace_is_blocked(void **state)
{
	(void)state;
	run_with_mounts(try_foreign_dangling_link);
}

/* A link that leads to what has the link's own name over there. */
static int
try_foreign_namesake(void *arg)
{
	char *base = arg;
	pid_t pid;

	make_dir(text("%s/a/sub", base));
	pid = start_elsewhere(text("%s/o/data", base), text("%s/a/sub", base));
	if (pid < 0)
		return CANNOT_MOUNT;
	expect(rmdir(text("%s/a/sub", base)) == 0);
	make_link(text("/proc/%d/root%s/a/sub", (int)pid, base),
	    text("%s/a/sub", base));
	expect(read_blocked(base, "a/sub/secret"));
	expect(write_blocked(base, "a/sub/new"));
	expect(forget_openat2());
	expect(read_blocked(base, "a/sub/secret"));
	expect(write_blocked(base, "a/sub/new"));
	stop_elsewhere(pid);
	return failures;
}

static void
test_namesake_in_another_namespace_is_blocked(void **state)
{
	(void)state;
	run_with_mounts(try_foreign_namesake);
}

/* The root of a chroot is no mount: the table does not show its mount. */
static int
try_bind_in_chroot(void *arg)
{
	char *base = arg;

	make_dir(text("%s/proc", base));
	make_dir(text("%s/b", base));
	make_dir(text("%s/bs", base));
	if (!bind_to("/proc", text("%s/proc", base)) ||
	    !bind_to(text("%s/o/data", base), text("%s/b", base)) ||
	    !bind_to(text("%s/o/data/sub", base), text("%s/bs", base)) ||
	    chroot(base) != 0 || chdir("/") != 0)
		return CANNOT_MOUNT;
	expect(read_blocked("", "o/data/secret"));
	expect(read_blocked("", "b/secret"));
	expect(write_blocked("", "b/new"));
	expect(read_blocked("", "bs/db"));
	expect(!read_blocked("", "a/file"));
	expect(!read_blocked("", "proc/cpuinfo"));
	return failures;
}

static void
test_bind_mount_in_a_chroot_is_blocked(void **state)
{
	(void)state;
	run_with_mounts(try_bind_in_chroot);
}

/* A mount over the data does not free what it hides. */
static int
try_hidden_data(void *arg)
{
	char *base = arg;
	int fd;

	make_dir(text("%s/b", base));
	fd = open(text("%s/o/data", base), O_PATH | O_CLOEXEC);
	if (!bind_to(text("%s/o/data", base), text("%s/b", base)) ||
	    mount("none", text("%s/o/data", base), "tmpfs", 0, NULL) != 0)
		return CANNOT_MOUNT;
	expect(read_blocked(base, "b/secret"));
	expect(write_blocked(base, "b/new"));
	make_link(text("/proc/self/fd/%d/secret", fd), text("%s/x", base));
	make_link(text("/proc/self/fd/%d/new", fd), text("%s/y", base));
	expect(read_blocked(base, "x"));
	expect(write_blocked(base, "y"));
	close(fd);
	return failures;
}

static void
test_data_hidden_by_a_mount_is_blocked(void **state)
{
	(void)state;
	run_with_mounts(try_hidden_data);
}

/* Out of descriptors nothing can be looked at. */
static int
try_without_descriptors(void *arg)
{
	char *base = arg;
	struct rlimit few;

	make_link("a/file", text("%s/link", base));
	expect(!read_blocked(base, "a/file"));
	/* Limits of 0 would do, but not under valgrind. */
	expect(getrlimit(RLIMIT_NOFILE, &few) == 0);
	few.rlim_cur = 64;
	expect(setrlimit(RLIMIT_NOFILE, &few) == 0);
	while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
		;
	expect(read_blocked(base, "a/file"));
	expect(read_blocked(base, "a/new"));
	expect(read_blocked(base, "link"));
	expect(write_blocked(base, "a/none/new"));
	return failures;
}

static void
test_everything_is_blocked_without_descriptors(void **state)
{
	char base[PATH_MAX];

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_dir());
	make_tree(base);
	assert_int_equal(in_child(try_without_descriptors, base), 0);
}

/*
 * A volume where DATA is data, and a directory inside it that is shown
 * elsewhere. The mount table may spell that otherwise, and what the rule
 * names is not on the way. Every look at a name changes how this volume
 * spells it, as a real one would not: so the last look comes just before the
 * verdict.
 */
static int
try_bind_on_folding_volume(void *arg)
{
	char *base = arg;
	struct omega_sandbox_guard *guard = NULL;
	struct omega_finding finding;
	struct omega_place place;
	struct stat st;

	make_dir(text("%s/v", base));
	make_dir(text("%s/b", base));
	make_dir(text("%s/c", base));
	if (volume_mount(text("%s/v", base), false) != 0)
		return CANNOT_MOUNT;
	make_file(text("%s/v/omega/data/sub/db", base), "");
	make_file(text("%s/v/pub/file", base), "");
	expect(bind_to(text("%s/v/omega/data/sub", base), text("%s/b", base)));
	expect(bind_to(text("%s/v/pub", base), text("%s/c", base)));
	expect(omega_sandbox_guard_new(
		   text("%s/v/omega", base), NULL, &guard, NULL) == 0);
	expect(omega_place_look(text("%s/b/db", base), &place) == 0);
	expect(stat(text("%s/v/OMEGA/Data", base), &st) == 0);
	expect(omega_judge_place(
	    &guard->rules, OMEGA_SANDBOX_READ, &place, false, &finding));
	expect(omega_place_look(text("%s/c/file", base), &place) == 0);
	expect(stat(text("%s/v/OMEGA/Data", base), &st) == 0);
	expect(!omega_judge_place(
	    &guard->rules, OMEGA_SANDBOX_READ, &place, false, &finding));
	omega_sandbox_guard_free(guard);
	return failures;
}

static void
test_bind_mount_from_inside_folded_data_is_blocked(void **state)
{
	(void)state;
	run_with_mounts(try_bind_on_folding_volume);
}

static void
test_slash_behind_a_file_changes_nothing(void **state)
{
	char base[PATH_MAX];

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_dir());
	make_tree(base);
	make_link("a", text("%s/link", base));
	make_link("a/file", text("%s/file", base));
	assert_false(read_blocked(base, "link/file"));
	assert_false(read_blocked(base, "link/file/"));
	assert_false(read_blocked(base, "link/file/."));
	assert_false(read_blocked(base, "file//"));
	assert_int_equal(failures, 0);
}

static void
test_deep_path_with_an_odd_name_is_not_blocked(void **state)
{
	char path[512] = "a~";
	char base[PATH_MAX];
	int i;

	(void)state;
	snprintf(base, sizeof(base), "%s", scratch_dir());
	make_tree(base);
	for (i = 0; i < 80; i++)
		strcat(path, "/d");
	make_dir(text("%s/%s", base, path));
	assert_false(read_blocked(base, path));
	assert_false(write_blocked(base, path));
	assert_int_equal(failures, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(
		test_dangling_link_in_another_namespace_is_blocked),
	    cmocka_unit_test(test_namesake_in_another_namespace_is_blocked),
	    cmocka_unit_test(test_bind_mount_in_a_chroot_is_blocked),
	    cmocka_unit_test(test_data_hidden_by_a_mount_is_blocked),
	    cmocka_unit_test(test_everything_is_blocked_without_descriptors),
	    cmocka_unit_test(
		test_bind_mount_from_inside_folded_data_is_blocked),
	    cmocka_unit_test(test_slash_behind_a_file_changes_nothing),
	    cmocka_unit_test(test_deep_path_with_an_odd_name_is_not_blocked),
	};

	return run_all(tests);
}
