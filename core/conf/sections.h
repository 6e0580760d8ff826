/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sections.h - the sections of all files.
 *
 * A name is given once. The administrator may give a name of the product's
 * own another meaning; a user may give none that is taken. Of a plugin several
 * files may set options, each of them once.
 */

#ifndef OMEGA_CONF_SECTIONS_H
#define OMEGA_CONF_SECTIONS_H

#include <omega/sandbox.h>

#include "conf/conf.h"
#include "conf/scan.h"

/* Take on a section of a scanned and filled file, which is empty then. Returns
 * 0, or OMEGA_SANDBOX_E_CONFIG, _E_MEMORY with error filled. */
int omega_sections_add(struct omega_conf *conf,
    struct omega_conf_section *section, struct omega_sandbox_error *error);

/* NULL when there is none. */
const struct omega_conf_section *omega_sections_find(
    const struct omega_conf *conf, enum omega_scan_type type,
    const char *title);

/* NULL when the section does not have it. */
const struct omega_conf_entry *omega_sections_entry(
    const struct omega_conf_section *section, const char *name);

#endif
