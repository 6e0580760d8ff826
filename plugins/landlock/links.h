/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * links.h - symbolic links on the way to a place. Whoever points one of them
 * elsewhere leads the next command away from what is protected.
 */

#ifndef OMEGA_LANDLOCK_LINKS_H
#define OMEGA_LANDLOCK_LINKS_H

/* Called with the canonical name of each link; 0 or a negative errno. */
typedef int links_found(void *arg, const char *link);

/* Follow path (absolute) as far as it exists. 0 or a negative errno. */
int links_each(const char *path, links_found *found, void *arg);

#endif
