/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pool.c - see pool.h.
 */

#include "config.h"

#include "rpc/pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <omega/sandbox.h>

#include "rpc/answer.h"

#define WAITING_PER_JOB 4

struct job {
	struct job *next;
	struct call *call;
	struct omega_sandbox_command *command; /* while it runs */
	bool is_cancelled;
	bool is_over; /* its id may be had again as soon as it is answered */
};

struct pool {
	struct store *store;
	pthread_t *threads;
	size_t thread_count;
	size_t most; /* jobs that may be there */
	pthread_mutex_t lock; /* for all below */
	pthread_cond_t changed;
	struct job *waiting; /* first come first */
	struct job *running;
	size_t count; /* of both */
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

static int
make_command(const struct call *call, struct omega_sandbox_prepared *prepared,
    struct omega_sandbox_command **command, struct omega_sandbox_error *error)
{
	size_t i;
	int ret;

	ret =
	    omega_sandbox_command_new(prepared, call->argv[0], command, error);
	for (i = 1; ret == 0 && call->argv[i] != NULL; i++)
		ret = omega_sandbox_command_add_arg(
		    *command, call->argv[i], error);
	if (ret == 0 && call->cwd != NULL)
		ret = omega_sandbox_command_set(
		    *command, "dir", call->cwd, error);
	if (ret == 0 && call->env != NULL)
		ret = omega_sandbox_command_set_env(
		    *command, (const char *const *)call->env, error);
	if (ret == 0 && call->input != NULL)
		ret = omega_sandbox_command_set_input(
		    *command, call->input, call->input_len, error);
	if (ret == 0 && call->timeout_ms != 0)
		ret = omega_sandbox_command_set_number(
		    *command, "timeout_ms", call->timeout_ms, error);
	if (ret == 0 && call->max_output != 0)
		ret = omega_sandbox_command_set_number(
		    *command, "max_output", call->max_output, error);
	if (ret == 0 && call->grace_ms >= 0)
		ret = omega_sandbox_command_set_number(
		    *command, "grace_ms", (uint64_t)call->grace_ms, error);
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
	bool is_wanted;
	bool is_read;
	int ret;

	ret = store_get(pool->store, job->call, &prepared, &error);
	if (ret == 0)
		ret = make_command(job->call, prepared, &command, &error);
	is_wanted = ret < 0 || show_command(pool, job, command);
	if (ret == 0 && is_wanted)
		ret = omega_sandbox_capture(command, &result, &error);
	hide_command(pool, job);
	if (!is_wanted)
		is_read = answer_fault(
		    job->call->id, "cancelled", "cancelled before it began");
	else
		is_read = ret < 0 ? answer_error(job->call->id, &error)
				  : answer_result(job->call->id, result);
	omega_sandbox_result_free(result);
	omega_sandbox_command_unref(command);
	omega_sandbox_prepared_unref(prepared);
	return is_read;
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
			pthread_cond_wait(&pool->changed, &pool->lock);
			continue;
		}
		pool->waiting = job->next;
		job->next = pool->running;
		pool->running = job;
		pthread_mutex_unlock(&pool->lock);
		is_read = run(pool, job);
		pthread_mutex_lock(&pool->lock);
		unlink_job(&pool->running, job);
		pool->count--;
		if (!is_read)
			pool->is_unread = true;
		pthread_cond_broadcast(&pool->changed);
		call_free(job->call);
		free(job);
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
	while (pool->threads != NULL && pool->thread_count < jobs &&
	       pthread_create(
		   &pool->threads[pool->thread_count], NULL, work, pool) == 0)
		pool->thread_count++;
	if (pool->thread_count == jobs)
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

bool
pool_add(struct pool *pool, struct call *call)
{
	struct job *job = calloc(1, sizeof(*job));
	struct job **end;
	bool is_taken;
	bool is_unread;

	if (job == NULL) {
		answer_fault(call->id, "memory", "out of memory");
		call_free(call);
		return true;
	}
	job->call = call;
	pthread_mutex_lock(&pool->lock);
	while (pool->count >= pool->most && !pool->is_unread)
		pthread_cond_wait(&pool->changed, &pool->lock);
	is_unread = pool->is_unread;
	is_taken = find(pool->waiting, call->id) != NULL ||
		   find(pool->running, call->id) != NULL;
	if (!is_taken && !is_unread) {
		for (end = &pool->waiting; *end != NULL; end = &(*end)->next)
			continue;
		*end = job;
		pool->count++;
		pthread_cond_broadcast(&pool->changed);
	}
	pthread_mutex_unlock(&pool->lock);
	if (is_taken)
		is_unread = !answer_fault(call->id, "request",
		    "id: a call with this id is under way");
	if (is_taken || is_unread) {
		call_free(call);
		free(job);
	}
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
	return job->command == NULL ||
	       omega_sandbox_command_cancel(job->command) !=
		   OMEGA_SANDBOX_E_STATE;
}

/* A moment without the lock, for those who must try again. */
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
	bool is_found = false;
	struct job *job;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		job = find(pool->running, id);
		if (job == NULL)
			job = find(pool->waiting, id);
		if (job == NULL)
			break;
		is_found = true;
		if (cancel(job))
			break;
		pause_unlocked(pool);
	}
	pthread_mutex_unlock(&pool->lock);
	return is_found;
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
	bool is_read;
	size_t i;

	pthread_mutex_lock(&pool->lock);
	pool->is_ending = true;
	while (is_hurried && !cancel_all(pool))
		pause_unlocked(pool);
	pthread_cond_broadcast(&pool->changed);
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
