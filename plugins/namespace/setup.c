/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * setup.c - see setup.h.
 */

#include "setup.h"

#include <sys/stat.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define READ_BITS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)

int
setup_is_plain(const struct setup *setup)
{
	return (setup->caller.flags & REQUEST_IS_PLAIN) != 0;
}

int
setup_is_denied(const struct omega_sandbox_atom *atom)
{
	return atom->kind == OMEGA_SANDBOX_ATOM_PATH && atom->path != NULL &&
	       (atom->access & READ_BITS) != 0;
}

int
setup_has(const struct setup *setup, const char *path, uint32_t bit)
{
	return (taken_at(&setup->taken, path, strlen(path)) & bit) != 0;
}

int
setup_is_below(const struct setup *setup, const char *path, uint32_t bit)
{
	size_t len;

	for (len = strlen(path); len > 0; len = taken_above(path, len))
		if ((taken_at(&setup->taken, path, len) & bit) != 0)
			return 1;
	return 0;
}

static int
take_place(struct setup *setup, const struct omega_sandbox_atom *atom)
{
	uint32_t bits = SETUP_PLACE;

	if (atom->kind != OMEGA_SANDBOX_ATOM_PATH || atom->path == NULL)
		return 0;
	if ((atom->flags & OMEGA_SANDBOX_ATOM_ABSENT) != 0)
		bits |= SETUP_ABSENT;
	else if (strcmp(atom->path, "/dev") != 0 &&
		 strcmp(atom->path, "/proc") != 0)
		bits |= SETUP_KEPT;
	if (setup_is_denied(atom))
		bits |= SETUP_DENIED;
	return taken_add(&setup->taken, atom->path, bits);
}

/* Is a shield asked for, or called for by a config.toml that is absent? */
static int
wants_shield(const struct setup *setup, const struct setup_dir *dir)
{
	uint32_t mode = setup->request.data_dir_mode;
	char existing[PATH_MAX];

	if (dir->path[1] == '\0' || mode == OMEGA_SANDBOX_DATA_DIR_MASK)
		return 0;
	if (mode != OMEGA_SANDBOX_DATA_DIR_SHIELD &&
	    !setup_has(setup, dir->config, SETUP_ABSENT))
		return 0;
	places_existing(dir->path, existing);
	return strcmp(existing, dir->path) == 0 || places_may_create(existing);
}

static int
add_dir(struct setup *setup, const char *path)
{
	struct setup_dir *dir = &setup->dirs[setup->dir_count];
	size_t i;
	int ret;

	for (i = 0; i < setup->dir_count; i++)
		if (strcmp(setup->dirs[i].path, path) == 0)
			return 0;
	if (setup->dir_count == SETUP_MAX_DIRS)
		return 0;
	ret = places_join(path, REQUEST_DATA, dir->data);
	if (ret == 0)
		ret = places_join(path, REQUEST_CONFIG, dir->config);
	if (ret < 0)
		return ret;
	strcpy(dir->path, path);
	dir->is_shielded = wants_shield(setup, dir);
	setup->dir_count++;
	return 0;
}

/* A place called data, with a config.toml beside it that is denied too. */
static int
add_dir_of(struct setup *setup, const struct omega_sandbox_atom *atom)
{
	char dir[PATH_MAX];
	char config[PATH_MAX];
	const char *name;

	if (!setup_is_denied(atom) || strlen(atom->path) >= PATH_MAX)
		return 0;
	name = strrchr(atom->path, '/');
	places_parent(atom->path, dir);
	if (name == NULL || strcmp(name + 1, REQUEST_DATA) != 0 ||
	    places_join(dir, REQUEST_CONFIG, config) < 0 ||
	    !setup_has(setup, config, SETUP_PLACE))
		return 0;
	return add_dir(setup, dir);
}

/*
 * Is nothing outside to be reached? A policy that lets UNIX sockets be used,
 * but no others, asks that those cannot even be made; abstract ones are
 * required only by one that denies all.
 */
static int
denies_network(const struct setup *setup)
{
	size_t i;

	for (i = 0; i < setup->count; i++) {
		const struct omega_sandbox_atom *atom = setup->atoms[i];

		if (atom->kind == OMEGA_SANDBOX_ATOM_NETWORK &&
		    atom->access == OMEGA_SANDBOX_ATOM_ALL)
			return 1;
		if (atom->kind == OMEGA_SANDBOX_ATOM_OUTSIDE_IPC ||
		    atom->kind == OMEGA_SANDBOX_ATOM_HOSTS)
			return 1;
		if (atom->kind == OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS &&
		    (atom->flags & OMEGA_SANDBOX_ATOM_REQUIRED) != 0)
			return 1;
	}
	return 0;
}

static int
try_once(
    const struct omega_sandbox_host *host, uint32_t flags, struct build *build)
{
	struct ops none = {.list = NULL};
	int ret;

	ret = build_run(host, &none, flags, -1, build);
	if (ret == 0)
		build_close(build);
	return ret;
}

/* With a network namespace if one is wanted, else or failing that without. */
static int
try_both(const struct omega_sandbox_host *host, uint32_t flags,
    struct setup_network *network, struct build *build)
{
	int ret;

	if (network == NULL)
		return try_once(host, flags, build);
	memset(network, 0, sizeof(*network));
	ret = try_once(host, flags | REQUEST_NEW_NETWORK, build);
	if (ret == 0)
		network->is_usable = 1;
	else
		build_explain(build, network->why, sizeof(network->why));
	if (ret == 0 || ret == -ENOMEM || !build_is_about_network(build))
		return ret;
	return try_once(host, flags, build);
}

/* Was it the user namespace that could not be had? */
static int
is_about_user(const struct request_reply *reply)
{
	static const char call[] = "unshare(CLONE_NEWUSER)";
	const int error = reply->error;

	return (error == EPERM || error == EACCES || error == ENOSPC ||
		   error == EUSERS || error == EINVAL) &&
	       (strncmp(reply->what, call, sizeof(call) - 1) == 0 ||
		   strcmp(reply->what, "uid_map") == 0);
}

/* probe, describe and apply come one after the other: what was tried a moment
 * ago is not tried again. */
#define MOMENT 2 /* seconds */
static _Thread_local struct {
	pid_t pid;
	time_t until;
	struct caller asked;
	struct caller found;
	struct setup_network network;
} recent;

static time_t
seconds(void)
{
	struct timespec now = {.tv_sec = 0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static int
recall(struct setup *setup)
{
	if (recent.pid != getpid() || seconds() >= recent.until ||
	    memcmp(&recent.asked, &setup->caller, sizeof(recent.asked)) != 0)
		return 0;
	setup->caller = recent.found;
	if (setup->wants_network)
		setup->network = recent.network;
	return 1;
}

int
setup_try(const struct omega_sandbox_host *host, struct caller *caller,
    struct setup_network *network, struct build *build)
{
	const struct caller asked = *caller;
	struct request_reply first;
	int ret;

	ret = try_both(host, caller->flags, network, build);
	if (ret < 0 && caller->can_mount && is_about_user(&build->reply)) {
		first = build->reply;
		if (try_both(host, REQUEST_IS_ROOT | REQUEST_IS_PLAIN, network,
			build) == 0) {
			caller->flags = REQUEST_IS_ROOT | REQUEST_IS_PLAIN;
			ret = 0;
		}
		/* What the chroot is called is the better explanation. */
		if (ret == 0 || strcmp(build->reply.what, REQUEST_CHROOT) != 0)
			build->reply = first;
	}
	if (ret == 0 && network != NULL) {
		recent.pid = getpid();
		recent.until = seconds() + MOMENT;
		recent.asked = asked;
		recent.found = *caller;
		recent.network = *network;
	}
	return ret;
}

int
setup_is_open(const struct omega_sandbox_grant *grant)
{
	return (grant->access & SETUP_CHANGES) != 0 && grant->path != NULL;
}

static int
is_list(const struct omega_sandbox_atom *atom)
{
	if (atom->kind == OMEGA_SANDBOX_ATOM_ELSEWHERE)
		return (atom->access & SETUP_CHANGES) != 0;
	return atom->kind == OMEGA_SANDBOX_ATOM_METADATA && atom->path == NULL;
}

/* Is there a list of what may be changed? Not if it grants everything. */
static int
is_limited(const struct setup *setup)
{
	const struct omega_sandbox_request *request = &setup->request;
	size_t i;

	for (i = 0; i < request->grant_count; i++)
		if (setup_is_open(request->grants[i]) &&
		    strcmp(request->grants[i]->path, "/") == 0)
			return 0;
	for (i = 0; i < setup->count; i++)
		if (is_list(setup->atoms[i]))
			return 1;
	return 0;
}

int
setup_make(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct setup *setup)
{
	struct build build;
	size_t i;
	int ret = 0;

	memset(setup, 0, sizeof(*setup));
	setup->host = host;
	memcpy(&setup->request, request,
	    request->size < sizeof(setup->request) ? request->size
						   : sizeof(setup->request));
	setup->atoms = atoms;
	setup->count = count;
	places_caller(&setup->caller);
	setup->wants_network = denies_network(setup);
	setup->is_believing =
	    (request->flags & OMEGA_SANDBOX_REQUEST_BELIEVING) != 0;
	setup->network.is_usable = setup->is_believing && setup->wants_network;
	/* Others have one way. If this one has none, apply will say so. */
	if (!setup->is_believing &&
	    (setup->caller.can_mount || setup->wants_network) && !recall(setup))
		setup_try(host, &setup->caller,
		    setup->wants_network ? &setup->network : NULL, &build);
	setup->is_limited = is_limited(setup);
	setup->last = &setup->last_kept;
	setup->table_error = table_read(&setup->table);
	if (setup->table_error == 0)
		setup->table_error =
		    overlays_read(&setup->table, &setup->layers);
	for (i = 0; ret == 0 && i < count; i++)
		ret = take_place(setup, atoms[i]);
	if (ret == 0 && request->data_dir != NULL)
		ret = add_dir(setup, request->data_dir);
	for (i = 0; ret == 0 && i < count; i++)
		ret = add_dir_of(setup, atoms[i]);
	return ret;
}

void
setup_drop(struct setup *setup)
{
	free(setup->links.bytes);
	free(setup->absent.bytes);
	taken_drop(&setup->taken);
	overlays_drop(&setup->layers);
	table_drop(&setup->table);
}

const struct setup_dir *
setup_dir_of(const struct setup *setup, const char *path, int is_config)
{
	const struct setup_dir *dir = setup->dirs;

	for (; dir < setup->dirs + setup->dir_count; dir++)
		if (strcmp(is_config ? dir->config : dir->data, path) == 0)
			return dir;
	return NULL;
}

int
setup_is_in_shield(const struct setup *setup, const char *path)
{
	char parent[PATH_MAX];
	size_t i;

	places_parent(path, parent);
	for (i = 0; i < setup->dir_count; i++)
		if (setup->dirs[i].is_shielded &&
		    strcmp(setup->dirs[i].path, parent) == 0)
			return 1;
	return 0;
}

static int
cannot_make(const struct setup *setup, const char *path)
{
	char existing[PATH_MAX];
	struct stat st;

	if (places_existing(path, existing) < 0)
		return 0;
	if (setup_is_below(setup, existing, SETUP_KEPT))
		return 1;
	/* Behind a file there can be nothing while the file stays. */
	if (lstat(existing, &st) != 0 || !S_ISDIR(st.st_mode))
		return 0;
	return !places_can_write(&setup->caller, existing);
}

/* Lists have many names of one directory; for all that are absent there the
 * answer is one. */
int
setup_cannot_make(const struct setup *setup, const char *path)
{
	char dir[PATH_MAX];
	struct stat st;

	places_parent(path, dir);
	if (lstat(path, &st) == 0 || !places_is_missing(errno))
		return cannot_make(setup, path);
	if (strcmp(setup->last->dir, dir) != 0) {
		setup->last->cannot_make = cannot_make(setup, path);
		strcpy(setup->last->dir, dir);
	}
	return setup->last->cannot_make;
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
create_in(const struct setup *setup, const struct setup_dir *dir)
{
	static const char *const entries[] = {
	    "workspace", "skills", "projects", "stores", NULL};
	char path[PATH_MAX];
	size_t i;
	int ret = 0;

	if (setup_has(setup, dir->data, SETUP_ABSENT) &&
	    !setup_cannot_make(setup, dir->data))
		ret = make_with_parents(dir->data);
	for (i = 0; ret == 0 && dir->is_shielded && entries[i] != NULL; i++) {
		struct stat st;

		ret = places_join(dir->path, entries[i], path);
		if (ret == 0 && lstat(path, &st) != 0)
			ret = make_with_parents(path);
		/* A data directory that is not ours to fill stays as it is. */
		if (ret == -EACCES || ret == -EROFS || ret == -EPERM)
			ret = 0;
	}
	return ret;
}

int
setup_create(const struct setup *setup)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < setup->dir_count; i++)
		ret = create_in(setup, &setup->dirs[i]);
	return ret;
}

int
setup_allows(const struct setup *setup, const char *path)
{
	const struct omega_sandbox_request *request = &setup->request;
	size_t i;

	if (!setup->is_limited)
		return 1;
	for (i = 0; i < request->grant_count; i++)
		if (setup_is_open(request->grants[i]) &&
		    places_is_below(path, request->grants[i]->path))
			return 1;
	return 0;
}

static int
add_grant(struct ops *ops, const struct omega_sandbox_grant *grant)
{
	const struct op *op;
	size_t before = ops->count;
	int ret;

	if (strlen(grant->path) >= PATH_MAX)
		return -ENAMETOOLONG;
	ret = ops_add(ops, REQUEST_WRITABLE, grant->path);
	if (ret < 0)
		return ret;
	if (ops->count == before)
		return -ESTALE;
	op = &ops->list[before];
	return op->device != grant->device || op->inode != grant->inode
		   ? -ESTALE
		   : 0;
}

int
setup_add_grants(const struct setup *setup, struct ops *ops)
{
	const struct omega_sandbox_request *request = &setup->request;
	size_t i;
	int ret = 0;

	if (!setup->is_limited)
		return 0;
	for (i = 0; ret == 0 && i < request->grant_count; i++)
		if (setup_is_open(request->grants[i]))
			ret = add_grant(ops, request->grants[i]);
	/* A user's own entries there stay as they are; root's /proc is
	 * read-only anyway. */
	if (ret == 0 && !setup->caller.is_root)
		ret = ops_add(ops, REQUEST_WRITABLE, "/proc");
	return ret;
}
