/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * unattended.h - what the machine runs or obeys by itself, with root's rights,
 * as soon as a file appears in it. Only root can write there, so only a
 * command of root's has to be kept off. The path checks that need no policy
 * keep to their documented list, which has none of these.
 */

#ifndef OMEGA_POLICY_UNATTENDED_H
#define OMEGA_POLICY_UNATTENDED_H

#include <stdbool.h>

struct omega_unattended {
	const char *path;
	/* It is looked for though nobody has made it, and hardly ever there:
	 * that it cannot be made is a guarantee of its own. */
	bool is_obeyed;
};

/* Ends with NULL for a path. Empty for those who cannot write there. */
const struct omega_unattended *omega_unattended(void);

#endif
