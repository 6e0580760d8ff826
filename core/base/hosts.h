/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * hosts.h - one entry of the rules hosts and deny_hosts: how it is written,
 * what two of them have in common, and whether a name or an address is meant.
 *
 *   api.example.com:443    a name, and the port that may be used
 *   api.example.com        ports 80 and 443, as web servers use them
 *   https://example.com    one of the two
 *   *.example.com          any depth below it, not itself
 *   10.0.0.5:5432          an address; 192.0.2.0/24, [2001:db8::/32]
 *   localhost:3002         the port of the host itself
 *
 * Pure: the helper that connects is made of the same file.
 */

#ifndef OMEGA_BASE_HOSTS_H
#define OMEGA_BASE_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OMEGA_HOSTS_NAME 254 /* the longest name, with its end */
#define OMEGA_HOSTS_TEXT 280 /* the longest entry, written out */
#define OMEGA_HOSTS_V4 96 /* bits before an IPv4 address: ::ffff:0:0 */

enum omega_hosts_kind {
	OMEGA_HOSTS_IS_NAME,
	OMEGA_HOSTS_BELOW,
	OMEGA_HOSTS_ADDRESS,
	OMEGA_HOSTS_LOCAL
};

struct omega_hosts_entry {
	enum omega_hosts_kind kind;
	char name[OMEGA_HOSTS_NAME]; /* small letters, no dot at the end */
	uint8_t address[16]; /* IPv4 as ::ffff:a.b.c.d */
	unsigned prefix; /* of these 128 bits */
	uint16_t port; /* 0: 80 and 443; of a deny every port */
	bool is_web; /* the port was not written: TLS or HTTP only */
};

/* ---- What was refused ----------------------------------------------------
 * A file without a name that the helper writes, and the core reads with pread.
 * An entry is there once count is not 0, and stays; names are in order then.
 */

#define OMEGA_HOSTS_MOST_REFUSED 64

struct omega_hosts_refused {
	uint32_t count;
	uint16_t port; /* 0: it was looked up */
	uint16_t reason; /* enum omega_sandbox_host_reason */
	char name[OMEGA_HOSTS_NAME + 2]; /* or an address */
};

struct omega_hosts_table {
	struct omega_hosts_refused list[OMEGA_HOSTS_MOST_REFUSED];
};

/*
 * Read one. 0, or -EINVAL: *why says what is wrong at the *at-th byte of text,
 * counted from 0.
 */
int omega_hosts_read(const char *text, struct omega_hosts_entry *entry,
    size_t *at, const char **why);

/* As it is to be written, into text[OMEGA_HOSTS_TEXT]. */
void omega_hosts_print(const struct omega_hosts_entry *entry, char *text);

/* What both let pass, which is one entry or none. */
bool omega_hosts_common(const struct omega_hosts_entry *a,
    const struct omega_hosts_entry *b, struct omega_hosts_entry *both);

/* What is left of it on this port, if anything. */
bool omega_hosts_on_port(const struct omega_hosts_entry *entry, uint16_t port,
    struct omega_hosts_entry *left);

/* Does the deny take all of the other away? */
bool omega_hosts_takes(const struct omega_hosts_entry *deny,
    const struct omega_hosts_entry *other);

/* Is this name meant, by itself or below? It is written as entries are. */
bool omega_hosts_is_named(
    const struct omega_hosts_entry *entry, const char *name);

/* Is this address meant, 16 bytes as above? */
bool omega_hosts_has_address(
    const struct omega_hosts_entry *entry, const uint8_t *address);

/* Does an entry that lets pass have the port? */
bool omega_hosts_has_port(const struct omega_hosts_entry *entry, uint16_t port);

/* Networks without IPv4 have names in it at 64:ff9b::a.b.c.d: the IPv4 address
 * that is meant, or the same. 16 bytes each. */
void omega_hosts_plain(const uint8_t *address, uint8_t *plain);

/*
 * Is this an address that a name must not stand for: of the machine itself, of
 * networks that are nobody's or private, of many? Then the bits that make it
 * one, else 0. An entry with as many bits that has it says otherwise.
 */
unsigned omega_hosts_is_inner(const uint8_t *address);

#endif
