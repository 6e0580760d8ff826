/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes-next.c - one that stays and attacks those that come.
 */

#include "escapes.h"

#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

static pid_t
parent_of(pid_t pid)
{
	char path[64];
	char text[512] = "";
	const char *at;
	int parent = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) > 0 &&
	    (at = strrchr(text, ')')) != NULL)
		sscanf(at + 2, "%*c %d", &parent);
	close(fd);
	return parent;
}

static int
seize(pid_t pid)
{
	char path[64];
	char byte = 0;
	struct iovec here = {&byte, 1};
	struct iovec there = {NULL, 1};
	int status;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	if (open(path, O_RDWR) >= 0)
		return 1;
	if (process_vm_writev(pid, &here, 1, &there, 1, 0) < 0 &&
	    errno == EFAULT)
		return 2;
	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) == 0) {
		waitpid(pid, &status, 0);
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
		return 3;
	}
	return 0;
}

static int
assault(pid_t pid)
{
	int way = seize(pid);

	return way == 0 && kill(pid, SIGCONT) == 0 ? 4 : way;
}

/* Is it still what its parent is, on its way to exec? */
static bool
is_on_its_way(pid_t pid)
{
	char path[64];
	char own[PATH_MAX] = "";
	char its[PATH_MAX] = "";

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return readlink("/proc/self/exe", own, sizeof(own) - 1) > 0 &&
	       readlink(path, its, sizeof(its) - 1) > 0 &&
	       strcmp(own, its) == 0;
}

/* Only what has the host's memory, and without signals. */
static int
assault_memory(pid_t pid)
{
	char path[64];
	int fd;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	if (!is_on_its_way(pid))
		return 0;
	fd = open(path, O_RDWR);
	ret = fd >= 0 && is_on_its_way(pid);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Where commands are not kept apart: the memory of our parent, not of them. */
static int
assault_host(pid_t pid)
{
	return pid == getppid() ? seize(pid) : 0;
}

static void
make(const char *path)
{
	close(open(path, O_CREAT | O_WRONLY, 0600));
}

static int
found(const char *dir, const char *whom, int way)
{
	make(escapes_in(dir, "workspace/found"));
	fprintf(stderr, "# %s was reached: %d\n", whom, way);
	return 0;
}

/* The last child of host but us, where the kernel lists them: on a machine
 * where many start, the newest number is soon somebody else's. */
static pid_t
listed_child(pid_t host, pid_t self)
{
	char path[64];
	char text[256] = "";
	char *at = text;
	pid_t last = 0;
	long pid;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", host, host);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	while ((pid = strtol(at, &at, 10)) > 0)
		if (pid != self)
			last = (pid_t)pid;
	return last;
}

/*
 * Attack every other child of our parent, and that, until dir/workspace/stop
 * is there. dir/workspace/found says that it was possible.
 */
static int
reside(const char *dir, int (*fn)(pid_t))
{
	pid_t host = getppid();
	pid_t self = getpid();
	char *stop = strdup(escapes_in(dir, "workspace/stop"));
	int seen = 0;
	int way;

	make(escapes_in(dir, "workspace/ready"));
	while (access(stop, F_OK) != 0) {
		pid_t pid = listed_child(host, self);
		pid_t newest = newest_process();

		if (pid > 0) {
			seen++;
			way = fn(pid);
			if (way != 0)
				return found(dir, "the next command", way);
		}
		if (newest == 0)
			return 240;
		for (pid = newest; pid > newest - 6 && pid > 0; pid--) {
			if (pid == self || parent_of(pid) != host)
				continue;
			seen++;
			way = fn(pid);
			if (way != 0)
				return found(dir, "the next command", way);
		}
		way = fn(host);
		if (way != 0)
			return found(dir, "the host", way);
	}
	return seen > 0 ? EPERM : ENODATA;
}

TRICK(resident)
{
	(void)arg;
	return reside(dir, assault);
}

TRICK(resident_without_signals)
{
	(void)arg;
	return reside(dir, seize);
}

TRICK(resident_reader)
{
	(void)arg;
	return reside(dir, assault_memory);
}

TRICK(resident_against_the_host)
{
	(void)arg;
	return reside(dir, assault_host);
}

const struct attempt escapes_next[] = {
    {"resident", BOTH, resident},
    {"resident without signals", BOTH, resident_without_signals},
    {"resident against the host", BOTH, resident_against_the_host},
    {"resident reader", BOTH, resident_reader},
    {NULL, BOTH, NULL},
};
