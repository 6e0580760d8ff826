/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * helper.h - the program omega-sandbox-hosts, which joins what commands connect
 * to with the hosts outside.
 *
 *   main.c     what it is told; the loop; questions about names
 *   names.c    who is listed, and which address stands for whom
 *   carry.c    connections
 *   outside.c  the process that looks names up, as the host does
 *   refused.c  who was not reached, written down for the core
 *   confine.c  what it gives up before the first byte of a command
 *   dns.c, speech.c   bytes, without system calls
 */

#ifndef OMEGA_HOSTS_HELPER_H
#define OMEGA_HOSTS_HELPER_H

#include <sys/epoll.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <omega/sandbox-plugin.h>
#include <omega/sandbox.h>

#include "base/hosts.h"

#define HELPER_MAX_ADDRESSES 8

/* ---- Names --------------------------------------------------------------- */

/* A name that has an address inside, for as long as there is a command. */
struct known {
	char name[OMEGA_HOSTS_NAME];
	bool is_below; /* not listed itself */
	bool is_asked; /* outside has been asked, and has not answered */
	uint64_t until; /* ms: the answer may be used */
	size_t count;
	uint8_t addresses[HELPER_MAX_ADDRESSES][16];
};

struct names {
	struct omega_hosts_entry *listed;
	size_t count;
	struct omega_hosts_entry *denied;
	size_t denied_count;
	bool is_any; /* names = any */
	struct known *known; /* the i-th has the i-th address */
	size_t known_count;
	size_t exact_count; /* the first so many are listed themselves */
	size_t known_most;
	struct known *proxy; /* behind them all; NULL: there is none */
	uint16_t proxy_port;
};

extern struct names names;

/* Read the lines of the first packet. 0, -EINVAL, -ENOMEM or -E2BIG. */
int names_read(char *text);
void names_plan(struct omega_sandbox_hosts_plan *plan);

bool names_find(void *arg, const char *name, bool is_again, uint8_t *address);
const char *names_of(void *arg, const uint8_t *address);

/* What stands for the address that was dialled; NULL: nothing. */
struct known *names_dialled(const uint8_t *address);

/* The entry that lets this name be reached on the port, or NULL. The one that
 * names the port is preferred. */
const struct omega_hosts_entry *names_let(const char *name, uint16_t port);

/* Does deny_hosts have the name on the port, 0: on every port? */
bool names_are_denied(const char *name, uint16_t port);

/* May this very address be connected to, for a name or by itself? is_own: it
 * is the host's. */
bool names_let_address(
    const uint8_t *dialled, uint16_t port, bool is_named, bool is_own);

/* ---- Refused ------------------------------------------------------------- */

/* Make the table; a descriptor of it, or -errno. */
int refused_make(void);

/* Once more; is_again: counted only if it is the first time. */
void refused_add(const char *name, uint16_t port,
    enum omega_sandbox_host_reason reason, bool is_again);
/* As it is to be written, into text[OMEGA_HOSTS_TEXT]. */
void refused_print(const uint8_t *address, char *text);
void refused_add_address(const uint8_t *address, uint16_t port,
    enum omega_sandbox_host_reason reason);

/* ---- Outside ------------------------------------------------------------- */

struct asked {
	uint32_t index; /* of the known name */
	char name[OMEGA_HOSTS_NAME];
};

struct told {
	uint32_t index;
	uint32_t count;
	uint8_t addresses[HELPER_MAX_ADDRESSES][16];
};

/* Start the process; the socket to it, or -errno. */
int outside_start(void);

/* ---- Connections --------------------------------------------------------- */

/* What the loop waits for. */
struct source {
	void (*ready)(struct source *source, uint32_t events);
	int fd;
	uint32_t events; /* waited for now */
	bool is_watched;
};

/* Wait for these; 0 or -errno. */
int loop_watch(struct source *source, uint32_t events);
uint64_t loop_now(void); /* ms */
int loop_accept(int fd); /* the next connection, or -1 */

/* Take what listens on a port. 0 or -errno. */
int carry_listen(int fd, uint16_t port);
void carry_limit(size_t most); /* connections at once */
void carry_told(const struct told *told);
void carry_set_outside(int fd);
void carry_tick(void); /* what takes too long ends */
bool carry_has_any(void);

/* 16 bytes of either family's address, and the other way. */
void carry_bytes(const struct sockaddr_storage *from, uint8_t *address);

/* ---- Privileges ---------------------------------------------------------- */

/* Give up what is not needed. 0 or -errno. */
int confine(const struct omega_sandbox_hosts_plan *plan, uint16_t proxy_port);

#endif
