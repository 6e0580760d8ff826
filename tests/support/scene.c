/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * scene.c - see scene.h.
 */

#include "scene.h"

#include <sys/stat.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

void
home_make(struct home *home)
{
	const char *root = scratch_dir();

	snprintf(home->root, sizeof(home->root), "%s", root);
	snprintf(home->dir, sizeof(home->dir), "%s/omega", root);
	snprintf(home->config_path, sizeof(home->config_path),
	    "%s/app/app.toml", root);
	make_file(in_dir(home, "data/memory.db"), SECRET);
	make_file(in_dir(home, "data/deep/er/file"), SECRET);
	make_file(in_dir(home, "config.toml"), SECRET);
	make_file(home->config_path, SECRET);
	make_file(in_dir(home, "workspace/note"), HARMLESS);
	make_dir(in_dir(home, "skills"));
	make_dir(in_dir(home, "stores"));
	make_file(in_root(home, "free/plain"), HARMLESS);
	make_dir(in_root(home, "free/sub"));
}

const char *
in_dir(const struct home *home, const char *name)
{
	return text("%s/%s", home->dir, name);
}

const char *
in_root(const struct home *home, const char *name)
{
	return text("%s/%s", home->root, name);
}

/* A path for a message: one line, not too long. */
static const char *
shown(const char *path)
{
	char *line;
	size_t i;

	if (path == NULL)
		return "NULL";
	line = text("%.159s", path);
	for (i = 0; line[i] != '\0'; i++)
		if ((unsigned char)line[i] < ' ' ||
		    (unsigned char)line[i] > '~')
			line[i] = '?';
	return line;
}

static bool
answer_is(const char *question, const char *path, bool answer, bool expected)
{
	if (answer == expected)
		return true;
	printf("# %s %s: %s\n", question, shown(path),
	    answer ? "blocked, should not be" : "not blocked, should be");
	fflush(stdout);
	return false;
}

bool
verdict_is(const char *path, const char *data_dir, const char *config_path,
    bool read_blocked, bool write_blocked)
{
	bool reads = answer_is("read", path,
	    omega_sandbox_is_read_blocked(path, data_dir, config_path),
	    read_blocked);
	bool writes = answer_is("write", path,
	    omega_sandbox_is_write_blocked(path, data_dir), write_blocked);

	return reads && writes;
}

void
must_pass_with_mounts(int (*fn)(void *), void *arg)
{
	int status = in_mount_child(fn, arg);

	if (status == CANNOT_MOUNT)
		skip_because("no mount namespace may be made here, neither "
			     "directly nor with a user namespace");
	assert_int_equal(status, 0);
}

#define MAX_CASES 128

static struct scene_case *
add(struct scene *scene, const char *what, const char *path, bool read_blocked,
    bool write_blocked)
{
	struct scene_case *one = &scene->cases[scene->count++];

	assert_true(scene->count <= MAX_CASES);
	one->what = what;
	one->path = path == NULL ? NULL : strdup(path);
	one->read_blocked = read_blocked;
	one->write_blocked = write_blocked;
	return one;
}

static void
add_blocked(struct scene *scene, const char *what, const char *path)
{
	add(scene, what, path, true, true);
}

static void
add_free(struct scene *scene, const char *what, const char *path)
{
	add(scene, what, path, false, false);
}

static void
add_plain_names(struct scene *scene)
{
	const struct home *home = &scene->home;

	add_blocked(scene, "data itself", in_dir(home, "data"));
	add_blocked(scene, "file in data", in_dir(home, "data/memory.db"));
	add_blocked(scene, "new name in data", in_dir(home, "data/new"));
	add_blocked(scene, "deep in data", in_dir(home, "data/deep/er/file"));
	add_blocked(scene, "config.toml", in_dir(home, "config.toml"));
	add_blocked(scene, "trailing slash", in_dir(home, "data/"));
	add_blocked(scene, "slashes", in_dir(home, "/.//data//memory.db"));
	add_blocked(scene, "in and out", in_dir(home, "skills/../data/x"));
	add_free(scene, "the data directory", home->dir);
	add_free(scene, "workspace", in_dir(home, "workspace/note"));
	add_free(scene, "new in workspace", in_dir(home, "workspace/new"));
	add_free(scene, "like data", in_dir(home, "database/x"));
	add_free(scene, "like config.toml", in_dir(home, "config.toml.bak"));
	add_free(scene, "data left again", in_dir(home, "data/../skills/x"));
	add_free(scene, "elsewhere", in_root(home, "free/plain"));
	add_free(scene, "missing twice", in_root(home, "no/where"));
	add_free(scene, "below a file", in_root(home, "free/plain/x"));
	add_free(scene, "the root", "/");
	add(scene, "etc", "/etc/passwd", false, true);
	add(scene, "new in etc", "/etc/omega-none", false, true);
	add(scene, "usr bin", "/usr/bin/env", false, true);
	add(scene, "proc", "/proc/version", false, true);
	add(scene, "dev", "/dev/null", false, true);
	add(scene, "configuration elsewhere", home->config_path, true, false)
	    ->is_config = true;
}

static void
add_links(struct scene *scene)
{
	const struct home *home = &scene->home;

	make_link(in_dir(home, "data"), in_root(home, "to-data"));
	make_link("omega/data/deep", in_root(home, "to-deep"));
	make_link("omega", in_root(home, "to-dir"));
	make_link(in_dir(home, "config.toml"), in_root(home, "to-config"));
	make_link("to-data", in_root(home, "chain-1"));
	make_link("./chain-1/", in_root(home, "chain-2"));
	make_link(in_dir(home, "data/none"), in_root(home, "dangling"));
	make_link("omega/data/none", in_root(home, "dangling-short"));
	make_link("dangling", in_root(home, "dangling-chain"));
	make_link("free", in_root(home, "to-free"));
	make_link("free/none", in_root(home, "dangling-free"));
	make_link("/etc", in_root(home, "to-etc"));
	make_link("loop-2", in_root(home, "loop-1"));
	make_link("loop-1", in_root(home, "loop-2"));

	add_blocked(scene, "link to data", in_root(home, "to-data"));
	add_blocked(
	    scene, "file behind it", in_root(home, "to-data/memory.db"));
	add_blocked(scene, "new file behind it", in_root(home, "to-data/new"));
	add_blocked(scene, "new two below", in_root(home, "to-deep/new/new"));
	add_blocked(scene, "back up again", in_root(home, "to-deep/../x"));
	add_blocked(scene, "through dir", in_root(home, "to-dir/data/x"));
	add_blocked(scene, "link to config", in_root(home, "to-config"));
	add_blocked(scene, "chain", in_root(home, "chain-2/memory.db"));
	add_blocked(scene, "dangling", in_root(home, "dangling"));
	add_blocked(scene, "dangling, slash", in_root(home, "dangling/"));
	add_blocked(scene, "below dangling", in_root(home, "dangling/x/y"));
	add_blocked(scene, "dangling, short", in_root(home, "dangling-short"));
	add_blocked(scene, "dangling chain", in_root(home, "dangling-chain/x"));
	add_blocked(scene, "loop", in_root(home, "loop-1"));
	add_blocked(scene, "below a loop", in_root(home, "loop-1/x"));
	add(scene, "link to etc", in_root(home, "to-etc/none"), false, true);
	add_free(scene, "link elsewhere", in_root(home, "to-free/plain"));
	add_free(scene, "new elsewhere", in_root(home, "to-free/new"));
	add_free(scene, "dangling elsewhere", in_root(home, "dangling-free"));
	add_free(scene, "link, up again", in_root(home, "to-free/../free/x"));
}

static void
add_hard_links(struct scene *scene)
{
	const struct home *home = &scene->home;

	make_hard_link(
	    in_dir(home, "data/memory.db"), in_root(home, "hard-memory"));
	make_hard_link(
	    in_dir(home, "data/deep/er/file"), in_root(home, "hard-deep"));
	make_hard_link(
	    in_dir(home, "config.toml"), in_root(home, "hard-config"));
	make_hard_link(home->config_path, in_root(home, "hard-app"));
	make_hard_link(in_root(home, "free/plain"), in_root(home, "hard-free"));

	add_blocked(scene, "hard link, data", in_root(home, "hard-memory"));
	add_blocked(scene, "hard link, deep", in_root(home, "hard-deep"));
	add_blocked(scene, "hard link, config", in_root(home, "hard-config"));
	add(scene, "hard link, app", in_root(home, "hard-app"), true, false)
	    ->is_config = true;
	add_free(scene, "hard link elsewhere", in_root(home, "hard-free"));
}

static void
add_proc_names(struct scene *scene)
{
	const struct home *home = &scene->home;
	int pid = (int)getpid();

	add_blocked(
	    scene, "proc root", text("/proc/self/root%s/data/x", home->dir));
	add_blocked(scene, "proc thread root",
	    text("/proc/thread-self/root%s/config.toml", home->dir));
	add_blocked(scene, "proc pid root",
	    text("/proc/%d/root%s/data/memory.db", pid, home->dir));
	add_blocked(scene, "proc cwd", "/proc/self/cwd/memory.db");
	add_blocked(scene, "proc cwd, new", "/proc/self/cwd/new");
	add_blocked(scene, "proc cwd, up", "/proc/self/cwd/../config.toml");
	add_blocked(scene, "proc pid cwd", text("/proc/%d/cwd/x", pid));
	add_blocked(scene, "proc fd", text("/proc/self/fd/%d", scene->fd));
	add_blocked(scene, "proc fd, file",
	    text("/proc/self/fd/%d/memory.db", scene->fd));
	add_blocked(scene, "dev fd", text("/dev/fd/%d/memory.db", scene->fd));
	add_blocked(scene, "dev fd, new", text("/dev/fd/%d/new", scene->fd));
	/* Writing below /proc is blocked by its name; reading shows more. */
	add(scene, "proc cwd, out", "/proc/self/cwd/../workspace/note", false,
	    true);
	add(scene, "proc root, free",
	    text("/proc/self/root%s/free/plain", home->root), false, true);
}

static void
add_undecidable(struct scene *scene)
{
	const struct home *home = &scene->home;
	char longest[PATH_MAX + 16];
	char name[NAME_MAX + 2];

	add_blocked(scene, "NULL", NULL);
	add_blocked(scene, "empty", "");
	add_blocked(scene, "relative", "free/plain");
	add_blocked(scene, "relative dot", "./x");
	add_blocked(scene, "dotdot behind nothing",
	    in_root(home, "none/../free/plain"));
	add_blocked(
	    scene, "dotdot behind a file", in_root(home, "free/plain/../x"));
	memset(name, 'n', sizeof(name) - 1);
	name[NAME_MAX + 1] = '\0';
	add_blocked(scene, "name too long", in_root(home, name));
	memset(longest, '/', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	add_blocked(scene, "path too long", longest);
}

void
scene_enter(struct scene *scene)
{
	memset(scene, 0, sizeof(*scene));
	home_make(&scene->home);
	scene->cases = calloc(MAX_CASES, sizeof(*scene->cases));
	assert_non_null(scene->cases);
	scene->fd = open(in_dir(&scene->home, "data"), O_RDONLY | O_CLOEXEC);
	assert_true(scene->fd >= 0);
	assert_int_equal(fchdir(scene->fd), 0);
	add_plain_names(scene);
	add_links(scene);
	add_hard_links(scene);
	add_proc_names(scene);
	add_undecidable(scene);
}

void
scene_leave(struct scene *scene)
{
	size_t i;

	assert_int_equal(chdir("/"), 0);
	close(scene->fd);
	for (i = 0; i < scene->count; i++)
		free(scene->cases[i].path);
	free(scene->cases);
}

bool
scene_case_holds(const struct scene *scene, const struct scene_case *one)
{
	if (verdict_is(one->path, scene->home.dir, scene->home.config_path,
		one->read_blocked, one->write_blocked))
		return true;
	printf("# in the case: %s\n", one->what);
	fflush(stdout);
	return false;
}
