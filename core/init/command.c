/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * command.c - the command's own first moments, as a child of the first process
 * of a pid namespace.
 */

#include "config.h"

#include <errno.h>
#include <linux/capability.h>
#include <stddef.h>

#include "child/calls.h"
#include "child/inner.h"
#include "child/raw.h"
#include "init/init.h"

#ifdef INIT_WITHOUT_LIBC
int init_vfork(void) __attribute__((returns_twice)); /* start.S */
#else
#define init_vfork vfork
#endif

_Noreturn void
command_fail(uint32_t kind, uint32_t index, long error)
{
	struct omega_inner_fault fault = {kind, index, (int32_t)-error, 0};

	omega_calls_write(watch.control, &fault, sizeof(fault));
	omega_calls_exit(127);
}

static void
set_limits(void)
{
	uint32_t i;
	int ret;

	for (i = 0; i < watch.orders.limit_count; i++) {
		ret = omega_calls_limit(watch.orders.limits[i].resource,
		    watch.orders.limits[i].most);
		if (ret < 0)
			command_fail(
			    OMEGA_INNER_STEP, watch.orders.limits_step, ret);
	}
}

/*
 * What we may inherit is ours alone: the kernel lets nobody change how we are
 * scheduled who lacks one of our capabilities.
 */
static void
drop_capabilities(void)
{
	struct __user_cap_header_struct head;
	struct __user_cap_data_struct data[2];
	long ret;
	int i;

	head.version = _LINUX_CAPABILITY_VERSION_3;
	head.pid = 0;
	ret = omega_raw(SYS_capget, ARG(&head), ARG(data), 0, 0, 0);
	for (i = 0; i < 2; i++) {
		data[i].permitted &= ~data[i].inheritable;
		data[i].effective &= data[i].permitted;
		data[i].inheritable = 0;
	}
	if (ret == 0)
		ret = omega_raw(SYS_capset, ARG(&head), ARG(data), 0, 0, 0);
	if (ret < 0)
		command_fail(OMEGA_INNER_INIT, 0, ret);
}

/* A job of its own, unless it is to stay one of the caller's. */
static void
enter_group(void)
{
	int fd;

	if (watch.orders.session == OMEGA_SANDBOX_SESSION_KEEP)
		return;
	omega_calls_enter_group(0);
	for (fd = 0; watch.orders.is_front && fd < 3; fd++)
		if (omega_calls_come_forward(fd) == 0)
			break;
}

/* In memory that is ours, while we stand still. */
static _Noreturn void
become(char *program, char **argv, char **env)
{
	const struct omega_inner_fault ready = {OMEGA_INNER_READY, 0, 0, 0};
	long ret;

	enter_group();
	if (watch.orders.group >= 0 &&
	    (ret = omega_calls_write(watch.orders.group, "0", 1)) < 0)
		command_fail(OMEGA_INNER_STEP, watch.orders.group_step, ret);
	set_limits();
	drop_capabilities();
	if (omega_calls_write(watch.control, &ready, sizeof(ready)) < 0)
		omega_calls_exit(127);
	omega_calls_ignore_signals(watch.orders.to_ignore);
	omega_calls_block_signals(watch.orders.to_block);
	ret = omega_calls_exec(program, argv, env);
	command_fail(ret == -ENOENT && omega_calls_exists(program)
			 ? OMEGA_INNER_INTERPRETER
			 : OMEGA_INNER_EXEC,
	    0, ret);
}

/* Nobody who looks at our command line is to take us for the command: its words
 * go elsewhere before it is there to look. 0 or a negative errno. */
static long
move_words(char **argv, char **env)
{
	char *from = argv[0];
	char *end = from;
	char **word;
	char *at;
	long to;

	for (word = argv; *word != NULL; word++)
		end = *word;
	for (word = env; *word != NULL; word++)
		end = *word;
	while (*end != '\0')
		end++;
	to = omega_raw(SYS_brk, 0, 0, 0, 0, 0);
	if (omega_raw(SYS_brk, to + (end - from) + 1, 0, 0, 0, 0) <=
	    to + (end - from))
		return -ENOMEM;
	for (; *argv != NULL; argv++)
		*argv = (char *)to + (*argv - from);
	for (; *env != NULL; env++)
		*env = (char *)to + (*env - from);
	for (at = from; at <= end; at++) {
		((volatile char *)to)[at - from] = *at;
		*(volatile char *)at = '\0';
	}
	return 0;
}

void
command_start(void)
{
	long ret = move_words(watch.argv, watch.env);
	int pid;

	if (ret < 0)
		command_fail(OMEGA_INNER_INIT, 0, ret);
	pid = init_vfork();
	if (pid == 0)
		become(watch.argv[3], watch.argv + 4, watch.env);
	if (pid < 0)
		command_fail(OMEGA_INNER_INIT, 0, pid);
	watch.word.pid = pid;
}
