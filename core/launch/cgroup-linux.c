/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * cgroup-linux.c - see cgroup.h.
 */

#include "config.h"

#include "launch/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child/raw.h"

#define PREFIX "omega-sandbox-"
#define MOUNTED "/sys/fs/cgroup" /* where everybody has it */

/* ---- In the parent --------------------------------------------------------
 */

static int
read_text(const char *dir, const char *name, char *text, size_t size)
{
	char path[PATH_MAX];
	ssize_t len;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = read(fd, text, size - 1);
	close(fd);
	if (len < 0)
		return -EIO;
	text[len] = '\0';
	return 0;
}

static bool
has_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *at = text;

	while ((at = strstr(at, word)) != NULL) {
		if ((at == text || at[-1] == ' ') &&
		    (at[len] == ' ' || at[len] == '\n' || at[len] == '\0'))
			return true;
		at += len;
	}
	return false;
}

/* What the groups in dir can be limited by, if we may make one there. */
static unsigned
limits_of(const char *dir)
{
	char path[PATH_MAX];
	char text[512];
	unsigned limits = 0;

	if (snprintf(path, sizeof(path), "%s/cgroup.procs", dir) >=
		(int)sizeof(path) ||
	    faccessat(AT_FDCWD, dir, W_OK, AT_EACCESS) != 0 ||
	    faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0 ||
	    read_text(dir, "cgroup.subtree_control", text, sizeof(text)) < 0)
		return 0;
	if (has_word(text, "memory"))
		limits |= OMEGA_CGROUP_MEMORY;
	if (has_word(text, "pids"))
		limits |= OMEGA_CGROUP_PROCESSES;
	return limits;
}

unsigned
omega_cgroup_find(char dir[PATH_MAX])
{
	char text[PATH_MAX];
	unsigned limits;
	char *line;
	char *end;

	/* "0::/our/group" is all there is where nothing is of version 1. */
	if (read_text("/proc/self", "cgroup", text, sizeof(text)) < 0)
		return 0;
	line = strncmp(text, "0::/", 4) == 0 ? text : strstr(text, "\n0::/");
	if (line == NULL)
		return 0;
	line += *line == '\n' ? 4 : 3;
	end = strchr(line, '\n');
	if (end != NULL)
		*end = '\0';
	if (strstr(line, "/..") != NULL ||
	    snprintf(dir, PATH_MAX, MOUNTED "%s",
		line[1] == '\0' ? "" : line) >= PATH_MAX)
		return 0;
	limits = limits_of(dir);
	end = strrchr(dir, '/');
	if (limits != 0 || strcmp(dir, MOUNTED) == 0)
		return limits;
	*end = '\0';
	return limits_of(dir);
}

int
omega_cgroup_open_dir(const char *dir)
{
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void
omega_cgroup_leave(int dir_fd, uint64_t number)
{
	char name[64];

	snprintf(name, sizeof(name), PREFIX "%llu", (unsigned long long)number);
	unlinkat(dir_fd, name, AT_REMOVEDIR);
}

/* Was it made by a process that is still there, which may be about to use it?
 * The number is of the one that made it; see omega_cgroup_make(). */
static bool
is_in_use(const char *number)
{
	uint64_t maker = strtoull(number, NULL, 10);

	if (maker >> 32 != 0)
		maker >>= 32;
	return kill((pid_t)maker, 0) == 0 || errno == EPERM;
}

void
omega_cgroup_tidy(int dir_fd)
{
	struct dirent *entry;
	DIR *stream;
	int fd;

	fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	stream = fdopendir(fd);
	if (stream == NULL) {
		close(fd);
		return;
	}
	while ((entry = readdir(stream)) != NULL)
		if (strncmp(entry->d_name, PREFIX, sizeof(PREFIX) - 1) == 0 &&
		    !is_in_use(entry->d_name + sizeof(PREFIX) - 1))
			unlinkat(dir_fd, entry->d_name, AT_REMOVEDIR);
	closedir(stream);
}

/* ---- In the child: plain system calls -------------------------------------
 */

OMEGA_PLAIN static int
write_number(long dir_fd, const char *name, uint64_t number)
{
	char text[24];
	const char *end = omega_raw_print(text, number);
	long fd;
	long ret;

	fd = omega_raw(
	    SYS_openat, dir_fd, (long)name, O_WRONLY | O_CLOEXEC, 0, 0);
	if (fd < 0)
		return (int)fd;
	ret = omega_raw(SYS_write, fd, (long)text, end - text, 0, 0);
	omega_raw(SYS_close, fd, 0, 0, 0, 0);
	if (ret < 0)
		return (int)ret;
	return ret == end - text ? 0 : -EIO;
}

#define NAME_SIZE (sizeof(PREFIX) + 24)

OMEGA_PLAIN static void
make_name(char name[NAME_SIZE], uint64_t pid)
{
	static const char prefix[] = PREFIX;
	const char *from;

	for (from = prefix; *from != '\0'; from++)
		*name++ = *from;
	*omega_raw_print(name, pid) = '\0';
}

OMEGA_PLAIN int
omega_cgroup_open(int dir_fd, pid_t pid)
{
	char name[NAME_SIZE];

	make_name(name, (uint64_t)pid);
	return (int)omega_raw(SYS_openat, dir_fd, (long)name,
	    O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0);
}

/* With its limits. A descriptor of it, or a negative errno. */
OMEGA_PLAIN static long
make_group(const struct omega_cgroup_state *group, const char *name)
{
	int ret = 0;
	long fd;

	fd = omega_raw(SYS_mkdirat, group->dir_fd, (long)name, 0755, 0, 0);
	if (fd == -EEXIST) { /* of one with our number that nobody collected */
		omega_raw(SYS_unlinkat, group->dir_fd, (long)name, AT_REMOVEDIR,
		    0, 0);
		fd = omega_raw(
		    SYS_mkdirat, group->dir_fd, (long)name, 0755, 0, 0);
	}
	if (fd < 0)
		return fd;
	fd = omega_raw(SYS_openat, group->dir_fd, (long)name,
	    O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0);
	if (fd < 0)
		return fd;
	if (group->memory != 0) {
		ret = write_number(fd, "memory.max", group->memory);
		/* Without swap accounting there is no such file. */
		if (ret == 0)
			ret = write_number(fd, "memory.swap.max", 0);
		if (ret == -ENOENT)
			ret = 0;
		if (ret == 0)
			ret = write_number(fd, "memory.oom.group", 1);
	}
	if (ret == 0 && group->processes != 0)
		ret = write_number(fd, "pids.max", group->processes);
	if (ret == 0)
		return fd;
	omega_raw(SYS_close, fd, 0, 0, 0, 0);
	omega_raw(SYS_unlinkat, group->dir_fd, (long)name, AT_REMOVEDIR, 0, 0);
	return ret;
}

OMEGA_PLAIN int
omega_cgroup_enter(const void *state)
{
	const struct omega_cgroup_state *group = state;
	char name[NAME_SIZE];
	long fd;
	int ret;

	make_name(name, (uint64_t)omega_raw(SYS_getpid, 0, 0, 0, 0, 0));
	fd = make_group(group, name);
	if (fd < 0)
		return (int)fd;
	ret = write_number(fd, "cgroup.procs", 0);
	omega_raw(SYS_close, fd, 0, 0, 0, 0);
	if (ret < 0)
		omega_raw(SYS_unlinkat, group->dir_fd, (long)name, AT_REMOVEDIR,
		    0, 0);
	return ret;
}

/* ---- In the parent again ------------------------------------------------ */

int
omega_cgroup_make(const struct omega_cgroup_state *group, uint64_t *number)
{
	static atomic_uint count;
	char name[NAME_SIZE];
	long fd;
	int list;

	*number = (uint64_t)getpid() << 32 | atomic_fetch_add(&count, 1);
	make_name(name, *number);
	fd = make_group(group, name);
	if (fd < 0)
		return (int)fd;
	list = openat((int)fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (list < 0)
		list = -errno;
	close((int)fd);
	if (list < 0)
		omega_cgroup_leave(group->dir_fd, *number);
	return list;
}
