/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * touch.h - single accesses for the witness, each harmless also where it
 * succeeds. One implementation per system.
 *
 * In the child between clone and exec, and in the parent: nothing here
 * allocates or takes a lock. 0 or a descriptor, or a negative errno, unless
 * said otherwise.
 */

#ifndef OMEGA_RUN_TOUCH_H
#define OMEGA_RUN_TOUCH_H

#include <stdbool.h>
#include <stdint.h>

#include "run/witness.h"

struct omega_touch_seen {
	struct omega_witness_object object;
	uint64_t size;
};

/* Nothing waits, becomes our terminal, or outlives exec. */
int omega_touch_open(const char *path, int flags);
void omega_touch_close(int fd);

/* What path leads to from the directory, a link not followed; or with path ""
 * the descriptor. */
int omega_touch_look(int dir, const char *path, struct omega_touch_seen *seen);

/* Any byte in the file, any name in the directory but "." and ".."? */
bool omega_touch_has_content(int fd);
bool omega_touch_has_names(int fd);

/* Make a file in the directory that is gone at once; or only ask. */
int omega_touch_create(const char *dir);
int omega_touch_may_create(const char *dir);

/* A directory, because removing one never removes what somebody else has put
 * there meanwhile. */
int omega_touch_make(const char *path);
void omega_touch_remove(const char *path);

/* Could an attribute be removed that is not there? */
bool omega_touch_change(const char *path);

/* Could the parent be signalled? And attached to: 1, 0, or a negative errno.
 * It is outside, whoever it is. */
bool omega_touch_signal(void);
int omega_touch_trace(void);

#endif
