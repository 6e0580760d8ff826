/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-trace.c - see faults-trace.h.
 */

#include "faults-trace.h"

#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "faults-regs.h"

/* No kernel has such a call; the tracer sees it go by. */
#define MARK 1000003
#define SYSCALL_STOP (SIGTRAP | 0x80)

struct stop { /* struct ptrace_syscall_info, as far as it is of use */
	uint8_t op; /* 1: before, 2: after */
	uint8_t pad[3];
	uint32_t arch;
	uint64_t instruction;
	uint64_t stack;
	uint64_t number;
	uint64_t args[6];
	uint64_t more[2];
};

#ifndef PTRACE_GET_SYSCALL_INFO
#define PTRACE_GET_SYSCALL_INFO 0x420e
#endif

void
faults_trace_begin(void)
{
	syscall(MARK, 1);
}

void
faults_trace_end(void)
{
	syscall(MARK, 0);
}

static struct faults_trace_process *
find(struct faults_trace *trace, pid_t pid)
{
	int i;

	for (i = 0; i < trace->process_count; i++)
		if (trace->processes[i].pid == pid &&
		    trace->processes[i].is_alive)
			return &trace->processes[i];
	return NULL;
}

static struct faults_trace_process *
add(struct faults_trace *trace, pid_t pid)
{
	struct faults_trace_process *added;

	if (trace->process_count == FAULTS_TRACE_PROCESSES) {
		trace->is_lost = true;
		kill(pid, SIGKILL);
		return NULL;
	}
	added = &trace->processes[trace->process_count++];
	memset(added, 0, sizeof(*added));
	added->pid = pid;
	added->is_alive = true;
	return added;
}

/* What has the process become? True: the program. */
static bool
note_exec(struct faults_trace *trace, struct faults_trace_process *process)
{
	char path[64];
	char name[PATH_MAX] = "";
	struct stat program;
	struct stat now;
	const char *base;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)process->pid);
	if (stat(path, &now) != 0 || stat(trace->program, &program) != 0 ||
	    readlink(path, name, sizeof(name) - 1) < 0) {
		trace->is_lost = true;
		return false;
	}
	base = strrchr(name, '/');
	snprintf(process->name, sizeof(process->name), "%.31s",
	    base == NULL ? name : base + 1);
	if (trace->counts_all && process == trace->processes)
		trace->has_begun = true;
	return now.st_dev == program.st_dev && now.st_ino == program.st_ino;
}

/* Does no signal get to it? The C library keeps two for itself. */
static bool
blocks_all(pid_t pid)
{
	const uint64_t own = UINT64_C(3) << 31;
	const uint64_t never =
	    UINT64_C(1) << (SIGKILL - 1) | UINT64_C(1) << (SIGSTOP - 1);
	uint64_t mask = 0;

	return ptrace(PTRACE_GETSIGMASK, pid, sizeof(mask), &mask) == 0 &&
	       (mask | own | never) == UINT64_MAX;
}

static void
hit(struct faults_trace *trace, struct faults_trace_process *process,
    const struct stop *stop)
{
	bool is_done = true;

	trace->is_hit = true;
	/* Then nothing interrupts it. */
	if (trace->order.how == FAULTS_TRACE_FAIL &&
	    trace->order.error == EINTR && blocks_all(process->pid))
		return;
	process->is_hit = true;
	if (trace->order.how == FAULTS_TRACE_FAIL)
		is_done = faults_regs_drop(process->pid);
	else if (trace->order.how == FAULTS_TRACE_SHORT)
		is_done =
		    faults_regs_set_length(process->pid, stop->args[2] / 2);
	if (!is_done)
		trace->is_lost = true;
}

static void
before_call(struct faults_trace *trace, struct faults_trace_process *process,
    const struct stop *stop)
{
	bool is_first = process == trace->processes;
	struct faults_trace_call *call;
	unsigned index;

	if (stop->number == MARK && is_first) {
		trace->has_begun = stop->args[0] != 0;
		return;
	}
	if ((is_first && !trace->has_begun) ||
	    stop->number >= FAULTS_TRACE_NUMBERS)
		return;
	index = process->seen[stop->number]++;
	if (trace->is_recording && trace->call_count < FAULTS_TRACE_CALLS) {
		call = &trace->calls[trace->call_count++];
		call->process = (int)(process - trace->processes);
		call->index = index;
		call->number = (long)stop->number;
		call->length = stop->args[2];
	}
	if (trace->order.process == process - trace->processes &&
	    trace->order.number == (long)stop->number &&
	    trace->order.index == index)
		hit(trace, process, stop);
}

static void
at_call(struct faults_trace *trace, struct faults_trace_process *process)
{
	struct stop stop;

	memset(&stop, 0, sizeof(stop));
	if (ptrace(PTRACE_GET_SYSCALL_INFO, process->pid, sizeof(stop), &stop) <
	    0) {
		trace->is_lost = errno != ESRCH;
		return;
	}
	if (stop.op == 1) {
		before_call(trace, process, &stop);
	} else if (process->is_hit) {
		process->is_hit = false;
		if (trace->order.how != FAULTS_TRACE_SHORT &&
		    !faults_regs_set_result(process->pid, -trace->order.error))
			trace->is_lost = true;
	}
}

/* Are there calls of this process still to be seen? */
static bool
is_of_interest(const struct faults_trace *trace,
    const struct faults_trace_process *process)
{
	if (trace->is_recording || process->is_hit)
		return true;
	return !trace->is_hit &&
	       trace->order.process == process - trace->processes;
}

/* Let a stopped process go on. */
static void
at_stop(struct faults_trace *trace, struct faults_trace_process *process,
    int status)
{
	int event = status >> 16;
	int signal = WSTOPSIG(status);
	int deliver = 0;

	if (signal == SYSCALL_STOP) {
		at_call(trace, process);
	} else if (event == PTRACE_EVENT_EXEC) {
		if (note_exec(trace, process)) {
			trace->is_started = true;
			process->is_alive = false;
			ptrace(PTRACE_DETACH, process->pid, 0, 0);
			return;
		}
	} else if (signal == SIGSTOP && !process->is_known) {
		ptrace(PTRACE_SETOPTIONS, process->pid, 0,
		    PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE |
			PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
		process->is_known = true;
	} else if (event == 0) {
		deliver = signal;
	}
	ptrace(is_of_interest(trace, process) ? PTRACE_SYSCALL : PTRACE_CONT,
	    process->pid, 0, deliver);
}

static void
at_end(struct faults_trace *trace, struct faults_trace_process *process,
    int status)
{
	process->is_alive = false;
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		process->crash = WTERMSIG(status);
	if (process == trace->processes)
		trace->status = status;
}

static void
kill_all(const struct faults_trace *trace)
{
	int i;

	for (i = 0; i < trace->process_count; i++)
		if (trace->processes[i].is_alive)
			kill(trace->processes[i].pid, SIGKILL);
}

static bool
is_any_alive(const struct faults_trace *trace)
{
	int i;

	for (i = 0; i < trace->process_count; i++)
		if (trace->processes[i].is_alive)
			return true;
	return false;
}

static void
on_alarm(int signal)
{
	(void)signal;
}

/* Ring now and, as a wait may begin just afterwards, again. */
static timer_t
start_clock(int seconds)
{
	const struct itimerspec when = {{0, 200000000}, {seconds, 0}};
	struct sigaction action;
	timer_t timer;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_alarm;
	sigaction(SIGALRM, &action, NULL);
	timer_create(CLOCK_MONOTONIC, NULL, &timer);
	timer_settime(timer, 0, &when, NULL);
	return timer;
}

static void
follow(struct faults_trace *trace)
{
	struct faults_trace_process *process;
	int status;
	pid_t pid;

	while (is_any_alive(trace)) {
		pid = waitpid(-1, &status, __WALL);
		if (pid < 0 && errno == EINTR) {
			trace->is_late = true;
			kill_all(trace);
			continue;
		}
		if (pid < 0) {
			trace->is_lost = true;
			return;
		}
		process = find(trace, pid);
		if (process == NULL && WIFSTOPPED(status))
			process = add(trace, pid);
		if (process == NULL)
			continue; /* was let go and has lost its parent */
		if (WIFSTOPPED(status))
			at_stop(trace, process, status);
		else
			at_end(trace, process, status);
	}
}

void
faults_trace_run(struct faults_trace *trace, void (*fn)(void *), void *arg)
{
	timer_t timer;
	pid_t pid;

	trace->call_count = 0;
	trace->process_count = 0;
	trace->has_begun = trace->is_started = trace->is_hit = false;
	trace->is_late = trace->is_lost = false;
	trace->status = -1;
	pid = fork();
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
			_exit(99);
		raise(SIGSTOP);
		fn(arg);
		_exit(0);
	}
	if (pid < 0) {
		trace->is_lost = true;
		return;
	}
	add(trace, pid);
	timer = start_clock(trace->seconds);
	follow(trace);
	timer_delete(timer);
}
