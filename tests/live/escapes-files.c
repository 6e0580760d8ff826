/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes-files.c - ways to a file that are neither its name nor a
 * descriptor: clones, mounts with other ids, quotas; and what processes share
 * without a file system of their own.
 */

#include "escapes.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CLONE_FILE 0x40049409UL /* FICLONE */
#define OPEN_TREE 428
#define MOUNT_SETATTR 442
#define QUOTACTL_FD 443
#define SET_QUOTA 0x80000800L /* Q_SETQUOTA of users */

/* A second file with the same blocks. */
static int
clone_file(const char *from, const char *to)
{
	int source = open(from, O_RDONLY);
	int target;
	int ret;

	if (source < 0)
		return errno;
	target = open(to, O_WRONLY | O_CREAT, 0600);
	if (target < 0)
		return errno;
	ret = escapes_result(ioctl(target, CLONE_FILE, source));
	return ret;
}

TRICK(clone_out)
{
	(void)arg;
	return clone_file(
	    escapes_in(dir, DB), escapes_in(dir, "workspace/clone"));
}

TRICK(clone_in)
{
	(void)arg;
	return clone_file(
	    escapes_in(dir, "workspace/file"), escapes_in(dir, CONFIG));
}

/* A process in a user namespace with a map of its own. Its number. */
static pid_t
start_mapped(int ready[2])
{
	pid_t pid;

	if (pipe(ready) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		char byte = unshare(CLONE_NEWUSER) == 0 ? 'y' : 'n';

		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	return pid;
}

static int
write_map(pid_t pid, const char *name)
{
	static const char map[] = "0 0 1\n";
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_WRONLY);
	return fd >= 0 && write(fd, map, sizeof(map) - 1) > 0 ? 0 : errno;
}

static int
set_map(int tree, pid_t pid)
{
	struct {
		uint64_t set, clear, propagation, fd;
	} attributes = {0x100000, 0, 0, 0}; /* MOUNT_ATTR_IDMAP */
	char path[64];
	int fd;

	if (write_map(pid, "uid_map") != 0 || write_map(pid, "gid_map") != 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return errno;
	attributes.fd = (uint64_t)fd;
	return escapes_result(syscall(MOUNT_SETATTR, tree, "", AT_EMPTY_PATH,
	    &attributes, sizeof(attributes)));
}

/* The data once more, on a mount of its own with other owners. */
TRICK(idmapped)
{
	char text[sizeof(SECRET)] = "";
	int ready[2];
	char byte = 0;
	pid_t pid;
	int tree;
	int ret;
	int fd;

	(void)arg;
	tree = (int)syscall(OPEN_TREE, AT_FDCWD, escapes_in(dir, "data"),
	    1 | O_CLOEXEC); /* OPEN_TREE_CLONE */
	if (tree < 0)
		return errno;
	pid = start_mapped(ready);
	if (pid < 0)
		return errno;
	if (read(ready[0], &byte, 1) != 1 || byte != 'y')
		ret = EPERM;
	else
		ret = set_map(tree, pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (ret != 0)
		return ret;
	fd = openat(tree, "memory.db", O_RDONLY);
	if (fd < 0)
		return errno;
	if (read(fd, text, sizeof(text) - 1) < 1)
		return EIO;
	return strcmp(text, SECRET) == 0 ? 0 : ENODATA;
}

/* What others may store; behind the check for privilege the address is not
 * there. */
TRICK(quota)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY);

	(void)arg;
	if (fd < 0)
		return errno;
	return escapes_reached(
	    syscall(QUOTACTL_FD, fd, SET_QUOTA, 0, NULL), EFAULT);
}

const struct attempt escapes_files[] = {
    {"FICLONE of data", MAYBE, clone_out},
    {"FICLONE over config.toml", MAYBE, clone_in},
    {"idmapped mount", ROOT_MAYBE, idmapped},
    {"quotactl", ROOT_MAYBE, quota},
    {NULL, BOTH, NULL},
};

/* ---- What is shared by name: dir is that --------------------------------- */

TRICK(send_to_queue)
{
	mqd_t queue = mq_open(dir, O_WRONLY | O_NONBLOCK);

	(void)arg;
	if (queue == (mqd_t)-1)
		return errno;
	return escapes_result(mq_send(queue, "x", 1, 0));
}

TRICK(take_semaphore)
{
	sem_t *semaphore = sem_open(dir, 0);

	(void)arg;
	if (semaphore == SEM_FAILED)
		return errno;
	return sem_trywait(semaphore) != 0
		   ? errno
		   : escapes_result(sem_post(semaphore));
}

const struct attempt escapes_shared[] = {
    {"message queue", BOTH, send_to_queue},
    {"semaphore", BOTH, take_semaphore},
    {NULL, BOTH, NULL},
};
