/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * dev.h - the /dev that commands have, and no devices elsewhere.
 */

#ifndef NAMESPACE_DEV_H
#define NAMESPACE_DEV_H

#include "mounts.h"

/* Carry out DEVICES and SHOW. 0 or -errno. */
int dev_make(struct mounts *mounts, const struct request_op *ops,
    uint32_t count, const char *texts);

#endif
