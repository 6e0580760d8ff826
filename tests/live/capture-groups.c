/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capture-groups.c - commands in a control group of their own, which are ended
 * through it. Where the controllers belong to version 1 a policy gets no group;
 * there groups are made and killed without one.
 */

#include "capture-tests.h"

#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launch/cgroup.h"
#include "spawning.h"
#include "subject.h"

/* How many groups of commands are there? */
static int
count_groups(const char *dir)
{
	char line[PATH_MAX + 64];
	FILE *list;
	int count = -1;

	snprintf(
	    line, sizeof(line), "ls '%s' | grep -c '^omega-sandbox-'", dir);
	list = popen(line, "r");
	if (list == NULL || fscanf(list, "%d", &count) != 1)
		count = -1;
	if (list != NULL)
		pclose(list);
	return count;
}

/* A tree of processes under a policy with limits. */
static int
limited(void *base)
{
	struct omega_sandbox_outcome outcome = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_result *result;
	struct subject_scene scene;
	struct subject subject;
	char dir[PATH_MAX];
	int faults = 0;
	int before;

	if (omega_cgroup_find(dir) == 0) {
		fprintf(stderr, "# not tried: no control group is ours here\n");
		return 0;
	}
	before = count_groups(dir);
	if (!subject_open(&scene, base,
		"floor = { many }\npolicy many { max_processes = 1000 }\n") ||
	    !subject_make(&subject, scene.library.inside, "tree", "cgroup"))
		return 1;
	must(omega_sandbox_command_set_number(
		 subject.command, "timeout_ms", 5000, NULL) == 0);
	result = subject_capture(&subject, &outcome, &faults);
	CHECK(faults, outcome.is_timed_out, "not timed out");
	CHECK(faults,
	    result != NULL && memmem(outcome.out.bytes, outcome.out.len,
				  "/omega-sandbox-", 15) != NULL,
	    "it was in no group of its own");
	omega_sandbox_result_free(result);
	subject_end(&subject);
	subject_close(&scene);
	CHECK(faults, count_groups(dir) == before, "%d groups, not %d",
	    count_groups(dir), before);
	return faults;
}

static void
test_limited(void **state)
{
	char dir[PATH_MAX];

	(void)state;
	if (is_under_valgrind())
		skip_because("valgrind knows no pidfd_open(2)");
	if (omega_cgroup_find(dir) == 0)
		skip_because("no control group of version 2 with controllers "
			     "is ours");
	twice(limited);
}

/* Where version 2 is mounted, with or without controllers. */
static bool
find_mount(char *dir, size_t size)
{
	FILE *mounts = fopen("/proc/self/mounts", "re");
	char line[2 * PATH_MAX];
	char at[PATH_MAX];
	bool is_found = false;

	while (mounts != NULL && !is_found &&
	       fgets(line, sizeof(line), mounts) != NULL)
		is_found = sscanf(line, "%*s %4095s cgroup2", at) == 1 &&
			   strstr(line, " cgroup2 ") != NULL;
	if (mounts != NULL)
		fclose(mounts);
	if (is_found)
		snprintf(dir, size, "%s", at);
	return is_found;
}

/* Enter a group, leave everything else, and say so. */
static void
be_member(const struct omega_cgroup_state *state, int ready)
{
	int ret = omega_cgroup_enter(state);

	if (ret == 0 && fork() == 0)
		setsid();
	signal(SIGTERM, SIG_IGN);
	if (write(ready, ret == 0 ? "y" : "n", 1) != 1 || ret != 0)
		_exit(-ret);
	for (;;)
		pause();
}

static void
test_killed_through_its_group(void **state)
{
	struct omega_cgroup_state group = {.memory = 0};
	char dir[PATH_MAX];
	char byte = ' ';
	int ready[2];
	int status;
	int tries;
	int list;
	int fd;
	pid_t pid;

	(void)state;
	if (geteuid() != 0 || !find_mount(dir, sizeof(dir)) ||
	    faccessat(AT_FDCWD, dir, W_OK, AT_EACCESS) != 0)
		skip_because("no control group of version 2 is ours");
	group.dir_fd = omega_cgroup_open_dir(dir);
	assert_true(group.dir_fd >= 0);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0)
		be_member(&group, ready[1]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	if (byte != 'y') {
		waitpid(pid, &status, 0);
		skip_because("a process cannot move into a new group here");
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	fd = omega_cgroup_open(group.dir_fd, pid);
	assert_true(fd >= 0);
	if (faccessat(fd, "cgroup.kill", F_OK, 0) != 0) {
		kill(pid, SIGKILL);
		skip_because("this kernel has no cgroup.kill");
	}
	/* As omega-sandbox-init does. */
	list = openat(fd, "cgroup.kill", O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(list, "1", 1), 1);
	close(list);
	/* Both hold the pipe, the one in a session of its own as well. */
	assert_int_equal(read(ready[0], &byte, 1), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	close(fd);
	/* One that is on its way out still counts. */
	for (tries = 0; tries < 3000; tries++) {
		omega_cgroup_leave(group.dir_fd, pid);
		fd = omega_cgroup_open(group.dir_fd, pid);
		if (fd < 0)
			break;
		close(fd);
		usleep(10000);
	}
	assert_int_equal(fd, -ENOENT);
	close(group.dir_fd);
	close(ready[0]);
}

/* Who prepares takes away what others have left, not what they have just made
 * and are about to enter. */
static void
test_tidied(void **state)
{
	struct omega_cgroup_state group = {.memory = 0};
	uint64_t number = 0;
	char dir[PATH_MAX];
	char name[64];
	pid_t pid;
	int list;

	(void)state;
	if (geteuid() != 0 || !find_mount(dir, sizeof(dir)) ||
	    faccessat(AT_FDCWD, dir, W_OK, AT_EACCESS) != 0)
		skip_because("no control group of version 2 is ours");
	group.dir_fd = omega_cgroup_open_dir(dir);
	assert_true(group.dir_fd >= 0);
	list = omega_cgroup_make(&group, &number);
	assert_true(list >= 0);
	snprintf(name, sizeof(name), "omega-sandbox-%llu",
	    (unsigned long long)number);
	omega_cgroup_tidy(group.dir_fd);
	assert_int_equal(faccessat(group.dir_fd, name, F_OK, 0), 0);
	omega_cgroup_leave(group.dir_fd, number);
	close(list);
	pid = fork();
	if (pid == 0)
		_exit(omega_cgroup_make(&group, &number) < 0);
	waitpid(pid, NULL, 0);
	snprintf(name, sizeof(name), "omega-sandbox-%llu",
	    (unsigned long long)pid << 32 | (uint32_t)(number + 1));
	assert_int_equal(faccessat(group.dir_fd, name, F_OK, 0), 0);
	omega_cgroup_tidy(group.dir_fd);
	assert_int_not_equal(faccessat(group.dir_fd, name, F_OK, 0), 0);
	close(group.dir_fd);
}

const struct CMUnitTest capture_groups_tests[] = {
    cmocka_unit_test(test_limited),
    cmocka_unit_test(test_killed_through_its_group),
    cmocka_unit_test(test_tidied),
    {NULL, NULL, NULL, NULL, NULL},
};
