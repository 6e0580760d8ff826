/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * wake.h - a descriptor to poll for, that another thread can make readable.
 * One implementation per system.
 */

#ifndef OMEGA_RUN_WAKE_H
#define OMEGA_RUN_WAKE_H

/* Close-on-exec, to be closed; or a negative errno. */
int omega_wake_make(void);

/* Readable from now on. Any thread. 0 or a negative errno. */
int omega_wake_set(int fd);

#endif
