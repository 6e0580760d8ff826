/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * send.h - signals to a command, and from whom one of ours came. One
 * implementation per system; both may be called in a handler.
 */

#ifndef OMEGA_TOOL_SEND_H
#define OMEGA_TOOL_SEND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* To the command whose descriptor this is, and to no other process. */
void send_signal(int fd, pid_t pid, int signal);

/* Did a process send it, another one than this? Not so what a terminal does. */
bool send_is_by_process(const siginfo_t *info, pid_t but);

#endif
