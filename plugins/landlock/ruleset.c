/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * ruleset.c - see ruleset.h.
 */

#include "ruleset.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "grants.h"
#include "rights.h"

#define READ_BITS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)
#define CHANGE_BITS                                             \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE | \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME)

/* A directory whose entries became rules: another entry, another ruleset. */
struct seen {
	char path[256];
	uint64_t device;
	uint64_t inode;
	int64_t seconds;
	int64_t nanoseconds;
};

#define MAX_SEEN 32

struct seen_list {
	size_t count;
	struct seen list[MAX_SEEN];
};

/* A ruleset under construction. */
struct work {
	int abi;
	int fd;
	uint64_t handled;
	uint64_t granting; /* the rights the walk under way grants */
	struct seen_list *seen;
	const struct omega_sandbox_request *request;
	struct omega_sandbox_launch *launch;
};

int
ruleset_is_free(const char *path)
{
	return grants_is_free(path);
}

static int
allow(struct work *work, int fd, int is_directory, uint64_t rights)
{
	struct calls_path_beneath rule = {
	    .allowed = rights & work->handled, .parent_fd = fd};

	if (!is_directory)
		rule.allowed = rights_for_file(rule.allowed);
	if (rule.allowed == 0)
		return 0;
	return calls_allow(work->fd, &rule) != 0 ? -errno : 0;
}

static int
allow_walked(void *arg, int fd, int is_directory)
{
	struct work *work = arg;

	return allow(work, fd, is_directory, work->granting);
}

static int
look_at(const char *path, struct seen *seen)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return -errno;
	seen->device = st.st_dev;
	seen->inode = st.st_ino;
	seen->seconds = st.st_mtim.tv_sec;
	seen->nanoseconds = st.st_mtim.tv_nsec;
	return 0;
}

static int
note_directory(void *arg, const char *dir)
{
	struct work *work = arg;
	struct seen *seen;
	size_t i;

	for (i = 0; i < work->seen->count; i++)
		if (strcmp(work->seen->list[i].path, dir) == 0)
			return 0;
	if (work->seen->count == MAX_SEEN ||
	    strlen(dir) >= sizeof(seen->path)) {
		work->launch->explain(work->launch,
		    "too many or too long directories to enumerate");
		return -E2BIG;
	}
	seen = &work->seen->list[work->seen->count++];
	snprintf(seen->path, sizeof(seen->path), "%s", dir);
	return look_at(dir, seen);
}

/* In the parent before every start: are the rules still about all there is? */
static int
check_seen(const void *state)
{
	const struct seen_list *seen = state;
	struct seen now = {.device = 0};
	size_t i;

	for (i = 0; i < seen->count; i++) {
		const struct seen *then = &seen->list[i];

		if (look_at(then->path, &now) < 0 ||
		    now.device != then->device || now.inode != then->inode ||
		    now.seconds != then->seconds ||
		    now.nanoseconds != then->nanoseconds)
			return 1;
	}
	return 0;
}

/* Paths of the atoms that have one of these bits. */
static size_t
collect(const struct omega_sandbox_atom *const *atoms, size_t count,
    uint32_t bits, const char **paths)
{
	size_t used = 0;
	size_t i;

	for (i = 0; i < count; i++)
		if (atoms[i]->kind == OMEGA_SANDBOX_ATOM_PATH &&
		    (atoms[i]->access & bits) != 0)
			paths[used++] = atoms[i]->path;
	return used;
}

static int
has_kind(
    const struct omega_sandbox_atom *const *atoms, size_t count, uint32_t kind)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (atoms[i]->kind == kind)
			return 1;
	return 0;
}

static int
has_path(const char *const *paths, size_t count, const char *path)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strcmp(paths[i], path) == 0)
			return 1;
	return 0;
}

static int
allow_named(struct work *work, const char *path, uint64_t rights)
{
	struct stat st;
	int fd;
	int ret;

	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == EACCES ? 0 : -errno;
	if (fstat(fd, &st) != 0)
		ret = -errno;
	else
		ret = allow(work, fd, S_ISDIR(st.st_mode), rights);
	close(fd);
	return ret;
}

/* What somebody has given back, as far as it is there. */
static int
allow_given(struct work *work, const char *const *paths, uint64_t rights)
{
	int ret = 0;

	for (; ret == 0 && paths != NULL && *paths != NULL; paths++)
		ret = allow_named(work, *paths, rights);
	return ret;
}

/* What every program needs of places that are otherwise kept. */
static int
allow_needed(struct work *work, const char *const *denied, size_t count)
{
	static const char *const devices[] = {"/dev/null", "/dev/zero",
	    "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
	    "/dev/pts", NULL};
	const uint64_t use = FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV;
	size_t i;
	int ret = 0;

	if (has_path(denied, count, "/dev")) {
		for (i = 0; ret == 0 && devices[i] != NULL; i++)
			ret = allow_named(work, devices[i], use);
		if (ret == 0)
			ret = allow_named(work, "/dev/shm", RIGHTS_WRITE);
		if (ret == 0 && OMEGA_SANDBOX_HAS(work->request, allow_devices))
			ret = allow_given(
			    work, work->request->allow_devices, use);
	}
	/* A process's own entries. Root could reach the machine's there. */
	if (ret == 0 && geteuid() != 0 && has_path(denied, count, "/proc"))
		ret = allow_named(work, "/proc", FS_WRITE_FILE | FS_TRUNCATE);
	return ret;
}

static int
make_ruleset(struct work *work, const struct omega_sandbox_atom *const *atoms,
    size_t count, int has_reads, int has_changes)
{
	struct calls_ruleset ruleset = {.fs = RIGHTS_DEVICE_NODES};
	size_t size = sizeof(ruleset);

	/* Some file right is always handled: only then does the kernel also
	 * refuse every mount inside. Making device nodes is never granted.
	 * Renaming from one directory to another is refused by any ruleset
	 * that does not grant it, so it is handled, and granted below. */
	ruleset.fs |= FS_REFER;
	if (has_reads)
		ruleset.fs |= RIGHTS_READ;
	if (has_changes)
		ruleset.fs |= RIGHTS_WRITE;
	if (has_kind(atoms, count, OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS) ||
	    has_kind(atoms, count, OMEGA_SANDBOX_ATOM_LATE_SOCKETS))
		ruleset.fs |= FS_RESOLVE_UNIX;
	if (has_kind(atoms, count, OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS))
		ruleset.scoped |= SCOPE_SIGNAL;
	if (has_kind(atoms, count, OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS))
		ruleset.scoped |= SCOPE_ABSTRACT_UNIX;
	ruleset.fs &= rights_known(work->abi);
	ruleset.scoped &= rights_scopes(work->abi);
	if (work->abi < 6)
		size = work->abi < 4 ? sizeof(ruleset.fs)
				     : offsetof(struct calls_ruleset, scoped);
	work->handled = ruleset.fs;
	work->fd = calls_create(&ruleset, size);
	return work->fd < 0 ? -errno : 0;
}

static int
restrict_step(const void *state)
{
	const int *ruleset = state;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    calls_restrict(*ruleset) != 0)
		return -errno;
	return 0;
}

static int
add_to_launch(struct work *work)
{
	struct omega_sandbox_launch *launch = work->launch;
	int kept;
	int ret;

	kept = launch->keep_fd(launch, work->fd);
	if (kept < 0)
		return kept;
	ret = launch->add_step(launch, OMEGA_SANDBOX_PHASE_RESTRICT,
	    "landlock_restrict_self", restrict_step, &kept, sizeof(kept));
	if (ret == 0 && work->seen->count > 0)
		ret = launch->add_check(
		    launch, check_seen, work->seen, sizeof(*work->seen));
	return ret;
}

static int
fill_ruleset(struct work *work, const char *const *read_paths,
    size_t read_count, const char *const *change_paths, size_t change_count)
{
	int ret = 0;

	if (read_count > 0) {
		work->granting = RIGHTS_READ;
		ret = grants_all_but(
		    read_paths, read_count, allow_walked, note_directory, work);
	}
	if (ret == 0 && change_count > 0) {
		work->granting = RIGHTS_WRITE;
		ret = grants_all_but(change_paths, change_count, allow_walked,
		    note_directory, work);
		if (ret == 0)
			ret = allow_needed(work, change_paths, change_count);
	}
	if (ret == 0 && change_count == 0)
		ret = allow_named(work, "/", FS_REFER);
	if (ret == 0 && OMEGA_SANDBOX_HAS(work->request, allow_sockets))
		ret = allow_given(
		    work, work->request->allow_sockets, FS_RESOLVE_UNIX);
	return ret;
}

int
ruleset_build(int abi, const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch)
{
	struct work work = {
	    .abi = abi, .fd = -1, .request = request, .launch = launch};
	const char **read_paths = calloc(count + 1, sizeof(*read_paths));
	const char **change_paths = calloc(count + 1, sizeof(*change_paths));
	size_t read_count;
	size_t change_count;
	int ret = -ENOMEM;

	work.seen = calloc(1, sizeof(*work.seen));
	if (work.seen == NULL || read_paths == NULL || change_paths == NULL)
		goto out;
	read_count = collect(atoms, count, READ_BITS, read_paths);
	change_count = collect(atoms, count, CHANGE_BITS, change_paths);
	ret =
	    make_ruleset(&work, atoms, count, read_count > 0, change_count > 0);
	if (ret == 0)
		ret = fill_ruleset(
		    &work, read_paths, read_count, change_paths, change_count);
	if (ret == 0)
		ret = add_to_launch(&work);
out:
	if (work.fd >= 0)
		close(work.fd);
	free(work.seen);
	free(read_paths);
	free(change_paths);
	return ret;
}
