/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * landlock.c - the Landlock backend with a right, also one by port, a scope or
 * its child step left out.
 */

#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "landlock/calls.h"
#include "mutate.h"

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

__attribute__((constructor)) static void
list_steps(void)
{
	mutate_this("step landlock_restrict_self");
	mutate_this("step landlock capabilities");
}

static uint64_t
leave_out(const char *kind, uint64_t bits)
{
	char what[64];
	int i;

	for (i = 0; i < 64; i++) {
		snprintf(what, sizeof(what), "%s %d", kind, i);
		if ((bits & 1ull << i) != 0 && mutate_this(what))
			bits &= ~(1ull << i);
	}
	return bits;
}

static long
create(const struct calls_ruleset *asked, size_t size, unsigned flags)
{
	struct calls_ruleset ruleset = {.fs = 0};

	if (asked == NULL)
		return __real_syscall(SYS_CREATE_RULESET, asked, size, flags);
	/* One right alone is how the backend asks whether it can be used. */
	ruleset.fs = asked->fs;
	if ((asked->fs & (asked->fs - 1)) != 0)
		ruleset.fs = leave_out("right", asked->fs);
	if (size >= offsetof(struct calls_ruleset, scoped))
		ruleset.net = leave_out("port", asked->net);
	if (size >= sizeof(ruleset))
		ruleset.scoped = leave_out("scope", asked->scoped);
	return __real_syscall(SYS_CREATE_RULESET, &ruleset, size, flags);
}

/* A rule may not grant what is not handled. */
static long
add_path(int fd, const struct calls_path_beneath *asked)
{
	struct calls_path_beneath rule = *asked;

	rule.allowed = leave_out("right", asked->allowed);
	if (rule.allowed == 0)
		return 0;
	return __real_syscall(SYS_ADD_RULE, fd, RULE_PATH_BENEATH, &rule, 0u);
}

static long
add_port(int fd, const struct calls_port *asked)
{
	struct calls_port rule = *asked;

	rule.allowed = leave_out("port", asked->allowed);
	if (rule.allowed == 0)
		return 0;
	return __real_syscall(SYS_ADD_RULE, fd, RULE_PORT, &rule, 0u);
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
	if (number == SYS_CREATE_RULESET)
		return create(
		    (const void *)at[0], (size_t)at[1], (unsigned)at[2]);
	if (number == SYS_ADD_RULE && at[1] == RULE_PATH_BENEATH)
		return add_path((int)at[0], (const void *)at[2]);
	if (number == SYS_ADD_RULE && at[1] == RULE_PORT)
		return add_port((int)at[0], (const void *)at[2]);
	if (number == SYS_RESTRICT_SELF &&
	    mutate_is("step landlock_restrict_self"))
		return 0;
	/* Nothing to be given up, so no step: the bounding set alone would take
	 * them at exec. */
	if (number == SYS_capget && mutate_is("step landlock capabilities")) {
		memset((void *)at[1], 0,
		    2 * sizeof(struct __user_cap_data_struct));
		return 0;
	}
	return __real_syscall(number, at[0], at[1], at[2], at[3], at[4], at[5]);
}
