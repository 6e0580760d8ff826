/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capture.c - see capture.h.
 *
 * The end is what the supervisor says, never the end of file of a pipe: others
 * may hold one open for as long as they like. What is in the pipes when all
 * processes have ended is all there will ever be.
 */

#include "config.h"

#include "run/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system.h"
#include "run/supervisor.h"

/* As much as a pipe holds, so that one that is full is emptied at once. */
#define CHUNK ((size_t)64 * 1024)

/* A supervisor that is late by so much is woken now and then, and given up
 * when that has been done so often. We may have been stopped ourselves, so
 * that the time alone says nothing. The first process of a namespace is killed
 * at once, and takes everything with it. */
#define LATE_MS UINT64_C(5000)
#define LATE_FIRST_MS UINT64_C(900)
#define WAKE_MS 100
#define MAX_WAKES 300

/* When all have ended: no more than a pipe can hold is read. */
#define MAX_PIPE ((uint64_t)1 << 20)

struct serving {
	const struct omega_capture *how;
	struct omega_captured *captured;
	struct omega_supervised supervised;
	struct omega_supervisor_word word;
	uint8_t *chunk;
	bool is_cancelling; /* it has been asked to end */
	bool is_short; /* of memory */
	bool has_ended; /* the command, if nothing it has left */
	uint64_t told; /* bytes, of both streams */
	uint64_t overdue; /* when it should have been over; 0: never */
	int wakes; /* so often it was woken since */
};

/* So long from now on, and then it is a matter of the grace period. */
static void
expect_end(struct serving *serving, uint64_t ms)
{
	serving->overdue =
	    omega_system_now_ms() + ms + serving->how->grace_ms +
	    (serving->supervised.is_first ? LATE_FIRST_MS : LATE_MS);
	serving->wakes = 0;
}

static void
cancel(struct serving *serving)
{
	if (serving->is_cancelling)
		return;
	omega_supervise_cancel(&serving->supervised);
	serving->is_cancelling = true;
	expect_end(serving, 0);
}

/* Tell as much of it as the bound allows. */
static void
tell(struct serving *serving, int which, size_t len)
{
	const struct omega_capture *how = serving->how;
	struct omega_excerpt *kept = &serving->captured->streams[which - 1];

	kept->seen += len;
	if (how->max_output != 0 && len > how->max_output - serving->told) {
		kept->is_truncated = true;
		len = (size_t)(how->max_output - serving->told);
	}
	serving->told += len;
	if (len > 0 && !serving->is_cancelling &&
	    how->output(how->output_arg, which, serving->chunk, len) != 0)
		cancel(serving);
}

/* Read what is there. False: nothing is, and end of file closes it. */
static bool
drain(struct serving *serving, int which)
{
	struct omega_excerpt *kept = &serving->captured->streams[which - 1];
	int *fd = &serving->supervised.stdio[which];
	ssize_t len = read(*fd, serving->chunk, CHUNK);

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (len <= 0) {
		close(*fd);
		*fd = -1;
		return false;
	}
	if (serving->how->output != NULL) {
		tell(serving, which, (size_t)len);
	} else if (omega_excerpt_add(kept, serving->chunk, (size_t)len) < 0) {
		serving->is_short = true;
		cancel(serving);
	}
	return true;
}

/* All have ended; somebody outside who has been given a pipe may go on. */
static void
drain_rest(struct serving *serving)
{
	uint64_t end;
	int i;

	for (i = 1; i <= 2; i++) {
		end = serving->captured->streams[i - 1].seen + MAX_PIPE;
		while (serving->supervised.stdio[i] >= 0 &&
		       serving->captured->streams[i - 1].seen < end &&
		       drain(serving, i))
			;
	}
}

/*
 * A command whose signals are not kept inside can stop the supervisor. How long
 * to wait for it, and what to do when that is over. -1: for ever.
 */
static int
look_after(struct serving *serving)
{
	uint64_t now = omega_system_now_ms();

	if (serving->overdue == 0)
		return -1;
	if (now < serving->overdue)
		return serving->overdue - now < INT_MAX
			   ? (int)(serving->overdue - now)
			   : INT_MAX;
	if (++serving->wakes > MAX_WAKES || serving->supervised.is_first)
		omega_supervise_kill(&serving->supervised);
	else
		omega_supervise_wake(&serving->supervised);
	return WAKE_MS;
}

/* What the supervisor has to say. 1: it is over; 0; or -EPIPE. */
static int
hear(struct serving *serving)
{
	int ret = omega_supervise_hear(&serving->supervised, &serving->word);

	if (ret <= 0 || serving->word.kind != OMEGA_SUPERVISOR_STOPPED)
		return ret;
	if (omega_event_tell(&serving->how->event, OMEGA_SANDBOX_EVENT_STOPPED,
		serving->supervised.pid, serving->supervised.pidfd,
		serving->word.signal) != 0)
		omega_supervise_continue(&serving->supervised);
	return 0;
}

/* Until the supervisor says that it is over. 0 or -EPIPE. */
static int
serve(struct serving *serving)
{
	struct pollfd set[5];
	int ret;
	int i;

	if (serving->how->timeout_ms != 0)
		expect_end(serving, serving->how->timeout_ms);
	for (;;) {
		set[0] = (struct pollfd){
		    .fd = serving->supervised.control, .events = POLLIN};
		for (i = 1; i <= 2; i++)
			set[i] =
			    (struct pollfd){.fd = serving->supervised.stdio[i],
				.events = POLLIN};
		set[3] = (struct pollfd){
		    .fd = serving->is_cancelling ? -1 : serving->how->cancel,
		    .events = POLLIN};
		/* A supervisor that was stopped does not notice it. */
		set[4] = (struct pollfd){
		    .fd = serving->has_ended ? -1 : serving->supervised.pidfd,
		    .events = POLLIN};
		if (poll(set, 5, look_after(serving)) < 0)
			continue;
		if (set[3].revents != 0)
			cancel(serving);
		for (i = 1; i <= 2; i++)
			if (set[i].revents != 0)
				drain(serving, i);
		if (set[4].revents != 0) {
			serving->has_ended = true;
			expect_end(serving, 0);
		}
		if (set[0].revents == 0)
			continue;
		ret = hear(serving);
		if (ret != 0)
			return ret < 0 ? ret : 0;
	}
}

static void
fill(struct omega_captured *captured, const struct serving *serving)
{
	const struct omega_supervisor_word *word = &serving->word;
	struct omega_sandbox_outcome *outcome = &captured->outcome;
	struct omega_end end;

	omega_end_fill(&end, word->wait_status);
	outcome->status = word->is_unended != 0 ? -1 : end.status;
	outcome->signal = end.signal;
	outcome->is_core_dumped = end.is_core_dumped;
	outcome->left = word->left;
	if (word->is_unended != 0)
		outcome->left += outcome->left == 0;
	outcome->is_timed_out = word->is_timed_out != 0;
	outcome->is_cancelled = word->is_cancelled != 0;
	outcome->cpu_ms = word->cpu_us / 1000;
	outcome->peak_memory = word->peak;
	outcome->is_truncated = captured->streams[0].is_truncated ||
				captured->streams[1].is_truncated;
}

/* The bound is for both streams: one that needs no half leaves the rest of it
 * to the other. */
static void
share(const struct omega_excerpt streams[2], size_t most[2])
{
	size_t all = streams[0].most;
	size_t half = all / 2;

	most[0] = most[1] = all;
	if (streams[0].seen + streams[1].seen <= all)
		return;
	if (streams[1].seen <= half)
		most[1] = (size_t)streams[1].seen;
	else if (streams[0].seen <= all - half)
		most[1] = all - (size_t)streams[0].seen;
	else
		most[1] = half;
	most[0] = all - most[1];
}

/* What had not ended in time when the first process of a namespace spoke has
 * when that one has. */
static void
look_again(struct serving *serving)
{
	struct omega_supervisor_word *word = &serving->word;

	if (word->left == 0 && word->is_unended == 0)
		return;
	if (omega_supervise_is_over(&serving->supervised))
		word->left = 0;
	else if (!serving->supervised.is_first ||
		 omega_end_wait(serving->supervised.pidfd, 0) != 1)
		return;
	if (word->is_unended != 0)
		word->wait_status = SIGKILL;
	word->is_unended = 0;
}

static int
finish(struct serving *serving, struct omega_sandbox_error *error)
{
	struct omega_captured *captured = serving->captured;
	size_t most[2];
	int i;

	look_again(serving);
	drain_rest(serving);
	share(captured->streams, most);
	for (i = 0; i < 2; i++) {
		bool is_truncated = captured->streams[i].is_truncated;

		if (serving->how->output != NULL) {
			uint64_t seen = captured->streams[i].seen;

			captured->streams[i].seen = 0;
			serving->is_short |=
			    omega_excerpt_finish(&captured->streams[i], 0) < 0;
			captured->streams[i].seen = seen;
			captured->streams[i].is_truncated = is_truncated;
			continue;
		}
		serving->is_short |=
		    omega_excerpt_finish(&captured->streams[i], most[i]) < 0;
	}
	fill(captured, serving);
	return serving->is_short ? omega_error_memory(error) : 0;
}

/*
 * Nobody sees to it any more. With the first process of a namespace all end
 * that can, and how the command did its descriptor may know, or we: killed by
 * us.
 */
static int
do_without(struct serving *serving, struct omega_sandbox_error *error)
{
	struct omega_supervisor_word *word = &serving->word;
	struct omega_end end;

	*word = (struct omega_supervisor_word){.kind = OMEGA_SUPERVISOR_DONE,
	    .is_unended = serving->wakes != 0,
	    .left = 1};
	if (!serving->supervised.is_first ||
	    (serving->wakes == 0 && omega_end_ask(serving->supervised.pidfd,
					serving->supervised.pid, &end) != 1))
		return omega_supervise_lost(&serving->supervised, error);
	if (serving->wakes == 0)
		word->wait_status =
		    end.signal != 0 ? end.signal : (end.status & 0xff) << 8;
	word->is_cancelled = serving->is_cancelling;
	word->is_timed_out = !serving->is_cancelling && !serving->has_ended &&
			     serving->wakes != 0;
	return finish(serving, error);
}

static int
make_nonblocking(const struct omega_supervised *supervised)
{
	int flags;
	int i;

	for (i = 1; i <= 2; i++) {
		if (supervised->stdio[i] < 0)
			continue;
		flags = fcntl(supervised->stdio[i], F_GETFL);
		if (flags < 0 || fcntl(supervised->stdio[i], F_SETFL,
				     flags | O_NONBLOCK) < 0)
			return -errno;
	}
	return 0;
}

static int
capture(const struct omega_launch *launch, const struct omega_command *command,
    struct serving *serving, struct omega_sandbox_error *error)
{
	const struct omega_capture *how = serving->how;
	int ret;

	ret = omega_supervise_start(launch, command, how->timeout_ms,
	    how->grace_ms, how->event.fn != NULL, &serving->supervised, error);
	serving->captured->pid = serving->supervised.pid;
	if (ret < 0)
		return ret;
	omega_event_tell(&how->event, OMEGA_SANDBOX_EVENT_STARTED,
	    serving->supervised.pid, serving->supervised.pidfd, 0);
	memcpy(serving->captured->dir_left, serving->supervised.left,
	    strlen(serving->supervised.left) + 1);
	ret = make_nonblocking(&serving->supervised);
	if (ret < 0)
		ret = omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -ret,
		    "a pipe of the command: %s", strerror(-ret));
	else if (serve(serving) < 0)
		ret = do_without(serving, error);
	else
		ret = finish(serving, error);
	omega_event_tell(&how->event, OMEGA_SANDBOX_EVENT_ENDED,
	    serving->supervised.pid, serving->supervised.pidfd, 0);
	omega_supervise_drop(&serving->supervised);
	omega_supervise_leave(launch, &serving->supervised);
	return ret;
}

/* The streams as a capture has them, unless somebody has set them. */
static int
set_streams(struct omega_command *command, const struct omega_capture *how,
    int *input, struct omega_sandbox_error *error)
{
	int i;

	*input = -1;
	for (i = 1; i <= 2; i++)
		if (!command->stdio[i].is_set &&
		    (!how->is_inheriting || how->max_output != 0))
			command->stdio[i].how = OMEGA_SANDBOX_STDIO_PIPE;
	if (command->stdio[0].is_set &&
	    command->stdio[0].how != OMEGA_SANDBOX_STDIO_PIPE)
		return 0;
	if (how->input_len == 0) {
		if (!how->is_inheriting || how->input != NULL ||
		    command->stdio[0].is_set)
			command->stdio[0].how = OMEGA_SANDBOX_STDIO_NULL;
		return 0;
	}
	*input = omega_system_make_input(how->input, how->input_len);
	if (*input < 0)
		return omega_error_set(error, OMEGA_SANDBOX_E_SYSTEM, -*input,
		    "the command's input cannot be kept: %s",
		    strerror(-*input));
	command->stdio[0].how = OMEGA_SANDBOX_STDIO_FD;
	command->stdio[0].fd = *input;
	return 0;
}

int
omega_capture_run(const struct omega_launch *launch,
    const struct omega_command *command, const struct omega_capture *how,
    struct omega_captured *captured, struct omega_sandbox_error *error)
{
	struct omega_command changed = *command;
	struct serving serving = {.how = how, .captured = captured};
	uint64_t begin = omega_system_now_ms();
	int saved = errno;
	int input = -1;
	int off;
	int ret;
	int i;

	memset(captured, 0, sizeof(*captured));
	for (i = 0; i < 2; i++)
		omega_excerpt_init(&captured->streams[i],
		    how->max_output == 0 || how->max_output > SIZE_MAX / 2
			? SIZE_MAX / 2
			: (size_t)how->max_output);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &off);
	serving.chunk = malloc(CHUNK);
	ret = serving.chunk == NULL ? omega_error_memory(error)
				    : set_streams(&changed, how, &input, error);
	if (ret == 0)
		ret = capture(launch, &changed, &serving, error);
	captured->outcome.duration_ms = omega_system_now_ms() - begin;
	if (input >= 0)
		close(input);
	free(serving.chunk);
	if (ret < 0)
		omega_capture_drop(captured);
	pthread_setcancelstate(off, NULL);
	errno = saved;
	return ret;
}

void
omega_capture_drop(struct omega_captured *captured)
{
	omega_excerpt_drop(&captured->streams[0]);
	omega_excerpt_drop(&captured->streams[1]);
}
