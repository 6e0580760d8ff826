/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bpf.h - run a system call filter without a kernel: as many instructions as
 * libseccomp and our own code use.
 */

#ifndef OMEGA_TEST_BPF_H
#define OMEGA_TEST_BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* What the program answers about this call. Fails the test when it is no
 * program. */
uint32_t bpf_run(const struct sock_filter *code, size_t count,
    const struct seccomp_data *data);

#endif
