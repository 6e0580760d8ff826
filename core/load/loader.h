/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * loader.h - from a backend's name to a checked vtable.
 */

#ifndef OMEGA_LOAD_LOADER_H
#define OMEGA_LOAD_LOADER_H

#include <stdbool.h>

#include <omega/sandbox-plugin.h>
#include <omega/sandbox.h>

#include "base/log.h"
#include "conf/conf.h"

/* A loaded plugin with its options. Immutable once loaded. */
struct omega_backend {
	struct omega_sandbox_plugin plugin; /* our checked, zero-padded copy */
	struct omega_sandbox_host host; /* what its functions are given */
	bool is_roots; /* file and way are root's alone */
	char *file; /* the plugin's file */
	void *handle; /* of the dynamic loader */
	struct omega_options *options; /* see options.h */
	struct omega_log log;
};

/* The installed plugin directory. */
extern const char *const omega_loader_plugindir;

/*
 * Load plugindir/NAME.so with the options conf has for it. On success
 * *backend is the caller's. Returns 0, or with error (backend set)
 * OMEGA_SANDBOX_E_INVALID_POLICY (not a name), _E_PLUGIN (missing, as
 * omega_shipped_missing() has it; no symbol, other ABI, short, slot missing,
 * other name, cannot be loaded), _E_TRUST, _E_CONFIG (an option it does not
 * take, with file and line), _E_SYSTEM, _E_MEMORY.
 */
int omega_loader_load(const char *plugindir, const char *name,
    const struct omega_conf *conf, const struct omega_log *log,
    struct omega_backend **backend, struct omega_sandbox_error *error);

/* Is there a file for this name, as far as can be told? Nothing is loaded. */
bool omega_loader_is_installed(const char *plugindir, const char *name);

void omega_loader_free(struct omega_backend *backend);

#endif
