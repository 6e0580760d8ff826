/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * judge.c - the order of questions about a path.
 *
 *  1. Does its name, as spelled, fall under a rule?      (text)
 *  2. Does the name of where it leads?                   (place.c)
 *  3. Does a list lack it?                               (lists.c)
 *  4. Does another mount show it under a rule?           (mounts-*.c)
 *  5. Is it a rule's place under a folded spelling?      (folds.c)
 *  6. Is it a file that has another name under a rule?   (links.c)
 *
 * 4 to 6 cost more and are asked only where they can matter. Any question
 * that cannot be answered blocks.
 */

#include "config.h"

#include "path/judge.h"

#include <sys/stat.h>
#include <errno.h>
#include <string.h>

#include "path/aliases.h"
#include "path/guard.h"
#include "path/pair.h"
#include "path/text.h"

static bool
blocked_by(struct omega_finding *finding, enum omega_sandbox_reason reason,
    const struct omega_rule *rule)
{
	*finding = (struct omega_finding){.reason = reason, .rule = rule};
	return true;
}

static bool
undecided(struct omega_finding *finding, int error)
{
	*finding = (struct omega_finding){
	    .reason = OMEGA_SANDBOX_UNDECIDED, .error = -error};
	return true;
}

static bool
not_blocked(struct omega_finding *finding)
{
	*finding = (struct omega_finding){.reason = OMEGA_SANDBOX_NOT_BLOCKED};
	return false;
}

/* See omega_judge_name. Leaves the cleaned name with the caller. */
static bool
judge_clean(const struct omega_rules *rules, unsigned access, const char *path,
    char *clean, size_t *len, bool *is_folded, struct omega_finding *finding)
{
	const struct omega_rule *rule = NULL;
	enum omega_rules_match match;
	int ret;

	ret = omega_text_check(path);
	if (ret < 0)
		return undecided(finding, ret);
	*len = omega_text_clean(path, clean);
	match = omega_rules_find(rules, access, clean, *len, &rule);
	*is_folded = match == OMEGA_RULES_FOLDED;
	if (match == OMEGA_RULES_EXACT)
		return blocked_by(finding, OMEGA_SANDBOX_BY_NAME, rule);
	return not_blocked(finding);
}

bool
omega_judge_name(const struct omega_rules *rules, unsigned access,
    const char *path, bool *is_folded, struct omega_finding *finding)
{
	char clean[PATH_MAX];
	size_t len;

	return judge_clean(
	    rules, access, path, clean, &len, is_folded, finding);
}

/* What a visit to the names of a place needs. */
struct visit {
	const struct omega_rules *rules;
	unsigned access;
	const struct omega_place *place;
	bool is_folded; /* some name may be another spelling of a rule */
	int error; /* the visit ended because it cannot tell */
	const struct omega_rule *rule;
};

/*
 * A name comes near a rule. What the rule names need not be on the way to the
 * place itself: look along the name.
 */
static bool
visit_folded_name(struct visit *visit, const char *name)
{
	struct omega_place there;
	int ret;

	visit->is_folded = true;
	ret = omega_place_look(name, &there);
	if (ret == 0 &&
	    !omega_object_is_same(&there.object, &visit->place->object))
		ret = -ESTALE; /* hidden by a mount */
	if (ret == 0)
		ret = omega_folds_find(
		    visit->rules, visit->access, &there, false, &visit->rule);
	visit->error = ret < 0 ? ret : 0;
	return ret != 0;
}

static bool
visit_name(void *arg, const char *name, size_t len)
{
	struct visit *visit = arg;
	enum omega_rules_match match;

	if (name == NULL) {
		visit->is_folded = true;
		return false;
	}
	match = omega_rules_find(
	    visit->rules, visit->access, name, len, &visit->rule);
	if (match == OMEGA_RULES_EXACT)
		return true;
	if (match == OMEGA_RULES_FOLDED || omega_text_is_odd(name))
		return visit_folded_name(visit, name);
	return false;
}

/* Do guarded rules live on other mounts than the place? */
static bool
has_other_mounts(
    const struct omega_rules *rules, const struct omega_place *place)
{
	return rules->has_guarded &&
	       (rules->is_scattered || rules->mount != place->object.mount);
}

static bool
has_other_links(const struct omega_place *place)
{
	return omega_place_exists(place) && !S_ISDIR(place->object.mode) &&
	       place->object.nlink > 1;
}

/* Is the file one of the guarded ones, or known below a guarded directory? */
static int
find_link(const struct omega_rules *rules, unsigned access,
    const struct omega_object *file, const struct omega_rule **found)
{
	unsigned budget = OMEGA_LINKS_MAX_ENTRIES;
	struct omega_place there;
	size_t i;
	int ret;

	for (i = 0; i < rules->count; i++) {
		const struct omega_rule *rule = &rules->list[i];

		if (!rule->guarded || (rule->access & access) == 0)
			continue;
		ret = omega_place_look(rule->text, &there);
		*found = rule;
		if (ret < 0)
			return ret;
		if (!omega_place_exists(&there))
			continue;
		if (!S_ISDIR(there.object.mode))
			ret = omega_object_is_same(&there.object, file);
		else
			/* The data itself is not to be guessed about. */
			ret = omega_links_find(
			    there.text, file, rule->line != 0, &budget);
		if (ret != 0)
			return ret;
	}
	return 0;
}

/* The questions behind the name of a place: 3 to 6. */
static bool
judge_object(const struct omega_rules *rules, unsigned access,
    const struct omega_place *place, bool is_folded,
    struct omega_finding *finding)
{
	struct visit visit = {.rules = rules, .access = access, .place = place};
	const struct omega_rule *rule = NULL;
	int ret;

	if (rules->lists != NULL) {
		rule = omega_lists_find(
		    rules->lists, access, place->text, place->len);
		if (rule != NULL)
			return blocked_by(finding, OMEGA_SANDBOX_BY_LIST, rule);
	}
	if (has_other_mounts(rules, place)) {
		ret = omega_mounts_each_name(place, visit_name, &visit);
		if (ret > 0 && visit.error < 0)
			ret = visit.error;
		if (ret < 0)
			return undecided(finding, ret);
		if (ret > 0)
			return blocked_by(
			    finding, OMEGA_SANDBOX_BY_MOUNT, visit.rule);
	}
	is_folded = is_folded || visit.is_folded;
	if (is_folded || rules->is_odd) {
		ret = omega_folds_find(rules, access, place, !is_folded, &rule);
		if (ret < 0)
			return undecided(finding, ret);
		if (ret > 0)
			return blocked_by(
			    finding, OMEGA_SANDBOX_BY_FOLDED_NAME, rule);
	}
	if (has_other_links(place)) {
		ret = find_link(rules, access, &place->object, &rule);
		if (ret < 0) {
			undecided(finding, ret);
			finding->rule = rule; /* whose place is not searched */
			return true;
		}
		if (ret > 0)
			return blocked_by(
			    finding, OMEGA_SANDBOX_BY_HARD_LINK, rule);
	}
	return not_blocked(finding);
}

bool
omega_judge_place(const struct omega_rules *rules, unsigned access,
    const struct omega_place *place, bool is_folded,
    struct omega_finding *finding)
{
	const struct omega_rule *rule = NULL;
	enum omega_rules_match match;

	match = omega_rules_find(rules, access, place->text, place->len, &rule);
	if (match == OMEGA_RULES_EXACT)
		return blocked_by(
		    finding, OMEGA_SANDBOX_BY_RESOLVED_NAME, rule);
	is_folded = is_folded || match == OMEGA_RULES_FOLDED ||
		    omega_text_is_odd(place->text);
	return judge_object(rules, access, place, is_folded, finding);
}

static void
forget(struct omega_place *place)
{
	place->text[0] = '\0';
	place->len = 0;
}

bool
omega_judge_path(const struct omega_rules *rules, unsigned access,
    const char *path, struct omega_place *place, struct omega_finding *finding)
{
	bool is_folded = false;
	bool is_odd;
	bool is_rough;
	int ret;

	if (judge_clean(rules, access, path, place->text, &place->len,
		&is_folded, finding)) {
		forget(place);
		return true;
	}
	is_odd = omega_text_is_odd(place->text);
	/* Without anything to compare with, the exact anchor is not needed. */
	is_rough = rules->is_on_root && !rules->is_scattered &&
		   !rules->is_odd && !is_folded && !is_odd;
	ret = omega_place_resolve(path, is_rough, place);
	if (ret == 0 && is_rough && place->anchor == 1 &&
	    has_other_mounts(rules, place))
		ret = omega_place_resolve(path, false, place);
	if (ret < 0) {
		forget(place);
		return undecided(finding, ret);
	}
	if (ret > 0)
		return omega_judge_place(
		    rules, access, place, is_folded, finding);
	/* Without a link its name was asked about already. */
	return judge_object(rules, access, place, is_folded || is_odd, finding);
}

/* ---- Without a guard: rules on the stack, asked once, and gone ---------- */

/* The system directories, and two forms of three protected paths. */
#define MAX_RULES (OMEGA_RULES_SYSTEM_COUNT + 6)

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
omega_judge_is_write_blocked(const char *path, const char *data_dir)
{
	struct omega_rule list[MAX_RULES];
	struct omega_rules rules = {
	    .list = list,
	    .count = OMEGA_RULES_SYSTEM_COUNT,
	};

	memcpy(list, omega_rules_system,
	    OMEGA_RULES_SYSTEM_COUNT * sizeof(list[0]));
	return is_blocked(&rules, OMEGA_SANDBOX_WRITE, path, data_dir);
}

bool
omega_judge_is_read_blocked(
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
