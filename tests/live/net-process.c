/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * net-process.c - new processes, and one of another instruction set.
 */

#include "net-tries.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

/* ---- Another instruction set ----------------------------------------------
 */

int
net_process_foreign(const struct net_ground *g)
{
	char *const argv[] = {(char *)(uintptr_t)g->foreign, NULL};
	int status;
	pid_t pid;
	int error = posix_spawn(&pid, g->foreign, NULL, NULL, argv, environ);

	if (error != 0)
		return error;
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return EIO;
	return WEXITSTATUS(status);
}

/* ---- Processes ------------------------------------------------------------
 */

static int
end_of(pid_t pid)
{
	int status;

	if (pid < 0)
		return errno;
	return waitpid(pid, &status, 0) == pid ? 0 : errno;
}

int
net_process_fork(const struct net_ground *g)
{
	pid_t pid = fork();

	(void)g;
	if (pid == 0)
		_exit(0);
	return end_of(pid);
}

int
net_process_vfork(const struct net_ground *g)
{
	pid_t pid = vfork();

	(void)g;
	if (pid == 0)
		_exit(0);
	return end_of(pid);
}

int
net_process_spawn(const struct net_ground *g)
{
	char *const argv[] = {(char *)(uintptr_t) "true", NULL};
	pid_t pid;
	int error = posix_spawnp(&pid, "true", NULL, NULL, argv, environ);

	(void)g;
	return error != 0 ? error : end_of(pid);
}

int
net_process_system(const struct net_ground *g)
{
	(void)g;
	errno = 0;
	return system("exit 0") == 0 ? 0 : errno;
}

/* Flags of a thread, but for the one that counts. */
int
net_process_clone(const struct net_ground *g)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FS | CLONE_FILES | SIGCHLD,
	    NULL, NULL, NULL, NULL);

	(void)g;
	if (pid == 0)
		_exit(0);
	return end_of(pid);
}

int
net_process_clone3(const struct net_ground *g)
{
	uint64_t args[8] = {[4] = SIGCHLD};
	pid_t pid = (pid_t)syscall(435, args, sizeof(args));

	(void)g;
	if (pid == 0)
		_exit(0);
	return end_of(pid);
}

static void *
run_thread(void *arg)
{
	*(int *)arg = 7;
	return NULL;
}

int
net_process_thread(const struct net_ground *g)
{
	pthread_t thread;
	int seen = 0;
	int error = pthread_create(&thread, NULL, run_thread, &seen);

	(void)g;
	if (error == 0)
		error = pthread_join(thread, NULL);
	return error != 0 ? error : (seen == 7 ? 0 : EIO);
}
