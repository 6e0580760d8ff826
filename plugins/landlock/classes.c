/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * classes.c - see ruleset.h.
 */

#include "ruleset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "landlock.h"
#include "rights.h"

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
keep_link(void *arg, const char *link)
{
	struct classes *classes = arg;
	struct class *changing = &classes->list[CHANGING];
	const char **denied;
	char **links;

	denied = reallocarray(
	    changing->denied, changing->denied_count + 1, sizeof(*denied));
	if (denied == NULL)
		return -ENOMEM;
	changing->denied = denied;
	links = reallocarray(
	    classes->links, classes->link_count + 1, sizeof(*links));
	if (links == NULL)
		return -ENOMEM;
	classes->links = links;
	links[classes->link_count] = strdup(link);
	if (links[classes->link_count] == NULL)
		return -ENOMEM;
	denied[changing->denied_count++] = links[classes->link_count++];
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
		ret = links_each(*path, keep_link, classes);
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
	size_t i;

	for (i = 0; i < CLASSES; i++)
		free(classes->list[i].denied);
	for (i = 0; i < classes->link_count; i++)
		free(classes->links[i]);
	free(classes->links);
}
