/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capture-acts.c - see capture-acts.h.
 */

#include "capture-acts.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Until the test says so, whatever comes. */
static int
stay(void)
{
	char byte;

	while (read(ACT_LIFE, &byte, 1) != 0)
		;
	return 0;
}

static int
stay_stubbornly(void)
{
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	return stay();
}

/* argv[2] bytes to both streams: letters that tell where they are. */
static int
flood(const char *how_many)
{
	static char block[64 * 1024];
	unsigned long long left = strtoull(how_many, NULL, 10);
	size_t i;

	for (i = 0; i < sizeof(block); i++)
		block[i] = (char)('a' + i % 26);
	while (left > 0) {
		size_t len =
		    left < sizeof(block) ? (size_t)left : sizeof(block);

		if (write(1, block, len) != (ssize_t)len ||
		    write(2, block, len) != (ssize_t)len)
			return 1;
		left -= len;
	}
	return write(1, "END", 3) == 3 && write(2, "END", 3) == 3 ? 0 : 1;
}

/* Closes its output and goes on speaking to the other one. */
static int
close_one(void)
{
	close(1);
	return write(2, "still here", 10) == 10 ? 7 : 1;
}

static void
be(int (*fn)(void))
{
	if (fork() == 0)
		_exit(fn());
}

static int
leave_session(void)
{
	setsid();
	return stay_stubbornly();
}

static int
leave_group(void)
{
	setpgid(0, 0);
	return stay_stubbornly();
}

/* A grandchild whose parent is gone, in a session of its own. */
static int
fork_twice(void)
{
	if (fork() != 0)
		return 0;
	setsid();
	if (fork() != 0)
		return 0;
	return stay_stubbornly();
}

static int
stop(void)
{
	signal(SIGTERM, SIG_IGN);
	raise(SIGSTOP);
	return stay();
}

static void *
be_in_thread(void *unused)
{
	(void)unused;
	be(stay_stubbornly);
	pause(); /* a child belongs to the thread that made it */
	return NULL;
}

static void
be_from_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, be_in_thread, NULL) == 0)
		pthread_detach(thread);
}

/* One of each kind, all of them with the pipes open. Then what argv[2] says:
 * "stay" goes on, "awake" too, but none of them is stopped; "cgroup" tells its
 * control groups; "leave" ends before them. */
static int
tree(const char *then)
{
	be(stay_stubbornly);
	be(leave_session);
	be(leave_group);
	be(fork_twice);
	be_from_thread();
	if (strcmp(then, "awake") != 0)
		be(stop);
	if (strcmp(then, "cgroup") == 0 && system("cat /proc/self/cgroup") != 0)
		return 1;
	if (write(1, "tree\n", 5) != 5)
		return 1;
	return strcmp(then, "leave") == 0 ? 3 : stay_stubbornly();
}

/* Start copies that start copies, as many as there may be; each lives for a
 * moment, so that there is always room for the next. */
static int
storm(void)
{
	struct rlimit limit = {100, 100};
	_Atomic int *alive;

	signal(SIGTERM, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	alive = mmap(NULL, sizeof(*alive), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (alive == MAP_FAILED)
		return 1;
	setrlimit(RLIMIT_NPROC, &limit); /* root is not bound by it */
	if (write(1, "storm\n", 6) != 6)
		return 1;
	for (;;) {
		if (atomic_fetch_add(alive, 1) < 100 && fork() >= 0)
			continue;
		atomic_fetch_sub(alive, 1);
		usleep(1000);
	}
}

/* Its input, then how much it was. */
static int
copy(void)
{
	char block[4096];
	ssize_t len;

	while ((len = read(0, block, sizeof(block))) > 0)
		if (write(1, block, (size_t)len) != len)
			return 1;
	return len == 0 ? 0 : 1;
}

/* The number on one stream, twice the number on the other. */
static int
count(const char *number)
{
	printf("%s", number);
	fprintf(stderr, "%d", 2 * atoi(number));
	return fflush(stdout) == 0 ? atoi(number) % 100 : 255;
}

static int
work(void)
{
	char *memory = malloc(64 << 20);
	volatile unsigned long sum = 0;
	unsigned long i;

	if (memory == NULL)
		return 1;
	memset(memory, 1, 64 << 20);
	for (i = 0; i < 100000000; i++)
		sum += (unsigned long)memory[i % (64 << 20)];
	free(memory);
	return sum == 100000000 ? 0 : 1;
}

/* An attack on whoever would end it. */
static int
attack_parent(int signal_number)
{
	if (kill(getppid(), signal_number) != 0)
		return errno;
	return stay_stubbornly();
}

/* Stops so often, and goes on when somebody sees to that. */
static int
pause_often(const char *times)
{
	int i;

	for (i = atoi(times); i > 0; i--)
		raise(SIGSTOP);
	return 9;
}

static int
tell_group(void)
{
	printf("%d %d", (int)getpgrp(), (int)getsid(0));
	return fflush(stdout) == 0 ? 0 : 1;
}

/* A tree of which nobody who may not trace it sees anything in /proc. */
static int
hide(void)
{
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return tree("stay");
}

/* With rights that whoever started it does not have. */
static int
rise(void)
{
	if (setresuid(0, 0, 0) != 0)
		return errno;
	return stay();
}

int
capture_act(int argc, char **argv)
{
	if (argc < 2)
		return -1;
	if (strcmp(argv[1], "flood") == 0)
		return flood(argv[2]);
	if (strcmp(argv[1], "close-one") == 0)
		return close_one();
	if (strcmp(argv[1], "nothing") == 0)
		return 0;
	if (strcmp(argv[1], "stay") == 0)
		return stay();
	if (strcmp(argv[1], "tree") == 0)
		return tree(argv[2]);
	if (strcmp(argv[1], "storm") == 0)
		return storm();
	if (strcmp(argv[1], "stop") == 0)
		return stop();
	if (strcmp(argv[1], "kill-parent") == 0)
		return attack_parent(SIGKILL);
	if (strcmp(argv[1], "stop-parent") == 0)
		return attack_parent(SIGSTOP);
	if (strcmp(argv[1], "stop-parent-leave") == 0)
		return kill(getppid(), SIGSTOP) == 0 ? 5 : errno;
	if (strcmp(argv[1], "pause") == 0)
		return pause_often(argv[2]);
	if (strcmp(argv[1], "group") == 0)
		return tell_group();
	if (strcmp(argv[1], "hide") == 0)
		return hide();
	if (strcmp(argv[1], "rise") == 0)
		return rise();
	if (strcmp(argv[1], "copy") == 0)
		return copy();
	if (strcmp(argv[1], "count") == 0)
		return count(argv[2]);
	if (strcmp(argv[1], "work") == 0)
		return work();
	return -1;
}
