/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-hosts.c - entries of hosts and deny_hosts: how they are read, and what
 * two of them have in common.
 */

#include "harness.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/hosts.h"

static void
read_one(const char *text, struct omega_hosts_entry *entry)
{
	const char *why = "";
	size_t at = 0;

	if (omega_hosts_read(text, entry, &at, &why) != 0)
		fail_msg("'%s', %zu: %s", text, at, why);
}

static void
test_entries_are_written_one_way(void **state)
{
	static const char *const rows[][2] = {
	    {"api.example.com:443", "api.example.com:443"},
	    {" API.Example.COM.:443\t", "api.example.com:443"},
	    {"registry.example.org", "registry.example.org"},
	    {"https://Example.org", "https://example.org"},
	    {"http://example.org.", "http://example.org"},
	    {"*.example.org", "*.example.org"},
	    {"*.Example.org:22", "*.example.org:22"},
	    {"xn--bcher-kva.example:443", "xn--bcher-kva.example:443"},
	    {"_srv.example:1", "_srv.example:1"},
	    {"host", "host"},
	    {"10.0.0.5:5432", "10.0.0.5:5432"},
	    {"192.0.2.0/24:443", "192.0.2.0/24:443"},
	    {"0.0.0.0/0", "0.0.0.0/0"},
	    {"[2001:DB8::1]:443", "[2001:db8::1]:443"},
	    {"[2001:db8:0::/32]", "[2001:db8::/32]"},
	    {"https://[2001:db8::1]", "https://[2001:db8::1]"},
	    {"localhost:3002", "localhost:3002"},
	    {"LOCALHOST.:65535", "localhost:65535"},
	};
	struct omega_hosts_entry entry;
	struct omega_hosts_entry again;
	char text[OMEGA_HOSTS_TEXT];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		read_one(rows[i][0], &entry);
		omega_hosts_print(&entry, text);
		assert_string_equal(text, rows[i][1]);
		read_one(text, &again);
		assert_memory_equal(&entry, &again, sizeof(entry));
	}
}

static void
test_nonsense_is_told_with_its_place(void **state)
{
	static const struct {
		const char *text;
		size_t at;
		const char *why; /* how it begins */
	} rows[] = {
	    {"", 0, "it is empty"},
	    {"  ", 2, "it is empty"},
	    {"@registries", 0, "no group of hosts"},
	    {"a b:1", 1, "a blank"},
	    {"a\001b", 1, "a blank"},
	    {"b\303\274cher.example", 1, "not ASCII"},
	    {"ftp://example.org", 0, "only http"},
	    {"https://example.org:8443", 19, "a port besides"},
	    {"example.org/path", 11, "a host has no path"},
	    {"example.org:", 12, "this is not a port"},
	    {"example.org:0", 12, "this is not a port"},
	    {"example.org:65536", 12, "this is not a port"},
	    {"example.org:0443", 12, "this is not a port"},
	    {"example.org:https", 12, "this is not a port"},
	    {":443", 0, "a host is missing"},
	    {"a..b", 2, "a part of the name is empty"},
	    {".example", 0, "a part of the name is empty"},
	    {".", 0, "this is no IPv4"},
	    {"-a.example", 0, "no part of a name"},
	    {"a.b-.c", 2, "no part of a name"},
	    {"*", 0, "a star"},
	    {"*.", 2, "a name is missing"},
	    {"a.*.example", 2, "a star"},
	    {"*.*.example", 2, "a star"},
	    {"ex*ample.org", 2, "a star"},
	    {"user@example.org", 4, "a name has letters"},
	    {"10.0.0", 0, "this is no IPv4"},
	    {"10.0.0.256", 0, "this is no IPv4"},
	    {"010.0.0.1", 0, "this is no IPv4"},
	    {"1234", 0, "this is no IPv4"},
	    {"0x7f.1", 0, "this is no address"},
	    {"a.0x7f000001", 0, "this is no address"},
	    {"example.7", 0, "this is no address"},
	    {"10.0.0.0/33:1", 9, "a network has 0 to 32"},
	    {"10.0.0.0/:1", 9, "a network has 0 to 32"},
	    {"10.0.0.5/8", 0, "the address has bits"},
	    {"2001:db8::1", 0, "an IPv6 address is written in brackets"},
	    {"[2001:db8::1", 0, "the bracket is not closed"},
	    {"[2001:db8::1]443", 13, "a port is written"},
	    {"[2001:db8::/129]:1", 12, "a network has 0 to 128"},
	    {"[fe80::1%eth0]:1", 1, "this is no IPv6"},
	    {"[::ffff:10.0.0.1]:1", 1, "write the IPv4"},
	    {"[10.0.0.1]:1", 1, "this is no IPv6"},
	    {"127.0.0.1:3000", 0, "the host's own ports"},
	    {"[::1]:3000", 1, "nothing can be reached"},
	    {"0.0.0.0:1", 0, "nothing can be reached"},
	    {"224.0.0.1:1", 0, "many are meant"},
	    {"198.18.3.4:443", 0, "198.18.0.0/15 stands"},
	    {"localhost", 0, "write localhost:PORT"},
	    {"*.localhost:80", 2, "write localhost:PORT"},
	    {"a.localhost:80", 0, "write localhost:PORT"},
	};
	struct omega_hosts_entry entry;
	char name[300];
	const char *why;
	size_t at;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		why = "";
		if (omega_hosts_read(rows[i].text, &entry, &at, &why) == 0 ||
		    at != rows[i].at ||
		    strncmp(why, rows[i].why, strlen(rows[i].why)) != 0)
			fail_msg("'%s': %zu, %s", rows[i].text, at, why);
	}
	memset(name, 'a', sizeof(name));
	name[64] = '\0';
	assert_true(omega_hosts_read(name, &entry, &at, &why) < 0);
	for (i = 50; i < 290; i += 50)
		name[i] = '.';
	name[64] = 'a';
	name[254] = '\0';
	assert_true(omega_hosts_read(name, &entry, &at, &why) < 0);
	name[253] = '\0';
	read_one(name, &entry);
}

static void
test_two_have_something_in_common(void **state)
{
	static const char *const rows[][3] = {
	    {"a.x:1", "a.x:1", "a.x:1"},
	    {"a.x:1", "a.x:2", NULL},
	    {"a.x", "a.x:443", "https://a.x"},
	    {"a.x", "a.x:22", NULL},
	    {"http://a.x", "https://a.x", NULL},
	    {"a.x", "*.x", "a.x"},
	    {"a.x:443", "*.x:443", "a.x:443"},
	    {"x", "*.x", NULL},
	    {"aax", "*.ax", NULL},
	    {"*.a.x", "*.x", "*.a.x"},
	    {"*.x", "*.x", "*.x"},
	    {"*.x", "*.y", NULL},
	    {"10.0.0.0/8:1", "10.1.0.0/16:1", "10.1.0.0/16:1"},
	    {"10.0.0.0/8:1", "10.1.2.3:1", "10.1.2.3:1"},
	    {"10.0.0.0/8:1", "11.0.0.0/8:1", NULL},
	    {"0.0.0.0/0:1", "[2001:db8::1]:1", NULL},
	    {"[2001:db8::/32]:1", "[2001:db8::1]:1", "[2001:db8::1]:1"},
	    {"[::/0]:1", "10.0.0.1:1", NULL},
	    {"localhost:1", "localhost:1", "localhost:1"},
	    {"localhost:1", "*.x:1", NULL},
	};
	struct omega_hosts_entry a;
	struct omega_hosts_entry b;
	struct omega_hosts_entry both;
	char text[OMEGA_HOSTS_TEXT];
	size_t i;
	int turn;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (turn = 0; turn < 2; turn++) {
			read_one(rows[i][turn], &a);
			read_one(rows[i][1 - turn], &b);
			if (omega_hosts_common(&a, &b, &both) !=
			    (rows[i][2] != NULL))
				fail_msg("%s, %s", rows[i][0], rows[i][1]);
			if (rows[i][2] == NULL)
				continue;
			omega_hosts_print(&both, text);
			assert_string_equal(text, rows[i][2]);
		}
}

static void
test_a_deny_takes_what_it_names(void **state)
{
	static const struct {
		const char *deny;
		const char *other;
		bool is_taken;
	} rows[] = {
	    {"a.x", "a.x:22", true}, /* every port */
	    {"a.x:22", "a.x:22", true},
	    {"a.x:22", "a.x:443", false},
	    {"a.x:443", "a.x", false}, /* 80 is left */
	    {"*.x", "a.x", true},
	    {"*.x", "*.a.x:1", true},
	    {"a.x", "*.x", false},
	    {"10.0.0.0/8", "10.1.2.3:1", true},
	    {"10.1.2.3", "10.0.0.0/8:1", false},
	};
	struct omega_hosts_entry deny;
	struct omega_hosts_entry other;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		read_one(rows[i].deny, &deny);
		read_one(rows[i].other, &other);
		if (omega_hosts_takes(&deny, &other) != rows[i].is_taken)
			fail_msg("%s, %s", rows[i].deny, rows[i].other);
	}
}

static void
test_inner_addresses_are_known(void **state)
{
	static const char *const inner[] = {"::ffff:127.0.0.1", "::1",
	    "::", "::ffff:0.0.0.0", "::ffff:10.1.2.3", "::ffff:172.16.0.1",
	    "::ffff:172.31.255.255", "::ffff:192.168.1.1",
	    "::ffff:169.254.169.254", "::ffff:100.64.0.1", "::ffff:224.0.0.1",
	    "::ffff:255.255.255.255", "::ffff:198.19.0.1", "fe80::1",
	    "fd00:ec2::254", "ff02::1", "64:ff9b::7f00:1",
	    "2002:7f00:1::", "::127.0.0.1", NULL};
	static const char *const outer[] = {"::ffff:8.8.8.8",
	    "::ffff:172.32.0.1", "::ffff:192.169.0.1", "::ffff:203.0.113.1",
	    "2001:db8::1", "2606:4700::1111", NULL};
	uint8_t address[16];
	size_t i;

	(void)state;
	for (i = 0; inner[i] != NULL; i++) {
		assert_int_equal(inet_pton(AF_INET6, inner[i], address), 1);
		if (omega_hosts_is_inner(address) == 0)
			fail_msg("%s", inner[i]);
	}
	for (i = 0; outer[i] != NULL; i++) {
		assert_int_equal(inet_pton(AF_INET6, outer[i], address), 1);
		if (omega_hosts_is_inner(address) != 0)
			fail_msg("%s", outer[i]);
	}
}

static void
test_translated_addresses_are_what_they_mean(void **state)
{
	uint8_t address[16];
	uint8_t plain[16];

	(void)state;
	inet_pton(AF_INET6, "64:ff9b::8.8.8.8", address);
	assert_int_not_equal(omega_hosts_is_inner(address), 0);
	omega_hosts_plain(address, plain);
	assert_int_equal(omega_hosts_is_inner(plain), 0);
	inet_pton(AF_INET6, "64:ff9b::127.0.0.1", address);
	omega_hosts_plain(address, plain);
	assert_int_equal(omega_hosts_is_inner(plain), 96 + 8);
	inet_pton(AF_INET6, "64:ff9b:1::8.8.8.8", address);
	omega_hosts_plain(address, plain);
	assert_memory_equal(address, plain, 16);
	assert_int_not_equal(omega_hosts_is_inner(plain), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_entries_are_written_one_way),
	    cmocka_unit_test(test_nonsense_is_told_with_its_place),
	    cmocka_unit_test(test_two_have_something_in_common),
	    cmocka_unit_test(test_a_deny_takes_what_it_names),
	    cmocka_unit_test(test_inner_addresses_are_known),
	    cmocka_unit_test(test_translated_addresses_are_what_they_mean),
	};

	return run_all(tests);
}
