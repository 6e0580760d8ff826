/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * prepared.h - a plan carried out: the launch that commands are started with.
 */

#ifndef OMEGA_PLAN_PREPARED_H
#define OMEGA_PLAN_PREPARED_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/log.h"
#include "plan/plan.h"

struct omega_sandbox_prepared {
	atomic_uint refs;
	struct omega_sandbox_policy *policy; /* a copy that nobody changes */
	pthread_mutex_t renewal; /* held by who prepares again; before lock */
	pthread_mutex_t lock; /* for the two below */
	struct omega_launch *launch;
	struct omega_sandbox_report *report;
};

/* Where to speak about it. */
static inline const struct omega_log *
omega_prepared_log(const struct omega_sandbox_prepared *prepared)
{
	return &prepared->policy->sandbox->log;
}

/* Plan and carry out for the first time. Codes of omega_sandbox_prepare. */
int omega_prepared_build(
    struct omega_sandbox_prepared *made, struct omega_sandbox_error *error);

/*
 * The launch to use now and the report that belongs to it (NULL: not wanted),
 * with references for the caller; made again first when a backend finds that
 * the world has changed. Codes of omega_sandbox_prepare. Thread-safe.
 */
int omega_prepared_launch(struct omega_sandbox_prepared *prepared,
    struct omega_launch **launch, struct omega_sandbox_report **report,
    struct omega_sandbox_error *error);

/* The smallest limit for a run, of the configuration and the policy: ms of
 * time, bytes of both streams. 0: nobody has set one. */
uint64_t omega_prepared_timeout(const struct omega_sandbox_prepared *prepared);
uint64_t omega_prepared_max_output(
    const struct omega_sandbox_prepared *prepared);

/*
 * Make it again: a child has found that this launch, got from above, holds no
 * longer (-ESTALE from a step), or, of one that is believed, that domains have
 * come to an end (-E2BIG): then not believing. 0, 1 when another thread has, or
 * such a code.
 */
int omega_prepared_renew(struct omega_sandbox_prepared *prepared,
    const struct omega_launch *stale, bool is_believing,
    struct omega_sandbox_error *error);

/*
 * The program, which is there outside, was not executed inside; code and error
 * say how that looked. If the policy keeps it, or an interpreter it needs,
 * from being run: say which rule of which file. Returns the code to go on
 * with.
 */
int omega_not_executed_tell(struct omega_sandbox_policy *policy,
    const char *program, int code, struct omega_sandbox_error *error);

#endif
