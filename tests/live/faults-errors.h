/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-errors.h - how a system call can fail on a healthy kernel with a
 * full table, an interrupted wait, a filter, or a policy that forbids it.
 */

#ifndef OMEGA_TEST_FAULTS_ERRORS_H
#define OMEGA_TEST_FAULTS_ERRORS_H

#include "faults-trace.h"

/* The variant-th way for this call to fail. False: there are no more; a call
 * that cannot fail has none. */
bool faults_errors_get(const struct faults_trace_call *call, int variant,
    struct faults_trace_order *order);

/* Must it be tried again, so that nothing is to be noticed? Waiting, reading
 * and writing must; a name that cannot be opened may be an error. */
bool faults_errors_is_harmless(const struct faults_trace_order *order);

/* The way in a word. */
const char *faults_errors_how(const struct faults_trace_order *order);

/* Its name, or its number as text. */
const char *faults_errors_name(long number);

#endif
