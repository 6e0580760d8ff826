/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rights.c - see calls.h.
 */

#include "calls.h"

/* What each ABI has added. 7 is about audit, 8 about threads. */
static const struct {
	int abi;
	struct calls_ruleset rights;
} additions[] = {
    {1, {.fs = (FS_MAKE_SYM << 1) - 1}},
    {2, {.fs = FS_REFER}},
    {3, {.fs = FS_TRUNCATE}},
    {4, {.net = NET_BIND_TCP | NET_CONNECT_TCP}},
    {5, {.fs = FS_IOCTL_DEV}},
    {6, {.scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL}},
    {9, {.fs = FS_RESOLVE_UNIX}},
    {RIGHTS_NEWEST_ABI, {.net = NET_BIND_UDP | NET_CONNECT_SEND_UDP}},
};

struct calls_ruleset
rights_known(int abi)
{
	struct calls_ruleset known = {.fs = 0};
	size_t i;

	for (i = 0; i < sizeof(additions) / sizeof(additions[0]); i++)
		if (additions[i].abi <= abi) {
			known.fs |= additions[i].rights.fs;
			known.net |= additions[i].rights.net;
			known.scoped |= additions[i].rights.scoped;
		}
	return known;
}

uint64_t
rights_for_file(uint64_t rights)
{
	return rights & (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE |
			    FS_TRUNCATE | FS_IOCTL_DEV | FS_RESOLVE_UNIX);
}
