/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * terminal.c - texts on a terminal: see tool.h. What of others may be shown as
 * it is, is decided in one place for library and tool.
 */

#include "config.h"

#include "tool.h"

#include "../core/base/glyph.h"

void
tool_put_visible(FILE *out, const char *text)
{
	while (*text != '\0') {
		size_t len = omega_glyph_length(text);
		uint32_t point = omega_glyph_point(text, len);

		if (len <= 1 && (len == 0 || !omega_glyph_is_plain(point)))
			fprintf(out, "\\x%02x", (unsigned char)*text);
		else if (!omega_glyph_is_plain(point))
			fprintf(out, "\\u%04x", point);
		else
			fwrite(text, 1, len, out);
		text += len == 0 ? 1 : len;
	}
}

void
tool_print_visible(const char *text)
{
	tool_put_visible(stdout, text);
}

/* https://no-color.org: set and not empty. */
static bool
is_coloured(void)
{
	const char *no = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(1) && (no == NULL || no[0] == '\0') && term != NULL &&
	       term[0] != '\0' && strcmp(term, "dumb") != 0;
}

const char *
tool_colour(enum tool_colour colour)
{
	static const char *const codes[] = {
	    "\033[0m", "\033[32m", "\033[33m", "\033[31m"};

	return is_coloured() ? codes[colour] : "";
}

void
tool_print_word(enum tool_colour colour, const char *word, int width)
{
	int len = (int)strlen(word);

	printf("%s%s%s%*s", tool_colour(colour), word, tool_colour(TOOL_PLAIN),
	    len < width ? width - len : 0, "");
}

/* Where the first word of a line about a guarantee ends. */
static size_t
state_of(const char *line, enum tool_colour *colour)
{
	static const struct {
		const char *words;
		enum tool_colour colour;
	} states[] = {
	    {"  enforced ", TOOL_GREEN},
	    {"  partial ", TOOL_YELLOW},
	    {"  not enforced ", TOOL_RED},
	};
	size_t i;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		size_t len = strlen(states[i].words);

		if (strncmp(line, states[i].words, len) == 0) {
			*colour = states[i].colour;
			return len - 1;
		}
	}
	return 0;
}

void
tool_print_report(const char *text)
{
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");
		enum tool_colour colour = TOOL_PLAIN;
		size_t word = state_of(text, &colour);

		/* What may be missing is no alarm. */
		if (colour == TOOL_RED &&
		    memmem(text, len, ", accepted]", 11) != NULL)
			colour = TOOL_YELLOW;
		if (word > 0)
			printf("%s%.*s%s", tool_colour(colour), (int)word, text,
			    tool_colour(TOOL_PLAIN));
		printf("%.*s\n", (int)(len - word), text + word);
		text += len + (text[len] == '\n');
	}
}
