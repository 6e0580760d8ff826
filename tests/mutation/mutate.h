/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mutate.h - backends that leave something out, to see whether it is noticed.
 *
 * The sources are those of the product; at link time some calls are led
 * through here (--wrap), and one of them is not made. Which one is said by
 * OMEGA_TEST_MUTATION in the environment of the tool. "list:FILE" leaves
 * nothing out and appends what could be to FILE.
 */

#ifndef OMEGA_TEST_MUTATE_H
#define OMEGA_TEST_MUTATE_H

#include <stdbool.h>

/* Is this to be left out? Plain memory: for child steps too. */
bool mutate_is(const char *what);

/* The same, told in the list. Not for child steps. */
bool mutate_this(const char *what);

/* A path with the part replaced that differs from run to run. */
void mutate_plain(const char *path, char *plain, unsigned long size);

#endif
