/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * object.h - the file of a plugin: what it exports, found out without loading
 * it; the dynamic loader, as far as we need it; and how long the structures of
 * the first plugin ABI were, so that later fields can be told from missing
 * ones.
 */

#ifndef OMEGA_LOAD_OBJECT_H
#define OMEGA_LOAD_OBJECT_H

#include <stddef.h>

#include <omega/sandbox-plugin.h>

enum omega_symbol {
	OMEGA_SYMBOL_FOUND = 0, /* a data object of that name is exported */
	OMEGA_SYMBOL_MISSING,
	OMEGA_SYMBOL_NOT_DATA, /* the name is there, but is a function */
	OMEGA_SYMBOL_NOT_SHARED, /* not a shared object, or a broken one */
	OMEGA_SYMBOL_FOREIGN, /* made for another machine */
};

/*
 * Look for name in the file open at fd. Loading runs the constructors in a
 * file, whatever it is; so it is asked first whether it is a plugin at all. Any
 * file may be given: nothing in it is believed. Returns an enum omega_symbol,
 * or a negative errno when the file cannot be read. One implementation per
 * object format.
 */
int omega_symbol_find(int fd, const char *name);

/*
 * Load the file, with everything in it resolved and nothing of it offered to
 * others; whether that may be is for the caller to know. NULL, with the
 * loader's reason in why, when it fails. What was loaded once stays in memory
 * until the process ends.
 */
void *omega_dl_open(const char *path, char *why, size_t why_size);

/* The address of a symbol; NULL when there is none. */
const void *omega_dl_symbol(void *handle, const char *name);

/* One user less. NULL is fine. */
void omega_dl_close(void *handle);

#define OMEGA_ABI_SIZE(type, last) \
	(offsetof(struct type, last) + sizeof(((struct type *)0)->last))

/* The last field of ABI 1.0 in what a plugin gives us. */
#define OMEGA_ABI_PLUGIN_SIZE OMEGA_ABI_SIZE(omega_sandbox_plugin, apply)
#define OMEGA_ABI_OPTION_SIZE OMEGA_ABI_SIZE(omega_sandbox_option, words)

#endif
