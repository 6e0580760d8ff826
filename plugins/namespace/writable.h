/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * writable.h - everything read-only but some places.
 */

#ifndef NAMESPACE_WRITABLE_H
#define NAMESPACE_WRITABLE_H

#include "mounts.h"

/*
 * Copy what the operations of type REQUEST_WRITABLE name, as it is now, into
 * copies[], one per operation; then make the whole tree read-only. 0 or
 * -errno.
 */
int writable_close(struct mounts *mounts, const struct request_op *ops,
    uint32_t count, const char *texts, int *copies);

#endif
