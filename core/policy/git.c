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
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/home.h"
#include "conf/list.h"
#include "leased.h"
#include "path/text.h"
#include "policy/gitconfig.h"

#define POINTER "gitdir: "
#define HERE "./" /* the directory itself: git and libgit2 take it so */

/* Room for the longest path with that word and the end of a line. */
#define MAX_TEXT (PATH_MAX + sizeof(POINTER) + 2)

/* How much below a work directory is looked at. */
#define MAX_DIRECTORIES 20000
#define MAX_NAMES 500000

/* So many repositories are held by what is obeyed in them, so many in all. */
#define MAX_PARTED 200
#define MAX_HELD 800

#define MAX_INCLUDED 100 /* files, in all */

struct search {
	omega_git_take *take;
	void *arg;
	char *at; /* what is looked at, for messages */
	bool is_obeyed; /* not the whole, but what git obeys in it */
	size_t held;
	size_t left; /* more than could be held */
	size_t included;
};

/*
 * What a repository is told by, and what git runs: where all else is, settings
 * (which name programs), hooks, attributes, other repositories in it. The rest
 * git writes for every commit.
 */
static const char *const obeyed[] = {"config", "config.worktree", "commondir",
    "hooks", "info", "modules", "worktrees", "objects/info/alternates",
    "remotes", "branches"};
#define OBEYED (sizeof(obeyed) / sizeof(obeyed[0]))

static bool
is_believed(const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == geteuid();
}

__attribute__((format(printf, 2, 3))) static int
take_note(const struct search *search, const char *format, ...)
{
	char *note = NULL;
	va_list args;
	int ret;

	va_start(args, format);
	ret = vasprintf(&note, format, args);
	va_end(args);
	if (ret < 0)
		return -ENOMEM;
	ret = search->take(search->arg, NULL, note);
	free(note);
	return ret;
}

static int
take_lost(const struct search *search, const char *file)
{
	return take_note(search,
	    "%s does not say where its git directory is: only the file itself "
	    "is denied",
	    file);
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

/* A configuration file, and where paths in it begin. */
struct including {
	struct search *search;
	const char *file;
	const char *top; /* of hooks: the work tree */
	int depth;
};

static int take_config(
    struct search *search, const char *file, const char *top, int depth);

static int
take_included(void *arg, const char *text, bool is_hooks)
{
	const struct including *in = arg;
	struct search *search = in->search;
	char dir[PATH_MAX];
	char path[PATH_MAX];
	char *full = NULL;
	struct stat st;
	int ret;

	snprintf(dir, sizeof(dir), "%.*s",
	    (int)(strrchr(in->file, '/') - in->file), in->file);
	ret = omega_home_expand(text, &full);
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	ret = join(is_hooks ? in->top : dir, full, path);
	free(full);
	if (ret < 0 || omega_text_check(path) < 0)
		return 0;
	snprintf(search->at, PATH_MAX, "%s", in->file);
	ret = search->take(search->arg, path, NULL);
	if (ret < 0 || is_hooks || in->depth == 0 ||
	    ++search->included > MAX_INCLUDED || stat(path, &st) != 0 ||
	    !is_believed(&st))
		return ret;
	return take_config(search, path, in->top, in->depth - 1);
}

/* What a configuration leads to; git follows ten files deep. */
static int
take_config(struct search *search, const char *file, const char *top, int depth)
{
	struct including in = {search, file, top, depth};
	int ret = omega_gitconfig_read(file, take_included, &in);

	return ret == -EFBIG ? take_note(search,
				   "%s is too long: where the end of it leads "
				   "is not denied",
				   file)
			     : ret;
}

/*
 * The whole directory, or what is obeyed of it. In that of a worktree git does
 * not look for what is not there, but for one file. top is the work tree.
 */
static int
take_whole(struct search *search, const char *git_dir, const char *top)
{
	char path[PATH_MAX];
	struct stat st;
	bool is_full;
	size_t i;
	int ret = 0;

	if (!search->is_obeyed)
		return search->take(search->arg, git_dir, NULL);
	if (search->held >= MAX_HELD) {
		search->left++;
		return 0;
	}
	if (search->held++ >= MAX_PARTED)
		return search->take(search->arg, git_dir, NULL);
	is_full = join(git_dir, "objects", path) == 0 && stat(path, &st) == 0;
	for (i = 0; ret == 0 && i < OBEYED; i++)
		if (join(git_dir, obeyed[i], path) == 0 &&
		    (is_full || strcmp(obeyed[i], "config.worktree") == 0 ||
			lstat(path, &st) == 0))
			ret = search->take(search->arg, path, NULL);
	for (i = 0; ret == 0 && i < 2; i++) /* the first two are settings */
		if (join(git_dir, obeyed[i], path) == 0 &&
		    stat(path, &st) == 0 && is_believed(&st))
			ret = take_config(search, path, top, 10);
	return ret;
}

/* A git directory, and the one that all worktrees share when it names that. */
static int
take_directory(struct search *search, const char *git_dir, const char *top)
{
	char file[PATH_MAX];
	char text[MAX_TEXT];
	char common[PATH_MAX];
	struct stat st;
	int ret;

	ret = take_whole(search, git_dir, top);
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
		return take_lost(search, file);
	return take_whole(search, common, top);
}

static int
take_pointer(struct search *search, const char *dir, const char *file)
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
		return take_lost(search, file);
	return take_directory(search, git_dir, dir);
}

/* What is called .git in the directory; its name is in at. 1: nothing is. */
static int
look_in(struct search *search, const char *dir)
{
	char path[PATH_MAX];
	struct stat st;

	if (join(dir[1] == '\0' ? "" : dir, ".git", path) < 0)
		return -ENAMETOOLONG;
	memcpy(search->at, path, strlen(path) + 1);
	if (lstat(path, &st) != 0)
		return errno == ENOENT || errno == ENOTDIR ? 1 : -errno;
	/* Nor does git follow what somebody else has made. */
	if (S_ISLNK(st.st_mode) && !is_believed(&st))
		return 0;
	/* A link that leads nowhere could lead somewhere later. */
	if (!is_believed(&st) || stat(path, &st) != 0 || !is_believed(&st))
		return search->take(search->arg, path, NULL);
	return S_ISDIR(st.st_mode) ? take_directory(search, path, dir)
				   : take_pointer(search, dir, path);
}

/* Is the directory itself one, without a work tree? */
static int
look_at_bare(struct search *search, const char *dir)
{
	static const char *const marks[] = {"HEAD", "objects", "refs"};
	char path[PATH_MAX];
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (join(dir, marks[i], path) < 0 || lstat(path, &st) != 0 ||
		    (i > 0 && S_ISREG(st.st_mode)))
			return 0;
	if (stat(dir, &st) != 0 || !is_believed(&st))
		return 0;
	snprintf(search->at, PATH_MAX, "%s", dir);
	return take_directory(search, dir, dir);
}

struct below {
	struct omega_conf_list dirs;
	size_t names;
};

/* One name in a directory that is searched. */
static int
look_at_name(struct search *search, struct below *below, const char *dir,
    const struct dirent *entry)
{
	const char *name = entry->d_name;
	char path[PATH_MAX];
	struct stat st;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	    strcmp(name, ".git") == 0)
		return 0;
	if (strcmp(name, "HEAD") == 0)
		return look_at_bare(search, dir);
	if ((entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) ||
	    join(dir, name, path) < 0 || lstat(path, &st) != 0 ||
	    !S_ISDIR(st.st_mode))
		return 0;
	return omega_list_add(&below->dirs, path, NULL, 0);
}

/* All of one directory. A command could open again what is closed, so that is
 * held as a whole. */
static int
look_through(struct search *search, struct below *below, const char *dir)
{
	struct dirent *entry;
	struct stat st;
	DIR *stream;
	int ret = 0;

	stream = opendir(dir);
	if (stream == NULL) {
		if (errno != EACCES || dir == below->dirs.items[0].text ||
		    stat(dir, &st) != 0 || st.st_uid != geteuid())
			return 0;
		if (search->held++ >= MAX_HELD) {
			search->left++;
			return 0;
		}
		snprintf(search->at, PATH_MAX, "%s", dir);
		return search->take(search->arg, dir, NULL);
	}
	while (ret >= 0 && below->names < MAX_NAMES &&
	       (entry = readdir(stream)) != NULL) {
		below->names++;
		ret = look_at_name(search, below, dir, entry);
	}
	closedir(stream);
	return ret;
}

/* Repositories below: modules, and whatever else has a .git or is bare. */
static int
look_below(struct search *search, const char *work_dir)
{
	struct below below = {{NULL, 0}, 0};
	size_t next;
	int ret = omega_list_add(&below.dirs, work_dir, NULL, 0);

	for (next = 0; ret >= 0 && next < below.dirs.count &&
		       next < MAX_DIRECTORIES && below.names < MAX_NAMES;
	     next++) {
		const char *dir = below.dirs.items[next].text;

		if (next > 0)
			ret = look_in(search, dir);
		if (ret == -EACCES)
			ret = 0;
		if (ret >= 0)
			ret = look_through(search, &below, dir);
	}
	if (ret >= 0 && next < below.dirs.count)
		ret = take_note(search,
		    "%s has more than %d directories in it: repositories "
		    "further down were not looked for",
		    work_dir, MAX_DIRECTORIES);
	if (ret >= 0 && search->left > 0)
		ret = take_note(search,
		    "%s has more than %d repositories in it: %zu are not "
		    "protected",
		    work_dir, MAX_HELD, search->left);
	omega_list_clear(&below.dirs);
	return ret < 0 ? ret : 0;
}

/* At the work directory and above it. */
static int
look_up(struct search *search, const char *work_dir)
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
		if (ret >= 0 && search->is_obeyed)
			ret = look_at_bare(search, real);
	}
}

int
omega_git_find(
    const char *work_dir, omega_git_take *take, void *arg, char at[PATH_MAX])
{
	struct search search = {.take = take, .arg = arg, .at = at};

	return look_up(&search, work_dir);
}

int
omega_git_find_obeyed(
    const char *work_dir, omega_git_take *take, void *arg, char at[PATH_MAX])
{
	struct search search = {
	    .take = take, .arg = arg, .at = at, .is_obeyed = true};

	return look_up(&search, work_dir);
}

void
omega_git_make_obeyed(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char info[PATH_MAX];
	size_t i = 0;
	int fd;

	while (
	    i < OBEYED && strcmp(name, strrchr(obeyed[i], '/') == NULL
					   ? obeyed[i]
					   : strrchr(obeyed[i], '/') + 1) != 0)
		i++;
	if (i == OBEYED) /* somebody's own name for hooks or settings */
		return;
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
