/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * atoms.c - from what a policy asks for to atoms. See atoms.h.
 *
 * The default policy, in words: the agent's data and configuration and the
 * administrator's blocked paths can be neither read nor changed; the system
 * directories cannot be changed; the child has no way around that through
 * processes, sockets or the terminal. What makes up our own trust (files of
 * configuration and plugins that are not root's) cannot be changed either.
 */

#include "config.h"

#include "policy/atoms.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "path/pair.h"
#include "path/rules.h"
#include "path/text.h"

#define READ_BITS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)
#define CHANGE_BITS                                             \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE | \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME)

/* Where a path leads, exactly. */
static int
find_place(const char *path, struct omega_place *place)
{
	int ret = omega_text_check(path);

	if (ret < 0)
		return ret;
	place->len = omega_text_clean(path, place->text);
	ret = omega_place_resolve(path, false, place);
	return ret < 0 ? ret : 0;
}

static int
make_room(struct omega_atoms *atoms)
{
	size_t capacity = atoms->capacity == 0 ? 64 : atoms->capacity * 2;
	struct omega_atom *list;

	if (atoms->count < atoms->capacity)
		return 0;
	list = reallocarray(atoms->list, capacity, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	atoms->list = list;
	atoms->capacity = capacity;
	return 0;
}

/* Add an atom without a path. sentence is copied. */
static struct omega_atom *
add(struct omega_atoms *atoms, uint32_t kind, uint32_t access,
    const char *origin, const char *sentence)
{
	struct omega_atom *atom;

	if (make_room(atoms) < 0)
		return NULL;
	atom = &atoms->list[atoms->count];
	memset(atom, 0, sizeof(*atom));
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

static int
add_plain(struct omega_atoms *atoms, uint32_t kind, const char *sentence)
{
	uint32_t access = OMEGA_SANDBOX_ATOM_ALL;

	/* A limit is a way to a signal: who is out of time is killed. */
	if (kind == OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS)
		access |= OMEGA_SANDBOX_ATOM_CHANGE;
	return add(atoms, kind, access, "built in", sentence) == NULL ? -ENOMEM
								      : 0;
}

/* Give an atom its place: text, identity, and a descriptor that holds it. */
static int
set_place(struct omega_atom *atom, const struct omega_place *place)
{
	atom->path = strdup(place->text);
	if (atom->path == NULL)
		return -ENOMEM;
	atom->public.path = atom->path;
	if (!omega_place_exists(place)) {
		atom->public.flags |= OMEGA_SANDBOX_ATOM_ABSENT;
		return 0;
	}
	if (S_ISDIR(place->object.mode))
		atom->public.flags |= OMEGA_SANDBOX_ATOM_DIRECTORY;
	atom->public.device = place->object.dev;
	atom->public.inode = place->object.ino;
	atom->public.fd = omega_kernel_open_object(place->text);
	if (atom->public.fd < 0) {
		int ret = atom->public.fd;

		atom->public.fd = -1;
		return ret;
	}
	return 0;
}

/* "PATH WORDS", about the place. */
static int
add_place(struct omega_atoms *atoms, uint32_t kind, uint32_t access,
    const char *origin, const struct omega_place *place, const char *words)
{
	struct omega_atom *atom;
	char *sentence = NULL;

	if (asprintf(&sentence, "%s %s", place->text, words) < 0)
		return -ENOMEM;
	atom = add(atoms, kind, access, origin, sentence);
	free(sentence);
	return atom == NULL ? -ENOMEM : set_place(atom, place);
}

/* Neither readable nor writable, with what hardens that. */
static int
add_denied(struct omega_atoms *atoms, const char *origin,
    const struct omega_place *place)
{
	int ret;

	ret = add_place(atoms, OMEGA_SANDBOX_ATOM_PATH, READ_BITS, origin,
	    place, "cannot be read");
	if (ret == 0)
		ret = add_place(atoms, OMEGA_SANDBOX_ATOM_PATH, CHANGE_BITS,
		    origin, place, "cannot be changed");
	if (ret < 0 || !omega_place_exists(place))
		return ret;
	ret = add_place(atoms, OMEGA_SANDBOX_ATOM_METADATA,
	    OMEGA_SANDBOX_ATOM_CHANGE, origin, place,
	    "keeps its mode, owner and times");
	if (ret == 0)
		ret = add_place(atoms, OMEGA_SANDBOX_ATOM_ALIASES,
		    OMEGA_SANDBOX_ATOM_ALL, origin, place,
		    "cannot be reached by other names it has already");
	if (ret == 0 && !S_ISDIR(place->object.mode))
		ret = add_place(atoms, OMEGA_SANDBOX_ATOM_REPLACED_FILES,
		    OMEGA_SANDBOX_ATOM_ALL, origin, place,
		    "stays out of reach when the host replaces it meanwhile");
	return ret;
}

/* A denied path that may be absent outside the data directory. */
static int
add_denied_or_absent(struct omega_atoms *atoms, const char *origin,
    const struct omega_place *place)
{
	if (omega_place_exists(place))
		return add_denied(atoms, origin, place);
	return add_place(atoms, OMEGA_SANDBOX_ATOM_ABSENT_PATHS,
	    OMEGA_SANDBOX_ATOM_ALL, origin, place, "cannot be created");
}

static bool
has_place(const struct omega_atoms *atoms, const struct omega_place *place)
{
	size_t i;

	for (i = 0; i < atoms->count; i++)
		if (atoms->list[i].path != NULL &&
		    strcmp(atoms->list[i].path, place->text) == 0)
			return true;
	return false;
}

/* What no program can do without stays out of the promise. */
static const char *
words_for(const char *path)
{
	if (strcmp(path, "/dev") == 0)
		return "cannot be changed, harmless devices excepted";
	if (strcmp(path, "/proc") == 0)
		return "cannot be changed, one's own entries excepted";
	return "cannot be changed";
}

/* The system directories there are, each once under its real name. */
static int
add_system(struct omega_atoms *atoms)
{
	struct omega_place place;
	size_t i;
	int ret;

	for (i = 0; i < omega_rules_system_count; i++) {
		ret = find_place(omega_rules_system[i].text, &place);
		if (ret < 0)
			return ret;
		if (!omega_place_exists(&place) || has_place(atoms, &place))
			continue;
		ret = add_place(atoms, OMEGA_SANDBOX_ATOM_PATH, CHANGE_BITS,
		    "built in", &place, words_for(place.text));
		if (ret == 0)
			ret = add_place(atoms, OMEGA_SANDBOX_ATOM_METADATA,
			    OMEGA_SANDBOX_ATOM_CHANGE, "built in", &place,
			    "keeps its modes, owners and times");
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int
add_processes(struct omega_atoms *atoms)
{
	static const struct {
		uint32_t kind;
		const char *sentence;
	} list[] = {
	    {OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS,
		"processes outside get no signals"},
	    {OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE,
		"processes outside cannot be traced, nor their memory touched"},
	    {OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS,
		"abstract sockets of others cannot be reached"},
	    {OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS,
		"nothing outside starts programs on request"},
	    {OMEGA_SANDBOX_ATOM_LATE_SOCKETS,
		"path sockets bound later cannot be reached"},
	    {OMEGA_SANDBOX_ATOM_TERMINAL,
		"nothing is typed into the caller's terminal"},
	    {OMEGA_SANDBOX_ATOM_KEYRING, "the caller's keys cannot be used"},
	};
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < sizeof(list) / sizeof(list[0]); i++)
		ret = add_plain(atoms, list[i].kind, list[i].sentence);
	return ret;
}

/* Remember how a path was written: links on that way matter to backends. */
static int
add_spelled(struct omega_atoms *atoms, const char *path)
{
	char **list;

	list = reallocarray(
	    atoms->spelled, atoms->spelled_count + 2, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	atoms->spelled = list;
	list[atoms->spelled_count] = strdup(path);
	if (list[atoms->spelled_count] == NULL)
		return -ENOMEM;
	list[++atoms->spelled_count] = NULL;
	return 0;
}

/* Something we believe that is not root's: nobody inside may change it. */
static int
add_trusted(struct omega_atoms *atoms, const char *path)
{
	struct omega_place place;
	int ret;

	ret = find_place(path, &place);
	if (ret < 0 || has_place(atoms, &place))
		return ret;
	ret = add_spelled(atoms, path);
	if (ret < 0)
		return ret;
	/* One that is absent would be read when it appears. */
	if (!omega_place_exists(&place))
		return add_place(atoms, OMEGA_SANDBOX_ATOM_ABSENT_PATHS,
		    OMEGA_SANDBOX_ATOM_ALL, "configuration is read from it",
		    &place, "cannot be created");
	return add_place(atoms, OMEGA_SANDBOX_ATOM_PATH, CHANGE_BITS,
	    "configuration is read from it", &place, "cannot be changed");
}

static int
add_all_trusted(struct omega_atoms *atoms, struct omega_sandbox *sandbox)
{
	const struct omega_conf *conf = sandbox->conf;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < conf->not_roots.count; i++)
		ret = add_trusted(atoms, conf->not_roots.items[i].text);
	pthread_mutex_lock(&sandbox->lock);
	for (i = 0; ret == 0 && i < sandbox->loaded_count; i++)
		if (!sandbox->loaded[i]->is_roots)
			ret = add_trusted(atoms, sandbox->loaded[i]->file);
	pthread_mutex_unlock(&sandbox->lock);
	return ret;
}

/* The failure of one path, told with who asked for it. */
static int
path_error(struct omega_sandbox_error *error, const char *path, int ret)
{
	if (ret == -ENOMEM)
		return omega_error_memory(error);
	return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, -ret,
	    "%s cannot be protected: where it leads cannot be found out: %s",
	    path, strerror(-ret));
}

/* Could the directory be made, by somebody with our rights? */
static bool
can_be_made(const struct omega_place *dir)
{
	char anchor[PATH_MAX];

	if (omega_place_exists(dir))
		return true;
	memcpy(anchor, dir->text, dir->anchor);
	anchor[dir->anchor] = '\0';
	return S_ISDIR(dir->object.mode) &&
	       faccessat(AT_FDCWD, anchor, W_OK | X_OK, AT_EACCESS) == 0;
}

/* data and config.toml of one data directory. */
static int
add_data_dir(
    struct omega_atoms *atoms, const char *data_dir, const char *origin)
{
	struct omega_pair data;
	struct omega_pair config;
	struct omega_place dir;
	int ret;

	ret = find_place(data_dir, &dir);
	if (ret == 0)
		ret = omega_pair_make_data(data_dir, &data, &config);
	if (ret < 0)
		return ret;
	if (!can_be_made(&dir)) {
		free(atoms->note);
		return asprintf(&atoms->note,
			   "%s does not exist and cannot be created: there is "
			   "nothing to protect in it",
			   data_dir) < 0
			   ? -ENOMEM
			   : 0;
	}
	if (atoms->data_dir == NULL) {
		atoms->data_dir = strdup(dir.text);
		if (atoms->data_dir == NULL)
			return -ENOMEM;
	}
	ret = add_spelled(atoms, data_dir);
	if (ret < 0 || has_place(atoms, &data.place))
		return ret;
	ret = add_denied(atoms, origin, &data.place);
	return ret < 0 ? ret : add_denied(atoms, origin, &config.place);
}

static int
add_data(struct omega_sandbox_policy *policy, struct omega_atoms *atoms,
    struct omega_sandbox_error *error)
{
	const struct omega_conf_text *admin = &policy->sandbox->conf->data_dir;
	int ret;

	if (policy->data_dir == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, 0,
		    "there is no data directory to protect: user %lu has no "
		    "home directory in the password database; set data_dir",
		    (unsigned long)getuid());
	ret = add_data_dir(atoms, policy->data_dir, "built in");
	if (ret < 0)
		return path_error(error, policy->data_dir, ret);
	/* Denies add up: a host's own directory does not replace the one an
	 * administrator has named. */
	if (admin->text != NULL) {
		ret = add_data_dir(atoms, admin->text, admin->file);
		if (ret < 0)
			return path_error(error, admin->text, ret);
	}
	return 0;
}

/* A path with the place in a file it was written at. */
static int
add_asked(struct omega_atoms *atoms, const struct omega_policy_path *asked,
    struct omega_sandbox_error *error)
{
	struct omega_place place;
	char *origin = NULL;
	int ret;

	if (asked->line != 0)
		ret = asprintf(&origin, "%s:%u", asked->origin, asked->line);
	else
		ret = asprintf(&origin, "%s", asked->origin);
	if (ret < 0)
		return omega_error_memory(error);
	ret = find_place(asked->path, &place);
	if (ret == 0)
		ret = add_spelled(atoms, asked->path);
	if (ret == 0)
		ret = add_denied_or_absent(atoms, origin, &place);
	free(origin);
	return ret < 0 ? path_error(error, asked->path, ret) : 0;
}

int
omega_atoms_make(struct omega_sandbox_policy *policy, struct omega_atoms *atoms,
    struct omega_sandbox_error *error)
{
	size_t i;
	int ret;

	memset(atoms, 0, sizeof(*atoms));
	ret = add_data(policy, atoms, error);
	if (ret == 0 && policy->config_file.path != NULL)
		ret = add_asked(atoms, &policy->config_file, error);
	for (i = 0; ret == 0 && i < policy->blocked_count; i++)
		ret = add_asked(atoms, &policy->blocked[i], error);
	if (ret == 0) {
		ret = add_system(atoms);
		if (ret == 0)
			ret = add_all_trusted(atoms, policy->sandbox);
		if (ret == 0)
			ret = add_processes(atoms);
		if (ret < 0)
			ret = path_error(error, "a system directory", ret);
	}
	if (ret < 0)
		omega_atoms_drop(atoms);
	return ret;
}

void
omega_atoms_drop(struct omega_atoms *atoms)
{
	while (atoms->count > 0) {
		struct omega_atom *atom = &atoms->list[--atoms->count];

		if (atom->public.fd >= 0)
			close(atom->public.fd);
		free(atom->path);
		free(atom->sentence);
		free(atom->origin);
	}
	free(atoms->list);
	while (atoms->spelled_count > 0)
		free(atoms->spelled[--atoms->spelled_count]);
	free(atoms->spelled);
	free(atoms->data_dir);
	free(atoms->note);
	memset(atoms, 0, sizeof(*atoms));
}
