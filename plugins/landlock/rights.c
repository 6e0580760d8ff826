/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rights.c - one table from ABI to rights. See rights.h.
 */

#include "rights.h"

#define ABI_1 ((FS_MAKE_SYM << 1) - 1)

static const struct {
	uint64_t fs;
	uint64_t scopes;
} table[RIGHTS_NEWEST_ABI + 1] = {
    [0] = {0, 0},
    [1] = {ABI_1, 0},
    [2] = {ABI_1 | FS_REFER, 0},
    [3] = {ABI_1 | FS_REFER | FS_TRUNCATE, 0},
    /* 4: TCP ports; nothing new for files. */
    [4] = {ABI_1 | FS_REFER | FS_TRUNCATE, 0},
    [5] = {ABI_1 | FS_REFER | FS_TRUNCATE | FS_IOCTL_DEV, 0},
    [6] = {ABI_1 | FS_REFER | FS_TRUNCATE | FS_IOCTL_DEV,
	SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL},
    /* 7: audit flags. 8: all threads of a process at once. */
    [7] = {ABI_1 | FS_REFER | FS_TRUNCATE | FS_IOCTL_DEV,
	SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL},
    [8] = {ABI_1 | FS_REFER | FS_TRUNCATE | FS_IOCTL_DEV,
	SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL},
    [9] = {ABI_1 | FS_REFER | FS_TRUNCATE | FS_IOCTL_DEV | FS_RESOLVE_UNIX,
	SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL},
    /* 10: UDP. */
    [10] = {ABI_1 | FS_REFER | FS_TRUNCATE | FS_IOCTL_DEV | FS_RESOLVE_UNIX,
	SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL},
};

static int
clamp(int abi)
{
	if (abi < 0)
		return 0;
	return abi > RIGHTS_NEWEST_ABI ? RIGHTS_NEWEST_ABI : abi;
}

uint64_t
rights_known(int abi)
{
	return table[clamp(abi)].fs;
}

uint64_t
rights_scopes(int abi)
{
	return table[clamp(abi)].scopes;
}

uint64_t
rights_ports(int abi)
{
	if (abi < 4)
		return 0;
	return NET_BIND_TCP | NET_CONNECT_TCP |
	       (abi < 10 ? 0 : NET_BIND_UDP | NET_CONNECT_SEND_UDP);
}

uint64_t
rights_for_file(uint64_t rights)
{
	return rights & (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE |
			    FS_TRUNCATE | FS_IOCTL_DEV | FS_RESOLVE_UNIX);
}
