/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * plan.h - from atoms to mount operations.
 */

#ifndef NAMESPACE_PLAN_H
#define NAMESPACE_PLAN_H

#include "setup.h"

/*
 * What must be mounted for the atoms to hold, in order. 0 or -errno; -ESTALE
 * when a place is no longer what the core has seen there.
 */
int plan_make(const struct setup *setup, struct ops *ops);

/* Is port 53 open to TCP and not to UDP? Then commands have a resolv.conf that
 * says so. */
int plan_uses_tcp(const struct omega_sandbox_request *request);

/* aliases.c: other names of a place, by other mounts that show it or a part of
 * it. Room for a gap that is told. */
#define ALIASES_GAP 240

/*
 * For every operation that hides something or makes it read-only, add the
 * same for the other places that show it: other mounts, overlays and their
 * layers. 0 or -errno.
 */
int aliases_add(const struct setup *setup, struct ops *ops);

/*
 * Look what that leaves open. 1: something, and gap[size] says what; 0:
 * nothing; -errno: could not be seen.
 */
int aliases_look(
    const struct setup *setup, const char *path, char *gap, size_t size);

/* The same for sockets: all that was added from the first-th on. */
int aliases_add_sockets(
    const struct setup *setup, struct ops *ops, size_t first);

/*
 * overlays.c: other names of a place that have another device. An overlay shows
 * what is in its layers, and they have what is in it. Add for the index-th
 * operation the same at every such name. What cannot be covered is told in
 * gap[size], which is left alone otherwise. 0 or -errno.
 */
int overlays_add(struct ops *ops, size_t index, const struct setup *setup,
    char *gap, size_t size);

/* Mount what the caller could rename of path and above onto itself. 0 or
 * -errno. */
int plan_pin_way(const struct setup *setup, struct ops *ops, const char *path);

/* sockets.c: add a mask for every path socket behind which programs listen. 0
 * or -errno. */
int sockets_add(const struct setup *setup, struct ops *ops);

/* holds.c: what this backend holds of an atom on this host. describe tells it,
 * apply keeps to it. */
void holds_say(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state);

/* join.c: what the child does to enter the namespaces, and what the parent
 * looks at before every start. */

/* User, network, IPC and mount namespace, in the order of joining; -1: the
 * host's. */
#define JOIN_COUNT 4
struct join_state {
	int fds[JOIN_COUNT];
};

/* Keep those of a builder that which names (enum request_fd, or -1). 0 or
 * -errno. And a child step: join them. */
int join_keep(const struct build *build, const int *which,
    struct omega_sandbox_launch *launch, struct join_state *join);
int join_step(const void *state);

/* Plain calls too. Whoever lacks it cannot change how the process that has it
 * is scheduled: a capability that outlives execve, for a supervisor. */
int join_mark(void);

/*
 * Have what is protected looked at before every start. To be called before
 * anything is built, so that nothing changes unseen. 0 or -errno.
 */
int join_watch(const struct setup *setup, struct omega_sandbox_launch *launch);

/* Have the child enter what was built. 0 or -errno. */
int join_add(const struct setup *setup, const struct build *build,
    const struct ops *ops, struct omega_sandbox_launch *launch);

/* Have every child look last thing whether what must not be seen is still
 * covered by the operations. 0 or -errno. */
int join_witness(const struct setup *setup, const struct ops *ops,
    struct omega_sandbox_launch *launch);

/* pids.c: a pid namespace for each supervised command. */

/* Say what of the atom is held. */
void pids_say(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state);

/* Have the core make one. 0 or -errno. */
int pids_add(const struct setup *setup, const struct build *build,
    const struct ops *ops, struct omega_sandbox_launch *launch);

/* hosts.c: are hosts listed, and is there a network for them, so that there is
 * a helper? */
int hosts_are_listed(const struct setup *setup);

/* Start the helper and tell it what is listed; a descriptor that leads to it,
 * for the builder, or -errno. */
int hosts_start(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request);

/* No command is told of a proxy, nor started when the helper is gone: then it
 * is prepared again. 0 or -errno. */
int hosts_add(const struct build *build, struct omega_sandbox_launch *launch);

#endif
