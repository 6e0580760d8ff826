/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * net-tries.c - see net-tries.h.
 */

#include "net-tries.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MPTCP 262
#define SMC 256
#define OP_SOCKET 45 /* IORING_OP_SOCKET, newer than some headers */

extern char **environ;

/* ---- Making a socket ------------------------------------------------------
 */

static int
make(int family, int type, int protocol)
{
	int fd = socket(family, type | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

#define MAKE(name, family, type, protocol)           \
	static int name(const struct net_ground *g)  \
	{                                            \
		(void)g;                             \
		return make(family, type, protocol); \
	}

MAKE(make_udp_lite, AF_INET, SOCK_DGRAM, 136)
MAKE(make_ping, AF_INET, SOCK_DGRAM, IPPROTO_ICMP)
MAKE(make_raw, AF_INET, SOCK_RAW, IPPROTO_TCP)
MAKE(make_raw6, AF_INET6, SOCK_RAW, IPPROTO_RAW)
MAKE(make_packet, AF_PACKET, SOCK_RAW, htons(3))
MAKE(make_old_packet, AF_INET, SOCK_PACKET, htons(3))
MAKE(make_vsock, AF_VSOCK, SOCK_STREAM, 0)
MAKE(make_alg, AF_ALG, SOCK_SEQPACKET, 0)
MAKE(make_xdp, 44, SOCK_RAW, 0)
MAKE(make_smc, 43, SOCK_STREAM, 0)
MAKE(make_smc_protocol, AF_INET, SOCK_STREAM, SMC)
MAKE(make_sctp, AF_INET, SOCK_STREAM, IPPROTO_SCTP)
MAKE(make_dccp, AF_INET, SOCK_DCCP, 33)
MAKE(make_tipc, 30, SOCK_RDM, 0)

/* Bits above those that the kernel looks at. */
static int
make_with_junk(const struct net_ground *g)
{
	const uint64_t junk = 0x5500000000000000;
	long fd;

	(void)g;
	fd = syscall(SYS_socket, AF_INET | junk,
	    SOCK_STREAM | SOCK_NONBLOCK | junk, junk);
	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

/* ---- Reaching somebody ----------------------------------------------------
 */

static struct sockaddr_in
address_of(const struct net_ground *g)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
	    .sin_port = htons(g->port),
	    .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static int
connect_by(const struct net_ground *g, int protocol)
{
	struct sockaddr_in to = address_of(g);
	int fd = socket(AF_INET, SOCK_STREAM, protocol);
	int error = 0;

	if (fd < 0)
		return errno;
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		error = errno;
	close(fd);
	return error;
}

static int
try_tcp(const struct net_ground *g)
{
	return connect_by(g, 0);
}

static int
try_mptcp(const struct net_ground *g)
{
	return connect_by(g, MPTCP);
}

static int
try_tcp6(const struct net_ground *g)
{
	struct sockaddr_in6 to = {
	    .sin6_family = AF_INET6, .sin6_port = htons(g->port)};
	int fd = socket(AF_INET6, SOCK_STREAM, IPPROTO_TCP);
	int error = 0;

	if (fd < 0)
		return errno;
	inet_pton(AF_INET6, "::ffff:127.0.0.1", &to.sin6_addr);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		error = errno;
	close(fd);
	return error;
}

static int
try_udp(const struct net_ground *g)
{
	struct sockaddr_in to = address_of(g);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	int error = 0;

	if (fd < 0)
		return errno;
	if (sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)) != 1)
		error = errno;
	close(fd);
	return error;
}

static int
try_netlink(const struct net_ground *g)
{
	struct sockaddr_nl at = {.nl_family = AF_NETLINK};
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	int error = 0;

	(void)g;
	if (fd < 0)
		return errno;
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		error = errno;
	close(fd);
	return error;
}

/* ---- TCP Fast Open --------------------------------------------------------
 */

enum fast_way { BY_SENDTO, BY_SENDMSG, BY_SENDMMSG };

static int
open_fast(const struct net_ground *g, enum fast_way way)
{
	struct sockaddr_in to = address_of(g);
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

static int
try_fast_sendto(const struct net_ground *g)
{
	return open_fast(g, BY_SENDTO);
}

static int
try_fast_sendmsg(const struct net_ground *g)
{
	return open_fast(g, BY_SENDMSG);
}

static int
try_fast_sendmmsg(const struct net_ground *g)
{
	return open_fast(g, BY_SENDMMSG);
}

/* Asked for beforehand: connect(2) is still made, and judged. */
static int
try_fast_connect(const struct net_ground *g)
{
	struct sockaddr_in to = address_of(g);
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

static int
try_ulp(const struct net_ground *g)
{
	struct sockaddr_in to = address_of(g);
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

static int
try_ring(const struct net_ground *g)
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
static int
try_ring_enter(const struct net_ground *g)
{
	(void)g;
	if (syscall(SYS_io_uring_enter, -1, 0, 0, 0, NULL, 0) == 0 ||
	    errno == EBADF)
		return 0;
	return errno;
}

static int
try_ring_register(const struct net_ground *g)
{
	(void)g;
	if (syscall(SYS_io_uring_register, -1, 1, NULL, 0) == 0 ||
	    errno == EBADF || errno == EINVAL)
		return 0;
	return errno;
}

/* ---- UNIX sockets ---------------------------------------------------------
 */

static int
try_pair(const struct net_ground *g)
{
	int ends[2];
	char c = 0;

	(void)g;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
		return errno;
	if (write(ends[0], "x", 1) != 1 || read(ends[1], &c, 1) != 1)
		return errno;
	close(ends[0]);
	close(ends[1]);
	return c == 'x' ? 0 : EIO;
}

static socklen_t
unix_address(struct sockaddr_un *at, const char *name, int is_abstract)
{
	*at = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(at->sun_path + is_abstract,
	    sizeof(at->sun_path) - (size_t)is_abstract, "%s", name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
			   (size_t)is_abstract + strlen(name) +
			   (size_t)!is_abstract);
}

static int
connect_unix(const char *name, int is_abstract)
{
	struct sockaddr_un to;
	socklen_t len = unix_address(&to, name, is_abstract);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int error = 0;

	if (fd < 0)
		return errno;
	if (connect(fd, (struct sockaddr *)&to, len) != 0)
		error = errno;
	close(fd);
	return error;
}

static int
try_path(const struct net_ground *g)
{
	return connect_unix(g->path, 0);
}

static int
try_abstract(const struct net_ground *g)
{
	return connect_unix(g->abstract, 1);
}

/* A server of one's own, under a name the kernel chooses. */
static int
try_serve_unix(const struct net_ground *g)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(at.sun_family);
	int server = socket(AF_UNIX, SOCK_STREAM, 0);
	int client = socket(AF_UNIX, SOCK_STREAM, 0);
	int error = 0;

	(void)g;
	if (server < 0 || client < 0)
		return errno;
	if (bind(server, (struct sockaddr *)&at, len) != 0 ||
	    listen(server, 1) != 0)
		error = errno;
	len = sizeof(at);
	if (error == 0 &&
	    (getsockname(server, (struct sockaddr *)&at, &len) != 0 ||
		connect(client, (struct sockaddr *)&at, len) != 0))
		error = errno;
	close(client);
	close(server);
	return error;
}

static int
try_serve_tcp(const struct net_ground *g)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int error = 0;

	(void)g;
	if (fd < 0)
		return errno;
	/* Not bound: the kernel finds a port. */
	if (listen(fd, 1) != 0)
		error = errno;
	close(fd);
	return error;
}

/* ---- Another instruction set ----------------------------------------------
 */

static int
try_foreign(const struct net_ground *g)
{
	char *const argv[] = {(char *)(uintptr_t)g->foreign, NULL};
	int status;
	pid_t pid;
	int error = posix_spawn(&pid, g->foreign, NULL, NULL, argv, environ);

	if (error != 0)
		return error;
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return EIO;
	return WEXITSTATUS(status);
}

/* ---- Processes ------------------------------------------------------------
 */

static int
end_of(pid_t pid)
{
	int status;

	if (pid < 0)
		return errno;
	return waitpid(pid, &status, 0) == pid ? 0 : errno;
}

static int
try_fork(const struct net_ground *g)
{
	pid_t pid = fork();

	(void)g;
	if (pid == 0)
		_exit(0);
	return end_of(pid);
}

static int
try_vfork(const struct net_ground *g)
{
	pid_t pid = vfork();

	(void)g;
	if (pid == 0)
		_exit(0);
	return end_of(pid);
}

static int
try_spawn(const struct net_ground *g)
{
	char *const argv[] = {(char *)(uintptr_t) "true", NULL};
	pid_t pid;
	int error = posix_spawnp(&pid, "true", NULL, NULL, argv, environ);

	(void)g;
	return error != 0 ? error : end_of(pid);
}

static int
try_system(const struct net_ground *g)
{
	(void)g;
	errno = 0;
	return system("exit 0") == 0 ? 0 : errno;
}

/* Flags of a thread, but for the one that counts. */
static int
try_clone(const struct net_ground *g)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FS | CLONE_FILES | SIGCHLD,
	    NULL, NULL, NULL, NULL);

	(void)g;
	if (pid == 0)
		_exit(0);
	return end_of(pid);
}

static int
try_clone3(const struct net_ground *g)
{
	uint64_t args[8] = {[4] = SIGCHLD};
	pid_t pid = (pid_t)syscall(435, args, sizeof(args));

	(void)g;
	if (pid == 0)
		_exit(0);
	return end_of(pid);
}

static void *
run_thread(void *arg)
{
	*(int *)arg = 7;
	return NULL;
}

static int
try_thread(const struct net_ground *g)
{
	pthread_t thread;
	int seen = 0;
	int error = pthread_create(&thread, NULL, run_thread, &seen);

	(void)g;
	if (error == 0)
		error = pthread_join(thread, NULL);
	return error != 0 ? error : (seen == 7 ? 0 : EIO);
}

/* ---- All ------------------------------------------------------------------
 */

const struct net_try net_tries[] = {
    {"tcp", try_tcp},
    {"tcp6", try_tcp6},
    {"tcp-junk", make_with_junk},
    {"udp", try_udp},
    {"udp-lite", make_udp_lite},
    {"ping", make_ping},
    {"raw", make_raw},
    {"raw6", make_raw6},
    {"mptcp", try_mptcp},
    {"sctp", make_sctp},
    {"dccp", make_dccp},
    {"smc", make_smc},
    {"smc-protocol", make_smc_protocol},
    {"fast-sendto", try_fast_sendto},
    {"fast-sendmsg", try_fast_sendmsg},
    {"fast-sendmmsg", try_fast_sendmmsg},
    {"fast-connect", try_fast_connect},
    {"ulp", try_ulp},
    {"packet", make_packet},
    {"packet-old", make_old_packet},
    {"netlink", try_netlink},
    {"vsock", make_vsock},
    {"alg", make_alg},
    {"xdp", make_xdp},
    {"tipc", make_tipc},
    {"io_uring", try_ring},
    {"io_uring-enter", try_ring_enter},
    {"io_uring-register", try_ring_register},
    {"foreign", try_foreign},
    {"unix-pair", try_pair},
    {"unix-path", try_path},
    {"unix-abstract", try_abstract},
    {"unix-serve", try_serve_unix},
    {"tcp-serve", try_serve_tcp},
    {"fork", try_fork},
    {"vfork", try_vfork},
    {"spawn", try_spawn},
    {"system", try_system},
    {"clone", try_clone},
    {"clone3", try_clone3},
    {"thread", try_thread},
    {NULL, NULL},
};

int
net_tries_run(const struct net_ground *ground)
{
	const struct net_try *at;

	signal(SIGPIPE, SIG_IGN);
	for (at = net_tries; at->name != NULL; at++) {
		printf("%s %d\n", at->name, at->run(ground));
		fflush(stdout);
	}
	return 0;
}
