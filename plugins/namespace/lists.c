/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * lists.c - see lists.h.
 */

#include "lists.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "request.h"

int
lists_is_open(const struct omega_sandbox_grant *grant)
{
	return (grant->access & LISTS_CHANGES) != 0 && grant->path != NULL;
}

static int
is_list(const struct omega_sandbox_atom *atom)
{
	if (atom->kind == OMEGA_SANDBOX_ATOM_ELSEWHERE)
		return (atom->access & LISTS_CHANGES) != 0;
	return atom->kind == OMEGA_SANDBOX_ATOM_METADATA && atom->path == NULL;
}

int
lists_limit(const struct setup *setup)
{
	const struct omega_sandbox_request *request = &setup->request;
	size_t i;

	for (i = 0; i < request->grant_count; i++)
		if (lists_is_open(request->grants[i]) &&
		    strcmp(request->grants[i]->path, "/") == 0)
			return 0;
	for (i = 0; i < setup->count; i++)
		if (is_list(setup->atoms[i]))
			return 1;
	return 0;
}

int
lists_allow(const struct setup *setup, const char *path)
{
	const struct omega_sandbox_request *request = &setup->request;
	size_t i;

	if (!setup->is_limited)
		return 1;
	for (i = 0; i < request->grant_count; i++)
		if (lists_is_open(request->grants[i]) &&
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
lists_add(const struct setup *setup, struct ops *ops)
{
	const struct omega_sandbox_request *request = &setup->request;
	size_t i;
	int ret = 0;

	if (!setup->is_limited)
		return 0;
	for (i = 0; ret == 0 && i < request->grant_count; i++)
		if (lists_is_open(request->grants[i]))
			ret = add_grant(ops, request->grants[i]);
	/* A user's own entries there stay as they are; root's /proc is
	 * read-only anyway. */
	if (ret == 0 && !setup->caller.is_root)
		ret = ops_add(ops, REQUEST_WRITABLE, "/proc");
	return ret;
}
