/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * overlays.h - other names of a place that have another device: an overlay
 * shows what is in its layers, and they have what is in it.
 */

#ifndef NAMESPACE_OVERLAYS_H
#define NAMESPACE_OVERLAYS_H

#include "layers.h"
#include "ops.h"

/*
 * Add for the index-th operation, whose place is on this mount, the same at
 * every such name. What cannot be covered is told in gap[size], which is left
 * alone otherwise. 0 or -errno.
 */
int overlays_add(struct ops *ops, size_t index, uint64_t mount,
    const struct layers *layers, char *gap, size_t size);

#endif
