/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * event.h - tell a host what happens to a command that it runs.
 */

#ifndef OMEGA_RUN_EVENT_H
#define OMEGA_RUN_EVENT_H

#include <omega/sandbox.h>

struct omega_event {
	omega_sandbox_event_fn *fn; /* NULL: nobody wants to know */
	void *arg;
};

/* What was answered; 0 when nobody was told. */
static inline int
omega_event_tell(const struct omega_event *event,
    enum omega_sandbox_event_kind kind, pid_t pid, int fd, int signal)
{
	struct omega_sandbox_event told = {.size = sizeof(told),
	    .kind = kind,
	    .pid = pid,
	    .fd = fd,
	    .signal = signal};

	return event->fn == NULL ? 0 : event->fn(event->arg, &told);
}

#endif
