/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * seccomp.c - the seccomp backend with an entry of its filter, or its child
 * step, left out.
 */

#include <sys/syscall.h>
#include <seccomp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "mutate.h"
#include "seccomp/filter.h"

int __real_seccomp_rule_add_array(scmp_filter_ctx filter, uint32_t action,
    int call, unsigned count, const struct scmp_arg_cmp *list);
int __wrap_seccomp_rule_add_array(scmp_filter_ctx filter, uint32_t action,
    int call, unsigned count, const struct scmp_arg_cmp *list);
int __real_filter_socket_write(
    uint32_t native, unsigned groups, struct filter_program *program);
int __wrap_filter_socket_write(
    uint32_t native, unsigned groups, struct filter_program *program);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

__attribute__((constructor)) static void
list_steps(void)
{
	mutate_this("step seccomp");
}

int
__wrap_seccomp_rule_add_array(scmp_filter_ctx filter, uint32_t action, int call,
    unsigned count, const struct scmp_arg_cmp *list)
{
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, call);
	char what[128];

	/* libseccomp has numbers of its own for what is not here. */
	snprintf(what, sizeof(what), "entry %s%.40s %llx",
	    call < 0 ? "foreign " : "", name != NULL ? name : "unknown",
	    count > 0 ? (unsigned long long)list[count - 1].datum_b : 0);
	free(name);
	return mutate_this(what) ? 0
				 : __real_seccomp_rule_add_array(
				       filter, action, call, count, list);
}

/* Instructions of the backend's own, not by libseccomp. */
int
__wrap_filter_socket_write(
    uint32_t native, unsigned groups, struct filter_program *program)
{
	return mutate_this("part socket")
		   ? 0
		   : __real_filter_socket_write(native, groups, program);
}

long
__wrap_syscall(long number, ...)
{
	long at[6];
	va_list args;
	int i;

	va_start(args, number);
	for (i = 0; i < 6; i++)
		at[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_seccomp && mutate_is("step seccomp"))
		return 0;
	return __real_syscall(number, at[0], at[1], at[2], at[3], at[4], at[5]);
}
