/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * texts.h - configurations as text: read, and shown as text again.
 */

#ifndef OMEGA_TEST_TEXTS_H
#define OMEGA_TEST_TEXTS_H

#include "harness.h"

#include "conf/conf.h"

int texts_parse(struct omega_conf *conf, const char *content,
    struct omega_sandbox_error *error);

/* The content of a file below the source directory; NULL if there is none. */
char *texts_read(const char *name, size_t *len);

/* Everything a configuration says. */
char *texts_dump(const struct omega_conf *conf);

#endif
