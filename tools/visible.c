/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * visible.c - texts of others on a terminal: see tool.h. What may be shown as
 * it is, is decided in one place for library and tool.
 */

#include "config.h"

#include <stdio.h>

#include "../core/glyph.h"
#include "tool.h"

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
