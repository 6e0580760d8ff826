/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * limits.c - ways to more than a policy gives: other programs, other
 * processes, more of what is limited.
 */

#include "config.h"

#include "attempt.h"

#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <spawn.h>

#define MAX_PROCESSES 600 /* more are not tried */
#define MAX_FILES 70000

/* ---- Programs ----------------------------------------------------------- */

/* Outside all lists, and a copy of a program that does nothing. */
#define PROGRAM(in) ATTEMPT_JOIN((in)->data_dir, "data/tool")

ATTEMPT_IS(run_plain, attempt_run(PROGRAM(in)))

ATTEMPT(run_open)
{
	char name[] = "tool";
	char *argv[] = {name, NULL};
	char *envp[] = {NULL};
	int fd = open(PROGRAM(in), O_PATH);
	pid_t pid = fd < 0 ? -1 : fork();

	if (pid == 0) {
		syscall(SYS_execveat, fd, "", argv, envp, AT_EMPTY_PATH);
		_exit(errno);
	}
	return attempt_wait(pid);
}

ATTEMPT(run_link)
{
	char *link = ATTEMPT_JOIN(in->free, "tool");

	unlink(link);
	return symlink(PROGRAM(in), link) != 0 ? errno : attempt_run(link);
}

/* ---- Tracing ------------------------------------------------------------ */

/* In a child: by nobody it would be in the way of. */
ATTEMPT(trace_me)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : errno);
	return attempt_wait(pid);
}

ATTEMPT(trace_child)
{
	pid_t pid = fork();
	int error = 0;

	if (pid == 0)
		for (;;)
			pause();
	if (pid < 0)
		return errno;
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0)
		error = errno;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return error;
}

ATTEMPT(read_memory)
{
	char from = 'x';
	char to = 0;
	struct iovec local = {.iov_base = &to, .iov_len = 1};
	struct iovec remote = {.iov_base = &from, .iov_len = 1};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1
		   ? 0
		   : errno;
}

/* ---- Processes ---------------------------------------------------------- */

/* The child has nothing to do. */
static int
end_of(pid_t pid)
{
	if (pid == 0)
		_exit(0);
	return attempt_wait(pid);
}

ATTEMPT_IS(by_fork, end_of(fork()))
ATTEMPT_IS(by_clone,
    end_of((pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL)))

ATTEMPT(by_clone3)
{
	uint64_t words[11] = {[4] = SIGCHLD}; /* exit_signal */

	return end_of((pid_t)syscall(SYS_clone3, words, sizeof(words)));
}

/* Sharing memory, but no thread. */
ATTEMPT(by_spawn)
{
	char name[] = "true";
	char *argv[] = {name, NULL};
	char *envp[] = {NULL};
	pid_t pid;
	int error = posix_spawnp(&pid, "true", NULL, NULL, argv, envp);

	return error != 0 ? error : attempt_wait(pid);
}

/* ---- Limits: target is the sentence, "NUMBER WORDS at most" ------------- */

static int
fill_memory(
    ATTEMPT_UNUSED const struct attempt_input *in, unsigned long long amount)
{
	void *at = mmap(NULL, (size_t)amount, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? errno : 0;
}

static int
fill_files(
    ATTEMPT_UNUSED const struct attempt_input *in, unsigned long long amount)
{
	unsigned long long count;

	if (amount > MAX_FILES)
		return ENOSYS;
	for (count = 0; count <= amount; count++)
		if (dup(1) < 0)
			return errno;
	return 0;
}

static int
fill_file(const struct attempt_input *in, unsigned long long amount)
{
	char *path = ATTEMPT_JOIN(in->free, "large");
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	int error;

	signal(SIGXFSZ, SIG_IGN);
	if (fd < 0)
		return errno;
	error = attempt_result(pwrite(fd, "x", 1, (off_t)amount));
	unlink(path);
	return error;
}

static int
fill_processes(
    ATTEMPT_UNUSED const struct attempt_input *in, unsigned long long amount)
{
	unsigned long long count;
	int ends[2];
	int error = 0;

	if (amount > MAX_PROCESSES)
		return ENOSYS;
	if (pipe(ends) != 0)
		return errno;
	for (count = 0; error == 0 && count < amount; count++) {
		pid_t pid = fork();
		char byte;

		if (pid < 0)
			error = errno;
		if (pid == 0) {
			close(ends[1]);
			_exit(read(ends[0], &byte, 1) < 0);
		}
	}
	close(ends[1]);
	while (wait(NULL) > 0)
		continue;
	return error;
}

/* The signal ends who goes on; a second longer is the proof. */
static int
fill_time(
    ATTEMPT_UNUSED const struct attempt_input *in, unsigned long long amount)
{
	struct rusage used;

	if (amount > 3)
		return ENOSYS;
	do {
		if (getrusage(RUSAGE_SELF, &used) != 0)
			return errno;
	} while ((unsigned long long)(used.ru_utime.tv_sec +
				      used.ru_stime.tv_sec) < amount + 2);
	return 0;
}

static const struct limit {
	const char *words;
	__rlimit_resource_t resource;
	int (*fill)(const struct attempt_input *in, unsigned long long amount);
} limits[] = {
    {" bytes of memory at most", RLIMIT_AS, fill_memory},
    {" open files at most", RLIMIT_NOFILE, fill_files},
    {" processes at most", RLIMIT_NPROC, fill_processes},
    {" seconds of processor time at most", RLIMIT_CPU, fill_time},
    {" bytes at most in a file", RLIMIT_FSIZE, fill_file},
};

static const struct limit *
limit_of(const struct attempt_input *in, unsigned long long *amount)
{
	char *words;
	size_t i;

	*amount = strtoull(in->target, &words, 10);
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (strcmp(words, limits[i].words) == 0)
			return &limits[i];
	return NULL;
}

/* Nothing is won by more than there is: one more than allowed. */
ATTEMPT(raise_limit)
{
	unsigned long long amount;
	const struct limit *limit = limit_of(in, &amount);
	struct rlimit old;

	if (limit == NULL)
		return ENOSYS;
	if (getrlimit(limit->resource, &old) != 0)
		return errno;
	/* Outside it may be lower or higher already. */
	if (in->is_outside && old.rlim_max > amount)
		return 0;
	old.rlim_cur = old.rlim_max = (rlim_t)(amount + 1);
	return attempt_result(setrlimit(limit->resource, &old));
}

ATTEMPT(exceed_limit)
{
	unsigned long long amount;
	const struct limit *limit = limit_of(in, &amount);
	struct rlimit own;

	if (limit == NULL)
		return ENOSYS;
	/* As far as one may. */
	if (getrlimit(limit->resource, &own) == 0) {
		own.rlim_cur = own.rlim_max;
		setrlimit(limit->resource, &own);
	}
	return limit->fill(in, amount);
}

#define EXECUTE "execute", ALL, REAL, NULL
#define FORK "fork", ALL, REAL, NULL
#define TRACE "trace", ALL, REAL, NULL
#define LIMIT "limits", ALL, REAL, NULL

const struct attempt attempt_limits[] = {
    {"execve", EXECUTE, run_plain},
    {"execveat by descriptor", EXECUTE, run_open},
    {"execve by a symbolic link", EXECUTE, run_link},
    {"fork", FORK, by_fork},
    {"clone", FORK, by_clone},
    {"clone3", FORK, by_clone3},
    {"posix_spawn", FORK, by_spawn},
    {"PTRACE_TRACEME", TRACE, trace_me},
    {"PTRACE_SEIZE", TRACE, trace_child},
    {"process_vm_readv", TRACE, read_memory},
    {"raise it", LIMIT, raise_limit},
    {"exceed it", LIMIT, exceed_limit},
    ATTEMPT_END,
};
