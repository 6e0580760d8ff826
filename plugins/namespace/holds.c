/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * holds.c - see holds.h.
 */

#include "holds.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "aliases.h"
#include "links.h"
#include "lists.h"
#include "proc.h"

#define PLACE_BITS                                                  \
	(OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST |        \
	    OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE |  \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME | \
	    OMEGA_SANDBOX_ATOM_CHANGE)

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
	       setup_cannot_make(setup, path) || !lists_allow(setup, path);
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
	if ((atom->flags & OMEGA_SANDBOX_ATOM_ABSENT) != 0 &&
	    !stays_absent(setup, atom->path)) {
		/* The data itself is made when it is missing. */
		if (setup_dir_of_data(setup, atom->path) == NULL ||
		    places_existing(atom->path, existing) < 0 ||
		    !places_may_create(existing)) {
			if (setup_dir_of_config(setup, atom->path) != NULL)
				say(state, "it is absent, and a mask cannot "
					   "keep it so; let data_dir_mode be "
					   "\"auto\" or \"shield\"");
			else
				say(state, "it is absent, and only the data "
					   "directory can be closed to new "
					   "names");
			return;
		}
	}
	state->held = atom->access & PLACE_BITS;
	if (state->held != atom->access)
		say(state, "a kind of access that is not known here");
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
		ret = aliases_look(
		    &setup->table, atom->path, found, sizeof(found));
	if (ret != 0) {
		state->partial = atom->access;
		say(state, "not all its other names can be hidden: %s",
		    ret > 0 ? found : strerror(-ret));
		return;
	}
	ret = links_look(setup, atom->path, found, sizeof(found));
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
	const struct setup_dir *dir = setup_dir_of_config(setup, atom->path);

	if (dir == NULL)
		dir = setup_dir_of_data(setup, atom->path);
	if ((dir != NULL && dir->is_shielded) ||
	    setup_is_within_denied(setup, atom->path)) {
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
		say(state, "sockets can be made; seccomp refuses them");
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
			say(state, "sockets can be made; seccomp refuses them");
		else
			say(state, "they belong to the network namespace, and "
				   "the policy leaves the network as it is");
	} else if (!setup->network.is_usable) {
		say(state, "no network namespace: %.200s", setup->network.why);
	} else {
		state->held = atom->access & OMEGA_SANDBOX_ATOM_ALL;
		if (state->held != atom->access)
			say(state, "sockets can be made; seccomp refuses them");
	}
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
	if (atom->kind == OMEGA_SANDBOX_ATOM_METADATA && atom->path == NULL) {
		state->held = atom->access & OMEGA_SANDBOX_ATOM_CHANGE;
		return;
	}
	if (is_about_place(atom->kind) &&
	    (atom->path == NULL || strlen(atom->path) >= PATH_MAX)) {
		say(state, "it has no name, or too long a one");
		return;
	}
	switch (atom->kind) {
	case OMEGA_SANDBOX_ATOM_PATH:
		say_place(setup, atom, state);
		break;
	case OMEGA_SANDBOX_ATOM_ELSEWHERE:
		state->held = atom->access & LISTS_CHANGES;
		if (state->held != atom->access)
			say(state, "what can be read is not a matter of "
				   "mounts; landlock holds it");
		break;
	case OMEGA_SANDBOX_ATOM_METADATA:
		if (atom->path[1] != '\0')
			state->held = atom->access & OMEGA_SANDBOX_ATOM_CHANGE;
		else
			say(state, "the root directory stays as it is");
		break;
	case OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE:
		if (!setup_is_plain(setup))
			state->held = atom->access;
		else
			say(state, "needs a user namespace, which cannot be "
				   "made here");
		if (state->held != 0 && proc_shows_samples()) {
			state->held &= ~(uint32_t)OMEGA_SANDBOX_ATOM_LIST;
			say(state, "kernel.perf_event_paranoid lets everybody "
				   "sample all processes; seccomp refuses "
				   "that");
		}
		break;
	case OMEGA_SANDBOX_ATOM_NETWORK:
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
		   "be looked past through processes of root outside; add "
		   "landlock to the backends");
}
