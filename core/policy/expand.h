/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * expand.h - "~", {data_dir}, {work_dir}, {runtime_dir} and @GROUP in the path
 * lists of a policy.
 */

#ifndef OMEGA_POLICY_EXPAND_H
#define OMEGA_POLICY_EXPAND_H

#include "policy/policy.h"

/* Called with each path; 0 or a code, error filled. */
typedef int omega_expand_take(void *arg, const char *path,
    const struct omega_conf_text *written, struct omega_sandbox_error *error);

/*
 * Give every absolute path that one item of a list stands for. Returns 0, what
 * take returned, or OMEGA_SANDBOX_E_INVALID_POLICY, _E_SYSTEM, _E_MEMORY.
 */
int omega_expand(const struct omega_sandbox_policy *policy,
    const struct omega_conf_text *item, omega_expand_take *take, void *arg,
    struct omega_sandbox_error *error);

#endif
