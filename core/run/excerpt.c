/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * excerpt.c - see excerpt.h.
 */

#include "config.h"

#include "run/excerpt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first buffer; most commands say less. */
#define FIRST 4096

void
omega_excerpt_init(struct omega_excerpt *kept, size_t most)
{
	*kept = (struct omega_excerpt){.most = most};
}

/* Room for len in all, as far as the bound goes. */
static int
grow(struct omega_excerpt *kept, size_t len)
{
	size_t size = kept->size == 0 ? FIRST : kept->size;
	uint8_t *bytes;

	while (size < len && size < kept->most)
		size = size > kept->most / 2 ? kept->most : size * 2;
	if (size > kept->most)
		size = kept->most;
	if (size <= kept->size)
		return 0;
	bytes = realloc(kept->bytes, size + 1);
	if (bytes == NULL)
		return -ENOMEM;
	kept->bytes = bytes;
	kept->size = size;
	return 0;
}

static size_t
half(const struct omega_excerpt *kept)
{
	return kept->most / 2;
}

/* Behind the beginning, in a ring: its place for the seen-th byte. */
static size_t
place(const struct omega_excerpt *kept, uint64_t seen)
{
	size_t ring = kept->most - half(kept);

	return half(kept) + (size_t)((seen - half(kept)) % ring);
}

int
omega_excerpt_add(struct omega_excerpt *kept, const uint8_t *bytes, size_t len)
{
	size_t ring = kept->most - half(kept);
	size_t want;

	want = len > kept->most || kept->seen + len > kept->most
		   ? kept->most
		   : (size_t)kept->seen + len;
	if (grow(kept, want) < 0)
		return -ENOMEM;
	if (kept->seen < half(kept)) {
		size_t first = half(kept) - (size_t)kept->seen;

		if (first > len)
			first = len;
		memcpy(kept->bytes + kept->seen, bytes, first);
		kept->seen += first;
		bytes += first;
		len -= first;
	}
	/* Of much at once only the last can stay. */
	if (len > ring) {
		kept->seen += len - ring;
		bytes += len - ring;
		len = ring;
	}
	while (len > 0) {
		size_t at = place(kept, kept->seen);
		size_t part = kept->most - at;

		if (part > len)
			part = len;
		memcpy(kept->bytes + at, bytes, part);
		kept->seen += part;
		bytes += part;
		len -= part;
	}
	return 0;
}

static void
reverse(uint8_t *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len / 2; i++) {
		uint8_t byte = bytes[i];

		bytes[i] = bytes[len - 1 - i];
		bytes[len - 1 - i] = byte;
	}
}

/* Turn the ring so that it begins with its oldest byte. */
static void
unroll(struct omega_excerpt *kept)
{
	uint8_t *ring = kept->bytes + half(kept);
	size_t len = kept->most - half(kept);
	size_t oldest = place(kept, kept->seen) - half(kept);

	reverse(ring, oldest);
	reverse(ring + oldest, len - oldest);
	reverse(ring, len);
}

static bool
is_continued(uint8_t byte)
{
	return (byte & 0xc0) == 0x80;
}

/* How many bytes a character that begins so has; 0: none begins so. */
static size_t
length_of(uint8_t byte)
{
	if (byte < 0x80)
		return 1;
	if (byte >= 0xc2 && byte <= 0xdf)
		return 2;
	if ((byte & 0xf0) == 0xe0)
		return 3;
	return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

/* The length without the beginning of a character at the end. */
static size_t
cut_end(const uint8_t *bytes, size_t len)
{
	size_t back;

	for (back = 1; back <= 3 && back <= len; back++) {
		uint8_t byte = bytes[len - back];

		if (!is_continued(byte))
			return length_of(byte) > back ? len - back : len;
	}
	return len; /* not UTF-8: any place is as good */
}

/* How many bytes at the beginning are the rest of a character. */
static size_t
cut_start(const uint8_t *bytes, size_t len)
{
	size_t rest = 0;

	while (rest < len && rest < 4 && is_continued(bytes[rest]))
		rest++;
	return rest < 4 ? rest : 0;
}

/* The line, of the same length whatever it says at the end. */
static size_t
make_marker(char *marker, size_t size, uint64_t left)
{
	int len = snprintf(marker, size, "\n[... %llu bytes left out ...]\n",
	    (unsigned long long)left);

	return len < 0 ? 0 : (size_t)len;
}

/* Beginning and end, and the line between them, within the bound. */
static void
join(struct omega_excerpt *kept)
{
	char marker[64];
	size_t head = cut_end(kept->bytes, half(kept));
	uint8_t *tail = kept->bytes + half(kept);
	size_t tail_len = kept->most - half(kept);
	size_t room = make_marker(marker, sizeof(marker), kept->seen);
	size_t cut = 0;

	if (room > kept->most / 2)
		room = 0;
	/* The line is made room for at the cost of the end's oldest bytes. */
	if (half(kept) - head < room)
		cut = room - (half(kept) - head);
	cut += cut_start(tail + cut, tail_len - cut);
	tail += cut;
	tail_len -= cut;
	if (room > 0)
		room = make_marker(
		    marker, sizeof(marker), kept->seen - head - tail_len);
	memmove(kept->bytes + head + room, tail, tail_len);
	memcpy(kept->bytes + head, marker, room);
	kept->len = head + room + tail_len;
}

int
omega_excerpt_finish(struct omega_excerpt *kept, size_t most)
{
	size_t had;
	size_t tail;

	if (kept->bytes == NULL && grow(kept, 1) < 0)
		return -ENOMEM;
	had = kept->seen < kept->most ? (size_t)kept->seen : kept->most;
	if (kept->seen > kept->most)
		unroll(kept);
	if (most < kept->most)
		kept->most = most;
	kept->is_truncated = kept->seen > kept->most;
	if (kept->is_truncated) {
		tail = kept->most - half(kept);
		memmove(
		    kept->bytes + half(kept), kept->bytes + had - tail, tail);
		join(kept);
	} else {
		kept->len = (size_t)kept->seen;
	}
	kept->bytes[kept->len] = 0;
	return 0;
}

void
omega_excerpt_drop(struct omega_excerpt *kept)
{
	free(kept->bytes);
	*kept = (struct omega_excerpt){.most = kept->most};
}
