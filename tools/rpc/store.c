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

/* All values of one name. None at all: nothing is on that list. */
static int
set_all(struct omega_sandbox_policy *policy, const char *name,
    const json_t *values, struct omega_sandbox_error *error)
{
	size_t i;
	int ret = 0;

	if (json_array_size(values) == 0 && strncmp(name, "deny", 4) != 0)
		return omega_sandbox_policy_set(policy, name, "", error);
	for (i = 0; ret == 0 && i < json_array_size(values); i++)
		ret = omega_sandbox_policy_set(policy, name,
		    json_string_value(json_array_get(values, i)), error);
	return ret;
}

int
store_policy(struct store *store, const struct call *call,
    struct omega_sandbox_policy **policy, struct omega_sandbox_error *error)
{
	struct omega_sandbox_section tier = OMEGA_SANDBOX_SECTION_INIT;
	const char *tier_name = call_under(call, "tier");
	const char *name = call_under(call, "policy");
	json_t *values;
	int ret = 0;

	tier.is_sandboxed = 1;
	if (tier_name != NULL) {
		ret = omega_sandbox_get_section(store->sandbox,
		    OMEGA_SANDBOX_SECTION_TIER, tier_name, 0, &tier, error);
		name = tier.policy;
	}
	if (ret == 0)
		ret = omega_sandbox_policy_new(
		    store->sandbox, name, policy, error);
	/* The configuration says that this tier needs no sandbox. */
	if (ret == 0 && !tier.is_sandboxed)
		ret =
		    omega_sandbox_policy_set(*policy, "backend", "noop", error);
	json_object_foreach(call->under, name, values)
	{
		if (ret == 0 && strcmp(name, "policy") != 0 &&
		    strcmp(name, "tier") != 0)
			ret = set_all(*policy, name, values, error);
	}
	return ret;
}

static int
prepare(struct store *store, const struct call *call,
    struct omega_sandbox_prepared **prepared, struct omega_sandbox_error *error)
{
	struct omega_sandbox_policy *policy = NULL;
	int ret;

	ret = store_policy(store, call, &policy, error);
	if (ret == 0)
		ret = omega_sandbox_prepare(policy, prepared, error);
	omega_sandbox_policy_unref(policy);
	return ret;
}

int
store_get(struct store *store, const struct call *call,
    struct omega_sandbox_prepared **prepared, struct omega_sandbox_error *error)
{
	char *key = json_dumps(call->under, JSON_COMPACT | JSON_SORT_KEYS);
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
