/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-path-kernels.c - older kernels and strict containers: the same
 * answers without openat2 and without statx, whether they are missing or
 * forbidden. A filter in a child takes the calls away.
 */

#include "scene.h"

#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <omega/sandbox.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

#define MAX_DENIED 4

struct kernel {
	struct {
		long call; /* 0 ends the list */
		int error;
	} denied[MAX_DENIED];
};

static struct scene scene;

/* Let the calls fail from here on. There is no way back. */
static bool
deny(const struct kernel *kernel)
{
	struct sock_filter filter[2 * MAX_DENIED + 2];
	struct sock_fprog program = {.filter = filter};
	unsigned short n = 0;
	size_t i;

	filter[n++] = (struct sock_filter)BPF_STMT(
	    BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (i = 0; i < MAX_DENIED && kernel->denied[i].call != 0; i++) {
		filter[n++] =
		    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			(unsigned)kernel->denied[i].call, 0, 1);
		filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
		    SECCOMP_RET_ERRNO | (unsigned)kernel->denied[i].error);
	}
	filter[n++] =
	    (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = n;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#define CANNOT_FILTER 77

static int
ask_all(void *arg)
{
	const struct kernel *kernel = arg;
	int wrong = 0;
	size_t i;

	if (!deny(kernel))
		return CANNOT_FILTER;
	errno = 0;
	child_expect(syscall(kernel->denied[0].call, -1, NULL, NULL, 0, 0) < 0);
	child_expect(errno == kernel->denied[0].error || errno == ENOSYS);
	for (i = 0; i < scene.count; i++)
		if (!scene_case_holds(&scene, &scene.cases[i]))
			wrong = 1;
	return wrong;
}

static void
must_answer_alike(const struct kernel *kernel)
{
	struct kernel copy = *kernel;
	int status;

	scene_enter(&scene);
	status = in_child(ask_all, &copy);
	scene_leave(&scene);
	if (status == CANNOT_FILTER)
		skip_because("this kernel has no system call filters");
	assert_int_equal(status, 0);
}

static void
test_kernel_without_openat2_gives_the_same_answers(void **state)
{
	static const struct kernel kernel = {.denied = {{SYS_openat2, ENOSYS}}};

	(void)state;
	must_answer_alike(&kernel);
}

static void
test_filter_that_forbids_openat2_changes_no_answer(void **state)
{
	static const struct kernel kernel = {.denied = {{SYS_openat2, EPERM}}};

	(void)state;
	must_answer_alike(&kernel);
}

static void
test_kernel_without_statx_gives_the_same_answers(void **state)
{
	static const struct kernel kernel = {
	    .denied = {{SYS_statx, ENOSYS}, {SYS_openat2, ENOSYS}}};

	(void)state;
	must_answer_alike(&kernel);
}

static int
ask_mounted(void *arg)
{
	const struct home *home = &scene.home;

	child_expect(mount(in_dir(home, "data"), in_root(home, "free/sub"),
			 "none", MS_BIND, NULL) == 0);
	if (!deny(arg))
		return CANNOT_FILTER;
	child_expect(verdict_is(
	    in_root(home, "free/sub/x"), home->dir, NULL, true, true));
	child_expect(
	    verdict_is(in_root(home, "free/x"), home->dir, NULL, false, false));
	return 0;
}

static void
test_kernel_without_statx_sees_bind_mounts(void **state)
{
	struct kernel kernel = {
	    .denied = {{SYS_statx, ENOSYS}, {SYS_openat2, ENOSYS}}};
	int status;

	(void)state;
	scene_enter(&scene);
	status = in_mount_child(ask_mounted, &kernel);
	scene_leave(&scene);
	if (status == CANNOT_FILTER || status == CANNOT_MOUNT)
		skip_because("system calls cannot be filtered or mount "
			     "namespaces not be made here");
	assert_int_equal(status, 0);
}

/* Nothing left to see with: then nothing is allowed. */
static int
ask_blind(void *arg)
{
	int wrong = 0;
	size_t i;

	if (!deny(arg))
		return CANNOT_FILTER;
	for (i = 0; i < scene.count; i++) {
		const char *path = scene.cases[i].path;

		if (!verdict_is(path, scene.home.dir, NULL, true, true))
			wrong = 1;
	}
	return wrong;
}

static void
test_filter_that_forbids_looking_blocks_every_path(void **state)
{
	struct kernel kernel = {.denied = {{SYS_statx, EPERM}}};
	int status;

	(void)state;
	scene_enter(&scene);
	status = in_child(ask_blind, &kernel);
	scene_leave(&scene);
	if (status == CANNOT_FILTER)
		skip_because("this kernel has no system call filters");
	assert_int_equal(status, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(
		test_kernel_without_openat2_gives_the_same_answers),
	    cmocka_unit_test(
		test_filter_that_forbids_openat2_changes_no_answer),
	    cmocka_unit_test(test_kernel_without_statx_gives_the_same_answers),
	    cmocka_unit_test(test_kernel_without_statx_sees_bind_mounts),
	    cmocka_unit_test(
		test_filter_that_forbids_looking_blocks_every_path),
	};

	return run_all(tests);
}
