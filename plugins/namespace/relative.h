/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * relative.h - a socket that was bound by a relative name: where is it? In the
 * working directory of a process that has it open, most of the time.
 */

#ifndef NAMESPACE_RELATIVE_H
#define NAMESPACE_RELATIVE_H

#include <limits.h>

#include "diag.h"

enum relative_answer {
	RELATIVE_FOREIGN, /* no process that can be looked at has it open */
	RELATIVE_FOUND,
	RELATIVE_INSIDE, /* only commands in sandboxes like ours have */
	RELATIVE_LOST /* one has, but there is no such socket near it */
};

/* Look for the socket of this number; known is what else is known of it, or
 * NULL. Negative: -errno. */
int relative_find(unsigned long number, const char *name,
    const struct diag_socket *known, char path[PATH_MAX]);

#endif
