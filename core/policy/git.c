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
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/list.h"
#include "leased.h"
#include "path/text.h"

#define POINTER "gitdir: "
#define HERE "./" /* the directory itself: git and libgit2 take it so */

/* Room for the longest path with that word and the end of a line. */
#define MAX_TEXT (PATH_MAX + sizeof(POINTER) + 2)

/* How many names below a work directory are looked at. */
#define MAX_NAMES 20000

struct search {
	omega_git_take *take;
	void *arg;
	char *at; /* what is looked at, for messages */
	bool is_obeyed; /* not the whole, but what git obeys in it */
};

/*
 * What a repository is told by, and what git runs: where all else is, settings
 * (which name programs), hooks, attributes, other repositories in it. The rest
 * git writes for every commit.
 */
static const char *const obeyed[] = {"config", "config.worktree", "commondir",
    "hooks", "info", "modules", "worktrees", "objects/info/alternates"};
#define OBEYED (sizeof(obeyed) / sizeof(obeyed[0]))

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

/* The whole directory, or what is obeyed of it. In that of a worktree git does
 * not look for what is not there. */
static int
take_whole(const struct search *search, const char *git_dir)
{
	char path[PATH_MAX];
	struct stat st;
	bool is_full;
	size_t i;
	int ret = 0;

	if (!search->is_obeyed)
		return search->take(search->arg, git_dir, NULL);
	is_full = join(git_dir, "objects", path) == 0 && stat(path, &st) == 0;
	for (i = 0; ret == 0 && i < OBEYED; i++)
		if (join(git_dir, obeyed[i], path) == 0 &&
		    (is_full || lstat(path, &st) == 0))
			ret = search->take(search->arg, path, NULL);
	return ret;
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

	ret = take_whole(search, git_dir);
	if (ret < 0 || join(git_dir, "commondir", file) < 0 ||
	    stat(git_dir, &st) != 0 || !is_believed(&st))
		return ret;
	ret = read_text(file, text);
	if (ret == -ENOENT || ret == -ENOTDIR || ret == -EBADMSG ||
	    (ret == 0 && strcmp(text, HERE) == 0))
		return 0;
	memcpy(search->at, file, strlen(file) + 1);
	if (ret < 0 || join(git_dir, text, common) < 0 ||
	    omega_text_check(common) < 0)
		return take_note(search, file);
	return take_whole(search, common);
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

/* Repositories below: modules, and whatever else has a .git. */
static int
look_below(const struct search *search, const char *work_dir)
{
	struct omega_conf_list dirs = {NULL, 0};
	char path[PATH_MAX];
	char *note = NULL;
	size_t names = 0;
	size_t next;
	int ret = omega_list_add(&dirs, work_dir, NULL, 0);

	for (next = 0; ret >= 0 && next < dirs.count; next++) {
		DIR *dir = opendir(dirs.items[next].text);
		struct dirent *entry;

		while (ret >= 0 && dir != NULL && names < MAX_NAMES &&
		       (entry = readdir(dir)) != NULL) {
			struct stat st;

			names++;
			if (strcmp(entry->d_name, ".git") == 0 && next > 0)
				ret = look_in(search, dirs.items[next].text);
			else if (strcmp(entry->d_name, ".") != 0 &&
				 strcmp(entry->d_name, "..") != 0 &&
				 strcmp(entry->d_name, ".git") != 0 &&
				 (entry->d_type == DT_DIR ||
				     entry->d_type == DT_UNKNOWN) &&
				 join(dirs.items[next].text, entry->d_name,
				     path) == 0 &&
				 lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
				ret = omega_list_add(&dirs, path, NULL, 0);
		}
		if (dir != NULL)
			closedir(dir);
	}
	omega_list_clear(&dirs);
	if (ret < 0 || names < MAX_NAMES)
		return ret < 0 ? ret : 0;
	if (asprintf(&note,
		"%s has more than %d names in it: repositories further down "
		"were not looked for",
		work_dir, MAX_NAMES) < 0)
		return -ENOMEM;
	ret = search->take(search->arg, NULL, note);
	free(note);
	return ret;
}

/* At the work directory and above it. */
static int
look_up(const struct search *search, const char *work_dir)
{
	char real[PATH_MAX];
	char *slash;
	int ret;

	snprintf(search->at, PATH_MAX, "%s", work_dir);
	if (realpath(work_dir, real) == NULL)
		return errno == ENOENT ? 0 : -errno;
	ret = look_in(search, real);
	/* Nobody is to make one either: programs in it would be run outside. */
	if (ret > 0)
		ret = search->take(search->arg, search->at, NULL);
	if (ret >= 0 && search->is_obeyed)
		ret = look_below(search, real);
	for (;;) {
		slash = strrchr(real, '/');
		if (ret < 0 || real[1] == '\0' || slash == NULL)
			return ret < 0 ? ret : 0;
		slash[slash == real ? 1 : 0] = '\0';
		ret = look_in(search, real);
	}
}

int
omega_git_find(
    const char *work_dir, omega_git_take *take, void *arg, char at[PATH_MAX])
{
	const struct search search = {.take = take, .arg = arg, .at = at};

	return look_up(&search, work_dir);
}

int
omega_git_find_obeyed(
    const char *work_dir, omega_git_take *take, void *arg, char at[PATH_MAX])
{
	const struct search search = {
	    .take = take, .arg = arg, .at = at, .is_obeyed = true};

	return look_up(&search, work_dir);
}

void
omega_git_make_obeyed(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char info[PATH_MAX];
	int fd;

	if (strcmp(name, "alternates") == 0) {
		snprintf(
		    info, sizeof(info), "%.*s", (int)(name - 1 - path), path);
		(void)mkdir(info, 0777);
	} else if (strcmp(name, "config") != 0 &&
		   strcmp(name, "config.worktree") != 0 &&
		   strcmp(name, "commondir") != 0) {
		(void)mkdir(path, 0777);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	/* Nobody obeys half of it: it is no shorter name of something. */
	if (strcmp(name, "commondir") == 0 &&
	    write(fd, HERE "\n", sizeof(HERE)) != sizeof(HERE))
		(void)unlink(path);
	close(fd);
}
