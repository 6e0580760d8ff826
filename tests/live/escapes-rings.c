/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes-rings.c - the same by io_uring: work that the kernel does in its own
 * time, in threads of its own, and that no system call filter sees.
 */

#include "escapes.h"

#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Distribution headers are older than the kernels they run on. */
enum operation {
	OP_CONNECT = 16,
	OP_OPENAT = 18,
	OP_STATX = 21,
	OP_OPENAT2 = 28,
	OP_RENAMEAT = 35,
	OP_UNLINKAT = 36,
	OP_MKDIRAT = 37,
	OP_SYMLINKAT = 38,
	OP_LINKAT = 39,
	OP_SETXATTR = 42,
	OP_SOCKET = 45
};

#define SETUP_SQPOLL 2u /* a thread of the kernel takes the orders */
#define ENTER_GETEVENTS 1u
#define ENTER_SQ_WAKEUP 2u
#define REGISTER_PERSONALITY 9u

struct ring {
	int fd;
	unsigned char *rings;
	struct io_uring_sqe *entry;
	struct io_uring_params params;
};

static int
open_ring(struct ring *ring, unsigned flags)
{
	memset(ring, 0, sizeof(*ring));
	ring->params.flags = flags;
	ring->fd = (int)syscall(425, 4, &ring->params);
	if (ring->fd < 0)
		return errno;
	ring->rings = mmap(NULL, 16384, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_POPULATE, ring->fd, 0);
	ring->entry = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_POPULATE, ring->fd, 0x10000000);
	if (ring->rings == MAP_FAILED || (void *)ring->entry == MAP_FAILED)
		return errno;
	memset(ring->entry, 0, sizeof(*ring->entry));
	return 0;
}

/* Have the one order carried out; its result, or a negative errno. */
static int
carry_out(struct ring *ring)
{
	struct io_uring_cqe *done;
	unsigned *tail;

	*(unsigned *)(void *)(ring->rings + ring->params.sq_off.array) = 0;
	tail = (unsigned *)(void *)(ring->rings + ring->params.sq_off.tail);
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(426, ring->fd, 1, 1, ENTER_GETEVENTS | ENTER_SQ_WAKEUP,
		NULL, 0) < 0)
		return -errno;
	done = (struct io_uring_cqe *)(void *)(ring->rings +
					       ring->params.cq_off.cqes);
	return done->res;
}

static uint64_t
address(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

/* One order about one name, by a worker; another name is in addr2. */
static int
order(enum operation operation, const char *name, const char *other,
    uint32_t flags)
{
	struct ring ring;
	int ret = open_ring(&ring, 0);

	if (ret != 0)
		return ret;
	ring.entry->opcode = (uint8_t)operation;
	ring.entry->fd = AT_FDCWD;
	ring.entry->addr = address(name);
	ring.entry->addr2 = address(other);
	if (operation == OP_RENAMEAT || operation == OP_LINKAT)
		ring.entry->len = (uint32_t)AT_FDCWD; /* of the other name */
	else if (operation == OP_OPENAT || operation == OP_MKDIRAT)
		ring.entry->len = 0700; /* the mode */
	ring.entry->open_flags = flags;
	ring.entry->flags = IOSQE_ASYNC;
	ret = carry_out(&ring);
	return ret < 0 ? -ret : 0;
}

TRICK(ring_data)
{
	(void)arg;
	return order(OP_OPENAT, escapes_in(dir, DB), NULL, O_RDONLY);
}

TRICK(ring_config)
{
	(void)arg;
	return order(OP_OPENAT, escapes_in(dir, CONFIG), NULL, O_RDWR);
}

TRICK(ring_create)
{
	(void)arg;
	return order(
	    OP_OPENAT, escapes_in(dir, "data/new"), NULL, O_CREAT | O_WRONLY);
}

TRICK(ring_openat2)
{
	uint64_t how[3] = {O_RDONLY, 0, 0};
	struct ring ring;
	int ret = open_ring(&ring, 0);

	(void)arg;
	if (ret != 0)
		return ret;
	ring.entry->opcode = OP_OPENAT2;
	ring.entry->fd = AT_FDCWD;
	ring.entry->addr = address(escapes_in(dir, DB));
	ring.entry->len = sizeof(how);
	ring.entry->off = address(how);
	ret = carry_out(&ring);
	return ret < 0 ? -ret : 0;
}

TRICK(ring_stat)
{
	struct statx st;
	struct ring ring;
	int ret = open_ring(&ring, 0);

	(void)arg;
	if (ret != 0)
		return ret;
	ring.entry->opcode = OP_STATX;
	ring.entry->fd = AT_FDCWD;
	ring.entry->addr = address(escapes_in(dir, DB));
	ring.entry->len = STATX_BASIC_STATS;
	ring.entry->off = address(&st);
	ret = carry_out(&ring);
	return ret < 0 ? -ret : 0;
}

TRICK(ring_rename)
{
	(void)arg;
	return order(
	    OP_RENAMEAT, escapes_in(dir, "data"), escapes_in(dir, "data2"), 0);
}

TRICK(ring_rename_config)
{
	(void)arg;
	return order(OP_RENAMEAT, escapes_in(dir, "workspace/file"),
	    escapes_in(dir, CONFIG), 0);
}

TRICK(ring_rename_data_dir)
{
	char other[PATH_MAX];

	(void)arg;
	snprintf(other, sizeof(other), "%s-moved", dir);
	return order(OP_RENAMEAT, dir, other, 0);
}

TRICK(ring_unlink)
{
	(void)arg;
	return order(OP_UNLINKAT, escapes_in(dir, CONFIG), NULL, 0);
}

TRICK(ring_mkdir)
{
	(void)arg;
	return order(OP_MKDIRAT, escapes_in(dir, "data/newdir"), NULL, 0);
}

TRICK(ring_symlink)
{
	(void)arg;
	return order(OP_SYMLINKAT, "/tmp", escapes_in(dir, "data/new"), 0);
}

TRICK(ring_link)
{
	(void)arg;
	return order(OP_LINKAT, escapes_in(dir, DB),
	    escapes_in(dir, "workspace/linked"), 0);
}

TRICK(ring_xattr)
{
	struct ring ring;
	int ret = open_ring(&ring, 0);

	(void)arg;
	if (ret != 0)
		return ret;
	ring.entry->opcode = OP_SETXATTR;
	ring.entry->addr = address("user.omega");
	ring.entry->addr2 = address("x");
	ring.entry->len = 1;
	/* addr3, which headers may not have. */
	memcpy((char *)ring.entry + 48,
	    &(uint64_t){address(escapes_in(dir, DB))}, sizeof(uint64_t));
	ret = carry_out(&ring);
	return ret < 0 ? -ret : 0;
}

/* By the kernel's own thread, which has our credentials. */
TRICK(ring_poll)
{
	struct ring ring;
	int ret = open_ring(&ring, SETUP_SQPOLL);

	(void)arg;
	if (ret != 0)
		return ret;
	ring.entry->opcode = OP_OPENAT;
	ring.entry->fd = AT_FDCWD;
	ring.entry->addr = address(escapes_in(dir, DB));
	ring.entry->open_flags = O_RDONLY;
	ret = carry_out(&ring);
	return ret < 0 ? -ret : 0;
}

/* With credentials that were put aside. */
TRICK(ring_personality)
{
	struct ring ring;
	int ret = open_ring(&ring, 0);

	(void)arg;
	if (ret != 0)
		return ret;
	ret = (int)syscall(427, ring.fd, REGISTER_PERSONALITY, NULL, 0);
	if (ret < 0)
		return errno;
	ring.entry->opcode = OP_OPENAT;
	ring.entry->fd = AT_FDCWD;
	ring.entry->addr = address(escapes_in(dir, DB));
	ring.entry->open_flags = O_RDONLY;
	ring.entry->personality = (uint16_t)ret;
	ret = carry_out(&ring);
	return ret < 0 ? -ret : 0;
}

/* A socket that no system call made, connected by none. */
static int
connect_by_ring(const struct sockaddr_un *to, socklen_t size)
{
	struct ring ring;
	int fd;
	int ret = open_ring(&ring, 0);

	if (ret != 0)
		return ret;
	ring.entry->opcode = OP_SOCKET;
	ring.entry->fd = AF_UNIX;
	ring.entry->off = SOCK_STREAM;
	fd = carry_out(&ring);
	if (fd < 0)
		return -fd;
	ret = open_ring(&ring, 0);
	if (ret != 0)
		return ret;
	ring.entry->opcode = OP_CONNECT;
	ring.entry->fd = fd;
	ring.entry->addr = address(to);
	ring.entry->off = size;
	ret = carry_out(&ring);
	return ret < 0 ? -ret : 0;
}

TRICK(ring_socket)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	(void)arg;
	snprintf(to.sun_path, sizeof(to.sun_path), "%.60s/../socket", dir);
	return connect_by_ring(&to, sizeof(to));
}

TRICK(ring_abstract)
{
	struct sockaddr_un to;
	socklen_t size = escapes_abstract(dir, &to);

	(void)arg;
	return connect_by_ring(&to, size);
}

TRICK(ring_system)
{
	UNUSED;
	return order(OP_OPENAT, "/etc/hostname", NULL, O_WRONLY);
}

TRICK(ring_sysctl)
{
	UNUSED;
	return order(
	    OP_OPENAT, "/proc/sys/kernel/core_pattern", NULL, O_WRONLY);
}

const struct attempt escapes_rings[] = {
    {"io_uring: openat", MAYBE, ring_data},
    {"io_uring: openat of config.toml", MAYBE, ring_config},
    {"io_uring: create", MAYBE, ring_create},
    {"io_uring: openat2", MAYBE, ring_openat2},
    {"io_uring: statx", MAYBE, ring_stat},
    {"io_uring: rename data", MAYBE, ring_rename},
    {"io_uring: replace config.toml", MAYBE, ring_rename_config},
    {"io_uring: rename the data directory", MAYBE, ring_rename_data_dir},
    {"io_uring: unlink config.toml", MAYBE, ring_unlink},
    {"io_uring: mkdir", MAYBE, ring_mkdir},
    {"io_uring: symlink", MAYBE, ring_symlink},
    {"io_uring: link", MAYBE, ring_link},
    {"io_uring: setxattr", MAYBE, ring_xattr},
    {"io_uring: by its own thread", MAYBE, ring_poll},
    {"io_uring: by credentials kept", MAYBE, ring_personality},
    {"io_uring: path socket", MAYBE, ring_socket},
    {"io_uring: abstract socket", MAYBE, ring_abstract},
    {"io_uring: write in /etc", ROOT_MAYBE, ring_system},
    {"io_uring: write /proc/sys", ROOT_MAYBE, ring_sysctl},
    {NULL, BOTH, NULL},
};
