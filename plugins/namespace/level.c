/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * level.c - see mounts.h.
 */

#include "mounts.h"

#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <net/if.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

#define MAX_EXTENTS 340 /* the kernel's own limit */
#define MAP_SIZE (MAX_EXTENTS * 36)

static int
write_text(struct mounts *mounts, const char *path, const char *text)
{
	const size_t len = strlen(text);
	ssize_t n;
	int ret = 0;
	int fd;

	fd = openat(mounts->proc, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* All of it at once: a second part would be another text. */
	do
		n = write(fd, text, len);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)len)
		ret = n < 0 ? -errno : -EIO;
	close(fd);
	return ret;
}

/* All of it: the kernel gives a page at a time. The length, or -errno. */
static ssize_t
read_text(struct mounts *mounts, const char *path, char *text, size_t size)
{
	size_t used = 0;
	ssize_t n = 1;
	int error = 0;
	int fd;

	fd = openat(mounts->proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (error == 0 && n != 0 && used < size) {
		n = read(fd, text + used, size - used);
		if (n > 0)
			used += (size_t)n;
		else if (n < 0 && errno != EINTR)
			error = errno;
	}
	close(fd);
	return error != 0 ? -error : (ssize_t)used;
}

/*
 * Every id there is, as itself, but for the last one if there are several:
 * that one is *last then, otherwise it is left alone. 1: there is a spare id;
 * 0: there is none; -errno.
 */
static int
make_map(struct mounts *mounts, const char *file, char *map, uint32_t *last)
{
	unsigned long first[MAX_EXTENTS];
	unsigned long length[MAX_EXTENTS];
	char text[MAP_SIZE];
	size_t count = 0;
	size_t used = 0;
	size_t i;
	char *line;
	ssize_t n;

	n = read_text(mounts, file, text, sizeof(text) - 1);
	if (n <= 0)
		return n < 0 ? (int)n : -EINVAL;
	text[n] = '\0';
	for (line = text; *line != '\0' && count < MAX_EXTENTS; count++) {
		first[count] = strtoul(line, &line, 10);
		strtoul(line, &line, 10);
		length[count] = strtoul(line, &line, 10);
		line += strspn(line, " \n");
	}
	if (count == 0)
		return -EINVAL;
	i = count - 1;
	if (count > 1 || length[0] > 1) {
		*last = (uint32_t)(first[i] + length[i] - 1);
		length[i]--;
	}
	for (i = 0; i < count; i++)
		if (length[i] > 0)
			used += (size_t)snprintf(map + used, MAP_SIZE - used,
			    "%lu %lu %lu\n", first[i], first[i], length[i]);
	return count > 1 || length[0] > 1;
}

/* A user namespace with the one id we have. */
static int
enter_as_user(struct mounts *mounts)
{
	unsigned long uid = geteuid();
	unsigned long gid = getegid();
	char map[64];
	int ret;

	if (unshare(CLONE_NEWUSER) != 0)
		return mounts_fail(mounts, "unshare(CLONE_NEWUSER)", "");
	if (unshare(CLONE_NEWNS) != 0)
		return mounts_fail(mounts, "unshare(CLONE_NEWNS)", "");
	ret = write_text(mounts, "self/setgroups", "deny");
	snprintf(map, sizeof(map), "%lu %lu 1\n", uid, uid);
	if (ret == 0)
		ret = write_text(mounts, "self/uid_map", map);
	snprintf(map, sizeof(map), "%lu %lu 1\n", gid, gid);
	if (ret == 0)
		ret = write_text(mounts, "self/gid_map", map);
	if (ret < 0) {
		errno = -ret;
		return mounts_fail(mounts, "uid_map", "");
	}
	return 0;
}

static const char *const map_names[] = {"uid_map", "gid_map"};
static char maps[2][MAP_SIZE]; /* for the second level */

static int
find_owner(struct mounts *mounts, uint32_t *has_spare)
{
	uint32_t ids[] = {geteuid(), getegid()};
	char path[64];
	int has[2];
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "self/%s", map_names[i]);
		has[i] = make_map(mounts, path, maps[i], &ids[i]);
		if (has[i] < 0) {
			errno = -has[i];
			return mounts_fail(
			    mounts, "read", "/proc/self/uid_map");
		}
	}
	mounts->owner = ids[0];
	mounts->group = ids[1];
	*has_spare = has[0] && has[1];
	return 0;
}

/* A copy of /proc of our own, which nothing mounted later changes. */
static int
keep_proc(struct mounts *mounts)
{
	int proc;

	proc = calls_open_tree(
	    AT_FDCWD, "/proc", CALLS_CLONE | CALLS_CLOEXEC | CALLS_RECURSIVE);
	if (proc < 0)
		return mounts_fail(mounts, "open_tree", "/proc");
	close(mounts->proc);
	mounts->proc = proc;
	return 0;
}

int
level_enter(struct mounts *mounts, int is_root, uint32_t *has_spare)
{
	struct calls_attr slave = {.propagation = CALLS_SLAVE};
	int ret = 0;

	if (!is_root)
		ret = enter_as_user(mounts);
	else if (unshare(CLONE_NEWNS) != 0)
		ret = mounts_fail(mounts, "unshare(CLONE_NEWNS)", "");
	if (ret < 0)
		return ret;
	ret = find_owner(mounts, has_spare);
	if (ret < 0)
		return ret;
	if (calls_setattr(AT_FDCWD, "/", CALLS_RECURSIVE, &slave) != 0)
		return mounts_fail(mounts, "mount_setattr", "/");
	return keep_proc(mounts);
}

/*
 * Nobody inside can make namespaces of their own. There they could leave all
 * mounts behind at once, which are not locked against that, and then rename
 * what was pinned through a descriptor.
 */
static int
forbid_nesting(struct mounts *mounts)
{
	int ret;

	ret = write_text(mounts, "sys/user/max_user_namespaces", "0");
	if (ret == 0)
		ret = write_text(mounts, "sys/user/max_mnt_namespaces", "0");
	return ret;
}

/* Bring up the one device of the network namespace we are in. */
static int
raise_loopback(void)
{
	struct ifreq device;
	int ret = 0;
	int fd;

	memset(&device, 0, sizeof(device));
	strcpy(device.ifr_name, "lo");
	/* Any socket will do; this kind is always there. */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, SIOCGIFFLAGS, &device) != 0) {
		ret = -errno;
	} else {
		device.ifr_flags |= IFF_UP;
		if (ioctl(fd, SIOCSIFFLAGS, &device) != 0)
			ret = -errno;
	}
	close(fd);
	return ret;
}

/* Which of the steps of the second level failed, and how. */
struct trouble {
	int step; /* into the names below */
	int error;
};

static const struct mounts_fault trouble_names[] = {
    {"pipe", ""},
    {"unshare(CLONE_NEWUSER) again", ""},
    {REQUEST_UNSHARE_NETWORK, ""},
    {REQUEST_LOOPBACK, ""},
    {"write", "/proc/sys/user"},
};
#define TROUBLE_COUNT ((int)(sizeof(trouble_names) / sizeof(trouble_names[0])))

/*
 * The network namespace comes after the user namespace: so it belongs to
 * that, and whoever joins the one may join the other.
 */
static struct trouble
enter_second(struct mounts *mounts, uint32_t flags)
{
	int has_network = (flags & REQUEST_NEW_NETWORK) != 0;
	int ret;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return (struct trouble){1, errno};
	if (has_network && unshare(CLONE_NEWNET | CLONE_NEWIPC) != 0)
		return (struct trouble){2, errno};
	ret = has_network ? raise_loopback() : 0;
	if (ret < 0)
		return (struct trouble){3, -ret};
	return (struct trouble){4, -forbid_nesting(mounts)};
}

/* In the process that becomes the second level. Ends when go does. */
static void
be_second(struct mounts *mounts, uint32_t flags, int ready, int go)
{
	struct trouble trouble = enter_second(mounts, flags);
	ssize_t n;
	char byte;

	do
		n = write(ready, &trouble, sizeof(trouble));
	while (n < 0 && errno == EINTR);
	if (n == sizeof(trouble))
		while (read(go, &byte, 1) < 0 && errno == EINTR)
			continue;
	_exit(0);
}

/* From outside, because nobody inside may write more than one id. */
static int
write_maps(struct mounts *mounts, pid_t pid)
{
	char path[64];
	int ret = 0;
	int i;

	for (i = 0; ret == 0 && i < 2; i++) {
		snprintf(path, sizeof(path), "%ld/%s", (long)pid, map_names[i]);
		ret = write_text(mounts, path, maps[i]);
	}
	errno = -ret;
	return ret < 0 ? mounts_fail(mounts, "uid_map", "") : 0;
}

int
level_make_second(
    struct mounts *mounts, uint32_t flags, struct level_second *second)
{
	struct trouble trouble = {0, EPROTO};
	int ready[2];
	int go[2];
	ssize_t n;
	int ret;

	if (pipe2(ready, O_CLOEXEC) != 0 || pipe2(go, O_CLOEXEC) != 0)
		return mounts_fail(mounts, "pipe", "");
	second->pid = fork();
	if (second->pid < 0)
		return mounts_fail(mounts, "fork", "");
	if (second->pid == 0) {
		close(go[1]);
		be_second(mounts, flags, ready[1], go[0]);
	}
	close(ready[1]);
	close(go[0]);
	second->go = go[1];
	do
		n = read(ready[0], &trouble, sizeof(trouble));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(trouble) || trouble.step < 0 ||
	    trouble.step >= TROUBLE_COUNT)
		trouble = (struct trouble){0, EPROTO};
	errno = trouble.error;
	if (trouble.error != 0)
		ret = mounts_fail(mounts, trouble_names[trouble.step].what,
		    trouble_names[trouble.step].path);
	else
		ret = write_maps(mounts, second->pid);
	close(ready[0]);
	return ret;
}

void
level_let_go(struct level_second *second)
{
	if (second->go < 0)
		return;
	close(second->go);
	second->go = -1;
	while (waitpid(second->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

/* As every supervised command will have it. Only trying tells. */
int
level_try_pids(void)
{
	int status = 0;
	long pid;

	pid = syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, NULL,
	    NULL, NULL, NULL);
	if (pid < 0)
		return errno;
	if (pid == 0)
		_exit(mount("proc", "/proc", "proc",
			  MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0
			  ? 0
			  : errno);
	while (waitpid((pid_t)pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

/* Is joining the namespace we are in another root than ours? */
static int
is_chrooted(struct mounts *mounts)
{
	struct statx before;
	struct statx after;
	unsigned mask = STATX_INO | STATX_MNT_ID;
	int fd;
	int ret = 0;

	fd = openat(mounts->proc, "self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || statx(AT_FDCWD, "/", 0, mask, &before) != 0 ||
	    setns(fd, CLONE_NEWNS) != 0 ||
	    statx(AT_FDCWD, "/", 0, mask, &after) != 0)
		ret = -errno;
	if (fd >= 0)
		close(fd);
	if (ret < 0)
		return ret;
	return before.stx_mnt_id != after.stx_mnt_id ||
	       before.stx_ino != after.stx_ino;
}

int
level_stay_plain(
    struct mounts *mounts, uint32_t flags, struct level_second *second)
{
	int ret;

	if ((flags & REQUEST_NEW_NETWORK) != 0) {
		if (unshare(CLONE_NEWNET | CLONE_NEWIPC) != 0)
			return mounts_fail(mounts, REQUEST_UNSHARE_NETWORK, "");
		ret = raise_loopback();
		if (ret < 0) {
			errno = -ret;
			return mounts_fail(mounts, REQUEST_LOOPBACK, "");
		}
	}
	*second = (struct level_second){.pid = getpid(), .go = -1};
	ret = is_chrooted(mounts);
	if (ret == 0)
		return 0;
	errno = ret < 0 ? -ret : EPERM;
	return mounts_fail(mounts, ret < 0 ? "setns" : REQUEST_CHROOT, "");
}
