/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * buffer.c - see buffer.h.
 */

#include "config.h"

#include "buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static bool
is_tail(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* How many bytes of valid UTF-8 begin here; 0: none do. */
static size_t
utf8_length(const unsigned char *s)
{
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		return is_tail(s[1]) ? 2 : 0;
	if (s[0] >= 0xe0 && s[0] <= 0xef) {
		if (!is_tail(s[1]) || !is_tail(s[2]))
			return 0;
		if (s[0] == 0xe0 && s[1] < 0xa0)
			return 0; /* longer than needed */
		if (s[0] == 0xed && s[1] > 0x9f)
			return 0; /* a surrogate */
		return 3;
	}
	if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		if (!is_tail(s[1]) || !is_tail(s[2]) || !is_tail(s[3]))
			return 0;
		if (s[0] == 0xf0 && s[1] < 0x90)
			return 0;
		if (s[0] == 0xf4 && s[1] > 0x8f)
			return 0; /* beyond Unicode */
		return 4;
	}
	return 0;
}

void
omega_buffer_json(struct omega_buffer *buffer, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	if (text == NULL) {
		omega_buffer_add(buffer, "null");
		return;
	}
	omega_buffer_add(buffer, "\"");
	while (*s != '\0') {
		size_t len = utf8_length(s);

		if (*s == '"' || *s == '\\')
			omega_buffer_print(buffer, "\\%c", *s);
		else if (*s < ' ' || *s == 0x7f)
			omega_buffer_print(buffer, "\\u%04x", *s);
		else if (len == 0)
			omega_buffer_add(buffer, "\xef\xbf\xbd");
		else
			add_bytes(buffer, (const char *)s, len);
		s += len == 0 ? 1 : len;
	}
	omega_buffer_add(buffer, "\"");
}

void
omega_buffer_visible(struct omega_buffer *buffer, const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			omega_buffer_print(
			    buffer, "\\x%02x", (unsigned char)*text);
		else
			add_bytes(buffer, text, 1);
}

char *
omega_buffer_take(struct omega_buffer *buffer)
{
	char *text = NULL;

	omega_buffer_add(buffer, "");
	if (!buffer->has_failed) {
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
