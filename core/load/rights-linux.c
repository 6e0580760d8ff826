/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rights-linux.c - see rights.h.
 */

#include "config.h"

#include "load/rights.h"

#include <sys/syscall.h>
#include <linux/capability.h>
#include <stdint.h>
#include <unistd.h>

/* Each of them is a way to write a file of root's. */
#define OVERRIDING                                                           \
	(1ull << CAP_CHOWN | 1ull << CAP_DAC_OVERRIDE | 1ull << CAP_FOWNER | \
	    1ull << CAP_SETUID | 1ull << CAP_SYS_ADMIN)

bool
omega_rights_override(void)
{
	struct __user_cap_header_struct head = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}, {0}};
	uint64_t permitted;
	uid_t real;
	uid_t effective;
	uid_t saved;

	if (getresuid(&real, &effective, &saved) != 0 || real == 0 ||
	    effective == 0 || saved == 0)
		return true;
	if (syscall(SYS_capget, &head, data) != 0)
		return true;
	permitted = (uint64_t)data[1].permitted << 32 | data[0].permitted;
	return (permitted & OVERRIDING) != 0;
}
