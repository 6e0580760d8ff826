/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sections.h - the sections policy, agent, group and tier of all files.
 *
 * A name is given once. The administrator may give a name of the product's
 * own another meaning; a user may give none that is taken.
 */

#ifndef OMEGA_CONF_SECTIONS_H
#define OMEGA_CONF_SECTIONS_H

#include <omega/sandbox.h>

#include "conf/conf.h"
#include "conf/scan.h"

/* Take on the index-th section of a scanned and filled file. Returns 0, or
 * OMEGA_SANDBOX_E_CONFIG, _E_MEMORY with error filled. */
int omega_sections_add(struct omega_conf *conf, const char *file,
    const struct omega_scan *scan, size_t index,
    struct omega_sandbox_error *error);

/* NULL when there is none. */
const struct omega_conf_section *omega_sections_find(
    const struct omega_conf *conf, enum omega_scan_type type,
    const char *title);

/* NULL when the section does not have it. */
const struct omega_conf_entry *omega_sections_entry(
    const struct omega_conf_section *section, const char *name);

void omega_sections_clear(struct omega_conf *conf);

#endif
