/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * judge.c - see judge.h.
 */

#include "judge.h"

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "path/builtin.h"

void
judge_add(struct judge_case *one, uint32_t kind, uint32_t access,
    uint32_t flags, const char *path)
{
	struct omega_sandbox_atom *atom = &one->atoms[one->count];

	if (one->count == JUDGE_MAX)
		abort();
	*atom = (struct omega_sandbox_atom){.size = sizeof(*atom),
	    .kind = kind,
	    .access = access,
	    .flags = flags,
	    .path = path,
	    .fd = -1};
	one->list[one->count++] = atom;
}

void
judge_grant(struct judge_case *one, uint32_t access, const char *path)
{
	size_t count = one->request.grant_count;

	if (count == JUDGE_MAX)
		abort();
	one->grants[count] = (struct omega_sandbox_grant){
	    .size = sizeof(one->grants[0]), .access = access, .path = path};
	one->grant_list[count] = &one->grants[count];
	one->request.grants = one->grant_list;
	one->request.grant_count++;
}

void
judge_add_default(struct judge_case *one, const char *data, const char *config)
{
	static const uint32_t kinds[] = {OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS,
	    OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE,
	    OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS,
	    OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS,
	    OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS, OMEGA_SANDBOX_ATOM_TERMINAL,
	    OMEGA_SANDBOX_ATOM_KEYRING};
	static struct omega_known_sockets services;
	const char *const places[] = {data, config};
	size_t i;

	for (i = 0; i < 2; i++) {
		judge_add(
		    one, OMEGA_SANDBOX_ATOM_PATH, JUDGE_READ, 0, places[i]);
		judge_add(
		    one, OMEGA_SANDBOX_ATOM_PATH, JUDGE_CHANGE, 0, places[i]);
		judge_add(one, OMEGA_SANDBOX_ATOM_METADATA,
		    OMEGA_SANDBOX_ATOM_CHANGE, 0, places[i]);
	}
	if (services.count == 0 && omega_known_sockets_make(&services) < 0)
		abort();
	one->request.services = services.pointers;
	one->request.service_count = services.count;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		judge_add(one, kinds[i], OMEGA_SANDBOX_ATOM_ALL, 0, NULL);
}

bool
judge_open(struct judge *judge, const struct profile_source *source)
{
	const char **params;
	char(*names)[24];
	size_t i;
	int ret;

	memset(judge, 0, sizeof(*judge));
	ret = profile_make(source, &judge->profile);
	if (ret < 0) {
		snprintf(judge->error, sizeof(judge->error), "no profile: %s",
		    strerror(-ret));
		return false;
	}
	params = calloc(judge->profile.count * 2 + 1, sizeof(*params));
	names = calloc(judge->profile.count + 1, sizeof(*names));
	if (params == NULL || names == NULL)
		abort();
	for (i = 0; i < judge->profile.count; i++) {
		snprintf(names[i], sizeof(names[i]), "P%zu", i);
		params[2 * i] = names[i];
		params[2 * i + 1] = judge->profile.values[i];
	}
	judge->sbpl = sbpl_read(
	    judge->profile.text, params, judge->error, sizeof(judge->error));
	free(params);
	free(names);
	return judge->sbpl != NULL;
}

bool
judge_case_open(struct judge *judge, struct judge_case *one)
{
	const struct profile_source source = {.request = &one->request,
	    .atoms = one->list,
	    .count = one->count,
	    .links = &one->links,
	    .sockets = &one->sockets,
	    .anchor = one->anchor};

	one->request.size = sizeof(one->request);
	one->request.devices = omega_builtin_devices;
	one->request.system_dirs = omega_builtin_system_dirs;
	return judge_open(judge, &source);
}

bool
judge_atoms_open(struct judge *judge, const struct omega_atoms *atoms)
{
	const struct omega_sandbox_atom **list;
	struct omega_sandbox_request request = {.size = sizeof(request)};
	struct profile_source source = {.request = &request};
	bool is_good;

	list = calloc(atoms->count + 1, sizeof(*list));
	if (list == NULL)
		abort();
	for (; source.count < atoms->count; source.count++)
		list[source.count] = &atoms->list[source.count].public;
	source.atoms = list;
	omega_atoms_tell(atoms, &request);
	is_good = judge_open(judge, &source);
	free(list);
	return is_good;
}

void
judge_close(struct judge *judge)
{
	sbpl_free(judge->sbpl);
	profile_drop(&judge->profile);
	memset(judge, 0, sizeof(*judge));
}

enum sbpl_answer
judge_file(struct judge *judge, const char *operation, const char *path)
{
	const struct sbpl_question question = {
	    .operation = operation, .path = path};

	return sbpl_ask(judge->sbpl, &question);
}

enum sbpl_answer
judge_access(struct judge *judge, char letter, const char *path, bool exists)
{
	switch (letter) {
	case 'r':
		return judge_file(judge, "file-read-data", path);
	case 'w':
		return judge_file(judge,
		    exists ? "file-write-data" : "file-write-create", path);
	default:
		return judge_file(judge, "process-exec", path);
	}
}

void
judge_must_open(struct judge *judge, struct judge_case *one)
{
	if (!judge_case_open(judge, one))
		fail_msg("%s\n%s", judge->error,
		    judge->profile.text == NULL ? "" : judge->profile.text);
}

void
judge_expect(struct judge *judge, const char *operation, const char *path,
    enum sbpl_answer expected)
{
	enum sbpl_answer found = judge_file(judge, operation, path);

	if (found != expected)
		fail_msg("%s %s: %d instead of %d\n%s", operation, path, found,
		    expected, judge->profile.text);
}
