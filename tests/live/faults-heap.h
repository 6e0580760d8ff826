/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-heap.h - memory that runs out: the program has its own malloc, which
 * counts, fails on demand, and passes on to the one of glibc.
 */

#ifndef OMEGA_TEST_FAULTS_HEAP_H
#define OMEGA_TEST_FAULTS_HEAP_H

#include <stdbool.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FAULTS_HEAP_OTHER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FAULTS_HEAP_OTHER 1
#endif
#ifndef FAULTS_HEAP_OTHER
#define FAULTS_HEAP_OTHER 0 /* a sanitizer has its own */
#endif

/* From now on the allocation behind this many fails, or all behind them. */
void faults_heap_start(long good, bool is_lasting);

/* Enough of it. True: one has failed. */
bool faults_heap_stop(void);

#endif
