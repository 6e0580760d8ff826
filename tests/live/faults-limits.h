/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-limits.h - a host that has less and less: memory of which one
 * allocation fails, and limits that are too low. Functions for in_child(), as
 * in faults-campaign.h.
 */

#ifndef OMEGA_TEST_FAULTS_LIMITS_H
#define OMEGA_TEST_FAULTS_LIMITS_H

int faults_limits_heap(void *base);
int faults_limits_all(void *base);

#endif
