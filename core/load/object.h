/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * object.h - the file of a plugin: whether it can be loaded at all; the
 * dynamic loader, as far as we need it; and how long the structures of the
 * first plugin ABI were, so that later fields can be told from missing ones.
 */

#ifndef OMEGA_LOAD_OBJECT_H
#define OMEGA_LOAD_OBJECT_H

#include <stddef.h>

#include <omega/sandbox-plugin.h>

/*
 * Is the file open at fd a shared object for this machine, and whole? The
 * dynamic loader trusts what it maps: a file that was cut off ends the process
 * with a signal. 0, -ENOEXEC when it is none or damaged, -EBADMSG when it is
 * for another machine, or another negative errno. One implementation per
 * object format.
 */
int omega_object_check(int fd);

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
