/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * hosts.c - see mounts.h.
 *
 * In the network namespace of commands: every address that stands for a name,
 * and every one that is listed, leads to the machine itself, where sockets
 * listen that are then given to who joins them with the outside. No process
 * stays here for that.
 */

#include "mounts.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox-plugin.h>

#define LINK 1 /* the other end is the helper's */
#define LOOPBACK 1 /* the number of the device, in every namespace */
#define BACKLOG 256

/* One thing that the kernel is asked for. */
struct ask {
	struct nlmsghdr head;
	union {
		struct rtmsg route;
		struct ifaddrmsg address;
	} body;
	char attributes[96];
};

static void
add_attribute(struct ask *ask, unsigned type, const void *data, size_t len)
{
	struct rtattr *at =
	    (struct rtattr *)((char *)ask + NLMSG_ALIGN(ask->head.nlmsg_len));

	at->rta_type = (unsigned short)type;
	at->rta_len = (unsigned short)RTA_LENGTH(len);
	memcpy(RTA_DATA(at), data, len);
	ask->head.nlmsg_len =
	    NLMSG_ALIGN(ask->head.nlmsg_len) + (uint32_t)RTA_SPACE(len);
}

/* 0 or -errno. */
static int
settle(int fd, struct ask *ask, uint16_t type)
{
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char rest[512];
	} answer;

	ask->head.nlmsg_type = type;
	ask->head.nlmsg_flags =
	    NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
	if (send(fd, ask, ask->head.nlmsg_len, 0) < 0 ||
	    recv(fd, &answer, sizeof(answer), 0) <
		(ssize_t)NLMSG_LENGTH(sizeof(answer.error)))
		return -errno;
	return answer.head.nlmsg_type == NLMSG_ERROR ? answer.error.error
						     : -EPROTO;
}

static int
add_own(int fd)
{
	struct ask ask = {
	    .head = {.nlmsg_len = NLMSG_LENGTH(sizeof(ask.body.address))},
	    .body.address = {.ifa_family = AF_INET,
		.ifa_prefixlen = 32,
		.ifa_index = LOOPBACK}};
	struct in_addr own = {.s_addr = inet_addr(OMEGA_SANDBOX_HOSTS_OWN)};

	add_attribute(&ask, IFA_LOCAL, &own, sizeof(own));
	add_attribute(&ask, IFA_ADDRESS, &own, sizeof(own));
	return settle(fd, &ask, RTM_NEWADDR);
}

/* Whoever connects to itself by such an address would come from it, and meet
 * itself once in a while: so there is one address to come from. */
static int
add_route(int fd, const struct omega_sandbox_hosts_route *route)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	const int is_v4 = memcmp(route->address, mapped, 12) == 0;
	const unsigned before = is_v4 ? 96 : 0;
	struct ask ask = {
	    .head = {.nlmsg_len = NLMSG_LENGTH(sizeof(ask.body.route))},
	    .body.route = {.rtm_family = is_v4 ? AF_INET : AF_INET6,
		.rtm_dst_len = (uint8_t)(route->prefix - before),
		.rtm_table = RT_TABLE_LOCAL,
		.rtm_protocol = RTPROT_BOOT,
		.rtm_scope = is_v4 ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE,
		.rtm_type = RTN_LOCAL}};
	const struct in_addr own = {
	    .s_addr = inet_addr(OMEGA_SANDBOX_HOSTS_OWN)};
	const uint32_t device = LOOPBACK;

	if (route->prefix < before)
		return -EPROTO;
	if (ask.body.route.rtm_dst_len > 0)
		add_attribute(&ask, RTA_DST, route->address + before / 8,
		    16 - before / 8);
	add_attribute(&ask, RTA_OIF, &device, sizeof(device));
	if (is_v4)
		add_attribute(&ask, RTA_PREFSRC, &own, sizeof(own));
	return settle(fd, &ask, RTM_NEWROUTE);
}

static int
make_ways(const struct omega_sandbox_hosts_plan *plan)
{
	struct omega_sandbox_hosts_route names = {.prefix = 96 + 15};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	uint32_t i;
	int ret;

	if (fd < 0)
		return -errno;
	inet_pton(AF_INET6, "::ffff:198.18.0.0", names.address);
	ret = add_own(fd);
	if (ret == 0)
		ret = add_route(fd, &names);
	for (i = 0; ret == 0 && i < plan->route_count; i++)
		ret = add_route(fd, &plan->routes[i]);
	close(fd);
	return ret;
}

/* For both families, where there are both. A descriptor or -errno. */
static int
open_port(int type, uint16_t port)
{
	struct sockaddr_in6 six = {
	    .sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct sockaddr_in four = {
	    .sin_family = AF_INET, .sin_port = htons(port)};
	const int off = 0;
	const int on = 1;
	int is_six = 1;
	int fd;

	fd = socket(AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0) {
		is_six = 0;
		fd = socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	}
	if (fd < 0)
		return -errno;
	if (is_six) {
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
		setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on));
	} else {
		setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof(on));
	}
	if ((is_six ? bind(fd, (struct sockaddr *)&six, sizeof(six))
		    : bind(fd, (struct sockaddr *)&four, sizeof(four))) != 0 ||
	    (type == SOCK_STREAM && listen(fd, BACKLOG) != 0)) {
		const int error = errno;

		close(fd);
		return -error;
	}
	return fd;
}

/* Give them away, and keep none: when who has them ends, so do they. */
static int
send_all(const int *fds, size_t count)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE((OMEGA_SANDBOX_HOSTS_PORTS +
					  OMEGA_SANDBOX_HOSTS_MAX_PORTS) *
				      sizeof(int))];
	} control;
	char byte = 0;
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = CMSG_SPACE(count * sizeof(int))};
	int error = 0;

	memset(&control, 0, sizeof(control));
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(&control.head), fds, count * sizeof(int));
	if (sendmsg(LINK, &message, MSG_NOSIGNAL) != 1)
		return -errno;
	while (count > 0)
		close(fds[--count]);
	if (recv(LINK, &error, sizeof(error), 0) != (ssize_t)sizeof(error))
		return -EPIPE;
	return -error;
}

int
hosts_make(struct mounts *mounts)
{
	static struct omega_sandbox_hosts_plan plan;
	const struct timeval patience = {.tv_sec = 10};
	int fds[OMEGA_SANDBOX_HOSTS_PORTS + OMEGA_SANDBOX_HOSTS_MAX_PORTS];
	uint32_t count = 0;
	uint32_t i;
	int ret;

	setsockopt(LINK, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (recv(LINK, &plan, sizeof(plan), 0) != (ssize_t)sizeof(plan) ||
	    plan.port_count > OMEGA_SANDBOX_HOSTS_MAX_PORTS ||
	    plan.route_count > OMEGA_SANDBOX_HOSTS_MAX_ROUTES)
		return mounts_fail_with(mounts, -EPIPE, REQUEST_LISTED, "");
	if (plan.error != 0)
		return mounts_fail_with(
		    mounts, -(int)plan.error, REQUEST_LISTED, "");
	ret = make_ways(&plan);
	if (ret < 0)
		return mounts_fail_with(mounts, ret, REQUEST_WAYS, "");
	fds[OMEGA_SANDBOX_HOSTS_END] = mounts->end;
	fds[OMEGA_SANDBOX_HOSTS_UDP] = open_port(SOCK_DGRAM, 53);
	fds[OMEGA_SANDBOX_HOSTS_TCP] = open_port(SOCK_STREAM, 53);
	for (i = 0; i < plan.port_count; i++)
		fds[OMEGA_SANDBOX_HOSTS_PORTS + i] =
		    plan.ports[i] == 53 ? -EADDRINUSE
					: open_port(SOCK_STREAM, plan.ports[i]);
	for (; count < OMEGA_SANDBOX_HOSTS_PORTS + plan.port_count; count++)
		if (fds[count] < 0)
			return mounts_fail_with(
			    mounts, fds[count], REQUEST_PORTS, "");
	ret = send_all(fds, count);
	close(LINK);
	return ret < 0 ? mounts_fail_with(mounts, ret, REQUEST_HELPER, "") : 0;
}
