/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults.h - all that is wrong with a configuration, for whoever wants to mend
 * it in one go. Whoever only wants to run a command stops at the first fault.
 */

#ifndef OMEGA_CONF_FAULTS_H
#define OMEGA_CONF_FAULTS_H

#include <stddef.h>

#include <omega/sandbox.h>

#include "base/list.h"

#define OMEGA_FAULTS_MAX 100

struct omega_faults {
	struct omega_sandbox_error *list;
	size_t count; /* one more than the most: that there are more */
	struct omega_conf_list files; /* in the order they are read */
};

/*
 * A step has given ret and error. With faults, keep the error and go on: 0.
 * Without, or when memory ran out, ret. The same fault is kept once.
 */
int omega_faults_keep(struct omega_faults *faults, int ret,
    const struct omega_sandbox_error *error);

/* A file is being read. faults may be NULL. 0 or -ENOMEM. */
int omega_faults_begin(struct omega_faults *faults, const char *file);

/* By file, in the order they were read, and line. */
void omega_faults_sort(struct omega_faults *faults);

void omega_faults_clear(struct omega_faults *faults);

#endif
