/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * data-dir.c - see data-dir.h.
 */

#include "config.h"

#include "policy/data-dir.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "path/pair.h"
#include "path/rules.h"
#include "path/text.h"
#include "policy/atom-add.h"
#include "policy/origin.h"
#include "policy/rule-atoms.h"

#define READ_BITS OMEGA_ATOM_READ_BITS
#define CHANGE_BITS OMEGA_ATOM_CHANGE_BITS

#define NO_DATA_DIR -ENOTEMPTY
#define NO_DIRECTORY -ENOTBLK

static int
fail(struct omega_sandbox_error *error, const char *file, uint32_t line,
    const char *path, int ret)
{
	const char *why = "it is not a directory";
	char *where;

	if (ret != NO_DATA_DIR && ret != NO_DIRECTORY)
		return omega_origin_fail(error, file, line, path, ret);
	if (ret == NO_DATA_DIR)
		why = "system directories are there, and an agent's would be "
		      "made beside them; name one of the agent's own "
		      "(--data-dir DIR, or data_dir)";
	where = line != 0 ? omega_origin_text(file, line) : NULL;
	omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, EINVAL,
	    "%s%s%s cannot be the data directory: %s",
	    where == NULL ? "" : where, where == NULL ? "" : ": ", path, why);
	free(where);
	if (line != 0)
		omega_error_file(error, file, line);
	return OMEGA_SANDBOX_E_INVALID_POLICY;
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

/* By which names data or config.toml of a directory is not to be touched:
 * as written, where it leads, and in the directory that leads to. */
static int
add_data_names(struct omega_atoms *atoms, const struct omega_pair *pair,
    const struct omega_place *dir)
{
	const char *name = strrchr(pair->spelled, '/');
	char *own = NULL;
	int ret;

	ret = omega_atom_add_denied(
	    atoms, pair->spelled, &pair->place, READ_BITS | CHANGE_BITS);
	if (ret < 0)
		return ret;
	if (asprintf(&own, "%s%s", dir->len == 1 ? "" : dir->text, name) < 0)
		return -ENOMEM;
	ret = omega_atom_add_denied(
	    atoms, own, &pair->place, READ_BITS | CHANGE_BITS);
	free(own);
	return ret;
}

/* Of a data directory that nobody can look into now, or not at what is in it:
 * what is closed is hidden as a whole, for its owner could open it again. */
static int
add_closed_data(
    struct omega_atoms *atoms, const char *data_dir, const char *origin)
{
	static const char *const names[] = {"data", "config.toml"};
	const uint32_t access = READ_BITS | CHANGE_BITS;
	int ret = omega_atom_add_spelled(atoms, data_dir);
	size_t i;

	for (i = 0; ret == 0 && i < 2; i++) {
		struct omega_place place;
		char *path = NULL;

		if (asprintf(&path, "%s/%s", data_dir, names[i]) < 0)
			return -ENOMEM;
		ret = omega_rule_atoms_find(
		    atoms, origin, path, access, true, &place);
		if (ret == 0)
			ret =
			    omega_atom_add_denied(atoms, path, &place, access);
		if (ret == 0)
			ret = omega_rule_atoms_deny_always(
			    atoms, origin, &place, access);
		free(path);
	}
	return ret;
}

/* Is it a system directory, or has one in it? Directories for an agent would
 * be made there. */
static bool
has_system(const struct omega_place *dir)
{
	size_t i;

	for (i = 0; i < OMEGA_RULES_SYSTEM_COUNT; i++)
		if (omega_text_is_below(omega_rules_system[i].text,
			omega_rules_system[i].len, dir->text, dir->len))
			return true;
	return false;
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

	ret = omega_place_find(data_dir, &dir);
	if (ret == 0 && has_system(&dir))
		ret = NO_DATA_DIR;
	else if (ret == 0 && omega_place_exists(&dir) &&
		 !S_ISDIR(dir.object.mode) && !S_ISLNK(dir.object.mode))
		ret = NO_DIRECTORY;
	if (ret == -EACCES)
		return add_closed_data(atoms, data_dir, origin);
	if (ret < 0)
		return ret;
	if (!can_be_made(&dir)) {
		char *note = NULL;

		if (asprintf(&note,
			"%s does not exist and cannot be created: there is "
			"nothing to protect in it",
			data_dir) < 0)
			return -ENOMEM;
		ret = omega_atom_add_note(atoms, note);
		free(note);
		return ret;
	}
	if (atoms->data_dir == NULL) {
		atoms->data_dir = strdup(dir.text);
		if (atoms->data_dir == NULL)
			return -ENOMEM;
	}
	ret = omega_pair_make_data(data_dir, &data, &config);
	if (ret == -EACCES)
		return add_closed_data(atoms, data_dir, origin);
	if (ret == 0)
		ret = omega_atom_add_spelled(atoms, data_dir);
	if (ret == 0)
		ret = add_data_names(atoms, &data, &dir);
	if (ret == 0)
		ret = add_data_names(atoms, &config, &dir);
	if (ret < 0)
		return ret;
	ret = omega_rule_atoms_deny_always(
	    atoms, origin, &data.place, READ_BITS | CHANGE_BITS);
	return ret < 0 ? ret
		       : omega_rule_atoms_deny_always(atoms, origin,
			     &config.place, READ_BITS | CHANGE_BITS);
}

/* Denies add up: a host's own directory does not replace the one an
 * administrator has named. */
static int
add_admins_data(struct omega_sandbox_policy *policy, struct omega_atoms *atoms,
    struct omega_sandbox_error *error)
{
	const struct omega_conf_text *admin =
	    omega_conf_first(policy->sandbox->conf, OMEGA_OPTION_DATA_DIR);
	int ret;

	if (admin->text == NULL)
		return 0;
	ret = add_data_dir(atoms, admin->text, admin->file);
	return ret < 0 ? fail(error, admin->file, admin->line, admin->text, ret)
		       : 0;
}

int
omega_data_dir_add(struct omega_sandbox_policy *policy,
    struct omega_atoms *atoms, struct omega_sandbox_error *error)
{
	const struct omega_conf_text *admin =
	    omega_conf_first(policy->sandbox->conf, OMEGA_OPTION_DATA_DIR);
	int ret;

	if (policy->is_data_dropped)
		return add_admins_data(policy, atoms, error);
	if (policy->data_dir == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, 0,
		    "there is no data directory to protect: user %lu has no "
		    "home directory in the password database; set data_dir",
		    (unsigned long)geteuid());
	ret = add_data_dir(atoms, policy->data_dir, "built in");
	if (ret < 0)
		return fail(error, admin->file,
		    admin->text != NULL &&
			    strcmp(admin->text, policy->data_dir) == 0
			? admin->line
			: 0,
		    policy->data_dir, ret);
	return add_admins_data(policy, atoms, error);
}
