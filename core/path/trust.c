/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * trust.c - see trust.h.
 *
 * One component at a time, from / on, each looked at through the descriptor
 * that is used for the next. A directory is entered only after it was found
 * good, so nobody but root and the caller can exchange what is found inside,
 * and a symbolic link met there was put there by one of them. POSIX access
 * control lists need no look of their own: what they allow at most shows in
 * the group bits of the mode.
 */

#include "config.h"

#include "path/trust.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/leased.h"
#include "base/rights.h"
#include "path/kernel.h"

/* As many as the kernel itself follows. */
#define MAX_LINKS 40

/* A command with a longer path in it would not fit into the message. */
#define MAX_QUOTED 400

/* A directory only to be walked through: need not be readable. */
#ifdef O_PATH
#define OPEN_WAY (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#else
#define OPEN_WAY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#endif

struct walk {
	struct omega_sandbox_error *error;
	enum omega_trust_type type;
	struct omega_sandbox_error *reopened; /* NULL: leave modes alone */
	struct omega_rights_map map;
	uid_t caller;
	bool is_roots; /* all seen so far is root's alone */
	bool is_shared; /* others may add names to the directory reached */
	unsigned links; /* followed so far */
	int dir; /* the directory reached */
	char name[PATH_MAX]; /* what it is called, without links; "" is / */
	/* What is still to be walked. Grows towards the front, by the texts
	 * of links; what was asked for begins at own. */
	char buffer[2 * PATH_MAX];
	char *rest;
	const char *own;
	const char *asked;
	char path[PATH_MAX + NAME_MAX + 2]; /* see path_of */
};

/* What an entry of the directory reached is called, or ("") that itself; until
 * it is asked again. */
static const char *
path_of(struct walk *walk, const char *name)
{
	if (name[0] == '\0' && walk->name[0] == '\0')
		return "/";
	snprintf(walk->path, sizeof(walk->path), "%s%s%s", walk->name,
	    name[0] == '\0' ? "" : "/", name);
	return walk->path;
}

/* path as one word of a shell command. */
static const char *
quote(const char *path, char word[MAX_QUOTED + 8])
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/._-+@%:,=";
	size_t used = 0;

	if (strlen(path) < MAX_QUOTED && strspn(path, plain) == strlen(path))
		return path;
	word[used++] = '\'';
	for (; *path != '\0' && used < MAX_QUOTED; path++) {
		if (*path == '\'') {
			memcpy(word + used, "'\\'", 3);
			used += 3;
		}
		word[used++] = *path;
	}
	if (*path != '\0')
		return "(that path)";
	word[used++] = '\'';
	word[used] = '\0';
	return word;
}

/*
 * Something on the way is wrong; command and its path mend it. Paths are cut
 * rather than what stands behind them.
 */
__attribute__((format(printf, 4, 5))) static int
refuse(const struct walk *walk, const char *path, const char *command,
    const char *format, ...)
{
	char word[MAX_QUOTED + 8];
	char what[256];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (command == NULL)
		omega_error_set(walk->error, OMEGA_SANDBOX_E_TRUST, 0,
		    "%.600s %s", path, what);
	else
		omega_error_set(walk->error, OMEGA_SANDBOX_E_TRUST, 0,
		    "%.600s %s; mend it with: %s %s", path, what, command,
		    quote(path, word));
	return -EPERM;
}

/* The system would not let us, or it went away just now. */
static int
give_up(const struct walk *walk, int error, const char *what, const char *path)
{
	if (error == ENOENT)
		return -ENOENT;
	omega_error_set(walk->error, OMEGA_SANDBOX_E_SYSTEM, error,
	    "%s %.900s: %s", what, path, omega_leased_words(error));
	return -error;
}

static const char *
describe_type(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "a regular file";
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a named pipe";
	case S_IFSOCK:
		return "a socket";
	case S_IFCHR:
	case S_IFBLK:
		return "a device";
	default:
		return "something else";
	}
}

/* A directory like /tmp: others may add names, but not touch ours. */
static bool
is_shared(const struct stat *st)
{
	return S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX) != 0 &&
	       (st->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* May we write what fd is open on? True when that cannot be found out. */
static bool
can_write(int fd, const struct stat *st)
{
	int ret;

	if (S_ISDIR(st->st_mode))
		ret = faccessat(fd, ".", W_OK, AT_EACCESS);
	else
#ifdef AT_EMPTY_PATH
		ret = faccessat(fd, "", W_OK, AT_EACCESS | AT_EMPTY_PATH);
#else
		return true;
#endif
	return ret == 0 || (errno != EACCES && errno != EROFS);
}

/*
 * The owner of a thing whose number is that of all users unknown in this
 * namespace. Where everybody may put things it could be anybody's.
 */
static int
check_unmapped_owner(
    struct walk *walk, const char *path, const struct stat *st, int fd)
{
	if (walk->is_shared)
		return refuse(walk, path, NULL,
		    "belongs to a user unknown in this user namespace, and "
		    "everybody can put files there; use another directory");
	/* Nobody writes a link; everybody does into a sticky directory. */
	if (!S_ISLNK(st->st_mode) && !is_shared(st) && can_write(fd, st))
		return refuse(walk, path, NULL,
		    "belongs to a user unknown in this user namespace, who "
		    "need not be root, for we can write it; use a copy of "
		    "your own");
	return 0;
}

/* fd is open on it; -1 for a symbolic link. */
static int
check_owner(struct walk *walk, const char *path, const struct stat *st, int fd)
{
	const char *command =
	    S_ISLNK(st->st_mode) ? "chown -h root" : "chown root";
	const char *link =
	    S_ISLNK(st->st_mode) ? "is a symbolic link that " : "";
	const char *lacks;

	if (walk->map.has_unmapped && st->st_uid == walk->map.unmapped)
		return check_unmapped_owner(walk, path, st, fd);
	/* The root of a user namespace is an ordinary user outside. */
	if (st->st_uid == 0 && !(walk->map.is_namespace && walk->caller == 0))
		return 0;
	walk->is_roots = false;
	if (st->st_uid == walk->caller)
		return 0;
	/* Without /proc nobody says which ids are known here. */
	lacks = omega_kernel_lacks();
	/* It may be somebody's home, and nothing to be taken from him. */
	if (S_ISDIR(st->st_mode) && lacks[0] == '\0')
		lacks = "; use a copy in another directory";
	if (lacks[0] != '\0')
		command = NULL;
	if (walk->caller == 0)
		return refuse(walk, path, command,
		    "%sbelongs to uid %lu, not to root%s", link,
		    (unsigned long)st->st_uid, lacks);
	return refuse(walk, path, command,
	    "%sbelongs to uid %lu, not to root or to the caller (uid %lu)%s",
	    link, (unsigned long)st->st_uid, (unsigned long)walk->caller,
	    lacks);
}

static int
check_mode(const struct walk *walk, const char *path, const struct stat *st)
{
	unsigned mode = st->st_mode & 07777;

	/* A directory like /tmp is to stay as it is. */
	if ((mode & S_IWOTH) != 0)
		return refuse(walk, path, is_shared(st) ? NULL : "chmod go-w",
		    "can be written by everybody (mode %04o)%s", mode,
		    is_shared(st) ? "; use another directory" : "");
	if ((mode & S_IWGRP) != 0)
		return refuse(walk, path, "chmod go-w",
		    "can be written by its group, gid %lu (mode %04o)",
		    (unsigned long)st->st_gid, mode);
	return 0;
}

/* Is this directory good enough to be entered? */
static int
check_way(struct walk *walk, int fd, const char *path)
{
	struct stat st;
	int ret;

	if (fstat(fd, &st) != 0)
		return give_up(walk, errno, "cannot look at", path);
	if (walk->type == OMEGA_TRUST_TIGHTENING) {
		walk->is_roots = walk->is_roots && st.st_uid == 0;
		return 0;
	}
	ret = check_owner(walk, path, &st, fd);
	if (ret < 0)
		return ret;
	if (!is_shared(&st)) {
		ret = check_mode(walk, path, &st);
		if (ret < 0)
			return ret;
	}
	walk->is_shared = is_shared(&st);
	return 0;
}

/* Go to / and look at it. */
static int
enter_root(struct walk *walk)
{
	int fd = open("/", OPEN_WAY);

	if (fd < 0)
		return give_up(walk, errno, "cannot open", "/");
	if (walk->dir >= 0)
		close(walk->dir);
	walk->dir = fd;
	walk->name[0] = '\0';
	walk->is_shared = false;
	return check_way(walk, fd, "/");
}

/* Go into a directory, open as fd, or with ".." to the one above. */
static int
enter(struct walk *walk, const char *name, int fd)
{
	bool is_up = strcmp(name, "..") == 0;
	char *slash = strrchr(walk->name, '/');
	const char *path;
	int ret;

	if (is_up && slash != NULL)
		*slash = '\0';
	if (is_up)
		walk->is_shared = false; /* nobody has put it there */
	path = path_of(walk, is_up ? "" : name);
	ret = strlen(path) < sizeof(walk->name)
		  ? check_way(walk, fd, path)
		  : give_up(walk, ENAMETOOLONG, "cannot open", path);
	if (ret < 0) {
		close(fd);
		return ret;
	}
	close(walk->dir);
	walk->dir = fd;
	strcpy(walk->name, path[1] == '\0' ? "" : path);
	return 0;
}

/* Put the text of a link before what is left to be walked. */
static int
follow(struct walk *walk, const char *name, const struct stat *st)
{
	const char *path = path_of(walk, name);
	char target[PATH_MAX];
	ssize_t len;
	int ret;

	ret = walk->type == OMEGA_TRUST_TIGHTENING
		  ? 0
		  : check_owner(walk, path, st, -1);
	if (ret < 0)
		return ret;
	if (++walk->links > MAX_LINKS)
		return give_up(walk, ELOOP, "cannot follow", path);
	len = readlinkat(walk->dir, name, target, sizeof(target));
	if (len < 0)
		return give_up(walk, errno, "cannot follow", path);
	if (len == 0 || len == sizeof(target) ||
	    len > walk->rest - walk->buffer)
		return give_up(walk, ENAMETOOLONG, "cannot follow", path);
	/* The rest is empty or begins with a slash. */
	if (walk->rest > walk->own)
		walk->own = walk->rest;
	walk->rest -= len;
	memcpy(walk->rest, target, (size_t)len);
	return target[0] == '/' ? enter_root(walk) : 0;
}

/* Take the next component out of the rest. false when there is none. */
static bool
take_component(struct walk *walk, char name[NAME_MAX + 1], bool *is_too_long)
{
	size_t len;

	walk->rest += strspn(walk->rest, "/");
	len = strcspn(walk->rest, "/");
	*is_too_long = len > NAME_MAX;
	if (len == 0 || *is_too_long)
		return false;
	memcpy(name, walk->rest, len);
	name[len] = '\0';
	walk->rest += len;
	return true;
}

/* An entry could not be found: is it what was asked for, or a link's end? */
static int
miss(struct walk *walk, const char *name, int error)
{
	if (error != ENOENT)
		return give_up(walk, error, "cannot search", path_of(walk, ""));
	if (walk->rest > walk->own)
		return -ENOENT;
	omega_error_set(walk->error, OMEGA_SANDBOX_E_SYSTEM, ENOENT,
	    "%.400s: a symbolic link leads to %.500s, which does not exist",
	    walk->asked, path_of(walk, name));
	return -ENOLINK;
}

/* The end is an entry of the directory reached, and not a directory. */
static int
open_file(struct walk *walk, const char *name, const struct stat *seen)
{
	const char *path = path_of(walk, name);
	struct stat st;
	int ret;
	int fd;

	if (!S_ISREG(seen->st_mode))
		return refuse(walk, path, NULL, "is %s, not a regular file",
		    describe_type(seen->st_mode));
	fd = omega_leased_open(
	    walk->dir, name, O_RDONLY | O_NOFOLLOW | O_NOCTTY, 0);
	if (fd < 0 && errno == EACCES) {
		omega_error_set(walk->error, OMEGA_SANDBOX_E_SYSTEM, EACCES,
		    "cannot open %.400s: %s; everybody who runs commands has "
		    "to read it: chmod a+r %.400s",
		    path, strerror(EACCES), path);
		return -EACCES;
	}
	if (fd < 0)
		return give_up(walk, errno, "cannot open", path);
	if (fstat(fd, &st) != 0)
		ret = give_up(walk, errno, "cannot look at", path);
	else if (!S_ISREG(st.st_mode))
		ret = refuse(walk, path, NULL, "is %s, not a regular file",
		    describe_type(st.st_mode));
	else
		ret = check_owner(walk, path, &st, fd);
	if (ret == 0)
		ret = check_mode(walk, path, &st);
	/* Anybody could have put another of our files there by link(2). */
	if (ret == 0 && walk->is_shared && st.st_nlink > 1)
		ret = refuse(walk, path, NULL,
		    "has %lu names and is where everybody can put files, so "
		    "it may be a link somebody else made; use a copy",
		    (unsigned long)st.st_nlink);
	if (ret == 0)
		return fd;
	close(fd);
	return ret;
}

/* The end is the directory reached. */
static int
open_directory(struct walk *walk)
{
	const char *path = path_of(walk, "");
	struct stat st;
	int ret;
	int fd;

	fd = openat(walk->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return give_up(walk, errno, "cannot open", path);
	/* Sticky does not help: its names are what it is opened for. */
	if (fstat(fd, &st) != 0)
		ret = give_up(walk, errno, "cannot look at", path);
	else
		ret = check_mode(walk, path, &st);
	if (ret == 0)
		return fd;
	close(fd);
	return ret;
}

/* Open the directory reached to its owner again, if that is the caller. */
static bool
reopen(struct walk *walk)
{
	char path[40];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", walk->dir);
	if (fstat(walk->dir, &st) != 0 || st.st_uid != walk->caller ||
	    (st.st_mode & S_IXUSR) != 0 ||
	    chmod(path, (st.st_mode & 07777) | S_IXUSR) != 0)
		return false;
	omega_error_set(walk->reopened, OMEGA_SANDBOX_OK, 0,
	    "%.800s was closed to its owner (mode %04o) and is on the way to "
	    "what has to be read: opened again, as by chmod u+x",
	    path_of(walk, ""), (unsigned)st.st_mode & 07777);
	return true;
}

/* One component. 0: go on; 1: it was the file at the end, *fd is open. */
static int
step(struct walk *walk, const char *name, int *fd)
{
	struct stat st;
	int error;
	int ret;

	if (strcmp(name, ".") == 0)
		return 0;
	ret = openat(walk->dir, name, OPEN_WAY);
	if (ret < 0 && errno == EACCES && walk->reopened != NULL &&
	    reopen(walk))
		ret = openat(walk->dir, name, OPEN_WAY);
	if (ret >= 0)
		return enter(walk, name, ret);
	error = errno;
	if (fstatat(walk->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return miss(walk, name, errno);
	if (S_ISLNK(st.st_mode))
		return follow(walk, name, &st);
	if (S_ISDIR(st.st_mode))
		return give_up(walk, error, "cannot open", path_of(walk, name));
	if (walk->type == OMEGA_TRUST_DIRECTORY || walk->rest[0] != '\0') {
		const char *path = path_of(walk, name);

		if (walk->rest[strspn(walk->rest, "/")] != '\0')
			return give_up(walk, ENOTDIR, "cannot enter", path);
		return refuse(walk, path, NULL, "is %s, not a directory",
		    describe_type(st.st_mode));
	}
	ret = open_file(walk, name, &st);
	if (ret < 0)
		return ret;
	*fd = ret;
	return 1;
}

static int
walk_all(struct walk *walk)
{
	char name[NAME_MAX + 1];
	bool is_too_long;
	int fd = -1;
	int ret;

	ret = walk->dir < 0 ? enter_root(walk) : 0;
	if (ret < 0)
		return ret;
	while (take_component(walk, name, &is_too_long)) {
		ret = step(walk, name, &fd);
		if (ret < 0)
			return ret;
		if (ret == 1)
			return fd;
	}
	if (is_too_long)
		return give_up(walk, ENAMETOOLONG, "cannot open", walk->asked);
	if (walk->type == OMEGA_TRUST_DIRECTORY)
		return open_directory(walk);
	return refuse(walk, path_of(walk, ""), NULL,
	    "is a directory, not a regular file");
}

/* From / on, or (dir) from the directory it is an entry of. */
static int
walk_to(struct walk *walk, int dir, const char *path)
{
	size_t len;
	int ret;

	if (path == NULL || path[0] != '/')
		return give_up(walk, EINVAL,
		    "not an absolute path:", path == NULL ? "(null)" : path);
	len = strlen(path);
	if (len >= PATH_MAX)
		return give_up(walk, ENAMETOOLONG, "cannot open", path);
	if (dir >= 0) {
		walk->dir = openat(dir, ".", OPEN_WAY);
		if (walk->dir < 0)
			return give_up(walk, errno, "cannot open", path);
		len = strlen(strrchr(path, '/'));
		memcpy(walk->name, path, strlen(path) - len);
	}
	walk->rest = walk->buffer + sizeof(walk->buffer) - len - 1;
	walk->own = walk->rest;
	walk->asked = path;
	memcpy(walk->rest, path + strlen(path) - len, len + 1);
	walk->caller = geteuid();
	omega_rights_read_map(&walk->map);
	ret = walk_all(walk);
	if (walk->dir >= 0)
		close(walk->dir);
	return ret;
}

int
omega_trust_open(const char *path, enum omega_trust_type type, bool *is_roots,
    struct omega_sandbox_error *error)
{
	struct walk walk = {
	    .error = error, .type = type, .is_roots = true, .dir = -1};
	int ret = walk_to(&walk, -1, path);

	if (ret >= 0 && is_roots != NULL)
		*is_roots = walk.is_roots;
	return ret;
}

int
omega_trust_open_in(int dir, const char *path, enum omega_trust_type type,
    bool *is_roots, struct omega_sandbox_error *error)
{
	struct walk walk = {
	    .error = error, .type = type, .is_roots = *is_roots, .dir = -1};
	int ret = walk_to(&walk, dir, path);

	*is_roots = walk.is_roots;
	return ret;
}

bool
omega_trust_reopen(const char *path, struct omega_sandbox_error *said)
{
	struct walk walk = {
	    .type = OMEGA_TRUST_TIGHTENING, .reopened = said, .dir = -1};
	int fd;

	said->text[0] = '\0';
	fd = walk_to(&walk, -1, path);
	if (fd >= 0)
		close(fd);
	return said->text[0] != '\0';
}
