/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * apply-darwin.c - see apply.h. Of macOS.
 *
 * Two functions of its library have no header: they are declared here as every
 * browser declares them.
 */

#include "apply.h"

#include <sys/param.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <sys/un.h>
#include <sys/unpcb.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int sandbox_init_with_parameters(const char *profile, uint64_t flags,
    const char *const parameters[], char **error);
extern void sandbox_free_error(char *error);
extern int sandbox_check(pid_t pid, const char *operation, int filter, ...);

/* Somebody else's program would be no sandbox. */
static int
is_trusted(const char *path, char *why, size_t size)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		snprintf(why, size, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(st.st_mode) || access(path, X_OK) != 0)
		snprintf(why, size, "%s cannot be executed", path);
	else if (st.st_uid != 0 || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		snprintf(why, size, "%s is not root's alone to change", path);
	else
		return 1;
	return 0;
}

void
apply_probe(struct omega_sandbox_probe *probe)
{
	size_t size = sizeof(probe->version);

	if (!is_trusted(APPLY_PROGRAM, probe->reason, sizeof(probe->reason)))
		return;
	if (sandbox_check(getpid(), NULL, 0) != 0) {
		snprintf(probe->reason, sizeof(probe->reason),
		    "this process is in a sandbox already, and sandboxes of "
		    "macOS do not nest; start the host outside of it");
		return;
	}
	if (sysctlbyname(
		"kern.osproductversion", probe->version, &size, NULL, 0) != 0)
		probe->version[0] = '\0';
	probe->is_usable = 1;
	probe->has_network = 1;
}

int
apply_is_here(void)
{
	return 1;
}

int
apply_to_self(const char *text, const char *const *params)
{
	char *error = NULL;
	int ret = 0;

	if (sandbox_init_with_parameters(text, 0, params, &error) != 0) {
		ret = sandbox_check(getpid(), NULL, 0) != 0 ? -EPERM : -EINVAL;
		if (error != NULL)
			sandbox_free_error(error);
	}
	return ret;
}

/* ---- Sockets --------------------------------------------------------------
 */

/* The table the kernel keeps of one kind of them; to be freed. */
static void *
read_table(const char *name, size_t *size)
{
	void *table = NULL;
	size_t room = 0;
	int tries;

	/* It may grow between two looks. */
	for (tries = 0; tries < 8; tries++) {
		if (sysctlbyname(name, NULL, &room, NULL, 0) != 0)
			break;
		room += room / 4 + 4096;
		table = malloc(room);
		if (table == NULL)
			break;
		*size = room;
		if (sysctlbyname(name, table, size, NULL, 0) == 0)
			return table;
		free(table);
		table = NULL;
		if (errno != ENOMEM)
			break;
	}
	return NULL;
}

/* The address of one: its path, unless it has none. */
static void
add_address(struct texts *sockets, const struct sockaddr_un *address)
{
	char path[sizeof(address->sun_path) + 1];
	size_t head = offsetof(struct sockaddr_un, sun_path);

	if (address->sun_family != AF_UNIX || address->sun_len <= head ||
	    address->sun_len > sizeof(*address))
		return;
	memcpy(path, address->sun_path, address->sun_len - head);
	path[address->sun_len - head] = '\0';
	if (path[0] == '/' && !texts_has(sockets, path))
		texts_add(sockets, "%s", path);
}

static int
add_table(struct texts *sockets, const char *name)
{
	size_t size = 0;
	char *table = read_table(name, &size);
	size_t at;

	if (table == NULL)
		return errno == 0 ? -EIO : -errno;
	/* A header of its own length, one like it at the end. */
	at = size >= sizeof(struct xunpgen)
		 ? ((const struct xunpgen *)(const void *)table)->xug_len
		 : size;
	while (at + sizeof(struct xunpcb) <= size) {
		const struct xunpcb *socket =
		    (const struct xunpcb *)(const void *)(table + at);

		if (socket->xu_len <= sizeof(struct xunpgen))
			break;
		add_address(sockets, &socket->xu_addr.xuu_addr);
		at += socket->xu_len;
	}
	free(table);
	return 0;
}

int
apply_find_sockets(struct texts *sockets)
{
	int ret = add_table(sockets, "net.local.stream.pcblist");

	if (ret == 0)
		ret = add_table(sockets, "net.local.dgram.pcblist");
	return ret < 0 ? ret : sockets->error;
}
