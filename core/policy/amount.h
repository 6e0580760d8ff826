/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * amount.h - numbers with units: "512M", "30s".
 */

#ifndef OMEGA_POLICY_AMOUNT_H
#define OMEGA_POLICY_AMOUNT_H

#include <stdint.h>

/* All return 0, -EINVAL (no number, nothing, a sign, an unknown unit) or
 * -ERANGE (zero, or more than 2^63 - 1). */

/* Bytes: K, M, G, T are powers of 1024; without a unit, bytes. */
int omega_amount_bytes(const char *text, uint64_t *bytes);

/* Seconds: s, m, h, d; without a unit, seconds. */
int omega_amount_seconds(const char *text, uint64_t *seconds);

/* A plain number. */
int omega_amount_count(const char *text, uint64_t *count);

#endif
