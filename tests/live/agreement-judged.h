/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * agreement-judged.h - table/agreement.h asked of the judgement with a report:
 * what is said, and who is said to keep it.
 */

#ifndef OMEGA_TEST_AGREEMENT_JUDGED_H
#define OMEGA_TEST_AGREEMENT_JUDGED_H

/* arg is a directory of our own. How many rows are judged wrongly. */
int agreement_judged(void *arg);

#endif
