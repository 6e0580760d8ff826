/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * blocked.c - path checks without a guard: the rules are made on the stack,
 * asked once, and gone.
 */

#include "config.h"

#include "path/judge.h"

#include <string.h>

#include "path/pair.h"

/* The system directories, and two forms of three protected paths. */
#define MAX_RULES 32

_Static_assert(MAX_RULES >= 21 + 6, "room for every rule");

static void
add_pair(struct omega_rules *rules, const struct omega_pair *pair)
{
	static const struct omega_rule like = {
	    .access = OMEGA_SANDBOX_READ | OMEGA_SANDBOX_WRITE,
	    .guarded = true,
	};
	size_t added =
	    omega_pair_rules(pair, &like, &rules->list[rules->count]);

	while (added-- > 0)
		omega_rules_note(rules, &rules->list[rules->count++]);
}

static bool
is_blocked(struct omega_rules *rules, unsigned access, const char *path,
    const char *data_dir)
{
	struct omega_pair data;
	struct omega_pair config;
	struct omega_place place;
	struct omega_finding finding;

	if (omega_pair_make_data(data_dir, &data, &config) < 0)
		return true;
	add_pair(rules, &data);
	add_pair(rules, &config);
	return omega_judge_path(rules, access, path, &place, &finding);
}

bool
omega_blocked_write(const char *path, const char *data_dir)
{
	struct omega_rule list[MAX_RULES];
	struct omega_rules rules = {
	    .list = list,
	    .count = omega_rules_system_count,
	};

	memcpy(list, omega_rules_system,
	    omega_rules_system_count * sizeof(list[0]));
	return is_blocked(&rules, OMEGA_SANDBOX_WRITE, path, data_dir);
}

bool
omega_blocked_read(
    const char *path, const char *data_dir, const char *config_path)
{
	struct omega_rule list[MAX_RULES];
	struct omega_rules rules = {.list = list};
	struct omega_pair external;

	if (config_path != NULL && config_path[0] != '\0') {
		if (omega_pair_make(config_path, &external) < 0)
			return true;
		add_pair(&rules, &external);
	}
	return is_blocked(&rules, OMEGA_SANDBOX_READ, path, data_dir);
}
