/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * confine.c - see helper.h.
 *
 * What commands send is read by this process, so it can do no more than it
 * needs for that: sockets of the Internet and no files.
 */

#include "config.h"

#include "hosts/helper.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

/* Landlock; headers of the system may be older than its kernel. */
#define LANDLOCK_CREATE 444
#define LANDLOCK_ADD 445
#define LANDLOCK_RESTRICT 446
#define LANDLOCK_VERSION 1
#define RULE_PORT 2
#define CONNECT_TCP 0x2
#define BIND_TCP 0x1

/* No file at all, and no port outside but those that are listed. */
static int
close_files(const struct omega_sandbox_hosts_plan *plan, uint16_t proxy_port)
{
	struct {
		uint64_t files;
		uint64_t ports;
	} attr = {.files = 0};
	struct {
		uint64_t access;
		uint64_t port;
	} rule = {.access = CONNECT_TCP};
	long abi = syscall(LANDLOCK_CREATE, NULL, (size_t)0, LANDLOCK_VERSION);
	size_t size = sizeof(attr.files);
	int ret = 0;
	uint32_t i;
	int fd;

	if (abi <= 0)
		return 0; /* a kernel without; the filter stands alone */
	attr.files = abi >= 5	? 0xffff
		     : abi >= 3 ? 0x7fff
		     : abi == 2 ? 0x3fff
				: 0x1fff;
	if (abi >= 4) {
		attr.ports = CONNECT_TCP | BIND_TCP;
		size = sizeof(attr);
	}
	fd = (int)syscall(LANDLOCK_CREATE, &attr, size, 0);
	if (fd < 0)
		return -errno;
	for (i = proxy_port == 0; abi >= 4 && ret == 0 && i <= plan->port_count;
	     i++) {
		rule.port = i == 0 ? proxy_port : plan->ports[i - 1];
		if (syscall(LANDLOCK_ADD, fd, RULE_PORT, &rule, 0) != 0)
			ret = -errno;
	}
	if (ret == 0 && syscall(LANDLOCK_RESTRICT, fd, 0) != 0)
		ret = -errno;
	close(fd);
	return ret;
}

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#endif

#ifdef ARCH
/* All that the loop and the allocator call. */
static const int allowed[] = {
    SYS_read,
    SYS_recvfrom,
    SYS_recvmsg,
    SYS_sendto,
    SYS_sendmsg,
    SYS_close,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_accept4,
    SYS_connect,
    SYS_getsockname,
    SYS_getsockopt,
    SYS_setsockopt,
    SYS_shutdown,
    SYS_clock_gettime,
    SYS_exit_group,
    SYS_restart_syscall,
    SYS_rt_sigreturn,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_brk,
    SYS_getrandom,
    SYS_futex,
    SYS_clock_nanosleep,
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
};

#define COUNT (sizeof(allowed) / sizeof(allowed[0]))
#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))

/* socket() with IPv4 and IPv6 alone, so that no file descriptor of another
 * kind can be had. */
static int
filter_calls(void)
{
	struct sock_filter code[COUNT + 12];
	struct sock_fprog program = {.filter = code};
	size_t n = 0;
	size_t i;

#define PUT(...)                                            \
	do {                                                \
		const struct sock_filter one = __VA_ARGS__; \
		code[n++] = one;                            \
	} while (0)
	PUT(LOAD(arch));
	PUT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0));
	PUT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
	PUT(LOAD(nr));
	PUT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 4));
	PUT(LOAD(args[0]));
	PUT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, COUNT + 3, 0));
	PUT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, COUNT + 2, 0));
	PUT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
	for (i = 0; i < COUNT; i++)
		PUT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i],
		    (unsigned char)(COUNT - i), 0));
	PUT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
	PUT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	program.len = (unsigned short)n;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0
		   ? -errno
		   : 0;
}
#else
static int
filter_calls(void)
{
	return 0; /* Landlock stands alone */
}
#endif

int
confine(const struct omega_sandbox_hosts_plan *plan, uint16_t proxy_port)
{
	int ret;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return -errno;
	ret = close_files(plan, proxy_port);
	return ret == 0 ? filter_calls() : ret;
}
