/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * project.h - what whoever runs a command has in files of his own: a policy by
 * its path, and what a project asks for.
 */

#ifndef OMEGA_CONF_PROJECT_H
#define OMEGA_CONF_PROJECT_H

#include "conf/conf.h"

/*
 * The rules of the first policy section in a file, believed as configuration
 * is; what it extends is in that file or in conf. *name is its title, to be
 * freed. Returns as omega_conf_load(), or OMEGA_SANDBOX_E_INVALID_POLICY.
 */
int omega_project_policy(const struct omega_conf *conf, const char *path,
    struct omega_layer *rules, char **name, struct omega_sandbox_error *error);

/*
 * Add to layer what the file in dir (base/project-trust.h) asks for, rules and
 * grants, if the user trusts it as it is. Returns 1, 0 when there is no such
 * file, or as omega_conf_load(): OMEGA_SANDBOX_E_TRUST: it is not trusted.
 */
int omega_project_read(const char *dir, struct omega_layer *layer,
    struct omega_sandbox_error *error);

#endif
