/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * running.h - the options about running commands: environment, allowed
 * commands, arguments, audit. As set.h, which has the others.
 */

#ifndef OMEGA_CONF_RUNNING_H
#define OMEGA_CONF_RUNNING_H

#include "conf/set.h"

int omega_running_env_deny(const struct omega_change *c);
int omega_running_env_allow(const struct omega_change *c);
int omega_running_env_set(const struct omega_change *c);
int omega_running_allowed_commands(const struct omega_change *c);
int omega_running_safe_path(const struct omega_change *c);
int omega_running_check_arguments(const struct omega_change *c);
int omega_running_audit(const struct omega_change *c);
int omega_running_audit_mask(const struct omega_change *c);
int omega_running_audit_failure(const struct omega_change *c);

#endif
