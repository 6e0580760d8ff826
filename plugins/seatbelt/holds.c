/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * holds.c - see profile.h.
 */

#include "profile.h"

#include <stdio.h>
#include <string.h>

#include "ways.h"

static void
say(struct omega_sandbox_state *state, const char *why)
{
	snprintf(state->why, sizeof(state->why), "%s", why);
}

static void
say_outside(const struct holds_view *view,
    const struct omega_sandbox_atom *atom, struct omega_sandbox_state *state)
{
	if (PROFILE_FIELD(view->request, unix_sockets) !=
	    OMEGA_SANDBOX_UNIX_ALL) {
		state->held = atom->access;
		return;
	}
	if (view->request->hide_sockets != OMEGA_SANDBOX_HIDE_OWN) {
		say(state, "hide_sockets is not \"own\"");
		return;
	}
	state->partial = atom->access;
	if (view->sockets < 0)
		snprintf(state->why, sizeof(state->why),
		    "which are bound could not all be found out: %s",
		    strerror(-view->sockets));
	else
		say(state, "a profile goes by names, and those bound later are "
			   "not known");
}

static void
say_atom(const struct holds_view *view, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	switch (atom->kind) {
	case OMEGA_SANDBOX_ATOM_PATH:
	case OMEGA_SANDBOX_ATOM_ELSEWHERE:
	case OMEGA_SANDBOX_ATOM_NETWORK:
	case OMEGA_SANDBOX_ATOM_FAMILIES:
	case OMEGA_SANDBOX_ATOM_CONNECT:
	case OMEGA_SANDBOX_ATOM_BIND:
	case OMEGA_SANDBOX_ATOM_CONNECT_UDP:
	case OMEGA_SANDBOX_ATOM_BIND_UDP:
	case OMEGA_SANDBOX_ATOM_FORK:
	case OMEGA_SANDBOX_ATOM_METADATA:
	case OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS:
	case OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE:
	/* macOS has none. */
	case OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS:
	case OMEGA_SANDBOX_ATOM_TERMINAL:
	/* A profile goes by names, whatever has them. */
	case OMEGA_SANDBOX_ATOM_REPLACED_FILES:
	case OMEGA_SANDBOX_ATOM_ABSENT_PATHS:
	case OMEGA_SANDBOX_ATOM_KEYRING:
	case OMEGA_SANDBOX_ATOM_LISTEN:
		state->held = atom->access;
		break;
	case OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS:
		if (view->request->hide_sockets == OMEGA_SANDBOX_HIDE_NONE)
			say(state, "hide_sockets is \"none\"");
		else
			state->held = atom->access;
		break;
	case OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS:
		say_outside(view, atom, state);
		break;
	case OMEGA_SANDBOX_ATOM_ALIASES:
		say(state, "a profile goes by names, and others that a file "
			   "has already are not known");
		break;
	case OMEGA_SANDBOX_ATOM_EXECUTE:
		state->partial = atom->access;
		say(state, "interpreters run what they can read");
		break;
	default:
		say(state, "not a matter of sandbox profiles");
		break;
	}
}

void
holds_say(const struct holds_view *view, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	const char *why = profile_refuse(view->request, view->links);

	if (why == NULL && atom->path != NULL)
		why = ways_refuse(atom->path);
	if (why == NULL)
		say_atom(view, atom, state);
	else if (atom->kind != OMEGA_SANDBOX_ATOM_ALIASES)
		say(state, why);
}
