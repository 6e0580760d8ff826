/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-trace.h - run something in a child under ptrace(2), with all the
 * processes it makes, and let one of its system calls fail.
 *
 * Processes are numbered in the order they are made, and the calls of one
 * number within their process: what is done a little more or less often, such
 * as reading a table of the kernel, does not move the others. A process is
 * followed until it executes the program that is not to be started; from there
 * on it is let go.
 */

#ifndef OMEGA_TEST_FAULTS_TRACE_H
#define OMEGA_TEST_FAULTS_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FAULTS_TRACE_PROCESSES 64
#define FAULTS_TRACE_CALLS 16384
#define FAULTS_TRACE_NUMBERS 512

/* In a traced function: from here, to here, calls count. A process it makes
 * counts from its start. */
void faults_trace_begin(void);
void faults_trace_end(void);

/* How a call is to fail. */
enum faults_trace_how {
	FAULTS_TRACE_FAIL, /* not done: -error */
	FAULTS_TRACE_LATE, /* done, and yet -error: close(2) */
	FAULTS_TRACE_SHORT /* done, with half the length */
};

struct faults_trace_order {
	int process; /* -1: nothing fails */
	long number; /* of the system call */
	unsigned index; /* the how-manieth of them */
	enum faults_trace_how how;
	int error;
};

struct faults_trace_call {
	int process;
	long number; /* of the system call */
	unsigned index; /* the how-manieth of them */
	uint64_t length; /* third argument */
};

struct faults_trace_process {
	pid_t pid;
	char name[32]; /* of what it executed last */
	unsigned seen[FAULTS_TRACE_NUMBERS]; /* calls of each number */
	bool is_alive;
	bool is_known; /* its first stop is behind it */
	bool is_hit; /* within the call that is to fail */
	int crash; /* a signal that ended it and was not SIGKILL */
};

struct faults_trace {
	/* Given. */
	const char *program; /* that is not to be started */
	int seconds; /* at most */
	bool counts_all; /* the first process too, from its first exec */
	bool is_recording;
	struct faults_trace_order order;

	/* Found. */
	struct faults_trace_call *calls; /* FAULTS_TRACE_CALLS of them */
	long call_count;
	struct faults_trace_process processes[FAULTS_TRACE_PROCESSES];
	int process_count;
	bool is_hit; /* the call that is to fail was made */
	bool has_begun; /* the first process is between the two marks */
	bool is_started; /* the program was executed */
	bool is_late; /* the time was up, all were killed */
	bool is_lost; /* the tracing itself failed */
	int status; /* of the first process, as waitpid(2) */
};

/* Run fn(arg) in a child. What is found is filled. */
void faults_trace_run(
    struct faults_trace *trace, void (*fn)(void *), void *arg);

#endif
