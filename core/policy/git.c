/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * git.c - see git.h.
 *
 * What is read here was written by whoever can write the work directory or one
 * above it, so it may be anything: read within bounds, believed only to deny
 * more, and only where it is the caller's or root's, as git itself does. What
 * cannot be followed is told, and is never a reason to refuse: a command, or a
 * stranger in /tmp, could have written it.
 */

#include "config.h"

#include "policy/git.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "leased.h"
#include "path/text.h"

#define POINTER "gitdir: "

/* Room for the longest path with that word and the end of a line. */
#define MAX_TEXT (PATH_MAX + sizeof(POINTER) + 2)

struct search {
	omega_git_take *take;
	void *arg;
	char *at; /* what is looked at, for messages */
};

static bool
is_believed(const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == geteuid();
}

static int
take_note(const struct search *search, const char *file)
{
	char *note = NULL;
	int ret;

	if (asprintf(&note,
		"%s does not say where its git directory is: only the file "
		"itself is denied",
		file) < 0)
		return -ENOMEM;
	ret = search->take(search->arg, NULL, note);
	free(note);
	return ret;
}

/*
 * What a small regular file says, up to a NUL and without the ends of lines
 * at its end. 0, -EBADMSG (it is none, or cannot be read, or says nothing),
 * -EFBIG or -errno.
 */
static int
read_text(const char *path, char text[MAX_TEXT])
{
	struct stat st;
	ssize_t len = 0;
	int ret = 0;
	int fd;

	fd = omega_leased_open(AT_FDCWD, path, O_RDONLY | O_NOCTTY, 0);
	if (fd < 0)
		return errno == EACCES || errno == ENXIO ? -EBADMSG : -errno;
	if (fstat(fd, &st) != 0)
		ret = -errno;
	else if (!S_ISREG(st.st_mode))
		ret = -EBADMSG;
	if (ret == 0) {
		len = pread(fd, text, MAX_TEXT, 0);
		ret = len < 0 ? -errno : 0;
	}
	close(fd);
	if (ret < 0)
		return ret;
	if (len == (ssize_t)MAX_TEXT)
		return -EFBIG;
	while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	text[len] = '\0';
	return text[0] == '\0' ? -EBADMSG : 0;
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
	return len < 0 || len >= PATH_MAX ? -ENAMETOOLONG : 0;
}

/* A git directory, and the one that all worktrees share when it names that. */
static int
take_directory(const struct search *search, const char *git_dir)
{
	char file[PATH_MAX];
	char text[MAX_TEXT];
	char common[PATH_MAX];
	struct stat st;
	int ret;

	ret = search->take(search->arg, git_dir, NULL);
	if (ret < 0 || join(git_dir, "commondir", file) < 0 ||
	    stat(git_dir, &st) != 0 || !is_believed(&st))
		return ret;
	ret = read_text(file, text);
	if (ret == -ENOENT || ret == -ENOTDIR || ret == -EBADMSG)
		return 0;
	memcpy(search->at, file, strlen(file) + 1);
	if (ret < 0 || join(git_dir, text, common) < 0 ||
	    omega_text_check(common) < 0)
		return take_note(search, file);
	return search->take(search->arg, common, NULL);
}

static int
take_pointer(const struct search *search, const char *dir, const char *file)
{
	static const char word[] = POINTER;
	const size_t skip = sizeof(word) - 1;
	char text[MAX_TEXT];
	char git_dir[PATH_MAX];
	int ret;

	ret = search->take(search->arg, file, NULL);
	if (ret < 0)
		return ret;
	if (read_text(file, text) < 0 || strncmp(text, word, skip) != 0 ||
	    text[skip] == '\0' || join(dir, text + skip, git_dir) < 0 ||
	    omega_text_check(git_dir) < 0)
		return take_note(search, file);
	return take_directory(search, git_dir);
}

/* What is called .git in the directory; its name is in at. 1: nothing is. */
static int
look_in(const struct search *search, const char *dir)
{
	char path[PATH_MAX];
	struct stat st;

	if (join(dir[1] == '\0' ? "" : dir, ".git", path) < 0)
		return -ENAMETOOLONG;
	memcpy(search->at, path, strlen(path) + 1);
	if (lstat(path, &st) != 0)
		return errno == ENOENT || errno == ENOTDIR ? 1 : -errno;
	/* A link that leads nowhere could lead somewhere later. */
	if (!is_believed(&st) || stat(path, &st) != 0 || !is_believed(&st))
		return search->take(search->arg, path, NULL);
	return S_ISDIR(st.st_mode) ? take_directory(search, path)
				   : take_pointer(search, dir, path);
}

int
omega_git_find(
    const char *work_dir, omega_git_take *take, void *arg, char at[PATH_MAX])
{
	const struct search search = {.take = take, .arg = arg, .at = at};
	char real[PATH_MAX];
	char *slash;
	int ret;

	snprintf(at, PATH_MAX, "%s", work_dir);
	if (realpath(work_dir, real) == NULL)
		return errno == ENOENT ? 0 : -errno;
	ret = look_in(&search, real);
	/* Nobody is to make one either: programs in it would be run outside. */
	if (ret > 0)
		ret = take(arg, at, NULL);
	for (;;) {
		slash = strrchr(real, '/');
		if (ret < 0 || real[1] == '\0' || slash == NULL)
			return ret < 0 ? ret : 0;
		slash[slash == real ? 1 : 0] = '\0';
		ret = look_in(&search, real);
	}
}
