/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * own-files.c - see own-files.h.
 */

#include "config.h"

#include "policy/own-files.h"

#include <string.h>

#include "base/rights.h"
#include "load/sandbox.h"
#include "path/helper.h"
#include "path/text.h"
#include "policy/atom-add.h"

#define CHANGE_BITS OMEGA_ATOM_CHANGE_BITS

static const char why_read[] = "configuration is read from it";
static const char why_run[] = "code of the sandbox is taken from it";

/* ---- Which ----------------------------------------------------------------
 */

/* The plugins in use. With the directory: what is not installed there now
 * would be loaded as soon as it is. */
static int
each_plugin(const struct omega_sandbox *sandbox, bool is_override,
    omega_own_files_take *take, void *arg, bool *has_any)
{
	bool has_dir = false;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < sandbox->loaded_count; i++) {
		const struct omega_backend *backend = sandbox->loaded[i];

		if (backend->handle == NULL)
			continue; /* no file was loaded */
		*has_any = true;
		if (backend->is_roots && !is_override)
			continue;
		if (!has_dir)
			ret = take(arg, sandbox->plugindir, why_run);
		has_dir = true;
		if (ret == 0)
			ret = take(arg, backend->file, why_run);
	}
	return ret;
}

const struct omega_builtin_unattended *
omega_own_files_unattended(void)
{
	static const struct omega_builtin_unattended none = {NULL, false};

	return omega_rights_override() ? omega_builtin_unattended : &none;
}

struct taking {
	omega_own_files_take *take;
	void *arg;
};

static int
take_helper(void *arg, const char *path)
{
	const struct taking *to = arg;

	return to->take(to->arg, path, why_run);
}

int
omega_own_files_each(const struct omega_sandbox_policy *policy, bool is_before,
    omega_own_files_take *take, void *arg)
{
	struct omega_sandbox *sandbox = policy->sandbox;
	const struct omega_conf *conf = sandbox->conf;
	struct taking to = {take, arg};
	bool has_plugin = false;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < conf->changeable.count; i++)
		ret = take(arg, conf->changeable.items[i].text, why_read);
	for (i = 0; ret == 0 && i < policy->files.count; i++)
		ret = take(arg, policy->files.items[i].text, why_read);
	if (ret == 0 && omega_conf_audit_file(conf)->text != NULL)
		ret = take(arg, omega_conf_audit_file(conf)->text,
		    "commands are written down in it");
	if (ret != 0)
		return ret;
	pthread_mutex_lock(&sandbox->lock);
	ret = each_plugin(
	    sandbox, omega_rights_override(), take, arg, &has_plugin);
	pthread_mutex_unlock(&sandbox->lock);
	if (ret == 0 && !has_plugin && is_before)
		ret = omega_helper_each_changeable(
		    sandbox->plugindir, take_helper, &to);
	if (ret == 0 && (has_plugin || is_before))
		ret = omega_helper_each_changeable(
		    omega_helper_dir, take_helper, &to);
	return ret;
}

/* ---- As atoms -------------------------------------------------------------
 */

/* Does a list open the place within what is closed at path? */
static bool
is_opened(const struct omega_atoms *atoms, const struct omega_place *place,
    const char *path)
{
	size_t i;

	for (i = 0; i < atoms->grant_count; i++) {
		const struct omega_atoms_grant *grant = &atoms->grants[i];
		size_t len = strlen(grant->path);

		if ((grant->public.access & CHANGE_BITS) != 0 &&
		    omega_text_is_below(
			place->text, place->len, grant->path, len) &&
		    omega_text_is_below(grant->path, len, path, strlen(path)))
			return true;
	}
	return false;
}

/* Is there an atom already by which nothing changes there? */
static bool
is_covered(const struct omega_atoms *atoms, const struct omega_place *place)
{
	size_t i;

	for (i = 0; i < atoms->count; i++) {
		const struct omega_atom *atom = &atoms->list[i];

		if (atom->public.kind == OMEGA_SANDBOX_ATOM_PATH &&
		    (atom->public.access & CHANGE_BITS) == CHANGE_BITS &&
		    omega_text_is_below(place->text, place->len, atom->path,
			strlen(atom->path)) &&
		    !is_opened(atoms, place, atom->path))
			return true;
	}
	return false;
}

static int
add(void *arg, const char *path, const char *why)
{
	struct omega_atoms *atoms = arg;
	struct omega_place place;
	bool is_told;
	int ret;

	ret = omega_place_find(path, &place);
	if (ret < 0)
		return ret;
	is_told = is_covered(atoms, &place);
	/* A link on the way is not covered with what it leads to. */
	if (is_told && strcmp(path, place.text) == 0)
		return 0;
	ret = omega_atom_add_spelled(atoms, path);
	if (ret == 0)
		ret = omega_atom_add_denied(atoms, path, &place, CHANGE_BITS);
	if (ret < 0 || is_told)
		return ret;
	/* One that is absent would be read when it appears. */
	if (!omega_place_exists(&place))
		return omega_atom_add_once(atoms,
		    OMEGA_SANDBOX_ATOM_ABSENT_PATHS, OMEGA_SANDBOX_ATOM_ALL,
		    why, &place, "cannot be created");
	return omega_atom_add_once(atoms, OMEGA_SANDBOX_ATOM_PATH, CHANGE_BITS,
	    why, &place, "cannot be changed");
}

int
omega_own_files_add(
    struct omega_atoms *atoms, const struct omega_sandbox_policy *policy)
{
	return omega_own_files_each(policy, false, add, atoms);
}
