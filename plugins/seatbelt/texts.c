/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * texts.c - see texts.h.
 */

#include "texts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes text over, also when it fails. */
static void
take(struct texts *texts, char *text)
{
	size_t count = texts->count;
	char **list = texts->list;

	if (text == NULL)
		texts->error = -ENOMEM;
	/* Room is doubled, so a power of two is the moment to do it. */
	if (texts->error == 0 && (count & (count - 1)) == 0) {
		list =
		    realloc(list, (count == 0 ? 1 : count * 2) * sizeof(*list));
		if (list == NULL)
			texts->error = -ENOMEM;
		else
			texts->list = list;
	}
	if (texts->error != 0)
		free(text);
	else
		list[texts->count++] = text;
}

void
texts_add(struct texts *texts, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	if (texts->error != 0)
		return;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	take(texts, text);
}

int
texts_has(const struct texts *texts, const char *text)
{
	size_t i;

	for (i = 0; i < texts->count; i++)
		if (strcmp(texts->list[i], text) == 0)
			return 1;
	return 0;
}

size_t
texts_find(struct texts *texts, const char *text)
{
	size_t i;

	for (i = 0; i < texts->count; i++)
		if (strcmp(texts->list[i], text) == 0)
			return i;
	if (texts->error == 0)
		take(texts, strdup(text));
	return i;
}

void
texts_add_all(struct texts *texts, const struct texts *more)
{
	size_t i;

	if (more->error != 0 && texts->error == 0)
		texts->error = more->error;
	for (i = 0; i < more->count; i++)
		texts_find(texts, more->list[i]);
}

void
texts_drop(struct texts *texts)
{
	while (texts->count > 0)
		free(texts->list[--texts->count]);
	free(texts->list);
	texts->list = NULL;
	texts->error = 0;
}

void
texts_print(struct texts_buffer *buffer, const char *format, ...)
{
	char *more = NULL;
	char *text;
	va_list args;
	int len;

	if (buffer->error != 0)
		return;
	va_start(args, format);
	len = vasprintf(&more, format, args);
	va_end(args);
	text = len < 0 ? NULL
		       : realloc(buffer->text, buffer->len + (size_t)len + 1);
	if (text == NULL) {
		buffer->error = -ENOMEM;
	} else {
		memcpy(text + buffer->len, more, (size_t)len + 1);
		buffer->text = text;
		buffer->len += (size_t)len;
	}
	if (len >= 0)
		free(more);
}
