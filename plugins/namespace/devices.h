/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * devices.h - the devices a command could reach protected places through.
 */

#ifndef NAMESPACE_DEVICES_H
#define NAMESPACE_DEVICES_H

#include "ops.h"
#include "setup.h"

/*
 * Add a mask for every device of /dev that is not harmless (root), or that
 * holds raw disks or memory and is open to the caller. 0 or -errno.
 */
int devices_add(const struct setup *setup, struct ops *ops);

#endif
