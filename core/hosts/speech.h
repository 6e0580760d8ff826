/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * speech.h - does what a program says to a server name the host it has asked
 * for? The first bytes of TLS, and every request of plain HTTP. Pure.
 */

#ifndef OMEGA_HOSTS_SPEECH_H
#define OMEGA_HOSTS_SPEECH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OMEGA_SPEECH_MOST 16384 /* bytes until it must be clear */

enum omega_speech_kind {
	OMEGA_SPEECH_OPEN, /* the first bytes decide; others pass */
	OMEGA_SPEECH_TLS, /* it must be that */
	OMEGA_SPEECH_HTTP,
	OMEGA_SPEECH_FREE /* nothing is looked at any more */
};

struct omega_speech {
	enum omega_speech_kind kind;
	const char *name; /* small letters */
	uint16_t port;
	int where; /* HTTP: what comes next */
	uint64_t body; /* and how long that is */
	uint64_t pass; /* bytes that may go on now */
};

/*
 * Look at all that has come and not gone on yet, after pass became 0. 1: there
 * is a pass, or it is free; 0: more must come; -1: not this host.
 */
int omega_speech_look(
    struct omega_speech *speech, const uint8_t *bytes, size_t len);

#endif
