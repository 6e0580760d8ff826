/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * record.h - one execution on its way into the audit log.
 *
 * Who waits for a command writes one line when it has ended; who does not,
 * one before it starts and one when its end is learnt. What is refused is one
 * line as well. A record is NULL when nothing is to be written down; all
 * functions take that.
 */

#ifndef OMEGA_PLAN_RECORD_H
#define OMEGA_PLAN_RECORD_H

#include <omega/sandbox.h>

#include "launch/command.h"
#include "plan/prepared.h"

struct omega_record;

enum omega_record_kind {
	OMEGA_RECORD_RUN, /* waited for: "run" */
	OMEGA_RECORD_SPAWN, /* "start", and "end" later */
	OMEGA_RECORD_EXEC /* "exec": its end is not seen */
};

/*
 * Before the start: see that the log can be written. 0, or
 * OMEGA_SANDBOX_E_REFUSED or _E_MEMORY with error filled and nothing kept. The
 * command must not change meanwhile.
 */
int omega_record_begin(struct omega_sandbox_prepared *prepared,
    const struct omega_command *command, enum omega_record_kind kind,
    struct omega_record **record, struct omega_sandbox_error *error);

/*
 * What protects it, right before it is started under that; again when the
 * start is tried again under something else. Writes what is to be written
 * now. 0, or OMEGA_SANDBOX_E_REFUSED or _E_MEMORY with error filled.
 */
int omega_record_held(struct omega_record *record,
    struct omega_sandbox_report *report, struct omega_sandbox_error *error);

/* It was not started; frees the record. */
void omega_record_refuse(
    struct omega_record *record, const struct omega_sandbox_error *error);

/* Its process, once it is known. */
void omega_record_start(struct omega_record *record, pid_t pid);

/* It has ended, or is lost: nobody knows how it did. Frees the record. */
void omega_record_end(struct omega_record *record,
    const struct omega_sandbox_outcome *end, bool is_lost);

/* A policy that cannot be made ready refuses commands nobody will name. */
void omega_record_unprepared(struct omega_sandbox_policy *policy,
    const struct omega_sandbox_error *error);

#endif
