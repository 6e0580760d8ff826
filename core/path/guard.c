/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * guard.c - keeps rules and their texts on the heap, with an index. Asking is
 * judge.c's work and touches nothing here.
 */

#include "config.h"

#include "path/guard.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <omega/sandbox.h>

#include "base/array.h"
#include "path/aliases.h"
#include "path/pair.h"
#include "path/text.h"

/* Below this many rules a search in turn is as fast as an index. */
#define INDEX_FROM 8

static void
drop_texts(struct omega_rule *rule)
{
	free((char *)(uintptr_t)rule->text);
	free((char *)(uintptr_t)rule->shown);
	free((char *)(uintptr_t)rule->origin);
}

/* Replace the borrowed texts of a rule by copies. */
static int
copy_texts(struct omega_rule *rule)
{
	rule->text = strdup(rule->text);
	rule->shown = strdup(rule->shown);
	rule->origin = strdup(rule->origin);
	if (rule->text != NULL && rule->shown != NULL && rule->origin != NULL)
		return 0;
	drop_texts(rule);
	return -ENOMEM;
}

static int
make_room(struct omega_sandbox_guard *guard, size_t more)
{
	size_t capacity = guard->capacity == 0 ? 32 : guard->capacity;
	struct omega_rule *list;

	while (capacity < guard->rules.count + more)
		capacity *= 2;
	if (capacity == guard->capacity)
		return 0;
	list = omega_array_resize(guard->rules.list, capacity, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	guard->rules.list = list;
	guard->capacity = capacity;
	return 0;
}

/* An index with room for more rules, filled with those there are. */
static int
make_index(struct omega_rules *rules, size_t more)
{
	size_t wanted = rules->count + more;
	size_t slot_count = rules->slot_count == 0 ? 64 : rules->slot_count;
	uint32_t *slots;
	size_t i;

	if (wanted < INDEX_FROM)
		return 0;
	while (slot_count < wanted * 4)
		slot_count *= 2;
	if (slot_count == rules->slot_count)
		return 0;
	slots = calloc(slot_count, sizeof(*slots));
	if (slots == NULL)
		return -ENOMEM;
	free(rules->slots);
	rules->slots = slots;
	rules->slot_count = slot_count;
	for (i = 0; i < rules->count; i++)
		omega_rules_index(rules, i);
	return 0;
}

/*
 * Can something on the rule's own mount have a name below the rule? When the
 * mount table does not tell, yes: then every path is looked for in it.
 */
static bool
is_mixed(const struct omega_place *place)
{
	return omega_place_exists(place) && S_ISDIR(place->object.mode) &&
	       omega_mounts_shows_own_below(place) != 0;
}

/* Add both forms of a pair, or neither. */
static int
add_pair(struct omega_sandbox_guard *guard, const struct omega_pair *pair,
    const struct omega_rule *like)
{
	struct omega_rules *rules = &guard->rules;
	struct omega_rule fresh[2];
	size_t count;
	size_t i;
	int ret;

	count = omega_pair_rules(pair, like, fresh);
	ret = make_room(guard, count);
	if (ret == 0)
		ret = make_index(rules, count);
	for (i = 0; ret == 0 && i < count; i++) {
		ret = copy_texts(&fresh[i]);
		if (ret < 0)
			while (i-- > 0)
				drop_texts(&fresh[i]);
	}
	if (ret < 0)
		return ret;
	if (like->guarded && is_mixed(&pair->place))
		rules->is_scattered = true;
	for (i = 0; i < count; i++) {
		rules->list[rules->count] = fresh[i];
		omega_rules_note(rules, &fresh[i]);
		rules->count++;
		if (rules->slots != NULL)
			omega_rules_index(rules, rules->count - 1);
	}
	return 0;
}

/*
 * The built-in directories. One that cannot be resolved is held by its name
 * as it stands; that is what the list says.
 */
static int
add_system(struct omega_sandbox_guard *guard)
{
	struct omega_pair pair;
	size_t i;
	int ret;

	for (i = 0; i < OMEGA_RULES_SYSTEM_COUNT; i++) {
		const struct omega_rule *rule = &omega_rules_system[i];

		ret = omega_pair_make(rule->text, &pair);
		if (ret < 0) {
			memcpy(pair.place.text, rule->text, rule->len + 1);
			memcpy(pair.spelled, rule->text, rule->len + 1);
			pair.place.len = rule->len;
			pair.spelled_len = rule->len;
		}
		ret = add_pair(guard, &pair, rule);
		if (ret < 0)
			return ret;
	}
	return 0;
}

void
omega_guard_settle(struct omega_sandbox_guard *guard)
{
	struct omega_rules *rules = &guard->rules;
	struct omega_object root;

	/* Tell the checks which way of looking is likely to be short. */
	rules->is_on_root = omega_kernel_stat(AT_FDCWD, "/", &root) == 0 &&
			    !rules->is_scattered && rules->mount == root.mount;
}

static int
add_protected(struct omega_sandbox_guard *guard, const struct omega_pair *pair)
{
	struct omega_rule like = {
	    .access = OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE,
	    .guarded = true,
	    .shown = pair->spelled,
	    .origin = "built in",
	};

	return add_pair(guard, pair, &like);
}

int
omega_guard_make_system(struct omega_sandbox_guard **guard)
{
	struct omega_sandbox_guard *made = calloc(1, sizeof(*made));
	int ret;

	if (made == NULL)
		return -ENOMEM;
	ret = add_system(made);
	if (ret < 0) {
		omega_guard_free(made);
		return ret;
	}
	*guard = made;
	return 0;
}

struct omega_lists *
omega_guard_lists(struct omega_sandbox_guard *guard)
{
	if (guard->lists == NULL) {
		guard->lists = calloc(1, sizeof(*guard->lists));
		guard->rules.lists = guard->lists;
	}
	return guard->lists;
}

int
omega_guard_make(const char *data_dir, const char *config_path,
    struct omega_sandbox_guard **guard, struct omega_guard_fault *fault)
{
	struct omega_sandbox_guard *made = NULL;
	struct omega_pair data;
	struct omega_pair config;
	int ret;

	fault->path = NULL;
	ret = omega_guard_make_system(&made);
	if (ret < 0)
		goto out;
	fault->path = data_dir;
	ret = omega_pair_make_data(data_dir, &data, &config);
	if (ret == 0)
		ret = add_protected(made, &data);
	if (ret == 0)
		ret = add_protected(made, &config);
	if (ret < 0)
		goto out;
	if (config_path != NULL && config_path[0] != '\0') {
		fault->path = config_path;
		ret = omega_pair_make(config_path, &config);
		if (ret == 0)
			ret = add_protected(made, &config);
		if (ret < 0)
			goto out;
	}
	omega_guard_settle(made);
	*guard = made;
	made = NULL;
	ret = 0;
out:
	omega_guard_free(made);
	return ret;
}

int
omega_guard_block(struct omega_sandbox_guard *guard, unsigned access,
    const char *path, const char *origin, uint32_t line)
{
	struct omega_rule like = {
	    .access = access,
	    .guarded = true,
	    .shown = path,
	    .origin = origin != NULL ? origin : "host application",
	    .line = line,
	};
	struct omega_pair pair;
	int ret;

	ret = omega_pair_make(path, &pair);
	return ret < 0 ? ret : add_pair(guard, &pair, &like);
}

int
omega_guard_block_name(struct omega_sandbox_guard *guard, unsigned access,
    const char *path, const char *origin, uint32_t line)
{
	struct omega_rule like = {
	    .access = access, .shown = path, .origin = origin, .line = line};
	struct omega_pair pair;

	if (omega_text_check(path) < 0)
		return 0;
	pair.place.len = pair.spelled_len =
	    omega_text_clean(path, pair.spelled);
	memcpy(pair.place.text, pair.spelled, pair.spelled_len + 1);
	memset(&pair.place.object, 0, sizeof(pair.place.object));
	return add_pair(guard, &pair, &like);
}

void
omega_guard_free(struct omega_sandbox_guard *guard)
{
	size_t i;

	if (guard == NULL)
		return;
	for (i = 0; i < guard->rules.count; i++)
		drop_texts(&guard->rules.list[i]);
	free(guard->rules.list);
	free(guard->rules.slots);
	omega_lists_free(guard->lists);
	free(guard);
}
