/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * devices.h - which devices a command has.
 */

#ifndef NAMESPACE_DEVICES_H
#define NAMESPACE_DEVICES_H

#include "ops.h"
#include "setup.h"

/* Add that /dev is replaced, unless all of it was given; once. 0 or -errno. */
int devices_add_front(const struct setup *setup, struct ops *ops);

/*
 * Add what is shown there: what is harmless, given by the administrator, the
 * terminal in use, and what is no device at all. 0 or -errno.
 */
int devices_add_shown(const struct setup *setup, struct ops *ops);

#endif
