/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * filter.c - see filter.h.
 */

#include "filter.h"

#include "filter-parts.h"

#include <sys/ioctl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <seccomp.h>
#include <unistd.h>

/* F_SETDELEG is 1040, F_SETLEASE 1024. */
#define DELEGATION 0x10

int
filter_refuse_ioctl(scmp_filter_ctx filter, uint32_t request)
{
	return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl),
	    1, SCMP_A1(SCMP_CMP_MASKED_EQ, FILTER_LOW_HALF, request));
}

int
filter_refuse(scmp_filter_ctx filter, int call)
{
	return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
}

int
filter_refuse_rings(scmp_filter_ctx filter)
{
	int ret;

	ret = filter_refuse(filter, SCMP_SYS(io_uring_setup));
	if (ret == 0)
		ret = filter_refuse(filter, SCMP_SYS(io_uring_enter));
	if (ret == 0)
		ret = filter_refuse(filter, SCMP_SYS(io_uring_register));
	return ret;
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

/*
 * Samples of a processor or a control group, whoever runs there: registers
 * and stacks, so bits of memory. A process by its number is the kernel's to
 * judge, which asks whether it may be traced.
 */
static int
refuse_samples_of_all(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp everybody = {.arg = 1,
	    .op = SCMP_CMP_MASKED_EQ,
	    .datum_a = FILTER_LOW_HALF,
	    .datum_b = FILTER_LOW_HALF};
	const struct scmp_arg_cmp group = {.arg = 4,
	    .op = SCMP_CMP_MASKED_EQ,
	    .datum_a = PERF_FLAG_PID_CGROUP,
	    .datum_b = PERF_FLAG_PID_CGROUP};
	int ret;

	ret = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EACCES),
	    SCMP_SYS(perf_event_open), 1, &everybody);
	if (ret == 0)
		ret = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EACCES),
		    SCMP_SYS(perf_event_open), 1, &group);
	return ret;
}

/*
 * Whoever opens a file waits until the holder of a lease on it lets go, for 45
 * seconds by default: a command could hold up all who use its caller's files.
 * A delegation, from Linux 6.19 on, is one of a directory too; its number is
 * that of a lease but for one bit.
 */
static int
refuse_leases(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp lease = {.arg = 1,
	    .op = SCMP_CMP_MASKED_EQ,
	    .datum_a = FILTER_LOW_HALF & ~(uint64_t)DELEGATION,
	    .datum_b = F_SETLEASE};
	int ret;

	ret = seccomp_rule_add_array(
	    filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(fcntl), 1, &lease);
	if (ret == 0)
		ret = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EACCES),
		    SCMP_SYS(fcntl64), 1, &lease);
	return ret;
}

static int
refuse_traces(scmp_filter_ctx filter)
{
	static const int calls[] = {SCMP_SYS(ptrace),
	    SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev)};
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < sizeof(calls) / sizeof(calls[0]); i++)
		ret = filter_refuse(filter, calls[i]);
	return ret;
}

static int
add_rules(scmp_filter_ctx filter, uint32_t native, unsigned groups)
{
	int ret = refuse_limits_of_others(filter);

	if (ret == 0)
		ret = refuse_samples_of_all(filter);
	if (ret == 0)
		ret = refuse_leases(filter);
	if (ret == 0)
		ret = filter_fork_add_parent(filter, native);
	if (ret == 0 && (groups & FILTER_TERMINAL) != 0) {
		ret = filter_refuse_ioctl(filter, TIOCSTI);
		if (ret == 0)
			ret = filter_refuse_ioctl(filter, TIOCLINUX);
	}
	if (ret == 0 && (groups & FILTER_KEYRING) != 0)
		ret = filter_keys_add(filter, groups);
	if (ret == 0 && (groups & FILTER_FORK) != 0)
		ret = filter_fork_add(filter, native);
	if (ret == 0 && (groups & FILTER_TRACE) != 0)
		ret = refuse_traces(filter);
	if (ret == 0 && (groups & FILTER_SOCKETS) != 0)
		ret = filter_socket_add(filter, groups);
	return ret;
}

/*
 * The other instruction sets this machine may run have call numbers of their
 * own. Those libseccomp knows get the same rules; any other is refused whole.
 */
size_t
filter_arches(uint32_t native, struct filter_arch arches[FILTER_ARCHES])
{
	/* libseccomp's names are the kernel's but for x32, which a filter sees
	 * as x86_64 with other numbers. */
	static const struct {
		uint32_t native;
		struct filter_arch other;
	} pairs[] = {
	    {SCMP_ARCH_X86_64, {SCMP_ARCH_X86, SCMP_ARCH_X86}},
	    {SCMP_ARCH_X86_64, {SCMP_ARCH_X32, SCMP_ARCH_X86_64}},
	    {SCMP_ARCH_AARCH64, {SCMP_ARCH_ARM, SCMP_ARCH_ARM}},
	};
	size_t count = 0;
	size_t i;

	arches[count++] = (struct filter_arch){native, native};
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i].native == native)
			arches[count++] = pairs[i].other;
	return count;
}

static int
add_architectures(scmp_filter_ctx filter, uint32_t native)
{
	struct filter_arch arches[FILTER_ARCHES];
	size_t count = filter_arches(native, arches);
	size_t i;
	int ret;

	/* A new filter has the one we are running on. */
	if (native != seccomp_arch_native()) {
		ret = seccomp_arch_remove(filter, seccomp_arch_native());
		if (ret < 0)
			return ret;
	}
	for (i = 0; i < count; i++) {
		ret = seccomp_arch_add(filter, arches[i].token);
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
		/* All of it was written before. A process that another thread
		 * is starting may hold the other end open still. */
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			used += (size_t)n;
	}
	return (ssize_t)used;
}

/*
 * The program, behind what is in there already, through a pipe: a limit on
 * the size of files, RLIMIT_FSIZE, would end the host in the middle of writing
 * one. It never waits for room.
 */
static int export(scmp_filter_ctx filter, struct filter_program *program)
{
	const size_t unit = sizeof(program->code[0]);
	size_t room = (FILTER_MAX - (size_t)program->count) * unit;
	ssize_t len;
	int ends[2];
	int ret;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return -errno;
	ret = seccomp_export_bpf(filter, ends[1]);
	close(ends[1]);
	if (ret == 0) {
		len = read_all(ends[0], program->code + program->count, room);
		if (len < 0)
			ret = (int)len;
		else if (len == 0 || (size_t)len == room ||
			 (size_t)len % unit != 0)
			ret = -E2BIG;
		else
			program->count = (unsigned short)(program->count +
							  (size_t)len / unit);
	}
	close(ends[0]);
	return ret;
}

int
filter_make(uint32_t native, unsigned groups, struct filter_program *program)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int ret;

	if (filter == NULL)
		return -ENOMEM;
	if (native == 0)
		native = seccomp_arch_native();
	ret = add_architectures(filter, native);
	if (ret == 0)
		ret = add_rules(filter, native, groups);
	if (ret == 0)
		ret = filter_socket_write(native, groups, program);
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
