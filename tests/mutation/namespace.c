/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * namespace.c - the namespace backend with a mount operation or a child step
 * left out.
 */

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "mutate.h"
#include "namespace/ops.h"
#include "namespace/plan.h"
#include "namespace/request.h"

int __real_ops_pack(const struct ops *ops, uint32_t flags, struct texts *bytes);
int __wrap_ops_pack(const struct ops *ops, uint32_t flags, struct texts *bytes);
int __real_pids_add(const struct setup *setup, const struct build *build,
    const struct ops *ops, struct omega_sandbox_launch *launch);
int __wrap_pids_add(const struct setup *setup, const struct build *build,
    const struct ops *ops, struct omega_sandbox_launch *launch);
int __real_setns(int fd, int type);
int __wrap_setns(int fd, int type);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __real_prctl(int option, ...);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
    unsigned long d);

static const char *
type_word(const struct op *op)
{
	switch (op->type) {
	case REQUEST_PIN:
		return (op->flags & REQUEST_MAY_CHANGE) == 0 ? "pin"
							     : "pin-socket";
	case REQUEST_READ_ONLY:
		return "read-only";
	case REQUEST_READ_ONLY_TOP:
		return "read-only-top";
	case REQUEST_DEVICES:
		return "devices";
	case REQUEST_SHOW:
		return "show";
	case REQUEST_COPY:
		return "copy";
	case REQUEST_SHIELD:
		return "shield";
	case REQUEST_DENY:
		return "deny";
	case REQUEST_HIDE:
		return "hide";
	default:
		return "unknown";
	}
}

__attribute__((constructor)) static void
list_steps(void)
{
	mutate_this("step setns");
	mutate_this("step setns network");
	mutate_this("step capabilities");
}

int
__wrap_ops_pack(const struct ops *ops, uint32_t flags, struct texts *bytes)
{
	struct ops left = *ops;
	char what[4400];
	char path[4200];
	size_t i;
	int ret;

	left.list = calloc(ops->count + 1, sizeof(*left.list));
	left.count = 0;
	if (left.list == NULL)
		abort();
	for (i = 0; i < ops->count; i++) {
		mutate_plain(ops->list[i].path, path, sizeof(path));
		snprintf(what, sizeof(what), "op %s %s",
		    type_word(&ops->list[i]), path);
		if (!mutate_this(what))
			left.list[left.count++] = ops->list[i];
	}
	ret = __real_ops_pack(&left, flags, bytes);
	free(left.list);
	return ret;
}

/* Without it somebody else looks for what is left, who can be killed. */
int
__wrap_pids_add(const struct setup *setup, const struct build *build,
    const struct ops *ops, struct omega_sandbox_launch *launch)
{
	return mutate_this("pids namespace")
		   ? 0
		   : __real_pids_add(setup, build, ops, launch);
}

int
__wrap_setns(int fd, int type)
{
	if (mutate_is("step setns") ||
	    (type == CLONE_NEWNET && mutate_is("step setns network")))
		return 0;
	return __real_setns(fd, type);
}

int
__wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
    unsigned long d)
{
	return mutate_is("step capabilities")
		   ? 0
		   : __real_prctl(option, a, b, c, d);
}

/* It reads six words, whatever there are, as the C library does. */
__attribute__((no_sanitize("address"))) long
__wrap_syscall(long number, ...)
{
	long at[6];
	va_list args;
	int i;

	va_start(args, number);
	for (i = 0; i < 6; i++)
		at[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_capset && mutate_is("step capabilities"))
		return 0;
	return __real_syscall(number, at[0], at[1], at[2], at[3], at[4], at[5]);
}
