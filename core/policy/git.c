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

#include "base/home.h"
#include "base/leased.h"
#include "base/list.h"
#include "path/text.h"
#include "policy/git-config.h"

#define POINTER "gitdir: "

/* Room for the longest path with that word and the end of a line. */
#define MAX_TEXT (PATH_MAX + sizeof(POINTER) + 2)

/* How much below a work directory is looked at. */
#define MAX_DIRECTORIES 20000
#define MAX_NAMES 500000

/* So many repositories are held by what is obeyed in them, so many in all. */
#define MAX_PARTED 200
#define MAX_HELD 800

#define MAX_INCLUDED 100 /* files, in all */
#define MAX_LED 1000 /* what settings name, in all */
#define MAX_EVERYWHERE 4 /* hooks that every work tree may have */

struct search {
	omega_git_take *take;
	void *arg;
	char *at; /* what is looked at, for messages */
	bool is_obeyed; /* not the whole, but what git obeys in it */
	char within[PATH_MAX]; /* the git directory, if commands did not make
				* it; of what is obeyed only */
	bool is_own; /* settings of the user are looked at */
	struct omega_conf_list everywhere; /* relative names of hooks */
	size_t held;
	size_t left; /* more than could be held */
	size_t included;
	size_t led;
};

/*
 * What a repository is told by, and what git runs: where all else is, settings
 * (which name programs), hooks, attributes, other repositories in it. The rest
 * git writes for every commit.
 */
static const struct {
	const char *name;
	enum omega_git_made made;
} obeyed[] = {
    {"config", OMEGA_GIT_FILE},
    {"config.worktree", OMEGA_GIT_FILE},
    {"commondir", OMEGA_GIT_COMMONDIR},
    {"hooks", OMEGA_GIT_DIRECTORY},
    {"info", OMEGA_GIT_DIRECTORY},
    {"modules", OMEGA_GIT_DIRECTORY},
    {"worktrees", OMEGA_GIT_DIRECTORY},
    {"objects/info/alternates", OMEGA_GIT_FILE},
    {"remotes", OMEGA_GIT_DIRECTORY},
    {"branches", OMEGA_GIT_DIRECTORY},
};
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
take_path(
    const struct search *search, const char *path, enum omega_git_made made)
{
	struct omega_git_found found = {path,
	    search->is_obeyed ? search->within : NULL, made, search->is_own};

	return search->take(search->arg, &found, NULL);
}

/* Of what is no longer below the work directory: what is in it is its own. */
static void
stay_within(struct search *search, const char *dir)
{
	if (search->within[0] != '\0' && realpath(dir, search->within) == NULL)
		snprintf(search->within, PATH_MAX, "%s", dir);
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
	const char *top; /* of hooks: the work tree; NULL: any */
	int depth;
};

static int take_config(
    struct search *search, const char *file, const char *top, int depth);

/* Hooks that settings of the user name by a relative path are those of every
 * work tree. */
static int
take_everywhere(struct search *search, const char *text, const char *file)
{
	return search->everywhere.count >= MAX_EVERYWHERE
		   ? 0
		   : omega_list_add(&search->everywhere, text, file, 0);
}

static int
take_led(const struct including *in, const char *dir, const char *text,
    enum omega_git_made made)
{
	struct search *search = in->search;
	char path[PATH_MAX];
	struct stat st;
	int ret;

	if (join(dir, text, path) < 0 || omega_text_check(path) < 0 ||
	    ++search->led > MAX_LED)
		return 0;
	snprintf(search->at, PATH_MAX, "%s", in->file);
	ret = take_path(search, path, made);
	if (ret < 0 || made == OMEGA_GIT_DIRECTORY || in->depth == 0 ||
	    ++search->included > MAX_INCLUDED || stat(path, &st) != 0 ||
	    !is_believed(&st))
		return ret;
	return take_config(search, path, in->top, in->depth - 1);
}

static int
take_included(void *arg, const char *text, bool is_hooks)
{
	const struct including *in = arg;
	char dir[PATH_MAX];
	char *full = NULL;
	int ret;

	ret = omega_home_expand(text, &full);
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	snprintf(dir, sizeof(dir), "%.*s",
	    (int)(strrchr(in->file, '/') - in->file), in->file);
	if (!is_hooks)
		ret = take_led(in, dir, full, OMEGA_GIT_FILE);
	else if (in->top != NULL || full[0] == '/')
		ret = take_led(in, in->top, full, OMEGA_GIT_DIRECTORY);
	else
		ret = take_everywhere(in->search, full, in->file);
	free(full);
	return ret;
}

/* What a configuration leads to; git follows ten files deep. */
static int
take_config(struct search *search, const char *file, const char *top, int depth)
{
	struct including in = {search, file, top, depth};
	int ret = omega_git_config_read(file, take_included, &in);

	return ret == -EFBIG ? take_note(search,
				   "%s is too long: where the end of it leads "
				   "is not denied",
				   file)
			     : ret;
}

/* What settings of the user and of the machine lead to. */
static int
take_user(struct search *search)
{
	static const char *const files[] = {
	    "/etc/gitconfig", "~/.config/git/config", "~/.gitconfig"};
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < sizeof(files) / sizeof(files[0]); i++) {
		char *file = NULL;

		ret = omega_home_expand(files[i], &file);
		if (ret == 0)
			ret = take_config(search, file, NULL, 10);
		else if (ret != -ENOMEM) /* nobody's home */
			ret = 0;
		free(file);
	}
	return ret;
}

/* The settings of one repository, and what others say about each. */
static int
take_settings(struct search *search, const char *git_dir, const char *top)
{
	struct including in = {.search = search, .top = top};
	char path[PATH_MAX];
	struct stat st;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < 2; i++) /* the first two are settings */
		if (join(git_dir, obeyed[i].name, path) == 0 &&
		    stat(path, &st) == 0 && is_believed(&st))
			ret = take_config(search, path, top, 10);
	search->is_own = true;
	for (i = 0; ret == 0 && i < search->everywhere.count; i++) {
		in.file = search->everywhere.items[i].file;
		ret = take_led(&in, top, search->everywhere.items[i].text,
		    OMEGA_GIT_DIRECTORY);
	}
	search->is_own = false;
	return ret;
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
		return take_path(search, git_dir, OMEGA_GIT_NOTHING);
	if (search->held >= MAX_HELD) {
		search->left++;
		return 0;
	}
	if (search->held++ >= MAX_PARTED)
		return take_path(search, git_dir, OMEGA_GIT_NOTHING);
	is_full = join(git_dir, "objects", path) == 0 && stat(path, &st) == 0;
	for (i = 0; ret == 0 && i < OBEYED; i++)
		if (join(git_dir, obeyed[i].name, path) == 0 &&
		    (is_full ||
			strcmp(obeyed[i].name, "config.worktree") == 0 ||
			lstat(path, &st) == 0))
			ret = take_path(search, path, obeyed[i].made);
	return ret == 0 ? take_settings(search, git_dir, top) : ret;
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
	    (ret == 0 && strcmp(text, OMEGA_GIT_HERE) == 0))
		return 0;
	memcpy(search->at, file, strlen(file) + 1);
	if (ret < 0 || join(git_dir, text, common) < 0 ||
	    omega_text_check(common) < 0)
		return take_lost(search, file);
	stay_within(search, common);
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

	ret = take_path(search, file, OMEGA_GIT_NOTHING);
	if (ret < 0)
		return ret;
	if (read_text(file, text) < 0 || strncmp(text, word, skip) != 0 ||
	    text[skip] == '\0' || join(dir, text + skip, git_dir) < 0 ||
	    omega_text_check(git_dir) < 0)
		return take_lost(search, file);
	stay_within(search, git_dir);
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
	stay_within(search, path);
	/* A link that leads nowhere could lead somewhere later. */
	if (!is_believed(&st) || stat(path, &st) != 0 || !is_believed(&st))
		return take_path(search, path, OMEGA_GIT_NOTHING);
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
	stay_within(search, dir);
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
		return take_path(search, dir, OMEGA_GIT_NOTHING);
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

	snprintf(real, sizeof(real), "%s", work_dir);
	strcpy(search->within, "/");
	ret = look_in(search, real);
	/* Nobody is to make one either: programs in it would be run outside. */
	if (ret > 0)
		ret = take_path(search, search->at, OMEGA_GIT_NOTHING);
	while (ret >= 0 && real[1] != '\0') {
		slash = strrchr(real, '/');
		slash[slash == real ? 1 : 0] = '\0';
		ret = look_in(search, real);
		if (ret >= 0 && search->is_obeyed)
			ret = look_at_bare(search, real);
	}
	return ret < 0 ? ret : 0;
}

/* Last what commands could make, of which so much is taken and no more. */
static int
look(struct search *search, const char *work_dir)
{
	char real[PATH_MAX];
	int ret;

	snprintf(search->at, PATH_MAX, "%s", work_dir);
	if (realpath(work_dir, real) == NULL)
		return errno == ENOENT ? 0 : -errno;
	if (!search->is_obeyed)
		return look_up(search, real);
	search->is_own = true;
	ret = take_user(search);
	search->is_own = false;
	if (ret == 0)
		ret = look_up(search, real);
	search->within[0] = '\0';
	if (ret == 0)
		ret = look_below(search, real);
	if (ret == 0 && search->led > MAX_LED)
		ret = take_note(search,
		    "settings of git in %s name more than %d files and "
		    "directories: %zu are not protected",
		    work_dir, MAX_LED, search->led - MAX_LED);
	omega_list_clear(&search->everywhere);
	return ret;
}

int
omega_git_find(
    const char *work_dir, omega_git_take *take, void *arg, char at[PATH_MAX])
{
	struct search search = {.take = take, .arg = arg, .at = at};

	return look(&search, work_dir);
}

int
omega_git_find_obeyed(
    const char *work_dir, omega_git_take *take, void *arg, char at[PATH_MAX])
{
	struct search search = {
	    .take = take, .arg = arg, .at = at, .is_obeyed = true};

	return look(&search, work_dir);
}
