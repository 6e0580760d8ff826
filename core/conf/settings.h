/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * settings.h - the options of one file on top of those of the files before it.
 *
 * Files are layers that only tighten; the table of options (option.h) says how.
 */

#ifndef OMEGA_CONF_SETTINGS_H
#define OMEGA_CONF_SETTINGS_H

#include <omega/sandbox.h>

#include "conf/conf.h"
#include "conf/scan.h"

/*
 * Put the options of a scanned and filled file on top of conf, which takes its
 * sections over. Returns 0, or
 * OMEGA_SANDBOX_E_CONFIG, _E_SYSTEM or _E_MEMORY with error filled.
 */
int omega_settings_apply(struct omega_conf *conf, const char *file,
    struct omega_scan *scan, struct omega_sandbox_error *error);

#endif
