/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * token.h - a configuration text cut into words, strings and signs.
 *
 * Stricter than libconfuse on purpose: what it would skip, expand or take for
 * something else is an error here, with the line it is on, so that it only
 * ever sees texts with one meaning.
 */

#ifndef OMEGA_CONF_TOKEN_H
#define OMEGA_CONF_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <omega/sandbox.h>

enum omega_token_type {
	OMEGA_TOKEN_END,
	OMEGA_TOKEN_WORD, /* letters, digits, "_", "-", "." */
	OMEGA_TOKEN_STRING, /* in quotes, which are not part of it */
	OMEGA_TOKEN_SIGN, /* one of { } = , ( ) or += */
};

/* A piece of the text; escapes in a string are still as written. */
struct omega_token {
	enum omega_token_type type;
	uint32_t line;
	const char *start;
	size_t len;
};

/* A text on the way through. Comments and carriage returns become blanks
 * when the end has been reached. */
struct omega_tokens {
	const char *file; /* for messages */
	char *text;
	size_t len;
	size_t pos;
	uint32_t line;
	struct omega_sandbox_error *error;
};

/*
 * Look at the text as a whole: bytes that no configuration has. 0 or
 * OMEGA_SANDBOX_E_CONFIG with the error filled.
 */
int omega_token_begin(struct omega_tokens *tokens);

/* The next token, END at the end and ever after. Returns like begin. */
int omega_token_next(struct omega_tokens *tokens, struct omega_token *token);

/*
 * After a fault in what begins at start, on line: go on where something else
 * can begin, which is at the end of a line outside of its braces, or, within
 * a section, at the brace that ends it. What is left out becomes blank.
 */
void omega_token_resync(struct omega_tokens *tokens, size_t start,
    uint32_t line, bool is_in_section);

/* Is it this sign? */
bool omega_token_is(const struct omega_token *token, const char *sign);

/* For messages: how the token looks, cut to a bearable length, as the two
 * arguments of "%.*s". */
#define OMEGA_TOKEN_SHOWN(token) \
	(int)((token)->len < 64 ? (token)->len : 64), (token)->start

#endif
