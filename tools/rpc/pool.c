/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pool.c - see pool.h.
 */

#include "config.h"

#include "rpc/pool.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <omega/sandbox.h>

#include "bytes.h"
#include "rpc/answer.h"
#include "run.h"
#include "tool.h"

#define WAITING_PER_JOB 4

struct job {
	struct job *next;
	struct pool *pool;
	struct call *call;
	struct omega_sandbox_command *command; /* while it runs */
	int fd; /* of its process, or -1 */
	pid_t pid;
	int signal; /* to be sent when it has started, or 0 */
	uint64_t ahead; /* bytes told that the host has not dealt with */
	bool is_cancelled;
	bool is_over; /* its id may be had again as soon as it is answered */
};

struct pool {
	struct store *store;
	pthread_t *threads;
	size_t most_threads;
	size_t most; /* jobs that may be there */
	pthread_mutex_t lock; /* for all below */
	size_t thread_count;
	size_t idle_count; /* of them with nothing to do */
	pthread_cond_t changed;
	struct job *waiting; /* first come first */
	struct job *running;
	size_t count; /* of both */
	size_t waiting_count;
	size_t talking_count; /* that may wait for the host */
	bool is_ending;
	bool is_unread;
};

/* Take a job out of a list it is in. */
static void
unlink_job(struct job **list, struct job *job)
{
	while (*list != job)
		list = &(*list)->next;
	*list = job->next;
}

/* A moment without the lock, or less if something changes. */
static void
pause_changed(struct pool *pool)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 100000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
}

/* Under the lock: is there a reason to wait for the host? The command may have
 * been ended meanwhile. */
static bool
is_ahead(const struct job *job)
{
	struct pollfd set = {.fd = job->fd, .events = POLLIN};

	return job->call->window != 0 && job->ahead >= job->call->window &&
	       !job->is_cancelled && !job->pool->is_ending &&
	       !job->pool->is_unread && poll(&set, 1, 0) == 0;
}

static int
tell_output(void *arg, int which, const void *bytes, size_t len)
{
	struct job *job = arg;
	json_t *event = json_pack("{s:s, s:s}", "kind", "output", "stream",
	    which == 1 ? "stdout" : "stderr");

	if (event == NULL || bytes_set(event, "data", bytes, len) < 0) {
		json_decref(event);
		return -1;
	}
	if (!answer_value(job->call->id, "event", event))
		return -1;
	pthread_mutex_lock(&job->pool->lock);
	job->ahead += len;
	while (is_ahead(job))
		pause_changed(job->pool);
	pthread_mutex_unlock(&job->pool->lock);
	return 0;
}

static int
hear(void *arg, const struct omega_sandbox_event *event)
{
	bool is_stop = event->kind == OMEGA_SANDBOX_EVENT_STOPPED;
	struct job *job = arg;
	struct call *call = job->call;

	if (call->is_streamed && event->kind != OMEGA_SANDBOX_EVENT_ENDED)
		answer_value(call->id, "event",
		    json_pack("{s:s, s:i}", "kind",
			is_stop ? "stopped" : "started",
			is_stop ? "signal" : "pid",
			is_stop ? event->signal : (int)event->pid));
	if (is_stop)
		return 0;
	pthread_mutex_lock(&job->pool->lock);
	job->pid = event->pid;
	job->fd = event->kind == OMEGA_SANDBOX_EVENT_STARTED ? event->fd : -1;
	if (job->fd >= 0 && job->signal != 0)
		stand_in_signal(job->fd, job->pid, job->signal);
	pthread_mutex_unlock(&job->pool->lock);
	/* Whoever writes is to notice when the command closes its end. */
	if (call->input_fd >= 0)
		close(call->input_fd);
	call->input_fd = -1;
	return 0;
}

static int
make_command(struct job *job, struct omega_sandbox_prepared *prepared,
    struct omega_sandbox_command **command, struct omega_sandbox_error *error)
{
	const struct call *call = job->call;
	size_t i;
	int ret;

	ret =
	    omega_sandbox_command_new(prepared, call->words[0], command, error);
	for (i = 1; ret == 0 && call->words[i] != NULL; i++)
		ret = omega_sandbox_command_add_arg(
		    *command, call->words[i], error);
	if (ret == 0 && call->cwd != NULL)
		ret = omega_sandbox_command_set(
		    *command, "dir", call->cwd, error);
	if (ret == 0 && call->env != NULL)
		ret = omega_sandbox_command_set_env(
		    *command, (const char *const *)call->env, error);
	if (ret == 0 && call->input != NULL)
		ret = omega_sandbox_command_set_input(
		    *command, call->input, call->input_len, error);
	if (ret == 0 && call->input_fd >= 0)
		ret = omega_sandbox_command_set_stdio(
		    *command, 0, OMEGA_SANDBOX_STDIO_FD, call->input_fd, error);
	if (ret == 0 && call->context != NULL)
		ret = omega_sandbox_command_set(
		    *command, "context", call->context, error);
	if (ret == 0)
		ret = omega_sandbox_command_set_events(
		    *command, hear, job, error);
	if (ret == 0 && call->is_streamed)
		ret = omega_sandbox_command_set_output(
		    *command, tell_output, job, error);
	if (ret == 0 && call->timeout_ms != 0)
		ret = omega_sandbox_command_set_number(
		    *command, "timeout_ms", call->timeout_ms, error);
	if (ret == 0 && call->max_output != 0)
		ret = omega_sandbox_command_set_number(
		    *command, "max_output", call->max_output, error);
	if (ret == 0 && call->grace_ms != 0)
		ret = omega_sandbox_command_set_number(
		    *command, "grace_ms", call->grace_ms, error);
	return ret;
}

/* Let others end it from now on. False: somebody has already. */
static bool
show_command(
    struct pool *pool, struct job *job, struct omega_sandbox_command *command)
{
	bool is_wanted;

	pthread_mutex_lock(&pool->lock);
	is_wanted = !job->is_cancelled;
	job->command = command;
	pthread_mutex_unlock(&pool->lock);
	return is_wanted;
}

static void
hide_command(struct pool *pool, struct job *job)
{
	pthread_mutex_lock(&pool->lock);
	job->command = NULL;
	job->is_over = true;
	pthread_mutex_unlock(&pool->lock);
}

static bool
run(struct pool *pool, struct job *job)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_command *command = NULL;
	struct omega_sandbox_result *result = NULL;
	const char *work_dir = call_under(job->call, "work_dir");
	struct left *left = NULL;
	json_t *before = NULL;
	json_t *hosts = NULL;
	bool is_wanted;
	bool is_read;
	int ret;

	ret = store_get(pool->store, job->call, &prepared, &error);
	if (ret == 0)
		ret = make_command(job, prepared, &command, &error);
	if (ret == 0 && work_dir != NULL &&
	    call_under(job->call, "agent") != NULL)
		left = left_look(work_dir);
	is_wanted = ret < 0 || show_command(pool, job, command);
	if (ret == 0 && is_wanted) {
		before = tool_json_hosts(prepared, NULL, NULL);
		ret = omega_sandbox_capture(command, &result, &error);
		hosts = tool_json_hosts(prepared, NULL, before);
	}
	left_tell(left);
	hide_command(pool, job);
	if (!is_wanted)
		is_read = answer_cancelled(job->call->id);
	else
		is_read = ret < 0 ? answer_error(job->call->id, &error)
				  : answer_result(job->call, result, hosts);
	json_decref(before);
	json_decref(hosts);
	omega_sandbox_result_free(result);
	omega_sandbox_command_unref(command);
	omega_sandbox_prepared_unref(prepared);
	return is_read;
}

/* Describe the policy, or check paths by it. */
static bool
look(struct pool *pool, struct job *job)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_policy *policy = NULL;
	struct omega_sandbox_report *report = NULL;
	struct omega_sandbox_guard *guard = NULL;
	const struct call *call = job->call;
	json_t *value = NULL;
	int ret;

	ret = store_policy(pool->store, call, &policy, &error);
	if (ret == 0 && call->kind == CALL_DESCRIBE)
		ret = omega_sandbox_describe(policy, &report, &error);
	else if (ret == 0)
		ret =
		    omega_sandbox_guard_new_for_policy(policy, &guard, &error);
	if (ret == 0)
		value = report != NULL
			    ? tool_json_report(report)
			    : tool_json_check(guard, call->access, call->words);
	omega_sandbox_guard_free(guard);
	omega_sandbox_report_unref(report);
	omega_sandbox_policy_unref(policy);
	hide_command(pool, job);
	if (ret < 0)
		return answer_error(call->id, &error);
	return answer_value(
	    call->id, call->kind == CALL_DESCRIBE ? "report" : "check", value);
}

static bool
is_talking(const struct call *call)
{
	return call->is_open || call->window != 0;
}

/* Under the lock. */
static void
drop_job(struct pool *pool, struct job *job)
{
	pool->count--;
	pool->talking_count -= is_talking(job->call);
	pthread_cond_broadcast(&pool->changed);
	call_free(job->call);
	free(job);
}

static void *
work(void *arg)
{
	struct pool *pool = arg;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		struct job *job = pool->waiting;
		bool is_read;

		if (job == NULL && pool->is_ending)
			break;
		if (job == NULL) {
			pool->idle_count++;
			pthread_cond_wait(&pool->changed, &pool->lock);
			pool->idle_count--;
			continue;
		}
		pool->waiting = job->next;
		pool->waiting_count--;
		job->next = pool->running;
		pool->running = job;
		pthread_mutex_unlock(&pool->lock);
		is_read = job->call->kind == CALL_RUN ? run(pool, job)
						      : look(pool, job);
		pthread_mutex_lock(&pool->lock);
		unlink_job(&pool->running, job);
		if (!is_read)
			pool->is_unread = true;
		drop_job(pool, job);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct pool *
pool_new(struct store *store, size_t jobs)
{
	struct pool *pool = calloc(1, sizeof(*pool));

	if (pool == NULL)
		return NULL;
	pool->store = store;
	pool->most = jobs * WAITING_PER_JOB;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->changed, NULL);
	pool->threads = calloc(jobs, sizeof(*pool->threads));
	pool->most_threads = jobs;
	if (pool->threads != NULL)
		return pool;
	pool_free(pool, true);
	return NULL;
}

static struct job *
find(struct job *list, const json_t *id)
{
	for (; list != NULL; list = list->next)
		if (!list->is_over && json_equal(list->call->id, id))
			return list;
	return NULL;
}

/* Under the lock. */
static struct job *
find_any(struct pool *pool, const json_t *id)
{
	struct job *job = find(pool->running, id);

	return job != NULL ? job : find(pool->waiting, id);
}

bool
pool_has(struct pool *pool, const json_t *id)
{
	bool is_found;

	pthread_mutex_lock(&pool->lock);
	is_found = find_any(pool, id) != NULL;
	pthread_mutex_unlock(&pool->lock);
	return is_found;
}

/* Under the lock: one more to do, and a thread for it where none is idle. */
static bool
add(struct pool *pool, struct job *job)
{
	struct job **end = &pool->waiting;

	if (pool->waiting_count >= pool->idle_count &&
	    pool->thread_count < pool->most_threads &&
	    pthread_create(
		&pool->threads[pool->thread_count], NULL, work, pool) == 0)
		pool->thread_count++;
	if (pool->thread_count == 0)
		return false;
	while (*end != NULL)
		end = &(*end)->next;
	*end = job;
	pool->count++;
	pool->waiting_count++;
	pool->talking_count += is_talking(job->call);
	pthread_cond_broadcast(&pool->changed);
	return true;
}

bool
pool_add(struct pool *pool, struct call *call)
{
	struct job *job = calloc(1, sizeof(*job));
	bool is_added = false;
	bool is_unread;

	pthread_mutex_lock(&pool->lock);
	while (pool->count >= pool->most && !pool->is_unread &&
	       pool->talking_count + is_talking(call) == 0)
		pthread_cond_wait(&pool->changed, &pool->lock);
	is_unread = pool->is_unread;
	if (job != NULL && !is_unread) {
		job->call = call;
		job->pool = pool;
		job->fd = -1;
		is_added = add(pool, job);
	}
	pthread_mutex_unlock(&pool->lock);
	if (is_added)
		return true;
	if (!is_unread)
		is_unread = !answer_fault(
		    call->id, "memory", "not enough memory or threads");
	call_free(call);
	free(job);
	return !is_unread;
}

/*
 * Under the lock. False: it is about to begin, and cannot be ended before it
 * has; try again.
 */
static bool
cancel(struct job *job)
{
	job->is_cancelled = true;
	pthread_cond_broadcast(&job->pool->changed);
	return job->command == NULL ||
	       omega_sandbox_command_cancel(job->command) !=
		   OMEGA_SANDBOX_E_STATE;
}

/* A moment without the lock for those who must try again. */
static void
pause_unlocked(struct pool *pool)
{
	const struct timespec moment = {0, 1000000};

	pthread_mutex_unlock(&pool->lock);
	nanosleep(&moment, NULL);
	pthread_mutex_lock(&pool->lock);
}

bool
pool_cancel(struct pool *pool, const json_t *id)
{
	struct job *job;
	bool is_found;

	pthread_mutex_lock(&pool->lock);
	job = find(pool->waiting, id);
	is_found = job != NULL;
	if (is_found) {
		/* All threads may be busy for long. */
		unlink_job(&pool->waiting, job);
		pool->waiting_count--;
		pool->is_unread |= !answer_cancelled(id);
		drop_job(pool, job);
	}
	while ((job = find(pool->running, id)) != NULL) {
		is_found = true;
		if (cancel(job))
			break;
		pause_unlocked(pool);
	}
	pthread_mutex_unlock(&pool->lock);
	return is_found;
}

void
pool_read(struct pool *pool, const json_t *id, uint64_t bytes)
{
	struct job *job;

	pthread_mutex_lock(&pool->lock);
	job = find_any(pool, id);
	if (job != NULL)
		job->ahead -= bytes < job->ahead ? bytes : job->ahead;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
}

bool
pool_signal(struct pool *pool, const json_t *id, int number)
{
	struct job *job;

	pthread_mutex_lock(&pool->lock);
	job = find_any(pool, id);
	if (job != NULL && job->fd >= 0)
		stand_in_signal(job->fd, job->pid, number);
	else if (job != NULL)
		job->signal = number;
	pthread_mutex_unlock(&pool->lock);
	return job != NULL;
}

void
pool_tell(struct pool *pool, const json_t *id, json_t *event)
{
	pthread_mutex_lock(&pool->lock);
	if (find_any(pool, id) == NULL)
		json_decref(event);
	else if (!answer_value(id, "event", event))
		pool->is_unread = true;
	pthread_mutex_unlock(&pool->lock);
}

void
pool_end(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->is_ending = true;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
}

/* Under the lock: is every call cancelled? */
static bool
cancel_all(struct pool *pool)
{
	bool is_done = true;
	struct job *job;

	for (job = pool->running; job != NULL; job = job->next)
		is_done = cancel(job) && is_done;
	for (job = pool->waiting; job != NULL; job = job->next)
		is_done = cancel(job) && is_done;
	return is_done;
}

bool
pool_free(struct pool *pool, bool is_hurried)
{
	struct pollfd host = {.fd = STDOUT_FILENO};
	bool is_read;
	size_t i;

	pool_end(pool);
	pthread_mutex_lock(&pool->lock);
	while (!is_hurried && pool->count > 0) {
		pause_changed(pool);
		poll(&host, 1, 0);
		is_hurried = pool->is_unread ||
			     (host.revents & (POLLERR | POLLHUP)) != 0;
	}
	while (is_hurried && !cancel_all(pool))
		pause_unlocked(pool);
	pthread_mutex_unlock(&pool->lock);
	for (i = 0; i < pool->thread_count; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->changed);
	pthread_mutex_destroy(&pool->lock);
	is_read = !pool->is_unread;
	free(pool->threads);
	free(pool);
	return is_read;
}
