/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * buffer.h - text that grows, with JSON among what can be appended.
 *
 * A failure to allocate is remembered, so that a caller appends in peace and
 * asks once at the end. The library writes its few JSON lines with this; it
 * never reads any.
 */

#ifndef OMEGA_BASE_BUFFER_H
#define OMEGA_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct omega_buffer {
	char *text; /* terminated, or NULL while empty */
	size_t len;
	size_t size;
	bool has_failed;
};

void omega_buffer_add(struct omega_buffer *buffer, const char *text);

__attribute__((format(printf, 2, 3))) void omega_buffer_print(
    struct omega_buffer *buffer, const char *format, ...);

/*
 * Append text as a JSON string with its quotes, or null for NULL. Bytes that
 * are not UTF-8 become U+FFFD.
 */
void omega_buffer_json(struct omega_buffer *buffer, const char *text);

/* Append a member of a JSON object, text or truth, with a comma before it
 * unless the object begins there. */
void omega_buffer_member(
    struct omega_buffer *buffer, const char *name, const char *text);
void omega_buffer_flag(
    struct omega_buffer *buffer, const char *name, bool is_true);

/* Append text for one line of output: what does not simply appear (glyph.h) is
 * shown as \uNNNN, control bytes and what is not UTF-8 as \xNN. */
void omega_buffer_visible(struct omega_buffer *buffer, const char *text);

/*
 * The text, on the heap and the caller's now ("" rather than NULL); NULL if
 * memory ran out. The buffer is empty afterwards.
 */
char *omega_buffer_take(struct omega_buffer *buffer);

void omega_buffer_drop(struct omega_buffer *buffer);

#endif
