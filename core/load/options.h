/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * options.h - what an administrator wrote in a plugin "NAME" section, checked
 * against what the plugin says it takes.
 */

#ifndef OMEGA_LOAD_OPTIONS_H
#define OMEGA_LOAD_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include <omega/sandbox-plugin.h>
#include <omega/sandbox.h>

#include "conf/conf.h"

/* The values of all options of one plugin. Immutable; owns its texts. */
struct omega_options;

/*
 * Check the table (NULL: no options) and the values conf (may be NULL) has
 * for the plugin called name. On success *options is the caller's. Returns 0,
 * or with error filled (but for its backend) OMEGA_SANDBOX_E_PLUGIN (the table
 * is broken), _E_CONFIG (an option the plugin does not take, or a value it
 * does not allow, with file and line), _E_MEMORY.
 */
int omega_options_new(const struct omega_sandbox_option *const *table,
    const char *name, const struct omega_conf *conf,
    struct omega_options **options, struct omega_sandbox_error *error);

void omega_options_free(struct omega_options *options);

/*
 * The value of an option, its default when it was not set. A name or type the
 * plugin has not declared gives 0 or NULL. Texts live as long as options.
 */
int64_t omega_options_int(
    const struct omega_options *options, const char *name);
const char *omega_options_text(
    const struct omega_options *options, const char *name);
const char *omega_options_item(
    const struct omega_options *options, const char *name, size_t index);

#endif
