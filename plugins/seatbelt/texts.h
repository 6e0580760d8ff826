/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * texts.h - lists of strings and one growing string. The first failure is kept
 * and everything after it does nothing, so that only the end need be looked
 * at.
 */

#ifndef OMEGA_SEATBELT_TEXTS_H
#define OMEGA_SEATBELT_TEXTS_H

#include <stddef.h>

struct texts {
	char **list;
	size_t count;
	int error; /* 0 or a negative errno */
};

struct texts_buffer {
	char *text; /* NULL until something was added */
	size_t len;
	int error;
};

/* Add a string made by format. */
__attribute__((format(printf, 2, 3))) void texts_add(
    struct texts *texts, const char *format, ...);

/* The place of a string in the list, where it is added if it is new. */
size_t texts_find(struct texts *texts, const char *text);

int texts_has(const struct texts *texts, const char *text);

/* Add those that are not there yet. */
void texts_add_all(struct texts *texts, const struct texts *more);

void texts_drop(struct texts *texts);

__attribute__((format(printf, 2, 3))) void texts_print(
    struct texts_buffer *buffer, const char *format, ...);

#endif
