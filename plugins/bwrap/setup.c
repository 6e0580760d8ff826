/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * setup.c - see setup.h.
 */

#include "setup.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOUNT_ROOT 0x2000u /* STATX_ATTR_MOUNT_ROOT */
#define MAX_LINKS 40

/* ---- The trial ------------------------------------------------------------
 */

/* Two descriptors of bwrap's, for arguments and filter, are all a trial lacks
 * of a start. */
static int
try_once(
    const struct program *program, int with_network, char *why, size_t why_size)
{
	const char *const words[] = {"--", program->path, "--version", NULL};
	struct args args = {.bytes = NULL};
	char said[4096];
	const char *text = said;
	int ret;

	args_add(&args, "--bind", "/", "/", "--dev", "/dev", "--remount-ro",
	    "/dev", "--proc", "/proc", NULL);
	plan_compile_base(with_network, &args);
	ret = args.error;
	if (ret == 0)
		ret = program_run(program, &args, words, said, sizeof(said));
	args_drop(&args);
	if (ret == 0 && strncmp(said, "bubblewrap", 10) != 0)
		ret = 1;
	if (ret <= 0)
		return ret;
	if (strncmp(text, "bwrap: ", 7) == 0)
		text += 7;
	snprintf(why, why_size, "%.80s: %.*s", program->path,
	    (int)strcspn(text, "\n"), text[0] == '\0' ? "it failed" : text);
	return ret;
}

/* probe, describe and apply come one after the other: what was tried a moment
 * ago is not tried again. */
#define MOMENT 2 /* seconds */
static _Thread_local struct {
	pid_t pid;
	uid_t uid;
	time_t until;
	struct program program;
	struct setup_trial trial;
} recent;

static time_t
seconds(void)
{
	struct timespec now = {.tv_sec = 0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static int
is_recent(const char *configured)
{
	char real[PATH_MAX];
	struct stat st;

	return recent.pid == getpid() && recent.uid == geteuid() &&
	       seconds() < recent.until &&
	       stat(recent.program.path, &st) == 0 &&
	       program_is_same(&recent.program.st, &st) &&
	       (configured == NULL ||
		   (realpath(configured, real) != NULL &&
		       strcmp(real, recent.program.path) == 0));
}

int
setup_try(const struct omega_sandbox_host *host, struct program *program,
    struct setup_trial *trial)
{
	const char *configured = host->option_text(host, "program");
	int ret;

	if (is_recent(configured)) {
		*program = recent.program;
		*trial = recent.trial;
		return 0;
	}
	memset(trial, 0, sizeof(*trial));
	ret = program_find(configured, program, trial->why, sizeof(trial->why));
	if (ret == -ENOENT)
		return 0;
	if (ret < 0)
		return ret;
	ret = try_once(
	    program, 1, trial->network_why, sizeof(trial->network_why));
	if (ret == 0) {
		trial->is_usable = trial->has_network = 1;
	} else if (ret > 0) {
		ret = try_once(program, 0, trial->why, sizeof(trial->why));
		trial->is_usable = ret == 0;
	}
	if (ret < 0)
		return ret;
	if (trial->is_usable) {
		recent.pid = getpid();
		recent.uid = geteuid();
		recent.until = seconds() + MOMENT;
		recent.program = *program;
		recent.trial = *trial;
	}
	return 0;
}

/* ---- Paths ----------------------------------------------------------------
 */

int
setup_is_below(const char *path, const char *base)
{
	size_t len = strlen(base);

	if (len == 1)
		return 1;
	return strncmp(path, base, len) == 0 &&
	       (path[len] == '\0' || path[len] == '/');
}

void
setup_parent(const char *path, char *parent)
{
	char *slash;

	snprintf(parent, PATH_MAX, "%s", path);
	slash = strrchr(parent, '/');
	if (slash != NULL)
		slash[slash == parent] = '\0';
}

int
setup_is_missing(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

int
setup_is_kept(const struct setup *setup, const char *path, uint32_t bits)
{
	size_t i;

	for (i = 0; i < setup->count; i++) {
		const struct omega_sandbox_atom *atom = setup->atoms[i];

		if (atom->kind == OMEGA_SANDBOX_ATOM_PATH &&
		    (atom->access & bits) != 0 && atom->inode != 0 &&
		    atom->path != NULL && atom->path[1] != '\0' &&
		    setup_is_below(path, atom->path))
			return 1;
	}
	return 0;
}

static int
is_open(const struct omega_sandbox_grant *grant)
{
	return (grant->access & SETUP_CHANGES) != 0 && grant->path != NULL;
}

int
setup_allows(const struct setup *setup, const char *path)
{
	const struct omega_sandbox_request *request = &setup->request;
	size_t i;

	if (!setup->is_limited)
		return 1;
	for (i = 0; i < request->grant_count; i++)
		if (is_open(request->grants[i]) &&
		    setup_is_below(path, request->grants[i]->path))
			return 1;
	return 0;
}

/* Could a command make names there? What is the caller's own it opens first. */
static int
can_write(const struct setup *setup, const char *dir)
{
	struct stat st;

	if (!setup_allows(setup, dir) ||
	    setup_is_kept(setup, dir, SETUP_CHANGES))
		return 0;
	/* See PLAN_KEEP of "/" in plan.c. */
	if (setup->uid == 0 && dir[1] == '\0')
		return 0;
	if (faccessat(AT_FDCWD, dir, W_OK, AT_EACCESS) == 0)
		return 1;
	if (errno == EROFS)
		return 0;
	if (setup->uid == 0 || (errno != EACCES && errno != EPERM))
		return 1;
	return stat(dir, &st) != 0 || st.st_uid == setup->uid;
}

int
setup_can_rename(const struct setup *setup, const char *path)
{
	char parent[PATH_MAX];
	struct statx at;
	struct stat dir;

	setup_parent(path, parent);
	if (!can_write(setup, parent))
		return 0;
	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
		STATX_BASIC_STATS, &at) != 0 ||
	    stat(parent, &dir) != 0)
		return 1;
	if ((at.stx_attributes & MOUNT_ROOT) != 0)
		return 0;
	if (setup->uid == 0 || (dir.st_mode & S_ISVTX) == 0)
		return 1;
	return at.stx_uid == setup->uid || dir.st_uid == setup->uid;
}

int
setup_is_left_out(const struct setup *setup, const char *path)
{
	char parent[PATH_MAX];
	const char *name = strrchr(path, '/') + 1;

	setup_parent(path, parent);
	return setup->is_shielded &&
	       strcmp(parent, setup->request.data_dir) == 0 &&
	       (strcmp(name, "data") == 0 || strcmp(name, "config.toml") == 0);
}

int
setup_stays_absent(const struct setup *setup, const char *path)
{
	char at[PATH_MAX];
	struct stat st;

	if (strlen(path) >= sizeof(at))
		return 0;
	if (setup->is_shielded) {
		setup_parent(path, at);
		if (strcmp(at, setup->request.data_dir) == 0)
			return 1;
	}
	strcpy(at, path);
	while (at[1] != '\0' && lstat(at, &st) != 0) {
		char parent[PATH_MAX];

		if (!setup_is_missing(errno))
			return 0;
		setup_parent(at, parent);
		strcpy(at, parent);
	}
	/* Behind a file there can be nothing while the file stays. */
	if (lstat(at, &st) != 0 || !S_ISDIR(st.st_mode))
		return setup_is_kept(setup, at, SETUP_CHANGES);
	return !can_write(setup, at);
}

int
setup_find_link(const struct setup *setup, const char *spelled, char *link)
{
	char way[PATH_MAX];
	char target[PATH_MAX];
	char turned[PATH_MAX];
	struct stat st;
	int links = 0;
	size_t at = 0;

	if (spelled[0] != '/' ||
	    snprintf(way, sizeof(way), "%s", spelled) >= (int)sizeof(way))
		return 0;
	while (way[at] == '/') {
		size_t end = at + 1 + strcspn(way + at + 1, "/");
		ssize_t len;

		snprintf(link, PATH_MAX, "%.*s", (int)end, way);
		if (lstat(link, &st) != 0)
			return 0;
		if (!S_ISLNK(st.st_mode)) {
			at = end;
			continue;
		}
		if (setup_can_rename(setup, link))
			return 1;
		len = readlink(link, target, sizeof(target) - 1);
		if (len <= 0 || ++links > MAX_LINKS)
			return 0;
		target[len] = '\0';
		if (snprintf(turned, sizeof(turned), "%.*s/%s%s",
			target[0] == '/' ? 0 : (int)at, way,
			target + strspn(target, "/"),
			way + end) >= (int)sizeof(turned))
			return 0;
		/* ".." behind a link is the kernel's to follow: the part that
		 * is there is asked for anew. */
		strcpy(way, turned);
		at = 0;
	}
	return 0;
}

/* ---- The setup ------------------------------------------------------------
 */

static int
is_list(const struct omega_sandbox_atom *atom)
{
	if (atom->kind == OMEGA_SANDBOX_ATOM_ELSEWHERE)
		return (atom->access & SETUP_CHANGES) != 0;
	return atom->kind == OMEGA_SANDBOX_ATOM_METADATA && atom->path == NULL;
}

static int
wants_network(const struct omega_sandbox_atom *atom)
{
	return (atom->kind == OMEGA_SANDBOX_ATOM_NETWORK &&
		   atom->access == OMEGA_SANDBOX_ATOM_ALL) ||
	       atom->kind == OMEGA_SANDBOX_ATOM_OUTSIDE_IPC ||
	       (atom->kind == OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS &&
		   (atom->flags & OMEGA_SANDBOX_ATOM_REQUIRED) != 0);
}

static void
look_at_atoms(struct setup *setup)
{
	const struct omega_sandbox_request *request = &setup->request;
	size_t i;

	for (i = 0; i < setup->count; i++) {
		if (is_list(setup->atoms[i]))
			setup->is_limited = 1;
		if (wants_network(setup->atoms[i]))
			setup->wants_network = 1;
	}
	for (i = 0; i < request->grant_count; i++)
		if (is_open(request->grants[i]) &&
		    strcmp(request->grants[i]->path, "/") == 0)
			setup->is_limited = 0;
}

static int
is_missing_in(const char *dir, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	return snprintf(path, sizeof(path), "%s/%s", dir, name) <
		   (int)sizeof(path) &&
	       lstat(path, &st) != 0 && errno == ENOENT;
}

static int
is_shielded(const struct omega_sandbox_request *request)
{
	const char *dir = request->data_dir;
	struct stat st;

	if (dir == NULL || dir[1] == '\0' ||
	    request->data_dir_mode == OMEGA_SANDBOX_DATA_DIR_MASK ||
	    lstat(dir, &st) != 0 || !S_ISDIR(st.st_mode) ||
	    faccessat(AT_FDCWD, dir, R_OK | X_OK, AT_EACCESS) != 0)
		return 0;
	return request->data_dir_mode == OMEGA_SANDBOX_DATA_DIR_SHIELD ||
	       is_missing_in(dir, "data") || is_missing_in(dir, "config.toml");
}

int
setup_make(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct setup *setup)
{
	memset(setup, 0, sizeof(*setup));
	memcpy(&setup->request, request,
	    request->size < sizeof(setup->request) ? request->size
						   : sizeof(setup->request));
	setup->atoms = atoms;
	setup->count = count;
	setup->uid = geteuid();
	look_at_atoms(setup);
	setup->is_shielded = is_shielded(&setup->request);
	return setup_try(host, &setup->program, &setup->trial);
}
