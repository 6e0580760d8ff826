/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * token.c - see token.h.
 *
 * What libconfuse 3.3 would do otherwise, each of it tried: a string or a
 * comment that is never closed swallows the settings behind it without an
 * error; ${NAME} is taken from the environment; a NUL cuts the value; unknown
 * escapes lose their backslash; stray signs are skipped; a comment counts as
 * three lines and is an error within a list.
 */

#include "config.h"

#include "conf/token.h"

#include <string.h>

#include "base/error.h"

static int
fault_at(const struct omega_tokens *tokens, uint32_t line, const char *what)
{
	return omega_error_conf(tokens->error, tokens->file, line, "%s", what);
}

int
omega_token_begin(struct omega_tokens *tokens)
{
	uint32_t line = 1;
	size_t i;

	tokens->pos = 0;
	tokens->line = 1;
	if (tokens->len >= 3 && memcmp(tokens->text, "\xef\xbb\xbf", 3) == 0)
		return fault_at(tokens, 1,
		    "the file begins with a byte order mark; save it as "
		    "plain UTF-8");
	for (i = 0; i < tokens->len; i++) {
		char c = tokens->text[i];

		if (c == '\0')
			return fault_at(
			    tokens, line, "there is a NUL byte in the text");
		if (c == '\n')
			line++;
		if (c != '\r')
			continue;
		if (i + 1 >= tokens->len || tokens->text[i + 1] != '\n')
			return fault_at(tokens, line,
			    "a carriage return without a line feed: lines "
			    "end with LF or CR LF");
		tokens->text[i] = ' ';
	}
	return 0;
}

bool
omega_token_is(const struct omega_token *token, const char *sign)
{
	return token->type == OMEGA_TOKEN_SIGN && token->len == strlen(sign) &&
	       memcmp(token->start, sign, token->len) == 0;
}

/* ASCII only, whatever the locale says. */
static bool
is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

static bool
begins(const struct omega_tokens *tokens, const char *what)
{
	size_t len = strlen(what);

	return tokens->len - tokens->pos >= len &&
	       memcmp(tokens->text + tokens->pos, what, len) == 0;
}

static void
blank_to_end_of_line(struct omega_tokens *tokens)
{
	while (tokens->pos < tokens->len && tokens->text[tokens->pos] != '\n')
		tokens->text[tokens->pos++] = ' ';
}

static int
blank_to_end_of_comment(struct omega_tokens *tokens)
{
	const char *text = tokens->text;
	size_t end = tokens->pos + 4;

	while (end <= tokens->len &&
	       (text[end - 2] != '*' || text[end - 1] != '/'))
		end++;
	if (end > tokens->len)
		return fault_at(tokens, tokens->line,
		    "the comment that begins here with /* is not closed");
	for (; tokens->pos < end; tokens->pos++) {
		if (tokens->text[tokens->pos] == '\n')
			tokens->line++;
		else
			tokens->text[tokens->pos] = ' ';
	}
	return 0;
}

/* White space and comments. */
static int
skip_blanks(struct omega_tokens *tokens)
{
	while (tokens->pos < tokens->len) {
		char c = tokens->text[tokens->pos];

		if (c == '\n') {
			tokens->line++;
			tokens->pos++;
		} else if (c == ' ' || c == '\t') {
			tokens->pos++;
		} else if (c == '#' || begins(tokens, "//")) {
			blank_to_end_of_line(tokens);
		} else if (begins(tokens, "/*")) {
			int ret = blank_to_end_of_comment(tokens);

			if (ret < 0)
				return ret;
		} else {
			break;
		}
	}
	return 0;
}

/* From a backslash in a string to behind the escape. */
static int
skip_escape(struct omega_tokens *tokens, char quote)
{
	const char *at = tokens->text + tokens->pos;
	size_t left = tokens->len - tokens->pos;
	char c = left < 2 ? '\0' : at[1];

	if (c == '\\' || c == quote ||
	    (quote == '"' && (c == 'n' || c == 't'))) {
		tokens->pos += 2;
		return 0;
	}
	if (quote == '\'')
		return fault_at(tokens, tokens->line,
		    "in single quotes a backslash is written \\\\ and a "
		    "quote \\'; nothing else follows a backslash");
	if (c != 'x')
		return fault_at(tokens, tokens->line,
		    "unknown escape: in double quotes there are \\\\ \\\" "
		    "\\n \\t and \\xHH");
	if (left < 4 || !is_hex(at[2]) || !is_hex(at[3]))
		return fault_at(
		    tokens, tokens->line, "\\x needs two hexadecimal digits");
	if (at[2] == '0' && at[3] == '0')
		return fault_at(
		    tokens, tokens->line, "\\x00 cannot be part of a text");
	tokens->pos += 4;
	return 0;
}

static int
environment_fault(const struct omega_tokens *tokens)
{
	return fault_at(tokens, tokens->line,
	    "${...} would be taken from the environment; write the value, and "
	    "~/ for the home directory");
}

static int
next_string(struct omega_tokens *tokens, struct omega_token *token)
{
	char quote = tokens->text[tokens->pos++];
	size_t start = tokens->pos;

	while (tokens->pos < tokens->len) {
		char c = tokens->text[tokens->pos];
		int ret;

		if (c == quote) {
			token->type = OMEGA_TOKEN_STRING;
			token->start = tokens->text + start;
			token->len = tokens->pos++ - start;
			return 0;
		}
		if (c == '\n')
			break;
		if (begins(tokens, "${"))
			return environment_fault(tokens);
		if (c == '\\') {
			ret = skip_escape(tokens, quote);
			if (ret < 0)
				return ret;
			continue;
		}
		if (((unsigned char)c < ' ' && c != '\t') || c == 0x7f)
			return omega_error_conf(tokens->error, tokens->file,
			    tokens->line,
			    "there is a control character in the string; "
			    "write it as \\x%02x in double quotes",
			    (unsigned)(unsigned char)c);
		tokens->pos++;
	}
	return fault_at(tokens, tokens->line,
	    "the string is not closed at the end of its line");
}

static int
unexpected_byte(const struct omega_tokens *tokens)
{
	unsigned char c = (unsigned char)tokens->text[tokens->pos];

	if (begins(tokens, "${"))
		return environment_fault(tokens);
	if (strchr("~/@", c) != NULL)
		return omega_error_conf(tokens->error, tokens->file,
		    tokens->line, "unexpected '%c'; quote it: \"%.*s\"", c,
		    (int)strcspn(tokens->text + tokens->pos, " \t\n,}"),
		    tokens->text + tokens->pos);
	if (c > ' ' && c < 0x7f)
		return omega_error_conf(tokens->error, tokens->file,
		    tokens->line,
		    "unexpected '%c'; write NAME = VALUE, where a value with "
		    "other bytes than letters, digits, '_', '-' and '.' needs "
		    "quotes",
		    c);
	return omega_error_conf(tokens->error, tokens->file, tokens->line,
	    "unexpected byte 0x%02x outside quotes", (unsigned)c);
}

int
omega_token_next(struct omega_tokens *tokens, struct omega_token *token)
{
	int ret;

	ret = skip_blanks(tokens);
	if (ret < 0)
		return ret;
	token->type = OMEGA_TOKEN_END;
	token->line = tokens->line;
	token->start = tokens->text + tokens->pos;
	token->len = 0;
	if (tokens->pos == tokens->len)
		return 0;
	if (*token->start == '"' || *token->start == '\'')
		return next_string(tokens, token);
	while (tokens->pos < tokens->len &&
	       is_word_byte(tokens->text[tokens->pos])) {
		tokens->pos++;
		token->len++;
	}
	token->type = OMEGA_TOKEN_WORD;
	if (token->len == 0) {
		token->type = OMEGA_TOKEN_SIGN;
		token->len = begins(tokens, "+=") ? 2 : 1;
		if (token->len == 1 && strchr("{}=,()", *token->start) == NULL)
			return unexpected_byte(tokens);
		tokens->pos += token->len;
	}
	return 0;
}

/* Behind the string, the comment or the byte at pos. */
static size_t
skip_one(const struct omega_tokens *tokens, size_t pos)
{
	const char *text = tokens->text;
	char c = text[pos];
	const char *end;

	if (c == '"' || c == '\'') {
		for (pos++; pos < tokens->len && text[pos] != '\n'; pos++) {
			if (text[pos] == c)
				return pos + 1;
			if (text[pos] == '\\' && text[pos + 1] != '\n')
				pos++;
		}
		return pos < tokens->len ? pos : tokens->len;
	}
	if (c == '#' || strncmp(text + pos, "//", 2) == 0)
		return pos + strcspn(text + pos, "\n");
	if (strncmp(text + pos, "/*", 2) == 0) {
		end = strstr(text + pos + 2, "*/");
		return end == NULL ? tokens->len : (size_t)(end - text) + 2;
	}
	return pos + 1;
}

void
omega_token_resync(struct omega_tokens *tokens, size_t start, uint32_t line,
    bool is_in_section)
{
	size_t fault = tokens->pos;
	size_t pos = start;
	size_t depth = 0;

	while (pos < tokens->len) {
		char c = tokens->text[pos];

		if (c == '\n' && depth == 0 && pos >= fault)
			break;
		if (c == '}' && depth == 0 && is_in_section && pos >= fault)
			break;
		if (c == '{')
			depth++;
		else if (c == '}' && depth > 0)
			depth--;
		pos = skip_one(tokens, pos);
	}
	for (; start < pos; start++) {
		if (tokens->text[start] == '\n')
			line++;
		else
			tokens->text[start] = ' ';
	}
	tokens->pos = pos;
	tokens->line = line;
}
