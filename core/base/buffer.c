/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * buffer.c - see buffer.h.
 */

#include "config.h"

#include "base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glyph.h"

/* Room for more bytes and the end of the text. */
static bool
reserve(struct omega_buffer *buffer, size_t more)
{
	size_t size = buffer->size == 0 ? 256 : buffer->size;
	char *text;

	if (buffer->has_failed)
		return false;
	while (size - buffer->len <= more) {
		if (size > SIZE_MAX / 2) {
			buffer->has_failed = true;
			return false;
		}
		size *= 2;
	}
	if (size == buffer->size)
		return true;
	text = realloc(buffer->text, size);
	if (text == NULL) {
		buffer->has_failed = true;
		return false;
	}
	buffer->text = text;
	buffer->size = size;
	return true;
}

static void
add_bytes(struct omega_buffer *buffer, const char *bytes, size_t len)
{
	if (!reserve(buffer, len))
		return;
	memcpy(buffer->text + buffer->len, bytes, len);
	buffer->len += len;
	buffer->text[buffer->len] = '\0';
}

void
omega_buffer_add(struct omega_buffer *buffer, const char *text)
{
	add_bytes(buffer, text, strlen(text));
}

void
omega_buffer_print(struct omega_buffer *buffer, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0) {
		buffer->has_failed = true;
		return;
	}
	if (!reserve(buffer, (size_t)len))
		return;
	va_start(args, format);
	vsnprintf(buffer->text + buffer->len, (size_t)len + 1, format, args);
	va_end(args);
	buffer->len += (size_t)len;
}

/* As JSON writes it; two halves for what does not fit into one. */
static void
add_escaped(struct omega_buffer *buffer, uint32_t point)
{
	if (point > 0xffff) {
		point -= 0x10000;
		omega_buffer_print(buffer, "\\u%04x", 0xd800 | point >> 10);
		point = 0xdc00 | (point & 0x3ff);
	}
	omega_buffer_print(buffer, "\\u%04x", point);
}

void
omega_buffer_json(struct omega_buffer *buffer, const char *text)
{
	if (text == NULL) {
		omega_buffer_add(buffer, "null");
		return;
	}
	omega_buffer_add(buffer, "\"");
	while (*text != '\0') {
		size_t len = omega_glyph_length(text);
		uint32_t point = omega_glyph_point(text, len);

		if (*text == '"' || *text == '\\')
			omega_buffer_print(buffer, "\\%c", *text);
		else if (len == 0)
			omega_buffer_add(buffer, "\xef\xbf\xbd");
		else if (!omega_glyph_is_plain(point))
			add_escaped(buffer, point);
		else
			add_bytes(buffer, text, len);
		text += len == 0 ? 1 : len;
	}
	omega_buffer_add(buffer, "\"");
}

void
omega_buffer_visible(struct omega_buffer *buffer, const char *text)
{
	while (*text != '\0') {
		size_t len = omega_glyph_length(text);
		uint32_t point = omega_glyph_point(text, len);

		if (len <= 1 && (len == 0 || !omega_glyph_is_plain(point)))
			omega_buffer_print(
			    buffer, "\\x%02x", (unsigned char)*text);
		else if (!omega_glyph_is_plain(point))
			omega_buffer_print(buffer, "\\u%04x", point);
		else
			add_bytes(buffer, text, len);
		text += len == 0 ? 1 : len;
	}
}

static void
add_name(struct omega_buffer *buffer, const char *name)
{
	bool is_first = buffer->len > 0 && buffer->text[buffer->len - 1] == '{';

	omega_buffer_print(buffer, "%s\"%s\":", is_first ? "" : ",", name);
}

void
omega_buffer_member(
    struct omega_buffer *buffer, const char *name, const char *text)
{
	add_name(buffer, name);
	omega_buffer_json(buffer, text);
}

void
omega_buffer_flag(struct omega_buffer *buffer, const char *name, bool is_true)
{
	add_name(buffer, name);
	omega_buffer_add(buffer, is_true ? "true" : "false");
}

char *
omega_buffer_take(struct omega_buffer *buffer)
{
	char *text = NULL;

	omega_buffer_add(buffer, "");
	if (!buffer->has_failed) {
		/* Reports have many, and keep them. */
		text = realloc(buffer->text, buffer->len + 1);
		if (text == NULL)
			text = buffer->text;
		buffer->text = NULL;
	}
	omega_buffer_drop(buffer);
	return text;
}

void
omega_buffer_drop(struct omega_buffer *buffer)
{
	free(buffer->text);
	memset(buffer, 0, sizeof(*buffer));
}
