/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-campaign.h - a good run to learn the calls from, then one run per
 * call and way to fail, each judged. Functions for in_child(): base is a
 * scratch directory, the result how many runs were neither refused cleanly
 * nor protected.
 */

#ifndef OMEGA_TEST_FAULTS_CAMPAIGN_H
#define OMEGA_TEST_FAULTS_CAMPAIGN_H

/* A host that uses the library. */
int faults_campaign_library(void *base);

#endif
