/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bench.c - timing and printing for all benchmarks. See bench.h.
 */

#include "config.h"

#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned
read_number(const char *text, const char *option)
{
	char *end = NULL;
	unsigned long number;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || number == 0 ||
	    number > 1000000) {
		fprintf(
		    stderr, "--%s takes a number from 1 to 1000000\n", option);
		exit(2);
	}
	return (unsigned)number;
}

void
bench_parse(
    const char *what, int argc, char **argv, struct bench_options *options)
{
	static const struct option known[] = {
	    {"rounds", required_argument, NULL, 'r'},
	    {"sample-us", required_argument, NULL, 's'},
	    {"json", no_argument, NULL, 'j'},
	    {"help", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0},
	};
	int index = 0;
	int c;

	while ((c = getopt_long(argc, argv, "", known, &index)) != -1) {
		switch (c) {
		case 'r':
			options->rounds = read_number(optarg, "rounds");
			break;
		case 's':
			options->sample_us = read_number(optarg, "sample-us");
			break;
		case 'j':
			options->is_json = true;
			break;
		case 'h':
			printf("%s\n\n"
			       "  --rounds N     samples of each row (%u)\n"
			       "  --sample-us N  length of a sample (%u)\n"
			       "  --json         print one JSON object\n",
			    what, options->rounds, options->sample_us);
			exit(0);
		default:
			exit(2);
		}
	}
	if (optind < argc) {
		fprintf(stderr, "unexpected argument '%s'\n", argv[optind]);
		exit(2);
	}
}

static uint64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static double
time_calls(const struct bench_variant *variant, unsigned calls)
{
	uint64_t start;
	unsigned i;

	if (variant->take != NULL)
		return variant->take(variant->arg);
	variant->call(variant->arg); /* warm */
	start = now_ns();
	for (i = 0; i < calls; i++)
		variant->call(variant->arg);
	return (double)(now_ns() - start) / calls;
}

/* How many calls make a sample of the wanted length? */
static unsigned
calls_for(const struct bench_variant *variant, unsigned sample_us)
{
	double one = time_calls(variant, 20);
	double calls = sample_us * 1000.0 / (one > 1 ? one : 1);

	return calls < 1 ? 1 : (unsigned)calls;
}

static void
shuffle(size_t *order, size_t count, uint64_t *state)
{
	size_t i;

	for (i = count; i > 1; i--) {
		size_t other;
		size_t kept;

		/* xorshift64: good enough for an order. */
		*state ^= *state << 13;
		*state ^= *state >> 7;
		*state ^= *state << 17;
		other = (size_t)(*state % i);
		kept = order[i - 1];
		order[i - 1] = order[other];
		order[other] = kept;
	}
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median_of(double *samples, size_t count)
{
	qsort(samples, count, sizeof(*samples), compare_doubles);
	return count % 2 == 1
		   ? samples[count / 2]
		   : (samples[count / 2 - 1] + samples[count / 2]) / 2;
}

int
bench_run(const struct bench_options *options, struct bench_variant *variants,
    size_t count)
{
	uint64_t state = now_ns() | 1;
	double *samples = calloc(count * options->rounds, sizeof(*samples));
	unsigned *calls = calloc(count, sizeof(*calls));
	size_t *order = calloc(count, sizeof(*order));
	size_t left = 0;
	size_t i;
	unsigned round;
	int ret = -ENOMEM;

	if (samples == NULL || calls == NULL || order == NULL)
		goto out;
	for (i = 0; i < count; i++) {
		variants[i].median = NAN;
		if (variants[i].call == NULL && variants[i].take == NULL)
			continue;
		if (variants[i].take == NULL)
			calls[i] = calls_for(&variants[i], options->sample_us);
		order[left++] = i;
	}
	for (round = 0; round < options->rounds; round++) {
		shuffle(order, left, &state);
		for (i = 0; i < left; i++)
			samples[order[i] * options->rounds + round] =
			    time_calls(&variants[order[i]], calls[order[i]]);
	}
	for (i = 0; i < left; i++)
		variants[order[i]].median = median_of(
		    &samples[order[i] * options->rounds], options->rounds);
	ret = 0;
out:
	free(samples);
	free(calls);
	free(order);
	return ret;
}

static size_t
widest(const char *const *names, size_t count)
{
	size_t width = 0;
	size_t i;

	for (i = 0; i < count; i++)
		if (strlen(names[i]) > width)
			width = strlen(names[i]);
	return width;
}

static void
print_table(const struct bench_table *table)
{
	int label = (int)widest(table->rows, table->row_count);
	size_t row;
	size_t column;

	printf("%s\n%-*s", table->title, label, "");
	for (column = 0; column < table->column_count; column++)
		printf("  %7s", table->columns[column]);
	printf("\n");
	for (row = 0; row < table->row_count; row++) {
		printf("%-*s", label, table->rows[row]);
		for (column = 0; column < table->column_count; column++) {
			double cell =
			    table->cells[row * table->column_count + column];

			if (isnan(cell))
				printf("  %7s", "-");
			else
				printf("  %7.*f", table->decimals, cell);
		}
		printf("\n");
	}
	printf("\n");
}

static const char *
goal_state(const struct bench_goal *goal)
{
	if (isnan(goal->measured))
		return "not measured";
	return goal->measured <= goal->limit ? "met" : "NOT MET";
}

static void
print_goals(const struct bench_report *report)
{
	size_t i;

	if (report->goal_count == 0)
		return;
	printf("goals\n%-8s  %-48s  %8s  %5s\n", "from", "what", "measured",
	    "limit");
	for (i = 0; i < report->goal_count; i++) {
		const struct bench_goal *goal = &report->goals[i];

		printf("%-8s  %-48s  %8.3f  %5.2f  %s\n", goal->from,
		    goal->what, goal->measured, goal->limit, goal_state(goal));
	}
}

static void
json_number(double number, int decimals)
{
	if (isnan(number))
		printf("null");
	else
		printf("%.*f", decimals, number);
}

/* The texts are literals of ours: nothing in them needs escaping. */
static void
json_texts(const char *key, const char *const *texts, size_t count)
{
	size_t i;

	printf("\"%s\": [", key);
	for (i = 0; i < count; i++)
		printf("%s\"%s\"", i == 0 ? "" : ", ", texts[i]);
	printf("]");
}

static void
json_table(const struct bench_table *table)
{
	size_t row;
	size_t column;

	printf("    {\"title\": \"%s\",\n     ", table->title);
	json_texts("columns", table->columns, table->column_count);
	printf(",\n     \"rows\": [");
	for (row = 0; row < table->row_count; row++) {
		printf("%s\n       {\"name\": \"%s\", \"values\": [",
		    row == 0 ? "" : ",", table->rows[row]);
		for (column = 0; column < table->column_count; column++) {
			printf("%s", column == 0 ? "" : ", ");
			json_number(
			    table->cells[row * table->column_count + column],
			    table->decimals);
		}
		printf("]}");
	}
	printf("]}");
}

static void
json_goal(const struct bench_goal *goal)
{
	printf("    {\"from\": \"%s\", \"what\": \"%s\", \"limit\": %.2f, "
	       "\"measured\": ",
	    goal->from, goal->what, goal->limit);
	json_number(goal->measured, 3);
	printf(", \"state\": \"%s\"}", goal_state(goal));
}

static void
print_json(
    const struct bench_report *report, const struct bench_options *options)
{
	size_t i;

	printf("{\n  \"bench\": \"%s\",\n  \"rounds\": %u,\n"
	       "  \"sample_us\": %u,\n  \"tables\": [",
	    report->name, options->rounds, options->sample_us);
	for (i = 0; i < report->table_count; i++) {
		printf(i == 0 ? "\n" : ",\n");
		json_table(&report->tables[i]);
	}
	printf("],\n  \"goals\": [");
	for (i = 0; i < report->goal_count; i++) {
		printf(i == 0 ? "\n" : ",\n");
		json_goal(&report->goals[i]);
	}
	printf("]\n}\n");
}

void
bench_print(
    const struct bench_report *report, const struct bench_options *options)
{
	size_t i;

	if (options->is_json) {
		print_json(report, options);
		return;
	}
	printf("%s: medians of %u rounds, shuffled; samples of %u us\n\n",
	    report->name, options->rounds, options->sample_us);
	for (i = 0; i < report->table_count; i++)
		print_table(&report->tables[i]);
	print_goals(report);
}
