/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * folds.c - comparing by identity instead of by text.
 *
 * How a volume folds names is its own business. So wherever two spellings
 * might be one name, the objects along the path are compared with what the
 * rule names. Only where neither exists yet is the volume asked whether it
 * folds at all.
 */

#include "config.h"

#include "path/aliases.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "path/text.h"

/* So many objects along a path are looked at together. */
#define MAX_WAY 64

/*
 * The next objects on the way from the root to the place's anchor, behind the
 * first *end bytes of its text. Returns how many; 0 when the anchor has been
 * reached.
 */
static int
list_way(const struct omega_place *place, size_t *end,
    struct omega_object way[MAX_WAY])
{
	char path[PATH_MAX];
	int count = 0;
	int ret;

	while (count < MAX_WAY && *end < place->anchor) {
		(*end)++;
		while (*end > 1 && *end < place->anchor &&
		       place->text[*end] != '/')
			(*end)++;
		memcpy(path, place->text, *end);
		path[*end] = '\0';
		ret = omega_kernel_stat(AT_FDCWD, path, &way[count++]);
		if (ret < 0)
			return ret;
	}
	return count;
}

static size_t
next_name(const char **text)
{
	size_t len;

	*text += strspn(*text, "/");
	len = strcspn(*text, "/");
	return len;
}

static bool
may_be_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
	char copy[NAME_MAX + 1];

	if (a_len > NAME_MAX || b_len > NAME_MAX)
		return true; /* what a volume makes of these nobody knows */
	memcpy(copy, a, a_len);
	copy[a_len] = '\0';
	if (omega_text_is_odd(copy))
		return true;
	memcpy(copy, b, b_len);
	copy[b_len] = '\0';
	if (omega_text_is_odd(copy))
		return true;
	return a_len == b_len && omega_text_is_below_folded(a, a_len, b, b_len);
}

/* Might the missing part of a path be the missing part of a rule? */
static bool
rest_may_match(const char *rest, const char *rule_rest, bool *exact)
{
	*exact = true;
	for (;;) {
		size_t rule_len = next_name(&rule_rest);
		size_t len = next_name(&rest);

		if (rule_len == 0)
			return true;
		if (len == 0 || !may_be_same(rest, len, rule_rest, rule_len))
			return false;
		if (len != rule_len || memcmp(rest, rule_rest, len) != 0)
			*exact = false;
		rest += len;
		rule_rest += rule_len;
	}
}

/* Is the place at or below where the rule leads, as far as way shows? */
static bool
is_below_object(const struct omega_place *place, const struct omega_object *way,
    int count, const struct omega_place *rule)
{
	char dir[PATH_MAX];
	bool exact;
	int i;

	if (omega_place_exists(rule)) {
		/* Nothing is below a file: such a name is judged by text. */
		if (!S_ISDIR(rule->object.mode) && !omega_place_exists(place))
			return false;
		for (i = 0; i < count; i++)
			if (omega_object_is_same(&way[i], &rule->object))
				return true;
		return false;
	}
	/* The rule names something missing: only a place that is missing in
	 * the same directory can be it. */
	if (omega_place_exists(place) ||
	    !omega_object_is_same(&place->object, &rule->object) ||
	    !rest_may_match(
		place->text + place->anchor, rule->text + rule->anchor, &exact))
		return false;
	if (!S_ISDIR(rule->object.mode))
		return false;
	memcpy(dir, place->text, place->anchor);
	dir[place->anchor] = '\0';
	return exact || omega_kernel_folds_names(dir);
}

/* Compare a part of the way with every rule. */
static int
find_on_way(const struct omega_rules *rules, unsigned access,
    const struct omega_place *place, const struct omega_object *way, int count,
    bool only_odd, const struct omega_rule **found)
{
	struct omega_place there;
	size_t i;
	int ret;

	for (i = 0; i < rules->count; i++) {
		const struct omega_rule *rule = &rules->list[i];

		if ((rule->access & access) == 0 ||
		    (only_odd && !omega_text_is_odd(rule->text)))
			continue;
		ret = omega_place_look(rule->text, &there);
		if (ret == -ELOOP)
			continue; /* the resolved form is a rule as well */
		if (ret < 0)
			return ret;
		if (is_below_object(place, way, count, &there)) {
			*found = rule;
			return 1;
		}
	}
	return 0;
}

int
omega_folds_find(const struct omega_rules *rules, unsigned access,
    const struct omega_place *place, bool only_odd,
    const struct omega_rule **found)
{
	struct omega_object way[MAX_WAY];
	size_t end = 0;
	int count;
	int ret;

	while ((count = list_way(place, &end, way)) > 0) {
		ret = find_on_way(
		    rules, access, place, way, count, only_odd, found);
		if (ret != 0)
			return ret;
	}
	return count;
}
