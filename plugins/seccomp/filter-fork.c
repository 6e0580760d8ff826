/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * filter-fork.c - new processes: none for others, or none at all; threads are
 * no processes.
 *
 * A thread is made by clone(2) with CLONE_THREAD, which the kernel allows
 * only within one process; a child for one's parent with CLONE_PARENT. The
 * flags of clone3(2) are in memory, where a filter does not look: it is
 * answered as by a kernel that has no such call, and every C library then uses
 * clone.
 */

#include "filter-parts.h"

#include <errno.h>
#include <sched.h>

/* The argument of clone that has the flags. */
static unsigned
flags_argument(uint32_t native)
{
	return native == SCMP_ARCH_S390X || native == SCMP_ARCH_S390 ? 1 : 0;
}

int
filter_fork_add_parent(scmp_filter_ctx filter, uint32_t native)
{
	const struct scmp_arg_cmp for_parent = {
	    .arg = flags_argument(native),
	    .op = SCMP_CMP_MASKED_EQ,
	    .datum_a = CLONE_PARENT,
	    .datum_b = CLONE_PARENT,
	};
	int ret;

	ret = seccomp_rule_add_array(
	    filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, &for_parent);
	if (ret == 0)
		ret = seccomp_rule_add(
		    filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	return ret;
}

int
filter_fork_add(scmp_filter_ctx filter, uint32_t native)
{
	const struct scmp_arg_cmp not_a_thread = {
	    .arg = flags_argument(native),
	    .op = SCMP_CMP_MASKED_EQ,
	    .datum_a = CLONE_THREAD,
	    .datum_b = 0,
	};
	int ret;

	ret = filter_refuse(filter, SCMP_SYS(fork));
	if (ret == 0)
		ret = filter_refuse(filter, SCMP_SYS(vfork));
	if (ret == 0)
		ret = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM),
		    SCMP_SYS(clone), 1, &not_a_thread);
	return ret;
}
