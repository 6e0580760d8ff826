/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * atoms.c - from what a policy asks for to atoms. See atoms.h.
 *
 * The default policy, in words: the agent's data and configuration and the
 * administrator's blocked paths can be neither read nor changed; the system
 * directories cannot be changed; the child has no way around that through
 * processes, sockets or the terminal. What makes up our own trust (files of
 * configuration, plugins and helpers, as far as a command could) cannot be
 * changed either.
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

#include "base/error.h"
#include "conf/kinds.h"
#include "path/builtin.h"
#include "path/text.h"
#include "policy/atom-add.h"
#include "policy/combine.h"
#include "policy/data-dir.h"
#include "policy/env-rules.h"
#include "policy/origin.h"
#include "policy/own-files.h"
#include "policy/planted-links.h"
#include "policy/rule-atoms.h"

#define READ_BITS OMEGA_ATOM_READ_BITS
#define CHANGE_BITS OMEGA_ATOM_CHANGE_BITS

/* What no program can do without stays out of the promise. */
static const char *
words_for(const char *path)
{
	if (strcmp(path, "/dev") == 0)
		return "cannot be changed, harmless devices excepted";
	if (strcmp(path, "/proc") == 0)
		return "cannot be changed, entries of one's own "
		       "processes excepted";
	return "cannot be changed";
}

static const char *
metadata_words_for(const char *path)
{
	if (strcmp(path, "/dev") == 0)
		return "keeps its modes, owners and times, what is mounted in "
		       "it excepted";
	return "keeps its modes, owners and times";
}

/* The system directories there are, each once under its real name. */
static int
add_system(struct omega_atoms *atoms)
{
	struct omega_place place;
	size_t i;
	int ret;

	for (i = 0; i < OMEGA_RULES_SYSTEM_COUNT; i++) {
		ret = omega_place_find(omega_rules_system[i].text, &place);
		if (ret < 0)
			return ret;
		if (!omega_place_exists(&place))
			continue;
		ret = omega_atom_add_once(atoms, OMEGA_SANDBOX_ATOM_PATH,
		    CHANGE_BITS, "built in", &place, words_for(place.text));
		if (ret == 0)
			ret = omega_atom_add_once(atoms,
			    OMEGA_SANDBOX_ATOM_METADATA,
			    OMEGA_SANDBOX_ATOM_CHANGE, "built in", &place,
			    metadata_words_for(place.text));
		/* Others own no nodes that would be worth looking for. */
		if (ret == 0 && strcmp(place.text, "/dev") == 0 &&
		    geteuid() == 0)
			ret = omega_atom_add_once(atoms,
			    OMEGA_SANDBOX_ATOM_ALIASES, OMEGA_SANDBOX_ATOM_ALL,
			    "built in", &place,
			    "cannot be reached by nodes that lie elsewhere");
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* What runs by itself, where the caller could write it. */
static int
add_unattended(struct omega_atoms *atoms)
{
	static const char origin[] = "built in: it runs unattended";
	const struct omega_builtin_unattended *at;
	struct omega_place place;
	int ret = 0;

	for (at = omega_own_files_unattended(); ret == 0 && at->path != NULL;
	     at++) {
		ret = omega_place_find(at->path, &place);
		if (ret < 0)
			break;
		if (!omega_place_exists(&place)) {
			if (at->is_obeyed)
				ret = omega_atom_add_once(atoms,
				    OMEGA_SANDBOX_ATOM_ABSENT_PATHS,
				    OMEGA_SANDBOX_ATOM_ALL, origin, &place,
				    "cannot be created");
			continue;
		}
		ret = omega_atom_add_once(atoms, OMEGA_SANDBOX_ATOM_PATH,
		    CHANGE_BITS, origin, &place, "cannot be changed");
		if (ret == 0)
			ret = omega_atom_add_once(atoms,
			    OMEGA_SANDBOX_ATOM_METADATA,
			    OMEGA_SANDBOX_ATOM_CHANGE, origin, &place,
			    metadata_words_for(place.text));
	}
	return ret;
}

/*
 * What holds for every command unless the policy says otherwise: no, and it is
 * required; yes, and it is not asked for.
 */
static const struct process_row {
	uint32_t kind;
	enum omega_option_id rule; /* OMEGA_OPTION_COUNT: none is about it */
	const char *sentence;
} process_rows[] = {
    {OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS, OMEGA_OPTION_SIGNALS,
	"processes outside get no signals and wait for no lease"},
    {OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE, OMEGA_OPTION_PTRACE,
	"processes outside cannot be traced, nor their own memory touched"},
    {OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS, OMEGA_OPTION_COUNT,
	"abstract sockets of others cannot be reached"},
    {OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS, OMEGA_OPTION_COUNT,
	"known ways to start programs outside are closed as they are at "
	"the start"},
    {OMEGA_SANDBOX_ATOM_TERMINAL, OMEGA_OPTION_TERMINAL_INJECTION,
	"nothing is typed into the caller's terminal"},
    {OMEGA_SANDBOX_ATOM_KEYRING, OMEGA_OPTION_COUNT,
	"the caller's keys cannot be used"},
    {OMEGA_SANDBOX_ATOM_LEFT_PROCESSES, OMEGA_OPTION_COUNT,
	"what a supervised command leaves running ends with it"},
};

static int
add_process(struct omega_atoms *atoms, const struct process_row *row,
    const struct omega_combined *combined)
{
	enum omega_combined_switch said = OMEGA_COMBINED_UNSAID;
	uint32_t access = OMEGA_SANDBOX_ATOM_ALL;
	const char *origin = "built in";
	struct omega_atom *atom;

	if (row->rule != OMEGA_OPTION_COUNT)
		said = omega_combine_switch(combined, row->rule);
	if (said == OMEGA_COMBINED_YES)
		return 0;
	/* A limit is a way to a signal: who is out of time is killed. So is a
	 * child one did not ask for. And who opens a file on which there is a
	 * lease stands still. */
	if (row->kind == OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS)
		access |= OMEGA_SANDBOX_ATOM_CHANGE;
	/* Samples of all that runs have bits of everybody's memory. */
	if (row->kind == OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE)
		access |= OMEGA_SANDBOX_ATOM_LIST;
	if (said == OMEGA_COMBINED_NO)
		origin = combined->values[row->rule].origin;
	if (row->kind == OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS &&
	    combined->deny_network != NULL) {
		said = OMEGA_COMBINED_NO;
		origin = combined->deny_network;
	}
	atom = omega_atom_add(atoms, row->kind, access, origin, row->sentence);
	if (atom == NULL)
		return -ENOMEM;
	if (said == OMEGA_COMBINED_NO)
		atom->public.flags |= OMEGA_SANDBOX_ATOM_REQUIRED;
	return 0;
}

static int
add_processes(struct omega_atoms *atoms, const struct omega_combined *combined)
{
	size_t i;
	int ret = 0;

	for (i = 0;
	     ret == 0 && i < sizeof(process_rows) / sizeof(process_rows[0]);
	     i++)
		ret = add_process(atoms, &process_rows[i], combined);
	return ret;
}

/* A path with the place in a file it was written at. */
static int
add_asked(struct omega_atoms *atoms, const struct omega_conf_text *asked,
    struct omega_sandbox_error *error)
{
	struct omega_place place;
	char *origin = omega_origin_text(asked->file, asked->line);
	int ret;

	if (origin == NULL)
		return omega_error_memory(error);
	ret = omega_rule_atoms_find(
	    atoms, origin, asked->text, READ_BITS | CHANGE_BITS, false, &place);
	if (ret == 0 && place.len == 1) {
		free(origin);
		return omega_origin_refuse_all(asked->file, asked->line,
		    "blocked_paths", asked->text, error);
	}
	if (ret == 0)
		ret = omega_atom_add_spelled(atoms, asked->text);
	if (ret == 0)
		ret = omega_atom_add_denied(
		    atoms, asked->text, &place, READ_BITS | CHANGE_BITS);
	if (ret == 0)
		ret = omega_rule_atoms_deny(
		    atoms, origin, &place, READ_BITS | CHANGE_BITS);
	free(origin);
	return ret < 0 ? omega_origin_fail(
			     error, asked->file, asked->line, asked->text, ret)
		       : 0;
}

/* What becomes of the caller's variables. */
static int
note_variables(
    const struct omega_sandbox_policy *policy, struct omega_atoms *atoms)
{
	struct omega_env env;
	char *line = NULL;
	int ret;

	ret = omega_env_rules_make(policy, &env);
	if (ret == 0)
		ret = omega_env_rules_describe(&env, &line);
	if (ret == 0 && line != NULL)
		ret = omega_atom_add_note(atoms, line);
	free(line);
	omega_env_drop(&env);
	return ret < 0 ? ret : omega_env_rules_vain(policy, atoms);
}

/* In whose session commands are. */
static int
note_session(struct omega_atoms *atoms)
{
	if (atoms->session == OMEGA_SANDBOX_SESSION_KEEP)
		return omega_atom_add_note(atoms,
		    "session: commands stay in the caller's (session = keep)");
	return omega_atom_add_note(atoms,
	    atoms->session == OMEGA_SANDBOX_SESSION_NEW
		? "session: each command has one of its own, made by the core "
		  "(session = new)"
		: "session: each command has one of its own, made by the core, "
		  "and no terminal of the caller's (session = pty)");
}

/* Names in accept that are of a former version. */
static int
note_old_kinds(const struct omega_conf *conf, struct omega_atoms *atoms)
{
	size_t i;
	int ret = 0;

	for (i = 0;
	     ret == 0 && i < omega_conf_items(conf, OMEGA_OPTION_ACCEPT)->count;
	     i++) {
		const struct omega_conf_text *old =
		    &omega_conf_items(conf, OMEGA_OPTION_ACCEPT)->items[i];
		char *note = NULL;

		if (asprintf(&note, "%s:%u: accept: %s is called %s now",
			old->file, old->line, old->text,
			omega_kinds_new_name(old->text)) < 0)
			return -ENOMEM;
		ret = omega_atom_add_note(atoms, note);
		free(note);
	}
	return ret;
}

/*
 * What is denied is not granted, at its own place or below it. A backend that
 * knows files and not their names would grant all names of a file else.
 */
static void
take_denied(const struct omega_atoms *atoms, size_t first,
    struct omega_sandbox_grant *grant, const char *path)
{
	size_t i;

	for (i = first; i < atoms->count; i++) {
		const struct omega_atom *atom = &atoms->list[i];

		if (atom->public.kind != OMEGA_SANDBOX_ATOM_PATH ||
		    !omega_text_is_below(
			path, strlen(path), atom->path, strlen(atom->path)))
			continue;
		grant->access &= ~atom->public.access;
		/* What cannot be read cannot be run. */
		if ((atom->public.access & OMEGA_SANDBOX_ATOM_READ) != 0)
			grant->access &= ~(uint32_t)OMEGA_SANDBOX_ATOM_RUN;
	}
}

/* Take from all grants what the atoms from first on deny. */
static void
take_all_denied(struct omega_atoms *atoms, size_t first)
{
	size_t i;

	for (i = 0; i < atoms->grant_count; i++)
		take_denied(atoms, first, &atoms->grants[i].public,
		    atoms->grants[i].path);
}

/* Are sockets to be found? Where none can be used that is needless. */
static bool
is_looking(const struct omega_atoms *atoms)
{
	return atoms->unix_sockets == OMEGA_SANDBOX_UNIX_OWN ||
	       (atoms->unix_sockets == OMEGA_SANDBOX_UNIX_ALL &&
		   atoms->hide_sockets == OMEGA_SANDBOX_HIDE_OWN);
}

/* Everything that needs no path of the policy itself. */
static int
add_rest(struct omega_sandbox_policy *policy, struct omega_atoms *atoms,
    const struct omega_combined *combined)
{
	size_t first;
	size_t i;
	int ret;

	/* Not by the directories of the system: a list may open a part of
	 * them, as /dev/shm. */
	take_all_denied(atoms, 0);
	ret = add_system(atoms);
	first = atoms->count;
	if (ret == 0)
		ret = add_unattended(atoms);
	if (ret == 0)
		ret = omega_own_files_add(atoms, policy);
	take_all_denied(atoms, first);
	if (ret == 0)
		ret = add_processes(atoms, combined);
	if (ret == 0)
		ret = note_variables(policy, atoms);
	if (ret == 0)
		ret = note_session(atoms);
	if (ret == 0)
		ret = note_old_kinds(policy->sandbox->conf, atoms);
	if (ret == 0)
		ret = omega_planted_links_sift(combined, atoms,
		    OMEGA_OPTION_ALLOW_SOCKETS,
		    &policy->own.values[OMEGA_OPTION_ALLOW_SOCKETS].items,
		    &atoms->sockets);
	if (ret == 0)
		ret = omega_planted_links_sift(combined, atoms,
		    OMEGA_OPTION_ALLOW_DEVICES,
		    &policy->own.values[OMEGA_OPTION_ALLOW_DEVICES].items,
		    &atoms->devices);
	if (ret == 0)
		ret = omega_known_sockets_make(&atoms->services);
	if (ret == 0 && is_looking(atoms))
		ret = omega_sockets_find(atoms->unix_sockets, &atoms->services,
		    atoms->sockets, &atoms->outside);
	if (ret < 0)
		return ret;
	/* Now that none of them moves any more. */
	atoms->grant_list =
	    calloc(atoms->grant_count + 1, sizeof(*atoms->grant_list));
	if (atoms->grant_list == NULL)
		return -ENOMEM;
	for (i = 0; i < atoms->grant_count; i++) {
		atoms->grants[i].public.path = atoms->grants[i].path;
		atoms->grants[i].public.spelled =
		    (const char *const *)atoms->grants[i].spelled;
		atoms->grant_list[i] = &atoms->grants[i].public;
	}
	return 0;
}

static int
make(struct omega_sandbox_policy *policy, bool is_shown,
    struct omega_atoms *atoms, struct omega_sandbox_error *error)
{
	static const uint32_t modes[] = {/* by the words of the option */
	    OMEGA_SANDBOX_DATA_DIR_MASK, OMEGA_SANDBOX_DATA_DIR_AUTO,
	    OMEGA_SANDBOX_DATA_DIR_SHIELD};
	const struct omega_conf_text *config_file =
	    omega_conf_first(policy->sandbox->conf, OMEGA_OPTION_CONFIG_FILE);
	const struct omega_conf_list *blocked =
	    &policy->own.values[OMEGA_OPTION_BLOCKED_PATHS].items;
	struct omega_combined combined;
	size_t first;
	size_t i;
	int ret;

	memset(atoms, 0, sizeof(*atoms));
	atoms->session = omega_policy_session(policy);
	atoms->data_dir_mode =
	    modes[policy->own.values[OMEGA_OPTION_DATA_DIR_MODE].number];
	atoms->hide_sockets =
	    (uint32_t)policy->own.values[OMEGA_OPTION_HIDE_SOCKETS].number;
	ret = is_shown ? omega_combine_shown(policy, &combined, error)
		       : omega_combine(policy, &combined, error);
	if (ret == 0)
		ret = omega_data_dir_add(policy, atoms, error);
	if (ret == 0 && config_file->text != NULL)
		ret = add_asked(atoms, config_file, error);
	first = atoms->count;
	for (i = 0; ret == 0 && i < blocked->count; i++)
		ret = add_asked(atoms, &blocked->items[i], error);
	if (ret == 0) {
		ret = omega_rule_atoms_add(atoms, &combined);
		if (ret < 0)
			ret = omega_origin_fail(
			    error, NULL, 0, "what the policy lists", ret);
	}
	for (i = first; i < atoms->count; i++)
		atoms->list[i].is_listed = true;
	if (ret == 0) {
		ret = add_rest(policy, atoms, &combined);
		if (ret < 0)
			ret = omega_origin_fail(
			    error, NULL, 0, "a system directory", ret);
	}
	omega_combine_drop(&combined);
	if (ret < 0)
		omega_atoms_drop(atoms);
	return ret;
}

int
omega_atoms_make(struct omega_sandbox_policy *policy, struct omega_atoms *atoms,
    struct omega_sandbox_error *error)
{
	return make(policy, false, atoms, error);
}

int
omega_atoms_make_shown(struct omega_sandbox_policy *policy,
    struct omega_atoms *atoms, struct omega_sandbox_error *error)
{
	return make(policy, true, atoms, error);
}

void
omega_atoms_tell(
    const struct omega_atoms *atoms, struct omega_sandbox_request *request)
{
	struct omega_sandbox_ports *const ports[4] = {&request->connect,
	    &request->bind, &request->connect_udp, &request->bind_udp};
	size_t i;

	request->data_dir = atoms->data_dir;
	request->spelled = (const char *const *)atoms->spelled;
	request->unreadable = (const char *const *)atoms->unreadable;
	request->unchangeable = (const char *const *)atoms->unchangeable;
	request->grants = atoms->grant_list;
	request->grant_count = atoms->grant_count;
	request->allow_sockets = (const char *const *)atoms->sockets;
	request->allow_devices = (const char *const *)atoms->devices;
	request->unix_sockets = atoms->unix_sockets;
	request->hide_sockets = atoms->hide_sockets;
	request->devices = omega_builtin_devices;
	request->system_dirs = omega_builtin_system_dirs;
	request->data_dir_mode = atoms->data_dir_mode;
	request->services = atoms->services.pointers;
	request->service_count = atoms->services.count;
	request->sockets = (const char *const *)atoms->outside.list;
	request->sockets_left = atoms->outside.rest;
	request->socket_error = atoms->outside.error;
	request->hosts = (const char *const *)atoms->hosts;
	request->deny_hosts = (const char *const *)atoms->deny_hosts;
	if (atoms->names_are_open)
		request->flags |= OMEGA_SANDBOX_REQUEST_ANY_NAME;
	for (i = 0; i < 4; i++) {
		ports[i]->list = atoms->ports[i];
		ports[i]->count = atoms->port_counts[i];
	}
}

static void
drop_names(char **list, size_t count)
{
	while (count > 0)
		free(list[--count]);
	free(list);
}

static void
drop_list(char **list)
{
	size_t i;

	for (i = 0; list != NULL && list[i] != NULL; i++)
		free(list[i]);
	free(list);
}

void
omega_atoms_drop(struct omega_atoms *atoms)
{
	size_t i;

	while (atoms->count > 0) {
		struct omega_atom *atom = &atoms->list[--atoms->count];

		if (atom->public.fd >= 0 && !atom->shares_fd)
			close(atom->public.fd);
		free(atom->path);
		free(atom->sentence);
		free(atom->origin);
	}
	free(atoms->list);
	omega_index_drop(&atoms->by_path);
	omega_index_drop(&atoms->by_unreadable);
	omega_index_drop(&atoms->by_unchangeable);
	drop_names(atoms->spelled, atoms->spelled_count);
	drop_names(atoms->unreadable, atoms->unreadable_count);
	drop_names(atoms->unchangeable, atoms->unchangeable_count);
	free(atoms->data_dir);
	drop_names(atoms->notes, atoms->note_count);
	while (atoms->grant_count > 0) {
		struct omega_atoms_grant *grant =
		    &atoms->grants[--atoms->grant_count];

		if (grant->public.fd >= 0)
			close(grant->public.fd);
		drop_names(grant->spelled, grant->spelled_count);
		free(grant->path);
	}
	free(atoms->grants);
	free(atoms->grant_list);
	drop_list(atoms->sockets);
	drop_list(atoms->devices);
	drop_list(atoms->hosts);
	drop_list(atoms->deny_hosts);
	omega_known_sockets_drop(&atoms->services);
	omega_sockets_drop(&atoms->outside);
	free(atoms->new_privileges);
	for (i = 0; i < 4; i++)
		free(atoms->ports[i]);
	memset(atoms, 0, sizeof(*atoms));
}
