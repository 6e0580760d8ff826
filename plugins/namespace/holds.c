/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * holds.c - see plan.h.
 */

#include "plan.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PLACE_BITS                                                  \
	(OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST |        \
	    OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE |  \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME | \
	    OMEGA_SANDBOX_ATOM_CHANGE)
#define CAN_BE_MADE "sockets can be made; a system call filter refuses them"

__attribute__((format(printf, 2, 3))) static void
say(struct omega_sandbox_state *state, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(state->why, sizeof(state->why), format, args);
	va_end(args);
}

/* Is an absent path kept absent? */
static int
stays_absent(const struct setup *setup, const char *path)
{
	return setup_is_in_shield(setup, path) ||
	       setup_cannot_make(setup, path) || !setup_allows(setup, path);
}

static void
say_place(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	char existing[PATH_MAX];

	if (atom->path[1] == '\0') {
		say(state, "the root directory cannot be mounted over");
		return;
	}
	/* The data itself is made when it is missing. */
	if ((atom->flags & OMEGA_SANDBOX_ATOM_ABSENT) != 0 &&
	    !stays_absent(setup, atom->path) &&
	    (setup_dir_of(setup, atom->path, 0) == NULL ||
		places_existing(atom->path, existing) < 0 ||
		!places_may_create(existing))) {
		say(state, "it is absent, and %s",
		    setup_dir_of(setup, atom->path, 1) != NULL
			? "a mask cannot keep it so; let data_dir_mode be "
			  "\"auto\" or \"shield\""
			: "only the data directory can be closed to new names");
		return;
	}
	state->held = atom->access & PLACE_BITS;
	if (state->held != atom->access)
		say(state, "a kind of access that is not known here");
}

/*
 * The other names of a file cannot be found from it, and what a symbolic link
 * in a hidden directory leads to has a name of its own. Neither is closed, so
 * both are told.
 */

#define MAX_LOOKED_AT 20000
#define MAX_DEPTH 32

struct look {
	const struct setup *setup;
	const char *place;
	int is_denied; /* it cannot be read either */
	size_t left; /* how much more is looked at */
	char *found;
	size_t size;
};

/* Is what is at path protected as the place is? */
static int
is_protected(const struct look *look, const char *path)
{
	return places_is_below(path, look->place) ||
	       setup_is_below(look->setup, path,
		   look->is_denied ? SETUP_DENIED : SETUP_KEPT);
}

/*
 * Where a link in the directory dir leads, into target[PATH_MAX]. What cannot
 * be reached is told as it is written; "" when that is in dir, or nothing.
 */
static void
follow(int dir, const char *name, char *target)
{
	char proc[40];
	ssize_t len;
	int fd;

	fd = openat(dir, name, O_PATH | O_CLOEXEC);
	if (fd >= 0) {
		snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
		len = readlink(proc, target, PATH_MAX - 1);
		close(fd);
		if (len > 0) {
			target[len] = '\0';
			return;
		}
	}
	len = readlinkat(dir, name, target, PATH_MAX - 1);
	target[len > 0 ? len : 0] = '\0';
	if (target[0] != '/' && strstr(target, "..") == NULL)
		target[0] = '\0';
}

static int
look_at(struct look *look, int dir, const char *name, const struct stat *st)
{
	char target[PATH_MAX];

	if (S_ISLNK(st->st_mode)) {
		follow(dir, name, target);
		if (target[0] == '\0' || is_protected(look, target))
			return 0;
		snprintf(look->found, look->size,
		    "%.60s in it leads to %.100s, which is not protected", name,
		    target);
		return 1;
	}
	if (st->st_nlink < 2)
		return 0;
	snprintf(look->found, look->size,
	    "%.60s has %lu names, and hard links cannot be found", name,
	    (unsigned long)st->st_nlink);
	return 1;
}

static int look_below(struct look *look, int fd, unsigned depth);

static int
look_at_entry(struct look *look, int fd, const char *name, unsigned depth)
{
	struct stat st;
	int sub;

	if (look->left-- == 0 || depth == MAX_DEPTH)
		return -E2BIG;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISDIR(st.st_mode))
		return look_at(look, fd, name, &st);
	sub = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return sub < 0 ? -errno : look_below(look, sub, depth + 1);
}

/* Look through a directory; fd is closed. */
static int
look_below(struct look *look, int fd, unsigned depth)
{
	struct dirent *entry;
	DIR *stream;
	int ret = 0;

	stream = fdopendir(fd);
	if (stream == NULL) {
		close(fd);
		return -errno;
	}
	while (ret == 0 && (errno = 0, entry = readdir(stream)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			ret = look_at_entry(look, fd, entry->d_name, depth);
	if (ret == 0)
		ret = -errno;
	closedir(stream);
	return ret;
}

/*
 * Look at what is at path, and below it. 1: there is something, and
 * found[size] says what; 0: nothing; -errno: could not be seen, -E2BIG: there
 * is too much to look at.
 */
static int
look_for_links(
    const struct setup *setup, const char *path, char *found, size_t size)
{
	struct look look = {.setup = setup,
	    .place = path,
	    .is_denied = setup_has(setup, path, SETUP_DENIED),
	    .left = MAX_LOOKED_AT,
	    .found = found,
	    .size = size};
	struct stat st;
	int fd;

	if (lstat(path, &st) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISDIR(st.st_mode))
		return look_at(&look, AT_FDCWD, "it", &st);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : look_below(&look, fd, 0);
}

static void
say_aliases(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	char found[ALIASES_GAP] = "";
	int ret;

	/* Nodes of devices that lie elsewhere are on mounts without devices. */
	if (strcmp(atom->path, "/dev") == 0) {
		state->held = atom->access;
		return;
	}
	ret = setup->table_error;
	if (ret == 0)
		ret = aliases_look(setup, atom->path, found, sizeof(found));
	if (ret != 0) {
		state->partial = atom->access;
		say(state, "not all its other names can be hidden: %s",
		    ret > 0 ? found : strerror(-ret));
		return;
	}
	ret = look_for_links(setup, atom->path, found, sizeof(found));
	if (ret == 0) {
		state->held = atom->access;
		return;
	}
	state->partial = atom->access;
	if (ret > 0)
		say(state, "other mounts of it are hidden, but %s", found);
	else if (ret == -E2BIG)
		say(state, "other mounts of it are hidden, but there is too "
			   "much in it to look for links");
	else
		say(state,
		    "other mounts of it are hidden, but links could not be "
		    "looked for: %s",
		    strerror(-ret));
}

static void
say_replaced(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	const struct setup_dir *dir = setup_dir_of(setup, atom->path, 1);
	char parent[PATH_MAX];

	if (dir == NULL)
		dir = setup_dir_of(setup, atom->path, 0);
	places_parent(atom->path, parent);
	if ((dir != NULL && dir->is_shielded) ||
	    setup_is_below(setup, parent, SETUP_DENIED)) {
		state->held = atom->access;
		return;
	}
	say(state, "a mount stays with what it is on when the host puts "
		   "another in its place; data_dir_mode = \"shield\" covers "
		   "those of the data directory");
}

/* What was found at the start is masked; the rest is a number. */
static void
say_outside(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	const struct omega_sandbox_request *request = &setup->request;
	char rest[80] = "";

	if (request->unix_sockets == OMEGA_SANDBOX_UNIX_NONE) {
		say(state, CAN_BE_MADE);
		return;
	}
	if (request->unix_sockets == OMEGA_SANDBOX_UNIX_ALL &&
	    request->hide_sockets != OMEGA_SANDBOX_HIDE_OWN) {
		say(state, "hide_sockets is not \"own\"");
		return;
	}
	if (request->socket_error != 0) {
		say(state, "the kernel does not tell which there are: %s",
		    strerror(-request->socket_error));
		return;
	}
	state->partial = atom->access & OMEGA_SANDBOX_ATOM_ALL;
	if (request->sockets_left > 0)
		snprintf(rest, sizeof(rest),
		    ", nor %zu that were not found, or are too many",
		    request->sockets_left);
	say(state, "those found are hidden, not those bound later%s", rest);
}

/* Of NETWORK that nothing is reached; of abstract sockets all. */
static void
say_network(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	if (!setup->wants_network) {
		if (atom->kind == OMEGA_SANDBOX_ATOM_NETWORK)
			say(state, CAN_BE_MADE);
		else
			say(state, "they belong to the network namespace, and "
				   "the policy leaves the network as it is");
	} else if (!setup->network.is_usable) {
		say(state, "no network namespace: %.200s", setup->network.why);
	} else {
		state->held = atom->access & OMEGA_SANDBOX_ATOM_ALL;
		if (state->held != atom->access)
			say(state, CAN_BE_MADE);
	}
}

/* Can everybody sample whoever runs on a processor? A kernel without has no
 * such file. */
static int
shows_samples(void)
{
	static const char path[] = "/proc/sys/kernel/perf_event_paranoid";

	return (access(path, F_OK) == 0 || errno != ENOENT) &&
	       places_number(path, 0) <= 0;
}

static int
is_about_place(uint32_t kind)
{
	return kind == OMEGA_SANDBOX_ATOM_PATH ||
	       kind == OMEGA_SANDBOX_ATOM_METADATA ||
	       kind == OMEGA_SANDBOX_ATOM_ALIASES ||
	       kind == OMEGA_SANDBOX_ATOM_REPLACED_FILES ||
	       kind == OMEGA_SANDBOX_ATOM_ABSENT_PATHS;
}

static void
say_atom(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	if (is_about_place(atom->kind) &&
	    (atom->path == NULL ? atom->kind != OMEGA_SANDBOX_ATOM_METADATA
				: strlen(atom->path) >= PATH_MAX)) {
		say(state, "it has no name, or too long a one");
		return;
	}
	switch (atom->kind) {
	case OMEGA_SANDBOX_ATOM_PATH:
		say_place(setup, atom, state);
		break;
	case OMEGA_SANDBOX_ATOM_ELSEWHERE:
		state->held = atom->access & SETUP_CHANGES;
		if (state->held != atom->access)
			say(state, "what can be read is not a matter of "
				   "mounts; Landlock holds it");
		break;
	case OMEGA_SANDBOX_ATOM_METADATA:
		if (atom->path == NULL || atom->path[1] != '\0')
			state->held = atom->access & OMEGA_SANDBOX_ATOM_CHANGE;
		else
			say(state, "the root directory stays as it is");
		break;
	case OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE:
		if (!setup_is_plain(setup))
			state->held = atom->access;
		else
			say(state, "needs a user namespace: none can be made");
		if (state->held != 0 && shows_samples()) {
			state->held &= ~(uint32_t)OMEGA_SANDBOX_ATOM_LIST;
			say(state, "kernel.perf_event_paranoid lets everybody "
				   "sample all processes; a system call "
				   "filter refuses that");
		}
		break;
	case OMEGA_SANDBOX_ATOM_NETWORK:
	case OMEGA_SANDBOX_ATOM_HOSTS:
	case OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS:
	case OMEGA_SANDBOX_ATOM_OUTSIDE_IPC:
		say_network(setup, atom, state);
		break;
	case OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS:
		say_outside(setup, atom, state);
		break;
	case OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS:
		if (setup->request.hide_sockets != OMEGA_SANDBOX_HIDE_NONE)
			state->held = atom->access;
		else
			say(state, "hide_sockets is \"none\"");
		break;
	case OMEGA_SANDBOX_ATOM_LEFT_PROCESSES:
		pids_say(setup, atom, state);
		break;
	case OMEGA_SANDBOX_ATOM_ALIASES:
		say_aliases(setup, atom, state);
		break;
	case OMEGA_SANDBOX_ATOM_REPLACED_FILES:
		say_replaced(setup, atom, state);
		break;
	case OMEGA_SANDBOX_ATOM_ABSENT_PATHS:
		if (stays_absent(setup, atom->path))
			state->held = atom->access;
		else
			say(state, "a name that is absent can be made in a "
				   "directory the command may write");
		break;
	default:
		say(state, "not a matter of mounts");
		break;
	}
}

/*
 * A plain mount namespace alone holds little: a root without capabilities can
 * still look through processes of root outside.
 */
void
holds_say(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	say_atom(setup, atom, state);
	if (!setup_is_plain(setup) || state->held == 0 ||
	    (setup->request.flags & OMEGA_SANDBOX_REQUEST_SEPARATED) != 0)
		return;
	state->partial |= state->held;
	state->held = 0;
	say(state, "user namespaces cannot be made here, and mounts alone can "
		   "be looked past through processes of root outside; beside "
		   "Landlock they hold");
}
