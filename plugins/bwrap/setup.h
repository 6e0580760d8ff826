/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * setup.h - what describe and apply know of a request, and what they make of
 * it.
 */

#ifndef BWRAP_SETUP_H
#define BWRAP_SETUP_H

#include <omega/sandbox-plugin.h>

#include <sys/types.h>

#include "args.h"
#include "program.h"

#define SETUP_CHANGES                                               \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE |     \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME | \
	    OMEGA_SANDBOX_ATOM_CHANGE)
#define SETUP_SEEN (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)

/* What a trial has found. */
struct setup_trial {
	int is_usable;
	int has_network;
	char why[256];
	char network_why[256];
};

struct setup {
	struct omega_sandbox_request request;
	const struct omega_sandbox_atom *const *atoms;
	size_t count;
	uid_t uid; /* the caller's, effective */
	int is_limited; /* there is a list of what may be changed */
	int wants_network; /* one of its own, that is */
	int is_shielded; /* the data directory is shown without its secrets */
	struct program program;
	struct setup_trial trial;
};

/* Find the program and try it, or recall what was found a moment ago. 0; or a
 * negative errno when that could not be done. */
int setup_try(const struct omega_sandbox_host *host, struct program *program,
    struct setup_trial *trial);

/* 0 or a negative errno. Nothing is to be dropped. */
int setup_make(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct setup *setup);

/* ---- Paths: absolute and canonical ---------------------------------- */

int setup_is_below(const char *path, const char *base);

/* Into parent[PATH_MAX]. */
void setup_parent(const char *path, char *parent);

/* Does the error say that nothing is there? */
int setup_is_missing(int error);

/* Is it at or below a place that is kept: no read (SETUP_SEEN), or no change
 * (SETUP_CHANGES)? */
int setup_is_kept(const struct setup *setup, const char *path, uint32_t bits);

/* Below what the lists let be changed; everything is without lists. */
int setup_allows(const struct setup *setup, const char *path);

/* Could a command put another thing into the place of this one? */
int setup_can_rename(const struct setup *setup, const char *path);

/* Does what is absent stay so? */
int setup_stays_absent(const struct setup *setup, const char *path);

/* Is it one of the two names that a shield leaves out? */
int setup_is_left_out(const struct setup *setup, const char *path);

/*
 * The links on the way that is spelled so: the first that a command could
 * replace goes to link[PATH_MAX]. Is there one?
 */
int setup_find_link(const struct setup *setup, const char *spelled, char *link);

/* ---- holds.c, plan.c, sockets.c, filter.c ---------------------------- */

/* What would be held of an atom. */
void holds_say(const struct setup *setup, const struct omega_sandbox_atom *atom,
    struct omega_sandbox_state *state);

/* How a place is treated; of several the last wins. */
enum plan_type {
	PLAN_PIN = 1, /* mounted onto itself: cannot be renamed */
	PLAN_OPEN, /* the same, although all around is read-only */
	PLAN_KEEP, /* read-only */
	PLAN_PROC, /* a new one */
	PLAN_DEV, /* a new one */
	PLAN_SHIELD, /* another directory with the same entries but two */
	PLAN_DENY /* nothing is shown instead */
};

struct plan_op {
	enum plan_type type;
	int is_dir;
	int may_go; /* others remove it as they like: then nothing is done */
	char *path;
};

struct plan {
	struct plan_op *list;
	size_t count;
	size_t room;
	int may_go; /* what is added now */
	struct args watched; /* see plan_check */
};

/* Add a place if there is one; links are left out. 0 or -errno. */
int plan_add(struct plan *plan, enum plan_type type, const char *path);

/* The same, and what a command could rename on the way to it. */
int plan_add_with_way(const struct setup *setup, struct plan *plan,
    enum plan_type type, const char *path);

/* Have the next start look whether the path is what it is now; with is_close
 * also whether names in it have changed. */
void plan_watch(struct plan *plan, const char *path, int is_close);

/* All that is to be done; 0 or -errno. */
int plan_make(const struct setup *setup, struct plan *plan);

/* Behind this comes a path, and a digit: only if something is at the path as
 * many words that follow are for bwrap. */
#define PLAN_IF_THERE "?"

/* It as words for bwrap. 0 or -errno. */
int plan_compile(
    const struct setup *setup, const struct plan *plan, struct args *args);

/* The words that need no plan: namespaces and such. */
void plan_compile_base(int with_network, struct args *args);

/* A check: is everything that was watched as it was? */
int plan_check(const void *watched);

void plan_drop(struct plan *plan);

/* Sockets and pipes that are to be hidden. 0 or -errno. */
int sockets_add(const struct setup *setup, struct plan *plan);

/* A directory that cannot be entered on the way to this name. If it is the
 * caller's own, a command could open it again: nobody is shown what is in it.
 * 0 or -errno. */
int sockets_hide_behind(
    const struct setup *setup, struct plan *plan, const char *path);

/* The filter that lets no command make namespaces, with that of the request
 * behind it. In args->error what failed. */
void filter_make(const struct omega_sandbox_request *request, struct args *to);

/* Is it known for this machine how to make one? */
int filter_is_known(void);

#endif
