/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * watch.h - samples of every process, which Landlock is not asked about.
 */

#ifndef OMEGA_LANDLOCK_WATCH_H
#define OMEGA_LANDLOCK_WATCH_H

/* Can everybody sample whoever runs on a processor? As the administrator has
 * set kernel.perf_event_paranoid. */
int watch_is_public(void);

#endif
