/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * glyph.c - see glyph.h.
 */

#include "config.h"

#include "glyph.h"

static bool
is_tail(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

size_t
omega_glyph_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

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

uint32_t
omega_glyph_point(const char *s, size_t len)
{
	uint32_t point = (unsigned char)s[0];
	size_t i;

	if (len > 1)
		point &= 0x7fU >> len;
	for (i = 1; i < len; i++)
		point = point << 6 | ((unsigned char)s[i] & 0x3f);
	return point;
}

bool
omega_glyph_is_plain(uint32_t point)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} others[] = {
	    {0x00, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, /* soft hyphen */
	    {0x061c, 0x061c}, /* Arabic letter mark */
	    {0x180e, 0x180e}, /* Mongolian vowel separator */
	    {0x200b, 0x200f}, /* no width, and marks of direction */
	    {0x2028, 0x202e}, /* line ends, embeddings, overrides */
	    {0x2060, 0x206f}, /* isolates and other invisible ones */
	    {0xfeff, 0xfeff}, /* no-break space without width */
	    {0xfff9, 0xfffb}, /* annotations */
	    {0xe0000, 0xe007f}, /* tags */
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (point >= others[i].first && point <= others[i].last)
			return false;
	return true;
}
