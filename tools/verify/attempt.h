/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * attempt.h - what a hostile program tries, as tables by kind of guarantee.
 * Attempts run in a process of their own, started inside the sandbox and, to
 * see that they can work at all, once more outside.
 */

#ifndef OMEGA_VERIFY_ATTEMPT_H
#define OMEGA_VERIFY_ATTEMPT_H

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox.h>

/* Names in a scene, below its top. */
#define ATTEMPT_HOME "above/home"
#define ATTEMPT_DATA_DIR ATTEMPT_HOME "/agent"
#define ATTEMPT_FREE ATTEMPT_DATA_DIR "/workspace"
/* The work directory, for policies with lists: the free one is in it. */
#define ATTEMPT_WORK ATTEMPT_HOME "/work"
#define ATTEMPT_WORK_FREE ATTEMPT_WORK "/free"
#define ATTEMPT_PROGRAM ATTEMPT_WORK "/omega-verify"
#define ATTEMPT_LIBRARY ATTEMPT_WORK "/omega-verify.so"
#define ATTEMPT_SECRET "memory.db"

/* The one attempt that must work, everywhere. */
#define ATTEMPT_USE "use of its own files"

/* Descriptors a process outside has open. */
#define ATTEMPT_FD_FILE 8 /* config.toml */
#define ATTEMPT_FD_DIR 9 /* data/memory.db */

/* What an attempt is told. */
struct attempt_input {
	char type; /* 'd', 'f', or '-' when nothing is at target */
	bool is_outside; /* without the sandbox */
	const char *target; /* the place of the guarantee, or its sentence */
	char file[PATH_MAX]; /* the secret: target, or what is in it */
	char top[PATH_MAX]; /* of the scene */
	char home[PATH_MAX];
	char data_dir[PATH_MAX];
	char free[PATH_MAX]; /* a directory the command may use */
	pid_t outside; /* a process outside */
	const char *token; /* the secret */
	const char *extra; /* as the table says */
	const void *how; /* of its row */
	const char *host_mounts; /* name of the host's mount namespace */
	char detail[256]; /* what it reached, for people */
};

/* Where an attempt is made. */
enum attempt_where {
	ATTEMPT_COPY = 0x01, /* in full, on a copy that may be destroyed */
	ATTEMPT_REAL = 0x02, /* harmless if it works: on the real thing */
	/* On what, for the kinds that have a place. */
	ATTEMPT_DIR = 0x10,
	ATTEMPT_FILE = 0x20,
	ATTEMPT_ABSENT = 0x40,
	ATTEMPT_SYSTEM = 0x80 /* a directory of the system */
};
#define ATTEMPT_THERE (ATTEMPT_DIR | ATTEMPT_FILE)

/* What it needs from the tool. */
enum attempt_need {
	ATTEMPT_PLAIN,
	ATTEMPT_HANDLE, /* extra: the handle of the secret */
	ATTEMPT_SAMPLES, /* extra: lines of "DEVICE:INODE=PATH" */
	ATTEMPT_DEVICES, /* extra: the same, of devices */
	ATTEMPT_NAMES, /* extra: lines of other names of target */
	ATTEMPT_NODE, /* extra: a node of a device, not in /dev */
	ATTEMPT_ADDRESS, /* extra: where the token is in the process outside */
	ATTEMPT_KEY, /* extra: number of a key with the token */
	ATTEMPT_IPC, /* extra: numbers of a segment and a queue, a name */
	ATTEMPT_ABSTRACT, /* extra: an abstract name the tool listens at */
	ATTEMPT_LAUNCHER, /* extra: a path socket where launchers listen */
	ATTEMPT_SOCKET, /* extra: a path socket, bound before */
	ATTEMPT_LATE_SOCKET, /* extra: the same, bound after preparing */
	ATTEMPT_SERVER, /* extra: ports: TCP and UDP served, one unused */
	ATTEMPT_TERMINAL, /* descriptor 0 is the terminal of the one outside */
	ATTEMPT_CONSOLE, /* descriptor 0 is a virtual console */
	ATTEMPT_REPLACED, /* the tool replaces target while it runs */
	ATTEMPT_TIMED, /* supervised, and its time is over */
	ATTEMPT_UNWATCHED /* supervised, and who does that is killed */
};

struct attempt {
	const char *name;
	const char *kind; /* of the guarantee */
	unsigned forbids; /* any of these bits */
	unsigned where;
	enum attempt_need need;
	const void *how; /* what fn is told where several rows have it */
	/* 0 when it worked, else an errno. */
	int (*fn)(struct attempt_input *in);
};

#define ATTEMPT_UNUSED __attribute__((unused))
#define ATTEMPT(name) static int name(ATTEMPT_UNUSED struct attempt_input *in)
/* One that is one call. */
#define ATTEMPT_IS(name, result) \
	ATTEMPT(name)            \
	{                        \
		return (result); \
	}
#define ATTEMPT_END                                         \
	{                                                   \
		NULL, NULL, 0, 0, ATTEMPT_PLAIN, NULL, NULL \
	}

/* Words for the rows of the tables. */
#define ALL OMEGA_SANDBOX_FORBIDS_ALL
#define READ OMEGA_SANDBOX_FORBIDS_READ
#define LIST OMEGA_SANDBOX_FORBIDS_LIST
#define WRITE OMEGA_SANDBOX_FORBIDS_WRITE
#define CREATE OMEGA_SANDBOX_FORBIDS_CREATE
#define REMOVE OMEGA_SANDBOX_FORBIDS_REMOVE
#define RENAME OMEGA_SANDBOX_FORBIDS_RENAME
#define CHANGE OMEGA_SANDBOX_FORBIDS_CHANGE
#define COPY ATTEMPT_COPY | ATTEMPT_THERE, ATTEMPT_PLAIN
#define COPY_DIR ATTEMPT_COPY | ATTEMPT_DIR, ATTEMPT_PLAIN
#define REAL ATTEMPT_REAL, ATTEMPT_PLAIN

/* Each ended by an entry without a name. */
extern const struct attempt attempt_reads[]; /* reads.c */
extern const struct attempt attempt_changes[]; /* changes.c */
extern const struct attempt attempt_mounts[]; /* mounts.c */
extern const struct attempt attempt_reals[]; /* reals.c */
extern const struct attempt attempt_makes[]; /* changes.c */
extern const struct attempt attempt_processes[]; /* processes.c */
extern const struct attempt attempt_machine[]; /* machine.c */
extern const struct attempt attempt_network[]; /* network.c */
extern const struct attempt attempt_limits[]; /* limits.c */
extern const struct attempt attempt_stays[]; /* stays.c */

/* The index-th of all of them; NULL behind the last. */
const struct attempt *attempt_get(unsigned index);

/* Does the file hold the secret? 0 when it was read, else an errno. */
int attempt_read_token(const struct attempt_input *in, const char *path);
int attempt_read_token_fd(const struct attempt_input *in, int fd);

/* One of the lines of extra: a name, or a file as it was seen outside. */
struct attempt_sample {
	char path[PATH_MAX];
	dev_t dev;
	ino_t ino;
};

/* Call fn for each until one works; what worked is told. What fn returned last,
 * or ENODATA when there are none. */
int attempt_each(struct attempt_input *in,
    int (*fn)(struct attempt_input *in, const struct attempt_sample *sample));

/* What a child exited with, which is its errno; or an errno of our own. */
int attempt_wait(pid_t pid);

/* In memory of the block where it stands (a branch without braces is one of its
 * own): dir/rest, a file of the process outside in /proc, a descriptor of our
 * own there. */
#define ATTEMPT_SPACE ((char[2 *PATH_MAX]){""})
#define ATTEMPT_JOIN(dir, rest) \
	attempt_format(ATTEMPT_SPACE, "%s/%s", (dir), (rest))
#define ATTEMPT_PROC(in, rest) \
	attempt_format(        \
	    ATTEMPT_SPACE, "/proc/%ld/%s", (long)(in)->outside, (rest))
#define ATTEMPT_FD(fd) attempt_format(ATTEMPT_SPACE, "/proc/self/fd/%d", (fd))
__attribute__((format(printf, 2, 3))) char *attempt_format(
    char space[2 * PATH_MAX], const char *format, ...);

/* How a file is opened that must not be, as a row says it. */
enum attempt_way {
	ATTEMPT_BY_NAME,
	ATTEMPT_BY_OWN_ROOT, /* /proc/self/root */
	ATTEMPT_BY_OTHER_ROOT, /* that of the process outside */
	ATTEMPT_BY_LINK, /* a symbolic one, of the command's own */
	ATTEMPT_BY_DESCRIPTOR /* named only, then opened in /proc/self/fd */
};
struct attempt_opening {
	enum attempt_way way;
	int flags;
};
#define ATTEMPT_OPEN(way, flags) (&(const struct attempt_opening){way, flags})
int attempt_open(const struct attempt_input *in,
    const struct attempt_opening *opening, const char *path);

/* Run a program that does nothing. 0 or an errno. */
int attempt_run(char *path);

/* Is that name in it, or any when it is NULL? 0 or an errno. */
int attempt_list(DIR *stream, const char *name);

/* Go where path is, since it may be too long for a socket; its last name, to be
 * used from there. NULL with errno. */
const char *attempt_go_to(const char *path);

/* The hidden verb: verify-attempt INDEX TYPE TARGET TOP PID TOKEN EXTRA
 * MOUNTS FREE. */
int attempt_main(int argc, char **argv);

/* errno of a call that returned ret. */
static inline int
attempt_result(long ret)
{
	return ret < 0 ? (errno == 0 ? EIO : errno) : 0;
}

/* It got as far as to this error, so nobody had forbidden it. */
static inline int
attempt_reached(long ret, int expected)
{
	return ret < 0 && errno == expected ? 0 : attempt_result(ret);
}

#endif
