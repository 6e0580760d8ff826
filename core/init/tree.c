/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * tree.c - see init.h.
 *
 * /proc/PID/task/TID/children (Linux 3.5) lists the children that a thread
 * has. A number read there may belong to somebody else by the time it is
 * used, so the process is held by a descriptor first, and then asked whose
 * child it is. What of a grandchild cannot be seen becomes a child when its
 * parent has ended.
 */

#include "config.h"

#include "init/init.h"

#include <sys/wait.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>

#include "child/raw.h"

#define WAIT_PIDFD 3 /* P_PIDFD, an enumerator that older headers lack */

int
omega_tree_open(struct omega_tree *tree)
{
	long place;

	place = omega_raw(SYS_openat, AT_FDCWD, ARG("/proc"),
	    O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0);
	if (place < 0)
		return (int)place;
	tree->proc = (int)place;
	tree->self = (int32_t)omega_raw(SYS_getpid, 0, 0, 0, 0, 0);
	return 0;
}

/* "PID/task/TID/children", as far as there are words. */
static void
print(char *to, long pid, const char *word, long tid, const char *last)
{
	const char *words[2];
	long numbers[2];
	int i;

	words[0] = word;
	words[1] = last;
	numbers[0] = pid;
	numbers[1] = tid;
	for (i = 0; i < 2; i++) {
		if (numbers[i] >= 0)
			to = omega_raw_print(to, (uint64_t)numbers[i]);
		while (*words[i] != '\0')
			*to++ = *words[i]++;
	}
	*to = '\0';
}

static int
open_in(const struct omega_tree *tree, const char *name, int flags)
{
	return (int)omega_raw(
	    SYS_openat, tree->proc, ARG(name), flags | O_CLOEXEC, 0, 0);
}

static void
close_it(int fd)
{
	omega_raw(SYS_close, fd, 0, 0, 0, 0);
}

static void
add(struct omega_tree *tree, int32_t pid, int32_t parent)
{
	if (tree->count == OMEGA_TREE_MOST)
		return; /* the next time */
	tree->pids[2 * (size_t)tree->count] = pid;
	tree->pids[2 * (size_t)tree->count + 1] = parent;
	tree->count++;
}

/* The children of one thread: numbers with a space behind each. */
static void
read_children(struct omega_tree *tree, int32_t pid, long tid)
{
	char text[1024];
	int32_t number = 0;
	long len;
	long i;
	int fd;

	print(text, pid, "/task/", tid, "/children");
	fd = open_in(tree, text, O_RDONLY);
	if (fd < 0)
		return;
	while (
	    (len = omega_raw(SYS_read, fd, ARG(text), sizeof(text), 0, 0)) > 0)
		for (i = 0; i < len; i++) {
			if (text[i] >= '0' && text[i] <= '9') {
				number = number * 10 + (text[i] - '0');
				continue;
			}
			if (number > 0)
				add(tree, number, pid);
			number = 0;
		}
	close_it(fd);
}

/* The children of all threads of a process. */
static void
read_process(struct omega_tree *tree, int32_t pid)
{
	_Alignas(struct omega_raw_entry) char buffer[1024];
	const struct omega_raw_entry *entry;
	char name[64];
	long len;
	long at;
	int fd;

	print(name, pid, "/task", -1, "");
	fd = open_in(tree, name, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return;
	while ((len = omega_raw(
		    SYS_getdents64, fd, ARG(buffer), sizeof(buffer), 0, 0)) > 0)
		for (at = 0; at < len; at += entry->size) {
			long tid;

			entry = (const struct omega_raw_entry *)(buffer + at);
			tid = omega_raw_number(entry->name);
			if (tid > 0)
				read_children(tree, pid, tid);
		}
	close_it(fd);
}

/* Whose child it is: "PID (NAME) STATE PARENT ...", where NAME is anything. */
static int32_t
parent_of(const struct omega_tree *tree, int32_t pid)
{
	char text[128];
	int32_t parent = 0;
	long len;
	long i;
	int fd;

	print(text, pid, "/stat", -1, "");
	fd = open_in(tree, text, O_RDONLY);
	if (fd < 0)
		return -1;
	len = omega_raw(SYS_read, fd, ARG(text), sizeof(text), 0, 0);
	close_it(fd);
	for (i = len - 1; i >= 0 && text[i] != ')'; i--)
		;
	if (i < 0)
		return -1;
	for (i += 4; i < len && text[i] >= '0' && text[i] <= '9'; i++)
		parent = parent * 10 + (text[i] - '0');
	return parent;
}

/* Our own child, by the word of the kernel: a /proc that hides others'
 * processes says nothing of one that nobody may trace. */
static bool
is_child(long pidfd)
{
	siginfo_t info;

	return omega_raw(SYS_waitid, WAIT_PIDFD, pidfd, ARG(&info),
		   WEXITED | WNOHANG | WNOWAIT | __WALL, 0) == 0;
}

/* A child that is only to be reaped yet, so that its number is still its own.
 * There can be thousands. */
static bool
has_ended(int32_t pid)
{
	siginfo_t info;

	info.si_pid = 0;
	return omega_raw(SYS_waitid, P_PID, pid, ARG(&info),
		   WEXITED | WNOHANG | WNOWAIT | __WALL, 0) == 0 &&
	       info.si_pid != 0;
}

static bool
send(const struct omega_tree *tree, int32_t pid, int32_t parent, int first,
    int second)
{
	bool is_sent = false;
	long fd = omega_raw(SYS_pidfd_open, pid, 0, 0, 0, 0);

	if (fd < 0)
		return false;
	if (parent == tree->self ? is_child(fd)
				 : parent_of(tree, pid) == parent) {
		is_sent =
		    omega_raw(SYS_pidfd_send_signal, fd, first, 0, 0, 0) == 0;
		if (second != 0)
			omega_raw(SYS_pidfd_send_signal, fd, second, 0, 0, 0);
	}
	close_it((int)fd);
	return is_sent;
}

uint32_t
omega_tree_signal(struct omega_tree *tree, int first, int second)
{
	uint32_t sent = 0;
	uint32_t i;

	tree->count = 0;
	tree->living = 0;
	read_process(tree, tree->self);
	for (i = 0; i < tree->count; i++) {
		int32_t pid = tree->pids[2 * (size_t)i];
		int32_t parent = tree->pids[2 * (size_t)i + 1];

		if (parent == tree->self && has_ended(pid))
			continue;
		tree->living++;
		if (send(tree, pid, parent, first, second))
			sent++;
		read_process(tree, pid);
	}
	return sent;
}
