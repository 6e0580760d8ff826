/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * audit.h - where executions are written down: lines appended to a file, and
 * syslog.
 *
 * The file is the caller's own, 0600 when it is made, and no link; its
 * directory is trusted as a configuration's is. Every line is one write at the
 * end of the file, so that those of several processes do not mix. A file that
 * was moved away is made anew.
 */

#ifndef OMEGA_AUDIT_AUDIT_H
#define OMEGA_AUDIT_AUDIT_H

#include <sys/types.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <omega/sandbox.h>

#include "base/list.h"
#include "base/log.h"
#include "conf/conf.h"

struct omega_audit {
	const struct omega_conf *conf; /* must outlive us */
	const struct omega_log *log; /* as well */
	pthread_mutex_t lock; /* for all below */
	int fd; /* of the file; -1: not open */
	dev_t dev;
	ino_t ino;
	bool is_torn; /* the last line has no end */
	atomic_bool is_told; /* that no line can be written; without the lock */
};

/* Nothing is opened yet. */
void omega_audit_init(struct omega_audit *audit, const struct omega_conf *conf,
    const struct omega_log *log);
void omega_audit_close(struct omega_audit *audit);

/* Is anything to be written down at all? */
bool omega_audit_is_on(const struct omega_audit *audit);

/*
 * See that a line can be written, and that there is room for one. 0, or
 * OMEGA_SANDBOX_E_REFUSED with error filled; with audit_failure = warn the log
 * is told, once until it works again, and it is 0 all the same. Thread-safe.
 */
int omega_audit_ready(
    struct omega_audit *audit, struct omega_sandbox_error *error);

/*
 * See whether a line could be written, and make nothing. 0, or
 * OMEGA_SANDBOX_E_REFUSED (by us), _E_CONFIG (by other users that the
 * configuration is for) with error filled.
 */
int omega_audit_check(
    struct omega_audit *audit, struct omega_sandbox_error *error);

/* Write a line, which is given without its end. As above; syslog gets it in
 * either case. */
int omega_audit_write(struct omega_audit *audit, const char *line,
    struct omega_sandbox_error *error);

/*
 * How many bytes of argument may be written down, when the one before it (NULL:
 * it is the first) is known as well: all of them, or fewer, and "***" for the
 * rest. patterns are further ones beside those that are built in.
 *
 * A pattern fits a whole argument, whatever the case of letters. When it ends
 * in "*", what that star stands for is masked, else all of it is. A pattern of
 * two words divided by a blank, the second of them "*", fits an argument by
 * the first and masks the argument behind it.
 */
size_t omega_audit_shown(const struct omega_conf_list *patterns,
    const char *before, const char *argument);

#endif
