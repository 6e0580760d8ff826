/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ward.h - a place with sockets in it, and the library twice: with the stack
 * it chooses by itself, and with nothing at all. Everything reports by return
 * value: it runs in children, where cmocka's assertions cannot be used.
 */

#ifndef OMEGA_TEST_WARD_H
#define OMEGA_TEST_WARD_H

#include "harness.h"

#include <omega/sandbox.h>
#include <limits.h>
#include <stdio.h>

#include "twice.h"

/* Count a fault and say where. */
#define CHECK(faults, condition, ...)                                     \
	do {                                                              \
		if (!(condition)) {                                       \
			(faults)++;                                       \
			fprintf(stderr, "# %s:%d: ", __func__, __LINE__); \
			fprintf(stderr, __VA_ARGS__);                     \
			fputc('\n', stderr);                              \
		}                                                         \
	} while (0)

struct ward {
	struct omega_sandbox *sandbox;
	struct omega_sandbox_prepared *inside;
	struct omega_sandbox_prepared *outside;
	char error[1024]; /* why inside is NULL */
};

/* The end of main() of a program that has such tests: 1 and the status when
 * it was started to do something in a command. */
int ward_main(int argc, char **argv, int *status);

/* With these lines as the configuration, in base; network is "allow" or
 * "deny". False when it was refused. */
bool ward_open(struct ward *ward, const char *base, const char *lines,
    const char *network);

/* The same with any rule of a policy; values is ended by NULL. */
bool ward_open_with(struct ward *ward, const char *base, const char *lines,
    const char *rule, const char *const *values);
void ward_close(struct ward *ward);

/* Does the report say that this kind is held completely? */
bool ward_claims(const struct ward *ward, const char *kind);

/* Is this in the report as text? */
bool ward_says(const struct ward *ward, const char *words);

/* A socket that listens, for everybody. A descriptor. */
int ward_listen(const char *path);

/* The same, bound by a name in this directory. */
int ward_listen_in(const char *dir, const char *name);

/* Whether a command reaches the socket: 0, the errno, or 1000 - code. */
int ward_connect(struct omega_sandbox_prepared *prepared, const char *path);

/* Outside it is reached, and inside not. Faults. */
int ward_check_held(struct ward *ward, const char *path);

/* What sh makes of the text: its status, 128 + signal, or 1000 - code. */
int ward_shell(struct omega_sandbox_prepared *prepared, const char *text);

/* Start one that stays: its child object, once it has written a line. */
struct omega_sandbox_child *ward_resident(
    struct omega_sandbox_prepared *prepared, const char *what,
    const char *where);
void ward_end(struct omega_sandbox_child *child);

/* Who asks, in mounts that root has made for it. */
struct ward_as {
	char base[PATH_MAX];
	uid_t uid;
};

/* Run fn with a struct ward_as in a child of root's that has mounts of its
 * own: for root, and for a user. It ends with ward_as_that. */
void ward_twice_in_mounts(int (*fn)(void *));

/* Go on as that one, with its base. Faults. */
int ward_as_that(const struct ward_as *as, int (*fn)(void *));

/* An empty /run that nobody else sees. 0, or CANNOT_MOUNT. */
int ward_own_run(void);

/* A network of its own, and a small file system as its base: what others do
 * on this machine is not to be looked through. 0, or CANNOT_MOUNT. */
int ward_own_ground(const struct ward_as *as);

#define TWICE_IN_MOUNTS(name)                 \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		ward_twice_in_mounts(name);   \
	}

#endif
