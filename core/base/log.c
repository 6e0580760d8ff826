/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * log.c - see log.h.
 *
 * openlog(3) belongs to the host application: its settings are the process's.
 * So the facility goes with every message, and our name stands in the text.
 * The facility is that of decisions about access, with paths in them that are
 * not for everybody to read.
 */

#include "config.h"

#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

#include "base/error.h"

#ifdef LOG_AUTHPRIV
#define FACILITY LOG_AUTHPRIV
#else
#define FACILITY LOG_AUTH
#endif

void
omega_log_say(
    const struct omega_log *log, int level, int code, const char *format, ...)
{
	char text[1024];
	int saved = errno;
	va_list args;

	if (log == NULL || (log->fn == NULL && !log->is_syslog))
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	omega_error_make_one_line(text);
	level = LOG_PRI(level);
	if (log->fn != NULL)
		log->fn(log->arg, level, code, text);
	if (log->is_syslog)
		syslog(FACILITY | level, "omega-sandbox: %s", text);
	errno = saved;
}
