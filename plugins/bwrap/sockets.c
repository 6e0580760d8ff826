/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sockets.c - see setup.h. Which there are comes with the request: the
 * well-known places, and what the core has found besides.
 */

#include "setup.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A directory with more names than this is hidden as a whole: others could
 * fill it without end. */
#define MAX_NAMES 64

/* Is it, or in a directory something, that stays? */
static int
is_allowed(const struct setup *setup, const char *path, int is_dir)
{
	const char *const *item = setup->request.allow_sockets;
	char real[PATH_MAX];

	for (; item != NULL && *item != NULL; item++)
		if (strcmp(*item, path) == 0 ||
		    (realpath(*item, real) != NULL &&
			(strcmp(real, path) == 0 ||
			    (is_dir && setup_is_below(real, path)))))
			return 1;
	return 0;
}

int
sockets_hide_behind(
    const struct setup *setup, struct plan *plan, const char *path)
{
	char at[PATH_MAX];
	char parent[PATH_MAX];
	struct stat st;

	for (strcpy(at, path); at[1] != '\0'; strcpy(at, parent)) {
		setup_parent(at, parent);
		if (lstat(at, &st) == 0)
			return S_ISDIR(st.st_mode) && st.st_uid == setup->uid
				   ? plan_add_with_way(
					 setup, plan, PLAN_DENY, at)
				   : 0;
	}
	return 0;
}

/* Hide the socket or pipe that is found by this name; what is a directory of
 * them as a whole. */
static int
hide(const struct setup *setup, struct plan *plan, const char *path, int is_dir)
{
	char real[PATH_MAX];
	struct stat st;

	if (strlen(path) >= PATH_MAX)
		return 0;
	if (realpath(path, real) == NULL || lstat(real, &st) != 0)
		return errno == EACCES ? sockets_hide_behind(setup, plan, path)
				       : 0;
	if (S_ISDIR(st.st_mode)
		? !is_dir || real[1] == '\0'
		: !S_ISSOCK(st.st_mode) && !S_ISFIFO(st.st_mode))
		return 0;
	if (is_allowed(setup, real, S_ISDIR(st.st_mode)))
		return 0;
	return plan_add_with_way(setup, plan, PLAN_DENY, real);
}

/* Everything in a directory, or with a depth in each of those in it. */
static int
hide_in(
    const struct setup *setup, struct plan *plan, const char *dir, int depth)
{
	struct dirent *entry;
	char path[PATH_MAX];
	size_t count = 0;
	DIR *stream;
	int ret = 0;

	plan_watch(plan, dir, 1);
	stream = opendir(dir);
	if (stream == NULL)
		return errno == EACCES ? sockets_hide_behind(setup, plan, dir)
				       : 0;
	while (ret == 0 && (entry = readdir(stream)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0 ||
		    snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) >=
			(int)sizeof(path))
			continue;
		if (++count > MAX_NAMES && !is_allowed(setup, dir, 1)) {
			ret = hide(setup, plan, dir, 1);
			break;
		}
		ret = depth > 0 ? hide_in(setup, plan, path, depth - 1)
				: hide(setup, plan, path, 0);
	}
	closedir(stream);
	return ret;
}

static int
hide_launchers(const struct setup *setup, struct plan *plan)
{
	const struct omega_sandbox_request *request = &setup->request;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < request->service_count; i++) {
		const char *path = request->services[i]->path;
		uint32_t type = request->services[i]->type;

		/* Those of any user are among the given ones. */
		if (strchr(path, '*') != NULL)
			continue;
		if (type == OMEGA_SANDBOX_SERVICE_LAUNCHER) {
			plan_watch(plan, path, 0);
			ret = hide(setup, plan, path, 0);
		} else if (type == OMEGA_SANDBOX_SERVICE_LAUNCHER_DIR ||
			   type == OMEGA_SANDBOX_SERVICE_LAUNCHER_TREE) {
			ret = hide_in(setup, plan, path,
			    type == OMEGA_SANDBOX_SERVICE_LAUNCHER_TREE);
		}
	}
	return ret;
}

static int
has_kind(const struct setup *setup, uint32_t kind)
{
	size_t i;

	for (i = 0; i < setup->count; i++)
		if (setup->atoms[i]->kind == kind)
			return 1;
	return 0;
}

int
sockets_add(const struct setup *setup, struct plan *plan)
{
	const char *const *path = setup->request.sockets;
	int ret = 0;

	if (has_kind(setup, OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS))
		ret = hide_launchers(setup, plan);
	if (!has_kind(setup, OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS))
		return ret;
	for (; ret == 0 && path != NULL && *path != NULL; path++)
		ret = hide(setup, plan, *path, 1);
	return ret;
}
