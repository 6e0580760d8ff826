/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * program.c - see program.h.
 */

#include "program.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_WORDS 8
#define STACK_SIZE (64u << 10)
#define PATIENCE 20 /* seconds for a trial */

/* A new descriptor with the bytes, from its beginning. -errno. */
static int
pour(const void *bytes, size_t size)
{
	const char *from = bytes;
	ssize_t n;
	int error;
	int fd;

	fd = memfd_create("omega-sandbox", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (size > 0) {
		n = write(fd, from, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			goto failed;
		from += n;
		size -= (size_t)n;
	}
	if (lseek(fd, 0, SEEK_SET) == 0)
		return fd;
failed:
	error = errno;
	close(fd);
	return -error;
}

/* ---- Running it -----------------------------------------------------------
 */

struct run {
	const char *path;
	const char *argv[MAX_WORDS + 4];
	int null;
	int out;
	int args;
};

/* Where it finds its words: behind the standard ones. */
#define ARGS_FD 3
#define ARGS_TEXT "3"

/* In the child, which shares our memory: plain system calls. */
static int
become(void *arg)
{
	const struct run *run = arg;
	struct sigaction plain = {.sa_handler = SIG_DFL};
	char *env[] = {NULL};

	/* Who ignores this one has no children to wait for. */
	sigaction(SIGCHLD, &plain, NULL);
	if (dup2(run->null, 0) < 0 || dup2(run->out, 1) < 0 ||
	    dup2(run->out, 2) < 0)
		_exit(127);
	if (run->args >= 0 && dup2(run->args, ARGS_FD) < 0)
		_exit(127);
	execve(run->path, (char *const *)(uintptr_t)run->argv, env);
	_exit(127);
}

/* All descriptors above those that are given out, so that no dup2 meets one. */
static int
raise_fd(int fd)
{
	int high;

	if (fd < 0)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, ARGS_FD + 1);
	if (high < 0)
		high = -errno;
	close(fd);
	return high;
}

/* Read what it says until it ends, or for too long. -ETIME then. */
static int
listen_to(int fd, char *output, size_t size)
{
	time_t end = time(NULL) + PATIENCE;
	char rest[512];
	size_t used = 0;
	ssize_t n = 1;

	while (n != 0) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		int is_full = used + 1 >= size;

		if (time(NULL) > end ||
		    (poll(&ready, 1, 1000) == 0 && time(NULL) > end))
			return -ETIME;
		if ((ready.revents & (POLLIN | POLLHUP)) == 0)
			continue;
		n = read(fd, is_full ? rest : output + used,
		    is_full ? sizeof(rest) : size - used - 1);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && !is_full)
			used += (size_t)n;
	}
	output[used] = '\0';
	return 0;
}

static int
start_and_wait(struct run *run, int in, char *output, size_t size)
{
	char *stack = malloc(STACK_SIZE);
	sigset_t all;
	sigset_t old;
	int status = 0;
	int ret;
	pid_t pid;

	if (stack == NULL)
		return -ENOMEM;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	/* No exit signal: the host is not told of a child it did not start. */
	pid = clone(become, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK, run);
	ret = pid < 0 ? -errno : 0;
	close(run->out);
	run->out = -1;
	if (ret == 0) {
		ret = listen_to(in, output, size);
		if (ret < 0)
			kill(pid, SIGKILL);
		while (waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
			continue;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	free(stack);
	if (ret < 0)
		return ret;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
program_run(const struct program *program, const struct args *args,
    const char *const *words, char *output, size_t size)
{
	struct run run = {.path = program->path, .args = -1, .out = -1};
	int ends[2] = {-1, -1};
	size_t i = 0;
	int ret = 0;

	output[0] = '\0';
	run.argv[i++] = program->path;
	if (args != NULL) {
		run.argv[i++] = "--args";
		run.argv[i++] = ARGS_TEXT;
		run.args = raise_fd(pour(args->bytes, args->size));
		ret = run.args < 0 ? run.args : 0;
	}
	while (*words != NULL && i < MAX_WORDS + 3)
		run.argv[i++] = *words++;
	run.argv[i] = NULL;
	run.null = raise_fd(open("/dev/null", O_RDWR | O_CLOEXEC));
	if (run.null < 0 && ret == 0)
		ret = -ENOENT;
	if (ret == 0 && pipe2(ends, O_CLOEXEC) != 0)
		ret = -errno;
	ends[0] = raise_fd(ends[0]);
	run.out = raise_fd(ends[1]);
	if (ret == 0 && (ends[0] < 0 || run.out < 0))
		ret = -EMFILE;
	if (ret == 0)
		ret = start_and_wait(&run, ends[0], output, size);
	if (run.out >= 0)
		close(run.out);
	if (ends[0] >= 0)
		close(ends[0]);
	if (run.null >= 0)
		close(run.null);
	if (run.args >= 0)
		close(run.args);
	return ret;
}

/* ---- Finding it -----------------------------------------------------------
 */

/* What is wrong with one step of the way; NULL: nothing. */
static const char *
find_fault(const struct stat *st, int is_last)
{
	if (is_last && !S_ISREG(st->st_mode))
		return "is no regular file";
	if (st->st_uid != 0)
		return "does not belong to root";
	if ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return "can be written by others than root";
	if (is_last && (st->st_mode & S_IXOTH) == 0)
		return "cannot be executed by everybody";
	return NULL;
}

/* The file and every directory above it. */
static int
is_trusted(struct program *program, char *why, size_t size)
{
	char way[PATH_MAX];
	const char *fault;
	struct stat st;
	char *slash;

	strcpy(way, program->path);
	if (stat(way, &program->st) != 0)
		return 0;
	fault = find_fault(&program->st, 1);
	while (fault == NULL && (slash = strrchr(way, '/')) != NULL) {
		slash[slash == way] = '\0';
		fault = stat(way, &st) != 0 ? "cannot be looked at"
					    : find_fault(&st, 0);
		if (way[1] == '\0')
			break;
	}
	if (fault != NULL)
		snprintf(why, size, "%.150s %s, so %s is not used", way, fault,
		    strcmp(way, program->path) == 0 ? "it" : "bwrap in there");
	return fault == NULL;
}

/* A number behind its name, as in "bubblewrap 0.8.0". */
static void
take_version(struct program *program, const char *said)
{
	const char *number = strchr(said, ' ');

	snprintf(program->version, sizeof(program->version), "%.*s",
	    number == NULL ? 0 : (int)strcspn(number + 1, "\n"),
	    number == NULL ? "" : number + 1);
}

/* What it can do, by its own words. */
static int
ask(struct program *program, char *why, size_t size)
{
	static const char *const version[] = {"--version", NULL};
	static const char *const help[] = {"--help", NULL};
	static const char *const needed[] = {"--args", "--seccomp",
	    "--die-with-parent", "--remount-ro", "--cap-drop",
	    "--unshare-cgroup-try", NULL};
	char text[16384];
	size_t i;
	int ret;

	ret = program_run(program, NULL, version, text, sizeof(text));
	if (ret < 0)
		return ret;
	take_version(program, text);
	ret = program_run(program, NULL, help, text, sizeof(text));
	if (ret < 0)
		return ret;
	program->has_perms = strstr(text, "--perms ") != NULL;
	for (i = 0; needed[i] != NULL; i++)
		if (strstr(text, needed[i]) == NULL) {
			snprintf(why, size,
			    "%.150s (%s) has no %s; version 0.4 or newer is "
			    "needed",
			    program->path, program->version, needed[i]);
			return -ENOENT;
		}
	return 0;
}

int
program_is_same(const struct stat *found, const struct stat *now)
{
	return found->st_dev == now->st_dev && found->st_ino == now->st_ino &&
	       found->st_mode == now->st_mode && found->st_uid == now->st_uid &&
	       found->st_size == now->st_size &&
	       found->st_mtim.tv_sec == now->st_mtim.tv_sec &&
	       found->st_mtim.tv_nsec == now->st_mtim.tv_nsec &&
	       found->st_ctim.tv_sec == now->st_ctim.tv_sec &&
	       found->st_ctim.tv_nsec == now->st_ctim.tv_nsec;
}

int
program_find(
    const char *configured, struct program *program, char *why, size_t size)
{
	static const char *const usual[] = {
	    "/usr/bin/bwrap", "/usr/local/bin/bwrap", NULL};
	const char *const only[] = {configured, NULL};
	const char *const *path = configured == NULL ? usual : only;

	memset(program, 0, sizeof(*program));
	snprintf(why, size, "%s is not there",
	    configured == NULL ? "bwrap (the package is bubblewrap)"
			       : configured);
	if (configured != NULL && configured[0] != '/') {
		snprintf(why, size, "the path of bwrap is not absolute: %.150s",
		    configured);
		return -ENOENT;
	}
	for (; *path != NULL; path++)
		if (realpath(*path, program->path) != NULL &&
		    is_trusted(program, why, size))
			return ask(program, why, size);
	return -ENOENT;
}
