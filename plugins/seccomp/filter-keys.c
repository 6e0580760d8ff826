/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * filter-keys.c - the caller's keys: the calls for them, and those of file
 * systems and sockets that take a key by its number or name.
 *
 * What they take it for stands in memory, so a key of the command's own cannot
 * be told from one of the caller's. A ring sets options of sockets, too, and no
 * filter sees it.
 */

#include "filter-parts.h"

#include <sys/ioctl.h>
#include <errno.h>

/* Of <linux/fscrypt.h>, which older systems do not have. The first takes a
 * key of the caller's into a file system; the second has directories made
 * whose key the kernel looks for among the caller's. */
#define ADD_ENCRYPTION_KEY _IOC(_IOC_READ | _IOC_WRITE, 'f', 23, 80)
#define SET_ENCRYPTION_POLICY _IOC(_IOC_READ, 'f', 19, 12)

/* Of <linux/if_alg.h> and <linux/rxrpc.h>. */
#define LEVEL_ALG 279
#define ALG_KEY_BY_NUMBER 7
#define LEVEL_RXRPC 272

#define CALL_SETSOCKOPT 14 /* socketcall's number for it */

static struct scmp_arg_cmp
low_half_is(unsigned arg, uint32_t value)
{
	return (struct scmp_arg_cmp){.arg = arg,
	    .op = SCMP_CMP_MASKED_EQ,
	    .datum_a = FILTER_LOW_HALF,
	    .datum_b = value};
}

static int
refuse_options(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp alg[] = {
	    low_half_is(1, LEVEL_ALG), low_half_is(2, ALG_KEY_BY_NUMBER)};
	const struct scmp_arg_cmp rxrpc = low_half_is(1, LEVEL_RXRPC);
	int ret;

	ret = seccomp_rule_add_array(
	    filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(setsockopt), 2, alg);
	if (ret == 0)
		ret = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM),
		    SCMP_SYS(setsockopt), 1, &rxrpc);
	return ret;
}

int
filter_keys_add(scmp_filter_ctx filter, unsigned groups)
{
	const struct scmp_arg_cmp unseen = low_half_is(0, CALL_SETSOCKOPT);
	int ret;

	ret = filter_refuse(filter, SCMP_SYS(keyctl));
	if (ret == 0)
		ret = filter_refuse(filter, SCMP_SYS(add_key));
	if (ret == 0)
		ret = filter_refuse(filter, SCMP_SYS(request_key));
	if (ret == 0)
		ret = filter_refuse_ioctl(filter, ADD_ENCRYPTION_KEY);
	if (ret == 0)
		ret = filter_refuse_ioctl(filter, SET_ENCRYPTION_POLICY);
	if (ret == 0)
		ret = refuse_options(filter);
	/* A rule about sockets refuses rings, and socketcall whole. */
	if (ret == 0 && (groups & FILTER_SOCKETS) == 0)
		ret = filter_refuse_rings(filter);
	if (ret == 0 && (groups & FILTER_SOCKETS) == 0)
		ret = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM),
		    SCMP_SYS(socketcall), 1, &unseen);
	return ret;
}
