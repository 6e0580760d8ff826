/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * atom-add.c - see atom-add.h.
 */

#include "config.h"

#include "policy/atom-add.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/list.h"
#include "path/text.h"

/* So many places are held by descriptors; a policy may list more of them than
 * a process can have open. */
#define MAX_HELD 256

struct omega_atom *
omega_atom_add(struct omega_atoms *atoms, uint32_t kind, uint32_t access,
    const char *origin, const char *sentence)
{
	struct omega_atom *atom =
	    omega_list_grow(atoms->list, atoms->count, sizeof(*atom));

	if (atom == NULL)
		return NULL;
	atoms->list = atom;
	atom += atoms->count;
	atom->public.size = sizeof(atom->public);
	atom->public.kind = kind;
	atom->public.access = access;
	atom->public.fd = -1;
	if (kind < OMEGA_SANDBOX_ATOM_METADATA)
		atom->public.flags = OMEGA_SANDBOX_ATOM_REQUIRED;
	atom->sentence = strdup(sentence);
	atom->origin = strdup(origin);
	if (atom->sentence == NULL || atom->origin == NULL) {
		free(atom->sentence);
		free(atom->origin);
		return NULL;
	}
	atoms->count++;
	return atom;
}

/* Hold the place of an atom, by the descriptor another has of it maybe. */
static int
hold(struct omega_atoms *atoms, struct omega_atom *atom)
{
	size_t turn = 0;
	size_t at = omega_index_find(&atoms->by_path, atom->path, &turn);

	if (at != OMEGA_INDEX_NONE &&
	    atoms->list[at].public.device == atom->public.device &&
	    atoms->list[at].public.inode == atom->public.inode) {
		atom->public.fd = atoms->list[at].public.fd;
		atom->shares_fd = true;
		return 0;
	}
	if (atoms->fd_count == MAX_HELD)
		return 0;
	atom->public.fd = omega_kernel_open_object(atom->path, O_NOFOLLOW);
	if (atom->public.fd < 0) {
		int ret = atom->public.fd;

		atom->public.fd = -1;
		return ret;
	}
	atoms->fd_count++;
	return 0;
}

/* Give an atom, the last one, its place: text, identity, and a descriptor. */
static int
set_place(struct omega_atoms *atoms, struct omega_atom *atom,
    const struct omega_place *place)
{
	int ret;

	atom->path = strdup(place->text);
	if (atom->path == NULL)
		return -ENOMEM;
	atom->public.path = atom->path;
	if (!omega_place_exists(place)) {
		atom->public.flags |= OMEGA_SANDBOX_ATOM_ABSENT;
	} else {
		if (S_ISDIR(place->object.mode))
			atom->public.flags |= OMEGA_SANDBOX_ATOM_DIRECTORY;
		atom->public.device = place->object.dev;
		atom->public.inode = place->object.ino;
		ret = hold(atoms, atom);
		if (ret < 0)
			return ret;
	}
	return omega_index_add(&atoms->by_path, atom->path, atoms->count - 1);
}

int
omega_atom_add_place(struct omega_atoms *atoms, uint32_t kind, uint32_t access,
    const char *origin, const struct omega_place *place, const char *words)
{
	struct omega_atom *atom;
	char *sentence = NULL;

	if (asprintf(&sentence, "%s %s", place->text, words) < 0)
		return -ENOMEM;
	atom = omega_atom_add(atoms, kind, access, origin, sentence);
	free(sentence);
	return atom == NULL ? -ENOMEM : set_place(atoms, atom, place);
}

/* Does some atom of this kind say at least this about the place? */
static bool
has_place(const struct omega_atoms *atoms, uint32_t kind, uint32_t access,
    const struct omega_place *place)
{
	size_t turn = 0;
	size_t i;

	while ((i = omega_index_find(&atoms->by_path, place->text, &turn)) !=
	       OMEGA_INDEX_NONE)
		if (atoms->list[i].public.kind == kind &&
		    (atoms->list[i].public.access & access) == access)
			return true;
	return false;
}

static int
append_name(char ***list, size_t *count, const char *name)
{
	char **names = omega_array_resize(*list, *count + 2, sizeof(*names));

	if (names == NULL)
		return -ENOMEM;
	*list = names;
	names[*count] = strdup(name);
	if (names[*count] == NULL)
		return -ENOMEM;
	names[++*count] = NULL;
	return 0;
}

int
omega_atom_add_name(char ***list, size_t *count, const char *name)
{
	size_t i;

	for (i = 0; i < *count; i++)
		if (strcmp((*list)[i], name) == 0)
			return 0;
	return append_name(list, count, name);
}

/* The same for lists of any length. */
static int
add_indexed(
    struct omega_index *index, char ***list, size_t *count, const char *name)
{
	size_t turn = 0;
	int ret;

	if (omega_index_find(index, name, &turn) != OMEGA_INDEX_NONE)
		return 0;
	ret = append_name(list, count, name);
	return ret < 0
		   ? ret
		   : omega_index_add(index, (*list)[*count - 1], *count - 1);
}

int
omega_atom_add_denied(struct omega_atoms *atoms, const char *path,
    const struct omega_place *place, uint32_t access)
{
	char clean[PATH_MAX];
	const char *const names[] = {clean, place->text};
	size_t i;
	int ret = omega_text_check(path);

	if (ret == 0)
		omega_text_clean(path, clean);
	for (i = 0; ret == 0 && i < 2; i++) {
		if ((access & OMEGA_ATOM_READ_BITS) != 0)
			ret = add_indexed(&atoms->by_unreadable,
			    &atoms->unreadable, &atoms->unreadable_count,
			    names[i]);
		if (ret == 0 && (access & OMEGA_ATOM_CHANGE_BITS) != 0)
			ret = add_indexed(&atoms->by_unchangeable,
			    &atoms->unchangeable, &atoms->unchangeable_count,
			    names[i]);
	}
	return ret;
}

int
omega_atom_add_once(struct omega_atoms *atoms, uint32_t kind, uint32_t access,
    const char *origin, const struct omega_place *place, const char *words)
{
	if (has_place(atoms, kind, access, place))
		return 0;
	return omega_atom_add_place(atoms, kind, access, origin, place, words);
}

int
omega_atom_add_spelled(struct omega_atoms *atoms, const char *path)
{
	return append_name(&atoms->spelled, &atoms->spelled_count, path);
}

int
omega_atom_add_note(struct omega_atoms *atoms, const char *text)
{
	char **notes;

	notes =
	    omega_list_grow(atoms->notes, atoms->note_count, sizeof(*notes));
	if (notes == NULL)
		return -ENOMEM;
	atoms->notes = notes;
	notes[atoms->note_count] = strdup(text);
	if (notes[atoms->note_count] == NULL)
		return -ENOMEM;
	atoms->note_count++;
	return 0;
}
