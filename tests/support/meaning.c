/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * meaning.c - see meaning.h.
 */

#include "meaning.h"

#include <string.h>

bool
meaning_is_below(const char *path, const char *base)
{
	size_t len = strlen(base);

	if (strcmp(base, "/") == 0)
		return true;
	return strncmp(path, base, len) == 0 &&
	       (path[len] == '/' || path[len] == '\0');
}

/* The bit of an atom that an access needs not to be denied. */
static uint32_t
bit_of(unsigned access)
{
	return access == OMEGA_SANDBOX_WRITE ? OMEGA_SANDBOX_ATOM_WRITE
					     : OMEGA_SANDBOX_ATOM_READ;
}

static bool
is_granted(const struct omega_atoms *atoms, uint32_t bit, const char *path)
{
	size_t i;

	for (i = 0; i < atoms->grant_count; i++)
		if ((atoms->grants[i].public.access & bit) != 0 &&
		    meaning_is_below(path, atoms->grants[i].path))
			return true;
	return false;
}

static enum meaning
meaning_of_one(const struct omega_atoms *atoms, const struct omega_atom *atom,
    unsigned access, const char *path)
{
	uint32_t bit = bit_of(access);

	switch (atom->public.kind) {
	case OMEGA_SANDBOX_ATOM_PATH:
		return (atom->public.access & bit) != 0 &&
			       meaning_is_below(path, atom->path)
			   ? MEANING_DENIED
			   : MEANING_OPEN;
	case OMEGA_SANDBOX_ATOM_ABSENT_PATHS:
		return access == OMEGA_SANDBOX_WRITE &&
			       meaning_is_below(path, atom->path)
			   ? MEANING_ABSENT
			   : MEANING_OPEN;
	case OMEGA_SANDBOX_ATOM_ELSEWHERE:
		return (atom->public.access & bit) != 0 &&
			       !is_granted(atoms, bit, path)
			   ? MEANING_UNLISTED
			   : MEANING_OPEN;
	case OMEGA_SANDBOX_ATOM_EXECUTE:
		return access == OMEGA_SANDBOX_EXECUTE &&
			       !is_granted(atoms, OMEGA_SANDBOX_ATOM_RUN, path)
			   ? MEANING_UNLISTED
			   : MEANING_OPEN;
	default:
		return MEANING_OPEN;
	}
}

enum meaning
meaning_of(const struct omega_atoms *atoms, unsigned access, const char *path)
{
	enum meaning found = MEANING_OPEN;
	size_t i;

	for (i = 0; i < atoms->count; i++) {
		enum meaning one =
		    meaning_of_one(atoms, &atoms->list[i], access, path);

		/* What is not promised fully counts last. */
		if (one != MEANING_OPEN &&
		    (found == MEANING_OPEN || found == MEANING_ABSENT))
			found = one;
	}
	return found;
}
