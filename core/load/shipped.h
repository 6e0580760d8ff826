/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * shipped.h - which backends there are: those of the product, which packages
 * may leave out, and whatever else lies in the plugin directory. Nothing is
 * loaded here.
 */

#ifndef OMEGA_LOAD_SHIPPED_H
#define OMEGA_LOAD_SHIPPED_H

#include <stddef.h>

#include "conf/conf.h"

/* The backends of the product, each with a package of its own; NULL ends. */
extern const char *const omega_shipped[];

/* The names in the plugin directory that are not the product's, in order. A
 * directory that cannot be read has none. 0 or -ENOMEM. */
int omega_shipped_others(const char *plugindir, struct omega_conf_list *names);

/* "not installed", and what to do about it. */
void omega_shipped_missing(
    const char *plugindir, const char *name, char *text, size_t size);

/*
 * See that every backend the configuration names, by a section or in the
 * stack, is one of these: another name is a slip, and what stands there would
 * hold for nothing. Returns 0 or OMEGA_SANDBOX_E_CONFIG with error filled.
 */
int omega_shipped_check(const struct omega_conf *conf, const char *plugindir,
    struct omega_sandbox_error *error);

#endif
