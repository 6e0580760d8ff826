/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bench.h - what all benchmarks share: timing variants side by side, and
 * printing tables and goals as text or JSON.
 *
 * A time says little on a machine that others use too. So all variants are
 * measured in turn, in an order shuffled anew for every round, and only the
 * ratio of two medians of one run is worth quoting. Nothing here decides
 * whether a run succeeded: a timing is never a test.
 */

#ifndef OMEGA_BENCH_H
#define OMEGA_BENCH_H

#include <stdbool.h>
#include <stddef.h>

struct bench_options {
	unsigned rounds; /* samples of each variant */
	unsigned sample_us; /* how long one sample should take */
	bool is_json;
};

/* One thing to be timed. */
struct bench_variant {
	void (*call)(const void *arg); /* NULL: left out, unless */
	double (*take)(const void *arg); /* it takes its time itself: ns */
	const void *arg;
	double median; /* ns per call; NAN when left out */
};

/* Rows by columns; a cell that is NAN was not measured. */
struct bench_table {
	const char *title;
	const char *const *rows;
	size_t row_count;
	const char *const *columns;
	size_t column_count;
	const double *cells; /* row after row */
	int decimals;
};

/* A figure that should not be above its limit. */
struct bench_goal {
	const char *from; /* where the goal is written down */
	const char *what;
	double limit;
	double measured; /* NAN: could not be measured here */
};

struct bench_report {
	const char *name;
	const struct bench_table *tables;
	size_t table_count;
	const struct bench_goal *goals;
	size_t goal_count;
};

/*
 * Read --rounds N, --sample-us N, --json and --help into options, which holds
 * the defaults. Prints and leaves the program for --help and wrong usage.
 */
void bench_parse(
    const char *what, int argc, char **argv, struct bench_options *options);

/* Time all variants and fill in their medians. 0 or a negative errno. */
int bench_run(const struct bench_options *options,
    struct bench_variant *variants, size_t count);

void bench_print(
    const struct bench_report *report, const struct bench_options *options);

/*
 * Calls of malloc, calloc and realloc in this process so far, whoever made
 * them. Counts in programs that link bench-heap.c.
 */
unsigned long bench_heap_calls(void);

#endif
