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

/* What format makes, or NULL. */
__attribute__((format(printf, 1, 0))) static char *
make(const char *format, va_list args)
{
	char *text = NULL;

	return vasprintf(&text, format, args) < 0 ? NULL : text;
}

void
texts_add(struct texts *texts, const char *format, ...)
{
	va_list args;

	if (texts->error != 0)
		return;
	va_start(args, format);
	take(texts, make(format, args));
	va_end(args);
}

void
texts_add_once(struct texts *texts, const char *format, ...)
{
	char *text;
	va_list args;

	if (texts->error != 0)
		return;
	va_start(args, format);
	text = make(format, args);
	va_end(args);
	if (text != NULL && texts_has(texts, text))
		free(text);
	else
		take(texts, text);
}

static size_t
place_of(const struct texts *texts, const char *text)
{
	size_t i = 0;

	while (i < texts->count && strcmp(texts->list[i], text) != 0)
		i++;
	return i;
}

int
texts_has(const struct texts *texts, const char *text)
{
	return place_of(texts, text) < texts->count;
}

size_t
texts_find(struct texts *texts, const char *text)
{
	size_t place = place_of(texts, text);

	if (place == texts->count && texts->error == 0)
		take(texts, strdup(text));
	return place;
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
texts_add_buffer(struct texts *texts, struct texts_buffer *buffer)
{
	if (buffer->error != 0)
		texts->error = buffer->error;
	if (texts->error != 0)
		free(buffer->text);
	else
		take(texts, buffer->text);
	*buffer = (struct texts_buffer){.text = NULL};
}

void *
texts_pack(struct texts *texts, size_t *size)
{
	char *packed = NULL;
	char *to;
	size_t i;

	*size = 1;
	for (i = 0; i < texts->count; i++)
		*size += strlen(texts->list[i]) + 1;
	if (texts->error == 0)
		packed = calloc(1, *size);
	for (i = 0, to = packed; packed != NULL && i < texts->count; i++)
		to = stpcpy(to, texts->list[i]) + 1;
	texts_drop(texts);
	return packed;
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
texts_drop_to(struct texts *texts, struct texts *other)
{
	if (texts->error != 0)
		other->error = texts->error;
	texts_drop(texts);
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
