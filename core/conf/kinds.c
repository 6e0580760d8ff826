/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * kinds.c - the table of atom kinds. See kinds.h.
 */

#include "config.h"

#include "conf/kinds.h"

#include <string.h>

#include <omega/sandbox-plugin.h>

const struct omega_kind omega_kinds[] = {
    {OMEGA_SANDBOX_ATOM_PATH, "path", false, false},
    {OMEGA_SANDBOX_ATOM_ELSEWHERE, "elsewhere", false, false},
    {OMEGA_SANDBOX_ATOM_NETWORK, "network", false, false},
    {OMEGA_SANDBOX_ATOM_FAMILIES, "families", false, false},
    {OMEGA_SANDBOX_ATOM_CONNECT, "connect", false, false},
    {OMEGA_SANDBOX_ATOM_BIND, "bind", false, false},
    {OMEGA_SANDBOX_ATOM_CONNECT_UDP, "connect_udp", false, false},
    {OMEGA_SANDBOX_ATOM_BIND_UDP, "bind_udp", false, false},
    {OMEGA_SANDBOX_ATOM_FORK, "fork", false, false},
    {OMEGA_SANDBOX_ATOM_HOSTS, "hosts", false, false},
    {OMEGA_SANDBOX_ATOM_METADATA, "metadata", true, true},
    {OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS, "outside_signals", true, true},
    {OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE, "outside_ptrace", true, false},
    {OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS, "abstract_sockets", true, true},
    {OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS, "launcher_sockets", true, false},
    {OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS, "outside_sockets", true, true},
    {OMEGA_SANDBOX_ATOM_OUTSIDE_IPC, "outside_ipc", true, true},
    {OMEGA_SANDBOX_ATOM_TERMINAL, "terminal", true, false},
    {OMEGA_SANDBOX_ATOM_ALIASES, "aliases", true, true},
    {OMEGA_SANDBOX_ATOM_REPLACED_FILES, "replaced_files", true, true},
    {OMEGA_SANDBOX_ATOM_ABSENT_PATHS, "absent_paths", true, true},
    {OMEGA_SANDBOX_ATOM_EXECUTE, "execute", true, true},
    {OMEGA_SANDBOX_ATOM_KEYRING, "keyring", true, false},
    {OMEGA_SANDBOX_ATOM_LISTEN, "listen", true, true},
    {OMEGA_SANDBOX_ATOM_LIMIT, "limits", true, true},
    {OMEGA_SANDBOX_ATOM_LEFT_PROCESSES, "left_processes", true, true},
    {OMEGA_SANDBOX_ATOM_TRACE, "trace", true, true},
    {0, NULL, false, false},
};

const char *
omega_kinds_new_name(const char *name)
{
	return strcmp(name, "late_sockets") == 0 ||
		       strcmp(name, "path_sockets") == 0
		   ? "outside_sockets"
		   : NULL;
}

const struct omega_kind *
omega_kinds_by_name(const char *name)
{
	const char *now = omega_kinds_new_name(name);
	const struct omega_kind *kind;

	if (now != NULL)
		name = now;
	for (kind = omega_kinds; kind->name != NULL; kind++)
		if (strcmp(kind->name, name) == 0)
			return kind;
	return NULL;
}

const struct omega_kind *
omega_kinds_by_number(uint32_t number)
{
	const struct omega_kind *kind;

	for (kind = omega_kinds; kind->name != NULL; kind++)
		if (kind->number == number)
			return kind;
	return NULL;
}

omega_kind_set
omega_kinds_bit(uint32_t number)
{
	const struct omega_kind *kind = omega_kinds_by_number(number);

	if (kind == NULL || !kind->is_hardening)
		return 0;
	return (omega_kind_set)1 << (kind - omega_kinds);
}

omega_kind_set
omega_kinds_accepted_by_default(void)
{
	const struct omega_kind *kind;
	omega_kind_set set = 0;

	for (kind = omega_kinds; kind->name != NULL; kind++)
		if (kind->is_accepted)
			set |= omega_kinds_bit(kind->number);
	return set;
}
