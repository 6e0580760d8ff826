/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * attacks.c - system calls on the protected data, by every way to it.
 */

#include "attempts.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

static char *
in(const char *dir, const char *rest)
{
	return text("%s/%s", dir, rest);
}

static int
result(long ret)
{
	return ret < 0 ? (errno == 0 ? EIO : errno) : 0;
}

static int
read_fd(int fd)
{
	char text[64] = "";
	ssize_t n;

	if (fd < 0)
		return errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n < 0)
		return errno;
	return strncmp(text, SECRET, strlen(SECRET)) == 0 ? 0 : ENODATA;
}

int
attempts_read_secret(const char *path)
{
	return read_fd(open(path, O_RDONLY | O_CLOEXEC));
}

#define DB "data/memory.db"
#define CONFIG "config.toml"
#define ATTACK(name) static int name(const char *dir, const char *arg)

ATTACK(read_data)
{
	(void)arg;
	return attempts_read_secret(in(dir, DB));
}

ATTACK(list_data)
{
	DIR *stream = opendir(in(dir, "data"));

	(void)arg;
	if (stream == NULL)
		return errno;
	closedir(stream);
	return 0;
}

ATTACK(write_data)
{
	(void)arg;
	return result(open(in(dir, DB), O_WRONLY));
}

ATTACK(create_in_data)
{
	(void)arg;
	return result(open(in(dir, "data/new"), O_CREAT | O_WRONLY, 0600));
}

ATTACK(mkdir_in_data)
{
	(void)arg;
	return result(mkdir(in(dir, "data/newdir"), 0700));
}

ATTACK(delete_data)
{
	(void)arg;
	return result(unlink(in(dir, DB)));
}

ATTACK(move_out)
{
	(void)arg;
	return result(rename(in(dir, DB), in(dir, "workspace/out")));
}

ATTACK(move_in)
{
	(void)arg;
	return result(rename(in(dir, "workspace/file"), in(dir, DB)));
}

ATTACK(link_out)
{
	(void)arg;
	return result(link(in(dir, DB), in(dir, "workspace/linked")));
}

ATTACK(truncate_data)
{
	(void)arg;
	return result(truncate(in(dir, DB), 0));
}

ATTACK(chmod_data)
{
	(void)arg;
	return result(chmod(in(dir, DB), 0666));
}

ATTACK(chmod_data_dir)
{
	(void)arg;
	return result(chmod(in(dir, "data"), 0777));
}

ATTACK(chown_data)
{
	(void)arg;
	return result(chown(in(dir, DB), geteuid(), getegid()));
}

ATTACK(touch_data)
{
	(void)arg;
	return result(utimensat(AT_FDCWD, in(dir, DB), NULL, 0));
}

ATTACK(xattr_data)
{
	(void)arg;
	return result(setxattr(in(dir, DB), "user.omega", "x", 1, 0));
}

ATTACK(stat_data)
{
	struct stat st;

	(void)arg;
	return result(stat(in(dir, DB), &st));
}

ATTACK(map_data)
{
	int fd = open(in(dir, DB), O_RDONLY);
	char *text;

	(void)arg;
	if (fd < 0)
		return errno;
	text = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	return text == MAP_FAILED || text[0] != SECRET[0] ? EIO : 0;
}

ATTACK(run_data)
{
	char *const argv[] = {in(dir, "data/tool"), NULL};
	int status;
	pid_t pid = fork();

	(void)arg;
	if (pid == 0) {
		execv(argv[0], argv);
		_exit(errno);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

ATTACK(rename_data)
{
	(void)arg;
	return result(rename(in(dir, "data"), in(dir, "data2")));
}

ATTACK(exchange_data)
{
	(void)arg;
	return result(syscall(SYS_renameat2, AT_FDCWD, in(dir, "data"),
	    AT_FDCWD, in(dir, "workspace"), 2));
}

ATTACK(chdir_data)
{
	(void)arg;
	return chdir(in(dir, "data")) != 0 ? errno
					   : attempts_read_secret("memory.db");
}

ATTACK(openat_from_root)
{
	int root = open("/", O_PATH | O_DIRECTORY);

	(void)arg;
	return read_fd(openat(root, in(dir, DB) + 1, O_RDONLY));
}

ATTACK(openat_step_by_step)
{
	int top = open(dir, O_RDONLY | O_DIRECTORY);
	int data = openat(top, "data", O_PATH);

	(void)arg;
	return read_fd(openat(data, "memory.db", O_RDONLY));
}

ATTACK(by_dot_dot)
{
	(void)arg;
	return attempts_read_secret(in(dir, "workspace/../data/memory.db"));
}

ATTACK(by_own_root)
{
	char path[2 * PATH_MAX];

	(void)arg;
	snprintf(path, sizeof(path), "/proc/self/root%s", in(dir, DB));
	return attempts_read_secret(path);
}

ATTACK(by_own_fd)
{
	char path[PATH_MAX];
	int fd = open(dir, O_PATH);

	(void)arg;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/data/memory.db", fd);
	return attempts_read_secret(path);
}

/* arg begins with the pid of a process outside, with the data as its directory
 * and the file as its descriptor 9. */
ATTACK(by_other_root)
{
	char path[3 * PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%ld/root%s", strtol(arg, NULL, 10),
	    in(dir, DB));
	return attempts_read_secret(path);
}

ATTACK(by_other_cwd)
{
	char path[PATH_MAX];

	(void)dir;
	snprintf(path, sizeof(path), "/proc/%ld/cwd/memory.db",
	    strtol(arg, NULL, 10));
	return attempts_read_secret(path);
}

ATTACK(by_other_fd)
{
	char path[PATH_MAX];

	(void)dir;
	snprintf(path, sizeof(path), "/proc/%ld/fd/9", strtol(arg, NULL, 10));
	return attempts_read_secret(path);
}

ATTACK(by_symlink)
{
	(void)arg;
	if (symlink(in(dir, "data"), in(dir, "workspace/sl")) != 0)
		return errno;
	return attempts_read_secret(in(dir, "workspace/sl/memory.db"));
}

ATTACK(read_config)
{
	(void)arg;
	return attempts_read_secret(in(dir, CONFIG));
}

ATTACK(write_config)
{
	(void)arg;
	return result(open(in(dir, CONFIG), O_WRONLY | O_CREAT, 0600));
}

ATTACK(delete_config)
{
	(void)arg;
	return result(unlink(in(dir, CONFIG)));
}

ATTACK(replace_config)
{
	(void)arg;
	return result(rename(in(dir, "workspace/file"), in(dir, CONFIG)));
}

ATTACK(move_config)
{
	(void)arg;
	return result(rename(in(dir, CONFIG), in(dir, "workspace/c")));
}

ATTACK(chmod_config)
{
	(void)arg;
	return result(chmod(in(dir, CONFIG), 0644));
}

ATTACK(rename_data_dir)
{
	char other[PATH_MAX];

	(void)arg;
	snprintf(other, sizeof(other), "%s-moved", dir);
	return result(rename(dir, other));
}

/* The directory dir is in, and what that is in. */
static int
rename_above(const char *dir, int levels)
{
	char path[PATH_MAX];
	char other[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s", dir);
	while (levels-- > 0)
		*strrchr(path, '/') = '\0';
	snprintf(other, sizeof(other), "%s-moved", path);
	return result(rename(path, other));
}

ATTACK(rename_home)
{
	(void)arg;
	return rename_above(dir, 1);
}

ATTACK(rename_above_home)
{
	(void)arg;
	return rename_above(dir, 2);
}

#define BOTH ATTEMPTS_ATTACK, 0
const struct attempt attempts_on_data[] = {
    {"read", BOTH, read_data},
    {"list", BOTH, list_data},
    {"write", BOTH, write_data},
    {"create", BOTH, create_in_data},
    {"mkdir", BOTH, mkdir_in_data},
    {"delete", BOTH, delete_data},
    {"move out", BOTH, move_out},
    {"move in", BOTH, move_in},
    {"link out", BOTH, link_out},
    {"truncate", BOTH, truncate_data},
    {"chmod", BOTH, chmod_data},
    {"chmod of the directory", BOTH, chmod_data_dir},
    {"chown", BOTH, chown_data},
    {"utimes", BOTH, touch_data},
    {"xattr", BOTH, xattr_data},
    {"stat", BOTH, stat_data},
    {"mmap", BOTH, map_data},
    {"exec", BOTH, run_data},
    {"rename data", BOTH, rename_data},
    {"exchange data", BOTH, exchange_data},
    {"chdir", BOTH, chdir_data},
    {"openat from /", BOTH, openat_from_root},
    {"openat step by step", BOTH, openat_step_by_step},
    {"by ..", BOTH, by_dot_dot},
    {"by /proc/self/root", BOTH, by_own_root},
    {"by /proc/self/fd", BOTH, by_own_fd},
    {"by /proc/PID/root", BOTH, by_other_root},
    {"by /proc/PID/cwd", BOTH, by_other_cwd},
    {"by /proc/PID/fd", BOTH, by_other_fd},
    {"by a symlink", BOTH, by_symlink},
    {"read config.toml", BOTH, read_config},
    {"write config.toml", BOTH, write_config},
    {"delete config.toml", BOTH, delete_config},
    {"replace config.toml", BOTH, replace_config},
    {"move config.toml", BOTH, move_config},
    {"chmod config.toml", BOTH, chmod_config},
    {"rename the data directory", BOTH, rename_data_dir},
    {"rename the home directory", BOTH, rename_home},
    {"rename what that is in", BOTH, rename_above_home},
    {NULL, BOTH, NULL},
};
