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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
assault(pid_t pid)
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
	return kill(pid, SIGCONT) == 0 ? 4 : 0;
}

/* Attack every other child of our parent, and that, until dir/stop is there. */
TRICK(resident)
{
	pid_t host = getppid();
	pid_t self = getpid();
	char *stop = strdup(escapes_in(dir, "workspace/stop"));
	int seen = 0;

	(void)arg;
	close(
	    open(escapes_in(dir, "workspace/ready"), O_CREAT | O_WRONLY, 0600));
	while (access(stop, F_OK) != 0) {
		pid_t pid = 0;
		int fd = open("/proc/loadavg", O_RDONLY);
		char text[128] = "";
		const char *at;
		pid_t newest;

		if (read(fd, text, sizeof(text) - 1) <= 0)
			return 240;
		close(fd);
		at = strrchr(text, ' ');
		newest = at != NULL ? (pid_t)strtol(at, NULL, 10) : 0;
		for (pid = newest; pid > newest - 6 && pid > 0; pid--) {
			if (pid == self || parent_of(pid) != host)
				continue;
			seen++;
			if (assault(pid) != 0)
				return 0;
		}
		if (assault(host) != 0)
			return 0;
	}
	return seen > 0 ? EPERM : ENODATA;
}

const struct attempt escapes_next[] = {
    {"resident", BOTH, resident},
    {NULL, BOTH, NULL},
};
