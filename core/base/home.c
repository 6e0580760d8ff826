/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * home.c - see home.h.
 */

#include "config.h"

#include "home.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_ENTRY (1024 * 1024)

int
omega_home(char **home)
{
	struct passwd entry;
	struct passwd *found = NULL;
	size_t size = 1024;
	char *buffer = NULL;
	int ret = -ENOENT;
	int status;

	do {
		free(buffer);
		size *= 2;
		buffer = malloc(size);
		if (buffer == NULL)
			return -ENOMEM;
		status = getpwuid_r(geteuid(), &entry, buffer, size, &found);
	} while (status == ERANGE && size < MAX_ENTRY);
	/* "Not found" has several spellings; see getpwuid_r(3). */
	if (status != 0 && status != ENOENT && status != ESRCH)
		ret = -status;
	if (status == 0 && found != NULL && found->pw_dir != NULL &&
	    found->pw_dir[0] == '/') {
		*home = strdup(found->pw_dir);
		ret = *home == NULL ? -ENOMEM : 0;
	}
	free(buffer);
	return ret;
}

int
omega_home_expand(const char *path, char **expanded)
{
	char *home = NULL;
	char *text = NULL;
	size_t size;
	int ret;

	if (path[0] != '~' || (path[1] != '\0' && path[1] != '/')) {
		*expanded = strdup(path);
		return *expanded == NULL ? -ENOMEM : 0;
	}
	ret = omega_home(&home);
	if (ret < 0)
		return ret;
	size = strlen(home) + strlen(path);
	text = malloc(size);
	if (text == NULL) {
		ret = -ENOMEM;
		goto out;
	}
	snprintf(text, size, "%s%s", home, path + 1);
	*expanded = text;
	ret = 0;
out:
	free(home);
	return ret;
}
