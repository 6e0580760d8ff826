/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * home.h - another home directory than the password database has. A program
 * that uses it is linked with -Wl,--wrap=getpwuid_r.
 */

#ifndef OMEGA_TEST_HOME_H
#define OMEGA_TEST_HOME_H

#include <sys/types.h>

/* From now on; NULL: nobody has an entry. Not copied. */
void home_set(const char *dir);

/* Whose was asked for last? */
uid_t home_asked(void);

#endif
