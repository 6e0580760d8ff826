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
 * Add a mask for everything in /dev that is neither harmless nor given by the
 * administrator; for users, of nodes only those they may open. 0 or -errno.
 */
int devices_add(const struct setup *setup, struct ops *ops);

#endif
