/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-hosts-bytes.c - what omega-sandbox-hosts reads of commands: questions
 * about names, the first bytes of TLS, requests of HTTP.
 */

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/dns.h"
#include "hosts/speech.h"

/* ---- Names --------------------------------------------------------------- */

static char asked[256]; /* the last name */

static bool
find(void *arg, const char *name, bool is_again, uint8_t *address)
{
	(void)arg;
	(void)is_again;
	snprintf(asked, sizeof(asked), "%s", name);
	memcpy(address, "\xc6\x12\1\1", 4);
	return strcmp(name, "www.test") == 0;
}

static const char *
name_of(void *arg, const uint8_t *address)
{
	(void)arg;
	return memcmp(address, "\xc6\x12\1\1", 4) == 0 ? "www.test" : NULL;
}

static const struct omega_dns_names names = {find, name_of, NULL};

/* A question; name has a dot between parts. Returns its length. */
static size_t
make_question(uint8_t *to, const char *name, unsigned type)
{
	static const uint8_t head[12] = {0xab, 0xcd, 1, 0, 0, 1};
	size_t at = sizeof(head);

	memcpy(to, head, sizeof(head));
	while (*name != '\0') {
		size_t len = strcspn(name, ".");

		to[at++] = (uint8_t)len;
		memcpy(to + at, name, len);
		at += len;
		name += len + (name[len] == '.');
	}
	memcpy(to + at, "\0\0\0\0\1", 5);
	to[at + 2] = (uint8_t)type;
	return at + 5;
}

/* In a buffer of just that size, so that a byte too far is seen. */
static size_t
answer_to(const uint8_t *question, size_t len, uint8_t *answer)
{
	uint8_t *exact = malloc(len + (len == 0));
	size_t ret;

	memcpy(exact, question, len);
	ret = omega_dns_answer(exact, len, answer, &names);
	free(exact);
	return ret;
}

static void
check_answer(const char *name, unsigned type, unsigned rcode, unsigned count)
{
	uint8_t question[512];
	uint8_t answer[OMEGA_DNS_MOST];
	size_t len = make_question(question, name, type);
	size_t got = answer_to(question, len, answer);

	if (got < len || (answer[3] & 0xf) != rcode || answer[7] != count)
		fail_msg("%s, %u: %zu bytes, rcode %u, %u answers", name, type,
		    got, answer[3] & 0xfu, answer[7]);
	assert_memory_equal(answer, question, 2);
	assert_int_equal(answer[2], 0x81);
	assert_memory_equal(answer + 12, question + 12, len - 12);
}

static void
test_names_are_answered(void **state)
{
	(void)state;
	check_answer("www.test", 1, 0, 1);
	check_answer("WwW.tEsT", 1, 0, 1); /* echoed as it was written */
	assert_string_equal(asked, "www.test");
	check_answer("www.test", 28, 0, 0); /* AAAA */
	check_answer("www.test", 65, 0, 0); /* HTTPS */
	check_answer("www.test", 64, 0, 0); /* SVCB */
	check_answer("www.test", 15, 0, 0); /* MX */
	check_answer("www.test", 33, 3, 0); /* SRV */
	check_answer("other.test", 1, 3, 0);
	check_answer("other.test", 28, 3, 0);
	check_answer("1.1.18.198.in-addr.arpa", 12, 0, 1);
	check_answer("2.1.18.198.in-addr.arpa", 12, 3, 0);
	check_answer("999.1.18.198.in-addr.arpa", 12, 3, 0);
	check_answer("1.1.18.198.in-addr.arpa.x", 12, 3, 0);
}

static void
test_odd_names_do_not_exist(void **state)
{
	uint8_t question[512];
	uint8_t answer[OMEGA_DNS_MOST];
	size_t len = make_question(question, "www.test", 1);

	(void)state;
	/* "www.test" with an end in it, which another would read as the name,
	 * and with a dot inside of a part. */
	asked[0] = '\0';
	question[16] = 8;
	memmove(question + 21 + 4, question + 21, len - 21);
	memcpy(question + 12, "\10www.test\0\0\1\0\1", 14);
	assert_true(answer_to(question, 26, answer) > 0);
	assert_int_equal(answer[3] & 0xf, 3);
	len = make_question(question, "www.testXevil", 1);
	question[21] = '\0';
	assert_true(answer_to(question, len, answer) > 0);
	assert_int_equal(answer[3] & 0xf, 3);
	assert_string_equal(asked, "");
}

static void
test_short_and_broken_questions(void **state)
{
	uint8_t question[512];
	uint8_t answer[OMEGA_DNS_MOST];
	size_t whole = make_question(question, "www.test", 1);
	size_t len;
	unsigned seed = 1;
	size_t i;

	(void)state;
	for (len = 0; len < 12; len++)
		assert_int_equal(answer_to(question, len, answer), 0);
	for (; len < whole; len++) {
		assert_int_equal(answer_to(question, len, answer), 12);
		assert_int_equal(answer[3] & 0xf, 1);
	}
	/* An answer is not answered. */
	question[2] |= 0x80;
	assert_int_equal(answer_to(question, whole, answer), 0);
	question[2] = 0x28;
	assert_int_equal(answer_to(question, whole, answer), 12);
	assert_int_equal(answer[3] & 0xf, 4);
	/* A name by reference, and one longer than there can be. */
	make_question(question, "www.test", 1);
	question[12] = 0xc0;
	assert_int_equal(answer_to(question, whole, answer), 12);
	for (i = 0; i < 400; i++)
		question[12 + i] = i % 64 == 0 ? 63 : 'a';
	assert_int_equal(answer_to(question, 412, answer), 12);
	for (i = 0; i < 200000; i++) {
		size_t at;

		len = make_question(question, "a.www.test", 1) + 20;
		for (at = 0; at < 1 + i % 5; at++) {
			seed = seed * 1103515245 + 12345;
			question[(seed >> 8) % len] = (uint8_t)(seed >> 20);
		}
		assert_true(answer_to(question, (seed >> 4) % len, answer) <=
			    OMEGA_DNS_MOST);
	}
}

/* ---- TLS ----------------------------------------------------------------- */

struct hello {
	uint8_t bytes[4096];
	size_t len;
};

static void
put(struct hello *hello, const void *bytes, size_t len)
{
	memcpy(hello->bytes + hello->len, bytes, len);
	hello->len += len;
}

static void
put_number(struct hello *hello, size_t number, int width)
{
	while (width-- > 0)
		hello->bytes[hello->len++] = (uint8_t)(number >> (8 * width));
}

static void
put_server_name(struct hello *to, const char *name)
{
	size_t len = strlen(name);

	put_number(to, 0, 2);
	put_number(to, len + 5, 2);
	put_number(to, len + 3, 2);
	put_number(to, 0, 1);
	put_number(to, len, 2);
	put(to, name, len);
}

/* The records, each with so many bytes of the message, of a hello with these
 * names among other extensions; ended by NULL. */
static void
make_hello(struct hello *hello, const char *const *server_names, size_t record)
{
	struct hello extensions = {.len = 0};
	struct hello message = {.len = 0};
	size_t size;
	size_t at;

	put_number(&extensions, 0x1a1a, 2); /* GREASE */
	put_number(&extensions, 0, 2);
	for (; *server_names != NULL; server_names++)
		put_server_name(&extensions, *server_names);
	put_number(&extensions, 0xfe0d, 2); /* ECH, or what looks like it */
	put_number(&extensions, 4, 2);
	put(&extensions, "abcd", 4);
	size = 2 + 32 + 1 + 32 + 2 + 4 + 2 + 2 + extensions.len;
	put_number(&message, 1, 1);
	put_number(&message, size, 3);
	put_number(&message, 0x0303, 2);
	put(&message, "01234567890123456789012345678901", 32);
	put_number(&message, 32, 1);
	put(&message, "01234567890123456789012345678901", 32);
	put_number(&message, 4, 2);
	put(&message, "\x13\1\x13\2", 4);
	put(&message, "\1\0", 2);
	put_number(&message, extensions.len, 2);
	put(&message, extensions.bytes, extensions.len);
	hello->len = 0;
	for (at = 0; at < message.len; at += size) {
		size = message.len - at < record ? message.len - at : record;
		put_number(hello, 22, 1);
		put_number(hello, 0x0301, 2);
		put_number(hello, size, 2);
		put(hello, message.bytes + at, size);
	}
}

static int
look(const void *bytes, size_t len, struct omega_speech *speech)
{
	uint8_t *exact = malloc(len + (len == 0));
	int ret;

	memcpy(exact, bytes, len);
	ret = omega_speech_look(speech, exact, len);
	free(exact);
	return ret;
}

/* What comes of it, in whatever pieces it comes. */
static int
say_hello(const struct hello *hello, enum omega_speech_kind kind)
{
	int ret = 0;
	size_t len;

	for (len = 0; len <= hello->len; len++) {
		struct omega_speech speech = {
		    .kind = kind, .name = "www.test", .port = 443};

		ret = look(hello->bytes, len, &speech);
		if (len < hello->len && ret > 0)
			fail_msg("passed at %zu of %zu", len, hello->len);
		if (ret > 0)
			assert_int_equal(speech.kind, OMEGA_SPEECH_FREE);
		if (ret < 0)
			break;
	}
	return ret;
}

static int
say_names(const char *first, const char *second, size_t record)
{
	const char *const list[] = {first, first == NULL ? NULL : second, NULL};
	struct hello hello;

	make_hello(&hello, list, record);
	return say_hello(&hello, OMEGA_SPEECH_OPEN);
}

static void
test_tls_names_the_host(void **state)
{
	struct hello hello;
	static const uint8_t alert[] = {21, 3, 1, 0, 2, 1, 0};
	const char *const good[] = {"www.test", NULL};
	size_t record;
	unsigned seed = 1;
	int i;

	(void)state;
	for (record = 1; record < 400; record += record < 8 ? 1 : 37)
		assert_int_equal(say_names("www.test", NULL, record), 1);
	assert_int_equal(say_names("WWW.Test", NULL, 9000), 1);
	assert_int_equal(say_names("www.tes", NULL, 9000), -1);
	assert_int_equal(say_names("www.test.", NULL, 9000), -1);
	assert_int_equal(say_names("a.www.test", NULL, 9000), -1);
	assert_int_equal(say_names("", NULL, 9000), -1);
	assert_int_equal(say_names(NULL, NULL, 9000), -1);
	assert_int_equal(say_names("www.test", "www.test", 9000), -1);
	assert_int_equal(say_names("www.test", "evil.test", 9000), -1);
	/* Two names in one list. */
	make_hello(&hello, good, 9000);
	hello.bytes[5 + 4 + 34 + 33 + 6 + 2 + 2 + 4 + 5] += 1;
	assert_int_equal(say_hello(&hello, OMEGA_SPEECH_TLS), -1);
	/* Another record behind the first part. */
	make_hello(&hello, good, 20);
	hello.bytes[25] = 23;
	assert_int_equal(say_hello(&hello, OMEGA_SPEECH_TLS), -1);
	/* What is hardly TLS for us may be for a server. */
	make_hello(&hello, (const char *const[]){"evil.test", NULL}, 9000);
	hello.bytes[1] = 2;
	assert_int_equal(say_hello(&hello, OMEGA_SPEECH_OPEN), -1);
	hello.bytes[1] = 4;
	assert_int_equal(say_hello(&hello, OMEGA_SPEECH_OPEN), -1);
	hello.bytes[1] = 3;
	memmove(hello.bytes + sizeof(alert), hello.bytes, hello.len);
	memcpy(hello.bytes, alert, sizeof(alert));
	hello.len += sizeof(alert);
	assert_int_equal(say_hello(&hello, OMEGA_SPEECH_OPEN), -1);
	/* It never ends. */
	make_hello(&hello, good, 9000);
	hello.bytes[6] = 1;
	assert_int_equal(say_hello(&hello, OMEGA_SPEECH_TLS), -1);
	for (i = 0; i < 100000; i++) {
		struct omega_speech speech = {
		    .kind = OMEGA_SPEECH_TLS, .name = "www.test", .port = 443};

		make_hello(&hello, good, 50 + (size_t)(i % 200));
		seed = seed * 1103515245 + 12345;
		hello.bytes[(seed >> 8) % hello.len] = (uint8_t)(seed >> 20);
		look(hello.bytes, (seed >> 4) % (hello.len + 1), &speech);
	}
}

/* ---- HTTP ---------------------------------------------------------------- */

/* All of it, as it would be passed on; -1 when refused, else what passed. */
static long
say(const char *text, enum omega_speech_kind kind, size_t step)
{
	struct omega_speech speech = {
	    .kind = kind, .name = "www.test", .port = 8080};
	const size_t whole = strlen(text);
	size_t come = 0;
	size_t passed = 0;
	int ret;

	while (come < whole || passed < come) {
		size_t now;

		if (speech.kind != OMEGA_SPEECH_FREE && speech.pass == 0) {
			ret = look(text + passed, come - passed, &speech);
			if (ret < 0)
				return -1;
			if (ret == 0 && come == whole)
				return (long)passed;
			if (ret == 0) {
				come +=
				    step < whole - come ? step : whole - come;
				continue;
			}
		}
		now = come - passed;
		if (speech.kind != OMEGA_SPEECH_FREE) {
			now = speech.pass < now ? (size_t)speech.pass : now;
			speech.pass -= now;
		}
		passed += now;
		if (now == 0 && come == whole)
			break;
		if (come < whole)
			come += step < whole - come ? step : whole - come;
	}
	return (long)passed;
}

#define HOST "Host: www.test\r\n"

static void
test_every_request_names_the_host(void **state)
{
	static const char *const good[] = {"GET / HTTP/1.1\r\n" HOST "\r\n",
	    "GET / HTTP/1.0\r\nHOST:WWW.TEST:8080 \r\nA: b\r\n\r\n",
	    "OPTIONS * HTTP/1.1\r\n" HOST "\r\n",
	    "GET http://www.test/x HTTP/1.1\r\n" HOST "\r\n",
	    "GET / HTTP/1.1\r\n" HOST "\r\nGET /2 HTTP/1.1\r\n" HOST "\r\n",
	    "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello"
	    "GET / HTTP/1.1\r\n" HOST "\r\n",
	    "PUT / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
	    "5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\nGET / HTTP/1.1\r\n" HOST
	    "\r\n",
	    "PUT / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
	    "0\r\nTrailer: x\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n",
	    "PUT / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
	    "5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n",
	    "POST / HTTP/1.1\r\n" HOST
	    "Content-Length: 13\r\n\r\nGet well soon",
	    "POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n\r\nx", NULL};
	static const char *const bad[] = {
	    "\r\nGET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
	    "PROPFIND / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
	    "get / http/1.1\r\nHost: evil.test\r\n\r\n",
	    "GET / HTTP/1.1\r\n\r\n",
	    "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
	    "GET / HTTP/1.1\r\nHost: www.test:80\r\n\r\n",
	    "GET / HTTP/1.1\r\nHost: www.test.evil\r\n\r\n",
	    "GET / HTTP/1.1\r\n" HOST HOST "\r\n",
	    "GET / HTTP/1.1\r\n" HOST "Host: evil.test\r\n\r\n",
	    "GET / HTTP/1.1\r\nHost : www.test\r\n\r\n",
	    "GET / HTTP/1.1\r\n" HOST " folded: x\r\n\r\n",
	    "GET / HTTP/1.1\n" HOST "\r\n",
	    "GET / HTTP/1.1\r\nHost: www.test\n\r\n",
	    "GET http://evil.test/ HTTP/1.1\r\n" HOST "\r\n",
	    "GET https://www.test/ HTTP/1.1\r\n" HOST "\r\n",
	    "GET www.test HTTP/1.1\r\n" HOST "\r\n",
	    "GET / HTTP/2.0\r\n" HOST "\r\n", "GET /\r\n" HOST "\r\n",
	    "GET /  HTTP/1.1\r\n" HOST "\r\n",
	    "CONNECT www.test:443 HTTP/1.1\r\n" HOST "\r\n",
	    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	    "GET / HTTP/1.1\r\n" HOST "Upgrade: h2c\r\n\r\n",
	    "POST / HTTP/1.1\r\n" HOST
	    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
	    "POST / HTTP/1.1\r\n" HOST
	    "Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
	    "POST / HTTP/1.1\r\n" HOST "Content-Length: +5\r\n\r\n",
	    "POST / HTTP/1.1\r\n" HOST "Content-Length: 5, 5\r\n\r\n",
	    "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip\r\n\r\n",
	    "PUT / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\nx\r\n",
	    /* Blanks of other kinds, which some servers take. */
	    "GET\t/\tHTTP/1.1\r\nHost: evil.test\r\n\r\n",
	    "GET\v/\vHTTP/1.1\r\nHost: evil.test\r\n\r\n",
	    "\vPROPFIND\x85/\xa0HTTP/1.1\r\nHost: evil.test\r\n\r\n",
	    "PROPFIND /\x1fHTTP/1.1\r\nHost: evil.test\r\n\r\n",
	    "GET /\xa0 HTTP/1.1\r\nHost: evil.test\r\n\r\n",
	    "GET /\001 HTTP/1.1\r\nHost: evil.test\r\n\r\n",
	    "GET / HTTP/1.1\f\r\nHost: evil.test\r\n\r\n",
	    /* What comes with a request that does not care for it. */
	    "GET / HTTP/1.1\r\n" HOST "Content-Length: 40\r\n\r\n"
	    "\r\nGET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
	    "GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
	    "A / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
	    /* Where one server sees the end of a chunk and another does not. */
	    "PUT / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
	    "5\r\nhello1;A\r\nx",
	    "PUT / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
	    "5;a\rb\r\nhello\r\n0\r\n\r\n",
	    NULL};
	size_t step;
	size_t i;

	(void)state;
	for (step = 1; step < 400; step += step < 4 ? 1 : 133) {
		for (i = 0; good[i] != NULL; i++)
			if (say(good[i], OMEGA_SPEECH_HTTP, step) !=
			    (long)strlen(good[i]))
				fail_msg("%s: %ld", good[i],
				    say(good[i], OMEGA_SPEECH_HTTP, step));
		for (i = 0; bad[i] != NULL; i++) {
			if (say(bad[i], OMEGA_SPEECH_HTTP, step) != -1 ||
			    say(bad[i], OMEGA_SPEECH_OPEN, step) != -1)
				fail_msg("%s", bad[i]);
		}
	}
	/* The second one is another's: nothing of it passes. */
	assert_int_equal(say("GET / HTTP/1.1\r\n" HOST
			     "\r\nGET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
			     OMEGA_SPEECH_HTTP, 500),
	    -1);
}

static void
test_other_protocols(void **state)
{
	static const char ssh[] = "SSH-2.0-OpenSSH_9.2\r\n";

	(void)state;
	assert_int_equal(say(ssh, OMEGA_SPEECH_OPEN, 1), (long)strlen(ssh));
	assert_int_equal(say(ssh, OMEGA_SPEECH_TLS, 1), -1);
	assert_int_equal(say("EHLO x\r\n", OMEGA_SPEECH_OPEN, 1), 8);
	/* It might become a request. */
	assert_int_equal(say("GE", OMEGA_SPEECH_OPEN, 1), 0);
	assert_int_equal(say("GETX\r\n", OMEGA_SPEECH_OPEN, 1), 6);
	assert_int_equal(say("ab\001", OMEGA_SPEECH_OPEN, 1), 3);
	assert_int_equal(say("AMQP\001", OMEGA_SPEECH_OPEN, 5), 5);
	assert_int_equal(say("USER \xc3\xa4\r\n", OMEGA_SPEECH_OPEN, 1), 9);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names_are_answered),
	    cmocka_unit_test(test_odd_names_do_not_exist),
	    cmocka_unit_test(test_short_and_broken_questions),
	    cmocka_unit_test(test_tls_names_the_host),
	    cmocka_unit_test(test_every_request_names_the_host),
	    cmocka_unit_test(test_other_protocols),
	};

	return run_all(tests);
}
