/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * carry.c - see helper.h.
 *
 * Bytes are looked at where they are, in the kernel's buffer, and taken out of
 * it when they have been passed on: a side that does not read costs no memory
 * here. Until a connection has ended in order, closing it is a reset, so that
 * nobody takes half of a file for all of it, not even when this process is
 * killed.
 */

#include "config.h"

#include "hosts/helper.h"

#include <sys/socket.h>
#include <netinet/tcp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hosts/speech.h"

#define SIZE (256u << 10)
#define ACCEPTS 16 /* before anything else is looked at */
#define ROUNDS 4
#define MANY 32 /* connections, from which on buffers are small */
#define SMALL (128 << 10)
#define LOOK_UP_MS 30000
#define DIAL_MS 10000
#define NEXT_MS 3000 /* where there is another address */
#define SPEAK_MS 15000
/* Names below listed ones, which anybody makes up, that are looked up at once;
 * for those that are listed others are left. */
#define MAX_BELOW 10
#define FRESH_MS 2000 /* an answer about a name is used */

enum side { INSIDE, OUTSIDE };

struct end {
	struct source source;
	struct carried *carried;
	bool is_read; /* up to its end */
	bool is_full; /* does not take more now */
};

struct carried {
	struct carried *next;
	struct carried **link;
	struct end ends[2];
	struct known *known; /* NULL: by address */
	struct known *via; /* who is looked up: that one, or the proxy */
	bool is_asking; /* the proxy */
	char *target; /* for it, "HOST:PORT" */
	struct omega_speech speech;
	uint16_t port;
	bool is_local; /* the host's own port */
	bool is_waiting; /* for the answer about a name */
	bool is_joined;
	bool is_said; /* the command has sent all it will */
	bool is_refused; /* one of its addresses */
	bool is_gone; /* to be freed when nobody looks at it */
	uint64_t deadline; /* 0: none */
	size_t tried;
	size_t count;
	uint8_t addresses[HELPER_MAX_ADDRESSES][16];
};

static struct carried *all;
static struct carried *gone;
static size_t open_count;
static size_t most = 1024;
static int outside = -1;
static size_t below_asked;
static uint8_t buffer[SIZE];

struct listener {
	struct source source;
	uint16_t port;
};

static void inside_ready(struct source *source, uint32_t events);
static void outside_ready(struct source *source, uint32_t events);

void
carry_limit(size_t limit)
{
	most = limit < most ? limit : most;
}

void
carry_set_outside(int fd)
{
	outside = fd;
}

bool
carry_has_any(void)
{
	return all != NULL;
}

static void
set_number(int fd, int level, int name, int value)
{
	setsockopt(fd, level, name, &value, sizeof(value));
}

/* With many open, a side that does not read holds less of the kernel's
 * memory, and is slower. */
static void
bound(int fd)
{
	if (open_count <= MANY)
		return;
	set_number(fd, SOL_SOCKET, SO_SNDBUF, SMALL);
	set_number(fd, SOL_SOCKET, SO_RCVBUF, SMALL);
}

/* Closing it is a reset, or the end it should be. */
static void
set_reset(int fd, bool is_reset)
{
	const struct linger linger = {.l_onoff = is_reset, .l_linger = 0};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
}

static void
end(struct carried *c)
{
	int i;

	if (c->is_gone)
		return;
	for (i = 0; i < 2; i++)
		if (c->ends[i].source.fd >= 0)
			close(c->ends[i].source.fd);
	*c->link = c->next;
	if (c->next != NULL)
		c->next->link = c->link;
	c->next = gone;
	gone = c;
	c->is_gone = true;
	open_count--;
}

static void
refuse(const struct carried *c, enum omega_sandbox_host_reason reason)
{
	if (c->known != NULL)
		refused_add(c->known->name, c->port, reason, false);
	else
		refused_add_address(c->addresses[0], c->port, reason);
}

static void
end_well(struct carried *c)
{
	set_reset(c->ends[INSIDE].source.fd, false);
	set_reset(c->ends[OUTSIDE].source.fd, false);
	end(c);
}

/* Wait for what can go on. */
static void
watch(struct carried *c)
{
	int i;

	for (i = 0; i < 2 && !c->is_gone; i++) {
		const struct end *other = &c->ends[!i];
		struct end *own = &c->ends[i];
		uint32_t events = 0;

		if (own->source.fd < 0)
			continue;
		if (c->is_joined && !own->is_read && !other->is_full)
			events |= EPOLLIN | EPOLLRDHUP;
		if (i == OUTSIDE && c->is_asking)
			events |= EPOLLIN;
		else if (own->is_full || (i == OUTSIDE && !c->is_joined))
			events |= EPOLLOUT;
		if (loop_watch(&own->source, events) < 0)
			end(c);
	}
}

/* ---- To the outside ------------------------------------------------------ */

static socklen_t
make_address(const uint8_t *address, uint16_t port, struct sockaddr_storage *to)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	memset(to, 0, sizeof(*to));
	if (memcmp(address, mapped, 12) == 0) {
		struct sockaddr_in *in = (struct sockaddr_in *)to;

		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		memcpy(&in->sin_addr, address + 12, 4);
		return sizeof(*in);
	} else {
		struct sockaddr_in6 *in = (struct sockaddr_in6 *)to;

		in->sin6_family = AF_INET6;
		in->sin6_port = htons(port);
		memcpy(&in->sin6_addr, address, 16);
		return sizeof(*in);
	}
}

/* Is it the host's own? Then it is what the kernel would send from. */
static bool
is_own(const uint8_t *address)
{
	struct sockaddr_storage at;
	socklen_t len = make_address(address, 9, &at);
	uint8_t from[16] = {0};
	bool ret = true; /* who cannot find out does not connect */
	int fd;

	fd = socket(at.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return true;
	if (connect(fd, (struct sockaddr *)&at, len) != 0) {
		ret = false; /* nothing leads there */
	} else {
		len = sizeof(at);
		if (getsockname(fd, (struct sockaddr *)&at, &len) == 0) {
			carry_bytes(&at, from);
			ret = memcmp(from, address, 16) == 0;
		}
	}
	close(fd);
	return ret;
}

/* Begin to connect to the next address that may be. */
static void
dial(struct carried *c)
{
	struct end *out = &c->ends[OUTSIDE];
	struct sockaddr_storage to;
	const bool is_proxy = c->via != NULL && c->via == names.proxy;
	socklen_t len;

	c->is_asking = false;
	while (c->tried < c->count) {
		const uint8_t *address = c->addresses[c->tried++];

		if (out->source.fd >= 0)
			close(out->source.fd);
		out->source.fd = -1;
		out->source.is_watched = false;
		if (!c->is_local && !is_proxy &&
		    !names_let_address(
			address, c->port, c->known != NULL, is_own(address))) {
			c->is_refused = true;
			continue;
		}
		len = make_address(
		    address, is_proxy ? names.proxy_port : c->port, &to);
		out->source.fd = socket(to.ss_family,
		    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (out->source.fd < 0)
			continue;
		set_reset(out->source.fd, true);
		set_number(out->source.fd, IPPROTO_TCP, TCP_NODELAY, 1);
		set_number(out->source.fd, SOL_SOCKET, SO_KEEPALIVE, 1);
		bound(out->source.fd);
		if (connect(out->source.fd, (struct sockaddr *)&to, len) != 0 &&
		    errno != EINPROGRESS)
			continue;
		c->deadline =
		    loop_now() + (c->tried < c->count ? NEXT_MS : DIAL_MS);
		watch(c);
		return;
	}
	refuse(c, !c->is_refused     ? OMEGA_SANDBOX_HOST_ABSENT
		  : c->known != NULL ? OMEGA_SANDBOX_HOST_ADDRESS
				     : OMEGA_SANDBOX_HOST_UNLISTED);
	end(c);
}

static void
take_addresses(struct carried *c)
{
	c->is_waiting = false;
	c->count = c->via->count;
	memcpy(c->addresses, c->via->addresses, sizeof(c->addresses));
	dial(c);
}

void
carry_told(const struct told *told)
{
	struct known *known;
	struct carried *c;
	struct carried *next;

	if ((told->index >= names.known_count &&
		&names.known[told->index] != names.proxy) ||
	    told->count > HELPER_MAX_ADDRESSES)
		return;
	known = &names.known[told->index];
	if (known->is_asked && known->is_below)
		below_asked--;
	known->is_asked = false;
	known->until = loop_now() + FRESH_MS;
	known->count = told->count;
	memcpy(known->addresses, told->addresses, sizeof(known->addresses));
	for (c = all; c != NULL; c = next) {
		next = c->next;
		if (c->via == known && c->is_waiting)
			take_addresses(c);
	}
}

static void
ask(struct carried *c)
{
	struct asked asked = {.index = (uint32_t)(c->via - names.known)};

	if (!c->via->is_asked && c->via->until > loop_now()) {
		take_addresses(c);
		return;
	}
	memcpy(asked.name, c->via->name, sizeof(asked.name));
	if (!c->via->is_asked &&
	    ((c->via->is_below && below_asked >= MAX_BELOW) ||
		send(outside, &asked, sizeof(asked),
		    MSG_DONTWAIT | MSG_NOSIGNAL) < 0)) {
		end(c);
		return;
	}
	if (!c->via->is_asked && c->via->is_below)
		below_asked++;
	c->via->is_asked = true;
	c->is_waiting = true;
	c->deadline = loop_now() + LOOK_UP_MS;
	watch(c);
}

/* ---- Bytes --------------------------------------------------------------- */

/* May what the command says go on? 1: yes; 0: not yet; -1: never. */
static int
judge(struct carried *c)
{
	const int fd = c->ends[INSIDE].source.fd;
	ssize_t n;
	int ret;

	if (c->speech.kind == OMEGA_SPEECH_FREE || c->speech.pass > 0)
		return 1;
	n = recv(fd, buffer, OMEGA_SPEECH_MOST, MSG_PEEK | MSG_DONTWAIT);
	if (n == 0)
		return 1;
	if (n < 0)
		return errno == EAGAIN ? 0 : -1;
	ret = omega_speech_look(&c->speech, buffer, (size_t)n);
	if (ret == 0 && c->is_said)
		ret = -1;
	if (ret < 0) {
		refuse(c, OMEGA_SANDBOX_HOST_SAID);
		return ret;
	}
	/* Not to be told before there is more. */
	set_number(fd, SOL_SOCKET, SO_RCVLOWAT, ret == 0 ? (int)n + 1 : 1);
	if (ret > 0)
		c->deadline = 0;
	return ret;
}

/* One portion. 1: there may be more; 0: not now; -1: it is over. */
static int
pass_on(struct carried *c, enum side from)
{
	struct end *in = &c->ends[from];
	struct end *out = &c->ends[!from];
	size_t size = sizeof(buffer);
	ssize_t n;
	ssize_t sent;
	int ret;

	if (in->is_read || out->is_full)
		return 0;
	if (from == INSIDE) {
		ret = judge(c);
		if (ret <= 0)
			return ret;
		if (c->speech.kind != OMEGA_SPEECH_FREE &&
		    c->speech.pass < size && c->speech.pass > 0)
			size = (size_t)c->speech.pass;
	}
	n = recv(in->source.fd, buffer, size, MSG_PEEK | MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN ? 0 : -1;
	if (n == 0) {
		in->is_read = true;
		return shutdown(out->source.fd, SHUT_WR) == 0 ? 0 : -1;
	}
	sent = send(
	    out->source.fd, buffer, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (sent < 0 && errno != EAGAIN)
		return -1;
	if (sent < n)
		out->is_full = true;
	if (sent <= 0)
		return 0;
	/* For TCP this takes them away, and copies nothing. */
	if (recv(in->source.fd, NULL, (size_t)sent, MSG_TRUNC | MSG_DONTWAIT) !=
	    sent)
		return -1;
	if (from == INSIDE && c->speech.kind != OMEGA_SPEECH_FREE)
		c->speech.pass -= (uint64_t)sent;
	/* Servers of neither TLS nor HTTP speak first. */
	if (from == OUTSIDE && c->speech.kind == OMEGA_SPEECH_OPEN) {
		c->speech.kind = OMEGA_SPEECH_FREE;
		set_number(out->source.fd, SOL_SOCKET, SO_RCVLOWAT, 1);
	}
	return 1;
}

static void
move(struct carried *c, enum side from)
{
	int rounds = ROUNDS;
	int ret = 1;

	while (ret > 0 && rounds-- > 0)
		ret = pass_on(c, from);
	if (ret < 0)
		end(c);
	else if (c->ends[INSIDE].is_read && c->ends[OUTSIDE].is_read)
		end_well(c);
	else
		watch(c);
}

/* ---- Events -------------------------------------------------------------- */

static void
join(struct carried *c)
{
	c->is_joined = true;
	c->deadline = c->speech.kind == OMEGA_SPEECH_TLS ||
			      c->speech.kind == OMEGA_SPEECH_HTTP
			  ? loop_now() + SPEAK_MS
			  : 0;
	watch(c);
}

/* The proxy is there: have it connect. */
static void
ask_proxy(struct carried *c)
{
	const int fd = c->ends[OUTSIDE].source.fd;
	char text[2 * OMEGA_HOSTS_TEXT + 64];
	int len = snprintf(text, sizeof(text),
	    "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", c->target, c->target);

	c->is_asking = true;
	c->deadline = loop_now() + LOOK_UP_MS;
	if (send(fd, text, (size_t)len, MSG_DONTWAIT | MSG_NOSIGNAL) != len)
		dial(c);
	else
		watch(c);
}

/* What it says, up to an empty line; the rest is the host's. */
static void
hear_proxy(struct carried *c)
{
	const int fd = c->ends[OUTSIDE].source.fd;
	char text[8193];
	ssize_t n = recv(fd, text, sizeof(text) - 1, MSG_PEEK | MSG_DONTWAIT);
	const char *last;
	size_t size;

	if (n < 0 && errno == EAGAIN)
		return;
	text[n < 0 ? 0 : n] = '\0';
	last = strstr(text, "\r\n\r\n");
	if (n > 0 && last == NULL && n < (ssize_t)sizeof(text) - 1) {
		set_number(fd, SOL_SOCKET, SO_RCVLOWAT, (int)n + 1);
		return;
	}
	size = last == NULL ? 0 : (size_t)(last - text) + 4;
	if (size == 0 || strncmp(text, "HTTP/1.", 7) != 0 ||
	    strncmp(text + 8, " 200", 4) != 0 ||
	    recv(fd, NULL, size, MSG_TRUNC | MSG_DONTWAIT) != (ssize_t)size) {
		refuse(c, OMEGA_SANDBOX_HOST_PROXY);
		end(c);
		return;
	}
	set_number(fd, SOL_SOCKET, SO_RCVLOWAT, 1);
	c->is_asking = false;
	join(c);
}

static void
handle(struct carried *c, enum side side, uint32_t events)
{
	struct end *own = &c->ends[side];
	int error = 0;
	socklen_t len = sizeof(error);

	if (c->is_gone)
		return;
	if (side == OUTSIDE && !c->is_joined) {
		if (getsockopt(own->source.fd, SOL_SOCKET, SO_ERROR, &error,
			&len) != 0 ||
		    error != 0)
			dial(c);
		else if (c->is_asking)
			hear_proxy(c);
		else if ((events & EPOLLOUT) == 0)
			return;
		else if (c->target != NULL)
			ask_proxy(c);
		else
			join(c);
		return;
	}
	if ((events & (EPOLLERR | EPOLLHUP)) != 0 &&
	    (own->source.events & EPOLLIN) == 0) {
		end(c);
		return;
	}
	if (side == INSIDE && (events & EPOLLRDHUP) != 0)
		c->is_said = true;
	if ((events & EPOLLOUT) != 0) {
		own->is_full = false;
		move(c, !side);
	}
	if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0 && !c->is_gone &&
	    c->is_joined)
		move(c, side);
}

static void
inside_ready(struct source *source, uint32_t events)
{
	handle(((struct end *)source)->carried, INSIDE, events);
}

static void
outside_ready(struct source *source, uint32_t events)
{
	handle(((struct end *)source)->carried, OUTSIDE, events);
}

void
carry_tick(void)
{
	static uint64_t last;
	const uint64_t now = loop_now();
	struct carried *c;
	struct carried *next;

	for (c = now < last + 200 ? NULL : all; c != NULL; c = next) {
		next = c->next;
		last = now;
		if (c->deadline == 0 || c->deadline > now)
			continue;
		if (!c->is_joined && !c->is_waiting) {
			dial(c); /* the next address, if there is one */
			continue;
		}
		refuse(c, c->is_joined ? OMEGA_SANDBOX_HOST_SAID
				       : OMEGA_SANDBOX_HOST_ABSENT);
		end(c);
	}
	while (gone != NULL) {
		c = gone;
		gone = c->next;
		free(c->target);
		free(c);
	}
}

/* ---- From inside --------------------------------------------------------- */

static bool
lets_local(uint16_t port)
{
	size_t i;

	for (i = 0; i < names.denied_count; i++)
		if (names.denied[i].kind == OMEGA_HOSTS_LOCAL &&
		    names.denied[i].port == port)
			return false;
	for (i = 0; i < names.count; i++)
		if (names.listed[i].kind == OMEGA_HOSTS_LOCAL &&
		    names.listed[i].port == port)
			return true;
	return false;
}

/* What was dialled, and may it be? */
static bool
begin(struct carried *c, const uint8_t *dialled)
{
	static const uint8_t loopback[2][16] = {
	    {[10] = 0xff, 0xff, 127, 0, 0, 1}, {[15] = 1}};
	const struct omega_hosts_entry *entry;

	c->speech.kind = OMEGA_SPEECH_FREE;
	c->speech.port = c->port;
	c->known = names_dialled(dialled);
	if (c->known != NULL) {
		entry = names_let(c->known->name, c->port);
		if (entry == NULL) {
			refuse(c, names_are_denied(c->known->name, c->port)
				      ? OMEGA_SANDBOX_HOST_DENIED
				      : OMEGA_SANDBOX_HOST_PORT);
			return false;
		}
		c->speech.name = c->known->name;
		if (names.is_any)
			return true;
		c->speech.kind = OMEGA_SPEECH_OPEN;
		if (entry->is_web)
			c->speech.kind = c->port == 443 ? OMEGA_SPEECH_TLS
							: OMEGA_SPEECH_HTTP;
		return true;
	}
	c->is_local = memcmp(dialled, loopback[0], 13) == 0 ||
		      memcmp(dialled, loopback[1], 16) == 0;
	if (c->is_local) {
		memcpy(c->addresses, loopback, sizeof(loopback));
		c->count = 2;
		if (!lets_local(c->port))
			refuse(c, OMEGA_SANDBOX_HOST_UNLISTED);
		return lets_local(c->port);
	}
	memcpy(c->addresses[0], dialled, 16);
	c->count = 1;
	return true; /* dial() looks at the address */
}

/* By the proxy, if there is one: it is who looks up the name then. */
static bool
choose_way(struct carried *c, const uint8_t *dialled)
{
	char address[OMEGA_HOSTS_TEXT];
	const char *host = address;

	c->via = c->known;
	if (names.proxy == NULL || c->is_local)
		return true;
	if (c->known != NULL) {
		host = c->known->name;
	} else if (names_let_address(dialled, c->port, false, false)) {
		refused_print(dialled, address);
	} else {
		refuse(c, OMEGA_SANDBOX_HOST_UNLISTED);
		return false;
	}
	c->via = names.proxy;
	return asprintf(&c->target, "%s:%u", host, (unsigned)c->port) > 0;
}

static void
take(int fd, uint16_t port)
{
	struct carried *c = calloc(1, sizeof(*c));
	struct sockaddr_storage at;
	socklen_t len = sizeof(at);
	uint8_t dialled[16];

	set_reset(fd, true);
	if (c == NULL || open_count >= most ||
	    getsockname(fd, (struct sockaddr *)&at, &len) != 0) {
		close(fd);
		free(c);
		return;
	}
	set_number(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	bound(fd);
	carry_bytes(&at, dialled);
	c->port = port;
	c->ends[INSIDE].carried = c->ends[OUTSIDE].carried = c;
	c->ends[INSIDE].source.fd = fd;
	c->ends[INSIDE].source.ready = inside_ready;
	c->ends[OUTSIDE].source.fd = -1;
	c->ends[OUTSIDE].source.ready = outside_ready;
	c->next = all;
	c->link = &all;
	if (all != NULL)
		all->link = &c->next;
	all = c;
	open_count++;
	if (!begin(c, dialled) || !choose_way(c, dialled))
		end(c);
	else if (c->via != NULL)
		ask(c);
	else
		dial(c);
}

static void
accept_ready(struct source *source, uint32_t events)
{
	const struct listener *listener = (struct listener *)source;
	int left = ACCEPTS;
	int fd;

	(void)events;
	while (left-- > 0 && (fd = loop_accept(source->fd)) >= 0)
		take(fd, listener->port);
}

int
carry_listen(int fd, uint16_t port)
{
	struct listener *listener = calloc(1, sizeof(*listener));

	if (listener == NULL)
		return -ENOMEM;
	listener->source.fd = fd;
	listener->source.ready = accept_ready;
	listener->port = port;
	return loop_watch(&listener->source, EPOLLIN);
}
