/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * forest.c - see forest.h.
 *
 * The trees are small and their names few, so that paths meet, links cross
 * and a missing name is often the one that is protected. What cannot be made
 * because the name is taken is simply not made.
 */

#include "forest.h"

#include <sys/stat.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const plain_names[] = {
    "a", "b", "c", "o", "data", "config.toml", "new"};
static const char *const case_names[] = {
    "Data", "DATA", "Config.toml", "CONFIG.TOML", "O"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PICK(forest, array) ((array)[forest_below(forest, COUNT(array))])

/* splitmix64: short, and good enough to choose by. */
static uint64_t
next_random(struct forest *forest)
{
	uint64_t z = forest->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

unsigned
forest_below(struct forest *forest, unsigned n)
{
	return (unsigned)(next_random(forest) % n);
}

static bool
percent(struct forest *forest, unsigned chance)
{
	return forest_below(forest, 100) < chance;
}

/* printf behind what is there; too much is cut off. */
__attribute__((format(printf, 2, 3))) static void
append(char *path, const char *format, ...)
{
	size_t len = strlen(path);
	va_list args;

	va_start(args, format);
	vsnprintf(path + len, PATH_MAX - len, format, args);
	va_end(args);
}

/* ---- Growing ------------------------------------------------------------ */

static const char *
any_name(struct forest *forest)
{
	if ((forest->options & FOREST_CASE) != 0 && percent(forest, 10))
		return PICK(forest, case_names);
	return PICK(forest, plain_names);
}

static const char *
any_dir(struct forest *forest)
{
	return forest->dirs[forest_below(forest, (unsigned)forest->dir_count)];
}

static const char *
any_node(struct forest *forest)
{
	return forest
	    ->nodes[forest_below(forest, (unsigned)forest->node_count)];
}

static void
note(struct forest *forest, const char *path, bool is_dir)
{
	if (forest->node_count == FOREST_MAX_NODES)
		return;
	forest->nodes[forest->node_count] = strdup(path);
	if (forest->nodes[forest->node_count] == NULL)
		abort();
	if (is_dir)
		forest->dirs[forest->dir_count++] =
		    forest->nodes[forest->node_count];
	forest->node_count++;
}

static void
grow_dir(struct forest *forest, const char *path)
{
	if (mkdir(path, 0755) == 0)
		note(forest, path, true);
}

static void
grow_file(struct forest *forest, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		return;
	close(fd);
	note(forest, path, false);
}

/* The way from a directory of the tree to a node of it, by "..". */
static void
relative(
    const struct forest *forest, const char *dir, const char *node, char *out)
{
	const char *at = dir + strlen(forest->root);

	out[0] = '\0';
	for (; *at != '\0'; at++)
		if (*at == '/')
			append(out, "../");
	append(out, ".%s", node + strlen(forest->root));
}

/* A few components that may or may not exist. */
static void
append_steps(struct forest *forest, unsigned most, char *path)
{
	unsigned count = forest_below(forest, most + 1);

	while (count-- > 0) {
		switch (forest_below(forest, 8)) {
		case 0:
		case 1:
			append(path, "/..");
			break;
		case 2:
			append(path, "/.");
			break;
		case 3:
			append(path, "//");
			break;
		default:
			append(path, "/%s", any_name(forest));
			break;
		}
	}
}

/* What a link standing in dir says. */
static void
any_target(struct forest *forest, const char *dir, char *target)
{
	target[0] = '\0';
	switch (forest_below(forest, 4)) {
	case 0: /* something that exists, from the root */
		append(target, "%s", any_node(forest));
		break;
	case 1: /* the same, from here */
		relative(forest, dir, any_node(forest), target);
		break;
	case 2: /* a neighbour, often itself or missing */
		append(target, "%s", any_name(forest));
		break;
	default:
		append(target, "%s", any_node(forest));
		append_steps(forest, 4, target);
		return;
	}
	append_steps(forest, percent(forest, 30) ? 2 : 0, target);
}

static void
grow_link(struct forest *forest, const char *path, const char *dir)
{
	char target[PATH_MAX];

	any_target(forest, dir, target);
	if (symlink(target, path) == 0)
		note(forest, path, false);
}

/*
 * A link to a link to a link, sometimes longer than may be followed. Well
 * below the limit of 40 or above it: while others mount and unmount, open(2)
 * itself refuses a chain of 38 links now and then (32,721 times of 150,000 with
 * three processes at it on Linux 6.18; never while they rename), so near the
 * limit two lookups need not agree.
 */
static void
grow_chain(struct forest *forest)
{
	const char *dir = any_dir(forest);
	unsigned length =
	    (forest_below(forest, 2) == 0 ? 12 : 42) + forest_below(forest, 5);
	char path[PATH_MAX];
	char target[PATH_MAX];
	unsigned i;

	any_target(forest, dir, target);
	for (i = 0; i < length; i++) {
		snprintf(
		    path, sizeof(path), "%.*s/chain%u", PATH_MAX - 32, dir, i);
		if (symlink(target, path) != 0)
			return;
		snprintf(target, sizeof(target), "chain%u", i);
	}
	note(forest, path, false);
}

/* Something called name in the tree: mostly what it should be. */
static void
grow_protected(struct forest *forest, const char *path, bool should_be_dir)
{
	switch (forest_below(forest, 16)) {
	case 0:
	case 1:
	case 2:
		break; /* not there */
	case 3:
	case 4:
		grow_link(forest, path, forest->home);
		break;
	case 5:
		should_be_dir = !should_be_dir;
		/* fall through */
	default:
		if (should_be_dir)
			grow_dir(forest, path);
		else
			grow_file(forest, path);
		break;
	}
}

static void
grow_data_dir(struct forest *forest)
{
	char path[PATH_MAX] = "";

	append(forest->home, "%s/o", any_dir(forest));
	if (percent(forest, 90))
		grow_dir(forest, forest->home);
	append(path, "%s/data", forest->home);
	grow_protected(forest, path, true);
	if (percent(forest, 60)) {
		append(path, "/%s", any_name(forest));
		grow_file(forest, path);
	}
	path[0] = '\0';
	append(path, "%s/config.toml", forest->home);
	grow_protected(forest, path, false);
}

/* How the data directory is called: not always by its name. */
static void
choose_data_dir(struct forest *forest)
{
	char path[PATH_MAX] = "";

	switch (forest_below(forest, 10)) {
	case 0: /* another directory, perhaps with a missing tail */
		append(forest->data_dir, "%s", any_node(forest));
		append_steps(forest, 3, forest->data_dir);
		break;
	case 1:
	case 2: /* a link to it */
		append(path, "%s/link", any_dir(forest));
		if (symlink(forest->home, path) == 0)
			note(forest, path, false);
		append(forest->data_dir, "%s", path);
		if (percent(forest, 30)) {
			append(forest->data_dir, "/new");
			append_steps(forest, 2, forest->data_dir);
		}
		break;
	default:
		append(forest->data_dir, "%s", forest->home);
		break;
	}
	if (percent(forest, 20))
		append(forest->data_dir, percent(forest, 50) ? "/" : "//.");
}

static void
choose_config_path(struct forest *forest)
{
	if (percent(forest, 60))
		return;
	append(forest->config_path, "%s", any_node(forest));
	if (percent(forest, 30))
		append_steps(forest, 3, forest->config_path);
}

/* One more thing, somewhere. */
static void
grow_something(struct forest *forest)
{
	const char *dir = any_dir(forest);
	char path[PATH_MAX] = "";

	append(path, "%s/%s", dir, any_name(forest));
	switch (forest_below(forest, 8)) {
	case 0:
	case 1:
		grow_dir(forest, path);
		break;
	case 2:
		grow_file(forest, path);
		break;
	case 3:
		if (link(any_node(forest), path) == 0)
			note(forest, path, false);
		break;
	default:
		grow_link(forest, path, dir);
		break;
	}
}

static void
shut_some(struct forest *forest)
{
	static const mode_t modes[] = {0, 0111, 0444};
	size_t i;

	for (i = 1; i < forest->dir_count; i++)
		if (percent(forest, 12))
			chmod(forest->dirs[i], PICK(forest, modes));
}

/* Choose directories to be in and to hold, where we may go. */
static bool
enter(struct forest *forest)
{
	append(forest->cwd, "%s", any_dir(forest));
	forest->fd = open(any_dir(forest), O_PATH | O_CLOEXEC);
	if (forest->fd < 0)
		forest->fd = open(forest->root, O_PATH | O_CLOEXEC);
	if (chdir(forest->cwd) != 0) {
		snprintf(forest->cwd, sizeof(forest->cwd), "%s", forest->root);
		if (chdir(forest->cwd) != 0)
			return false;
	}
	/* A working directory without a name, for once. */
	if (strcmp(forest->cwd, forest->root) != 0 && percent(forest, 5))
		forest->is_nameless = rmdir(forest->cwd) == 0;
	return forest->fd >= 0;
}

bool
forest_grow(
    struct forest *forest, const char *root, uint64_t seed, unsigned options)
{
	unsigned count;

	memset(forest, 0, sizeof(*forest));
	forest->random = seed;
	forest->options = options;
	forest->fd = -1;
	snprintf(forest->root, sizeof(forest->root), "%s", root);
	grow_dir(forest, root);
	if (forest->dir_count == 0)
		return false;
	for (count = 2 + forest_below(forest, 6); count > 0; count--)
		grow_something(forest);
	grow_data_dir(forest);
	for (count = 4 + forest_below(forest, 16); count > 0; count--)
		grow_something(forest);
	if (percent(forest, 5))
		grow_chain(forest);
	choose_data_dir(forest);
	choose_config_path(forest);
	if ((options & FOREST_SHUT) != 0)
		shut_some(forest);
	return enter(forest);
}

/* ---- Asking ------------------------------------------------------------- */

static const char *const strange[] = {"", "a", "./a", "../data", "/", "//",
    "/..", "/etc/new", "/usr/lib/../../etc/passwd", "/bin/sh", "/usr/libx",
    "/proc/self/fd", "/proc/self/ns/mnt", "/dev/null", "/Library/../tmp/new",
    "/tmp/../etc", "/usr/local/bin/new"};

static void
begin_path(struct forest *forest, char *path)
{
	const char *node = any_node(forest);
	const char *inside = node + strlen(forest->root);
	/* What ".." of a removed directory is only the kernel can tell. */
	unsigned skipped = forest->is_nameless ? 2 : 0;

	switch (skipped + forest_below(forest, 24 - skipped)) {
	case 0:
		append(path, "/proc/self/cwd%s", inside);
		break;
	case 1:
		append(path, "/proc/%d/cwd", (int)getpid());
		break;
	case 2:
		append(path, "/proc/self/root%s", node);
		break;
	case 3:
		append(path, "/proc/self/fd/%d%s", forest->fd, inside);
		break;
	case 4:
		append(path, "/dev/fd/%d", forest->fd);
		break;
	case 5:
		append(path, "%s", PICK(forest, strange));
		break;
	case 6:
		append(path, "%s", forest->data_dir);
		break;
	case 7:
		append(path, "%s/data", forest->data_dir);
		break;
	case 8:
		append(path, "%s/config.toml", forest->data_dir);
		break;
	case 9:
		append(path, "%s", forest->config_path);
		break;
	default:
		append(path, "%s", node);
		break;
	}
}

/* Double a slash or put "." between two names, here and there. */
static void
roughen(struct forest *forest, char *path)
{
	char smooth[PATH_MAX];
	const char *at;

	snprintf(smooth, sizeof(smooth), "%s", path);
	path[0] = '\0';
	for (at = smooth; *at != '\0'; at++) {
		append(path, "%c", *at);
		if (*at == '/' && percent(forest, 10))
			append(path, percent(forest, 50) ? "/" : "./");
	}
}

void
forest_path(struct forest *forest, char *path)
{
	path[0] = '\0';
	if (forest->is_nameless && percent(forest, 10)) {
		append(path, "/proc/self/cwd");
		append(path, "%s", percent(forest, 50) ? "" : "/./data");
		return;
	}
	begin_path(forest, path);
	if (percent(forest, 60))
		append_steps(forest, 5, path);
	if (percent(forest, 20))
		roughen(forest, path);
	if (percent(forest, 15))
		append(path, percent(forest, 50) ? "/" : "/.");
}

/* ---- Showing and removing ----------------------------------------------- */

static FILE *print_to;

static int
print_entry(
    const char *path, const struct stat *st, int type, struct FTW *place)
{
	char target[PATH_MAX];
	ssize_t len;

	(void)place;
	if (type == FTW_NS) {
		fprintf(print_to, "# out of reach: %s\n", path);
		return 0;
	}
	fprintf(print_to, "# %06o inode %llu links %lu %s", st->st_mode,
	    (unsigned long long)st->st_ino, (unsigned long)st->st_nlink, path);
	if (S_ISLNK(st->st_mode)) {
		len = readlink(path, target, sizeof(target));
		fprintf(print_to, " -> %.*s", (int)(len < 0 ? 0 : len), target);
	}
	fputc('\n', print_to);
	return 0;
}

void
forest_print(const struct forest *forest, FILE *out)
{
	print_to = out;
	nftw(forest->root, print_entry, 16, FTW_PHYS);
	fprintf(out, "# data_dir    \"%s\"\n", forest->data_dir);
	fprintf(out, "# config_path \"%s\"\n", forest->config_path);
	fprintf(out, "# cwd         \"%s\"\n", forest->cwd);
	fprintf(out, "# uid %d, descriptor %d\n", (int)getuid(), forest->fd);
}

static int
remove_entry(
    const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)type;
	(void)place;
	remove(path);
	return 0;
}

void
forest_fell(struct forest *forest)
{
	size_t i;

	if (forest->fd >= 0)
		close(forest->fd);
	if (chdir("/") != 0)
		abort();
	/* Parents come before their children in the list. */
	for (i = 0; i < forest->dir_count; i++)
		chmod(forest->dirs[i], 0755);
	nftw(forest->root, remove_entry, 16, FTW_PHYS | FTW_DEPTH);
	for (i = 0; i < forest->node_count; i++)
		free(forest->nodes[i]);
}
