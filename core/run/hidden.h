/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * hidden.h - places that are not there for a command: none of them can be its
 * working directory.
 */

#ifndef OMEGA_RUN_HIDDEN_H
#define OMEGA_RUN_HIDDEN_H

#include <stdbool.h>
#include <stddef.h>

struct omega_hidden {
	char **paths; /* canonical */
	size_t count;
};

/* 0 or -ENOMEM, and then it is as before. */
int omega_hidden_add(struct omega_hidden *hidden, const char *path);

/* Is path, which is canonical, at or below one of them? */
bool omega_hidden_has(const struct omega_hidden *hidden, const char *path);

/*
 * Is dir (NULL: the current directory) at or below one of them? Then where it
 * really is, to be freed; else NULL, also when that cannot be found out.
 */
char *omega_hidden_find(const struct omega_hidden *hidden, const char *dir);

void omega_hidden_drop(struct omega_hidden *hidden);

#endif
