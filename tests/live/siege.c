/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * siege.c - see siege.h.
 *
 * An attack that would be allowed must do no lasting harm, or it could not be
 * shown outside: one byte of a text kept for it is written, the signal is one
 * that is ignored by default, the limit one nobody needs.
 */

#include "siege.h"

#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum answer { REFUSED, WORKED, GONE };

typedef enum answer attack_fn(pid_t pid, uintptr_t target);

static enum answer
answer_of(bool has_worked)
{
	if (has_worked)
		return WORKED;
	return errno == ESRCH || errno == ENOENT ? GONE : REFUSED;
}

/* One that has ended can be opened, and there is nothing in it. */
static enum answer
use_mem(pid_t pid, uintptr_t target, int flags)
{
	enum answer answer = GONE;
	char path[64];
	char byte = 'X';
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		return answer_of(false);
	if (flags == O_RDONLY)
		len = pread(fd, &byte, 1, (off_t)target);
	else
		len = pwrite(fd, &byte, 1, (off_t)target);
	if (len == 1 || (len < 0 && errno == EIO))
		answer = WORKED;
	close(fd);
	return answer;
}

static enum answer
read_mem(pid_t pid, uintptr_t target)
{
	return use_mem(pid, target, O_RDONLY);
}

static enum answer
write_mem(pid_t pid, uintptr_t target)
{
	return use_mem(pid, target, O_RDWR);
}

/* EFAULT: allowed, but nothing is at that address. */
static enum answer
read_vm(pid_t pid, uintptr_t target)
{
	char byte = 0;
	struct iovec here = {&byte, 1};
	struct iovec there = {(void *)target, 1};

	return answer_of(process_vm_readv(pid, &here, 1, &there, 1, 0) == 1 ||
			 errno == EFAULT);
}

static enum answer
write_vm(pid_t pid, uintptr_t target)
{
	char byte = 'X';
	struct iovec here = {&byte, 1};
	struct iovec there = {(void *)target, 1};

	return answer_of(process_vm_writev(pid, &here, 1, &there, 1, 0) == 1 ||
			 errno == EFAULT);
}

static enum answer
trace(pid_t pid, uintptr_t target)
{
	int status;

	(void)target;
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0)
		return answer_of(false);
	if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) == 0)
		waitpid(pid, &status, __WALL);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return WORKED;
}

static enum answer
signal_process(pid_t pid, uintptr_t target)
{
	(void)target;
	return answer_of(kill(pid, SIGURG) == 0);
}

static enum answer
signal_thread(pid_t pid, uintptr_t target)
{
	(void)target;
	return answer_of(syscall(SYS_tgkill, pid, pid, SIGURG) == 0);
}

static enum answer
signal_descriptor(pid_t pid, uintptr_t target)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	enum answer answer;

	(void)target;
	if (fd < 0)
		return GONE;
	answer =
	    answer_of(syscall(SYS_pidfd_send_signal, fd, SIGURG, NULL, 0) == 0);
	close(fd);
	return answer;
}

static enum answer
limit(pid_t pid, uintptr_t target)
{
	struct rlimit limit;

	(void)target;
	if (prlimit(pid, RLIMIT_MSGQUEUE, NULL, &limit) != 0)
		return answer_of(false);
	limit.rlim_cur = limit.rlim_max < 12345 ? 0 : 12345;
	return answer_of(prlimit(pid, RLIMIT_MSGQUEUE, &limit, NULL) == 0);
}

const char *const siege_names[SIEGE_ATTACKS] = {"read /proc/PID/mem",
    "write /proc/PID/mem", "process_vm_readv", "process_vm_writev", "ptrace",
    "kill", "tgkill", "pidfd_send_signal", "prlimit"};

static attack_fn *const attacks[SIEGE_ATTACKS] = {read_mem, write_mem, read_vm,
    write_vm, trace, signal_process, signal_thread, signal_descriptor, limit};

static void
attack(pid_t pid, uintptr_t target, struct siege_tally *tally)
{
	int i;

	for (i = 0; i < SIEGE_ATTACKS; i++) {
		enum answer answer = attacks[i](pid, target);

		tally[i].tries += answer != GONE;
		tally[i].hits += answer == WORKED;
	}
}

static pid_t
parent_of(pid_t pid)
{
	char path[64];
	char text[512] = "";
	const char *at;
	int parent = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) > 0 &&
	    (at = strrchr(text, ')')) != NULL &&
	    sscanf(at + 2, "%*c %d", &parent) != 1)
		parent = 0;
	close(fd);
	return parent;
}

static bool
has_all(const struct siege_score *score)
{
	int i;

	for (i = 0; i < SIEGE_ATTACKS; i++)
		if (score->host[i].hits == 0 || score->next[i].hits == 0)
			return false;
	return true;
}

static void
name_file(char *path, const char *dir, const char *name)
{
	snprintf(path, 2 * PATH_MAX, "%s/workspace/%s", dir, name);
}

static bool
write_score(const char *dir, const struct siege_score *score)
{
	char path[2 * PATH_MAX];
	FILE *file;

	name_file(path, dir, "score");
	file = fopen(path, "w");
	if (file == NULL)
		return false;
	return fwrite(score, sizeof(*score), 1, file) == 1 && fclose(file) == 0;
}

bool
siege_read_score(const char *dir, struct siege_score *score)
{
	char path[2 * PATH_MAX];
	bool is_read;
	FILE *file;

	memset(score, 0, sizeof(*score));
	name_file(path, dir, "score");
	file = fopen(path, "r");
	if (file == NULL)
		return false;
	is_read = fread(score, sizeof(*score), 1, file) == 1;
	fclose(file);
	return is_read;
}

int
siege_lay(const char *dir, const char *target)
{
	uintptr_t address = (uintptr_t)strtoull(target, NULL, 16);
	struct siege_score score;
	char ready[2 * PATH_MAX];
	char stop[2 * PATH_MAX];
	pid_t host = getppid();
	pid_t self = getpid();

	memset(&score, 0, sizeof(score));
	name_file(ready, dir, "ready");
	name_file(stop, dir, "stop");
	close(open(ready, O_CREAT | O_WRONLY, 0600));
	while (access(stop, F_OK) != 0 && !has_all(&score)) {
		pid_t last = newest_process();
		pid_t pid;

		for (pid = last; pid > last - 6 && pid > 0; pid--) {
			if (pid == self || parent_of(pid) != host)
				continue;
			score.seen++;
			attack(pid, address, score.next);
		}
		attack(host, address, score.host);
	}
	return write_score(dir, &score) ? 0 : 1;
}
