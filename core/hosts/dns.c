/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * dns.c - see dns.h.
 *
 * A name that is not listed does not exist: other refusals make programs wait
 * and ask again. What exists has an IPv4 address and nothing else.
 */

#include "config.h"

#include "hosts/dns.h"

#include <stdio.h>
#include <string.h>

#define HEAD 12
#define TTL 5 /* seconds; an address stays, so this is for the curious */

enum { TYPE_A = 1, TYPE_PTR = 12, TYPE_SRV = 33, TYPE_OPT = 41, ANY = 255 };
enum { GOOD = 0, FORM = 1, ABSENT = 3, NOT_DONE = 4 };

struct question {
	const uint8_t *bytes;
	size_t len;
	size_t end; /* of the question itself */
	char name[256];
	bool is_odd; /* it has signs that no host's name has */
	unsigned type;
	unsigned class;
	bool has_opt;
};

static unsigned
number(const uint8_t *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

static bool
is_sign(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
	       c == '_';
}

/* The name at HEAD, without compression, which no question has. */
static bool
read_name(struct question *q)
{
	size_t at = HEAD;
	size_t used = 0;

	while (at < q->len && q->bytes[at] != 0) {
		size_t part = q->bytes[at++];

		if (part > 63 || at + part >= q->len || used + part > 253)
			return false;
		if (used > 0)
			q->name[used++] = '.';
		for (; part > 0; part--, at++) {
			uint8_t c = q->bytes[at];

			if (c >= 'A' && c <= 'Z')
				c |= 0x20;
			if (!is_sign(c))
				q->is_odd = true;
			q->name[used++] = (char)c;
		}
	}
	if (at + 5 > q->len)
		return false;
	q->type = number(q->bytes + at + 1);
	q->class = number(q->bytes + at + 3);
	q->end = at + 5;
	/* Who can take more than 512 bytes says so behind it. */
	q->has_opt = number(q->bytes + 6) == 0 && number(q->bytes + 8) == 0 &&
		     number(q->bytes + 10) > 0 && q->end + 11 <= q->len &&
		     q->bytes[q->end] == 0 &&
		     number(q->bytes + q->end + 1) == TYPE_OPT;
	return true;
}

/* A record about the name of the question; the data is put behind it. */
static size_t
put_record(uint8_t *out, size_t at, unsigned type, size_t size)
{
	const uint8_t head[] = {0xc0, HEAD, 0, (uint8_t)type, 0, 1, 0, 0, 0,
	    TTL, (uint8_t)(size >> 8), (uint8_t)size};

	memcpy(out + at, head, sizeof(head));
	out[7] = 1; /* one answer */
	return at + sizeof(head);
}

static size_t
put_name(uint8_t *out, const char *name)
{
	size_t at = 0;

	while (*name != '\0') {
		size_t part = strcspn(name, ".");

		out[at++] = (uint8_t)part;
		memcpy(out + at, name, part);
		at += part;
		name += part + (name[part] == '.');
	}
	out[at++] = 0;
	return at;
}

/* "4.3.2.1.in-addr.arpa" */
static const char *
find_back(const struct question *q, const struct omega_dns_names *names)
{
	unsigned n[4];
	uint8_t address[4];
	int end = 0;
	int i;

	if (sscanf(q->name, "%3u.%3u.%3u.%3u.in-addr.arpa%n", &n[3], &n[2],
		&n[1], &n[0], &end) != 4 ||
	    end == 0 || q->name[end] != '\0')
		return NULL;
	for (i = 0; i < 4; i++) {
		if (n[i] > 255)
			return NULL;
		address[i] = (uint8_t)n[i];
	}
	return names->name_of(names->arg, address);
}

/* Behind the question; *rcode says what it is. */
static size_t
put_answer(const struct question *q, const struct omega_dns_names *names,
    uint8_t *out, size_t at, int *rcode)
{
	uint8_t address[4];
	uint8_t data[256];
	const char *name;
	size_t size;

	*rcode = ABSENT;
	if (q->is_odd || q->type == TYPE_SRV ||
	    (q->class != 1 && q->class != ANY))
		return at;
	if (q->type == TYPE_PTR) {
		name = find_back(q, names);
		if (name == NULL)
			return at;
		size = put_name(data, name);
		at = put_record(out, at, TYPE_PTR, size);
		memcpy(out + at, data, size);
		*rcode = GOOD;
		return at + size;
	}
	if (!names->find(names->arg, q->name, q->type != TYPE_A, address))
		return at;
	*rcode = GOOD;
	if (q->type != TYPE_A && q->type != ANY)
		return at;
	at = put_record(out, at, TYPE_A, sizeof(address));
	memcpy(out + at, address, sizeof(address));
	return at + sizeof(address);
}

size_t
omega_dns_answer(const uint8_t *question, size_t len, uint8_t *answer,
    const struct omega_dns_names *names)
{
	static const uint8_t opt[] = {
	    0, 0, TYPE_OPT, 4, 0xd0, 0, 0, 0, 0, 0, 0};
	struct question q = {.bytes = question, .len = len};
	size_t at = HEAD;
	int rcode = GOOD;

	if (len < HEAD || (question[2] & 0x80) != 0)
		return 0;
	memset(answer, 0, HEAD);
	memcpy(answer, question, 2);
	answer[2] = (uint8_t)(0x80 | (question[2] & 0x79)); /* what, RD */
	if ((question[2] & 0x78) != 0) {
		rcode = NOT_DONE;
	} else if (number(question + 4) != 1 || !read_name(&q)) {
		rcode = FORM;
	} else {
		memcpy(answer + HEAD, question + HEAD, q.end - HEAD);
		answer[5] = 1; /* the question as it was written */
		at = put_answer(&q, names, answer, q.end, &rcode);
		if (q.has_opt) {
			memcpy(answer + at, opt, sizeof(opt));
			answer[11] = 1;
			at += sizeof(opt);
		}
	}
	answer[3] = (uint8_t)(0x80 | rcode); /* recursion there is */
	return at;
}
