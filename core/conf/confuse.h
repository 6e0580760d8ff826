/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * confuse.h - the values of a configuration text, by libconfuse.
 *
 * confuse.c is the only file that knows libconfuse. It is given nothing but
 * texts that scan.h has found to be in order.
 */

#ifndef OMEGA_CONF_CONFUSE_H
#define OMEGA_CONF_CONFUSE_H

#include <omega/sandbox.h>

#include "conf/scan.h"

/*
 * Fill in the text of every value. file is for messages. Returns 0, or
 * OMEGA_SANDBOX_E_CONFIG (libconfuse did not find what the scan found) or
 * _E_MEMORY with error filled. Thread-safe as long as nothing else in the
 * process uses libconfuse at the same time.
 */
int omega_confuse_fill(struct omega_scan *scan, const char *file,
    struct omega_sandbox_error *error);

#endif
