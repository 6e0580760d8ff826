/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * props.h - what attempts need from the tool: sockets it listens at, a key, a
 * terminal, samples of the files in a real place, the handle of a file.
 */

#ifndef OMEGA_VERIFY_PROPS_H
#define OMEGA_VERIFY_PROPS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <omega/sandbox.h>

#include "attempt.h"
#include "scene.h"

struct props {
	const struct omega_sandbox *sandbox;
	char socket_dir[PATH_MAX]; /* of its own if the scene's is too deep */
	bool is_own_dir;
	char launcher[PATH_MAX]; /* where tmux would listen; or nothing is */
	char early[PATH_MAX];
	char late[PATH_MAX];
	char abstract[64];
	char node[PATH_MAX]; /* of a block device, if one could be made */
	int listeners[12];
	unsigned tcp_port; /* served, by both versions; 0: not */
	unsigned udp_port;
	unsigned unused_port;
	size_t listener_count;
	long key; /* a key with the token, or -errno */
	int segment; /* of memory, with the token; or -1 */
	int queue; /* or -1 */
	char posix_queue[64]; /* its name, or "" */
	int terminal[2]; /* master and slave, or -1 */
	int console; /* or -1 */
};

/* What must be there before the policy is prepared. */
void props_make(struct props *props, const struct omega_sandbox *sandbox,
    const struct scene *scene);
/* What is made after that. */
void props_make_late(struct props *props);
void props_end(struct props *props);

/*
 * The word "extra" for an attempt at target. 0, or -errno when this host does
 * not have it: the attempt is then left out.
 */
int props_extra(const struct props *props, const struct scene *scene,
    const struct attempt *attempt, const char *target, char type, char *extra,
    size_t size);

/* One more line of samples, "DEVICE:INODE=PATH". 0 or -errno. */
int props_add_sample(const char *path, char *extra, size_t size);

#endif
