/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * filter.c - see filter.h.
 */

#include "filter.h"

#include <sys/ioctl.h>
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <unistd.h>

/* The kernel looks at the lower half of an ioctl number only: so do we, or
 * bits above would slip through. */
#define LOW_HALF 0xffffffffULL

static int
refuse_ioctl(scmp_filter_ctx filter, unsigned long request)
{
	return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl),
	    1, SCMP_A1(SCMP_CMP_MASKED_EQ, LOW_HALF, request));
}

static int
refuse_call(scmp_filter_ctx filter, int call)
{
	return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
}

/*
 * Limits of another process are set by whoever has its uid, and one without
 * processor time left is killed: a signal that Landlock does not see.
 */
static int
refuse_limits_of_others(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp given[] = {
	    {.arg = 0, .op = SCMP_CMP_NE, .datum_a = 0}, /* a process */
	    {.arg = 2, .op = SCMP_CMP_NE, .datum_a = 0}, /* a new limit */
	};

	return seccomp_rule_add_array(
	    filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prlimit64), 2, given);
}

static int
add_rules(scmp_filter_ctx filter, unsigned groups)
{
	int ret = refuse_limits_of_others(filter);

	if (ret == 0 && (groups & FILTER_TERMINAL) != 0) {
		ret = refuse_ioctl(filter, TIOCSTI);
		if (ret == 0)
			ret = refuse_ioctl(filter, TIOCLINUX);
	}
	if (ret == 0 && (groups & FILTER_KEYRING) != 0) {
		ret = refuse_call(filter, SCMP_SYS(keyctl));
		if (ret == 0)
			ret = refuse_call(filter, SCMP_SYS(add_key));
		if (ret == 0)
			ret = refuse_call(filter, SCMP_SYS(request_key));
	}
	return ret;
}

/*
 * The other instruction sets this machine may run have call numbers of their
 * own. Those libseccomp knows get the same rules; any other is refused whole.
 */
static int
add_architectures(scmp_filter_ctx filter)
{
	static const struct {
		uint32_t native;
		uint32_t other;
	} pairs[] = {
	    {SCMP_ARCH_X86_64, SCMP_ARCH_X86},
	    {SCMP_ARCH_X86_64, SCMP_ARCH_X32},
	    {SCMP_ARCH_AARCH64, SCMP_ARCH_ARM},
	};
	size_t i;
	int ret;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (seccomp_arch_native() != pairs[i].native)
			continue;
		ret = seccomp_arch_add(filter, pairs[i].other);
		if (ret < 0 && ret != -EEXIST)
			return ret;
	}
	return seccomp_attr_set(
	    filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
}

/* All there is in the pipe, or -errno. */
static ssize_t
read_all(int fd, void *to, size_t size)
{
	size_t used = 0;
	ssize_t n = 1;

	while (n != 0 && used < size) {
		n = read(fd, (char *)to + used, size - used);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			used += (size_t)n;
	}
	return (ssize_t)used;
}

/*
 * The program, through a pipe: a limit on the size of files, RLIMIT_FSIZE,
 * would end the host in the middle of writing one. It never waits for room.
 */
static int export(scmp_filter_ctx filter, struct filter_program *program)
{
	ssize_t len;
	int ends[2];
	int ret;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return -errno;
	ret = seccomp_export_bpf(filter, ends[1]);
	close(ends[1]);
	if (ret == 0) {
		len = read_all(ends[0], program->code, sizeof(program->code));
		if (len < 0)
			ret = (int)len;
		else if (len == 0 || (size_t)len == sizeof(program->code) ||
			 (size_t)len % sizeof(program->code[0]) != 0)
			ret = -E2BIG;
		else
			program->count =
			    (unsigned short)((size_t)len /
					     sizeof(program->code[0]));
	}
	close(ends[0]);
	return ret;
}

int
filter_make(unsigned groups, struct filter_program *program)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int ret;

	if (filter == NULL)
		return -ENOMEM;
	ret = add_architectures(filter);
	if (ret == 0)
		ret = add_rules(filter, groups);
	if (ret == 0) {
		/* A balanced tree: installing costs by length. Older versions
		 * of libseccomp do not know it and write a list. */
		(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
		do {
			errno = 0;
			ret = export(filter, program);
		} while (ret < 0 && errno == EINTR);
	}
	seccomp_release(filter);
	return ret;
}
