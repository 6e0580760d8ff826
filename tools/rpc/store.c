/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * store.c - see store.h.
 */

#include "config.h"

#include "rpc/store.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 32

struct slot {
	char *key; /* NULL: free */
	struct omega_sandbox_prepared *prepared;
	unsigned long used; /* when, by counting calls */
};

struct store {
	struct omega_sandbox *sandbox;
	pthread_mutex_t lock; /* for all below */
	struct slot slots[SLOTS];
	unsigned long now;
};

struct store *
store_new(struct omega_sandbox *sandbox)
{
	struct store *store = calloc(1, sizeof(*store));

	if (store == NULL)
		return NULL;
	store->sandbox = sandbox;
	pthread_mutex_init(&store->lock, NULL);
	return store;
}

static void
clear(struct slot *slot)
{
	free(slot->key);
	omega_sandbox_prepared_unref(slot->prepared);
	memset(slot, 0, sizeof(*slot));
}

void
store_free(struct store *store)
{
	size_t i;

	if (store == NULL)
		return;
	for (i = 0; i < SLOTS; i++)
		clear(&store->slots[i]);
	pthread_mutex_destroy(&store->lock);
	free(store);
}

static struct omega_sandbox_prepared *
find(struct store *store, const char *key)
{
	size_t i;

	for (i = 0; i < SLOTS; i++)
		if (store->slots[i].key != NULL &&
		    strcmp(store->slots[i].key, key) == 0) {
			store->slots[i].used = ++store->now;
			return omega_sandbox_prepared_ref(
			    store->slots[i].prepared);
		}
	return NULL;
}

/* Keep one more, in the place of the one not used for longest. */
static void
keep(struct store *store, char *key, struct omega_sandbox_prepared *prepared)
{
	struct slot *slot = &store->slots[0];
	size_t i;

	for (i = 1; i < SLOTS; i++)
		if (store->slots[i].used < slot->used)
			slot = &store->slots[i];
	clear(slot);
	slot->key = key;
	slot->prepared = omega_sandbox_prepared_ref(prepared);
	slot->used = ++store->now;
}

static int
make_policy(struct store *store, const struct call *call,
    struct omega_sandbox_policy **policy, struct omega_sandbox_error *error)
{
	struct omega_sandbox_section tier = OMEGA_SANDBOX_SECTION_INIT;
	const char *name = call->policy;
	int ret = 0;

	tier.is_sandboxed = 1;
	if (call->tier != NULL) {
		ret = omega_sandbox_get_section(store->sandbox,
		    OMEGA_SANDBOX_SECTION_TIER, call->tier, 0, &tier, error);
		name = tier.policy;
	}
	if (ret == 0)
		ret = omega_sandbox_policy_new(
		    store->sandbox, name, policy, error);
	if (ret == 0 && call->work_dir != NULL)
		ret = omega_sandbox_policy_set(
		    *policy, "work_dir", call->work_dir, error);
	if (ret == 0 && call->data_dir != NULL)
		ret = omega_sandbox_policy_set(
		    *policy, "data_dir", call->data_dir, error);
	if (ret == 0 && call->unix_sockets != NULL)
		ret = omega_sandbox_policy_set(
		    *policy, "unix_sockets", call->unix_sockets, error);
	if (ret == 0 && call->session != NULL)
		ret = omega_sandbox_policy_set(
		    *policy, "session", call->session, error);
	/* The configuration says that this tier needs no sandbox. */
	if (ret == 0 && !tier.is_sandboxed)
		ret =
		    omega_sandbox_policy_set(*policy, "backend", "noop", error);
	return ret;
}

static int
prepare(struct store *store, const struct call *call,
    struct omega_sandbox_prepared **prepared, struct omega_sandbox_error *error)
{
	struct omega_sandbox_policy *policy = NULL;
	int ret;

	ret = make_policy(store, call, &policy, error);
	if (ret == 0)
		ret = omega_sandbox_prepare(policy, prepared, error);
	omega_sandbox_policy_unref(policy);
	return ret;
}

/* All that the policy depends on, as one text. Texts have no newline by now,
 * or they are told apart by their lengths. */
static char *
key_of(const struct call *call)
{
	const char *parts[] = {call->policy, call->tier, call->work_dir,
	    call->data_dir, call->unix_sockets, call->session};
	char *key = strdup("");
	size_t i;

	for (i = 0; key != NULL && i < sizeof(parts) / sizeof(parts[0]); i++) {
		char *longer = NULL;
		const char *part = parts[i] != NULL ? parts[i] : "";
		int ret;

		ret = asprintf(&longer, "%s%d:%zu:%s", key, parts[i] != NULL,
		    strlen(part), part);
		free(key);
		key = ret < 0 ? NULL : longer;
	}
	return key;
}

int
store_get(struct store *store, const struct call *call,
    struct omega_sandbox_prepared **prepared, struct omega_sandbox_error *error)
{
	char *key = key_of(call);
	int ret;

	if (key == NULL) {
		snprintf(error->text, sizeof(error->text), "out of memory");
		error->code = OMEGA_SANDBOX_E_MEMORY;
		return OMEGA_SANDBOX_E_MEMORY;
	}
	pthread_mutex_lock(&store->lock);
	*prepared = find(store, key);
	pthread_mutex_unlock(&store->lock);
	if (*prepared != NULL) {
		free(key);
		return 0;
	}
	/* Two may prepare the same at once; both are right. */
	ret = prepare(store, call, prepared, error);
	if (ret < 0) {
		free(key);
		return ret;
	}
	pthread_mutex_lock(&store->lock);
	keep(store, key, *prepared);
	pthread_mutex_unlock(&store->lock);
	return 0;
}
