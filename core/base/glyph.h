/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * glyph.h - single characters of texts that others have chosen, before they
 * are shown to anybody: is this UTF-8, and does it do nothing but appear?
 */

#ifndef OMEGA_BASE_GLYPH_H
#define OMEGA_BASE_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many bytes of valid UTF-8 begin at s, whose end is a 0; 0: none do. */
size_t omega_glyph_length(const char *s);

/* The number of that character. */
uint32_t omega_glyph_point(const char *s, size_t len);

/*
 * Not so: control characters, those above 0x7f included; whatever turns the
 * direction of writing; what ends a line; what takes no room.
 */
bool omega_glyph_is_plain(uint32_t point);

#endif
