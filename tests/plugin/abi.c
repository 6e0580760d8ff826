/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * abi.c - the layout of plugin ABI 1.0, held by the compiler.
 *
 * A plugin built years ago must find every field where it was. Nothing here
 * is ever changed; fields of later versions get lines of their own. The
 * numbers are those of 64-bit systems; on others the same order holds.
 */

#include "config.h"

#include <stddef.h>
#include <stdint.h>

#include <omega/sandbox-plugin.h>

#define NUMBER(name, value)                               \
	_Static_assert((OMEGA_SANDBOX_##name) == (value), \
	    "OMEGA_SANDBOX_" #name " is part of the plugin ABI")

NUMBER(PLUGIN_ABI_MAJOR, 1);

NUMBER(ATOM_PATH, 1);
NUMBER(ATOM_METADATA, 100);
NUMBER(ATOM_OUTSIDE_SIGNALS, 101);
NUMBER(ATOM_OUTSIDE_PTRACE, 102);
NUMBER(ATOM_ABSTRACT_SOCKETS, 103);
NUMBER(ATOM_LAUNCHER_SOCKETS, 104);
NUMBER(ATOM_LATE_SOCKETS, 105);
NUMBER(ATOM_TERMINAL, 106);
NUMBER(ATOM_ALIASES, 107);
NUMBER(ATOM_REPLACED_FILES, 108);
NUMBER(ATOM_ABSENT_PATHS, 109);
NUMBER(ATOM_EXECUTE, 110);
NUMBER(ATOM_OUTSIDE_SOCKETS, 114);
NUMBER(ATOM_OUTSIDE_IPC, 115);
NUMBER(ATOM_LEFT_PROCESSES, 116);
NUMBER(ATOM_TRACE, 117);

NUMBER(ATOM_READ, 0x01);
NUMBER(ATOM_LIST, 0x02);
NUMBER(ATOM_WRITE, 0x04);
NUMBER(ATOM_CREATE, 0x08);
NUMBER(ATOM_REMOVE, 0x10);
NUMBER(ATOM_RENAME, 0x20);
NUMBER(ATOM_CHANGE, 0x40);
NUMBER(ATOM_ALL, 0x80);

NUMBER(ATOM_REQUIRED, 0x1);
NUMBER(ATOM_ABSENT, 0x2);
NUMBER(ATOM_DIRECTORY, 0x4);

NUMBER(OPTION_BOOL, 1);
NUMBER(OPTION_INT, 2);
NUMBER(OPTION_STRING, 3);
NUMBER(OPTION_LIST, 4);

NUMBER(PHASE_JOIN, 100);
NUMBER(PHASE_LIMITS, 300);
NUMBER(PHASE_RESTRICT, 400);
NUMBER(PHASE_CAPABILITIES, 500);
NUMBER(PHASE_FILTER, 700);
NUMBER(PHASE_WITNESS, 800);

NUMBER(LAUNCH_SHARES, 0x1);
NUMBER(LAUNCH_SEPARATES, 0x2);
NUMBER(LAUNCH_NEEDS_SEPARATION, 0x4);

NUMBER(PLUGIN_PREFIX, 0x1);
NUMBER(PLUGIN_CHANGES_MOUNTS, 0x2);
NUMBER(PLUGIN_SEPARATES, 0x4);
NUMBER(PLUGIN_PREVIEWS, 0x8);
NUMBER(PLUGIN_FILTERS, 0x10);
NUMBER(REQUEST_SEPARATED, 0x1);
NUMBER(REQUEST_PREVIEW, 0x2);
NUMBER(REQUEST_USER_NAMESPACES, 0x4);
NUMBER(REQUEST_ANY_NAME, 0x8);
NUMBER(REQUEST_FILTERS, 0x10);
NUMBER(REQUEST_BELIEVING, 0x20);

NUMBER(UNIX_ALL, 0);
NUMBER(UNIX_OWN, 1);
NUMBER(UNIX_NONE, 2);
NUMBER(SERVICE_LAUNCHER, 1);
NUMBER(SERVICE_LAUNCHER_DIR, 2);
NUMBER(SERVICE_LAUNCHER_TREE, 3);
NUMBER(SERVICE_LAUNCHER_PATTERN, 4);
NUMBER(SERVICE_ANSWERS, 5);

#if UINTPTR_MAX == UINT64_MAX

#define FIELD(type, field, offset)                                    \
	_Static_assert(                                               \
	    offsetof(struct omega_sandbox_##type, field) == (offset), \
	    "struct omega_sandbox_" #type ": " #field " has moved")

FIELD(plugin, abi_version, 0);
FIELD(plugin, struct_size, 4);
FIELD(plugin, flags, 8);
FIELD(plugin, name, 16);
FIELD(plugin, description, 24);
FIELD(plugin, options, 32);
FIELD(plugin, probe, 40);
FIELD(plugin, describe, 48);
FIELD(plugin, apply, 56);

FIELD(option, size, 0);
FIELD(option, type, 4);
FIELD(option, name, 8);
FIELD(option, help, 16);
FIELD(option, minimum, 24);
FIELD(option, maximum, 32);
FIELD(option, initial, 40);
FIELD(option, initial_text, 48);
FIELD(option, words, 56);

FIELD(atom, size, 0);
FIELD(atom, kind, 4);
FIELD(atom, access, 8);
FIELD(atom, flags, 12);
FIELD(atom, path, 16);
FIELD(atom, fd, 24);
FIELD(atom, reserved, 28);
FIELD(atom, device, 32);
FIELD(atom, inode, 40);

FIELD(state, size, 0);
FIELD(state, held, 4);
FIELD(state, partial, 8);
FIELD(state, why, 12);

FIELD(host, size, 0);
FIELD(host, abi_version, 4);
FIELD(host, core, 8);
FIELD(host, log, 16);
FIELD(host, option_int, 24);
FIELD(host, option_text, 32);
FIELD(host, option_item, 40);
FIELD(host, open_helper, 48);

FIELD(request, size, 0);
FIELD(request, flags, 4);
FIELD(request, data_dir, 8);
FIELD(request, spelled, 16);
FIELD(request, unreadable, 128);
FIELD(request, unchangeable, 136);
FIELD(request, unix_sockets, 144);
FIELD(request, services, 152);
FIELD(request, service_count, 160);
FIELD(request, sockets, 168);
FIELD(request, sockets_left, 176);
FIELD(request, stand_ins, 184);
FIELD(request, stand_in_count, 192);
FIELD(request, devices, 200);
FIELD(request, system_dirs, 208);
FIELD(request, hosts, 216);
FIELD(request, deny_hosts, 224);
FIELD(request, filter, 232);
FIELD(request, filter_size, 240);
FIELD(stand_in, size, 0);
FIELD(stand_in, fd, 4);
FIELD(stand_in, path, 8);

FIELD(service, size, 0);
FIELD(service, type, 4);
FIELD(service, path, 8);

FIELD(probe, size, 0);
FIELD(probe, is_usable, 4);
FIELD(probe, version, 8);
FIELD(probe, reason, 72);
FIELD(probe, has_network, 328);
FIELD(probe, network_reason, 332);

FIELD(launch, size, 0);
FIELD(launch, reserved, 4);
FIELD(launch, core, 8);
FIELD(launch, hold, 16);
FIELD(launch, add_step, 24);
FIELD(launch, add_check, 32);
FIELD(launch, keep_fd, 40);
FIELD(launch, pass_fd, 48);
FIELD(launch, add_word, 56);
FIELD(launch, set_env, 64);
FIELD(launch, set_flags, 72);
FIELD(launch, explain, 80);
FIELD(launch, set_self, 88);
FIELD(launch, stand_in, 96);
FIELD(launch, set_pid_namespace, 104);
FIELD(launch, set_filter, 112);
FIELD(launch, set_hosts, 120);

#endif
