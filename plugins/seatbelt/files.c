/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * files.c - see profile.h.
 *
 * A rule of a profile goes by names. So whatever could give a protected file
 * another name is refused too: moving it or a directory above it, linking it,
 * cloning a directory it is in, mounting over the way to it.
 */

#include "profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ways.h"

#define READ_BITS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)
#define CHANGE_BITS                                                 \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE |     \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME | \
	    OMEGA_SANDBOX_ATOM_CHANGE)

/* What no program of macOS can do without, beside what none can. */
static const char *const devices[] = {"(literal \"/dev/stdin\")",
    "(literal \"/dev/stdout\")", "(literal \"/dev/stderr\")",
    "(literal \"/dev/dtracehelper\")", "(subpath \"/dev/fd\")",
    "(regex #\"^/dev/ttys[0-9]+$\")"};

#define DEVICE_COUNT (sizeof(devices) / sizeof(devices[0]))

/* The family, and the member of it that others name beside it. */
#define WRITES "file-write* file-write-setugid"

/* What is asked of a file besides its content. */
#define META                                                    \
	"file-write-acl file-write-flags file-write-mode "      \
	"file-write-owner file-write-setugid file-write-times " \
	"file-write-xattr"

/* Places as filters. */
struct files {
	const struct profile_source *source;
	struct rules *rules;
	struct texts reads; /* not to be read */
	struct texts writes; /* not to be changed */
	struct texts hidden; /* not to be read, but may be written */
	struct texts ways; /* neither moved nor replaced */
	struct texts devices; /* harmless */
	int is_read_limited;
	int is_write_limited;
	int is_run_limited;
	struct texts readable;
	struct texts writable;
	struct texts runnable;
};

/* Is it the system's own? Those are there already, and /dev with its
 * exceptions. */
static int
is_system(const struct files *files, const char *path)
{
	const char *const *dir =
	    PROFILE_FIELD(files->source->request, system_dirs);

	for (; dir != NULL && *dir != NULL; dir++)
		if (strcmp(*dir, path) == 0)
			return 1;
	return strcmp(path, "/dev") == 0;
}

int
files_has_lists(const struct profile_source *source)
{
	return profile_atom(source, OMEGA_SANDBOX_ATOM_ELSEWHERE) != NULL ||
	       profile_atom(source, OMEGA_SANDBOX_ATOM_EXECUTE) != NULL;
}

/* ---- Finding --------------------------------------------------------------
 */

/* The directories above each name of it, and itself if it is one to be kept
 * as it was written. */
static void
add_ways(struct files *files, const char *path, int is_with_itself)
{
	struct texts names = {.list = NULL};
	struct texts ways = {.list = NULL};
	size_t i;

	ways_add_names(&names, path);
	for (i = 0; i < names.count; i++) {
		ways_add_above(&ways, names.list[i]);
		if (is_with_itself && names.list[i][1] != '\0')
			texts_add(&ways, "%s", names.list[i]);
	}
	for (i = 0; i < ways.count; i++)
		texts_add_once(&files->ways, "(literal (param \"P%zu\"))",
		    rules_param(files->rules, ways.list[i]));
	texts_drop_to(&names, &files->ways);
	texts_drop_to(&ways, &files->ways);
}

/* A place as filters, with the ways to it. */
static void
add_place(struct files *files, struct texts *filters, const char *path)
{
	rules_add_place(files->rules, filters, path);
	add_ways(files, path, 0);
}

/* A name, or all of it and below, as a volume that ignores case has it; the
 * first len bytes are there. */
static void
add_folded(struct texts *filters, struct rules *rules, const char *name,
    size_t len, int is_with_below)
{
	char *regex = fold_make(name, len <= 1 ? 0 : len, is_with_below);
	char *dir = strndup(name, len == 0 ? 1 : len);

	if (regex == NULL || dir == NULL)
		filters->error = -ENOMEM;
	else
		texts_add_once(filters,
		    "(require-all (subpath (param \"P%zu\")) "
		    "(regex #\"%s\"))",
		    rules_param(rules, dir), regex);
	free(regex);
	free(dir);
}

/* How much of a name of the path is there, in bytes. */
static size_t
find_anchor(const struct files *files, const char *path, const char *name)
{
	size_t there;

	if (files->source->anchor == NULL)
		return (size_t)(strrchr(name, '/') - name);
	there = files->source->anchor(path) + strlen(name);
	return there > strlen(path) ? there - strlen(path) : 0;
}

/* Where a volume ignores case, an absent file has many names, and so have the
 * directories above it that are absent too. */
static void
add_fold(struct files *files, const char *path)
{
	struct texts names = {.list = NULL};
	struct texts ways = {.list = NULL};
	size_t i;
	size_t j;

	ways_add_names(&names, path);
	for (i = 0; i < names.count; i++) {
		const char *name = names.list[i];
		size_t len = find_anchor(files, path, name);

		add_folded(&files->writes, files->rules, name, len, 1);
		ways_add_above(&ways, name);
		for (j = 0; j < ways.count; j++)
			if (strlen(ways.list[j]) > len)
				add_folded(&files->ways, files->rules,
				    ways.list[j], len, 0);
		texts_drop_to(&ways, &files->ways);
	}
	texts_drop_to(&names, &files->writes);
}

/* What is the system's: /dev, but for what every program needs. */
static void
add_system(struct files *files)
{
	struct texts_buffer filter = {.text = NULL};
	const char *const *dir =
	    PROFILE_FIELD(files->source->request, system_dirs);

	for (; dir != NULL && *dir != NULL; dir++) {
		if (strcmp(*dir, "/dev") == 0)
			continue;
		texts_add(&files->writes, "(subpath \"%s\")", *dir);
		add_ways(files, *dir, 0);
	}
	texts_print(&filter, "(require-all (subpath \"/dev\")");
	rules_but(&filter, &files->devices);
	texts_print(&filter, ")");
	texts_add_buffer(&files->writes, &filter);
}

static int
is_unchangeable(const struct omega_sandbox_atom *atom)
{
	return atom->kind == OMEGA_SANDBOX_ATOM_ABSENT_PATHS ||
	       (atom->kind == OMEGA_SANDBOX_ATOM_PATH &&
		   (atom->access & CHANGE_BITS) != 0);
}

/* Is it part of what cannot be changed at all? */
static int
is_kept(const struct profile_source *source, const char *path)
{
	size_t i;

	for (i = 0; i < source->count; i++)
		if (source->atoms[i]->path != NULL &&
		    is_unchangeable(source->atoms[i]) &&
		    ways_is_below(path, source->atoms[i]->path))
			return 1;
	return 0;
}

static void
add_atom(struct files *files, const struct omega_sandbox_atom *atom)
{
	int is_absent = atom->kind == OMEGA_SANDBOX_ATOM_ABSENT_PATHS ||
			(atom->flags & OMEGA_SANDBOX_ATOM_ABSENT) != 0;
	int is_read = atom->kind == OMEGA_SANDBOX_ATOM_PATH &&
		      (atom->access & READ_BITS) != 0;
	int is_write = is_unchangeable(atom);

	if (!is_read && is_system(files, atom->path))
		return;
	if (is_read)
		rules_add_place(files->rules, &files->reads, atom->path);
	if (is_write)
		rules_add_place(files->rules, &files->writes, atom->path);
	if (!is_write && !is_kept(files->source, atom->path))
		rules_add_place(files->rules, &files->hidden, atom->path);
	if (is_write && is_absent)
		add_fold(files, atom->path);
	add_ways(files, atom->path, 0);
}

/* What has no atom, because it is absent or has them by another name: a rule
 * holds for it when it appears. */
static void
add_names(struct files *files)
{
	const struct omega_sandbox_request *request = files->source->request;
	const char *const *path = PROFILE_FIELD(request, unreadable);

	for (; path != NULL && *path != NULL; path++)
		add_place(files, &files->reads, *path);
	path = PROFILE_FIELD(request, unchangeable);
	for (; path != NULL && *path != NULL; path++)
		if (!is_system(files, *path))
			add_place(files, &files->writes, *path);
}

/* The agent's secrets by their own names too, where those are links. */
static void
add_data_dir(struct files *files, const char *dir)
{
	struct texts paths = {.list = NULL};
	size_t i;

	if (dir[1] == '\0')
		dir = "";
	texts_add(&paths, "%s/data", dir);
	texts_add(&paths, "%s/config.toml", dir);
	for (i = 0; i < paths.count; i++) {
		rules_add_place(files->rules, &files->reads, paths.list[i]);
		add_place(files, &files->writes, paths.list[i]);
	}
	texts_drop_to(&paths, &files->reads);
}

/* Everything that is listed by this name is open for what it is listed for. */
static void
open_name(struct files *files, uint32_t access, const char *name)
{
	if ((access & READ_BITS) != 0 && files->is_read_limited)
		rules_add_place(files->rules, &files->readable, name);
	if ((access & CHANGE_BITS) != 0 && files->is_write_limited)
		rules_add_place(files->rules, &files->writable, name);
	if ((access & OMEGA_SANDBOX_ATOM_RUN) != 0 && files->is_run_limited)
		rules_add_place(files->rules, &files->runnable, name);
}

static void
find_lists(struct files *files)
{
	const struct profile_source *source = files->source;
	const struct omega_sandbox_request *request = source->request;
	size_t i;

	for (i = 0; i < source->count; i++) {
		const struct omega_sandbox_atom *atom = source->atoms[i];

		if (atom->kind == OMEGA_SANDBOX_ATOM_EXECUTE)
			files->is_run_limited = 1;
		if (atom->kind != OMEGA_SANDBOX_ATOM_ELSEWHERE)
			continue;
		if ((atom->access & READ_BITS) != 0)
			files->is_read_limited = 1;
		if ((atom->access & CHANGE_BITS) != 0)
			files->is_write_limited = 1;
	}
	for (i = 0; i < request->grant_count; i++) {
		const struct omega_sandbox_grant *grant = request->grants[i];
		const char *const *name = PROFILE_FIELD(grant, spelled);

		if (grant->fd < 0 && source->is_absent_out)
			continue;
		open_name(files, grant->access, grant->path);
		for (; name != NULL && *name != NULL; name++)
			open_name(files, grant->access, *name);
	}
	/* Without the names in the root no program gets as far as main. */
	texts_add(&files->readable, "(literal \"/\")");
	texts_add_all(&files->readable, &files->devices);
	texts_add_all(&files->writable, &files->devices);
}

static int
is_about_place(const struct omega_sandbox_atom *atom)
{
	return atom->path != NULL &&
	       (atom->kind == OMEGA_SANDBOX_ATOM_PATH ||
		   atom->kind == OMEGA_SANDBOX_ATOM_ABSENT_PATHS ||
		   atom->kind == OMEGA_SANDBOX_ATOM_METADATA);
}

static void
find_all(struct files *files)
{
	const struct profile_source *source = files->source;
	const struct omega_sandbox_request *request = source->request;
	const char *const *path = request->allow_devices;
	size_t i;

	for (i = 0; i < DEVICE_COUNT; i++)
		texts_add(&files->devices, "%s", devices[i]);
	for (; path != NULL && *path != NULL; path++)
		rules_add_place(files->rules, &files->devices, *path);
	path = PROFILE_FIELD(request, devices);
	for (; path != NULL && *path != NULL; path++)
		texts_add(&files->devices, "(literal \"%s\")", *path);
	add_system(files);
	for (i = 0; i < source->count; i++)
		if (is_about_place(source->atoms[i]))
			add_atom(files, source->atoms[i]);
	add_names(files);
	if (request->data_dir != NULL)
		add_data_dir(files, request->data_dir);
	for (i = 0; source->links != NULL && i < source->links->count; i++)
		add_ways(files, source->links->list[i], 1);
	find_lists(files);
}

static void
drop_all(struct files *files)
{
	texts_drop(&files->reads);
	texts_drop(&files->writes);
	texts_drop(&files->hidden);
	texts_drop(&files->ways);
	texts_drop(&files->devices);
	texts_drop(&files->readable);
	texts_drop(&files->writable);
	texts_drop(&files->runnable);
}

/* ---- Writing --------------------------------------------------------------
 */

/* All that is refused; each list stands there once, which keeps it short. */
static void
write_denies(const struct files *files)
{
	struct texts ways = {.list = NULL};

	/* What cannot be read cannot be run. */
	rules_limit(files->rules,
	    "file-read* file-map-executable process-exec* file-link "
	    "file-clone file-mount",
	    NULL, &files->reads);
	/* Who may not change a file may not have a name for it that he may. */
	rules_limit(
	    files->rules, WRITES " file-link file-mount", NULL, &files->writes);
	/* A clone of a directory has all that is below it. One that is there
	 * cannot be made; one that is absent must not be, since what is moved
	 * there may have in it what is not to be created. */
	texts_add(&ways, "(literal \"/\")");
	texts_add_all(&ways, &files->ways);
	rules_limit(files->rules,
	    "file-write-create file-write-unlink file-clone file-mount", NULL,
	    &ways);
	rules_limit(files->rules, "file-write-unlink file-link " META, NULL,
	    &files->hidden);
	texts_drop(&ways);
}

static void
allow_reading(const struct files *files)
{
	/* That something is there can be seen, not what is in it. */
	if (files->is_read_limited)
		rules_limit(
		    files->rules, "file-read-metadata", NULL, &files->reads);
	rules_limit(files->rules, "file-read* file-map-executable",
	    files->is_read_limited ? &files->readable : NULL, &files->reads);
}

/* Where only some of file-write* is possible. */
static void
allow_some(const struct files *files, const char *operations,
    const struct texts *places, const struct texts *but)
{
	struct texts_buffer *text = &files->rules->text;

	if (places->count == 0 ||
	    (files->is_write_limited && files->writable.count == 0))
		return;
	texts_print(text, "(allow %s (require-all ", operations);
	rules_any(text, places);
	if (files->is_write_limited) {
		texts_print(text, " ");
		rules_any(text, &files->writable);
	}
	rules_but(text, &files->writes);
	rules_but(text, but);
	texts_print(text, "))\n");
}

/* A way is neither made nor removed, and what is hidden keeps its metadata. */
static void
allow_changing(const struct files *files)
{
	static const struct texts none = {.list = NULL};
	struct texts but = {.list = NULL};

	if (files->hidden.count == 0) {
		allow_some(files, "file-write-data " META, &files->ways, &none);
	} else {
		texts_add_all(&but, &files->hidden);
		texts_add_all(&but, &files->ways);
		allow_some(files, "file-write-data", &but, &none);
		allow_some(
		    files, "file-write-create", &files->hidden, &files->ways);
		allow_some(files, META, &files->ways, &files->hidden);
	}
	texts_add_all(&but, &files->ways);
	texts_add_all(&but, &files->writes);
	rules_limit(files->rules, WRITES,
	    files->is_write_limited ? &files->writable : NULL, &but);
	texts_drop(&but);
}

/* What would give a file another name or another place. */
static void
allow_names(const struct files *files)
{
	struct texts both = {.list = NULL};
	struct texts trees = {.list = NULL};
	struct texts ends = {.list = NULL};

	texts_add_all(&both, &files->reads);
	texts_add_all(&both, &files->writes);
	texts_add_all(&both, &files->hidden);
	rules_limit(files->rules, "file-link",
	    files->is_write_limited ? &files->writable : NULL, &both);
	texts_add(&trees, "(literal \"/\")");
	texts_add_all(&trees, &files->ways);
	texts_add_all(&trees, &files->reads);
	texts_add_all(&ends, &files->readable);
	texts_add_all(&ends, &files->writable);
	rules_limit(files->rules, "file-clone",
	    files->is_read_limited ? &ends : NULL, &trees);
	texts_drop(&both);
	texts_drop(&trees);
	texts_drop(&ends);
}

static void
allow_running(const struct files *files)
{
	struct texts_buffer *text = &files->rules->text;

	if (!files->is_run_limited || !files->is_read_limited) {
		rules_limit(files->rules, "process-exec*",
		    files->is_run_limited    ? &files->runnable
		    : files->is_read_limited ? &files->readable
					     : NULL,
		    &files->reads);
	} else if (files->runnable.count != 0) {
		texts_print(text, "(allow process-exec* (require-all ");
		rules_any(text, &files->runnable);
		texts_print(text, " ");
		rules_any(text, &files->readable);
		rules_but(text, &files->reads);
		texts_print(text, "))\n");
	}
}

void
files_write(const struct profile_source *source, struct rules *rules)
{
	struct files files = {.source = source, .rules = rules};

	find_all(&files);
	if (rules->is_deny_default) {
		allow_reading(&files);
		allow_changing(&files);
		allow_names(&files);
		allow_running(&files);
	} else {
		write_denies(&files);
	}
	drop_all(&files);
}
