/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capture-attacks.c - commands that do what they can to go on after their end,
 * or to have it told wrongly. What comes of it: capture-attacked.c.
 */

#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "capture-acts.h"
#include "library.h"

static int
stay(void)
{
	for (;;)
		pause();
	return 0;
}

/* An orphan, which belongs to whoever inherits it. */
static void
orphan(int (*fn)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		if (fork() == 0) {
			signal(SIGTERM, SIG_IGN);
			setsid();
			_exit(fn());
		}
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void
nothing(int signal)
{
	(void)signal;
}

/* Every signal is a stop that the parent is told of. */
static int
be_traced(void)
{
	signal(SIGUSR1, nothing);
	for (;;) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGUSR1);
	}
	return 0;
}

static int
flood_traces(void)
{
	int i;

	for (i = 0; i < 40; i++)
		orphan(be_traced);
	return stay();
}

static int
flood_stops(void)
{
	pid_t parent = getpid();

	if (fork() == 0)
		for (;;) {
			kill(parent, SIGSTOP);
			kill(parent, SIGCONT);
		}
	return stay();
}

/* Descriptors that nobody receives, until the user may have no more. */
static int
fill_flight(void)
{
	int pair[2];
	int i;
	int j;

	for (i = 0; i < 200; i++) {
		if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair) !=
		    0)
			break;
		for (j = 0; j < 10; j++) {
			int fds[200];
			union {
				char space[CMSG_SPACE(sizeof(fds))];
				struct cmsghdr align;
			} control;
			char byte = 0;
			struct iovec part = {.iov_base = &byte, .iov_len = 1};
			struct msghdr message = {.msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control)};
			struct cmsghdr *head;
			int k;

			memset(&control, 0, sizeof(control));
			for (k = 0; k < 200; k++)
				fds[k] = 1;
			head = CMSG_FIRSTHDR(&message);
			head->cmsg_level = SOL_SOCKET;
			head->cmsg_type = SCM_RIGHTS;
			head->cmsg_len = CMSG_LEN(sizeof(fds));
			memcpy(CMSG_DATA(head), fds, sizeof(fds));
			if (sendmsg(pair[0], &message, 0) < 0)
				break;
		}
	}
	if (write(1, "full\n", 5) != 5)
		return 1;
	return stay();
}

static void
say_terminated(int signal)
{
	(void)signal;
	(void)!write(1, "t", 1);
	_exit(9);
}

static int
be_polite(void)
{
	signal(SIGTERM, say_terminated);
	(void)!write(1, "r", 1);
	return stay();
}

/* Four that hear SIGTERM, in sessions of their own but for one. */
static int
listen_all(void)
{
	int i;

	for (i = 0; i < 3; i++)
		orphan(be_polite);
	return be_polite();
}

/* Whoever waits for a child that shares its memory hears nothing. */
static int
be_vforked(void)
{
	volatile pid_t pid = vfork();

	if (pid == 0)
		stay();
	return 0;
}

static void *
exec_stay(void *unused)
{
	char *const argv[] = {(char *)(uintptr_t)library_self(),
	    (char *)(uintptr_t) "stay", NULL};

	(void)unused;
	execv(argv[0], argv);
	return NULL;
}

/* Another thread than the first becomes the next program. */
static int
exec_in_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exec_stay, NULL) != 0)
		return 1;
	return stay();
}

static int
be_stopped(void)
{
	raise(SIGSTOP);
	return stay();
}

static int
be_all(void)
{
	int i;

	for (i = 0; i < 5; i++) {
		orphan(stay);
		orphan(be_vforked);
		orphan(exec_in_thread);
		orphan(be_stopped);
	}
	return stay();
}

/* Dead ones that nobody has taken leave of, as many as may be. */
static int
leave_zombies(void)
{
	int i;

	for (i = 0; i < 600; i++)
		if (fork() == 0)
			_exit(0);
	if (fork() == 0) {
		for (i = 0; i < 400; i++)
			if (fork() == 0)
				_exit(0);
		_exit(0); /* and now they are somebody else's */
	}
	orphan(stay);
	return stay();
}

/* As many as the user may have, or as are good for a test. */
static int
be_many(void)
{
	const struct rlimit few = {100, 100};
	int i;

	setrlimit(RLIMIT_NPROC, &few);
	for (i = 0; i < 100; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			signal(SIGTERM, SIG_IGN);
			stay();
		}
		if (pid < 0)
			break;
	}
	return stay();
}

static atomic_int *forks; /* of all of them */

static void
fork_more(int signal)
{
	int i;

	(void)signal;
	for (i = 0; i < 2 && atomic_fetch_add(forks, 1) < 100; i++)
		if (fork() == 0)
			return;
}

/* Whoever is asked to end makes two more. */
static int
bomb(void)
{
	forks = mmap(NULL, sizeof(*forks), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (forks == MAP_FAILED)
		return 1;
	signal(SIGTERM, fork_more);
	return stay();
}

static int
hop(void)
{
	struct pollfd life = {.fd = ACT_LIFE, .events = POLLIN};

	while (poll(&life, 1, 0) == 0)
		if (fork() > 0)
			_exit(0);
	return 0;
}

/* Never the same process for long: no list of them is true. */
static int
chain(void)
{
	int i;

	for (i = 0; i < 4; i++)
		orphan(hop);
	return stay();
}

/* Each traces the next and has its end told; the last traces nobody, or the
 * first, which does not. */
static int
be_web(void)
{
	pid_t first = getpid();
	int i;

	for (i = 0; i < 8; i++) {
		pid_t next = fork();

		if (next == 0)
			continue;
		if (next < 0)
			return 1;
		ptrace(PTRACE_SEIZE, next, NULL,
		    (void *)(intptr_t)(PTRACE_O_TRACEEXIT |
				       PTRACE_O_TRACECLONE));
		return stay();
	}
	ptrace(PTRACE_SEIZE, first, NULL, NULL);
	return stay();
}

/* No more processes for this user in here. */
static int
exhaust(void)
{
	const struct rlimit few = {1, 1};

	orphan(stay);
	setrlimit(RLIMIT_NPROC, &few);
	return stay();
}

/* What can be done to the first process from inside. */
static int
starve(const char *what)
{
	const struct rlimit none = {0, 0};
	int i;

	orphan(stay);
	if (prlimit(1, strcmp(what, "files") == 0 ? RLIMIT_NOFILE : RLIMIT_CPU,
		&none, NULL) != 0)
		return errno;
	/* It has to do something, to be out of time. */
	for (i = 0; strcmp(what, "time") == 0; i++)
		if (fork() == 0) {
			if (fork() == 0)
				_exit(0);
			_exit(0);
		} else {
			wait(NULL);
		}
	return stay();
}

static int
trace_each_other(void)
{
	pid_t first = getpid();
	pid_t second = fork();

	if (second < 0)
		return 1;
	ptrace(PTRACE_SEIZE, second == 0 ? first : second, NULL,
	    (void *)(intptr_t)PTRACE_O_TRACEEXIT);
	return stay();
}

int
capture_attack(int argc, char **argv)
{
	static const struct {
		const char *word;
		int (*fn)(void);
	} acts[] = {{"trace-flood", flood_traces}, {"stop-flood", flood_stops},
	    {"flight", fill_flight}, {"listen", listen_all}, {"all", be_all},
	    {"zombies", leave_zombies}, {"exhaust", exhaust}, {"many", be_many},
	    {"bomb", bomb}, {"chain", chain}, {"web", be_web}, {"stay", stay},
	    {"husks", trace_each_other}};
	size_t i;

	if (argc < 2)
		return -1;
	for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (strcmp(argv[1], acts[i].word) == 0)
			return acts[i].fn();
	if (strcmp(argv[1], "starve") == 0 && argc > 2)
		return starve(argv[2]);
	return -1;
}
