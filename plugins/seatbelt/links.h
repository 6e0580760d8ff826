/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * links.h - the symbolic links on a way.
 */

#ifndef OMEGA_SEATBELT_LINKS_H
#define OMEGA_SEATBELT_LINKS_H

#include "texts.h"

/*
 * Add the links that are met on the way to path, and on the way to where they
 * lead, each by the name the kernel has for it. 0 or a negative errno.
 */
int links_add(struct texts *links, const char *path);

#endif
