/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * planted-links.c - see planted-links.h.
 *
 * Who has made a link cannot be seen: commands have the caller's uid. What
 * counts is where it is.
 */

#include "config.h"

#include "policy/planted-links.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path/rules.h"
#include "path/text.h"
#include "policy/atom-add.h"
#include "policy/closed-dirs.h"
#include "policy/places.h"

#define MAX_LINKS 40

static bool
is_at_or_below(const char *path, const char *base)
{
	return omega_text_is_below(path, strlen(path), base, strlen(base));
}

/* Is the directory one that no policy lets anybody change? */
static bool
is_kept(const char *dir)
{
	size_t i;

	if (strcmp(dir, "/") == 0)
		return true;
	for (i = 0; i < OMEGA_RULES_SYSTEM_COUNT; i++)
		if (is_at_or_below(dir, omega_rules_system[i].text))
			return true;
	return false;
}

/* Could a command make a name in this directory, after a chmod perhaps? */
static bool
could_write(const char *dir)
{
	struct stat st;

	if (is_kept(dir))
		return false;
	if (faccessat(AT_FDCWD, dir, W_OK, AT_EACCESS) == 0)
		return true;
	return errno != EROFS &&
	       (stat(dir, &st) != 0 || st.st_uid == geteuid());
}

static bool
may_write(const struct omega_combined *combined, const char *dir)
{
	return (!combined->write.is_limited ||
		   omega_places_has(&combined->write.places, dir)) &&
	       could_write(dir);
}

/* A path while it is followed: what is before at has no link in it. */
struct way {
	char text[PATH_MAX];
	size_t at;
};

/* Drop ".", ".." and empty names behind at; true when one was dropped. */
static bool
tidy(struct way *way)
{
	char *name = way->text + way->at + 1;
	size_t len = strcspn(name, "/");
	size_t from = way->at;

	if (len == 2 && name[0] == '.' && name[1] == '.') {
		while (from > 0 && way->text[--from] != '/')
			continue;
	} else if (len != 0 && (len != 1 || name[0] != '.')) {
		return false;
	}
	memmove(way->text + from, name + len, strlen(name + len) + 1);
	way->at = from;
	return true;
}

/* Put what the link says in its place. 0; -ENOENT: it leads nowhere;
 * -ENAMETOOLONG: we cannot tell. */
static int
turn(struct way *way, const char *link, size_t end)
{
	char target[PATH_MAX];
	char turned[PATH_MAX];
	ssize_t len;
	int size;

	len = readlink(link, target, sizeof(target) - 1);
	if (len <= 0)
		return -ENOENT;
	target[len] = '\0';
	size = snprintf(turned, sizeof(turned), "%.*s%s%s%s",
	    target[0] == '/' ? 0 : (int)way->at, way->text,
	    target[0] == '/' ? "" : "/", target, way->text + end);
	/* The kernel takes one link at a time and may get further. */
	if (size < 0 || size >= (int)sizeof(turned))
		return -ENAMETOOLONG;
	memcpy(way->text, turned, (size_t)size + 1);
	if (target[0] == '/')
		way->at = 0;
	return 0;
}

int
omega_planted_links_find(
    const struct omega_combined *combined, const char *path, char *link)
{
	struct way way = {.at = 0};
	int links = 0;
	int ret;

	if (snprintf(way.text, sizeof(way.text), "%s", path) >=
	    (int)sizeof(way.text))
		return -ENAMETOOLONG;
	while (way.text[way.at] == '/') {
		struct stat st;
		char dir[PATH_MAX];
		size_t end;

		if (tidy(&way))
			continue;
		end = way.at + 1 + strcspn(way.text + way.at + 1, "/");
		snprintf(link, PATH_MAX, "%.*s", (int)end, way.text);
		if (lstat(link, &st) != 0)
			break; /* nothing is there to be opened */
		if (!S_ISLNK(st.st_mode)) {
			way.at = end;
			continue;
		}
		snprintf(dir, sizeof(dir), "%.*s", (int)way.at, way.text);
		if (may_write(combined, dir[0] == '\0' ? "/" : dir))
			return 1;
		ret = ++links > MAX_LINKS ? -ENOENT : turn(&way, link, end);
		if (ret == -ENAMETOOLONG)
			return 1;
		if (ret < 0)
			break;
	}
	strcpy(link, way.text);
	return 0;
}

static int
stand_for(const char *obstacle, struct omega_place *place)
{
	int ret = omega_kernel_stat(AT_FDCWD, obstacle, &place->object);

	if (ret < 0)
		return ret;
	place->len = place->anchor = strlen(obstacle);
	memcpy(place->text, obstacle, place->len + 1);
	return 1;
}

/* What a command could not take from the next one itself: the system, the
 * directories that by is in, and those of others. */
bool
omega_planted_links_is_needed(const char *by, const struct omega_place *place)
{
	static const char *const needed[] = {"/usr", "/proc", "/sys", "/dev"};
	char dir[PATH_MAX];
	struct stat st;
	size_t i;

	snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(by, '/') - by), by);
	if (!could_write(dir[0] == '\0' ? "/" : dir))
		return false;
	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (is_at_or_below(place->text, needed[i]))
			return true;
	return is_at_or_below(dir, place->text) ||
	       (S_ISDIR(place->object.mode) && omega_place_exists(place) &&
		   stat(place->text, &st) == 0 && st.st_uid != geteuid());
}

int
omega_planted_links_reach(const char *path, struct omega_place *place)
{
	struct way way = {.at = 0};
	char link[PATH_MAX] = ""; /* the first */
	char name[PATH_MAX];
	struct stat st;
	size_t end;
	int links = 0;
	int ret;

	ret = omega_place_find(path, place);
	if (ret == -ENOMEM || (ret == 0 && strcmp(path, place->text) == 0) ||
	    snprintf(way.text, sizeof(way.text), "%s", path) >=
		(int)sizeof(way.text))
		return ret;
	while (way.text[way.at] == '/') {
		if (tidy(&way))
			continue;
		end = way.at + 1 + strcspn(way.text + way.at + 1, "/");
		snprintf(name, sizeof(name), "%.*s", (int)end, way.text);
		if (lstat(name, &st) != 0) {
			name[way.at == 0 ? 1 : way.at] = '\0';
			/* Others may have refused to let us look. */
			if (ret == -EACCES &&
			    faccessat(AT_FDCWD, name, X_OK, AT_EACCESS) != 0)
				return stand_for(name, place);
			break;
		}
		if (!S_ISLNK(st.st_mode)) {
			way.at = end;
			continue;
		}
		if (links++ == 0)
			strcpy(link, name);
		/* Another process has other links there. */
		if (links > MAX_LINKS || turn(&way, name, end) < 0 ||
		    (links > 1 && is_at_or_below(name, "/proc")))
			return stand_for(link, place);
	}
	if (links > 0 &&
	    (ret == -ENOENT ||
		(ret == 0 && omega_planted_links_is_needed(link, place))))
		return stand_for(link, place);
	return ret;
}

int
omega_planted_links_behind(const char *path, const struct omega_place *obstacle,
    bool is_data, struct omega_place *place)
{
	char found[PATH_MAX];
	char by[PATH_MAX + 2];
	struct stat st;
	int ret;

	if (!S_ISDIR(obstacle->object.mode) || stat(obstacle->text, &st) != 0 ||
	    st.st_uid != geteuid())
		return 0;
	ret = omega_closed_dirs_find(path, found);
	if (ret < 0)
		return ret == -ENOENT || ret == -ENOTDIR || ret == -ELOOP ? 0
									  : ret;
	ret = omega_planted_links_reach(found, place);
	if (ret < 0)
		return ret;
	snprintf(by, sizeof(by), "%s/-", obstacle->text);
	return is_data || !omega_planted_links_is_needed(by, place);
}

int
omega_planted_links_block(struct omega_sandbox_guard *guard, unsigned access,
    const char *path, const char *origin, uint32_t line)
{
	struct omega_place behind;
	struct omega_place place;
	int ret = omega_guard_block(guard, access, path, origin, line);

	if (ret == 0 || omega_planted_links_reach(path, &place) <= 0)
		return ret;
	if (S_ISLNK(place.object.mode))
		return 0;
	ret = omega_guard_block(guard, access, place.text, origin, line);
	if (ret == 0 &&
	    omega_planted_links_behind(path, &place, false, &behind) == 1)
		ret =
		    omega_guard_block(guard, access, behind.text, origin, line);
	return ret;
}

bool
omega_planted_links_is_known(
    const struct omega_combined *combined, const char *path)
{
	size_t i;

	for (i = 0; i < combined->planted.count; i++)
		if (strcmp(combined->planted.list[i].spelled, path) == 0)
			return true;
	return false;
}

int
omega_planted_links_add(struct omega_combined *combined, const char *rule,
    const char *path, const char *link)
{
	struct omega_place place = {.len = 0};

	snprintf(place.text, sizeof(place.text), "%s", link);
	return omega_places_add(&combined->planted, &place, path, rule, 0, 0);
}

/* Is there such a link on the way, or was there another way when the place was
 * found? What is there without a link must be what was found. */
static int
find_of(const struct omega_combined *combined,
    const struct omega_combined_place *place, char *link)
{
	struct omega_place now;
	int ret;

	if (strcmp(place->spelled, place->text) == 0)
		return 0;
	ret = omega_planted_links_find(combined, place->spelled, link);
	if (ret != 0 || combined->is_shown ||
	    (omega_place_look(link, &now) == 0 && omega_place_exists(&now) &&
		omega_object_is_same(&now.object, &place->object)))
		return ret;
	strcpy(link, place->spelled);
	return 1;
}

static int
gather_from(struct omega_combined *combined,
    const struct omega_combined_places *places, const char *rule)
{
	char link[PATH_MAX];
	size_t i;
	int ret = 0;

	for (i = 0; ret >= 0 && i < places->count; i++) {
		const struct omega_combined_place *place = &places->list[i];

		if (omega_planted_links_is_known(combined, place->spelled))
			continue;
		ret = find_of(combined, place, link);
		if (ret > 0)
			ret = omega_planted_links_add(
			    combined, rule, place->spelled, link);
	}
	return ret;
}

int
omega_planted_links_gather(struct omega_combined *combined)
{
	int ret = gather_from(combined, &combined->granted, "not granted");

	if (ret == 0)
		ret = gather_from(combined, &combined->write.places, "write");
	if (ret == 0)
		ret = gather_from(combined, &combined->run.places, "execute");
	if (ret == 0)
		ret = gather_from(combined, &combined->read.places, "read");
	return ret;
}

int
omega_planted_links_tell(struct omega_combined *combined)
{
	const struct omega_combined_places *planted = &combined->planted;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < planted->count; i++)
		ret = omega_combine_add_note(combined,
		    "%s: %s is left out: %s is a link, and a command may have "
		    "made it",
		    planted->list[i].origin, planted->list[i].spelled,
		    planted->list[i].text);
	return ret;
}

int
omega_planted_links_sift(const struct omega_combined *combined,
    struct omega_atoms *atoms, enum omega_option_id id,
    const struct omega_conf_list *from, char ***to)
{
	char link[PATH_MAX];
	char *note;
	size_t count = 0;
	size_t i;
	int ret = 0;

	*to = calloc(from->count + 1, sizeof(**to));
	if (*to == NULL)
		return -ENOMEM;
	for (i = 0; ret >= 0 && i < from->count; i++) {
		const char *path = from->items[i].text;

		ret = omega_planted_links_find(combined, path, link);
		if (ret == 0) {
			(*to)[count] = strdup(path);
			ret = (*to)[count++] == NULL ? -ENOMEM : 0;
		} else if (ret > 0) {
			if (asprintf(&note,
				"%s: %s is left out: %s is a link, and a "
				"command may have made it",
				omega_option_table[id].name, path, link) < 0)
				return -ENOMEM;
			ret = omega_atom_add_note(atoms, note);
			free(note);
		}
	}
	return ret;
}
