/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * files.c - see files.h.
 *
 * A rule of a profile goes by names. So whatever could give a protected file
 * another name is refused too: moving it or a directory above it, linking it,
 * cloning a directory it is in, mounting over the way to it.
 */

#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "spellings.h"

#define READ_BITS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)
#define CHANGE_BITS                                                 \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE |     \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME | \
	    OMEGA_SANDBOX_ATOM_CHANGE)

/* What no policy opens, whether the core has seen it on this host or not. */
static const char *const system_dirs[] = {"/System", "/bin", "/sbin",
    "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/libexec", "/private/etc", "/etc",
    "/Library"};

#define SYSTEM_COUNT (sizeof(system_dirs) / sizeof(system_dirs[0]))

/* What no program can do without. */
static const char *const devices[] = {"(literal \"/dev/null\")",
    "(literal \"/dev/zero\")", "(literal \"/dev/random\")",
    "(literal \"/dev/urandom\")", "(literal \"/dev/tty\")",
    "(literal \"/dev/ptmx\")", "(literal \"/dev/stdin\")",
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

static int
is_system(const char *path)
{
	size_t i;

	for (i = 0; i < SYSTEM_COUNT; i++)
		if (strcmp(system_dirs[i], path) == 0)
			return 1;
	return 0;
}

int
files_has_lists(const struct profile_source *source)
{
	return profile_atom(source, OMEGA_SANDBOX_ATOM_ELSEWHERE) != NULL ||
	       profile_atom(source, OMEGA_SANDBOX_ATOM_EXECUTE) != NULL;
}

/* ---- Finding --------------------------------------------------------------
 */

static void
add_way(struct files *files, struct rules *rules, const char *way)
{
	char filter[64];

	snprintf(filter, sizeof(filter), "(literal (param \"P%zu\"))",
	    rules_param(rules, way));
	if (!texts_has(&files->ways, filter))
		texts_add(&files->ways, "%s", filter);
}

/* The directories above each name of it, and itself if it is one to be kept
 * as it was written. */
static void
add_ways(struct files *files, struct rules *rules, const char *path,
    int is_with_itself)
{
	struct texts names = {.list = NULL};
	struct texts ways = {.list = NULL};
	size_t i;

	spellings_add(&names, path);
	for (i = 0; i < names.count; i++) {
		spellings_add_ways(&ways, names.list[i]);
		if (is_with_itself && names.list[i][1] != '\0')
			texts_add(&ways, "%s", names.list[i]);
	}
	for (i = 0; i < ways.count; i++)
		add_way(files, rules, ways.list[i]);
	if (names.error != 0 || ways.error != 0)
		files->ways.error = -ENOMEM;
	texts_drop(&names);
	texts_drop(&ways);
}

/* A name, or all of it and below, as a volume that ignores case has it; the
 * first len bytes are there. */
static void
add_folded(struct texts *filters, struct rules *rules, const char *name,
    size_t len, int is_with_below)
{
	char *regex = fold_make(name, len <= 1 ? 0 : len, is_with_below);
	char *dir = strndup(name, len == 0 ? 1 : len);
	struct texts_buffer filter = {.text = NULL};

	if (regex == NULL || dir == NULL)
		filters->error = -ENOMEM;
	else
		texts_print(&filter,
		    "(require-all (subpath (param \"P%zu\")) "
		    "(regex #\"%s\"))",
		    rules_param(rules, dir), regex);
	if (filter.error != 0)
		filters->error = filter.error;
	else if (filter.text != NULL)
		texts_find(filters, filter.text);
	free(filter.text);
	free(regex);
	free(dir);
}

/* Where a volume ignores case, an absent file has many names, and so have the
 * directories above it that are absent too. */
static void
add_fold(struct files *files, const struct profile_source *source,
    struct rules *rules, const char *path)
{
	struct texts names = {.list = NULL};
	struct texts ways = {.list = NULL};
	size_t i;
	size_t j;

	spellings_add(&names, path);
	for (i = 0; i < names.count; i++) {
		const char *name = names.list[i];
		size_t len = (size_t)(strrchr(name, '/') - name);

		if (source->anchor != NULL)
			len = source->anchor(path) + strlen(name) > strlen(path)
				  ? source->anchor(path) + strlen(name) -
					strlen(path)
				  : 0;
		add_folded(&files->writes, rules, name, len, 1);
		spellings_add_ways(&ways, name);
		for (j = 0; j < ways.count; j++)
			if (strlen(ways.list[j]) > len)
				add_folded(
				    &files->ways, rules, ways.list[j], len, 0);
		if (ways.error != 0)
			files->ways.error = ways.error;
		texts_drop(&ways);
	}
	if (names.error != 0)
		files->writes.error = names.error;
	texts_drop(&names);
}

/* /dev, but for what every program needs. */
static void
add_devices(struct files *files)
{
	struct texts_buffer filter = {.text = NULL};

	texts_print(&filter, "(require-all (subpath \"/dev\")");
	rules_but(&filter, &files->devices);
	texts_print(&filter, ")");
	if (filter.error != 0)
		files->writes.error = filter.error;
	else
		texts_add(&files->writes, "%s", filter.text);
	free(filter.text);
}

static void
add_system(struct files *files, struct rules *rules)
{
	size_t i;

	for (i = 0; i < SYSTEM_COUNT; i++) {
		texts_add(&files->writes, "(subpath \"%s\")", system_dirs[i]);
		add_ways(files, rules, system_dirs[i], 0);
	}
	add_devices(files);
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
		    spellings_is_below(path, source->atoms[i]->path))
			return 1;
	return 0;
}

static void
add_place(struct files *files, const struct profile_source *source,
    struct rules *rules, const struct omega_sandbox_atom *atom)
{
	int is_absent = atom->kind == OMEGA_SANDBOX_ATOM_ABSENT_PATHS;
	int is_read = atom->kind == OMEGA_SANDBOX_ATOM_PATH &&
		      (atom->access & READ_BITS) != 0;
	int is_write = is_unchangeable(atom);

	/* The system's own are there already, and /dev with its exceptions. */
	if (!is_read &&
	    (is_system(atom->path) || strcmp(atom->path, "/dev") == 0))
		return;
	if (is_read)
		profile_add_place(rules, &files->reads, atom->path);
	if (is_write)
		profile_add_place(rules, &files->writes, atom->path);
	if (!is_write && !is_kept(source, atom->path))
		profile_add_place(rules, &files->hidden, atom->path);
	if (is_write &&
	    (is_absent || (atom->flags & OMEGA_SANDBOX_ATOM_ABSENT) != 0))
		add_fold(files, source, rules, atom->path);
	add_ways(files, rules, atom->path, 0);
}

/* What has no atom, because it is absent or has them by another name: a rule
 * holds for it when it appears. */
static void
add_names(struct files *files, const struct profile_source *source,
    struct rules *rules)
{
	const char *const *path = profile_unreadable(source->request);

	for (; path != NULL && *path != NULL; path++) {
		profile_add_place(rules, &files->reads, *path);
		add_ways(files, rules, *path, 0);
	}
	path = profile_unchangeable(source->request);
	for (; path != NULL && *path != NULL; path++) {
		if (is_system(*path) || strcmp(*path, "/dev") == 0)
			continue;
		profile_add_place(rules, &files->writes, *path);
		add_ways(files, rules, *path, 0);
	}
}

/* The agent's secrets by their own names too, where those are links. */
static void
add_data_dir(struct files *files, struct rules *rules, const char *dir)
{
	static const char *const names[] = {"data", "config.toml"};
	struct texts paths = {.list = NULL};
	size_t i;

	for (i = 0; i < 2; i++)
		texts_add(&paths, "%s/%s", dir[1] == '\0' ? "" : dir, names[i]);
	for (i = 0; i < paths.count; i++) {
		profile_add_place(rules, &files->reads, paths.list[i]);
		profile_add_place(rules, &files->writes, paths.list[i]);
		add_ways(files, rules, paths.list[i], 0);
	}
	if (paths.error != 0)
		files->reads.error = paths.error;
	texts_drop(&paths);
}

/* Everything that is listed by this name is open for what it is listed for. */
static void
open_name(
    struct files *files, struct rules *rules, uint32_t access, const char *name)
{
	if ((access & READ_BITS) != 0 && files->is_read_limited)
		profile_add_place(rules, &files->readable, name);
	if ((access & CHANGE_BITS) != 0 && files->is_write_limited)
		profile_add_place(rules, &files->writable, name);
	if ((access & OMEGA_SANDBOX_ATOM_RUN) != 0 && files->is_run_limited)
		profile_add_place(rules, &files->runnable, name);
}

static void
find_lists(struct files *files, const struct profile_source *source,
    struct rules *rules)
{
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
		const char *const *name = profile_spelled(grant);

		if (grant->fd < 0 && source->is_absent_out)
			continue;
		open_name(files, rules, grant->access, grant->path);
		for (; name != NULL && *name != NULL; name++)
			open_name(files, rules, grant->access, *name);
	}
	/* Without the names in the root no program gets as far as main. */
	texts_add(&files->readable, "(literal \"/\")");
	texts_add_all(&files->readable, &files->devices);
	texts_add_all(&files->writable, &files->devices);
}

static int
is_about_place(uint32_t kind)
{
	return kind == OMEGA_SANDBOX_ATOM_PATH ||
	       kind == OMEGA_SANDBOX_ATOM_ABSENT_PATHS ||
	       kind == OMEGA_SANDBOX_ATOM_METADATA;
}

void
files_find(struct files *files, const struct profile_source *source,
    struct rules *rules)
{
	const struct omega_sandbox_request *request = source->request;
	const char *const *path;
	size_t i;

	memset(files, 0, sizeof(*files));
	for (i = 0; i < DEVICE_COUNT; i++)
		texts_add(&files->devices, "%s", devices[i]);
	for (path = request->allow_devices; path != NULL && *path != NULL;
	     path++)
		profile_add_place(rules, &files->devices, *path);
	add_system(files, rules);
	for (i = 0; i < source->count; i++)
		if (is_about_place(source->atoms[i]->kind) &&
		    source->atoms[i]->path != NULL)
			add_place(files, source, rules, source->atoms[i]);
	add_names(files, source, rules);
	if (request->data_dir != NULL)
		add_data_dir(files, rules, request->data_dir);
	for (i = 0; source->links != NULL && i < source->links->count; i++)
		add_ways(files, rules, source->links->list[i], 1);
	find_lists(files, source, rules);
}

void
files_drop(struct files *files)
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
write_denies(const struct files *files, struct rules *rules)
{
	struct texts ways = {.list = NULL};

	/* What cannot be read cannot be run. */
	rules_limit(rules,
	    "file-read* file-map-executable process-exec* file-link "
	    "file-clone file-mount",
	    NULL, &files->reads);
	/* Who may not change a file may not have a name for it that he may. */
	rules_limit(
	    rules, WRITES " file-link file-mount", NULL, &files->writes);
	/* A clone of a directory has all that is below it. One that is there
	 * cannot be made; one that is absent must not be, since what is moved
	 * there may have in it what is not to be created. */
	texts_add(&ways, "(literal \"/\")");
	texts_add_all(&ways, &files->ways);
	rules_limit(rules,
	    "file-write-create file-write-unlink file-clone file-mount", NULL,
	    &ways);
	rules_limit(
	    rules, "file-write-unlink file-link " META, NULL, &files->hidden);
	texts_drop(&ways);
}

static void
allow_reading(const struct files *files, struct rules *rules)
{
	/* That something is there can be seen, not what is in it. */
	if (files->is_read_limited)
		rules_limit(rules, "file-read-metadata", NULL, &files->reads);
	rules_limit(rules, "file-read* file-map-executable",
	    files->is_read_limited ? &files->readable : NULL, &files->reads);
}

/* Where only some of file-write* is possible. */
static void
allow_some(const struct files *files, struct rules *rules,
    const char *operations, const struct texts *places, const struct texts *but)
{
	struct texts_buffer *text = &rules->text;

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
allow_changing(const struct files *files, struct rules *rules)
{
	static const struct texts none = {.list = NULL};
	struct texts but = {.list = NULL};

	if (files->hidden.count == 0) {
		allow_some(
		    files, rules, "file-write-data " META, &files->ways, &none);
	} else {
		texts_add_all(&but, &files->hidden);
		texts_add_all(&but, &files->ways);
		allow_some(files, rules, "file-write-data", &but, &none);
		allow_some(files, rules, "file-write-create", &files->hidden,
		    &files->ways);
		allow_some(files, rules, META, &files->ways, &files->hidden);
	}
	texts_add_all(&but, &files->ways);
	texts_add_all(&but, &files->writes);
	rules_limit(rules, WRITES,
	    files->is_write_limited ? &files->writable : NULL, &but);
	texts_drop(&but);
}

/* What would give a file another name or another place. */
static void
allow_names(const struct files *files, struct rules *rules)
{
	struct texts both = {.list = NULL};
	struct texts trees = {.list = NULL};
	struct texts ends = {.list = NULL};

	texts_add_all(&both, &files->reads);
	texts_add_all(&both, &files->writes);
	texts_add_all(&both, &files->hidden);
	rules_limit(rules, "file-link",
	    files->is_write_limited ? &files->writable : NULL, &both);
	texts_add(&trees, "(literal \"/\")");
	texts_add_all(&trees, &files->ways);
	texts_add_all(&trees, &files->reads);
	texts_add_all(&ends, &files->readable);
	texts_add_all(&ends, &files->writable);
	rules_limit(
	    rules, "file-clone", files->is_read_limited ? &ends : NULL, &trees);
	texts_drop(&both);
	texts_drop(&trees);
	texts_drop(&ends);
}

static void
allow_running(const struct files *files, struct rules *rules)
{
	struct texts_buffer *text = &rules->text;

	if (!files->is_run_limited || !files->is_read_limited) {
		rules_limit(rules, "process-exec*",
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
files_write(const struct files *files, struct rules *rules)
{
	if (!rules->is_deny_default) {
		write_denies(files, rules);
		return;
	}
	allow_reading(files, rules);
	allow_changing(files, rules);
	allow_names(files, rules);
	allow_running(files, rules);
}
