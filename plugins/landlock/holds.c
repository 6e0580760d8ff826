/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * holds.c - see landlock.h.
 */

#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ruleset.h"

#define PLACE_BITS                                                 \
	(OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST |       \
	    OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE | \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME)

static const char no_metadata[] =
    "Landlock leaves modes, owners, times and attributes alone";

static void
say(struct omega_sandbox_state *state, const char *why)
{
	snprintf(state->why, sizeof(state->why), "%s", why);
}

static void
say_truncation(const struct holds_view *view, struct omega_sandbox_state *state)
{
	if (view->abi >= 3 || (state->held & OMEGA_SANDBOX_ATOM_WRITE) == 0)
		return;
	state->held &= ~(uint32_t)OMEGA_SANDBOX_ATOM_WRITE;
	state->partial = OMEGA_SANDBOX_ATOM_WRITE;
	say(state, "a kernel before 6.2 (ABI 3) lets files be truncated");
}

/* Is path within a grant that has some of the bits? */
static int
is_granted(const struct omega_sandbox_request *request, const char *path,
    uint32_t bits)
{
	size_t i;

	for (i = 0; i < request->grant_count; i++)
		if ((request->grants[i]->access & bits) != 0 &&
		    grants_is_below(path, request->grants[i]->path))
			return 1;
	return 0;
}

uint32_t
holds_limited(const struct omega_sandbox_atom *const *atoms, size_t count)
{
	uint32_t bits = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		if (atoms[i]->kind == OMEGA_SANDBOX_ATOM_ELSEWHERE)
			bits |= atoms[i]->access;
		if (atoms[i]->kind == OMEGA_SANDBOX_ATOM_EXECUTE)
			bits |= OMEGA_SANDBOX_ATOM_RUN;
	}
	return bits;
}

/* Is the place kept by lists that do not have it? */
static int
is_out_of_lists(const struct holds_view *view, const char *path, uint32_t bits)
{
	return (view->limited & bits) != 0 &&
	       !is_granted(view->request, path, bits);
}

static void
say_place(const struct holds_view *view, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	int is_absent = (atom->flags & OMEGA_SANDBOX_ATOM_ABSENT) != 0;

	if (atom->path == NULL) {
		say(state, "no place is named");
		return;
	}
	if (!view->is_complement &&
	    !is_out_of_lists(view, atom->path, atom->access) &&
	    (is_absent || !grants_is_free(atom->path))) {
		say(state,
		    "Landlock cannot deny inside what it allows: mounts can, "
		    "or set plugin \"landlock\" { complement = true }, after "
		    "which nothing can be created, listed or replaced "
		    "in the directories above it, the home directory among "
		    "them");
		return;
	}
	state->held = atom->access & PLACE_BITS;
	if (state->held != atom->access)
		say(state, no_metadata);
	say_truncation(view, state);
}

static void
say_ports(const struct holds_view *view, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	int is_udp = atom->kind == OMEGA_SANDBOX_ATOM_CONNECT_UDP ||
		     atom->kind == OMEGA_SANDBOX_ATOM_BIND_UDP;

	if (view->abi < (is_udp ? 10 : 4)) {
		say(state, is_udp ? "needs Linux 7.2 (ABI 10)"
				  : "needs Linux 6.7 (ABI 4)");
		return;
	}
	state->held = atom->access & OMEGA_SANDBOX_ATOM_ALL;
	if (state->held != atom->access)
		say(state, "other protocols and Fast Open go around a port "
			   "rule; a system call filter refuses them");
}

static void
say_sockets(const struct holds_view *view,
    const struct omega_sandbox_atom *atom, struct omega_sandbox_state *state)
{
	if (view->abi < 9) {
		say(state, "needs Linux 7.1 (ABI 9)");
	} else if (atom->kind == OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS) {
		state->partial = atom->access;
		say(state, "sockets are closed, but pipes are among them");
	} else if (OMEGA_SANDBOX_HAS(view->request, unix_sockets) &&
		   view->request->unix_sockets == OMEGA_SANDBOX_UNIX_ALL) {
		say(state, "Landlock does not see whose a socket is; "
			   "unix_sockets = own closes those of everybody");
	} else {
		state->held = atom->access & OMEGA_SANDBOX_ATOM_ALL;
		if (state->held != atom->access)
			say(state, "sockets can be made; a system call filter "
				   "refuses them");
	}
}

/* Can everybody sample whoever runs on a processor? Landlock is not asked; the
 * administrator has set kernel.perf_event_paranoid. */
static int
can_sample(void)
{
	char text[16] = "";
	ssize_t n;
	int fd;

	fd = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno != ENOENT; /* a kernel without */
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n <= 0 || strtol(text, NULL, 10) <= 0;
}

void
holds_say(const struct holds_view *view, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state)
{
	const struct omega_sandbox_request *request = view->request;

	switch (atom->kind) {
	case OMEGA_SANDBOX_ATOM_PATH:
		say_place(view, atom, state);
		break;
	case OMEGA_SANDBOX_ATOM_ELSEWHERE:
		state->held = atom->access & PLACE_BITS;
		say_truncation(view, state);
		break;
	case OMEGA_SANDBOX_ATOM_ABSENT_PATHS:
		if (atom->path != NULL && is_out_of_lists(view, atom->path,
					      OMEGA_SANDBOX_ATOM_CREATE))
			state->held = atom->access;
		else
			say(state, "a name that is absent can be made in a "
				   "directory the command may write");
		break;
	case OMEGA_SANDBOX_ATOM_EXECUTE:
		state->partial = atom->access;
		say(state, "the loader and interpreters run what they can "
			   "read");
		break;
	case OMEGA_SANDBOX_ATOM_CONNECT:
	case OMEGA_SANDBOX_ATOM_BIND:
	case OMEGA_SANDBOX_ATOM_CONNECT_UDP:
	case OMEGA_SANDBOX_ATOM_BIND_UDP:
		say_ports(view, atom, state);
		break;
	case OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE:
		state->held = atom->access;
		if (can_sample())
			state->held &= ~(uint32_t)OMEGA_SANDBOX_ATOM_LIST;
		if (state->held != atom->access)
			say(state, "kernel.perf_event_paranoid lets everybody "
				   "sample all processes; a system call "
				   "filter refuses that");
		break;
	case OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS:
	case OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS:
		if (view->abi < 6) {
			say(state, "needs Linux 6.12 (ABI 6)");
			break;
		}
		state->held = atom->access & OMEGA_SANDBOX_ATOM_ALL;
		if (state->held != atom->access)
			say(state, "a limit set with prlimit can end a process "
				   "outside, a child can be given to it, and a "
				   "lease can make it wait; a system call "
				   "filter refuses all three");
		break;
	case OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS:
		if (OMEGA_SANDBOX_HAS(request, hide_sockets) &&
		    request->hide_sockets == OMEGA_SANDBOX_HIDE_NONE) {
			say(state, "hide_sockets is \"none\"");
			break;
		}
		/* fall through */
	case OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS:
		say_sockets(view, atom, state);
		break;
	case OMEGA_SANDBOX_ATOM_METADATA:
		say(state, no_metadata);
		break;
	default:
		say(state, "not a matter of Landlock");
		break;
	}
}
