/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * settings.h - what the options of a file mean, and how they combine with
 * those of the files before it.
 *
 * Files are layers that only tighten: blocked_paths add up, accept intersects,
 * the cautious value of a switch wins. What has no cautious value may be set
 * in one file only.
 */

#ifndef OMEGA_CONF_SETTINGS_H
#define OMEGA_CONF_SETTINGS_H

#include <stdbool.h>

#include <omega/sandbox.h>

#include "conf/conf.h"
#include "conf/scan.h"

/*
 * Put the options of a scanned and filled file on top of conf. Returns 0, or
 * OMEGA_SANDBOX_E_CONFIG, _E_SYSTEM or _E_MEMORY with error filled.
 */
int omega_settings_apply(struct omega_conf *conf, const char *file,
    const struct omega_scan *scan, struct omega_sandbox_error *error);

const char *omega_settings_name(enum omega_conf_id id);

/* Is there an option of this name outside of the sections? */
bool omega_settings_has(const char *name);

#endif
