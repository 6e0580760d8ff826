/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * dns.h - answers to questions about names. Pure: bytes to bytes.
 */

#ifndef OMEGA_HOSTS_DNS_H
#define OMEGA_HOSTS_DNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OMEGA_DNS_MOST 600 /* bytes of an answer */

/* What there is to answer. */
struct omega_dns_names {
	/* Is the name, in small letters, one that has an address? is_again:
	 * programs ask this besides. */
	bool (*find)(
	    void *arg, const char *name, bool is_again, uint8_t *address);
	/* Whose address is it? NULL: nobody's. */
	const char *(*name_of)(void *arg, const uint8_t *address);
	void *arg;
};

/* The answer to a question, into answer[OMEGA_DNS_MOST]; its length, or 0:
 * there is none to be given. */
size_t omega_dns_answer(const uint8_t *question, size_t len, uint8_t *answer,
    const struct omega_dns_names *names);

#endif
