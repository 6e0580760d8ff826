/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * watch.h - the capabilities to sample every process. With them
 * perf_event_open and /proc/PID/maps ask nobody, Landlock included, so a
 * command that must not trace loses them.
 */

#ifndef OMEGA_LANDLOCK_WATCH_H
#define OMEGA_LANDLOCK_WATCH_H

/* Has the caller one of them? */
int watch_is_allowed(void);

/* Can everybody sample whoever runs on a processor? As the administrator has
 * set kernel.perf_event_paranoid. */
int watch_is_public(void);

/* The child step that gives them up. state is not used. */
int watch_give_up(const void *state);

#endif
