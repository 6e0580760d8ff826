/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * secure.c - see secure.h.
 *
 * Linux tells a program at its start (AT_SECURE), and the answer stays true
 * when the program has changed its ids since. Other systems have issetugid.
 */

#include "config.h"

#include "load/secure.h"

#include <errno.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/auxv.h>
#endif

bool
omega_secure_is_raised(void)
{
#ifdef __linux__
	int saved = errno;
	unsigned long value;
	bool is_raised;

	errno = 0;
	value = getauxval(AT_SECURE);
	is_raised = value != 0 || errno != 0;
	errno = saved;
	return is_raised;
#else
	return issetugid() != 0;
#endif
}
