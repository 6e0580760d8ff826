/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * attempt.h - what a hostile program tries, as tables by kind of guarantee.
 * Attempts run in a process of their own, started inside the sandbox and, to
 * see that they can work at all, once more outside.
 */

#ifndef OMEGA_VERIFY_ATTEMPT_H
#define OMEGA_VERIFY_ATTEMPT_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* Names in a scene, below its top. */
#define ATTEMPT_HOME "above/home"
#define ATTEMPT_DATA_DIR ATTEMPT_HOME "/agent"
#define ATTEMPT_FREE ATTEMPT_DATA_DIR "/workspace"
/* The work directory, for policies with lists: the free one is in it. */
#define ATTEMPT_WORK ATTEMPT_HOME "/work"
#define ATTEMPT_WORK_FREE ATTEMPT_WORK "/free"
#define ATTEMPT_PROGRAM ATTEMPT_WORK "/omega-verify"
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
	/* 0 when it worked, else an errno. */
	int (*fn)(struct attempt_input *in);
};

/* Each ended by an entry without a name. */
extern const struct attempt attempt_reads[]; /* reads.c */
extern const struct attempt attempt_changes[]; /* changes.c */
extern const struct attempt attempt_mounts[]; /* mounts.c */
extern const struct attempt attempt_reals[]; /* reals.c */
extern const struct attempt attempt_makes[]; /* makes.c */
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

/* Call fn for each name in extra until one works; what worked is told. What
 * fn returned last, or ENODATA when there are none. */
int attempt_each_name(
    struct attempt_input *in, int (*fn)(struct attempt_input *, const char *));

/* dir/rest, in memory of the block where this stands. */
#define ATTEMPT_JOIN(dir, rest) \
	attempt_join((char[ATTEMPT_JOINED]){""}, dir, rest)
#define ATTEMPT_JOINED (2 * PATH_MAX)
char *attempt_join(
    char buffer[ATTEMPT_JOINED], const char *dir, const char *rest);

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

#define ATTEMPT(name) static int name(struct attempt_input *in)

#endif
