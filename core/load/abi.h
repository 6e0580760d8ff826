/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * abi.h - how long the structures of the first plugin ABI were, so that later
 * fields can be told from missing ones.
 */

#ifndef OMEGA_LOAD_ABI_H
#define OMEGA_LOAD_ABI_H

#include <stddef.h>

#include <omega/sandbox-plugin.h>

#define OMEGA_ABI_SIZE(type, last) \
	(offsetof(struct type, last) + sizeof(((struct type *)0)->last))

/* The last field of ABI 1.0 in what a plugin gives us. */
#define OMEGA_ABI_PLUGIN_SIZE OMEGA_ABI_SIZE(omega_sandbox_plugin, apply)
#define OMEGA_ABI_OPTION_SIZE OMEGA_ABI_SIZE(omega_sandbox_option, words)

#endif
