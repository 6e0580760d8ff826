/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * world.c - see world.h.
 */

#include "world.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char program[PATH_MAX];

void
world_set_program(const char *argv0)
{
	if (realpath(argv0, program) == NULL)
		program[0] = '\0';
}

static void
put(const char *dir, const char *rest, const char *text, mode_t mode)
{
	char path[2 * PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, rest);
	file = fopen(path, "w");
	if (file == NULL) {
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
		return;
	}
	fputs(text, file);
	fclose(file);
	chmod(path, mode);
}

static void
make_directory(const char *dir, const char *rest)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, rest);
	if (mkdir(path, 0755) != 0)
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
}

static int
remove_entry(
    const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)type;
	(void)place;
	return remove(path);
}

/* A process that has the data as its directory and in descriptor 9. */
static pid_t
start_outside(const struct world *world)
{
	char path[2 * PATH_MAX];
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_DUMPABLE, 1); /* lost when uids were changed */
		snprintf(path, sizeof(path), "%s/data", world->dir);
		if (chdir(path) != 0)
			_exit(1);
		dup2(open("memory.db", O_RDONLY), 9);
		if (write(ready[1], "x", 1) == 1)
			for (;;)
				pause();
		_exit(0);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		fprintf(stderr, "# no process outside\n");
	close(ready[0]);
	return pid;
}

static void
note_handle(struct world *world)
{
	union {
		struct file_handle head;
		char space[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} handle;
	char path[2 * PATH_MAX];
	size_t used;
	unsigned i;
	int id;

	snprintf(path, sizeof(path), "%s/data/memory.db", world->dir);
	handle.head.handle_bytes = MAX_HANDLE_SZ;
	used = (size_t)snprintf(
	    world->arg, sizeof(world->arg), "%ld", (long)world->outside);
	if (name_to_handle_at(AT_FDCWD, path, &handle.head, &id, 0) != 0)
		return;
	used += (size_t)snprintf(world->arg + used, sizeof(world->arg) - used,
	    ",%d,%u,", handle.head.handle_type, handle.head.handle_bytes);
	for (i = 0; i < handle.head.handle_bytes; i++)
		used += (size_t)snprintf(world->arg + used,
		    sizeof(world->arg) - used, "%02x", handle.head.f_handle[i]);
}

static int
listen_at(const struct world *world)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%.90s/socket", world->home);
	unlink(at.sun_path);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(fd, 8) != 0)
		fprintf(stderr, "# %s: %s\n", at.sun_path, strerror(errno));
	return fd;
}

void
world_make(struct world *world, const char *base, const char *name)
{
	char path[2 * PATH_MAX];

	memset(world, 0, sizeof(*world));
	snprintf(world->top, sizeof(world->top), "%.*s/w", PATH_MAX / 2, base);
	snprintf(path, sizeof(path), "%s-moved", world->top);
	nftw(path, remove_entry, 16, FTW_PHYS | FTW_DEPTH);
	nftw(world->top, remove_entry, 16, FTW_PHYS | FTW_DEPTH);
	mkdir(world->top, 0755);
	make_directory(world->top, "home");
	snprintf(world->home, sizeof(world->home), "%.*s/home", PATH_MAX - 8,
	    world->top);
	make_directory(world->home, name);
	snprintf(world->dir, sizeof(world->dir), "%.*s/%s", PATH_MAX - 300,
	    world->home, name);
	make_directory(world->dir, "data");
	make_directory(world->dir, "workspace");
	put(world->dir, "data/memory.db", SECRET, 0600);
	put(world->dir, "data/tool", "#!/bin/sh\nexit 0\n", 0755);
	put(world->dir, "config.toml", SECRET, 0600);
	put(world->dir, "workspace/file", "file", 0644);
	if (geteuid() == 0) {
		snprintf(path, sizeof(path), "%s/workspace/node", world->dir);
		mknod(path, S_IFBLK | 0600, makedev(7, 0));
	}
	world->outside = start_outside(world);
	note_handle(world);
	world->listener = listen_at(world);
}

void
world_end(struct world *world)
{
	if (world->outside > 0) {
		kill(world->outside, SIGKILL);
		waitpid(world->outside, NULL, 0);
	}
	close(world->listener);
	memset(world, 0, sizeof(*world));
}

bool
world_is_whole(const struct world *world)
{
	char path[2 * PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/data/memory.db", world->dir);
	if (attempts_read_secret(path) != 0 || stat(path, &st) != 0 ||
	    (st.st_mode & 07777) != 0600 || st.st_nlink != 1)
		return false;
	snprintf(path, sizeof(path), "%s/config.toml", world->dir);
	if (attempts_read_secret(path) != 0 || stat(path, &st) != 0 ||
	    (st.st_mode & 07777) != 0600)
		return false;
	snprintf(path, sizeof(path), "%s/data/new", world->dir);
	return access(path, F_OK) != 0;
}

static int
run(struct driver *driver, const char *name, const char *dir, const char *arg)
{
	static char attempt[] = "attempt";
	char *argv[] = {program, attempt, (char *)(uintptr_t)name,
	    (char *)(uintptr_t)dir, (char *)(uintptr_t)arg, NULL};

	return driver_run(driver, argv);
}

int
world_try(struct driver *driver, const struct world *world, const char *name)
{
	return run(driver, name, world->dir, world->arg);
}

int
world_read(struct driver *driver, const char *path)
{
	return run(driver, "read", path, "path");
}

int
world_try_all(struct driver *driver, const struct world *world,
    const struct attempt *list)
{
	struct driver nothing = {.plugin = NULL};
	bool is_root = geteuid() == 0;
	char base[PATH_MAX];
	int faults = 0;

	snprintf(base, sizeof(base), "%.*s.twin", PATH_MAX - 8, world->top);
	mkdir(base, 0755);
	for (; list->name != NULL; list++) {
		struct world twin;
		int outside;
		int inside;

		if (list->for_root != 0 && (list->for_root == 1) != is_root)
			continue;
		world_make(&twin, base, "omega");
		outside = world_try(&nothing, &twin, list->name);
		world_end(&twin);
		if (list->kind == ATTEMPTS_MAYBE && outside != 0)
			printf("# %s: cannot be shown here: %s\n", list->name,
			    strerror(outside));
		else
			CHECK(faults, outside == 0, "%s: outside: %s",
			    list->name, strerror(outside));
		inside = world_try(driver, world, list->name);
		if (list->kind == ATTEMPTS_USE)
			CHECK(faults, inside == 0, "%s: inside: %s", list->name,
			    strerror(inside));
		else
			CHECK(faults, inside != 0 && inside < 200,
			    "%s: inside: %d", list->name, inside);
		if (getenv("OMEGA_TEST_VERBOSE") != NULL)
			fprintf(stderr, "# %-34s outside %s, inside %s\n",
			    list->name, strerror(outside), strerror(inside));
		CHECK(faults, world_is_whole(world), "%s: the data changed",
		    list->name);
	}
	return faults;
}
