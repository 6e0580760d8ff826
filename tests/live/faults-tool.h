/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-tool.h - the same with the tool: a run must be refused with its own
 * status and a text, and "check" must never find that nothing is protected.
 * Functions for in_child(), as in faults-campaign.h.
 */

#ifndef OMEGA_TEST_FAULTS_TOOL_H
#define OMEGA_TEST_FAULTS_TOOL_H

int faults_tool_run(void *base);
int faults_tool_check(void *base);

#endif
