/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mask.h - arguments as they may be written down.
 *
 * A pattern fits a whole argument, whatever the case of letters. When it ends
 * in "*", what that star stands for is masked, else all of it is. A pattern of
 * two words divided by a blank, the second of them "*", fits an argument by
 * the first and masks the argument behind it.
 */

#ifndef OMEGA_RUN_MASK_H
#define OMEGA_RUN_MASK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"

/* How many bytes of argument may be shown, when the one before it (NULL: it
 * is the first) is known as well: all of them, or fewer, and "***" for the
 * rest. patterns are further ones beside those that are built in. */
size_t omega_mask_keep(const struct omega_conf_list *patterns,
    const char *before, const char *argument);

#endif
