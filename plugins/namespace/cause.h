/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * cause.h - what usually is behind a failure of the builder, and what would
 * change it.
 */

#ifndef NAMESPACE_CAUSE_H
#define NAMESPACE_CAUSE_H

#include "request.h"

/* One sentence, or NULL when there is nothing to add. */
const char *cause_of(const struct request_reply *reply);

#endif
