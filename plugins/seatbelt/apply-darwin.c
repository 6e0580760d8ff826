/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * apply-darwin.c - see apply.h. Of macOS.
 *
 * Functions of its library that have no header are declared here as every
 * browser declares them. One of them may be missing.
 */

#include "apply.h"

#include <sys/proc_info.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <sys/un.h>
#include <errno.h>
#include <libproc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int sandbox_init_with_parameters(const char *profile, uint64_t flags,
    const char *const parameters[], char **error) __attribute__((weak_import));
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
	char why[160];

	if (!is_trusted(APPLY_PROGRAM, why, sizeof(why))) {
		snprintf(probe->reason, sizeof(probe->reason),
		    "%s; commands are started by it alone, and not by "
		    "sandbox_init_with_parameters, which is %s",
		    why, apply_has_self() ? "there" : "missing too");
		return;
	}
	if (sandbox_check(getpid(), NULL, 0) != 0) {
		snprintf(probe->reason, sizeof(probe->reason),
		    "this process is in a sandbox already, and sandboxes of "
		    "macOS do not nest; start the host outside of it");
		return;
	}
	if (sysctlbyname(
		"kern.osproductversion", probe->version, &size, NULL, 0) != 0)
		probe->version[0] = '\0';
	if (!apply_has_self())
		snprintf(probe->reason, sizeof(probe->reason),
		    "sandbox_init_with_parameters is missing: a process cannot "
		    "be confined itself, and becomes a command by way "
		    "of " APPLY_PROGRAM);
	probe->is_usable = 1;
	probe->has_network = 1;
}

int
apply_has_self(void)
{
	return sandbox_init_with_parameters != NULL;
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

/* ---- Sockets: every process of one's own tells its descriptors -------------
 */

/* A list that may grow while it is asked for: its size, or a negative errno.
 * *list is to be freed. */
typedef int ask(void *arg, void *buffer, int size);

static int
read_list(ask *function, void *arg, void **list)
{
	int tries;
	int used;
	int size;

	*list = NULL;
	size = function(arg, NULL, 0);
	for (tries = 0; size > 0 && tries < 8; tries++) {
		void *more;

		size += size / 4 + 256;
		more = realloc(*list, (size_t)size);
		if (more == NULL)
			return -ENOMEM;
		*list = more;
		used = function(arg, *list, size);
		if (used < size)
			return used < 0 ? -errno : used;
		size = used;
	}
	return size <= 0 ? 0 : -EAGAIN;
}

static int
ask_processes(void *arg, void *buffer, int size)
{
	return proc_listpids(PROC_UID_ONLY, *(const uid_t *)arg, buffer, size);
}

static int
ask_descriptors(void *arg, void *buffer, int size)
{
	return proc_pidinfo(
	    *(const pid_t *)arg, PROC_PIDLISTFDS, 0, buffer, size);
}

/* 1: it is bound by a name that says nothing. */
static int
add_address(struct texts *sockets, const struct sockaddr_un *address)
{
	char path[sizeof(address->sun_path) + 1];
	size_t head = offsetof(struct sockaddr_un, sun_path);
	size_t len;

	if (address->sun_family != AF_UNIX || address->sun_len <= head ||
	    address->sun_len > sizeof(*address))
		return 0; /* it has none */
	len = address->sun_len - head;
	memcpy(path, address->sun_path, len);
	path[len] = '\0';
	if (path[0] == '\0')
		return 0;
	if (path[0] != '/')
		return 1;
	texts_find(sockets, path);
	return 0;
}

static int
add_process(struct texts *sockets, pid_t pid)
{
	struct proc_fdinfo *fds;
	void *list;
	int is_lost = 0;
	int size;
	int i;

	size = read_list(ask_descriptors, &pid, &list);
	fds = list;
	for (i = 0; i < size / (int)sizeof(*fds); i++) {
		struct socket_fdinfo info;

		if (fds[i].proc_fdtype != PROX_FDTYPE_SOCKET ||
		    proc_pidfdinfo(pid, fds[i].proc_fd, PROC_PIDFDSOCKETINFO,
			&info, sizeof(info)) != (int)sizeof(info) ||
		    info.psi.soi_kind != SOCKINFO_UN)
			continue;
		is_lost |= add_address(
		    sockets, &info.psi.soi_proto.pri_un.unsi_addr.ua_sun);
	}
	free(list);
	/* One that has ended meanwhile has nothing bound. */
	return size == -ENOMEM || size == -EAGAIN ? size : is_lost;
}

int
apply_find_sockets(struct texts *sockets)
{
	uid_t uid = geteuid();
	pid_t *pids;
	void *list;
	int is_lost = 0;
	int size;
	int ret = 0;
	int i;

	size = read_list(ask_processes, &uid, &list);
	if (size < 0)
		ret = size;
	pids = list;
	for (i = 0; ret >= 0 && i < size / (int)sizeof(*pids); i++) {
		if (pids[i] <= 0 || pids[i] == getpid())
			continue;
		ret = add_process(sockets, pids[i]);
		is_lost |= ret > 0;
	}
	free(list);
	if (ret >= 0)
		ret = sockets->error;
	return ret < 0 ? ret : is_lost ? -ENOENT : 0;
}
