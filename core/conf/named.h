/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * named.h - what stands in the sections policy, agent, group and tier.
 *
 *   policy "NAME" { extends = "OTHER"  description = "..."  rules }
 *   agent "NAME"  { the same; extends names a policy }
 *   group "NAME"  { description = "..."  paths = { ... } }
 *   tier "NAME"   { policy = "NAME"  sandbox = true  description = "..." }
 */

#ifndef OMEGA_CONF_NAMED_H
#define OMEGA_CONF_NAMED_H

#include <omega/sandbox.h>

#include "conf/conf.h"
#include "conf/layer.h"

/* How deep policies may extend each other. */
#define OMEGA_NAMED_MAX_DEPTH 16

/*
 * See that every section makes sense and every name it uses is there. Returns
 * 0, or OMEGA_SANDBOX_E_CONFIG, _E_MEMORY with error filled.
 */
int omega_named_check(
    const struct omega_conf *conf, struct omega_sandbox_error *error);

/*
 * The rules of a policy (or agent) with those it extends. rules is empty
 * before and to be cleared in either case. "default" has none of its own
 * unless there is a section of that name. Returns 0, or
 * OMEGA_SANDBOX_E_INVALID_POLICY (no such name; the error lists them),
 * _E_CONFIG, _E_MEMORY with error filled.
 */
int omega_named_rules(const struct omega_conf *conf, enum omega_scan_type type,
    const char *name, struct omega_layer *rules,
    struct omega_sandbox_error *error);

/* The paths of a group; NULL when there is none of that name. */
const struct omega_conf_list *omega_named_group(
    const struct omega_conf *conf, const char *name);

/* There is no section of this name (NULL: not so many). Returns
 * OMEGA_SANDBOX_E_NOT_FOUND, with error filled. */
int omega_named_missing(const struct omega_conf *conf,
    enum omega_scan_type type, const char *name,
    struct omega_sandbox_error *error);

#endif
