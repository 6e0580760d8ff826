/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * macho.h - the load commands of a Mach-O file. Any file may be given: nothing
 * in it is believed. With numbers of our own, so that it can be tested
 * everywhere.
 */

#ifndef OMEGA_BASE_MACHO_H
#define OMEGA_BASE_MACHO_H

#include <stddef.h>
#include <stdint.h>

/* Kinds of files and of load commands. */
#define OMEGA_MACHO_EXECUTE 2u
#define OMEGA_MACHO_DYLIB 6u
#define OMEGA_MACHO_BUNDLE 8u
#define OMEGA_MACHO_LOAD_DYLINKER 0xeu

struct omega_macho {
	int fd;
	uint64_t base; /* where our machine's part of the file begins */
	uint32_t type;
	uint32_t left; /* load commands */
	uint64_t at; /* where the next is, from base */
	uint64_t end; /* of all load commands */
};

struct omega_macho_command {
	uint32_t kind;
	uint32_t size;
	uint64_t at; /* from base */
};

/* 0: macho is filled. -ENOEXEC: no Mach-O file, or a broken one. -EBADMSG: one
 * for another machine. Another negative errno: it cannot be read. */
int omega_macho_open(struct omega_macho *macho, int fd);

/* The next load command. 1, 0 after the last, or as above. */
int omega_macho_next(
    struct omega_macho *macho, struct omega_macho_command *command);

/* Exactly size bytes of our part. -ENOEXEC when there are not so many. */
int omega_macho_read(const struct omega_macho *macho, uint64_t at,
    void *buffer, size_t size);

#endif
