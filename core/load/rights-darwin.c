/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rights-darwin.c - see rights.h.
 */

#include "config.h"

#include "load/rights.h"

#include <unistd.h>

bool
omega_rights_override(void)
{
	return getuid() == 0 || geteuid() == 0;
}
