/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * classes.c - see ruleset.h.
 */

#include "ruleset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "landlock.h"

#define MAX_LINKS 40 /* as the kernel */

#define READ_BITS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)
#define CHANGE_BITS                                             \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE | \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME)

int
classes_is_active(const struct class *class)
{
	return class->is_limited || class->denied_count > 0;
}

/* Paths of the atoms that have one of these bits. */
static size_t
collect(const struct omega_sandbox_atom *const *atoms, size_t count,
    uint32_t bits, const char **paths)
{
	size_t used = 0;
	size_t i;

	for (i = 0; i < count; i++)
		if ((atoms[i]->kind == OMEGA_SANDBOX_ATOM_PATH &&
			(atoms[i]->access & bits) != 0) ||
		    (atoms[i]->kind == OMEGA_SANDBOX_ATOM_ABSENT_PATHS &&
			(bits & OMEGA_SANDBOX_ATOM_CREATE) != 0))
			paths[used++] = atoms[i]->path;
	return used;
}

/* Is some place not one that costs nothing to keep? Without complement it was
 * promised because no list has it, so the lists must hold, whoever else holds
 * them. */
static int
has_priced(const struct class *class)
{
	size_t i;

	for (i = 0; i < class->denied_count; i++)
		if (!grants_is_free(class->denied[i]))
			return 1;
	return 0;
}

static int
find_class(struct class *class, int is_complement,
    const struct omega_sandbox_atom *const *atoms, size_t count)
{
	class->denied = calloc(count + 1, sizeof(*class->denied));
	if (class->denied == NULL)
		return -ENOMEM;
	class->denied_count = collect(atoms, count, class->bits, class->denied);
	class->is_limited = (holds_limited(atoms, count) & class->bits) != 0 ||
			    (!is_complement && has_priced(class));
	return 0;
}

static int
keep_link(struct classes *classes, const char *link)
{
	struct class *changing = &classes->list[CHANGING];
	const char **denied;

	denied = reallocarray(
	    changing->denied, changing->denied_count + 1, sizeof(*denied));
	if (denied == NULL)
		return -ENOMEM;
	changing->denied = denied;
	denied[changing->denied_count] = strdup(link);
	if (denied[changing->denied_count] == NULL)
		return -ENOMEM;
	changing->denied_count++;
	classes->link_count++;
	return 0;
}

/* Put the target of a link before what is left of the way. */
static int
prepend(const char *target, char *rest)
{
	char longer[PATH_MAX];

	if (snprintf(longer, sizeof(longer), "%s/%s", target, rest) >=
	    (int)sizeof(longer))
		return -ENAMETOOLONG;
	strcpy(rest, longer);
	return 0;
}

/* Take the first name off rest. Its length; 0 behind the last. */
static size_t
take_name(char *rest, char *name)
{
	const char *start = rest + strspn(rest, "/");
	size_t len = strcspn(start, "/");

	memcpy(name, start, len);
	name[len] = '\0';
	memmove(rest, start + len, strlen(start + len) + 1);
	return len;
}

/* Go one name on from at. 1: at is a link now; 0; or a negative errno. */
static int
step(char *at, const char *name, char *target)
{
	size_t used = strlen(at);
	ssize_t len;

	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		if (used > 0)
			*strrchr(at, '/') = '\0';
		return 0;
	}
	if (used + 1 + strlen(name) >= PATH_MAX)
		return -ENAMETOOLONG;
	at[used] = '/';
	strcpy(at + used + 1, name);
	len = readlink(at, target, PATH_MAX - 1);
	if (len < 0)
		return errno == EINVAL ? 0 : -errno;
	target[len] = '\0';
	return 1;
}

/*
 * The symbolic links on the way to path (absolute), as far as it exists:
 * whoever points one of them elsewhere leads the next command away from what is
 * protected.
 */
static int
keep_links_to(struct classes *classes, const char *path)
{
	char at[PATH_MAX] = "";
	char rest[PATH_MAX];
	char name[PATH_MAX];
	char target[PATH_MAX];
	int links = 0;
	int ret;

	if (strlen(path) >= sizeof(rest))
		return -ENAMETOOLONG;
	strcpy(rest, path);
	while (take_name(rest, name) > 0) {
		ret = step(at, name, target);
		if (ret == -ENOENT || ret == -ENOTDIR || ret == -EACCES)
			return 0; /* the rest is not there */
		if (ret == 1) {
			ret = ++links > MAX_LINKS ? -ELOOP
						  : keep_link(classes, at);
			if (ret == 0)
				ret = prepend(target, rest);
			if (target[0] == '/')
				at[0] = '\0';
			else
				*strrchr(at, '/') = '\0';
		}
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* What would be the use of a place that is kept, if the next command were led
 * to another? */
static int
keep_links(struct classes *classes, const struct omega_sandbox_request *request)
{
	const char *const *path;
	int ret = 0;

	if (!OMEGA_SANDBOX_HAS(request, spelled) || request->spelled == NULL)
		return 0;
	for (path = request->spelled; ret == 0 && *path != NULL; path++)
		ret = keep_links_to(classes, *path);
	return ret;
}

int
classes_find(struct classes *classes, int is_complement,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count)
{
	static const struct classes empty = {
	    .list = {
		[READING] = {.bits = READ_BITS,
		    .rights = FS_READ_FILE | FS_READ_DIR},
		[CHANGING] = {.bits = CHANGE_BITS, .rights = RIGHTS_WRITE},
		[RUNNING] = {.bits = OMEGA_SANDBOX_ATOM_RUN,
		    .rights = FS_EXECUTE},
	    }};
	struct class *running = &classes->list[RUNNING];
	struct class *changing = &classes->list[CHANGING];
	size_t i;
	int ret = 0;

	*classes = empty;
	for (i = 0; ret == 0 && i < CLASSES; i++)
		ret =
		    find_class(&classes->list[i], is_complement, atoms, count);
	if (ret < 0)
		return ret;
	/* What cannot be read cannot be run; without a list of programs, what
	 * can be read can be run. */
	if (running->is_limited)
		running->denied_count =
		    collect(atoms, count, READ_BITS, running->denied);
	else
		classes->list[READING].rights |= FS_EXECUTE;
	if (is_complement && has_priced(changing))
		ret = keep_links(classes, request);
	return ret;
}

void
classes_drop(struct classes *classes)
{
	struct class *changing = &classes->list[CHANGING];
	size_t i;

	for (; classes->link_count > 0; classes->link_count--)
		free((char *)(uintptr_t)
			 changing->denied[--changing->denied_count]);
	for (i = 0; i < CLASSES; i++)
		free(classes->list[i].denied);
}
