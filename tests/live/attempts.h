/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * attempts.h - what a hostile or an ordinary program tries. The test program
 * starts itself with the word "attempt": attempt NAME DATA_DIR [ARG].
 */

#ifndef OMEGA_TEST_ATTEMPTS_H
#define OMEGA_TEST_ATTEMPTS_H

enum attempts_kind {
	ATTEMPTS_ATTACK, /* works outside, must fail inside */
	ATTEMPTS_MAYBE, /* the same, but not every machine has it */
	ATTEMPTS_USE /* must work inside */
};

struct attempt {
	const char *name;
	enum attempts_kind kind;
	int for_root; /* 0: both, 1: root only, 2: user only */
	/* dir is the data directory, arg depends. 0 when it worked. */
	int (*fn)(const char *dir, const char *arg);
};

extern const struct attempt attempts_on_data[]; /* attacks.c */
extern const struct attempt attempts_on_mounts[]; /* tricks.c */
extern const struct attempt attempts_on_system[]; /* machine.c */
extern const struct attempt attempts_of_use[]; /* uses.c */

#define SECRET "the secret of the house"

/* Does path hold the secret? 0 when it was read, else an errno. */
int attempts_read_secret(const char *path);

/* If this is "attempt ...": do it and return its status, else -1. */
int attempts_main(int argc, char **argv);

#endif
