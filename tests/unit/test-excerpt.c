/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-excerpt.c - beginning and end of a stream, within a bound, and the input
 * of a command.
 */

#include "harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "run/excerpt.h"

/* Bounded as it comes, and by less at the end. */
static void
keep_less(struct omega_excerpt *kept, size_t first, size_t most,
    const char *bytes, size_t len, size_t step)
{
	size_t at;

	omega_excerpt_init(kept, first);
	for (at = 0; at < len; at += step)
		assert_int_equal(
		    omega_excerpt_add(kept, (const uint8_t *)bytes + at,
			len - at < step ? len - at : step),
		    0);
	assert_int_equal(omega_excerpt_finish(kept, most), 0);
	assert_int_equal(kept->seen, len);
	assert_true(kept->len <= most);
	assert_int_equal(kept->bytes[kept->len], 0);
}

static void
keep(struct omega_excerpt *kept, size_t most, const char *bytes, size_t len,
    size_t step)
{
	keep_less(kept, most, most, bytes, len, step);
}

static void
test_all_is_kept_up_to_the_bound(void **state)
{
	struct omega_excerpt kept;
	size_t len;
	size_t step;

	(void)state;
	for (len = 0; len <= 10; len++)
		for (step = 1; step <= 11; step++) {
			keep(&kept, 10, "0123456789", len, step);
			assert_int_equal(kept.len, len);
			assert_memory_equal(kept.bytes, "0123456789", len);
			assert_false(kept.is_truncated);
			omega_excerpt_drop(&kept);
		}
}

/* Whatever the pieces are in which it comes. */
static void
test_beginning_and_end_are_kept(void **state)
{
	static char bytes[5000];
	struct omega_excerpt kept;
	size_t most;
	size_t len;
	size_t step;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)('a' + i * 7 % 23);
	for (most = 1; most < 600; most += most < 8 ? 1 : 97)
		for (len = most + 1; len < sizeof(bytes); len += 613)
			for (step = 1; step < 6000; step = step * 3 + 1) {
				size_t head = most / 2;
				const char *marker;

				keep(&kept, most, bytes, len, step);
				assert_true(kept.is_truncated);
				assert_memory_equal(kept.bytes, bytes, head);
				marker =
				    memmem(kept.bytes, kept.len, "\n[... ", 6);
				assert_int_equal(marker != NULL, most >= 99);
				i = marker == NULL ? most - head
						   : most - head - 40;
				assert_memory_equal(kept.bytes + kept.len - i,
				    bytes + len - i, i);
				if (marker != NULL) {
					unsigned long long left = 0;
					const char *end;

					assert_int_equal(
					    sscanf(
						marker, "\n[... %llu", &left),
					    1);
					end = strstr(marker, "...]\n") + 5;
					assert_int_equal(left,
					    len - head -
						(kept.len -
						    (size_t)(end -
							     (const char *)
								 kept.bytes)));
				}
				omega_excerpt_drop(&kept);
			}
}

/* A bound that is narrowed at the end keeps what it would have kept. */
static void
test_less_is_kept_in_the_end(void **state)
{
	static char bytes[3000];
	struct omega_excerpt whole;
	struct omega_excerpt less;
	size_t first;
	size_t most;
	size_t len;

	(void)state;
	for (len = 0; len < sizeof(bytes); len++)
		bytes[len] = (char)('a' + len * 7 % 23);
	for (first = 1; first < 2000; first = first * 2 + 1)
		for (most = 1; most <= first; most += 1 + most / 3)
			for (len = 0; len < sizeof(bytes); len += 199) {
				keep(&whole, most, bytes, len, 50);
				keep_less(&less, first, most, bytes, len, 50);
				assert_int_equal(less.len, whole.len);
				assert_memory_equal(
				    less.bytes, whole.bytes, whole.len + 1);
				assert_int_equal(
				    less.is_truncated, whole.is_truncated);
				omega_excerpt_drop(&whole);
				omega_excerpt_drop(&less);
			}
	keep_less(&less, 10, 0, bytes, 5, 1);
	assert_true(less.is_truncated && less.len == 0);
	omega_excerpt_drop(&less);
}

static bool
is_utf8(const uint8_t *bytes, size_t len)
{
	size_t i = 0;

	while (i < len) {
		size_t more = bytes[i] < 0x80	? 0
			      : bytes[i] < 0xc0 ? 99
			      : bytes[i] < 0xe0 ? 1
			      : bytes[i] < 0xf0 ? 2
						: 3;

		if (more == 99 || i + more >= len)
			return false;
		for (i++; more > 0; more--)
			if ((bytes[i++] & 0xc0) != 0x80)
				return false;
	}
	return true;
}

static void
test_no_character_is_cut(void **state)
{
	static const char *const texts[] = {"\xc3\xa4", "\xe2\x82\xac",
	    "\xf0\x9f\x98\x80", "a\xc3\xa4", "ab\xe2\x82\xac",
	    "a\xf0\x9f\x98\x80"};
	char bytes[4000];
	struct omega_excerpt kept;
	size_t most;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t size = strlen(texts[i]);
		size_t len;

		for (len = 0; len + size <= sizeof(bytes); len += size)
			memcpy(bytes + len, texts[i], size);
		for (most = 3; most < 400; most++) {
			keep(&kept, most, bytes, len, 100);
			assert_true(is_utf8(kept.bytes, kept.len));
			assert_true(kept.len + 80 >= most || most < 99);
			omega_excerpt_drop(&kept);
		}
	}
}

/* What is no text is cut at any place. */
static void
test_other_bytes_are_not_lost(void **state)
{
	char bytes[1000];
	struct omega_excerpt kept;

	(void)state;
	memset(bytes, 0x80, sizeof(bytes));
	keep(&kept, 200, bytes, sizeof(bytes), 7);
	assert_in_range(kept.len, 197, 200); /* of the line */
	omega_excerpt_drop(&kept);
}

static void
test_input_reads_and_nothing_else(void **state)
{
	char bytes[8];
	int fd;

	(void)state;
	fd = omega_system_make_input("hello", 5);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(read(fd, bytes, sizeof(bytes)), 5);
	assert_memory_equal(bytes, "hello", 5);
	assert_int_equal(read(fd, bytes, sizeof(bytes)), 0);
	assert_int_equal(write(fd, "x", 1), -1);
	assert_int_equal(ftruncate(fd, 0), -1);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_all_is_kept_up_to_the_bound),
	    cmocka_unit_test(test_beginning_and_end_are_kept),
	    cmocka_unit_test(test_less_is_kept_in_the_end),
	    cmocka_unit_test(test_no_character_is_cut),
	    cmocka_unit_test(test_other_bytes_are_not_lost),
	    cmocka_unit_test(test_input_reads_and_nothing_else),
	};

	return run_all(tests);
}
