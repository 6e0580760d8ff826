/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * holds.c - see setup.h.
 */

#include "setup.h"

#include <sys/stat.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 2, 3))) static void
say(struct omega_sandbox_state *state, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(state->why, sizeof(state->why), format, args);
	va_end(args);
}

/* A link that a command could replace, on a way that leads to the place. */
static int
has_loose_link(const struct setup *setup, const char *path, char *link)
{
	const char *const *spelled = setup->request.spelled;
	char real[PATH_MAX];

	for (; spelled != NULL && *spelled != NULL; spelled++)
		if (realpath(*spelled, real) != NULL &&
		    strcmp(real, path) == 0 &&
		    setup_find_link(setup, *spelled, link))
			return 1;
	return 0;
}

static void
say_place(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	const uint32_t known = SETUP_SEEN | SETUP_CHANGES;
	char link[PATH_MAX];
	struct stat st;

	if (atom->path[1] == '\0') {
		say(state, "the root directory cannot be mounted over");
	} else if ((atom->flags & OMEGA_SANDBOX_ATOM_ABSENT) != 0) {
		if (setup_stays_absent(setup, atom->path))
			state->held = atom->access & known;
		else
			say(state, "it is absent, and a command can make it");
	} else if (lstat(atom->path, &st) != 0) {
		say(state, "it cannot be looked at: %s", strerror(errno));
	} else if (S_ISLNK(st.st_mode)) {
		say(state, "it is a symbolic link, and bwrap mounts on none");
	} else if (has_loose_link(setup, atom->path, link)) {
		state->held =
		    atom->access & known & ~(uint32_t)OMEGA_SANDBOX_ATOM_RENAME;
		state->partial = atom->access & OMEGA_SANDBOX_ATOM_RENAME;
		say(state,
		    "the link %.150s on the way to it can be replaced: bwrap "
		    "mounts on no link",
		    link);
	} else {
		state->held = atom->access & known;
	}
}

static void
say_metadata(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	struct stat st;

	if (atom->path == NULL) {
		state->held = atom->access & OMEGA_SANDBOX_ATOM_CHANGE;
		return;
	}
	if (atom->path[1] == '\0' || lstat(atom->path, &st) != 0 ||
	    S_ISLNK(st.st_mode))
		say(state, "bwrap does not mount there");
	else if (setup->uid == 0 && strcmp(atom->path, "/dev") == 0) {
		state->partial = atom->access & OMEGA_SANDBOX_ATOM_CHANGE;
		say(state, "the harmless devices are the host's own, and root "
			   "owns them");
	} else if (setup_is_kept(setup, atom->path, SETUP_SEEN | SETUP_CHANGES))
		state->held = atom->access & OMEGA_SANDBOX_ATOM_CHANGE;
	else
		say(state, "it is not kept from being changed");
}

static void
say_outside(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	const struct omega_sandbox_request *request = &setup->request;

	if (request->unix_sockets == OMEGA_SANDBOX_UNIX_NONE)
		say(state, "sockets can be made");
	else if (request->unix_sockets == OMEGA_SANDBOX_UNIX_ALL &&
		 request->hide_sockets != OMEGA_SANDBOX_HIDE_OWN)
		say(state, "hide_sockets is not \"own\"");
	else if (request->socket_error != 0)
		say(state, "the kernel does not tell which there are: %s",
		    strerror(-request->socket_error));
	else {
		state->partial = atom->access & OMEGA_SANDBOX_ATOM_ALL;
		say(state, "those found are hidden, not those bound later");
	}
}

/* Of NETWORK that nothing is reached; of abstract sockets all. */
static void
say_network(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	if (!setup->wants_network)
		say(state, "the policy leaves the network as it is, or sockets "
			   "can be made");
	else if (!setup->trial.has_network)
		say(state, "no network of its own: %.200s",
		    setup->trial.network_why);
	else
		state->held = atom->access & OMEGA_SANDBOX_ATOM_ALL;
	if (state->held != atom->access && state->why[0] == '\0')
		say(state, "sockets can be made");
}

/* Can everybody sample whoever runs on a processor? A kernel without has no
 * such file. */
static int
shows_samples(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 0;

	if (file == NULL)
		return errno != ENOENT;
	if (fscanf(file, "%d", &level) != 1)
		level = 0;
	fclose(file);
	return level <= 0;
}

static void
say_replaced(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	char parent[PATH_MAX];

	setup_parent(atom->path, parent);
	if (setup_is_left_out(setup, atom->path) ||
	    setup_is_kept(setup, parent, SETUP_SEEN))
		state->held = atom->access;
	else
		say(state, "a mount stays with what it is on when the host "
			   "puts another in its place");
}

static void
say_others(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	switch (atom->kind) {
	case OMEGA_SANDBOX_ATOM_NETWORK:
	case OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS:
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
	case OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS:
		state->held = atom->access & OMEGA_SANDBOX_ATOM_ALL;
		say(state, "leases on files are not a matter of namespaces");
		break;
	case OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE:
		state->held = atom->access;
		if (shows_samples()) {
			state->held &= ~(uint32_t)OMEGA_SANDBOX_ATOM_LIST;
			say(state, "kernel.perf_event_paranoid lets everybody "
				   "sample all processes");
		}
		break;
	case OMEGA_SANDBOX_ATOM_OUTSIDE_IPC:
		state->held = atom->access;
		break;
	case OMEGA_SANDBOX_ATOM_LEFT_PROCESSES:
		state->partial = atom->access;
		say(state, "the kernel ends them when bwrap ends, which is a "
			   "moment after whoever watches over it was killed");
		break;
	default:
		say(state, "not a matter of namespaces");
		break;
	}
}

static int
is_about_place(uint32_t kind)
{
	return kind == OMEGA_SANDBOX_ATOM_PATH ||
	       kind == OMEGA_SANDBOX_ATOM_ALIASES ||
	       kind == OMEGA_SANDBOX_ATOM_REPLACED_FILES ||
	       kind == OMEGA_SANDBOX_ATOM_ABSENT_PATHS;
}

static void
say_atom(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	if (atom->path == NULL ? is_about_place(atom->kind)
			       : strlen(atom->path) >= PATH_MAX) {
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
			say(state, "lists of what can be read or executed are "
				   "not made with bwrap");
		break;
	case OMEGA_SANDBOX_ATOM_METADATA:
		say_metadata(setup, atom, state);
		break;
	case OMEGA_SANDBOX_ATOM_ALIASES:
		if (strcmp(atom->path, "/dev") == 0)
			state->held = atom->access;
		else
			say(state, "other names that it has already are not "
				   "looked for");
		break;
	case OMEGA_SANDBOX_ATOM_REPLACED_FILES:
		say_replaced(setup, atom, state);
		break;
	case OMEGA_SANDBOX_ATOM_ABSENT_PATHS:
		if (setup_stays_absent(setup, atom->path))
			state->held = atom->access;
		else
			say(state, "a name that is absent can be made in a "
				   "directory the command may write");
		break;
	default:
		say_others(setup, atom, state);
		break;
	}
}

void
holds_say(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	say_atom(setup, atom, state);
	if (state->held != atom->access && state->why[0] == '\0')
		say(state, "a kind of access that is not known here");
}
