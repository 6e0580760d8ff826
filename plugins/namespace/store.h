/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * store.h - the small tmpfs that masks and copies come from.
 */

#ifndef NAMESPACE_STORE_H
#define NAMESPACE_STORE_H

#include "mounts.h"

/*
 * Make the masks, and for every operation REQUEST_COPY a detached mount of
 * the copy in copies[i] (others are left alone). 0 or -errno.
 */
int store_make(struct mounts *mounts, const struct request_op *ops,
    uint32_t count, const char *texts, int *copies);

#endif
