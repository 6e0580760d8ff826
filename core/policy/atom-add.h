/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * atom-add.h - adding one atom to a list.
 */

#ifndef OMEGA_POLICY_ATOM_ADD_H
#define OMEGA_POLICY_ATOM_ADD_H

#include "path/place.h"
#include "policy/atoms.h"

#define OMEGA_ATOM_READ_BITS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)
#define OMEGA_ATOM_CHANGE_BITS                                  \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE | \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME)

/* An atom without a path, required by its kind. Texts are copied. NULL when
 * out of memory. */
struct omega_atom *omega_atom_add(struct omega_atoms *atoms, uint32_t kind,
    uint32_t access, const char *origin, const char *sentence);

/* "PATH WORDS", about the place. 0 or -errno. */
int omega_atom_add_place(struct omega_atoms *atoms, uint32_t kind,
    uint32_t access, const char *origin, const struct omega_place *place,
    const char *words);

/* The same, unless some atom of this kind says at least that already. One that
 * denies other bits, or of another kind, takes nothing away. */
int omega_atom_add_once(struct omega_atoms *atoms, uint32_t kind,
    uint32_t access, const char *origin, const struct omega_place *place,
    const char *words);

/* Add a name to a list ended by NULL, unless it has it. 0 or -ENOMEM. */
int omega_atom_add_name(char ***list, size_t *count, const char *name);

/* Remember by which names something is not to be read, changed or both: as it
 * was written, and where that leads. 0 or -errno. */
int omega_atom_add_denied(struct omega_atoms *atoms, const char *path,
    const struct omega_place *place, uint32_t access);

/* Remember how a path was written: links on that way matter to backends. */
int omega_atom_add_spelled(struct omega_atoms *atoms, const char *path);

/* Something a reader of the report must know; copied. 0 or -ENOMEM. */
int omega_atom_add_note(struct omega_atoms *atoms, const char *text);

#endif
