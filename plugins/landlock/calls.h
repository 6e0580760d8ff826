/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * calls.h - Landlock as the kernel has it: access rights by ABI, and the three
 * system calls.
 *
 * Distribution headers are years behind the kernels they run on, so nothing
 * is taken from <linux/landlock.h>. Static inline because a child step may use
 * the last call: no symbol, no library state.
 */

#ifndef OMEGA_LANDLOCK_CALLS_H
#define OMEGA_LANDLOCK_CALLS_H

#include <sys/syscall.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#define SYS_CREATE_RULESET 444L
#define SYS_ADD_RULE 445L
#define SYS_RESTRICT_SELF 446L

#define CREATE_RULESET_VERSION 0x1u
#define RULE_PATH_BENEATH 1
#define RULE_PORT 2

/* As long as the ABI 6 form; older kernels take a shorter one. */
struct calls_ruleset {
	uint64_t fs;
	uint64_t net;
	uint64_t scoped;
};

struct calls_path_beneath {
	uint64_t allowed;
	int32_t parent_fd;
} __attribute__((packed));

struct calls_port {
	uint64_t allowed;
	uint64_t port; /* in the host's order */
};

/* The newest ABI that is known; a newer kernel is used as this one. */
#define RIGHTS_NEWEST_ABI 10

#define FS_EXECUTE (1ULL << 0)
#define FS_WRITE_FILE (1ULL << 1)
#define FS_READ_FILE (1ULL << 2)
#define FS_READ_DIR (1ULL << 3)
#define FS_REMOVE_DIR (1ULL << 4)
#define FS_REMOVE_FILE (1ULL << 5)
#define FS_MAKE_CHAR (1ULL << 6)
#define FS_MAKE_DIR (1ULL << 7)
#define FS_MAKE_REG (1ULL << 8)
#define FS_MAKE_SOCK (1ULL << 9)
#define FS_MAKE_FIFO (1ULL << 10)
#define FS_MAKE_BLOCK (1ULL << 11)
#define FS_MAKE_SYM (1ULL << 12)
#define FS_REFER (1ULL << 13)
#define FS_TRUNCATE (1ULL << 14)
#define FS_IOCTL_DEV (1ULL << 15)
#define FS_RESOLVE_UNIX (1ULL << 16)

#define NET_BIND_TCP (1ULL << 0)
#define NET_CONNECT_TCP (1ULL << 1)
#define NET_BIND_UDP (1ULL << 2)
#define NET_CONNECT_SEND_UDP (1ULL << 3)

#define SCOPE_ABSTRACT_UNIX (1ULL << 0)
#define SCOPE_SIGNAL (1ULL << 1)

/* Sets of rights; which of them a kernel knows is for rights_known to say. */
#define RIGHTS_READ (FS_EXECUTE | FS_READ_FILE | FS_READ_DIR)
#define RIGHTS_DEVICE_NODES (FS_MAKE_CHAR | FS_MAKE_BLOCK)
#define RIGHTS_WRITE                                                    \
	(FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | \
	    FS_MAKE_REG | FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_SYM |   \
	    FS_REFER | FS_TRUNCATE | FS_IOCTL_DEV)
/* Everything, and the right that grants nothing alone. */
#define RIGHTS_FULL (RIGHTS_READ | RIGHTS_WRITE)
#define RIGHTS_REFER_ONLY FS_REFER

/* All that a kernel of this ABI knows: of files, of ports, and scopes. */
struct calls_ruleset rights_known(int abi);

/* Of the rights, those that can be granted on a file that is no directory. */
uint64_t rights_for_file(uint64_t rights);

/* The kernel's ABI, or a negative number and errno. */
static inline int
calls_abi(void)
{
	return (int)syscall(
	    SYS_CREATE_RULESET, NULL, (size_t)0, CREATE_RULESET_VERSION);
}

static inline int
calls_create(const struct calls_ruleset *ruleset, size_t size)
{
	return (int)syscall(SYS_CREATE_RULESET, ruleset, size, 0u);
}

static inline int
calls_allow(int ruleset, const struct calls_path_beneath *rule)
{
	return (int)syscall(SYS_ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0u);
}

static inline int
calls_allow_port(int ruleset, const struct calls_port *rule)
{
	return (int)syscall(SYS_ADD_RULE, ruleset, RULE_PORT, rule, 0u);
}

static inline int
calls_restrict(int ruleset)
{
	return (int)syscall(SYS_RESTRICT_SELF, ruleset, 0u);
}

#endif
