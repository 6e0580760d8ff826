/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bytes.h - bytes in JSON, which knows only UTF-8 text: as they are where they
 * are that, without NUL, else in base64 under another name.
 */

#ifndef OMEGA_TOOL_BYTES_H
#define OMEGA_TOOL_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* Set NAME, or NAME_base64, of the object. 0, or -1 when out of memory. */
int bytes_set(
    json_t *object, const char *name, const uint8_t *bytes, size_t len);

/* What base64 stands for, to be freed. 0, -EINVAL or -ENOMEM. */
int bytes_decode(const char *text, size_t size, uint8_t **bytes, size_t *len);

#endif
