/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * family.h - all processes that descend from a command, where the system gives
 * those without a parent to nobody in particular.
 *
 * Known is who has a known parent, who is in the session of the supervisor if
 * it has one of its own, and who was known before. So a process is missed when
 * it leaves the session and loses its parent between two looks; the kernel is
 * asked to tell of every fork, and a look follows.
 *
 * For the supervisor, a copy of a host in which other threads may have held
 * any lock there is: system calls and nothing else.
 */

#ifndef OMEGA_RUN_FAMILY_H
#define OMEGA_RUN_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct omega_family_member {
	pid_t pid;
	uint32_t turn; /* of the last look that found it */
	uint64_t start; /* when; tells it from a later one of its number */
};

struct omega_family {
	int events; /* a kqueue: forks and ends of the members */
	pid_t self;
	bool is_session; /* of our own: all in it are members */
	uint32_t turn;
	uint32_t count;
	struct omega_family_member *list;
	pid_t *all; /* room for the numbers of all processes */
};

/* 0 or a negative errno. */
int omega_family_open(struct omega_family *family, int events, bool is_session);

/* Find out who there is. */
void omega_family_look(struct omega_family *family);

/* Look, and send each of them one signal, or two when the second is not 0.
 * Returns how many could be signalled. */
uint32_t omega_family_signal(
    struct omega_family *family, int first, int second);

#endif
