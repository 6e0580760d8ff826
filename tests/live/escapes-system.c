/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes-system.c - system directories, mounts, disks.
 */

#include "escapes.h"

#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

TRICK(system_reopen)
{
	char path[64];
	int fd = open("/etc/hostname", O_RDONLY);

	UNUSED;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return escapes_result(open(path, O_WRONLY));
}

TRICK(system_fchmod)
{
	struct stat st;
	int fd = open("/etc/hostname", O_RDONLY);

	UNUSED;
	if (fd < 0 || fstat(fd, &st) != 0)
		return errno;
	return escapes_result(fchmod(fd, st.st_mode & 07777));
}

TRICK(system_chown)
{
	UNUSED;
	return escapes_result(chown("/etc/hostname", 0, 0));
}

TRICK(system_utimes)
{
	struct stat st;
	struct timespec times[2];

	UNUSED;
	if (stat("/usr/bin/true", &st) != 0)
		return errno;
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	return escapes_result(utimensat(AT_FDCWD, "/usr/bin/true", times, 0));
}

TRICK(system_xattr)
{
	int ret;

	UNUSED;
	ret = setxattr("/etc/hostname", "trusted.omega", "x", 1, 0);
	if (ret != 0 && errno == EPERM)
		ret = setxattr("/etc/hostname", "user.omega", "x", 1, 0);
	if (ret != 0)
		return errno;
	removexattr("/etc/hostname", "trusted.omega");
	return 0;
}

TRICK(system_flags)
{
	int fd = open("/etc/hostname", O_RDONLY);
	int flags = 0;

	UNUSED;
	if (ioctl(fd, 0x80086601, &flags) != 0) /* FS_IOC_GETFLAGS */
		return errno;
	return escapes_result(ioctl(fd, 0x40086602, &flags));
}

TRICK(system_rename)
{
	UNUSED;
	return escapes_move_aside("/etc/hostname");
}

TRICK(system_link_out)
{
	char *path = escapes_in(dir, "workspace/hostname");
	int ret;

	(void)arg;
	if (link("/etc/hostname", path) != 0)
		return errno;
	ret = open(path, O_WRONLY);
	ret = escapes_result(ret);
	unlink(path);
	return ret;
}

static int
make_and_remove(const char *path)
{
	return mkdir(path, 0700) != 0 ? errno : escapes_result(rmdir(path));
}

TRICK(system_create)
{
	static const char *const places[] = {"/usr/bin", "/usr/sbin",
	    "/usr/lib", "/usr/libexec", "/boot", "/dev", NULL};
	char path[64];
	int i;
	int worst = ENOENT;

	UNUSED;
	for (i = 0; places[i] != NULL; i++) {
		int ret;

		snprintf(path, sizeof(path), "%s/omega-test", places[i]);
		ret = make_and_remove(path);
		if (ret == 0)
			return 0;
		worst = ret;
	}
	return worst;
}

TRICK(system_remount)
{
	struct {
		uint64_t set, clear, propagation, fd;
	} attributes = {0, 1, 0, 0}; /* MOUNT_ATTR_RDONLY */

	UNUSED;
	mount(NULL, "/etc", NULL, MS_REMOUNT | MS_BIND, NULL);
	syscall(442, AT_FDCWD, "/etc", 0, &attributes, sizeof(attributes));
	umount2("/etc", MNT_DETACH);
	return escapes_result(open("/etc/hostname", O_WRONLY));
}

TRICK(mount_over)
{
	char *path = escapes_in(dir, "workspace");

	(void)arg;
	if (mount("t", path, "tmpfs", 0, NULL) != 0)
		return errno;
	umount2(path, MNT_DETACH);
	return 0;
}

TRICK(mount_new_way)
{
	UNUSED;
	return escapes_result(syscall(430, "tmpfs", 0)); /* fsopen */
}

/* The first of these that can be written. */
static int
open_one_of(const char *const *paths)
{
	int last = ENOENT;

	for (; *paths != NULL; paths++) {
		if (open(*paths, O_WRONLY | O_NONBLOCK) >= 0)
			return 0;
		if (errno != ENOENT)
			last = errno;
	}
	return last;
}

/* Each starts a program outside, or is a way to. */
TRICK(kernel_starts)
{
	static const char *const paths[] = {"/proc/sys/kernel/core_pattern",
	    "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hotplug",
	    "/proc/sys/fs/binfmt_misc/register", "/sys/kernel/uevent_helper",
	    "/sys/fs/cgroup/release_agent",
	    "/sys/fs/cgroup/systemd/release_agent", NULL};

	UNUSED;
	return open_one_of(paths);
}

TRICK(kernel_tracing)
{
	static const char *const paths[] = {"/sys/kernel/tracing/kprobe_events",
	    "/sys/kernel/tracing/tracing_on",
	    "/sys/kernel/debug/tracing/kprobe_events", "/sys/power/state",
	    NULL};

	UNUSED;
	return open_one_of(paths);
}

TRICK(devices_that_make_others)
{
	static const char *const paths[] = {"/dev/loop-control", "/dev/fuse",
	    "/dev/net/tun", "/dev/kvm", "/dev/mapper/control", "/dev/uinput",
	    "/dev/mem", "/dev/btrfs-control", "/dev/snapshot", NULL};

	UNUSED;
	return open_one_of(paths);
}

/* The first of the block devices that can be opened. */
TRICK(all_disks)
{
	DIR *stream = opendir("/dev");
	const struct dirent *entry;
	int last = ENXIO;

	UNUSED;
	while (stream != NULL && (entry = readdir(stream)) != NULL) {
		struct stat st;
		char *path = escapes_in("/dev", entry->d_name);

		if (stat(path, &st) != 0 || !S_ISBLK(st.st_mode))
			continue;
		if (open(path, O_RDONLY | O_NONBLOCK) >= 0)
			return 0;
		last = errno;
	}
	return last;
}

/* A node of our own for the first disk there is. */
static int
make_node(const char *path, mode_t mode, dev_t device)
{
	int ret;

	unlink(path);
	if (mknod(path, mode | 0600, device) != 0)
		return errno;
	ret = open(path, O_RDONLY | O_NONBLOCK);
	ret = escapes_result(ret);
	unlink(path);
	return ret;
}

TRICK(disk_node)
{
	FILE *list = fopen("/proc/partitions", "r");
	char line[128];
	unsigned major_number;
	unsigned minor_number;
	unsigned long blocks;
	int last = ENXIO;

	(void)arg;
	while (list != NULL && fgets(line, sizeof(line), list) != NULL) {
		if (sscanf(line, "%u %u %lu", &major_number, &minor_number,
			&blocks) != 3 ||
		    blocks == 0)
			continue;
		last = make_node(escapes_in(dir, "workspace/disk"), S_IFBLK,
		    makedev(major_number, minor_number));
		if (last == 0)
			break;
	}
	return last;
}

TRICK(memory_node)
{
	(void)arg;
	return make_node(
	    escapes_in(dir, "workspace/kmsg"), S_IFCHR, makedev(1, 11));
}

TRICK(kernel_messages)
{
	UNUSED;
	return escapes_result(open("/dev/kmsg", O_RDONLY | O_NONBLOCK));
}

TRICK(cgroup_files)
{
	UNUSED;
	if (access("/sys/fs/cgroup/cgroup.procs", F_OK) != 0)
		return errno;
	return escapes_result(open("/sys/fs/cgroup/cgroup.procs", O_WRONLY));
}

const struct attempt escapes_system[] = {
    {"system: reopen", ROOT, system_reopen},
    {"system: fchmod", ROOT, system_fchmod},
    {"system: chown", ROOT, system_chown},
    {"system: utimes", ROOT, system_utimes},
    {"system: xattr", ROOT, system_xattr},
    {"system: chattr", ROOT_MAYBE, system_flags},
    {"system: rename", ROOT_MAYBE, system_rename},
    {"system: link out", ROOT_MAYBE, system_link_out},
    {"system: create", ROOT, system_create},
    {"system: remount", ROOT, system_remount},
    {"mount", ROOT, mount_over},
    {"fsopen", ROOT, mount_new_way},
    {"what the kernel starts", ROOT, kernel_starts},
    {"kernel tracing", ROOT_MAYBE, kernel_tracing},
    {"other devices", ROOT_MAYBE, devices_that_make_others},
    {"every disk", ROOT_MAYBE, all_disks},
    {"node of a disk", ROOT_MAYBE, disk_node},
    {"node of kmsg", ROOT_MAYBE, memory_node},
    {"/dev/kmsg", ROOT_MAYBE, kernel_messages},
    {"cgroup", ROOT_MAYBE, cgroup_files},
    {NULL, BOTH, NULL},
};
