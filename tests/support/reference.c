/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * reference.c - see reference.h. Clear before fast; a failure to allocate
 * ends the program.
 */

#include "reference.h"

#include <sys/stat.h>
#include <sys/vfs.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What path_resolution(7) grants. */
#define MAX_LINKS 40

/* Where nothing may be written, whatever the data directory is. */
static const char *const system_dirs[] = {"/System", "/bin", "/sbin",
    "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/libexec", "/private/etc",
    "/Library", "/etc", "/boot", "/proc", "/sys", "/dev", "/lib", "/lib32",
    "/lib64", "/libx32", "/usr/lib32", "/usr/lib64", "/usr/libx32"};

/* Like asprintf, returning the text. */
__attribute__((format(printf, 1, 2))) static char *
format(const char *how, ...)
{
	va_list args;
	char *made = NULL;
	int len;

	va_start(args, how);
	len = vasprintf(&made, how, args);
	va_end(args);
	if (len < 0)
		abort();
	return made;
}

/* Can the system be asked about this text? */
static bool
is_absolute_and_short(const char *path)
{
	const char *name;

	if (path == NULL || path[0] != '/' || strlen(path) >= PATH_MAX)
		return false;
	for (name = path; *name != '\0'; name += strcspn(name, "/")) {
		name += strspn(name, "/");
		if (strcspn(name, "/") > NAME_MAX)
			return false;
	}
	return true;
}

/* Remove the last component; what is left of "/a" is "". */
static void
cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash != NULL)
		*slash = '\0';
}

bool
reference_knows_volume(const char *dir)
{
	struct statfs fs;

	if (statfs(dir, &fs) != 0)
		return false;
	switch ((unsigned long)fs.f_type & 0xffffffffUL) {
	case 0xef53UL: /* ext4 */
	case 0x01021994UL: /* tmpfs */
	case 0x9123683eUL: /* btrfs */
		return true;
	default:
		return false;
	}
}

/* ---- The walk ----------------------------------------------------------- */

struct walk {
	char *done; /* components dealt with; "" is the root */
	char *rest; /* components to come */
	unsigned links; /* how many were followed */
	bool is_nowhere; /* nothing below done can be looked up any more */
	bool exists; /* done names something that is there */
};

static void
set_done(struct walk *walk, char *done)
{
	free(walk->done);
	walk->done = done;
}

/* Take the first component off the rest; NULL at the end. To be freed. */
static char *
next_name(struct walk *walk)
{
	const char *start = walk->rest + strspn(walk->rest, "/");
	size_t len = strcspn(start, "/");
	char *name;
	char *rest;

	if (len == 0)
		return NULL;
	name = format("%.*s", (int)len, start);
	rest = format("%s", start + len);
	free(walk->rest);
	walk->rest = rest;
	return name;
}

/*
 * A link in /proc is followed without reading its text, and that may name
 * something else or nothing at all: a pipe, a deleted file. Believe a text
 * only if both ways end at the same object, or both nowhere.
 */
static bool
is_text_true(const char *link, const char *dir, const char *target)
{
	char *there = target[0] == '/' ? format("%s", target)
				       : format("%s/%s", dir, target);
	struct stat by_link;
	struct stat by_text;
	int link_error = stat(link, &by_link) == 0 ? 0 : errno;
	int text_error = stat(there, &by_text) == 0 ? 0 : errno;

	free(there);
	if (link_error != 0 || text_error != 0)
		return link_error == text_error;
	return by_link.st_dev == by_text.st_dev &&
	       by_link.st_ino == by_text.st_ino;
}

/* Put what the link says before the rest. false: undecidable. */
static bool
follow_link(struct walk *walk, const char *link)
{
	char target[PATH_MAX];
	ssize_t len;
	char *rest;

	len = readlink(link, target, sizeof(target) - 1);
	if (len <= 0 || ++walk->links > MAX_LINKS)
		return false;
	target[len] = '\0';
	if (!is_text_true(link, walk->done, target))
		return false;
	if (target[0] == '/')
		set_done(walk, format("%s", ""));
	rest = format("%s/%s", target, walk->rest);
	free(walk->rest);
	walk->rest = rest;
	return true;
}

/* Go one component further. false: undecidable. */
static bool
step(struct walk *walk, const char *name)
{
	bool is_dot = strcmp(name, ".") == 0;
	bool is_dotdot = strcmp(name, "..") == 0;
	char *next = format("%s/%s", walk->done, name);
	struct stat st;
	bool ok = false;

	if (walk->is_nowhere || lstat(next, &st) != 0) {
		if (!walk->is_nowhere && errno != ENOENT && errno != ENOTDIR)
			goto out;
		if (is_dotdot)
			goto out; /* nobody can know where that would lead */
		walk->is_nowhere = true;
		if (!is_dot) {
			set_done(walk, next);
			next = NULL;
			walk->exists = false;
		}
	} else if (is_dotdot) {
		cut_last(walk->done);
	} else if (S_ISLNK(st.st_mode)) {
		ok = follow_link(walk, next);
		goto out;
	} else if (!is_dot) {
		set_done(walk, next);
		next = NULL;
	}
	ok = true;
out:
	free(next);
	return ok;
}

char *
reference_resolve(const char *path, bool *exists)
{
	struct walk walk = {.exists = true};
	bool ok = is_absolute_and_short(path);
	char *name;

	if (!ok)
		return NULL;
	walk.done = format("%s", "");
	walk.rest = format("%s", path);
	while (ok && (name = next_name(&walk)) != NULL) {
		ok = step(&walk, name);
		free(name);
	}
	free(walk.rest);
	if (ok && walk.done[0] == '\0')
		set_done(&walk, format("/"));
	if (!ok || !is_absolute_and_short(walk.done)) {
		free(walk.done);
		return NULL;
	}
	*exists = walk.exists;
	return walk.done;
}

/* ---- Comparing ---------------------------------------------------------- */

/* The path as spelled, with "", "." and ".." taken away by text. */
static char *
clean(const char *path)
{
	struct walk walk = {.done = format("%s", "")};
	char *name;

	walk.rest = format("%s", path);
	while ((name = next_name(&walk)) != NULL) {
		if (strcmp(name, "..") == 0)
			cut_last(walk.done);
		else if (strcmp(name, ".") != 0)
			set_done(&walk, format("%s/%s", walk.done, name));
		free(name);
	}
	free(walk.rest);
	if (walk.done[0] == '\0')
		set_done(&walk, format("/"));
	return walk.done;
}

static bool
is_at_or_below(const char *path, const char *base)
{
	size_t len = strlen(base);

	if (strcmp(base, "/") == 0 || strcmp(path, base) == 0)
		return true;
	return strncmp(path, base, len) == 0 && path[len] == '/';
}

/* Is the file in that tree? 1 yes, 0 no, -1 cannot be found out. */
static int
is_in_tree(const char *tree, const struct stat *file)
{
	struct dirent *entry;
	struct stat st;
	DIR *dir;
	int ret = 0;

	if (lstat(tree, &st) != 0)
		return -1;
	if (st.st_dev == file->st_dev && st.st_ino == file->st_ino)
		return 1;
	if (!S_ISDIR(st.st_mode))
		return 0;
	dir = opendir(tree);
	if (dir == NULL)
		return -1;
	while (ret == 0 && (entry = readdir(dir)) != NULL) {
		char *path = format("%s/%s", tree, entry->d_name);

		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			ret = is_in_tree(path, file);
		free(path);
	}
	closedir(dir);
	return ret;
}

/* A path in its two forms. */
struct name {
	char *spelled; /* clean */
	char *resolved; /* NULL: undecidable */
	bool exists;
};

static void
make_name(struct name *name, const char *dir, const char *leaf)
{
	char *path = format("%s%s", dir, leaf);

	name->spelled = clean(path);
	name->resolved = reference_resolve(path, &name->exists);
	free(path);
}

static void
drop_name(struct name *name)
{
	free(name->spelled);
	free(name->resolved);
}

/* Is one the other, or below it, or another link to a file below it? */
static bool
concerns(const struct name *name, const struct name *protected)
{
	struct stat st;

	if (is_at_or_below(name->spelled, protected->spelled) ||
	    is_at_or_below(name->spelled, protected->resolved) ||
	    is_at_or_below(name->resolved, protected->spelled) ||
	    is_at_or_below(name->resolved, protected->resolved))
		return true;
	if (!name->exists || !protected->exists)
		return false;
	if (lstat(name->resolved, &st) != 0)
		return true;
	return !S_ISDIR(st.st_mode) && st.st_nlink > 1 &&
	       is_in_tree(protected->resolved, &st) != 0;
}

static bool
is_below_system_dir(const struct name *name)
{
	size_t i;

	for (i = 0; i < sizeof(system_dirs) / sizeof(system_dirs[0]); i++)
		if (is_at_or_below(name->spelled, system_dirs[i]) ||
		    is_at_or_below(name->resolved, system_dirs[i]))
			return true;
	return false;
}

/* The protected paths; returns how many, or -1: one is undecidable. */
static int
list_protected(
    const char *data_dir, const char *config_path, struct name protected[3])
{
	int count = 0;
	int i;

	if (!is_absolute_and_short(data_dir))
		return -1;
	make_name(&protected[count++], data_dir, "/data");
	make_name(&protected[count++], data_dir, "/config.toml");
	if (config_path != NULL && config_path[0] != '\0')
		make_name(&protected[count++], config_path, "");
	for (i = 0; i < count; i++)
		if (protected[i].resolved == NULL)
			break;
	if (i == count)
		return count;
	for (i = 0; i < count; i++)
		drop_name(&protected[i]);
	return -1;
}

bool
reference_can_protect(const char *data_dir, const char *config_path)
{
	struct name protected[3];
	int count = list_protected(data_dir, config_path, protected);
	int i;

	for (i = 0; i < count; i++)
		drop_name(&protected[i]);
	return count > 0;
}

bool
reference_is_blocked(bool is_write, const char *path, const char *data_dir,
    const char *config_path)
{
	struct name protected[3];
	struct name name;
	bool blocked;
	int count;
	int i;

	if (!is_absolute_and_short(path))
		return true;
	count = list_protected(data_dir, config_path, protected);
	if (count < 0)
		return true;
	make_name(&name, path, "");
	blocked =
	    name.resolved == NULL || (is_write && is_below_system_dir(&name));
	for (i = 0; i < count; i++) {
		blocked = blocked || concerns(&name, &protected[i]);
		drop_name(&protected[i]);
	}
	drop_name(&name);
	return blocked;
}
