/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rules.h - writing a profile rule by rule, in one of two forms.
 *
 * A profile that allows by default has denies only, one that denies by default
 * has allows only. So no two rules ever contradict each other, and it does
 * not matter which of several that match would win: there are reports of
 * more than one answer to that.
 */

#ifndef OMEGA_SEATBELT_RULES_H
#define OMEGA_SEATBELT_RULES_H

#include "texts.h"

struct rules {
	struct texts_buffer text;
	struct texts values; /* of the parameters P0, P1, ... */
	int is_deny_default;
};

void rules_begin(struct rules *rules, int is_deny_default);
void rules_drop(struct rules *rules);

/* 0, or the first failure of all. */
int rules_error(const struct rules *rules);

/* The number of the parameter whose value this is. */
size_t rules_param(struct rules *rules, const char *value);

/*
 * The operations are possible where one of the filters "only" matches (NULL:
 * everywhere), but not where one of "but" does.
 */
void rules_limit(struct rules *rules, const char *operations,
    const struct texts *only, const struct texts *but);

/* They are not possible at all, or without any limit. */
void rules_refuse(struct rules *rules, const char *operations);
void rules_permit(struct rules *rules, const char *operations);

/* All of these filters as one, which matches where one of them does. */
void rules_any(struct texts_buffer *buffer, const struct texts *filters);

/* " (require-not F)" for each of them. */
void rules_but(struct texts_buffer *buffer, const struct texts *filters);

#endif
