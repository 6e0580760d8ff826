/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * hosts.c - see hosts.h.
 */

#include "config.h"

#include "base/hosts.h"

#include <sys/socket.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- Addresses ----------------------------------------------------------- */

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static bool
is_v4(const uint8_t *address)
{
	return memcmp(address, mapped, sizeof(mapped)) == 0;
}

/* Are the first bits of both the same? */
static bool
has_same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned whole = bits / 8;
	unsigned rest = bits % 8;

	return memcmp(a, b, whole) == 0 &&
	       (rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0);
}

/* Each with the bits that count. IPv4 is written short. */
static const struct range {
	uint8_t bytes[16];
	unsigned prefix;
	const char *refused; /* why it cannot be on a list, or NULL */
} ranges[] = {
#define V4(a, b)                                               \
	{                                                      \
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b \
	}
    {V4(127, 0), 96 + 8, "the host's own ports are written localhost:PORT"},
    {V4(0, 0), 96 + 8, "nothing can be reached at this address"},
    {V4(224, 0), 96 + 4, "many are meant by this address"},
    {V4(240, 0), 96 + 4, "nothing can be reached at this address"},
    {V4(198, 18), 96 + 15, "198.18.0.0/15 stands for names inside"},
    {V4(10, 0), 96 + 8, NULL}, {V4(172, 16), 96 + 12, NULL},
    {V4(192, 168), 96 + 16, NULL}, {V4(100, 64), 96 + 10, NULL},
    {V4(169, 254), 96 + 16, NULL}, /* and the metadata of clouds */
    {V4(192, 0), 96 + 24, NULL},
#undef V4
    {{0xfc}, 7, NULL}, /* and their metadata */
    {{0xfe, 0x80}, 10, NULL}, {{0xfe, 0xc0}, 10, NULL},
    {{0xff}, 8, "many are meant by this address"},
    /* IPv4 in other clothes: what it leads to is not known here. */
    {{0, 0x64, 0xff, 0x9b}, 32, "write the IPv4 address itself"},
    {{0x20, 0x02}, 16, "write the IPv4 address itself"},
    {{0x20, 0x01}, 32, "write the IPv4 address itself"},
    {{0}, 8, "nothing can be reached at this address"}, /* ::1, :: */
};

static const struct range *
find_range(const uint8_t *address)
{
	size_t i;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		/* The last is for those that are not IPv4. */
		if (has_same_bits(address, ranges[i].bytes, ranges[i].prefix) &&
		    (ranges[i].prefix >= 96 || !is_v4(address)))
			return &ranges[i];
	return NULL;
}

void
omega_hosts_plain(const uint8_t *address, uint8_t *plain)
{
	static const uint8_t translated[12] = {0, 0x64, 0xff, 0x9b};

	memcpy(plain, address, 16);
	if (memcmp(address, translated, sizeof(translated)) == 0)
		memcpy(plain, mapped, sizeof(mapped));
}

unsigned
omega_hosts_is_inner(const uint8_t *address)
{
	const struct range *range = find_range(address);

	return range == NULL ? 0 : range->prefix;
}

/* ---- Reading ------------------------------------------------------------- */

struct reading {
	const char *text; /* all of it */
	size_t *at;
	const char **why;
};

static int
fault(const struct reading *r, const char *at, const char *why)
{
	*r->at = (size_t)(at - r->text);
	*r->why = why;
	return -EINVAL;
}

/* Digits without a leading zero, up to the end; -1: not that. */
static long
read_number(const char *from, const char *end, long most)
{
	long number = 0;

	if (from == end || end - from > 5 || (*from == '0' && end - from > 1))
		return -1;
	for (; from < end; from++) {
		if (*from < '0' || *from > '9')
			return -1;
		number = number * 10 + (*from - '0');
	}
	return number > most ? -1 : number;
}

/* Is the last part a number, so that programs may take it for an address? */
static bool
ends_in_number(const char *name)
{
	const char *last = strrchr(name, '.');

	last = last == NULL ? name : last + 1;
	if (last[0] == '0' && last[1] == 'x')
		return last[2 + strspn(last + 2, "0123456789abcdef")] == '\0';
	return last[strspn(last, "0123456789")] == '\0';
}

/* Letters, digits, "-" and "_" in parts of 1 to 63. */
static int
check_name(const struct reading *r, const char *from,
    const struct omega_hosts_entry *e)
{
	const char *part = e->name;
	const char *at;

	for (;; part = at + 1) {
		size_t len =
		    strspn(part, "abcdefghijklmnopqrstuvwxyz0123456789-_");

		at = part + len;
		if (*at == '*')
			return fault(r, from + (at - e->name),
			    "a star stands before the first dot, for any name "
			    "below: *.example.org");
		if (*at != '.' && *at != '\0')
			return fault(r, from + (at - e->name),
			    "a name has letters, digits, '-' and dots");
		if (len == 0 || len > 63)
			return fault(r, from + (part - e->name),
			    len == 0 ? "a part of the name is empty"
				     : "a part of the name is longer than 63");
		if (part[0] == '-' || at[-1] == '-')
			return fault(r, from + (part - e->name),
			    "no part of a name begins or ends with '-'");
		if (*at == '\0')
			return 0;
	}
}

static int
read_name(const struct reading *r, const char *from, const char *end,
    struct omega_hosts_entry *entry)
{
	size_t len = (size_t)(end - from);
	size_t i;
	int ret;

	if (len > 1 && from[len - 1] == '.')
		len--;
	if (len >= sizeof(entry->name))
		return fault(r, from, "the name is longer than 253");
	for (i = 0; i < len; i++)
		entry->name[i] =
		    (char)(from[i] >= 'A' && from[i] <= 'Z' ? from[i] | 0x20
							    : from[i]);
	entry->name[len] = '\0';
	ret = check_name(r, from, entry);
	if (ret < 0)
		return ret;
	if (ends_in_number(entry->name))
		return fault(r, from,
		    "this is no address, and a name does not end in a number");
	len = strlen(entry->name);
	if (strcmp(entry->name, "localhost") != 0)
		return len > 10 &&
			       strcmp(entry->name + len - 10, ".localhost") == 0
			   ? fault(r, from, "write localhost:PORT")
			   : 0;
	if (entry->kind != OMEGA_HOSTS_IS_NAME || entry->is_web)
		return fault(r, from, "write localhost:PORT");
	entry->kind = OMEGA_HOSTS_LOCAL;
	return 0;
}

/* ADDRESS or ADDRESS/BITS. */
static int
read_address(const struct reading *r, const char *from, const char *end,
    int family, struct omega_hosts_entry *entry)
{
	const char *slash = memchr(from, '/', (size_t)(end - from));
	size_t len = (size_t)((slash == NULL ? end : slash) - from);
	unsigned before = family == AF_INET ? OMEGA_HOSTS_V4 : 0;
	long most = 128 - (long)before;
	const struct range *range;
	long bits = most;
	char text[48] = "";
	unsigned i;

	if (len < sizeof(text))
		memcpy(text, from, len);
	memcpy(entry->address, mapped, before / 8);
	if (inet_pton(family, text, entry->address + before / 8) != 1)
		return fault(r, from,
		    family == AF_INET ? "this is no IPv4 address"
				      : "this is no IPv6 address");
	if (family == AF_INET6 && is_v4(entry->address))
		return fault(r, from, "write the IPv4 address itself");
	if (slash != NULL)
		bits = read_number(slash + 1, end, most);
	if (bits < 0)
		return fault(r, slash + 1,
		    family == AF_INET ? "a network has 0 to 32 bits"
				      : "a network has 0 to 128 bits");
	entry->kind = OMEGA_HOSTS_ADDRESS;
	entry->prefix = before + (unsigned)bits;
	for (i = entry->prefix; i < 128; i++)
		if ((entry->address[i / 8] >> (7 - i % 8) & 1) != 0)
			return fault(r, from,
			    "the address has bits beyond those of the network");
	range = find_range(entry->address);
	if (range != NULL && range->refused != NULL &&
	    entry->prefix >= range->prefix)
		return fault(r, from, range->refused);
	return 0;
}

/* Signs that stand nowhere in an entry. */
static int
check_signs(const struct reading *r, const char *from, const char *end)
{
	for (; from < end; from++) {
		if ((unsigned char)*from >= 0x80)
			return fault(r, from,
			    "not ASCII; write the name in its ASCII form "
			    "(xn--...)");
		if ((unsigned char)*from <= ' ' || *from == 0x7f)
			return fault(
			    r, from, "a blank or a sign that is not printed");
	}
	return 0;
}

/* The host begins at *from; "https://" before it is a port, and more. */
static int
read_scheme(const struct reading *r, const char **from, const char *end,
    struct omega_hosts_entry *entry)
{
	const char *sign = strstr(*from, "://");

	if (sign == NULL || sign >= end)
		return 0;
	if (strncasecmp(*from, "https://", 8) == 0)
		entry->port = 443;
	else if (strncasecmp(*from, "http://", 7) == 0)
		entry->port = 80;
	else
		return fault(r, *from,
		    "only http:// and https:// can stand before a host; write "
		    "HOST:PORT");
	*from = sign + 3;
	return 0;
}

/* ":PORT" at colon, if there is one. */
static int
read_port(const struct reading *r, const char *colon, const char *end,
    struct omega_hosts_entry *entry)
{
	long port;

	if (colon == end) {
		entry->is_web = true;
		return 0;
	}
	if (entry->port != 0)
		return fault(r, colon,
		    "a port besides http:// or https://; write HOST:PORT");
	port = read_number(colon + 1, end, UINT16_MAX);
	if (port <= 0)
		return fault(r, colon + 1, "this is not a port, 1 to 65535");
	entry->port = (uint16_t)port;
	return 0;
}

static int
read_bracketed(const struct reading *r, const char *from, const char *end,
    struct omega_hosts_entry *entry)
{
	const char *close = memchr(from, ']', (size_t)(end - from));
	int ret;

	if (close == NULL)
		return fault(r, from, "the bracket is not closed");
	if (close + 1 < end && close[1] != ':')
		return fault(r, close + 1, "a port is written [ADDRESS]:PORT");
	ret = read_port(r, close + 1, end, entry);
	return ret < 0 ? ret
		       : read_address(r, from + 1, close, AF_INET6, entry);
}

static int
read_plain(const struct reading *r, const char *from, const char *end,
    struct omega_hosts_entry *entry)
{
	const char *colon = memchr(from, ':', (size_t)(end - from));
	const char *host;
	int ret;

	if (colon == NULL)
		colon = end;
	else if (memchr(colon + 1, ':', (size_t)(end - colon - 1)) != NULL)
		return fault(r, from,
		    "an IPv6 address is written in brackets: "
		    "[2001:db8::1]:443");
	if (colon == from)
		return fault(r, from, "a host is missing");
	ret = read_port(r, colon, end, entry);
	if (ret < 0)
		return ret;
	host = memchr(from, '/', (size_t)(colon - from));
	if (host == NULL)
		host = colon;
	if (from + strspn(from, "0123456789.") >= host)
		return read_address(r, from, colon, AF_INET, entry);
	if (host < colon)
		return fault(r, host, "a host has no path");
	if (from[0] == '*' && from[1] == '.') {
		entry->kind = OMEGA_HOSTS_BELOW;
		from += 2;
	}
	return from == colon ? fault(r, from, "a name is missing")
			     : read_name(r, from, colon, entry);
}

int
omega_hosts_read(const char *text, struct omega_hosts_entry *entry, size_t *at,
    const char **why)
{
	const struct reading r = {text, at, why};
	const char *from = text + strspn(text, " \t");
	const char *end = from + strlen(from);
	int ret;

	memset(entry, 0, sizeof(*entry));
	while (end > from && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (from == end)
		return fault(&r, from, "it is empty");
	if (*from == '@')
		return fault(&r, from,
		    "no group of hosts is known yet; name them one by one");
	ret = check_signs(&r, from, end);
	if (ret == 0)
		ret = read_scheme(&r, &from, end, entry);
	if (ret < 0)
		return ret;
	return *from == '[' ? read_bracketed(&r, from, end, entry)
			    : read_plain(&r, from, end, entry);
}

void
omega_hosts_print(const struct omega_hosts_entry *entry, char *text)
{
	unsigned before = is_v4(entry->address) ? OMEGA_HOSTS_V4 : 0;
	char host[OMEGA_HOSTS_NAME + 8] = "";
	char bits[8] = "";
	char port[8] = "";

	snprintf(host, sizeof(host), "%s%s",
	    entry->kind == OMEGA_HOSTS_BELOW ? "*." : "", entry->name);
	if (entry->kind == OMEGA_HOSTS_ADDRESS) {
		if (entry->prefix < 128)
			snprintf(
			    bits, sizeof(bits), "/%u", entry->prefix - before);
		inet_ntop(before != 0 ? AF_INET : AF_INET6,
		    entry->address + before / 8, host, sizeof(host));
		strcat(host, bits);
	}
	if (entry->port != 0 && !entry->is_web)
		snprintf(port, sizeof(port), ":%u", (unsigned)entry->port);
	snprintf(text, OMEGA_HOSTS_TEXT, "%s%s%s%s%s",
	    !entry->is_web || entry->port == 0 ? ""
	    : entry->port == 80		       ? "http://"
					       : "https://",
	    strchr(host, ':') != NULL ? "[" : "", host,
	    strchr(host, ':') != NULL ? "]" : "", port);
}

/* ---- Two of them --------------------------------------------------------- */

/* Is the name below the other? */
static bool
is_below(const char *name, const char *other)
{
	size_t len = strlen(name);
	size_t tail = strlen(other);

	return len > tail + 1 && name[len - tail - 1] == '.' &&
	       strcmp(name + len - tail, other) == 0;
}

/* Is every host of the other one of this? */
static bool
contains(const struct omega_hosts_entry *entry,
    const struct omega_hosts_entry *other)
{
	if (entry->kind == OMEGA_HOSTS_BELOW)
		return (other->kind == OMEGA_HOSTS_BELOW &&
			   strcmp(other->name, entry->name) == 0) ||
		       ((other->kind == OMEGA_HOSTS_BELOW ||
			    other->kind == OMEGA_HOSTS_IS_NAME) &&
			   is_below(other->name, entry->name));
	if (entry->kind != other->kind)
		return false;
	if (entry->kind == OMEGA_HOSTS_ADDRESS)
		return entry->prefix <= other->prefix &&
		       omega_hosts_has_address(entry, other->address);
	return strcmp(entry->name, other->name) == 0;
}

bool
omega_hosts_has_port(const struct omega_hosts_entry *entry, uint16_t port)
{
	return entry->port == port ||
	       (entry->port == 0 && (port == 80 || port == 443));
}

bool
omega_hosts_on_port(const struct omega_hosts_entry *entry, uint16_t port,
    struct omega_hosts_entry *left)
{
	if (!omega_hosts_has_port(entry, port))
		return false;
	*left = *entry;
	left->port = port;
	return true;
}

bool
omega_hosts_common(const struct omega_hosts_entry *a,
    const struct omega_hosts_entry *b, struct omega_hosts_entry *both)
{
	bool is_web = a->is_web || b->is_web;
	uint16_t port = a->port == 0 ? b->port : a->port;

	if (port != 0 &&
	    (!omega_hosts_has_port(a, port) || !omega_hosts_has_port(b, port)))
		return false;
	if (contains(a, b))
		*both = *b;
	else if (contains(b, a))
		*both = *a;
	else
		return false;
	both->port = port;
	both->is_web = is_web;
	return true;
}

bool
omega_hosts_takes(
    const struct omega_hosts_entry *deny, const struct omega_hosts_entry *other)
{
	return contains(deny, other) &&
	       (deny->port == 0 || deny->port == other->port);
}

bool
omega_hosts_is_named(const struct omega_hosts_entry *entry, const char *name)
{
	if (entry->kind == OMEGA_HOSTS_BELOW)
		return is_below(name, entry->name);
	return entry->kind == OMEGA_HOSTS_IS_NAME &&
	       strcmp(entry->name, name) == 0;
}

bool
omega_hosts_has_address(
    const struct omega_hosts_entry *entry, const uint8_t *address)
{
	return entry->kind == OMEGA_HOSTS_ADDRESS &&
	       is_v4(entry->address) == is_v4(address) &&
	       has_same_bits(entry->address, address, entry->prefix);
}
