/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * dl.h - the dynamic loader, as far as we need it.
 *
 * dl.c is the only file that calls it. Whether a file may be loaded at all is
 * for the caller to know.
 */

#ifndef OMEGA_LOAD_DL_H
#define OMEGA_LOAD_DL_H

#include <stddef.h>

/*
 * Load the file, with everything in it resolved and nothing of it offered to
 * others. NULL, with the loader's reason in why, when that fails. What was
 * loaded once stays in memory until the process ends.
 */
void *omega_dl_open(const char *path, char *why, size_t why_size);

/* The address of a symbol; NULL when there is none. */
const void *omega_dl_symbol(void *handle, const char *name);

/* One user less. NULL is fine. */
void omega_dl_close(void *handle);

#endif
