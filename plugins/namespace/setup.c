/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * setup.c - see setup.h.
 */

#include "setup.h"

#include <sys/stat.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "request.h"

#define READ_BITS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)
#define MAX_LINKS 40

int
setup_is_denied(const struct omega_sandbox_atom *atom)
{
	return atom->kind == OMEGA_SANDBOX_ATOM_PATH && atom->path != NULL &&
	       (atom->access & READ_BITS) != 0;
}

/* Is a shield asked for, or called for by a config.toml that is absent? */
static int
wants_shield(const struct setup *setup)
{
	const char *mode =
	    setup->host->option_text(setup->host, "data_dir_mode");
	size_t i;

	if (mode != NULL && strcmp(mode, "mask") == 0)
		return 0;
	if (mode != NULL && strcmp(mode, "shield") == 0)
		return 1;
	for (i = 0; i < setup->count; i++)
		if (setup->atoms[i]->kind == OMEGA_SANDBOX_ATOM_PATH &&
		    (setup->atoms[i]->flags & OMEGA_SANDBOX_ATOM_ABSENT) != 0 &&
		    strcmp(setup->atoms[i]->path, setup->config) == 0)
			return 1;
	return 0;
}

int
setup_make(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct setup *setup)
{
	char existing[PATH_MAX];
	int ret;

	memset(setup, 0, sizeof(*setup));
	setup->host = host;
	setup->request = request;
	setup->atoms = atoms;
	setup->count = count;
	places_caller(&setup->caller);
	if (request->data_dir == NULL)
		return 0;
	ret = places_join(request->data_dir, REQUEST_DATA, setup->data);
	if (ret == 0)
		ret = places_join(
		    request->data_dir, REQUEST_CONFIG, setup->config);
	if (ret < 0)
		return ret;
	setup->data_dir = request->data_dir;
	places_existing(setup->data_dir, existing);
	setup->is_shielded = setup->data_dir[1] != '\0' &&
			     wants_shield(setup) &&
			     (strcmp(existing, setup->data_dir) == 0 ||
				 places_may_create(existing));
	return 0;
}

int
setup_is_kept(const struct setup *setup, const char *path)
{
	size_t i;

	for (i = 0; i < setup->count; i++) {
		const struct omega_sandbox_atom *atom = setup->atoms[i];

		if (atom->kind == OMEGA_SANDBOX_ATOM_PATH &&
		    (atom->flags & OMEGA_SANDBOX_ATOM_ABSENT) == 0 &&
		    strcmp(atom->path, "/dev") != 0 &&
		    strcmp(atom->path, "/proc") != 0 &&
		    places_is_below(path, atom->path))
			return 1;
	}
	return 0;
}

int
setup_cannot_make(const struct setup *setup, const char *path)
{
	char existing[PATH_MAX];
	struct stat st;

	places_existing(path, existing);
	if (setup_is_kept(setup, existing))
		return 1;
	/* Behind a file there can be nothing while the file stays. */
	if (lstat(existing, &st) != 0 || !S_ISDIR(st.st_mode))
		return 0;
	return !places_can_write(&setup->caller, existing);
}

static int
make_with_parents(const char *path)
{
	char copy[PATH_MAX];
	char *slash;

	snprintf(copy, sizeof(copy), "%s", path);
	for (slash = strchr(copy + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0700) != 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return mkdir(copy, 0700) != 0 && errno != EEXIST ? -errno : 0;
}

static int
is_data_missing(const struct setup *setup)
{
	size_t i;

	for (i = 0; i < setup->count; i++)
		if (setup->atoms[i]->kind == OMEGA_SANDBOX_ATOM_PATH &&
		    (setup->atoms[i]->flags & OMEGA_SANDBOX_ATOM_ABSENT) != 0 &&
		    strcmp(setup->atoms[i]->path, setup->data) == 0)
			return 1;
	return 0;
}

int
setup_create(const struct setup *setup)
{
	static const char *const entries[] = {
	    "workspace", "skills", "projects", "stores", NULL};
	char path[PATH_MAX];
	size_t i;
	int ret = 0;

	if (setup->data_dir == NULL)
		return 0;
	if (is_data_missing(setup) && !setup_cannot_make(setup, setup->data))
		ret = make_with_parents(setup->data);
	for (i = 0; ret == 0 && setup->is_shielded && entries[i] != NULL; i++) {
		struct stat st;

		ret = places_join(setup->data_dir, entries[i], path);
		if (ret == 0 && lstat(path, &st) != 0)
			ret = make_with_parents(path);
		/* A data directory that is not ours to fill stays as it is. */
		if (ret == -EACCES || ret == -EROFS || ret == -EPERM)
			ret = 0;
	}
	return ret;
}

/*
 * Put what a link says in the place of the link. 1 when it begins at the root,
 * 0 when not, -1 when it leads nowhere.
 */
static int
turn_off(char *way, size_t done, const char *link, const char *rest)
{
	char target[PATH_MAX];
	char turned[PATH_MAX];
	ssize_t len;
	int size;

	len = readlink(link, target, sizeof(target) - 1);
	if (len <= 0)
		return -1;
	target[len] = '\0';
	if (target[0] == '/')
		size = snprintf(turned, sizeof(turned), "%s%s", target, rest);
	else
		size = snprintf(turned, sizeof(turned), "%.*s/%s%s", (int)done,
		    way, target, rest);
	if (size >= (int)sizeof(turned))
		return -1;
	memcpy(way, turned, (size_t)size + 1);
	return target[0] == '/';
}

/* Drop ".", ".." and empty names at offset at; 1 when one was dropped. */
static int
tidy(char *way, size_t *at)
{
	char *name = way + *at + 1;
	size_t len = strcspn(name, "/");
	size_t from = *at;

	if (len == 0 || (len == 1 && name[0] == '.')) {
		/* nothing before it goes */
	} else if (len == 2 && name[0] == '.' && name[1] == '.') {
		while (from > 0 && way[--from] != '/')
			continue;
	} else {
		return 0;
	}
	memmove(way + from, name + len, strlen(name + len) + 1);
	*at = from;
	return 1;
}

/*
 * Walk a path name by name. What is before offset at is canonical; links are
 * told, then followed.
 */
static int
walk(const char *spelled, setup_link *fn, void *arg)
{
	char way[PATH_MAX];
	char link[PATH_MAX];
	struct stat st;
	int links = 0;
	size_t at = 0;
	int turned;
	int ret;

	if (spelled[0] != '/' ||
	    snprintf(way, sizeof(way), "%s", spelled) >= (int)sizeof(way))
		return 0;
	while (way[at] == '/') {
		size_t end;

		if (tidy(way, &at))
			continue;
		end = at + 1 + strcspn(way + at + 1, "/");
		snprintf(link, sizeof(link), "%.*s", (int)end, way);
		if (lstat(link, &st) != 0)
			return 0;
		if (!S_ISLNK(st.st_mode)) {
			at = end;
			continue;
		}
		ret = fn(arg, link);
		if (ret < 0)
			return ret;
		turned = ++links > MAX_LINKS
			     ? -1
			     : turn_off(way, at, link, way + end);
		if (turned < 0)
			return 0;
		if (turned == 1)
			at = 0;
	}
	return 0;
}

int
setup_each_link(const struct setup *setup, setup_link *fn, void *arg)
{
	static const char *const system[] = {"/bin", "/sbin", "/lib", "/lib32",
	    "/lib64", "/libx32", "/etc", "/usr/lib64", NULL};
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && system[i] != NULL; i++)
		ret = walk(system[i], fn, arg);
	if (ret == 0 && setup->data_dir != NULL)
		ret = walk(setup->data, fn, arg);
	if (ret == 0 && setup->data_dir != NULL)
		ret = walk(setup->config, fn, arg);
	if (!OMEGA_SANDBOX_HAS(setup->request, spelled) ||
	    setup->request->spelled == NULL)
		return ret;
	for (i = 0; ret == 0 && setup->request->spelled[i] != NULL; i++)
		ret = walk(setup->request->spelled[i], fn, arg);
	return ret;
}
