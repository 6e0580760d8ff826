/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * links.h - what links leave open of a place: files that have other names, and
 * symbolic links to what is not protected with it.
 */

#ifndef NAMESPACE_LINKS_H
#define NAMESPACE_LINKS_H

#include "setup.h"

/*
 * Look at what is at path, and below it. 1: there is something, and
 * found[size] says what; 0: nothing; -errno: could not be seen, -E2BIG: there
 * is too much to look at.
 */
int links_look(
    const struct setup *setup, const char *path, char *found, size_t size);

#endif
