/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * channel.h - how a host and a supervisor speak, the host's side. One
 * implementation per system; the other end is in its supervisor.
 */

#ifndef OMEGA_RUN_CHANNEL_H
#define OMEGA_RUN_CHANNEL_H

#include <stdbool.h>
#include <sys/types.h>

#include "run/supervisor.h"

/* Two ends, ours first; close-on-exec. 0 or a negative errno. */
int omega_channel_make(int pair[2]);

/* A descriptor by which a supervisor sees the end of this process, or -1
 * where it needs none. 0 or a negative errno. */
int omega_channel_open_host(int *fd);

/*
 * One word. 1, -EPIPE when there will be none any more, or 0 when there is
 * none yet and is_waiting is false.
 */
int omega_channel_read(
    int control, bool is_waiting, struct omega_supervisor_word *word);

/* Tell it that the command's number was seen; and to make an end. */
void omega_channel_see(int control);
void omega_channel_cancel(int control);

/* It has ended: leave nothing of it. */
void omega_channel_reap(int pidfd, pid_t pid);

#endif
