/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sockets-linux.c - see sockets.h.
 *
 * The kernel is asked once which sockets are bound. Each is looked for where
 * its name says, and beside that: many a server binds another name first, and
 * then renames. Others can bind as many as they like, so of theirs a number
 * is looked at that does not grow with what they do; of the caller's own all
 * are. What is not found is counted, and nothing more.
 */

#include "config.h"

#include "policy/sockets.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path/text.h"
#include "policy/diag.h"

/* Whose a socket is, the nearest first. */
enum rank { OWN, ROOTS, OTHERS, RANKS };

/* So many are kept and looked for, */
static const size_t kept_max[RANKS] = {SIZE_MAX, 256, 64};
/* so many are told, and so many of one directory. */
static const size_t told_max[RANKS] = {256, 128, 16};
#define DIRECTORY_MAX 64
/* So many names of a directory are read. */
#define NAMES_MAX 4096
#define LAUNCHERS_MAX 64
/* So many more of launchers of other users are kept and told. */
#define LAUNCHING_MAX 4096
/* Of so many the kernel is asked one by one, which looks through all. */
#define ASKED_MAX 16

struct bound {
	struct omega_diag_socket socket;
	char *name; /* owns that of the socket */
	enum rank rank;
	int error; /* of looking at what has its name, */
	struct stat st; /* which is this */
	bool is_doubtful; /* its name does not say which file it has */
	bool is_moved;
};

/* Those of one directory. */
struct crowd {
	size_t count;
	bool is_told; /* as a whole */
};

struct look {
	const struct omega_known_sockets *services;
	/* Of them, those with a * for the user; and their first bytes, which
	 * are before it. */
	const struct omega_sandbox_service *launchers[LAUNCHERS_MAX];
	uint64_t starts[LAUNCHERS_MAX];
	size_t launcher_count;
	char *const *allowed;
	bool wants_all; /* all that the caller could reach */
	uid_t uid;
	struct omega_sockets *sockets;
	struct bound *list;
	size_t count;
	size_t capacity;
	size_t kept[RANKS];
	size_t told[RANKS];
	size_t launching; /* kept beside the others */
};

/* ---- Which are meant ------------------------------------------------------
 */

/* The first bytes of a name. */
static uint64_t
start_of(const char *name)
{
	uint64_t start = 0;
	size_t i;

	for (i = 0; i < sizeof(start) && name[i] != '\0'; i++)
		start = start << 8 | (unsigned char)name[i];
	return start;
}

/* Is this such a name, which begins so? A * stands for all before the next
 * slash. */
static bool
is_like(const struct omega_sandbox_service *service, const char *name)
{
	const char *path = service->path + sizeof(uint64_t);

	for (name += sizeof(uint64_t); *path != '\0'; path++)
		if (*path == '*')
			name = strchrnul(name, '/');
		else if (*path != *name++)
			return false;
	return service->type == OMEGA_SANDBOX_SERVICE_LAUNCHER
		   ? *name == '\0'
		   : *name == '/' && strchr(name + 1, '/') == NULL;
}

/* Has a launcher of any user this name? Those of the caller are looked for by
 * name, by whoever hides them. This is asked of every socket of others. */
static bool
is_launcher(const struct look *look, const char *name)
{
	const uint64_t start = start_of(name);
	size_t i;

	for (i = 0; i < look->launcher_count; i++)
		if (look->starts[i] == start &&
		    is_like(look->launchers[i], name))
			return true;
	return false;
}

static void
find_launchers(struct look *look)
{
	size_t i;

	for (i = 0; i < look->services->count; i++) {
		const struct omega_sandbox_service *service =
		    &look->services->list[i];

		if ((service->type == OMEGA_SANDBOX_SERVICE_LAUNCHER ||
			service->type == OMEGA_SANDBOX_SERVICE_LAUNCHER_DIR) &&
		    strchr(service->path, '*') != NULL &&
		    look->launcher_count < LAUNCHERS_MAX) {
			look->starts[look->launcher_count] =
			    start_of(service->path);
			look->launchers[look->launcher_count++] = service;
		}
	}
}

static bool
gives_answers(const struct look *look, const char *name)
{
	size_t i;

	for (i = 0; i < look->services->count; i++)
		if (look->services->list[i].type ==
			OMEGA_SANDBOX_SERVICE_ANSWERS &&
		    omega_text_is_below(name, strlen(name),
			look->services->list[i].path,
			strlen(look->services->list[i].path)))
			return true;
	return false;
}

static bool
is_allowed(const struct look *look, const char *path, const struct stat *st)
{
	char *const *item = look->allowed;
	struct stat allowed;

	for (; item != NULL && *item != NULL; item++)
		if (strcmp(*item, path) == 0 ||
		    (stat(*item, &allowed) == 0 &&
			allowed.st_dev == st->st_dev &&
			allowed.st_ino == st->st_ino))
			return true;
	return false;
}

/* Is this one, which is at path, to be told? */
static bool
is_meant(const struct look *look, const struct bound *bound, const char *path,
    const struct stat *st)
{
	if (is_allowed(look, path, st))
		return false;
	if (look->wants_all)
		return bound->rank == OWN ||
		       faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
	return (bound->rank == OWN || st->st_uid == look->uid ||
		   is_launcher(look, path)) &&
	       !gives_answers(look, path);
}

/* ---- What is told ---------------------------------------------------------
 */

static int
tell(struct omega_sockets *sockets, const char *path)
{
	char **list;

	if ((sockets->count & (sockets->count + 1)) == 0) { /* 0, 1, 3, 7 ... */
		list = reallocarray(
		    sockets->list, 2 * sockets->count + 2, sizeof(*list));
		if (list == NULL)
			return -ENOMEM;
		sockets->list = list;
	}
	sockets->list[sockets->count] = strdup(path);
	if (sockets->list[sockets->count] == NULL)
		return -ENOMEM;
	sockets->list[++sockets->count] = NULL;
	return 0;
}

static void
cut_name(const char *path, char dir[PATH_MAX])
{
	snprintf(dir, PATH_MAX, "%.*s", (int)(strrchr(path, '/') - path), path);
	if (dir[0] == '\0')
		strcpy(dir, "/");
}

/* Is there nothing else that the caller could need, or have made? */
static bool
is_for_sockets(const struct look *look, const char *dir)
{
	char *const *item = look->allowed;
	size_t left = NAMES_MAX;
	const struct dirent *entry;
	struct stat st;
	DIR *stream;
	bool is_so;

	if (look->uid == 0 || stat(dir, &st) != 0 || st.st_uid == look->uid ||
	    faccessat(AT_FDCWD, dir, W_OK, AT_EACCESS) == 0)
		return false;
	for (; item != NULL && *item != NULL; item++)
		if (omega_text_is_below(*item, strlen(*item), dir, strlen(dir)))
			return false;
	stream = opendir(dir);
	is_so = stream != NULL;
	while (is_so && (entry = readdir(stream)) != NULL)
		is_so = --left > 0 && (entry->d_type == DT_SOCK ||
					  strcmp(entry->d_name, ".") == 0 ||
					  strcmp(entry->d_name, "..") == 0);
	if (stream != NULL)
		closedir(stream);
	return is_so;
}

/* This one was found. The first above the number decides for its directory. */
static int
found(struct look *look, const struct bound *bound, const char *path,
    const struct stat *st, struct crowd *crowd)
{
	char dir[PATH_MAX];

	/* From root no directory of others is hidden for its sockets. */
	if (look->uid == 0 && look->wants_all &&
	    look->told[bound->rank] == told_max[bound->rank] &&
	    !is_launcher(look, path)) {
		look->sockets->rest++;
		return 0;
	}
	if (!is_meant(look, bound, path, st))
		return 0;
	cut_name(path, dir);
	if (++crowd->count == DIRECTORY_MAX + 1 &&
	    (is_launcher(look, path) || is_for_sockets(look, dir))) {
		crowd->is_told = true;
		return tell(look->sockets, dir);
	}
	if (crowd->is_told)
		return 0;
	/* Another name of it is nowhere to be looked for. */
	look->sockets->rest += st->st_nlink > 1 ? 1 : 0;
	if (crowd->count <= DIRECTORY_MAX &&
	    look->told[bound->rank] < told_max[bound->rank])
		look->told[bound->rank]++;
	else if (!is_launcher(look, path)) {
		look->sockets->rest++;
		return 0;
	}
	return tell(look->sockets, path);
}

/* ---- Those bound in one directory -----------------------------------------
 */

static size_t
dir_len(const struct bound *bound)
{
	return (size_t)(strrchr(bound->name, '/') - bound->name);
}

static int
compare_places(const struct bound *x, const struct bound *y)
{
	size_t len = dir_len(x);

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (len != dir_len(y))
		return len < dir_len(y) ? -1 : 1;
	return memcmp(x->name, y->name, len);
}

/* By whose they are, where they were bound, and which they are. */
static int
compare(const void *a, const void *b)
{
	const struct bound *x = a;
	const struct bound *y = b;
	int order = compare_places(x, y);

	if (order != 0)
		return order;
	return x->socket.inode < y->socket.inode
		   ? -1
		   : x->socket.inode > y->socket.inode;
}

/* Look for those that are not where they were bound. */
static int
look_beside(
    struct look *look, struct bound *list, size_t count, struct crowd *crowd)
{
	struct bound wanted = list[0];
	size_t left = NAMES_MAX;
	struct dirent *entry;
	char dir[PATH_MAX];
	struct stat st;
	DIR *stream;
	int ret = 0;

	cut_name(list[0].name, dir);
	stream = opendir(dir);
	while (ret == 0 && stream != NULL && left-- > 0 &&
	       (entry = readdir(stream)) != NULL) {
		struct bound *bound;
		char path[2 * PATH_MAX];

		wanted.socket.inode = (uint32_t)entry->d_ino;
		bound = bsearch(&wanted, list, count, sizeof(*list), compare);
		snprintf(path, sizeof(path), "%s/%s", dir[1] == '\0' ? "" : dir,
		    entry->d_name);
		if (bound == NULL || !bound->is_moved ||
		    lstat(path, &st) != 0 || !S_ISSOCK(st.st_mode) ||
		    !omega_diag_is_at(&bound->socket, path, &st))
			continue;
		bound->is_moved = false;
		ret = found(look, bound, path, &st, crowd);
	}
	if (stream != NULL)
		closedir(stream);
	return ret;
}

static bool
is_there(const struct bound *bound)
{
	return bound->error == 0 && S_ISSOCK(bound->st.st_mode) &&
	       (!bound->is_doubtful ||
		   omega_diag_is_at(&bound->socket, bound->name, &bound->st));
}

static int
see_directory(struct look *look, struct bound *list, size_t count)
{
	struct crowd crowd = {0, false};
	bool has_moved = false;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < count; i++) {
		if (list[i].error == ENOMEM)
			return -ENOMEM;
		/* The way there is closed, for all of them. A backend looks
		 * whether a command could open it. */
		if (list[i].error == EACCES && !list[i].is_doubtful)
			return list[i].rank == OWN
				   ? tell(look->sockets, list[i].name)
				   : 0;
		if (is_there(&list[i]))
			ret = found(
			    look, &list[i], list[i].name, &list[i].st, &crowd);
		else if (list[i].socket.inode != 0)
			list[i].is_moved = has_moved = true;
		else /* gone since, or not to be looked at: not found */
			list[i].is_moved = !list[i].is_doubtful;
	}
	if (ret == 0 && has_moved)
		ret = look_beside(look, list, count, &crowd);
	for (i = 0; i < count; i++)
		if (list[i].is_moved &&
		    (list[i].rank == OWN || look->wants_all))
			look->sockets->rest++;
	return ret;
}

/* ---- Which file a socket has ----------------------------------------------
 */

static int
compare_numbers(const void *a, const void *b)
{
	const struct bound *x = a;
	const struct bound *y = b;

	return x->socket.number < y->socket.number
		   ? -1
		   : x->socket.number > y->socket.number;
}

/* Is there something else where it was bound? What is at its place can be
 * taken for it, unless it is to be told for being the caller's. */
static bool
is_doubtful(const struct look *look, struct bound *bound)
{
	struct stat st;

	bound->error = stat(bound->name, &bound->st) == 0 ? 0 : errno;
	if (bound->error != 0) /* a link can be closed alone */
		return bound->error != EACCES || lstat(bound->name, &st) == 0;
	return !S_ISSOCK(bound->st.st_mode) ||
	       (bound->rank == OWN && !look->wants_all &&
		   bound->st.st_uid != look->uid);
}

static int
take_file(void *arg, const struct omega_diag_socket *socket)
{
	const struct look *look = arg;
	struct bound wanted = {.socket = *socket};
	struct bound *bound = bsearch(
	    &wanted, look->list, look->count, sizeof(wanted), compare_numbers);

	if (bound != NULL) {
		bound->socket.device = socket->device;
		bound->socket.inode = socket->inode;
	}
	return 0;
}

/* Most are where they were bound, so that the kernel need not be asked; of a
 * few that are not it is asked one by one. One that has ended since is left
 * without a file. */
static int
find_files(struct look *look)
{
	size_t doubtful = 0;
	size_t i;
	int ret = 0;

	for (i = 0; i < look->count; i++) {
		look->list[i].is_doubtful = is_doubtful(look, &look->list[i]);
		doubtful += look->list[i].is_doubtful ? 1 : 0;
	}
	if (doubtful == 0 || look->sockets->error != 0)
		return look->sockets->error;
	qsort(look->list, look->count, sizeof(*look->list), compare_numbers);
	if (doubtful > ASKED_MAX)
		return omega_diag_each(0, true, take_file, look);
	for (i = 0; ret == 0 && i < look->count; i++)
		if (look->list[i].is_doubtful)
			ret = omega_diag_each(
			    look->list[i].socket.number, true, take_file, look);
	return ret;
}

/* ---- All of them ----------------------------------------------------------
 */

static enum rank
rank_of(const struct look *look, const struct omega_diag_socket *socket)
{
	if (!socket->has_uid || socket->uid == look->uid)
		return OWN;
	return socket->uid == 0 ? ROOTS : OTHERS;
}

static int
take(void *arg, const struct omega_diag_socket *socket)
{
	struct look *look = arg;
	enum rank rank = rank_of(look, socket);
	bool counts = rank == OWN || look->wants_all;
	struct bound *bound;

	if (socket->name[0] != '/' ||
	    (look->kept[rank] == kept_max[rank] &&
		(look->launching == LAUNCHING_MAX ||
		    !is_launcher(look, socket->name)))) {
		look->sockets->rest += counts ? 1 : 0;
		return 0;
	}
	/* Root reaches those of everybody, but means only some. */
	if (!counts && look->uid == 0 && !is_launcher(look, socket->name))
		return 0;
	if (look->count == look->capacity) {
		size_t capacity = look->capacity == 0 ? 64 : look->capacity * 2;

		bound = reallocarray(look->list, capacity, sizeof(*bound));
		if (bound == NULL)
			return -ENOMEM;
		look->list = bound;
		look->capacity = capacity;
	}
	bound = &look->list[look->count];
	*bound = (struct bound){.socket = *socket, .rank = rank};
	bound->name = strdup(socket->name);
	if (bound->name == NULL)
		return -ENOMEM;
	bound->socket.name = bound->name;
	look->count++;
	if (look->kept[rank] < kept_max[rank])
		look->kept[rank]++;
	else
		look->launching++;
	return 0;
}

int
omega_sockets_find(uint32_t which, const struct omega_known_sockets *services,
    char *const *allowed, struct omega_sockets *sockets)
{
	struct look look = {.services = services,
	    .allowed = allowed,
	    .wants_all = which != OMEGA_SANDBOX_UNIX_ALL,
	    .uid = geteuid(),
	    .sockets = sockets};
	size_t first = 0;
	size_t i;
	int ret;

	memset(sockets, 0, sizeof(*sockets));
	find_launchers(&look);
	sockets->error = omega_diag_each(0, false, take, &look);
	sockets->error = find_files(&look);
	ret = sockets->error == -ENOMEM ? -ENOMEM : 0;
	if (look.count > 1)
		qsort(look.list, look.count, sizeof(*look.list), compare);
	for (i = 1; ret == 0 && i <= look.count; i++) {
		if (i < look.count &&
		    compare_places(&look.list[first], &look.list[i]) == 0)
			continue;
		ret = see_directory(&look, &look.list[first], i - first);
		first = i;
	}
	for (i = 0; i < look.count; i++)
		free(look.list[i].name);
	free(look.list);
	return ret;
}

void
omega_sockets_drop(struct omega_sockets *sockets)
{
	while (sockets->count > 0)
		free(sockets->list[--sockets->count]);
	free(sockets->list);
	memset(sockets, 0, sizeof(*sockets));
}
