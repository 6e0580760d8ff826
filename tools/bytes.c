/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bytes.c - see bytes.h.
 */

#include "config.h"

#include "bytes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "abcdefghijklmnopqrstuvwxyz0123456789+/";

static char *
encode(const uint8_t *bytes, size_t len)
{
	char *text = malloc((len + 2) / 3 * 4 + 1);
	char *to = text;
	size_t i;

	if (text == NULL)
		return NULL;
	for (i = 0; i < len; i += 3) {
		uint32_t group = (uint32_t)bytes[i] << 16;

		if (i + 1 < len)
			group |= (uint32_t)bytes[i + 1] << 8;
		if (i + 2 < len)
			group |= bytes[i + 2];
		*to++ = letters[group >> 18];
		*to++ = letters[group >> 12 & 63];
		*to++ = i + 1 < len ? letters[group >> 6 & 63] : '=';
		*to++ = i + 2 < len ? letters[group & 63] : '=';
	}
	*to = '\0';
	return text;
}

int
bytes_set(json_t *object, const char *name, const uint8_t *bytes, size_t len)
{
	/* With NUL it is no text, and would be six times as long. */
	json_t *value = len > 0 && memchr(bytes, '\0', len) != NULL
			    ? NULL
			    : json_stringn((const char *)bytes, len);
	char longer[64];
	char *text;

	if (value != NULL)
		return json_object_set_new(object, name, value);
	text = encode(bytes, len);
	if (text == NULL)
		return -1;
	value = json_string(text);
	free(text);
	snprintf(longer, sizeof(longer), "%s_base64", name);
	return json_object_set_new(object, longer, value);
}

static int
value_of(char letter)
{
	const char *at = letter == '\0' ? NULL : strchr(letters, letter);

	return at == NULL ? -1 : (int)(at - letters);
}

int
bytes_decode(const char *text, size_t size, uint8_t **bytes, size_t *len)
{
	uint8_t *made;
	size_t used = 0;
	size_t i;
	size_t j;

	if (size % 4 != 0)
		return -EINVAL;
	made = malloc(size / 4 * 3 + 1);
	if (made == NULL)
		return -ENOMEM;
	for (i = 0; i < size; i += 4) {
		size_t pads = 0;
		uint32_t group = 0;

		for (j = 0; j < 4; j++) {
			int value = value_of(text[i + j]);

			/* Padding is at the very end, two signs at most. */
			if (value < 0 && text[i + j] == '=' && j >= 2 &&
			    i + 4 == size) {
				pads++;
				value = 0;
			} else if (value < 0 || pads > 0) {
				free(made);
				return -EINVAL;
			}
			group = group << 6 | (uint32_t)value;
		}
		made[used++] = (uint8_t)(group >> 16);
		if (pads < 2)
			made[used++] = (uint8_t)(group >> 8);
		if (pads < 1)
			made[used++] = (uint8_t)group;
	}
	*bytes = made;
	*len = used;
	return 0;
}
