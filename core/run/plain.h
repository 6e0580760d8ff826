/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * plain.h - functions that run in a child which shares the host's memory.
 *
 * Such a child never returns from its first function, so a sanitizer that
 * notes entries and exits would be left with a false idea of the thread whose
 * memory it shares.
 */

#ifndef OMEGA_RUN_PLAIN_H
#define OMEGA_RUN_PLAIN_H

#if defined(__clang__)
#define OMEGA_PLAIN __attribute__((no_sanitize("address", "thread")))
#elif defined(__GNUC__)
#define OMEGA_PLAIN __attribute__((no_sanitize_address, no_sanitize_thread))
#else
#define OMEGA_PLAIN
#endif

#endif
