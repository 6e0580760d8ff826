/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * verify.h - what the parts of omega-sandbox verify share; attempt.h has what
 * the attempts do.
 */

#ifndef OMEGA_VERIFY_H
#define OMEGA_VERIFY_H

#include "../tool.h"
#include "attempt.h"

/*
 * ---- scene.c: something to attack: a small home with an agent's data
 * directory and a process beside it, made by the tool and gone when it ends.
 */

#define SCENE_TOKEN 40

/* What the process outside shares with the tool. */
struct scene_shared {
	volatile unsigned hits; /* signals that came */
	volatile unsigned answers; /* to the tool asking whether all came */
	char token[SCENE_TOKEN];
};

struct scene {
	char top[PATH_MAX];
	char free[PATH_MAX]; /* what commands may use */
	bool is_away; /* that is not in the scene */
	char token[SCENE_TOKEN];
	bool has_config; /* config.toml is there */
	bool is_listed; /* for a policy with lists: has a work directory */
	pid_t outside;
	struct scene_shared *shared;
	unsigned hits; /* as seen last */
	char *state; /* every name with what it is, as it was made */
};

/* Make one in base/name. 0 or -errno. */
int scene_make(struct scene *scene, const char *base, const char *name,
    const char *token, bool has_config, bool is_listed);

/* Have another directory for use, a new one in dir. 0 or -errno. */
int scene_use(struct scene *scene, const char *dir);

/* Has something changed that only an attempt can have changed? */
bool scene_is_changed(struct scene *scene);

/* Make it as it was. 0 or -errno. */
int scene_restore(struct scene *scene);

/* What the host may do meanwhile: put another at path. 0 or -errno. */
int scene_replace(struct scene *scene, const char *path);

void scene_end(struct scene *scene);

/* Remove a directory with all that is in it, on one file system. */
void scene_remove(const char *path);

/*
 * ---- props.c: what attempts need from the tool: sockets it listens at, a key,
 * a terminal.
 */

struct props {
	const struct omega_sandbox *sandbox;
	char socket_dir[PATH_MAX]; /* of its own if the scene's is too deep */
	bool is_own_dir;
	char launcher[PATH_MAX]; /* where tmux would listen; or nothing is */
	char early[PATH_MAX];
	char late[PATH_MAX];
	char abstract[64];
	char node[PATH_MAX]; /* of a block device, if one could be made */
	int listeners[12];
	unsigned tcp_port; /* served, by both versions; 0: not */
	unsigned udp_port;
	unsigned unused_port;
	size_t listener_count;
	long key; /* a key with the token, or -errno */
	int segment; /* of memory, with the token; or -1 */
	int queue; /* or -1 */
	char posix_queue[64]; /* its name, or "" */
	int terminal[2]; /* master and slave, or -1 */
	int console; /* or -1 */
};

/* What must be there before the policy is prepared. */
void props_make(struct props *props, const struct omega_sandbox *sandbox,
    const struct scene *scene);
/* What is made after that. */
void props_make_late(struct props *props);
void props_end(struct props *props);

/*
 * The word "extra" for an attempt at target. 0, or -errno when this host does
 * not have it: the attempt is then left out.
 */
int props_extra(const struct props *props, const struct scene *scene,
    const struct attempt *attempt, const char *target, char type, char *extra,
    size_t size);

/*
 * ---- samples.c: what is at a real place, and what else it is
 * called. 0, or -errno when there is nothing of the kind.
 */

/* Lines of "DEVICE:INODE=PATH": files of a place. */
int samples_take(const char *target, char type, char *extra, size_t size);

/* The same of /dev, if that is the target: all that is neither harmless, nor
 * given back, nor does something when it is merely opened. */
int samples_take_devices(const struct omega_sandbox *sandbox,
    const char *target, char *extra, size_t size);

/*
 * Lines of other names of what is at target, by other mounts, and by overlays
 * and their layers: those where the same object is, or where the file secret
 * below it ("": itself) has the token in it.
 */
int samples_take_names(const char *target, const char *secret,
    const char *token, char *extra, size_t size);

/* ---- The attempts, and what came of them --------------------------------- */

/* The directory of the scene inside, and of the one outside. */
#define VERIFY_SCENE "agents"
#define VERIFY_TWIN "others"

/* What came of one attempt, on one side. */
enum verify_end {
	VERIFY_WORKED,
	VERIFY_REFUSED, /* error says how */
	VERIFY_SILENT /* it gave no answer; text says why */
};

struct verify_answer {
	enum verify_end end;
	bool is_missing; /* this host does not have what it takes */
	int error; /* errno, or 0 */
	char text[300]; /* what it reached, or why there is no answer */
};

/* One attempt against one guarantee. */
struct verify_try {
	const struct attempt *attempt;
	struct verify_answer outside;
	struct verify_answer inside;
};

enum verify_verdict {
	VERIFY_HOLDS, /* what works outside is refused inside */
	VERIFY_FALSE, /* claimed, and something worked */
	VERIFY_OPEN, /* not claimed, or only in part: shown, not judged */
	VERIFY_IDLE, /* refused, but to this user outside as well */
	VERIFY_UNTRIED, /* nothing could be tried; why says why */
	VERIFY_ON_COPY /* nothing harmless to try: see the copy */
};

struct verify_line {
	const char *where; /* a word for the place: real, copy, ... */
	struct omega_sandbox_guarantee claim;
	struct verify_try *tries;
	size_t count;
	enum verify_verdict verdict;
	char why[300];
};

struct verify_result {
	struct verify_line *lines;
	size_t count;
	/* What keeps the texts of the claims. */
	struct omega_sandbox_report *reports[4];
	size_t report_count;
	size_t expected; /* lines, as far as it is known */
	bool is_silent; /* nothing is told before the end */
	bool is_listed; /* the policy has lists of what is allowed */
	char base[PATH_MAX]; /* where the copies were */
	char fault[400]; /* why nothing could be tried, or "" */
};

/* One of the places in which attempts are made. */
struct verify_place {
	const char *name;
	unsigned where; /* ATTEMPT_COPY or ATTEMPT_REAL */
	bool is_first; /* stop at the first false claim */
	bool is_copied; /* inside, a copy in the work directory runs */
	bool is_granted; /* the scene is where the policy allows changes */
	struct scene *scene; /* inside */
	struct scene *twin; /* the same, for attempts without a sandbox */
	struct props *props;
	struct omega_sandbox_prepared *prepared;
	char broken[400]; /* why nothing can be tried here, or "" */
};

/* flow.c: try a policy in all places. 0, or a code and result->fault. */
int verify_all(const struct tool_options *options,
    struct omega_sandbox *sandbox, struct verify_result *result);

/* start.c: run an attempt at target, inside or outside. */
void verify_start(const struct verify_place *place,
    const struct attempt *attempt, const char *target, char type,
    bool is_inside, struct verify_answer *answer);

/* An attempt as a command, with in as its standard input, or a pipe when that
 * is -1. Codes of the library. */
int verify_command(const struct verify_place *place, const char *const *words,
    int in, struct omega_sandbox_command **command,
    struct omega_sandbox_error *error);
/* In a child: become it, outside. out may be -1. */
void verify_be_program(const struct verify_place *place,
    const char *const *words, int in, int out);
void verify_silent(struct verify_answer *answer, const char *text);

/* The library that this program has loaded, and the file of the loader; NULL:
 * it is part of the program. */
const char *verify_library(const char **by);

/* stays.c: the same for an attempt that leaves something running. */
void verify_stay(const struct verify_place *place,
    const struct attempt *attempt, const char *const *words, bool is_inside,
    struct verify_answer *answer);

/* judge.c: try all there is against a guarantee. 0 or -ENOMEM. */
int verify_judge(const struct verify_place *place,
    const struct omega_sandbox_guarantee *claim, struct verify_result *result);
int verify_exit(const struct verify_result *result);
const char *verify_word(enum verify_verdict verdict);

/* print.c: for people the last line, as soon as it is known, and what all come
 * to; and for programs. */
void verify_tell(const struct verify_result *result);
void verify_print(const struct verify_result *result);
json_t *verify_json(const struct verify_result *result);

#endif
