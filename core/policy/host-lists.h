/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * host-lists.h - hosts, deny_hosts and names of all layers as one.
 */

#ifndef OMEGA_POLICY_HOST_LISTS_H
#define OMEGA_POLICY_HOST_LISTS_H

#include "policy/combine.h"
#include "policy/policy.h"

/* Does who chose this layer grant hosts beside what it has? */
bool omega_host_lists_grants(
    const struct omega_sandbox_policy *policy, const struct omega_layer *layer);

/* Take one layer on; of the policy that of the host comes last. 0 or -ENOMEM.
 */
int omega_host_lists_add(const struct omega_sandbox_policy *policy,
    const struct omega_layer *layer, struct omega_combined *combined);

/*
 * May the host be reached, "NAME:PORT", by all layers of what was combined? The
 * first rule that keeps commands from it goes into found, with what has to be
 * granted, if that is enough. 0 or -EINVAL: this is no host with a port.
 */
int omega_host_lists_judge(const struct omega_sandbox_policy *policy,
    struct omega_combined *combined, const char *host,
    struct omega_sandbox_judgement *found);

/*
 * When all layers are there: leave out what is denied or has a port that the
 * list connect has not. An empty list is no network. 0, -ENOMEM, or -EINVAL:
 * there are denies, and nothing they could be taken from.
 */
int omega_host_lists_finish(struct omega_combined *combined);

/* "WORDS a, b and 3 more"; to be freed, or NULL: no memory. */
char *omega_host_lists_sentence(const struct omega_combined_hosts *hosts);

/* The entries as texts, and "@PROXY" if there is one, ended by NULL; each and
 * all to be freed. */
char **omega_host_lists_texts(
    const struct omega_hosts_entry *list, size_t count, const char *proxy);

void omega_host_lists_drop(struct omega_combined_hosts *hosts);

#endif
