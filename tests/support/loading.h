/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * loading.h - plugins loaded as the library does it.
 */

#ifndef OMEGA_TEST_LOADING_H
#define OMEGA_TEST_LOADING_H

#include "harness.h"

#include "load/loader.h"

struct omega_backend *loading_load(const char *name,
    const struct omega_conf *conf, const struct omega_log *log);

/* FILE stands for the plugin's file in part. */
void loading_refused_in(
    const char *dir, const char *name, int code, int sys, const char *expected);

void loading_refused(const char *name, int code, const char *expected);

#endif
