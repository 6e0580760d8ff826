/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-subject.h - what is made to fail: a host that opens the library,
 * prepares, starts the probe, waits, gives everything back, and then looks
 * whether anything of it is left. It runs in a child and tells in memory
 * that is shared.
 */

#ifndef OMEGA_TEST_FAULTS_SUBJECT_H
#define OMEGA_TEST_FAULTS_SUBJECT_H

#include <limits.h>
#include <stdbool.h>

#include "faults-place.h"

/* What it is about. */
struct faults_subject {
	char program[PATH_MAX]; /* this one; becomes the probe */
	const struct faults_place *place;
	const char *backend; /* NULL: what the library chooses */
	void (*before)(void *arg); /* within the marks: spoil something */
	void (*after)(void *arg);
	void *arg;
	bool may_not_load; /* the program itself may lack something */
	struct faults_outcome *outcome; /* shared */
};

struct faults_outcome {
	bool is_hit; /* for before and after: something has failed */
	bool is_finished; /* everything below was looked at */
	char call[32]; /* the function that failed, or "" */
	int code;
	char text[512];
	int status; /* of the probe; 128 + signal */
	int given_up; /* enum faults_probe: the report says not enforced */
	bool is_protected;
	bool is_waited_late; /* waiting failed and then worked */
	int fds; /* descriptors more or less than before */
	int children; /* processes that are still ours */
	bool is_changed; /* directory, signal mask or mask of modes */
};

/* Make one, about a place. */
bool faults_subject_make(
    struct faults_subject *subject, const struct faults_place *place);
void faults_subject_end(struct faults_subject *subject);

/* The host. arg is the subject. */
void faults_subject_run(void *arg);

#endif
