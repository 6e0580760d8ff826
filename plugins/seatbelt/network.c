/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * network.c - see profile.h.
 *
 * A rule about files does not keep anybody from connecting to a socket there:
 * that is asked as network-outbound.
 */

#include "profile.h"

#include "ways.h"

#define NAMES_PORT 53
#define READ_BITS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)

struct network {
	const struct profile_source *source;
	struct rules *rules;
	struct texts allowed; /* sockets that stay within reach */
	struct texts outbound; /* filters of what is refused */
	struct texts inbound;
	struct texts bind;
};

static int
has(const struct network *network, uint32_t kind)
{
	return profile_atom(network->source, kind) != NULL;
}

int
network_is_listed(const struct profile_source *source)
{
	return profile_atom(source, OMEGA_SANDBOX_ATOM_CONNECT) != NULL ||
	       profile_atom(source, OMEGA_SANDBOX_ATOM_CONNECT_UDP) != NULL;
}

int
network_is_without_names(const struct profile_source *source)
{
	const struct omega_sandbox_ports *ports = &source->request->connect_udp;
	size_t i;

	if (profile_atom(source, OMEGA_SANDBOX_ATOM_NETWORK) != NULL)
		return 1;
	if (!network_is_listed(source))
		return 0;
	/* A list of TCP ports alone closes UDP. */
	if (profile_atom(source, OMEGA_SANDBOX_ATOM_CONNECT_UDP) == NULL)
		return 1;
	for (i = 0; i < ports->count; i++)
		if (ports->list[i] == NAMES_PORT)
			return 0;
	return 1;
}

/* ---- UNIX sockets ---------------------------------------------------------
 */

/* Refuse connections to these, but for the allowed ones. */
static void
refuse_sockets(struct network *network, const char *filter)
{
	struct texts_buffer text = {.text = NULL};

	texts_print(&text, "%s%s",
	    network->allowed.count == 0 ? "" : "(require-all ", filter);
	rules_but(&text, &network->allowed);
	if (network->allowed.count != 0)
		texts_print(&text, ")");
	texts_add_buffer(&network->outbound, &text);
}

/* The same for each of these filters, which are dropped. */
static void
refuse_each(struct network *network, struct texts *filters)
{
	size_t i;

	for (i = 0; i < filters->count; i++)
		refuse_sockets(network, filters->list[i]);
	texts_drop_to(filters, &network->outbound);
}

/* "(remote unix-socket F)" for each filter of a place. */
static void
add_sockets(struct network *network, struct texts *filters, const char *path)
{
	struct texts places = {.list = NULL};
	size_t i;

	rules_add_place(network->rules, &places, path);
	for (i = 0; i < places.count; i++)
		texts_add(filters, "(remote unix-socket %s)", places.list[i]);
	texts_drop_to(&places, filters);
}

static void
find_allowed(struct network *network)
{
	const char *const *path = network->source->request->allow_sockets;

	for (; path != NULL && *path != NULL; path++)
		add_sockets(network, &network->allowed, *path);
}

static void
refuse_denied(struct network *network)
{
	const struct profile_source *source = network->source;
	const char *const *path = PROFILE_FIELD(source->request, unreadable);
	struct texts filters = {.list = NULL};
	size_t i;

	for (i = 0; i < source->count; i++)
		if (source->atoms[i]->kind == OMEGA_SANDBOX_ATOM_PATH &&
		    source->atoms[i]->path != NULL &&
		    (source->atoms[i]->access & READ_BITS) != 0)
			add_sockets(network, &filters, source->atoms[i]->path);
	for (; path != NULL && *path != NULL; path++)
		add_sockets(network, &filters, *path);
	texts_add_all(&network->outbound, &filters);
	texts_drop(&filters);
}

static void
refuse_launchers(struct network *network)
{
	const struct omega_sandbox_request *request = network->source->request;
	struct texts filters = {.list = NULL};
	size_t i;

	if (!has(network, OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS))
		return;
	for (i = 0; i < PROFILE_FIELD(request, service_count); i++)
		if (request->services[i]->type ==
		    OMEGA_SANDBOX_SERVICE_LAUNCHER_PATTERN)
			texts_add(&filters,
			    "(remote unix-socket (regex #\"%s\"))",
			    request->services[i]->path);
	refuse_each(network, &filters);
}

/* Those that processes of the caller have bound. That one is open whose name
 * cannot be said has been told. */
static void
refuse_found(struct network *network)
{
	const struct texts *sockets = network->source->sockets;
	struct texts filters = {.list = NULL};
	size_t i;

	if (!has(network, OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS))
		return;
	for (i = 0; sockets != NULL && i < sockets->count; i++)
		if (ways_refuse(sockets->list[i]) == NULL)
			add_sockets(network, &filters, sockets->list[i]);
	refuse_each(network, &filters);
}

/* ---- Ports ----------------------------------------------------------------
 */

/* "(require-not (remote tcp "*:443"))" for each; without a list for all. */
static void
except_ports(struct texts_buffer *text, const char *end, const char *protocol,
    const struct omega_sandbox_ports *ports)
{
	size_t i;

	if (ports == NULL)
		texts_print(
		    text, " (require-not (%s %s \"*:*\"))", end, protocol);
	for (i = 0; ports != NULL && i < ports->count; i++)
		texts_print(text, " (require-not (%s %s \"*:%u\"))", end,
		    protocol, (unsigned)ports->list[i]);
}

/*
 * The Internet but for some ports. With a list for TCP whatever is not TCP is
 * closed too, since it would go around it, and UDP unless it has a list.
 */
static void
refuse_ports(struct network *network, struct texts *filters, const char *end,
    const struct omega_sandbox_ports *tcp,
    const struct omega_sandbox_ports *udp)
{
	struct texts_buffer text = {.text = NULL};
	int is_tcp_listed = has(network, OMEGA_SANDBOX_ATOM_CONNECT) ||
			    has(network, OMEGA_SANDBOX_ATOM_BIND);
	int is_udp_listed = has(network, OMEGA_SANDBOX_ATOM_CONNECT_UDP) ||
			    has(network, OMEGA_SANDBOX_ATOM_BIND_UDP);

	texts_print(&text, "(require-all (%s ip)", end);
	except_ports(&text, end, "tcp", tcp);
	if (udp != NULL || is_udp_listed || !is_tcp_listed)
		except_ports(&text, end, "udp", udp);
	texts_print(&text, ")");
	texts_add_buffer(filters, &text);
}

static const struct omega_sandbox_ports *
ports_of(const struct network *network, uint32_t kind,
    const struct omega_sandbox_ports *ports)
{
	return has(network, kind) ? ports : NULL;
}

static void
refuse_internet(struct network *network)
{
	const struct omega_sandbox_request *request = network->source->request;
	const struct omega_sandbox_ports *to[2] = {
	    ports_of(network, OMEGA_SANDBOX_ATOM_CONNECT, &request->connect),
	    ports_of(network, OMEGA_SANDBOX_ATOM_CONNECT_UDP,
		&request->connect_udp)};
	const struct omega_sandbox_ports *at[2] = {
	    ports_of(network, OMEGA_SANDBOX_ATOM_BIND, &request->bind),
	    ports_of(network, OMEGA_SANDBOX_ATOM_BIND_UDP, &request->bind_udp)};

	if (has(network, OMEGA_SANDBOX_ATOM_NETWORK)) {
		texts_add(&network->outbound, "(remote ip)");
		texts_add(&network->inbound, "(local ip)");
		texts_add(&network->bind, "(local ip)");
		return;
	}
	if (to[0] == NULL && to[1] == NULL && at[0] == NULL && at[1] == NULL)
		return;
	refuse_ports(network, &network->outbound, "remote", to[0], to[1]);
	refuse_ports(network, &network->inbound, "local", at[0], at[1]);
	refuse_ports(network, &network->bind, "local", at[0], at[1]);
}

/* ---- All of it ------------------------------------------------------------
 */

static void
write_families(const struct network *network)
{
	const struct omega_sandbox_atom *internet =
	    profile_atom(network->source, OMEGA_SANDBOX_ATOM_NETWORK);
	int is_internet_open =
	    internet == NULL ||
	    (internet->access & OMEGA_SANDBOX_ATOM_CREATE) == 0;
	struct texts only = {.list = NULL};

	texts_add(&only, "(socket-domain AF_UNIX)");
	if (is_internet_open) {
		texts_add(&only, "(socket-domain AF_INET)");
		texts_add(&only, "(socket-domain AF_INET6)");
	}
	if (has(network, OMEGA_SANDBOX_ATOM_FAMILIES) || !is_internet_open)
		rules_limit(network->rules, "system-socket", &only, NULL);
	else
		rules_permit(network->rules, "system-socket");
	texts_drop(&only);
}

void
network_write(const struct profile_source *source, struct rules *rules)
{
	struct network network = {.source = source, .rules = rules};
	/* A profile goes by names: sockets of one's own have none that would
	 * tell them from others. */
	uint32_t which = PROFILE_FIELD(source->request, unix_sockets);
	int is_local_closed =
	    has(&network, OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS) &&
	    which != OMEGA_SANDBOX_UNIX_ALL;
	int is_closed =
	    has(&network, OMEGA_SANDBOX_ATOM_NETWORK) && is_local_closed;

	if (which != OMEGA_SANDBOX_UNIX_NONE &&
	    (has(&network, OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS) ||
		has(&network, OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS)))
		find_allowed(&network);
	if (is_closed && network.allowed.count == 0) {
		rules_refuse(rules, "network*");
	} else {
		refuse_denied(&network);
		refuse_launchers(&network);
		if (is_local_closed)
			refuse_sockets(&network, "(remote unix-socket)");
		else
			refuse_found(&network);
		if (is_local_closed && which == OMEGA_SANDBOX_UNIX_NONE)
			texts_add(&network.bind, "(local unix-socket)");
		refuse_internet(&network);
		/* Names are asked of the network by others. */
		if (network_is_without_names(source))
			texts_add(&network.outbound,
			    "(remote unix-socket "
			    "(regex #\"/var/run/mDNSResponder$\"))");
		rules_limit(rules, "network-outbound", NULL, &network.outbound);
		rules_limit(rules, "network-inbound", NULL, &network.inbound);
		rules_limit(rules, "network-bind", NULL, &network.bind);
	}
	write_families(&network);
	texts_drop(&network.allowed);
	texts_drop(&network.outbound);
	texts_drop(&network.inbound);
	texts_drop(&network.bind);
}
