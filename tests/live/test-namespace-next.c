/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-namespace-next.c - the namespace backend, and a command that lies in
 * wait for the next one of the same host.
 */

#include <sys/prctl.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"
#include "twice.h"
#include "world.h"

/* In the host's memory, and in that of a child before it executes. */
static char treasure[64];

/* A command that stays, and reaches for every new process. */
static int
lie_in_wait(const char *dir, const char *where)
{
	char *address = NULL;
	char found[64];
	char path[PATH_MAX];
	pid_t newest = 0;
	unsigned long tries = 0;

	sscanf(where, "%p", (void **)&address);
	snprintf(path, sizeof(path), "%s/workspace/go", dir);
	while (access(path, F_OK) != 0) {
		char name[64];
		int fd;

		if (tries % 8 == 0)
			newest = newest_process();
		snprintf(name, sizeof(name), "/proc/%d/mem",
		    newest - 2 + (int)(tries++ % 8));
		fd = open(name, O_RDONLY);
		if (fd < 0)
			continue;
		if (pread(fd, found, sizeof(found), (off_t)(uintptr_t)address) >
			0 &&
		    memcmp(found, "TREASURE", 8) == 0)
			return 66;
		close(fd);
	}
	return 0;
}

/*
 * 66 when the treasure was found. Until then so many starts at least, and while
 * it is to be found more of them for two minutes: it takes luck to meet one.
 */
static int
start_many(struct driver *driver, struct world *world, int must_be_found)
{
	static char self[PATH_MAX];
	static char word[] = "wait";
	static char nothing[] = "/bin/true";
	char where[32];
	char path[2 * PATH_MAX];
	char *argv[] = {self, word, world->dir, where, NULL};
	int status = -1;
	int rounds = harness_rounds(1500);
	time_t end = time(NULL) + (must_be_found ? 120 : 0);
	int i;
	pid_t pid;
	pid_t ended = 0;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len < 0 ? 0 : len] = '\0';
	snprintf(where, sizeof(where), "%p", (void *)treasure);
	pid = driver_start(driver, argv);
	for (i = 0; ended == 0 && (i < rounds || time(NULL) < end); i++) {
		driver_run(driver, (char *[]){nothing, NULL});
		ended = waitpid(pid, &status, WNOHANG);
	}
	snprintf(path, sizeof(path), "%s/workspace/go", world->dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	if (ended == 0)
		waitpid(pid, &status, 0);
	unlink(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int
next_one(void *base)
{
	struct driver nothing = {.plugin = NULL};
	struct driver driver;
	struct world world;
	int faults = 0;

	snprintf(treasure, sizeof(treasure), "TREASURE");
	prctl(PR_SET_DUMPABLE, 1);
	if (!driver_open(&driver, "namespace"))
		return 1;
	world_make(&world, base, ".omega");
	driver_default_policy(&driver, world.dir);
	if (driver_prepare(&driver) < 0)
		return 1;
	CHECK(faults, driver.flags == OMEGA_SANDBOX_LAUNCH_SHARES, "flags");
	CHECK(faults, start_many(&nothing, &world, 1) == 66, "not outside");
	CHECK(faults, start_many(&driver, &world, 0) == 0, "found inside");
	driver_close(&driver);
	world_end(&world);
	return faults;
}

TWICE(next_one)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_next_one),
	};

	if (argc == 4 && strcmp(argv[1], "wait") == 0)
		_exit(lie_in_wait(argv[2], argv[3]));
	return run_all(tests);
}
