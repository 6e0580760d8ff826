/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * layer.h - one layer: what one author has asked for, as it was written.
 *
 * The top level of the files, a section policy "NAME" { ... }, an agent
 * profile, and the calls of a host application all become layers. Those of a
 * policy are combined in policy/combine.h; places are given their meaning
 * there, because only then the data directory and the work directory are
 * known.
 */

#ifndef OMEGA_CONF_LAYER_H
#define OMEGA_CONF_LAYER_H

#include "conf/read.h"

struct omega_layer {
	char *name; /* "policy tool", "host application" */
	struct omega_option_value values[OMEGA_OPTION_COUNT];
};

/*
 * Take one rule on: a list adds to what is there, anything else replaces it.
 * Returns as omega_read().
 */
int omega_layer_set(struct omega_layer *layer,
    const struct omega_setting *setting, struct omega_sandbox_error *error);

/*
 * The top level of one more file has this option: combine it with what those
 * before have set, by the table. Returns as omega_read().
 */
int omega_layer_merge(struct omega_layer *top,
    const struct omega_setting *setting, struct omega_sandbox_error *error);

/* Combine a number with another of the same option, by the table. */
void omega_layer_narrow(enum omega_option_id id, struct omega_option_value *to,
    const struct omega_option_value *from);

/* Give a host's layer the options that are its to set (OMEGA_BY_HOST) as the
 * files have them. 0 or -ENOMEM. */
int omega_layer_take(struct omega_layer *layer, const struct omega_layer *top);

/*
 * A host's word about one of those, which goes no further than the files let
 * it. Returns as omega_read(), or OMEGA_SANDBOX_E_REFUSED.
 */
int omega_layer_set_within(struct omega_layer *layer, enum omega_option_id id,
    const struct omega_setting *setting, const struct omega_layer *top,
    struct omega_sandbox_error *error);

/*
 * Put base under layer, which extends it: lists add up, what layer says itself
 * stands. 0 or -ENOMEM.
 */
int omega_layer_extend(
    struct omega_layer *layer, const struct omega_layer *base);

/* See that the rules do not contradict each other. Returns as omega_read(). */
int omega_layer_check(
    const struct omega_layer *layer, struct omega_sandbox_error *error);

/* 0 or -ENOMEM; to is empty before. */
int omega_layer_copy(struct omega_layer *to, const struct omega_layer *from);
void omega_layer_clear(struct omega_layer *layer);

#endif
