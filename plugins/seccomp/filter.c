/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * filter.c - see filter.h.
 */

#include "filter.h"

#include <sys/ioctl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <unistd.h>

/* ---- Rules ----------------------------------------------------------------
 */

int
filter_refuse(
    scmp_filter_ctx filter, const struct filter_rule *rules, size_t count)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < count; i++) {
		const struct scmp_arg_cmp *given = rules[i].given;

		ret = seccomp_rule_add_array(filter,
		    SCMP_ACT_ERRNO((uint32_t)rules[i].error), rules[i].call,
		    (given[0].op != 0) + (given[1].op != 0), given);
	}
	return ret;
}

int
filter_refuse_rings(scmp_filter_ctx filter)
{
	static const struct filter_rule rules[] = {
	    FILTER_CALL(io_uring_setup),
	    FILTER_CALL(io_uring_enter),
	    FILTER_CALL(io_uring_register),
	};

	return FILTER_REFUSE(filter, rules);
}

/* What every filter refuses. */
static int
refuse_always(scmp_filter_ctx filter)
{
	static const struct filter_rule rules[] = {
	    /* Limits of another process are set by whoever has its uid, and
	     * one without processor time left is killed: a signal that
	     * Landlock does not see. */
	    {SCMP_SYS(prlimit64), EPERM, {FILTER_GIVEN(0), FILTER_GIVEN(2)}},
	    /* Samples of a processor or a control group, whoever runs there:
	     * registers and stacks, so bits of memory. A process by its number
	     * is the kernel's to judge, which asks whether it may be traced. */
	    {SCMP_SYS(perf_event_open), EACCES, {FILTER_IS(1, -1)}},
	    {SCMP_SYS(perf_event_open), EACCES,
		{FILTER_BITS(4, PERF_FLAG_PID_CGROUP, PERF_FLAG_PID_CGROUP)}},
	    /* Whoever opens a file waits until the holder of a lease on it lets
	     * go, for 45 seconds by default: a command could hold up all who
	     * use its caller's files. A delegation, from Linux 6.19 on, is one
	     * of a directory too; its number, 1040, is that of a lease, 1024,
	     * but for one bit. */
	    {SCMP_SYS(fcntl), EACCES,
		{FILTER_BITS(1, 0xffffffefULL, F_SETLEASE)}},
	    {SCMP_SYS(fcntl64), EACCES,
		{FILTER_BITS(1, 0xffffffefULL, F_SETLEASE)}},
	};

	return FILTER_REFUSE(filter, rules);
}

/* The argument of clone that has the flags. */
static unsigned
flags_argument(uint32_t native)
{
	return native == SCMP_ARCH_S390X || native == SCMP_ARCH_S390 ? 1 : 0;
}

/*
 * No children for one's parent. The flags of clone3(2) are in memory, where a
 * filter does not look: it is answered as by a kernel that has no such call,
 * and every C library then uses clone.
 */
static int
refuse_children_of_others(scmp_filter_ctx filter, uint32_t native)
{
	const struct filter_rule rules[] = {
	    {SCMP_SYS(clone), EPERM,
		{FILTER_BITS(
		    flags_argument(native), CLONE_PARENT, CLONE_PARENT)}},
	    {.call = SCMP_SYS(clone3), .error = ENOSYS},
	};

	return FILTER_REFUSE(filter, rules);
}

/* No new processes; a thread is made with CLONE_THREAD, which the kernel allows
 * only within one process. */
static int
refuse_processes(scmp_filter_ctx filter, uint32_t native)
{
	const struct filter_rule rules[] = {
	    FILTER_CALL(fork),
	    FILTER_CALL(vfork),
	    {SCMP_SYS(clone), EPERM,
		{FILTER_BITS(flags_argument(native), CLONE_THREAD, 0)}},
	};

	return FILTER_REFUSE(filter, rules);
}

static int
refuse_terminal(scmp_filter_ctx filter)
{
	static const struct filter_rule rules[] = {
	    {SCMP_SYS(ioctl), EPERM, {FILTER_IS(1, TIOCSTI)}},
	    {SCMP_SYS(ioctl), EPERM, {FILTER_IS(1, TIOCLINUX)}},
	};

	return FILTER_REFUSE(filter, rules);
}

static int
refuse_traces(scmp_filter_ctx filter)
{
	static const struct filter_rule rules[] = {
	    FILTER_CALL(ptrace),
	    FILTER_CALL(process_vm_readv),
	    FILTER_CALL(process_vm_writev),
	};

	return FILTER_REFUSE(filter, rules);
}

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

/*
 * The caller's keys: the calls for them, and those of file systems and sockets
 * that take a key by its number or name. What they take it for stands in
 * memory, so a key of the command's own cannot be told from one of the
 * caller's. A ring sets options of sockets, too, and no filter sees it.
 */
static int
refuse_keys(scmp_filter_ctx filter, unsigned groups)
{
	static const struct filter_rule rules[] = {
	    FILTER_CALL(keyctl),
	    FILTER_CALL(add_key),
	    FILTER_CALL(request_key),
	    {SCMP_SYS(ioctl), EPERM, {FILTER_IS(1, ADD_ENCRYPTION_KEY)}},
	    {SCMP_SYS(ioctl), EPERM, {FILTER_IS(1, SET_ENCRYPTION_POLICY)}},
	    {SCMP_SYS(setsockopt), EPERM,
		{FILTER_IS(1, LEVEL_ALG), FILTER_IS(2, ALG_KEY_BY_NUMBER)}},
	    {SCMP_SYS(setsockopt), EPERM, {FILTER_IS(1, LEVEL_RXRPC)}},
	};
	static const struct filter_rule unseen[] = {
	    {SCMP_SYS(socketcall), EPERM, {FILTER_IS(0, CALL_SETSOCKOPT)}},
	};
	int ret = FILTER_REFUSE(filter, rules);

	/* A rule about sockets refuses rings, and socketcall whole. */
	if (ret == 0 && (groups & FILTER_SOCKETS) == 0)
		ret = filter_refuse_rings(filter);
	if (ret == 0 && (groups & FILTER_SOCKETS) == 0)
		ret = FILTER_REFUSE(filter, unseen);
	return ret;
}

static int
add_rules(scmp_filter_ctx filter, uint32_t native, unsigned groups)
{
	int ret = refuse_always(filter);

	if (ret == 0)
		ret = refuse_children_of_others(filter, native);
	if (ret == 0 && (groups & FILTER_TERMINAL) != 0)
		ret = refuse_terminal(filter);
	if (ret == 0 && (groups & FILTER_KEYRING) != 0)
		ret = refuse_keys(filter, groups);
	if (ret == 0 && (groups & FILTER_FORK) != 0)
		ret = refuse_processes(filter, native);
	if (ret == 0 && (groups & FILTER_TRACE) != 0)
		ret = refuse_traces(filter);
	if (ret == 0 && (groups & FILTER_SOCKETS) != 0)
		ret = filter_socket_add(filter, groups);
	return ret;
}

/* ---- The program ----------------------------------------------------------
 */

/*
 * The other instruction set this machine may run has call numbers of its own.
 * It gets the same rules; any other is refused whole, x32 among them, which
 * nobody uses: every start would pay for the longer filter.
 */
size_t
filter_arches(uint32_t native, uint32_t arches[FILTER_ARCHES])
{
	size_t count = 0;

	arches[count++] = native;
	if (native == SCMP_ARCH_X86_64)
		arches[count++] = SCMP_ARCH_X86;
	else if (native == SCMP_ARCH_AARCH64)
		arches[count++] = SCMP_ARCH_ARM;
	return count;
}

static int
add_architectures(scmp_filter_ctx filter, uint32_t native)
{
	uint32_t arches[FILTER_ARCHES];
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
		ret = seccomp_arch_add(filter, arches[i]);
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
