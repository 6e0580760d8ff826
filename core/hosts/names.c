/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * names.c - see helper.h.
 *
 * 198.18.1.0 and what follows stands for names, one each, never for another
 * one later. Names below a listed one come up as programs ask for them; there
 * is a bound, since each may become a question to a server outside.
 */

#include "config.h"

#include "hosts/helper.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ENTRIES 4096
#define MAX_BELOW 256 /* names below listed ones */
#define FIRST 0xc6120100u /* 198.18.1.0 */

struct names names;

static int
add_entry(struct omega_hosts_entry **list, size_t *count, const char *text)
{
	struct omega_hosts_entry *grown;
	const char *why;
	size_t at;

	if (*count == MAX_ENTRIES)
		return -E2BIG;
	grown = realloc(*list, (*count + 1) * sizeof(**list));
	if (grown == NULL)
		return -ENOMEM;
	*list = grown;
	if (omega_hosts_read(text, &grown[*count], &at, &why) < 0)
		return -EINVAL;
	++*count;
	return 0;
}

static struct known *
add_known(const char *name)
{
	struct known *known = &names.known[names.known_count];

	if (names.known_count == names.known_most)
		return NULL;
	memset(known, 0, sizeof(*known));
	strcpy(known->name, name);
	names.known_count++;
	return known;
}

static struct known *
find_known(const char *name)
{
	size_t i;

	for (i = 0; i < names.known_count; i++)
		if (strcmp(names.known[i].name, name) == 0)
			return &names.known[i];
	return NULL;
}

/* "HOST:PORT" */
static int
set_proxy(char *text)
{
	struct known *proxy = &names.known[names.known_most];
	char *colon = strrchr(text, ':');
	size_t len;

	if (colon == NULL)
		return -EINVAL;
	*colon = '\0';
	names.proxy_port = (uint16_t)strtoul(colon + 1, NULL, 10);
	len = strlen(text);
	if (text[0] == '[' && text[len - 1] == ']') {
		text[len - 1] = '\0';
		text++;
	}
	if (strlen(text) >= sizeof(proxy->name))
		return -EINVAL;
	strcpy(proxy->name, text);
	names.proxy = proxy;
	return 0;
}

int
names_read(char *text)
{
	char *line;
	char *rest = text;
	char *proxy = NULL;
	size_t i;
	int ret = 0;

	while (ret == 0 && (line = strsep(&rest, "\n")) != NULL) {
		if (line[0] == '+' && line[1] == '@')
			proxy = line + 2;
		else if (line[0] == '+')
			ret = add_entry(&names.listed, &names.count, line + 1);
		else if (line[0] == '-')
			ret = add_entry(
			    &names.denied, &names.denied_count, line + 1);
		else if (line[0] == '!')
			names.is_any = true;
		else if (line[0] != '\0')
			ret = -EINVAL;
	}
	if (ret < 0)
		return ret;
	names.known_most = names.count + MAX_BELOW;
	names.known = calloc(names.known_most + 1, sizeof(*names.known));
	if (names.known == NULL)
		return -ENOMEM;
	for (i = 0; i < names.count; i++)
		if (names.listed[i].kind == OMEGA_HOSTS_IS_NAME &&
		    find_known(names.listed[i].name) == NULL)
			add_known(names.listed[i].name);
	names.exact_count = names.known_count;
	return proxy == NULL ? 0 : set_proxy(proxy);
}

static int
add_port(struct omega_sandbox_hosts_plan *plan, uint16_t port)
{
	uint32_t i;

	for (i = 0; i < plan->port_count; i++)
		if (plan->ports[i] == port)
			return 0;
	if (plan->port_count == OMEGA_SANDBOX_HOSTS_MAX_PORTS)
		return -E2BIG;
	plan->ports[plan->port_count++] = port;
	return 0;
}

static int
add_route(struct omega_sandbox_hosts_plan *plan, const uint8_t *address,
    unsigned prefix)
{
	struct omega_sandbox_hosts_route *route =
	    &plan->routes[plan->route_count];

	if (plan->route_count == OMEGA_SANDBOX_HOSTS_MAX_ROUTES)
		return -E2BIG;
	memcpy(route->address, address, sizeof(route->address));
	route->prefix = (uint8_t)prefix;
	plan->route_count++;
	return 0;
}

/* A program that still has the host's list of name servers finds us there. */
static int
add_servers(struct omega_sandbox_hosts_plan *plan)
{
	FILE *file = fopen("/etc/resolv.conf", "re");
	uint8_t address[16] = {[10] = 0xff, [11] = 0xff};
	char line[256];
	char text[64];
	int ret = 0;

	while (
	    ret == 0 && file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "nameserver %63s", text) == 1 &&
		    inet_pton(AF_INET, text, address + 12) == 1 &&
		    address[12] != 127)
			ret = add_route(plan, address, 128);
	if (file != NULL)
		fclose(file);
	return ret;
}

void
names_plan(struct omega_sandbox_hosts_plan *plan)
{
	size_t i;
	int ret = add_servers(plan);

	for (i = 0; ret == 0 && i < names.count; i++) {
		const struct omega_hosts_entry *entry = &names.listed[i];

		if (entry->port != 0)
			ret = add_port(plan, entry->port);
		else if ((ret = add_port(plan, 80)) == 0)
			ret = add_port(plan, 443);
		if (ret == 0 && entry->kind == OMEGA_HOSTS_ADDRESS)
			ret = add_route(plan, entry->address, entry->prefix);
	}
	plan->error = (uint32_t)-ret;
}

bool
names_are_denied(const char *name, uint16_t port)
{
	size_t i;

	for (i = 0; i < names.denied_count; i++)
		if (omega_hosts_is_named(&names.denied[i], name) &&
		    (names.denied[i].port == 0 || names.denied[i].port == port))
			return true;
	return false;
}

bool
names_find(void *arg, const char *name, bool is_again, uint8_t *address)
{
	struct known *known = find_known(name);
	uint32_t number;
	size_t i;

	(void)arg;
	if (strcmp(name, "localhost") == 0) {
		memcpy(address, "\x7f\0\0\1", 4);
		return true;
	}
	if (names_are_denied(name, 0)) {
		refused_add(name, 0, OMEGA_SANDBOX_HOST_DENIED, is_again);
		return false;
	}
	for (i = 0; known == NULL && i < names.count; i++)
		if (names.listed[i].kind == OMEGA_HOSTS_BELOW &&
		    omega_hosts_is_named(&names.listed[i], name))
			known = add_known(name);
	if (known == NULL) {
		refused_add(name, 0, OMEGA_SANDBOX_HOST_UNLISTED, is_again);
		return false;
	}
	known->is_below = (size_t)(known - names.known) >= names.exact_count;
	number = htonl(FIRST + (uint32_t)(known - names.known));
	memcpy(address, &number, 4);
	return true;
}

/* The index of the name that the four bytes stand for. */
static struct known *
known_at(const uint8_t *address)
{
	uint32_t number;

	memcpy(&number, address, 4);
	number = ntohl(number) - FIRST;
	return number < names.known_count ? &names.known[number] : NULL;
}

const char *
names_of(void *arg, const uint8_t *address)
{
	const struct known *known = known_at(address);

	(void)arg;
	if (address[0] == 127)
		return "localhost";
	return known == NULL ? NULL : known->name;
}

struct known *
names_dialled(const uint8_t *address)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return memcmp(address, mapped, 12) == 0 ? known_at(address + 12) : NULL;
}

const struct omega_hosts_entry *
names_let(const char *name, uint16_t port)
{
	const struct omega_hosts_entry *found = NULL;
	size_t i;

	if (names_are_denied(name, port))
		return NULL;
	for (i = 0; i < names.count; i++)
		if (omega_hosts_is_named(&names.listed[i], name) &&
		    omega_hosts_has_port(&names.listed[i], port) &&
		    (found == NULL || found->is_web))
			found = &names.listed[i];
	return found;
}

bool
names_let_address(
    const uint8_t *dialled, uint16_t port, bool is_named, bool is_own)
{
	uint8_t address[16];
	unsigned bits;
	size_t i;

	omega_hosts_plain(dialled, address);
	bits = omega_hosts_is_inner(address);

	for (i = 0; i < names.denied_count; i++)
		if (omega_hosts_has_address(&names.denied[i], address) &&
		    (names.denied[i].port == 0 || names.denied[i].port == port))
			return false;
	if (is_named && bits == 0 && !is_own)
		return true;
	for (i = 0; i < names.count; i++)
		if (omega_hosts_has_address(&names.listed[i], address) &&
		    omega_hosts_has_port(&names.listed[i], port) &&
		    names.listed[i].prefix >= bits)
			return true;
	return false;
}
