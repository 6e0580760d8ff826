/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rule-atoms.c - see rule-atoms.h.
 */

#include "config.h"

#include "policy/rule-atoms.h"

#include <sys/stat.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/list.h"
#include "base/platform.h"
#include "path/text.h"
#include "policy/atom-add.h"
#include "policy/host-lists.h"
#include "policy/places.h"
#include "policy/planted-links.h"

#define READ_BITS OMEGA_ATOM_READ_BITS
#define CHANGE_BITS OMEGA_ATOM_CHANGE_BITS
#define MAX_SHOWN 12 /* places and ports named in one sentence */

/* ---- Denied places --------------------------------------------------------
 */

int
omega_rule_atoms_deny_always(struct omega_atoms *atoms, const char *origin,
    const struct omega_place *place, uint32_t access)
{
	int ret = 0;

	if ((access & READ_BITS) != 0)
		ret = omega_atom_add_once(atoms, OMEGA_SANDBOX_ATOM_PATH,
		    READ_BITS, origin, place, "cannot be read");
	if (ret == 0 && (access & CHANGE_BITS) != 0)
		ret = omega_atom_add_once(atoms, OMEGA_SANDBOX_ATOM_PATH,
		    CHANGE_BITS, origin, place, "cannot be changed");
	if (ret < 0 || !omega_place_exists(place))
		return ret;
	if ((access & CHANGE_BITS) != 0)
		ret = omega_atom_add_once(atoms, OMEGA_SANDBOX_ATOM_METADATA,
		    OMEGA_SANDBOX_ATOM_CHANGE, origin, place,
		    "keeps its mode, owner and times");
	if (ret == 0)
		ret = omega_atom_add_once(atoms, OMEGA_SANDBOX_ATOM_ALIASES,
		    OMEGA_SANDBOX_ATOM_ALL, origin, place,
		    "cannot be reached by other names it has already");
	if (ret == 0)
		ret = omega_atom_add_once(atoms,
		    OMEGA_SANDBOX_ATOM_REPLACED_FILES, OMEGA_SANDBOX_ATOM_ALL,
		    origin, place,
		    "stays out of reach when the host replaces it meanwhile");
	return ret;
}

int
omega_rule_atoms_deny(struct omega_atoms *atoms, const char *origin,
    const struct omega_place *place, uint32_t access)
{
	if (omega_place_exists(place))
		return omega_rule_atoms_deny_always(
		    atoms, origin, place, access);
	return omega_atom_add_once(atoms, OMEGA_SANDBOX_ATOM_ABSENT_PATHS,
	    OMEGA_SANDBOX_ATOM_ALL, origin, place, "cannot be created");
}

int
omega_rule_atoms_find(struct omega_atoms *atoms, const char *origin,
    const char *path, uint32_t access, bool is_data, struct omega_place *place)
{
	struct omega_place behind;
	char *note = NULL;
	size_t i;
	int ret = omega_planted_links_reach(path, place);

	if (ret <= 0)
		return ret;
	if (asprintf(&note,
		"nobody gets past %s: it is denied, for what may be behind it",
		place->text) < 0)
		return -ENOMEM;
	for (i = 0; i < atoms->note_count; i++)
		if (strcmp(atoms->notes[i], note) == 0)
			break;
	ret = i < atoms->note_count ? 0 : omega_atom_add_note(atoms, note);
	free(note);
	if (ret == 0)
		ret = omega_planted_links_behind(path, place, is_data, &behind);
	if (ret <= 0)
		return ret;
	ret = omega_atom_add_denied(atoms, behind.text, &behind, access);
	return ret < 0 ? ret
		       : omega_rule_atoms_deny_always(
			     atoms, origin, &behind, access);
}

static int
add_denies(struct omega_atoms *atoms, const struct omega_combined *combined)
{
	const struct omega_combined_places *denies = &combined->denies;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < denies->count; i++) {
		const struct omega_combined_place *deny = &denies->list[i];
		struct omega_place place;

		ret = omega_atom_add_spelled(atoms, deny->spelled);
		if (ret < 0 || deny->access == 0)
			continue;
		ret = omega_rule_atoms_find(atoms, deny->origin, deny->spelled,
		    deny->access, false, &place);
		if (ret == 0)
			ret = omega_atom_add_denied(
			    atoms, deny->spelled, &place, deny->access);
		/* The lists keep it from being made. */
		if (ret == 0 && !omega_place_exists(&place) &&
		    combined->write.is_limited &&
		    !omega_places_has(&combined->write.places, place.text))
			continue;
		if (ret == 0)
			ret = omega_rule_atoms_deny(
			    atoms, deny->origin, &place, deny->access);
	}
	return ret;
}

/* ---- Lists ----------------------------------------------------------------
 */

/* The name it was listed by, where that is another. */
static int
add_grant_name(struct omega_atoms_grant *grant, const char *spelled)
{
	char clean[PATH_MAX];
	int ret = omega_text_check(spelled);

	if (ret < 0)
		return ret;
	omega_text_clean(spelled, clean);
	return strcmp(clean, grant->path) == 0
		   ? 0
		   : omega_atom_add_name(
			 &grant->spelled, &grant->spelled_count, clean);
}

/* The place itself: what is there by its name now may be another. */
static int
open_place(const struct omega_combined_place *place)
{
	struct omega_object now;
	int fd = omega_kernel_open_plain(place->text, 0);

	if (fd < 0)
		return fd == -ELOOP || fd == -ENOENT || fd == -ENOTDIR ? -ESTALE
								       : fd;
	if (omega_kernel_stat(fd, "", &now) == 0 &&
	    omega_object_is_same(&now, &place->object))
		return fd;
	close(fd);
	return -ESTALE;
}

/* Somebody has put something else there. */
static int
leave_out(struct omega_atoms *atoms, const char *path)
{
	char *note = NULL;
	int ret;

	if (asprintf(&note,
		"%s is left out: it is a link, and a command may have made it",
		path) < 0)
		return -ENOMEM;
	ret = omega_atom_add_note(atoms, note);
	free(note);
	return ret;
}

/* Note that a place is open for the bits of access. */
static int
add_grant(struct omega_atoms *atoms, const struct omega_combined_place *place,
    uint32_t access)
{
	struct omega_atoms_grant *grant;
	size_t i;

	for (i = 0; i < atoms->grant_count; i++)
		if (strcmp(atoms->grants[i].path, place->text) == 0) {
			atoms->grants[i].public.access |= access;
			return add_grant_name(
			    &atoms->grants[i], place->spelled);
		}
	grant =
	    omega_list_grow(atoms->grants, atoms->grant_count, sizeof(*grant));
	if (grant == NULL)
		return -ENOMEM;
	atoms->grants = grant;
	grant += atoms->grant_count;
	grant->public.fd = place->exists ? open_place(place) : -1;
	if (place->exists && grant->public.fd < 0)
		return grant->public.fd == -ESTALE
			   ? leave_out(atoms, place->text)
			   : grant->public.fd;
	grant->path = strdup(place->text);
	if (grant->path == NULL) {
		close(grant->public.fd);
		return -ENOMEM;
	}
	grant->public.size = sizeof(grant->public);
	grant->public.access = access;
	grant->public.device = place->object.dev;
	grant->public.inode = place->object.ino;
	if (S_ISDIR(place->object.mode))
		grant->public.flags = OMEGA_SANDBOX_ATOM_DIRECTORY;
	atoms->grant_count++;
	return add_grant_name(grant, place->spelled);
}

static int
add_grants(struct omega_atoms *atoms, const struct omega_combined_set *set,
    uint32_t access)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < set->places.count; i++)
		ret = add_grant(atoms, &set->places.list[i], access);
	return ret;
}

/* "WORDS a, b and 3 more", or "NOTHING". */
static char *
sentence_of(const struct omega_combined_set *set, const char *words,
    const char *nothing)
{
	struct omega_buffer text = {.text = NULL};
	size_t count = set->places.count;
	size_t i;

	omega_buffer_add(&text, count == 0 ? nothing : words);
	for (i = 0; i < count && i < MAX_SHOWN; i++)
		omega_buffer_print(&text, "%s%s", i == 0 ? " " : ", ",
		    set->places.list[i].text);
	if (count > MAX_SHOWN)
		omega_buffer_print(&text, " and %zu more", count - MAX_SHOWN);
	return omega_buffer_take(&text);
}

static int
add_sentence(struct omega_atoms *atoms, uint32_t kind, uint32_t access,
    const char *origin, char *sentence)
{
	struct omega_atom *atom = NULL;

	if (sentence != NULL)
		atom = omega_atom_add(atoms, kind, access, origin, sentence);
	free(sentence);
	return atom == NULL ? -ENOMEM : 0;
}

static int
add_lists(struct omega_atoms *atoms, const struct omega_combined *combined)
{
	const struct omega_combined_set *read = &combined->read;
	const struct omega_combined_set *write = &combined->write;
	const struct omega_combined_set *run = &combined->run;
	int ret = 0;

	if (read->is_limited) {
		ret = add_sentence(atoms, OMEGA_SANDBOX_ATOM_ELSEWHERE,
		    READ_BITS, read->origin,
		    sentence_of(read, "nothing can be read but",
			"nothing can be read"));
		if (ret == 0)
			ret = add_grants(atoms, read, READ_BITS);
		if (ret == 0 && omega_platform_beside_lists() != NULL)
			ret = omega_atom_add_note(
			    atoms, omega_platform_beside_lists());
	}
	if (ret == 0 && write->is_limited) {
		ret = add_sentence(atoms, OMEGA_SANDBOX_ATOM_ELSEWHERE,
		    CHANGE_BITS, write->origin,
		    sentence_of(write, "nothing can be changed but",
			"nothing can be changed"));
		if (ret == 0)
			ret = add_sentence(atoms, OMEGA_SANDBOX_ATOM_METADATA,
			    OMEGA_SANDBOX_ATOM_CHANGE, write->origin,
			    strdup("everything else keeps its mode, owner and "
				   "times"));
		if (ret == 0)
			ret = add_grants(atoms, write, CHANGE_BITS);
	}
	if (ret == 0 && run->is_limited) {
		ret = add_sentence(atoms, OMEGA_SANDBOX_ATOM_EXECUTE,
		    OMEGA_SANDBOX_ATOM_ALL, run->origin,
		    sentence_of(
			run, "nothing can be run but", "nothing can be run"));
		if (ret == 0)
			ret = add_grants(atoms, run, OMEGA_SANDBOX_ATOM_RUN);
	}
	return ret;
}

/* ---- Network --------------------------------------------------------------
 */

static int
add_required(struct omega_atoms *atoms, uint32_t kind, uint32_t access,
    const char *origin, const char *sentence)
{
	struct omega_atom *atom =
	    omega_atom_add(atoms, kind, access, origin, sentence);

	if (atom == NULL)
		return -ENOMEM;
	atom->public.flags |= OMEGA_SANDBOX_ATOM_REQUIRED;
	return 0;
}

static int
add_hosts(struct omega_atoms *atoms, const struct omega_combined_hosts *hosts)
{
	atoms->hosts =
	    omega_host_lists_texts(hosts->list, hosts->count, hosts->proxy);
	atoms->deny_hosts =
	    omega_host_lists_texts(hosts->denied, hosts->denied_count, NULL);
	atoms->names_are_open = !hosts->is_strict;
	if (atoms->hosts == NULL || atoms->deny_hosts == NULL)
		return -ENOMEM;
	return add_sentence(atoms, OMEGA_SANDBOX_ATOM_HOSTS,
	    OMEGA_SANDBOX_ATOM_ALL, hosts->origin,
	    omega_host_lists_sentence(hosts));
}

static int
add_modes(struct omega_atoms *atoms, const struct omega_combined *combined)
{
	const struct omega_combined_hosts *hosts = &combined->hosts;
	const char *deny = combined->deny_network;
	const char *only = combined->only_unix;
	const char *origin = deny != NULL ? deny : only;
	uint32_t access = OMEGA_SANDBOX_ATOM_ALL;
	int ret = 0;

	if (origin == NULL && !hosts->is_limited)
		return 0;
	if (only != NULL)
		access |= OMEGA_SANDBOX_ATOM_CREATE;
	if (origin != NULL) {
		ret = add_required(atoms, OMEGA_SANDBOX_ATOM_NETWORK, access,
		    origin,
		    only != NULL
			? "no Internet socket can be made"
			: "nothing outside is reached over the network");
	} else {
		origin = hosts->origin;
		ret = add_hosts(atoms, hosts);
	}
	if (ret == 0)
		ret = add_required(atoms, OMEGA_SANDBOX_ATOM_FAMILIES,
		    OMEGA_SANDBOX_ATOM_ALL, origin,
		    "no socket of another family can be made");
	if (ret == 0 && origin != only &&
	    omega_atom_add(atoms, OMEGA_SANDBOX_ATOM_OUTSIDE_IPC,
		OMEGA_SANDBOX_ATOM_ALL, origin,
		"System V memory, semaphores and queues, and POSIX queues, of "
		"programs outside cannot be reached") == NULL)
		ret = -ENOMEM;
	return ret;
}

/* Path sockets bound outside: as far as they can be held, but for a policy
 * that wants no UNIX socket at all. */
static int
add_unix_sockets(
    struct omega_atoms *atoms, const struct omega_combined_value *which)
{
	const uint32_t kind = OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS;
	const char *origin = which->origin != NULL ? which->origin : "built in";
	struct omega_atom *atom;

	atoms->unix_sockets = (uint32_t)which->number;
	if (which->number == OMEGA_SANDBOX_UNIX_NONE)
		return add_required(atoms, kind,
		    OMEGA_SANDBOX_ATOM_ALL | OMEGA_SANDBOX_ATOM_CREATE, origin,
		    "no UNIX socket can be used but connected pairs");
	atom = omega_atom_add(atoms, kind, OMEGA_SANDBOX_ATOM_ALL, origin,
	    which->number == OMEGA_SANDBOX_UNIX_OWN
		? "path sockets bound outside cannot be reached"
		: "path sockets of the caller's other programs cannot be "
		  "reached");
	return atom == NULL ? -ENOMEM : 0;
}

/* "WORDS 443, 8080", or "NOTHING". */
static char *
ports_sentence(const struct omega_combined_ports *ports, const char *words,
    const char *nothing)
{
	struct omega_buffer text = {.text = NULL};
	size_t i;

	omega_buffer_add(&text, ports->count == 0 ? nothing : words);
	for (i = 0; i < ports->count && i < MAX_SHOWN; i++)
		omega_buffer_print(&text, "%s%u", i == 0 ? " " : ", ",
		    (unsigned)ports->list[i]);
	if (ports->count > MAX_SHOWN)
		omega_buffer_print(
		    &text, " and %zu more", ports->count - MAX_SHOWN);
	return omega_buffer_take(&text);
}

static int
add_ports(struct omega_atoms *atoms, const struct omega_combined *combined)
{
	static const struct {
		uint32_t kind;
		const char *words;
		const char *nothing;
	} rows[4] = {
	    {OMEGA_SANDBOX_ATOM_CONNECT,
		"TCP connections can be made to no port but",
		"no TCP connection can be made"},
	    {OMEGA_SANDBOX_ATOM_BIND, "no TCP port can be bound but",
		"no TCP port can be bound"},
	    {OMEGA_SANDBOX_ATOM_CONNECT_UDP, "UDP can be sent to no port but",
		"no UDP can be sent"},
	    {OMEGA_SANDBOX_ATOM_BIND_UDP, "no UDP port can be bound but",
		"no UDP port can be bound"},
	};
	size_t i;
	int ret = 0;

	/* Without a network there are no ports. */
	if (combined->deny_network != NULL || combined->only_unix != NULL)
		return 0;
	for (i = 0; ret == 0 && i < 4; i++) {
		const struct omega_combined_ports *ports = &combined->ports[i];

		if (!ports->is_limited)
			continue;
		ret = add_sentence(atoms, rows[i].kind,
		    OMEGA_SANDBOX_ATOM_ALL | OMEGA_SANDBOX_ATOM_CREATE,
		    ports->origin,
		    ports_sentence(ports, rows[i].words, rows[i].nothing));
		if (ret == 0 && ports->count > 0) {
			atoms->ports[i] =
			    calloc(ports->count, sizeof(*ports->list));
			if (atoms->ports[i] == NULL)
				return -ENOMEM;
			memcpy(atoms->ports[i], ports->list,
			    ports->count * sizeof(*ports->list));
			atoms->port_counts[i] = ports->count;
		}
		if (ret == 0 && rows[i].kind == OMEGA_SANDBOX_ATOM_BIND)
			ret = add_sentence(atoms, OMEGA_SANDBOX_ATOM_LISTEN,
			    OMEGA_SANDBOX_ATOM_ALL, ports->origin,
			    strdup("nothing listens on a port the kernel "
				   "chooses"));
	}
	return ret;
}

/* ---- Limits ---------------------------------------------------------------
 */

static int
add_limits(struct omega_atoms *atoms, const struct omega_combined *combined)
{
	static const struct {
		enum omega_option_id rule;
		const char *words;
	} rows[OMEGA_LIMIT_COUNT] = {
	    [OMEGA_LIMIT_MEMORY] = {OMEGA_OPTION_MAX_MEMORY,
		"bytes of memory at most"},
	    [OMEGA_LIMIT_OPEN_FILES] = {OMEGA_OPTION_MAX_OPEN_FILES,
		"open files at most"},
	    [OMEGA_LIMIT_PROCESSES] = {OMEGA_OPTION_MAX_PROCESSES,
		"processes at most"},
	    [OMEGA_LIMIT_CPU_SECONDS] = {OMEGA_OPTION_MAX_CPU_SECONDS,
		"seconds of processor time at most"},
	    [OMEGA_LIMIT_FILE_SIZE] = {OMEGA_OPTION_MAX_FILE_SIZE,
		"bytes at most in a file"},
	};
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < OMEGA_LIMIT_COUNT; i++) {
		const struct omega_combined_value *limit =
		    &combined->values[rows[i].rule];
		struct omega_buffer text = {.text = NULL};

		if (limit->origin == NULL)
			continue;
		omega_buffer_print(&text, "%llu %s",
		    (unsigned long long)limit->number, rows[i].words);
		ret = add_sentence(atoms, OMEGA_SANDBOX_ATOM_LIMIT,
		    OMEGA_SANDBOX_ATOM_ALL, limit->origin,
		    omega_buffer_take(&text));
		if (ret == 0) {
			atoms->list[atoms->count - 1].limit = i;
			atoms->limits.is_set[i] = true;
			atoms->limits.most[i] = limit->number;
		}
	}
	return ret;
}

/* ---- All of it ------------------------------------------------------------
 */

static int
add_notes(struct omega_atoms *atoms, const struct omega_combined *combined)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < combined->note_count; i++)
		ret = omega_atom_add_note(atoms, combined->notes[i]);
	return ret;
}

int
omega_rule_atoms_add(
    struct omega_atoms *atoms, const struct omega_combined *combined)
{
	int ret;

	ret = add_denies(atoms, combined);
	if (ret == 0)
		ret = add_lists(atoms, combined);
	if (ret == 0)
		ret = add_modes(atoms, combined);
	if (ret == 0)
		ret = add_unix_sockets(
		    atoms, &combined->values[OMEGA_OPTION_UNIX_SOCKETS]);
	if (ret == 0)
		ret = add_ports(atoms, combined);
	if (ret == 0 && omega_combine_switch(combined, OMEGA_OPTION_FORK) ==
			    OMEGA_COMBINED_NO)
		ret = add_required(atoms, OMEGA_SANDBOX_ATOM_FORK,
		    OMEGA_SANDBOX_ATOM_ALL,
		    combined->values[OMEGA_OPTION_FORK].origin,
		    "no other process can be started");
	if (ret == 0 && combined->values[OMEGA_OPTION_PTRACE].origin != NULL &&
	    combined->values[OMEGA_OPTION_PTRACE].number == 0 &&
	    omega_atom_add(atoms, OMEGA_SANDBOX_ATOM_TRACE,
		OMEGA_SANDBOX_ATOM_ALL,
		combined->values[OMEGA_OPTION_PTRACE].origin,
		"no process can be traced, the command's own neither") == NULL)
		ret = -ENOMEM;
	if (ret == 0 &&
	    omega_combine_switch(combined, OMEGA_OPTION_NEW_PRIVILEGES) ==
		OMEGA_COMBINED_YES) {
		atoms->new_privileges = strdup(
		    combined->values[OMEGA_OPTION_NEW_PRIVILEGES].origin);
		if (atoms->new_privileges == NULL)
			ret = -ENOMEM;
	}
	if (ret == 0)
		ret = add_limits(atoms, combined);
	return ret == 0 ? add_notes(atoms, combined) : ret;
}
