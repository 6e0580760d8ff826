/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * log.h - how the library speaks: to the host application by callback, to the
 * administrator by syslog, or not at all. It has no voice of its own.
 */

#ifndef OMEGA_BASE_LOG_H
#define OMEGA_BASE_LOG_H

#include <stdbool.h>

#include <omega/sandbox.h>

struct omega_log {
	omega_sandbox_log_fn *fn; /* may be NULL */
	void *arg;
	bool is_syslog;
};

/*
 * Say one line. level is one of syslog(3), code an enum omega_sandbox_code or
 * 0. log may be NULL. Never in a child, never while holding a lock. errno is
 * left as it was.
 */
__attribute__((format(printf, 4, 5))) void omega_log_say(
    const struct omega_log *log, int level, int code, const char *format, ...);

#endif
