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
	const ssize_t len = (ssize_t)strlen(text);
	ssize_t n;
	int ret = 0;
	int fd;

	fd = openat(mounts->proc, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* All of it at once: a second part would be another text. */
	do
		n = write(fd, text, (size_t)len);
	while (n < 0 && errno == EINTR);
	if (n != len)
		ret = n < 0 ? -errno : -EIO;
	close(fd);
	return ret;
}

/*
 * Every id there is, as itself, but for the last one if there are several:
 * that one is *last then, otherwise it is left alone. 1: there is a spare id;
 * 0: there is none; -errno.
 */
static int
make_map(struct mounts *mounts, const char *path, char *map, uint32_t *last)
{
	unsigned long first[MAX_EXTENTS];
	unsigned long length[MAX_EXTENTS];
	size_t count = 0;
	size_t used = 0;
	size_t i;
	FILE *file;
	int fd;

	fd = openat(mounts->proc, path, O_RDONLY | O_CLOEXEC);
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (file == NULL)
		return -errno;
	while (count < MAX_EXTENTS &&
	       fscanf(file, "%lu %*u %lu", &first[count], &length[count]) == 2)
		count++;
	fclose(file);
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

/* In a user namespace: the one id we have. */
static int
map_own(struct mounts *mounts, unsigned long uid, unsigned long gid)
{
	char map[64];
	int ret;

	ret = write_text(mounts, "self/setgroups", "deny");
	snprintf(map, sizeof(map), "%lu %lu 1\n", uid, uid);
	if (ret == 0)
		ret = write_text(mounts, "self/uid_map", map);
	snprintf(map, sizeof(map), "%lu %lu 1\n", gid, gid);
	if (ret == 0)
		ret = write_text(mounts, "self/gid_map", map);
	return ret < 0 ? mounts_fail_with(mounts, ret, "uid_map", "") : 0;
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
		if (has[i] < 0)
			return mounts_fail_with(
			    mounts, has[i], "read", "/proc/self/uid_map");
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
	const uid_t uid = geteuid();
	const gid_t gid = getegid();
	int ret;

	if (!is_root && unshare(CLONE_NEWUSER) != 0)
		return mounts_fail(mounts, "unshare(CLONE_NEWUSER)", "");
	if (unshare(CLONE_NEWNS) != 0)
		return mounts_fail(mounts, "unshare(CLONE_NEWNS)", "");
	ret = is_root ? 0 : map_own(mounts, uid, gid);
	if (ret == 0)
		ret = find_owner(mounts, has_spare);
	if (ret < 0)
		return ret;
	if (calls_setattr(AT_FDCWD, "/", CALLS_RECURSIVE, &slave) != 0)
		return mounts_fail(mounts, "mount_setattr", "/");
	return keep_proc(mounts);
}

/*
 * Nobody inside can make mount namespaces of their own, also not in a user
 * namespace. There they could leave all mounts behind at once, which are not
 * locked against that, and then rename what was pinned through a descriptor.
 */
static int
forbid_nesting(struct mounts *mounts, uint32_t flags)
{
	int ret = 0;

	if ((flags & REQUEST_NESTS) == 0)
		ret = write_text(mounts, "sys/user/max_user_namespaces", "0");
	if (ret == 0)
		ret = write_text(mounts, "sys/user/max_mnt_namespaces", "0");
	return ret < 0
		   ? mounts_fail_with(mounts, ret, "write", "/proc/sys/user")
		   : 0;
}

/* A network namespace, if one is asked for, with its one device up. */
static int
enter_network(struct mounts *mounts, uint32_t flags)
{
	struct ifreq device;
	int ret = 0;
	int fd;

	if ((flags & REQUEST_NEW_NETWORK) == 0)
		return 0;
	if (unshare(CLONE_NEWNET | CLONE_NEWIPC) != 0)
		return mounts_fail(mounts, REQUEST_UNSHARE_NETWORK, "");
	memset(&device, 0, sizeof(device));
	strcpy(device.ifr_name, "lo");
	/* Any socket will do; this kind is always there. */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &device) == 0)
		device.ifr_flags |= IFF_UP;
	if (fd < 0 || (device.ifr_flags & IFF_UP) == 0 ||
	    ioctl(fd, SIOCSIFFLAGS, &device) != 0)
		ret = mounts_fail(mounts, REQUEST_LOOPBACK, "");
	if (fd >= 0)
		close(fd);
	if (ret == 0 && (flags & REQUEST_HOSTS) != 0)
		ret = hosts_make(mounts);
	return ret;
}

/*
 * The network namespace comes after the user namespace: so it belongs to
 * that, and whoever joins the one may join the other.
 */
static int
enter_second(struct mounts *mounts, uint32_t flags)
{
	int ret;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return mounts_fail(mounts, "unshare(CLONE_NEWUSER) again", "");
	ret = enter_network(mounts, flags);
	return ret == 0 ? forbid_nesting(mounts, flags) : ret;
}

/*
 * fork, into a pid namespace with a /proc of its own, as every supervised
 * command will have it: only trying tells. Our mounts are as before then, and
 * have not been copied for it. *error: why there can be none; in the child also
 * -EBUSY, when they are not.
 */
static pid_t
fork_alone(int *error)
{
	long pid =
	    syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);

	*error = pid < 0 ? errno : 0;
	if (pid < 0)
		return fork();
	if (pid == 0 && mount("proc", "/proc", "proc",
			    MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
		*error = errno;
	else if (pid == 0 && umount2("/proc", MNT_DETACH) != 0)
		*error = -EBUSY;
	return (pid_t)pid;
}

/* How that ended. What a fault names are literals, which a forked process has
 * at the same place. */
struct outcome {
	int error;
	int pids_error;
	struct mounts_fault fault;
};

/* In the process that becomes the second level. Ends when go does. */
static void
be_second(
    struct mounts *mounts, uint32_t flags, int pids_error, int ready, int go)
{
	struct outcome outcome = {.pids_error = pids_error};
	char byte;

	outcome.error = pids_error < 0 ? mounts_fail_with(mounts, pids_error,
					     "umount", "/proc")
				       : enter_second(mounts, flags);
	outcome.fault = mounts->fault;
	if (write(ready, &outcome, sizeof(outcome)) == sizeof(outcome))
		(void)!read(go, &byte, 1);
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
	return ret < 0 ? mounts_fail_with(mounts, ret, "uid_map", "") : 0;
}

int
level_make_second(
    struct mounts *mounts, uint32_t flags, struct level_second *second)
{
	struct outcome outcome;
	int error;
	int ready[2];
	int go[2];
	ssize_t n;

	if (pipe2(ready, O_CLOEXEC) != 0 || pipe2(go, O_CLOEXEC) != 0)
		return mounts_fail(mounts, "pipe", "");
	second->pid = fork_alone(&error);
	if (second->pid < 0)
		return mounts_fail(mounts, "fork", "");
	if (second->pid == 0) {
		close(go[1]);
		be_second(mounts, flags, error, ready[1], go[0]);
	}
	close(ready[1]);
	close(go[0]);
	second->go = go[1];
	n = read(ready[0], &outcome, sizeof(outcome));
	close(ready[0]);
	if (n != sizeof(outcome))
		return mounts_fail_with(mounts, -EPROTO, "pipe", "");
	mounts->fault = outcome.fault;
	second->pids_error = error != 0 ? error : outcome.pids_error;
	return outcome.error != 0 ? outcome.error
				  : write_maps(mounts, second->pid);
}

void
level_let_go(struct level_second *second)
{
	if (second->go < 0)
		return;
	close(second->go);
	second->go = -1;
	waitpid(second->pid, NULL, 0);
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
	int status = 0;
	int error;
	pid_t pid = fork_alone(&error);
	int ret;

	if (pid == 0)
		_exit(error < 0 ? -error : error);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return mounts_fail(mounts, "fork", "");
	if (error == 0)
		error = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	ret = enter_network(mounts, flags);
	if (ret < 0)
		return ret;
	*second = (struct level_second){
	    .pid = getpid(), .go = -1, .pids_error = error};
	ret = is_chrooted(mounts);
	if (ret == 0)
		return 0;
	return ret < 0 ? mounts_fail_with(mounts, ret, "setns", "")
		       : mounts_fail_with(mounts, -EPERM, REQUEST_CHROOT, "");
}
