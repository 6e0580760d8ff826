/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pipe.h - a pipe that no program inherits. One implementation per system.
 */

#ifndef OMEGA_RUN_PIPE_H
#define OMEGA_RUN_PIPE_H

/* Both ends close-on-exec; flags are 0 or O_NONBLOCK. 0 or a negative errno.
 * Where the system cannot do it in one, a process forked by another thread at
 * that moment may have them too. */
int omega_pipe_make(int ends[2], int flags);

#endif
