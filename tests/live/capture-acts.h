/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capture-acts.h - what captured commands do in the tests. Each is a word of
 * the test program itself.
 */

#ifndef OMEGA_TEST_CAPTURE_ACTS_H
#define OMEGA_TEST_CAPTURE_ACTS_H

/* Held by every process of a command. Its other end tells when none is left. */
#define ACT_MARK 9
/* Closed by the test when processes that were not ended are to go. */
#define ACT_LIFE 8

/* Do what argv says and return the status; -1: it is no act. */
int capture_act(int argc, char **argv);

/* The same for acts against whoever sees to the end of them. */
int capture_attack(int argc, char **argv);

#endif
