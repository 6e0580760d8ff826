/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * closed-dirs-linux.c - see closed-dirs.h.
 *
 * A process in a user namespace of its own gets into what belongs to its user
 * and group, whatever the mode. It looks, says what it saw, and ends. It has no
 * exit signal, so that the host does not notice it.
 */

#include "config.h"

#include "policy/closed-dirs.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* All that the child needs is made before. */
struct question {
	const char *path;
	char uid_map[64];
	char gid_map[64];
	int ends[2];
	char name[40]; /* of the first end, in the child */
};

struct answer {
	int error;
	char path[PATH_MAX];
};

static int
put(const char *file, const char *text)
{
	size_t len = strlen(text);
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	int is_put = fd >= 0 && write(fd, text, len) == (ssize_t)len;

	if (fd >= 0)
		close(fd);
	return is_put;
}

/* In the child: plain calls only. */
static void
look(const struct question *question, struct answer *answer)
{
	int fd;

	answer->error = EACCES;
	if (unshare(CLONE_NEWUSER) != 0 ||
	    !put("/proc/self/setgroups", "deny") ||
	    !put("/proc/self/uid_map", question->uid_map) ||
	    !put("/proc/self/gid_map", question->gid_map))
		return;
	fd = open(question->path, O_PATH | O_CLOEXEC);
	if (fd < 0 || dup2(fd, question->ends[0]) < 0 ||
	    readlink(question->name, answer->path, PATH_MAX - 1) <= 0)
		answer->error = errno;
	else
		answer->error = 0;
}

static int
ask(const struct question *question, struct answer *answer)
{
	size_t done = 0;
	ssize_t n = 1;
	sigset_t all;
	sigset_t old;
	long pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
	if (pid == 0) {
		look(question, answer);
		n = write(question->ends[1], answer, sizeof(*answer));
		_exit(n == (ssize_t)sizeof(*answer) ? 0 : 1);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close(question->ends[1]);
	while (pid > 0 && n != 0 && done < sizeof(*answer)) {
		n = read(question->ends[0], (char *)answer + done,
		    sizeof(*answer) - done);
		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno != EINTR)
			break;
	}
	close(question->ends[0]);
	while (
	    pid > 0 && waitpid((pid_t)pid, NULL, __WALL) < 0 && errno == EINTR)
		continue;
	if (done < sizeof(*answer))
		return pid < 0 ? -EAGAIN : -EACCES;
	return -answer->error;
}

int
omega_closed_dirs_find(const char *path, char *found)
{
	struct question question = {.path = path};
	struct answer answer;
	unsigned long uid = geteuid();
	unsigned long gid = getegid();
	int ret;

	memset(&answer, 0, sizeof(answer));
	if (pipe2(question.ends, O_CLOEXEC) != 0)
		return -errno;
	snprintf(question.uid_map, sizeof(question.uid_map), "%lu %lu 1\n", uid,
	    uid);
	snprintf(question.gid_map, sizeof(question.gid_map), "%lu %lu 1\n", gid,
	    gid);
	snprintf(question.name, sizeof(question.name), "/proc/self/fd/%d",
	    question.ends[0]);
	ret = ask(&question, &answer);
	if (ret == 0)
		memcpy(found, answer.path, PATH_MAX);
	return ret;
}
