/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * home.c - see home.h.
 */

#include "home.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>

int __wrap_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer,
    size_t size, struct passwd **found);

static char home[4096]; /* "": none */
static uid_t asked;

void
home_set(const char *dir)
{
	snprintf(home, sizeof(home), "%s", dir != NULL ? dir : "");
}

uid_t
home_asked(void)
{
	return asked;
}

int
__wrap_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t size,
    struct passwd **found)
{
	asked = uid;
	*found = NULL;
	if (home[0] == '\0')
		return 0;
	memset(entry, 0, sizeof(*entry));
	snprintf(buffer, size, "%s", home);
	entry->pw_uid = uid;
	entry->pw_dir = buffer;
	*found = entry;
	return 0;
}
