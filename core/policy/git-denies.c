/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * git-denies.c - see git-denies.h.
 */

#include "config.h"

#include "policy/git-denies.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/leased.h"
#include "path/place.h"
#include "path/text.h"
#include "policy/atom-add.h"
#include "policy/git.h"
#include "policy/places.h"
#include "policy/planted-links.h"

#define READ_BITS OMEGA_ATOM_READ_BITS
#define GIT "git metadata" /* as an origin */

struct gathering {
	struct omega_combined *combined;
	uint32_t access;
	struct omega_place work;
	const char *at; /* the file or directory that leads to what is found */
};

/* What a command could have made lead out of the work directory: only links
 * in there are held, so that they lead nowhere else. */
static int
leave_alone(struct gathering *to, const struct omega_place *place,
    const struct omega_git_found *found, const char *origin)
{
	const char *path = found->path;
	int ret = 0;

	if (!found->is_own)
		ret = omega_combine_add_note(to->combined,
		    "%s leads to %s, which is left alone: it is outside of the "
		    "work directory",
		    to->at, place->text);
	if (ret < 0 || !omega_text_is_below(
			   path, strlen(path), to->work.text, to->work.len))
		return ret;
	return omega_places_add(
	    &to->combined->denies, place, path, origin, 0, 0);
}

static bool
is_within(const struct gathering *to, const struct omega_place *place,
    const char *dir)
{
	return dir == NULL ||
	       (dir[0] != '\0' && omega_text_is_below(place->text, place->len,
				      dir, strlen(dir))) ||
	       omega_text_is_below(
		   place->text, place->len, to->work.text, to->work.len);
}

static int
take_git(void *arg, const struct omega_git_found *found, const char *note)
{
	struct gathering *to = arg;
	struct omega_place place;
	char origin[PATH_MAX + sizeof(GIT) + 8] = GIT;
	bool is_led;
	bool is_above;
	int ret;

	if (note != NULL)
		return omega_combine_add_note(to->combined, "%s", note);
	is_led = strcmp(found->path, to->at) != 0;
	ret = omega_planted_links_reach(found->path, &place);
	if (ret < 0 && is_led && ret != -ENOMEM)
		return omega_combine_add_note(to->combined,
		    "%s leads to %s, which cannot be found: only the file "
		    "itself is denied",
		    to->at, found->path);
	if (ret < 0)
		return ret;
	is_above = omega_text_is_below(
	    to->work.text, to->work.len, place.text, place.len);
	if (is_above && !is_led && (to->access & READ_BITS) != 0)
		return -ENOTSUP; /* nothing would be left */
	if (is_led &&
	    (is_above || ((to->access & READ_BITS) != 0 &&
			     omega_planted_links_is_needed(to->at, &place))))
		return omega_combine_add_note(to->combined,
		    "%s leads to %s, which is left alone: commands need it; "
		    "only the file itself is denied",
		    to->at, place.text);
	/* What another file leads to is denied by that one. */
	if (is_led)
		snprintf(origin, sizeof(origin), GIT ", by %s", to->at);
	if (!is_within(to, &place, found->within))
		return leave_alone(to, &place, found, origin);
	ret = omega_places_add(
	    &to->combined->denies, &place, found->path, origin, 0, to->access);
	if (ret == 0)
		to->combined->denies.list[to->combined->denies.count - 1].made =
		    found->made;
	return ret;
}

static int
git_error(const char *at, int ret, struct omega_sandbox_error *error)
{
	if (ret == -ENOMEM)
		return omega_error_memory(error);
	if (ret == -ENOTSUP)
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY,
		    -ret,
		    "%s: the work directory is in this git directory, and "
		    "would be denied with it; use another one, or set "
		    "git_metadata = allow and deny what else there is",
		    at);
	return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, -ret,
	    "%s: where this git metadata leads cannot be found out, so that it "
	    "cannot be denied: %s; mend or remove it",
	    at, omega_leased_words(-ret));
}

int
omega_git_denies_add(const struct omega_sandbox_policy *policy, uint32_t access,
    bool is_whole, struct omega_combined *combined,
    struct omega_sandbox_error *error)
{
	struct gathering to = {.combined = combined, .access = access};
	char at[PATH_MAX];
	int ret;

	if (policy->work_dir == NULL)
		return omega_combine_add_note(combined,
			   "no work directory was given: there is no git "
			   "metadata to deny") < 0
			   ? omega_error_memory(error)
			   : 0;
	to.at = at;
	snprintf(at, sizeof(at), "%s", policy->work_dir);
	ret = omega_place_find(policy->work_dir, &to.work);
	if (ret == 0)
		ret = (is_whole ? omega_git_find : omega_git_find_obeyed)(
		    policy->work_dir, take_git, &to, at);
	return ret < 0 ? git_error(at, ret, error) : 0;
}

/* One that is absent, in a directory that is there. */
static void
make_one(const char *path, enum omega_git_made made)
{
	const char *name = strrchr(path, '/') + 1;
	char parent[PATH_MAX];
	int dir;
	int fd = -1;

	snprintf(parent, sizeof(parent), "%.*s", (int)(name - path), path);
	dir = omega_kernel_open_plain(parent, O_DIRECTORY);
	if (dir < 0)
		return;
	if (made == OMEGA_GIT_DIRECTORY)
		(void)mkdirat(dir, name, 0777);
	else
		fd = openat(
		    dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	/* Nobody obeys half of it: it is no shorter name of something. */
	if (fd >= 0 && made == OMEGA_GIT_COMMONDIR &&
	    write(fd, OMEGA_GIT_HERE "\n", sizeof(OMEGA_GIT_HERE)) !=
		sizeof(OMEGA_GIT_HERE))
		(void)unlinkat(dir, name, 0);
	if (fd >= 0)
		close(fd);
	close(dir);
}

/* With the directories it is in. */
static void
make(const char *path, enum omega_git_made made)
{
	char parent[PATH_MAX];
	const char *slash;
	struct stat st;

	for (slash = strchr(path + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		snprintf(
		    parent, sizeof(parent), "%.*s", (int)(slash - path), path);
		if (lstat(parent, &st) != 0)
			make_one(parent, OMEGA_GIT_DIRECTORY);
	}
	make_one(path, made);
}

void
omega_git_denies_make(const struct omega_combined *combined)
{
	size_t i;

	for (i = 0; i < combined->denies.count; i++) {
		const struct omega_combined_place *deny =
		    &combined->denies.list[i];

		if (!deny->exists && deny->made != OMEGA_GIT_NOTHING &&
		    (!combined->write.is_limited ||
			omega_places_has(&combined->write.places, deny->text)))
			make(deny->text, deny->made);
	}
}
