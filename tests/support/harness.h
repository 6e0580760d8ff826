/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * harness.h - what every test program includes: cmocka in its required order,
 * one way to run a group as TAP, scratch trees, and an ordinary user.
 *
 * One group per program. A test that cannot run here says so with
 * skip_because(); being root is never a reason.
 */

#ifndef OMEGA_TEST_HARNESS_H
#define OMEGA_TEST_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

#include <cmocka.h>

/* The end of main(): run the group, print TAP, return the exit status. */
#define run_all(tests) harness_run(tests, sizeof(tests) / sizeof((tests)[0]))

int harness_run(const struct CMUnitTest *tests, size_t count);

/*
 * How long to wait for what must happen, however busy the machine is. A loop
 * that asks for it: while (!is_there() && wait_a_little(&waited)) continue;
 * with 0 in waited at first.
 */
#define PATIENCE_MS 60000
bool wait_a_little(int *waited);

/* So many rounds, or a few of them where OMEGA_TEST_SLOW says that the
 * machine is an emulated one. */
int harness_rounds(int many);

/* Leave the test, shown as "ok N - NAME # SKIP reason". Does not return. */
#define skip_because(...)                       \
	do {                                    \
		harness_note_skip(__VA_ARGS__); \
		skip();                         \
	} while (0)

__attribute__((format(printf, 1, 2))) void harness_note_skip(
    const char *format, ...);

/*
 * A fresh directory, absolute and without symbolic links in its name, removed
 * with everything in it when the program ends. All may write to it.
 */
char *scratch_dir(void);

/* Called first in main(): they are not below /tmp, where most policies let
 * commands write, even if the build is. */
void scratch_outside_tmp(void);

/*
 * Whatever a helper returns lives until the program ends, and no later call
 * changes it. Such memory, zeroed; printf into it; the content of a regular
 * file, "" where it cannot be read. All may be called by threads.
 */
void *harness_keep(size_t size);
__attribute__((format(printf, 1, 2))) char *text(const char *format, ...);
char *file_text(const char *path);

/* These words with dir in the place of every %D. */
char *text_in(const char *dir, const char *words);

/* Make things; every parent is made too. They fail the test on error. */
void make_dir(const char *path);
void make_file(const char *path, const char *content);
void make_link(const char *target, const char *path);
void make_hard_link(const char *existing, const char *path);

/* In such a child, where cmocka's assertions cannot be used: leave the
 * function with 1 and say where, when something is not as it must be. */
#define need(condition)                                                   \
	do {                                                              \
		if (!(condition)) {                                       \
			harness_say_need(__FILE__, __LINE__, #condition); \
			return 1;                                         \
		}                                                         \
	} while (0)

void harness_say_need(const char *file, int line, const char *condition);

/* What only a test that is wrong itself, or no memory, can make fail. */
#define must(condition)                                                   \
	do {                                                              \
		if (!(condition)) {                                       \
			harness_say_need(__FILE__, __LINE__, #condition); \
			abort();                                          \
		}                                                         \
	} while (0)

/* Run fn in a child and return its exit status (128 + N for signal N). */
int in_child(int (*fn)(void *), void *arg);

/*
 * The same as an ordinary user: when started as root the child drops to a
 * spare uid first, otherwise it stays who we are. Things it is to use must
 * be open to others; scratch_dir() is.
 */
int in_user_child(int (*fn)(void *), void *arg);
#define SPARE_UID 61951

/*
 * The same in a mount namespace of its own, as root or through a user
 * namespace. The child exits with CANNOT_MOUNT where that is forbidden.
 */
int in_mount_child(int (*fn)(void *), void *arg);
#define CANNOT_MOUNT 99

/* How many descriptors this process has open. */
int count_descriptors(void);

/* The number that was given to a process last on this machine; 0: unknown. */
pid_t newest_process(void);

#endif
