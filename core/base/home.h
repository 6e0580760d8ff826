/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * home.h - whose home is "~"? That of the effective user, whose rights a
 * command would have, as the password database has it; the environment is not
 * asked.
 */

#ifndef OMEGA_BASE_HOME_H
#define OMEGA_BASE_HOME_H

/* On success *home is the caller's to free. Returns 0, -ENOENT (no entry, or
 * one without an absolute directory), -ENOMEM or what the lookup gave. */
int omega_home(char **home);

/*
 * A copy of path, with the home directory in place of "~" when it is "~" or
 * begins with "~/". On success *expanded is the caller's to free. Returns
 * like omega_home().
 */
int omega_home_expand(const char *path, char **expanded);

#endif
