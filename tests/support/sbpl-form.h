/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sbpl-form.h - the text of a profile as nested forms: lists, words, strings,
 * regular expressions.
 */

#ifndef OMEGA_TEST_SBPL_FORM_H
#define OMEGA_TEST_SBPL_FORM_H

#include <stddef.h>

enum sbpl_form_kind {
	SBPL_LIST,
	SBPL_WORD,
	SBPL_STRING, /* "..." with its escapes resolved */
	SBPL_REGEX /* #"..." as it stands */
};

struct sbpl_form {
	enum sbpl_form_kind kind;
	char *text; /* of all but lists */
	struct sbpl_form **items; /* of lists */
	size_t count;
	size_t start; /* where in the text it is */
	size_t end;
};

/* All forms of the text as one list. NULL: error says why not. */
struct sbpl_form *sbpl_form_read(
    const char *text, char *error, size_t error_size);
void sbpl_form_free(struct sbpl_form *form);

/* Is it a list that begins with this word? */
int sbpl_form_is(const struct sbpl_form *form, const char *word);

#endif
