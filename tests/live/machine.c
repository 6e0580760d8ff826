/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * machine.c - attempts to get at the machine, and at processes outside.
 */

#include "attempts.h"

#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TRICK(name) static int name(const char *dir, const char *arg)
#define BOTH ATTEMPTS_ATTACK, 0
#define ROOT ATTEMPTS_ATTACK, 1
#define PERHAPS ATTEMPTS_MAYBE, 1

static int
result(long ret)
{
	return ret < 0 ? (errno == 0 ? EIO : errno) : 0;
}

static int
can_open(const char *path, int flags)
{
	return result(open(path, flags));
}

TRICK(create_in_etc)
{
	int fd = open("/etc/omega-test", O_CREAT | O_WRONLY, 0600);

	(void)dir;
	(void)arg;
	if (fd >= 0)
		unlink("/etc/omega-test");
	return result(fd);
}

TRICK(write_etc)
{
	(void)dir;
	(void)arg;
	return can_open("/etc/hostname", O_WRONLY);
}

TRICK(chmod_etc)
{
	struct stat st;

	(void)dir;
	(void)arg;
	if (stat("/etc/hostname", &st) != 0)
		return errno;
	return result(chmod("/etc/hostname", st.st_mode & 07777));
}

TRICK(write_by_proc)
{
	(void)dir;
	(void)arg;
	return can_open("/proc/self/root/etc/hostname", O_WRONLY);
}

TRICK(write_by_other_root)
{
	char path[64];

	(void)dir;
	snprintf(path, sizeof(path), "/proc/%ld/root/etc/hostname",
	    strtol(arg, NULL, 10));
	return can_open(path, O_WRONLY);
}

TRICK(write_sysctl)
{
	(void)dir;
	(void)arg;
	return can_open("/proc/sys/kernel/core_pattern", O_WRONLY);
}

TRICK(write_sysrq)
{
	(void)dir;
	(void)arg;
	return can_open("/proc/sysrq-trigger", O_WRONLY);
}

TRICK(write_sys)
{
	(void)dir;
	(void)arg;
	return can_open("/sys/kernel/uevent_helper", O_WRONLY) == 0
		   ? 0
		   : can_open("/sys/kernel/mm/ksm/run", O_WRONLY);
}

TRICK(adjust_other)
{
	char path[64];

	(void)dir;
	snprintf(path, sizeof(path), "/proc/%ld/oom_score_adj",
	    strtol(arg, NULL, 10));
	return can_open(path, O_WRONLY);
}

TRICK(raw_disk)
{
	(void)dir;
	(void)arg;
	return can_open("/dev/loop0", O_RDONLY);
}

TRICK(own_node)
{
	char path[PATH_MAX];

	(void)arg;
	snprintf(path, sizeof(path), "%s/workspace/own-node", dir);
	if (mknod(path, S_IFBLK | 0600, makedev(7, 0)) != 0)
		return errno;
	return can_open(path, O_RDONLY);
}

/* A node that was there before, outside /dev. */
TRICK(old_node)
{
	(void)arg;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/workspace/node", dir);
	return can_open(path, O_RDONLY);
}

TRICK(read_kcore)
{
	(void)dir;
	(void)arg;
	return can_open("/proc/kcore", O_RDONLY);
}

TRICK(trace_other)
{
	pid_t pid = (pid_t)strtol(arg, NULL, 10);
	int status;

	(void)dir;
	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) != 0)
		return errno;
	waitpid(pid, &status, 0);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return 0;
}

TRICK(memory_of_other)
{
	char path[64];

	(void)dir;
	snprintf(path, sizeof(path), "/proc/%ld/mem", strtol(arg, NULL, 10));
	return can_open(path, O_RDWR);
}

TRICK(descriptor_of_other)
{
	int pidfd = (int)syscall(434, (pid_t)strtol(arg, NULL, 10), 0);

	(void)dir;
	return result(syscall(438, pidfd, 9, 0)); /* pidfd_getfd */
}

TRICK(connect_socket)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)arg;
	snprintf(to.sun_path, sizeof(to.sun_path), "%.60s/../socket", dir);
	return result(connect(fd, (struct sockaddr *)&to, sizeof(to)));
}

const struct attempt attempts_on_system[] = {
    {"create in /etc", ROOT, create_in_etc},
    {"write in /etc", ROOT, write_etc},
    {"chmod in /etc", ROOT, chmod_etc},
    {"write by /proc/self/root", ROOT, write_by_proc},
    {"write by /proc/PID/root", ROOT, write_by_other_root},
    {"write /proc/sys", ROOT, write_sysctl},
    {"write sysrq-trigger", PERHAPS, write_sysrq},
    {"write /sys", PERHAPS, write_sys},
    {"oom_score_adj of another", ROOT, adjust_other},
    {"raw disk", PERHAPS, raw_disk},
    {"raw disk by a new node", PERHAPS, own_node},
    {"raw disk by an old node", PERHAPS, old_node},
    {"/proc/kcore", PERHAPS, read_kcore},
    {"ptrace", BOTH, trace_other},
    {"/proc/PID/mem", BOTH, memory_of_other},
    {"pidfd_getfd", BOTH, descriptor_of_other},
    {"connect to a socket", BOTH, connect_socket},
    {NULL, BOTH, NULL},
};
