/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * hidden.c - see hidden.h.
 */

#include "config.h"

#include "run/hidden.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

int
omega_hidden_add(struct omega_hidden *hidden, const char *path)
{
	char **paths;

	paths = omega_array_resize(
	    hidden->paths, hidden->count + 1, sizeof(*paths));
	if (paths == NULL)
		return -ENOMEM;
	hidden->paths = paths;
	paths[hidden->count] = strdup(path);
	if (paths[hidden->count] == NULL)
		return -ENOMEM;
	hidden->count++;
	return 0;
}

static bool
is_below(const char *path, const char *base)
{
	size_t len = strlen(base);

	return strncmp(path, base, len) == 0 &&
	       (path[len] == '\0' || path[len] == '/');
}

bool
omega_hidden_has(const struct omega_hidden *hidden, const char *path)
{
	size_t i;

	for (i = 0; i < hidden->count; i++)
		if (is_below(path, hidden->paths[i]))
			return true;
	return false;
}

char *
omega_hidden_find(const struct omega_hidden *hidden, const char *dir)
{
	char *real;

	if (hidden->count == 0)
		return NULL;
	real = realpath(dir == NULL ? "." : dir, NULL);
	if (real != NULL && omega_hidden_has(hidden, real))
		return real;
	free(real);
	return NULL;
}

void
omega_hidden_drop(struct omega_hidden *hidden)
{
	while (hidden->count > 0)
		free(hidden->paths[--hidden->count]);
	free(hidden->paths);
	hidden->paths = NULL;
}
