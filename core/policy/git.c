/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * git.c - see git.h.
 *
 * What is read here was written by whoever can write the work directory, so
 * it may be anything: read within bounds, believed only to deny more.
 */

#include "config.h"

#include "policy/git.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path/text.h"

/* The first line of a small regular file. 0, -EBADMSG (it is none, or there
 * is a NUL or more than one line in it) or -errno. */
static int
read_line(const char *path, char line[PATH_MAX])
{
	struct stat st;
	ssize_t len;
	char *end;
	int ret = 0;
	int fd;

	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0)
		ret = -errno;
	else if (!S_ISREG(st.st_mode) || st.st_size >= PATH_MAX)
		ret = -EBADMSG;
	if (ret < 0) {
		close(fd);
		return ret;
	}
	len = pread(fd, line, PATH_MAX - 1, 0);
	if (len < 0)
		ret = -errno;
	close(fd);
	if (len < 0)
		return ret;
	line[len] = '\0';
	end = strchr(line, '\n');
	if (strlen(line) != (size_t)len || (end != NULL && end[1] != '\0'))
		return -EBADMSG;
	if (end != NULL)
		*end = '\0';
	return line[0] == '\0' ? -EBADMSG : 0;
}

/* What text means in the directory dir. */
static int
join(const char *dir, const char *text, char path[PATH_MAX])
{
	int len;

	if (text[0] == '/')
		len = snprintf(path, PATH_MAX, "%s", text);
	else
		len = snprintf(path, PATH_MAX, "%s/%s", dir, text);
	return len >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* The directory that all worktrees share, when this one names it. */
static int
take_common(const char *git_dir, omega_git_take *take, void *arg)
{
	char file[PATH_MAX];
	char line[PATH_MAX];
	char common[PATH_MAX];
	int ret;

	if (join(git_dir, "commondir", file) < 0 || read_line(file, line) < 0)
		return 0;
	ret = join(git_dir, line, common);
	return ret < 0 ? ret : take(arg, common, NULL);
}

static int
take_pointer(const char *dir, const char *file, omega_git_take *take, void *arg)
{
	static const char word[] = "gitdir: ";
	char line[PATH_MAX];
	char git_dir[PATH_MAX];
	char *note = NULL;
	int ret;

	ret = take(arg, file, NULL);
	if (ret < 0)
		return ret;
	ret = read_line(file, line);
	if (ret == 0 && strncmp(line, word, sizeof(word) - 1) == 0 &&
	    line[sizeof(word) - 1] != '\0' &&
	    join(dir, line + sizeof(word) - 1, git_dir) == 0) {
		ret = take(arg, git_dir, NULL);
		return ret < 0 ? ret : take_common(git_dir, take, arg);
	}
	if (asprintf(&note,
		"%s does not say where its git directory is: only the file "
		"itself is denied",
		file) < 0)
		return -ENOMEM;
	ret = take(arg, NULL, note);
	free(note);
	return ret;
}

int
omega_git_find(const char *work_dir, omega_git_take *take, void *arg)
{
	char real[PATH_MAX];
	char path[PATH_MAX];
	struct stat st;
	char *slash;

	if (realpath(work_dir, real) == NULL)
		return errno == ENOENT ? 0 : -errno;
	for (;;) {
		if (join(real[1] == '\0' ? "" : real, ".git", path) < 0)
			return -ENAMETOOLONG;
		if (stat(path, &st) == 0)
			return S_ISDIR(st.st_mode)
				   ? take(arg, path, NULL)
				   : take_pointer(real, path, take, arg);
		/* A link that leads nowhere could lead somewhere later. */
		if (lstat(path, &st) == 0)
			return take(arg, path, NULL);
		if (errno != ENOENT && errno != ENOTDIR)
			return -errno;
		slash = strrchr(real, '/');
		if (real[1] == '\0' || slash == NULL)
			return 0;
		slash[slash == real ? 1 : 0] = '\0';
	}
}
