/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * witness-darwin.c - see witness.h. Functions of the C library that are no more
 * than a system call.
 */

#include "config.h"

#include "child/witness.h"

#include <sys/attr.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <mach/mach.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* <sys/xattr.h> is not in every set of headers. */
#define NO_FOLLOW 0x0001 /* XATTR_NOFOLLOW */
extern int removexattr(const char *path, const char *name, int options);

int
omega_touch_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);

	return fd < 0 ? -errno : fd;
}

void
omega_touch_close(int fd)
{
	close(fd);
}

int
omega_touch_look(int dir, const char *path, struct omega_touch_seen *seen)
{
	struct stat st;

	if ((path[0] == '\0'
		    ? fstat(dir, &st)
		    : fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW)) != 0)
		return -errno;
	seen->object.major = (uint32_t)major(st.st_dev);
	seen->object.minor = (uint32_t)minor(st.st_dev);
	seen->object.inode = st.st_ino;
	seen->object.mode = st.st_mode;
	seen->object.birth = st.st_birthtimespec.tv_sec;
	seen->object.birth_nsec = (uint32_t)st.st_birthtimespec.tv_nsec;
	seen->size = (uint64_t)st.st_size;
	return 0;
}

bool
omega_touch_has_content(int fd)
{
	char byte;

	return read(fd, &byte, 1) > 0;
}

/* The kernel's own listing, which leaves "." and ".." out; readdir(3) would
 * allocate. */
bool
omega_touch_has_names(int fd)
{
	struct attrlist wanted = {.bitmapcount = ATTR_BIT_MAP_COUNT,
	    .commonattr = ATTR_CMN_RETURNED_ATTRS | ATTR_CMN_NAME};
	_Alignas(8) char buffer[2048];

	return getattrlistbulk(fd, &wanted, buffer, sizeof(buffer), 0) > 0;
}

static char *
put_number(char *at, uint64_t number)
{
	for (; number > 0; number /= 10)
		*at++ = (char)('0' + number % 10);
	return at;
}

/* Files without a name do not exist here: a directory with one that no other
 * process or thread chooses, removed again. */
int
omega_touch_create(const char *dir)
{
	static const char prefix[] = "/.omega-sandbox-witness-";
	char path[PATH_MAX];
	size_t len = strlen(dir);
	char *at;

	if (len + sizeof(prefix) + 48 > sizeof(path))
		return -ENAMETOOLONG;
	memcpy(path, dir, len);
	memcpy(path + len, prefix, sizeof(prefix));
	at = put_number(
	    path + len + sizeof(prefix) - 1, (uint64_t)(uint32_t)getpid());
	*at++ = '-';
	/* Two threads have different stacks at any time. */
	at = put_number(at, (uint64_t)(uintptr_t)path);
	*at = '\0';
	if (mkdir(path, 0700) != 0)
		return -errno;
	rmdir(path);
	return 0;
}

int
omega_touch_may_create(const char *dir)
{
	return faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0 ? 0
								      : -errno;
}

int
omega_touch_make(const char *path)
{
	return mkdir(path, 0700) == 0 ? 0 : -errno;
}

void
omega_touch_remove(const char *path)
{
	rmdir(path);
}

/* "There is no such attribute" comes after "you may not". */
bool
omega_touch_change(const char *path)
{
	return removexattr(path, "user.omega-sandbox.witness", NO_FOLLOW) !=
		   0 &&
	       errno == ENOATTR;
}

bool
omega_touch_signal(void)
{
	pid_t parent = getppid();

	return parent > 0 && kill(parent, 0) == 0;
}

/* Who has the port of a process can read and write its memory. */
int
omega_touch_trace(void)
{
	mach_port_t port = MACH_PORT_NULL;
	pid_t parent = getppid();

	if (parent <= 0 ||
	    task_for_pid(mach_task_self(), parent, &port) != KERN_SUCCESS)
		return 0;
	mach_port_deallocate(mach_task_self(), port);
	return 1;
}
