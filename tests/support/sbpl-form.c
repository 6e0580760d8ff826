/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sbpl-form.c - see sbpl-form.h.
 */

#include "sbpl-form.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 12

struct reader {
	const char *text;
	size_t at;
	char *error;
	size_t error_size;
};

static struct sbpl_form *
fail(const struct reader *reader, const char *what)
{
	snprintf(reader->error, reader->error_size, "at byte %zu: %s",
	    reader->at, what);
	return NULL;
}

static struct sbpl_form *
new_form(const struct reader *reader, enum sbpl_form_kind kind)
{
	struct sbpl_form *form = calloc(1, sizeof(*form));

	if (form == NULL)
		abort();
	form->kind = kind;
	form->start = reader->at;
	return form;
}

void
sbpl_form_free(struct sbpl_form *form)
{
	if (form == NULL)
		return;
	while (form->count > 0)
		sbpl_form_free(form->items[--form->count]);
	free(form->items);
	free(form->text);
	free(form);
}

int
sbpl_form_is(const struct sbpl_form *form, const char *word)
{
	return form->kind == SBPL_LIST && form->count > 0 &&
	       form->items[0]->kind == SBPL_WORD &&
	       strcmp(form->items[0]->text, word) == 0;
}

static void
skip(struct reader *reader)
{
	for (;;) {
		char c = reader->text[reader->at];

		if (c == ';')
			while (reader->text[reader->at] != '\0' &&
			       reader->text[reader->at] != '\n')
				reader->at++;
		else if (c == ' ' || c == '\n' || c == '\t')
			reader->at++;
		else
			return;
	}
}

/* Behind the opening quote. In a regular expression only \" is an escape of
 * ours, and it stays. */
static struct sbpl_form *
read_quoted(struct reader *reader, enum sbpl_form_kind kind)
{
	struct sbpl_form *form = new_form(reader, kind);
	size_t used = 0;

	form->text = malloc(strlen(reader->text + reader->at) + 1);
	if (form->text == NULL)
		abort();
	for (;; reader->at++) {
		char c = reader->text[reader->at];

		if (c == '\0') {
			sbpl_form_free(form);
			return fail(reader, "a string without an end");
		}
		if (c == '"')
			break;
		if (c == '\\') {
			char next = reader->text[reader->at + 1];

			if (kind == SBPL_REGEX && next != '\0') {
				form->text[used++] = c;
			} else if (next != '"' && next != '\\') {
				sbpl_form_free(form);
				return fail(reader, "an unknown escape");
			}
			c = next;
			reader->at++;
		}
		form->text[used++] = c;
	}
	reader->at++;
	form->text[used] = '\0';
	form->end = reader->at;
	return form;
}

static int
is_word_character(char c)
{
	return isalnum((unsigned char)c) || (c != '\0' && strchr("-*_.", c));
}

static struct sbpl_form *
read_word(struct reader *reader)
{
	struct sbpl_form *form;
	size_t start = reader->at;

	while (is_word_character(reader->text[reader->at]))
		reader->at++;
	if (reader->at == start)
		return fail(reader, "a character that begins nothing");
	form = new_form(reader, SBPL_WORD);
	form->start = start;
	form->end = reader->at;
	form->text = strndup(reader->text + start, reader->at - start);
	if (form->text == NULL)
		abort();
	return form;
}

static struct sbpl_form *read_form(struct reader *reader, unsigned depth);

/* Behind the parenthesis, up to the closing one or the end of all. */
static struct sbpl_form *
read_list(struct reader *reader, char end, unsigned depth)
{
	struct sbpl_form *list = new_form(reader, SBPL_LIST);

	if (depth > 0)
		list->start--;
	for (skip(reader); reader->text[reader->at] != end; skip(reader)) {
		struct sbpl_form *item = NULL;

		if (reader->text[reader->at] == '\0')
			fail(reader, "a list without an end");
		else if (depth == MAX_DEPTH)
			fail(reader, "nested too deep");
		else
			item = read_form(reader, depth);
		if (item == NULL) {
			sbpl_form_free(list);
			return NULL;
		}
		list->items = reallocarray(
		    list->items, list->count + 1, sizeof(struct sbpl_form *));
		if (list->items == NULL)
			abort();
		list->items[list->count++] = item;
	}
	if (end != '\0')
		reader->at++;
	list->end = reader->at;
	return list;
}

static struct sbpl_form *
read_form(struct reader *reader, unsigned depth)
{
	char c = reader->text[reader->at];

	if (c == '(') {
		reader->at++;
		return read_list(reader, ')', depth + 1);
	}
	if (c == '"') {
		reader->at++;
		return read_quoted(reader, SBPL_STRING);
	}
	if (c == '#' && reader->text[reader->at + 1] == '"') {
		reader->at += 2;
		return read_quoted(reader, SBPL_REGEX);
	}
	return read_word(reader);
}

struct sbpl_form *
sbpl_form_read(const char *text, char *error, size_t error_size)
{
	struct reader reader = {text, 0, error, error_size};

	return read_list(&reader, '\0', 0);
}
