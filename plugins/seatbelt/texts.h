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

/* Add a string made by format; or only if it is not there yet. */
__attribute__((format(printf, 2, 3))) void texts_add(
    struct texts *texts, const char *format, ...);
__attribute__((format(printf, 2, 3))) void texts_add_once(
    struct texts *texts, const char *format, ...);

/* The place of a string in the list, where it is added if it is new. */
size_t texts_find(struct texts *texts, const char *text);

int texts_has(const struct texts *texts, const char *text);

/* Add those that are not there yet. */
void texts_add_all(struct texts *texts, const struct texts *more);

/* Add what is in the buffer, which is empty then. */
void texts_add_buffer(struct texts *texts, struct texts_buffer *buffer);

/* All of them in one piece of memory, each ended by a zero, and one more. To
 * be freed; NULL when out of memory. Drops the list. */
void *texts_pack(struct texts *texts, size_t *size);

void texts_drop(struct texts *texts);

/* The same; a failure is that of another list then. */
void texts_drop_to(struct texts *texts, struct texts *other);

__attribute__((format(printf, 2, 3))) void texts_print(
    struct texts_buffer *buffer, const char *format, ...);

#endif
