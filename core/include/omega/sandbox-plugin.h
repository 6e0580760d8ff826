/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * omega/sandbox-plugin.h - what a backend plugin and the core agree on.
 *
 * A backend is a shared object NAME.so in the plugin directory. It exports
 * one const object, omega_sandbox_plugin, and nothing else; it links neither
 * the core nor another plugin.
 *
 * The contract is not released yet: until ABI 1.0 is announced in NEWS it may
 * change without notice. Nothing loads plugins so far.
 */

#ifndef OMEGA_SANDBOX_PLUGIN_H
#define OMEGA_SANDBOX_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OMEGA_SANDBOX_PLUGIN_ABI_MAJOR 0u
#define OMEGA_SANDBOX_PLUGIN_ABI_MINOR 1u
#define OMEGA_SANDBOX_PLUGIN_ABI \
	(OMEGA_SANDBOX_PLUGIN_ABI_MAJOR << 16 | OMEGA_SANDBOX_PLUGIN_ABI_MINOR)

/* What probe found out about this host. */
struct omega_sandbox_probe {
	uint32_t size;	   /* set by the core */
	int32_t is_usable; /* 1: can be used here; 0: cannot */
	char version[64];  /* of the mechanism, "" if it has none */
	char reason[256];  /* why not, or what to know */
};

struct omega_sandbox_plugin {
	/* Always OMEGA_SANDBOX_PLUGIN_ABI. */
	uint32_t abi_version;
	/* Always sizeof(struct omega_sandbox_plugin). */
	uint32_t struct_size;
	/* Reserved, 0. */
	uint64_t flags;
	/* Lower-case letters, digits, "_" and "-"; the file is NAME.so. */
	const char *name;
	/* One line for people. */
	const char *description;
	/* Is this host able to? Fills probe; 0 or a negative errno. Leaves
	 * nothing behind and may be called at any time. */
	int (*probe)(struct omega_sandbox_probe *probe);
};

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
extern const struct omega_sandbox_plugin omega_sandbox_plugin;

#ifdef __cplusplus
}
#endif

#endif /* OMEGA_SANDBOX_PLUGIN_H */
