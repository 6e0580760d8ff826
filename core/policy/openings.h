/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * openings.h - what a policy leaves within reach, and how: the options that
 * every backend keeps to.
 *
 * The administrator's word comes first. Where the configuration sets one of
 * them, a host can ask for something stricter only.
 */

#ifndef OMEGA_POLICY_OPENINGS_H
#define OMEGA_POLICY_OPENINGS_H

#include <stdint.h>

#include <omega/sandbox-plugin.h>

#include "conf/conf.h"

struct omega_openings {
	uint32_t data_dir_mode; /* enum omega_sandbox_data_dir_mode */
	uint32_t hide_sockets; /* enum omega_sandbox_hide_sockets */
	char **sockets; /* ended by NULL; or NULL for none */
	char **devices;
};

/* Fill what is zeroed from the configuration. 0 or -ENOMEM. */
int omega_openings_take(
    struct omega_openings *openings, const struct omega_conf *conf);

/* Fill what is zeroed with a copy. 0 or -ENOMEM. */
int omega_openings_copy(
    struct omega_openings *to, const struct omega_openings *from);

void omega_openings_drop(struct omega_openings *openings);
void omega_openings_drop_list(char **list);

/* Tell a plugin, but for the lists, of which the atoms have what counts. */
void omega_openings_tell(const struct omega_openings *openings,
    struct omega_sandbox_request *request);

#endif
