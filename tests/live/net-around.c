/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * net-around.c - connections and sockets made without connect(2) and socket(2).
 */

#include "net-tries.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define OP_SOCKET 45 /* IORING_OP_SOCKET, newer than some headers */

/* ---- TCP Fast Open --------------------------------------------------------
 */

enum fast_way { BY_SENDTO, BY_SENDMSG, BY_SENDMMSG };

static int
open_fast(const struct net_ground *g, enum fast_way way)
{
	struct sockaddr_in to = net_tries_address(g);
	char x = 'x';
	struct iovec part = {&x, 1};
	struct mmsghdr message = {.msg_hdr = {.msg_name = &to,
				      .msg_namelen = sizeof(to),
				      .msg_iov = &part,
				      .msg_iovlen = 1}};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int error = 0;
	ssize_t n;

	if (fd < 0)
		return errno;
	if (way == BY_SENDTO)
		n = sendto(fd, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&to,
		    sizeof(to));
	else if (way == BY_SENDMSG)
		n = sendmsg(fd, &message.msg_hdr, MSG_FASTOPEN);
	else
		n = sendmmsg(fd, &message, 1, MSG_FASTOPEN);
	if (n != 1)
		error = errno;
	close(fd);
	return error;
}

int
net_around_fast_sendto(const struct net_ground *g)
{
	return open_fast(g, BY_SENDTO);
}

int
net_around_fast_sendmsg(const struct net_ground *g)
{
	return open_fast(g, BY_SENDMSG);
}

int
net_around_fast_sendmmsg(const struct net_ground *g)
{
	return open_fast(g, BY_SENDMMSG);
}

/* Asked for beforehand: connect(2) is still made, and judged. */
int
net_around_fast_connect(const struct net_ground *g)
{
	struct sockaddr_in to = net_tries_address(g);
	const int on = 1;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int error = 0;

	if (fd < 0)
		return errno;
	if (setsockopt(
		fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof(on)) != 0 ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0 ||
	    write(fd, "x", 1) != 1)
		error = errno;
	close(fd);
	return error;
}

int
net_around_ulp(const struct net_ground *g)
{
	struct sockaddr_in to = net_tries_address(g);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int error = 0;

	if (fd < 0)
		return errno;
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0 ||
	    setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", 4) != 0)
		error = errno;
	close(fd);
	return error;
}

/* ---- io_uring -------------------------------------------------------------
 */

/* Have the ring make a TCP socket: no filter sees that. */
static int
submit_socket(int ring, const struct io_uring_params *p)
{
	size_t size = p->sq_off.array + p->sq_entries * sizeof(unsigned);
	size_t other =
	    p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqe;
	unsigned *tail;
	char *rings;
	int error;

	/* Both rings are in one piece since Linux 5.4. */
	rings = mmap(NULL, size > other ? size : other, PROT_READ | PROT_WRITE,
	    MAP_SHARED, ring, IORING_OFF_SQ_RING);
	sqes = mmap(NULL, p->sq_entries * sizeof(*sqes), PROT_READ | PROT_WRITE,
	    MAP_SHARED, ring, IORING_OFF_SQES);
	if (rings == MAP_FAILED || sqes == MAP_FAILED)
		return errno;
	memset(sqes, 0, sizeof(*sqes));
	sqes->opcode = OP_SOCKET;
	sqes->fd = AF_INET;
	sqes->off = SOCK_STREAM;
	((unsigned *)(void *)(rings + p->sq_off.array))[0] = 0;
	tail = (unsigned *)(void *)(rings + p->sq_off.tail);
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS,
		NULL, 0) < 0)
		return errno;
	cqe = (struct io_uring_cqe *)(void *)(rings + p->cq_off.cqes);
	error = cqe->res < 0 ? -cqe->res : 0;
	if (error == 0)
		close(cqe->res);
	return error;
}

int
net_around_ring(const struct net_ground *g)
{
	struct io_uring_params params = {.sq_entries = 0};
	int ring = (int)syscall(SYS_io_uring_setup, 4, &params);
	int error;

	(void)g;
	if (ring < 0)
		return errno;
	error = submit_socket(ring, &params);
	close(ring);
	return error;
}

/* A ring that came from elsewhere; there is none, which is an answer. */
int
net_around_ring_enter(const struct net_ground *g)
{
	(void)g;
	if (syscall(SYS_io_uring_enter, -1, 0, 0, 0, NULL, 0) == 0 ||
	    errno == EBADF)
		return 0;
	return errno;
}

int
net_around_ring_register(const struct net_ground *g)
{
	(void)g;
	if (syscall(SYS_io_uring_register, -1, 1, NULL, 0) == 0 ||
	    errno == EBADF || errno == EINVAL)
		return 0;
	return errno;
}
