/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * pair.h - a protected path in its two forms: as written, and as it leads.
 */

#ifndef OMEGA_PATH_PAIR_H
#define OMEGA_PATH_PAIR_H

#include "path/place.h"
#include "path/rules.h"

struct omega_pair {
	char spelled[PATH_MAX]; /* clean */
	size_t spelled_len;
	struct omega_place place;
};

/* Make both forms of path. 0, or a negative errno: it cannot be held. */
int omega_pair_make(const char *path, struct omega_pair *pair);

/* The pairs of data_dir/data and data_dir/config.toml, found together. */
int omega_pair_make_data(
    const char *data_dir, struct omega_pair *data, struct omega_pair *config);

/*
 * The rules of a pair, one or two of them, with the texts pointing into the
 * pair. like has access, guarded, shown, origin and line. Returns how many.
 */
size_t omega_pair_rules(const struct omega_pair *pair,
    const struct omega_rule *like, struct omega_rule *rules);

#endif
