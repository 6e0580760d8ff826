/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * main.c - see helper.h.
 *
 * It belongs to nobody: who has started it may end, and it goes on for the
 * commands that are left. It ends when the last of them and every descriptor
 * of their namespaces is gone, which is when the file system with the files
 * that tell them where to ask for names is no longer mounted.
 */

#include "config.h"

#include "hosts/helper.h"

#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hosts/dns.h"

#define CHANNEL 0
#define MAX_ASKERS 16 /* by TCP, at once */
#define ASKER_MS 10000
#define QUESTIONS 32 /* before anything else is looked at */
#define EVENTS 64

static int epoll = -1;

int
loop_watch(struct source *source, uint32_t events)
{
	struct epoll_event event = {.events = events, .data = {.ptr = source}};

	if (source->is_watched && source->events == events)
		return 0;
	if (epoll_ctl(epoll, source->is_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD,
		source->fd, &event) != 0)
		return -errno;
	source->is_watched = true;
	source->events = events;
	return 0;
}

uint64_t
loop_now(void)
{
	struct timespec now = {.tv_sec = 0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Where there are no descriptors left it would be told again at once. */
int
loop_accept(int listening)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	int fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0 && errno != EAGAIN && errno != EINTR &&
	    errno != ECONNABORTED)
		nanosleep(&moment, NULL);
	return fd;
}

/* ---- Questions ----------------------------------------------------------- */

static const struct omega_dns_names answers = {names_find, names_of, NULL};

/* The answer comes from the address that was asked. */
static void
udp_ready(struct source *source, uint32_t events)
{
	uint8_t question[1500];
	uint8_t answer[OMEGA_DNS_MOST];
	char control[256];
	struct sockaddr_storage from;
	struct iovec data;
	struct msghdr message;
	int left = QUESTIONS;
	ssize_t n;

	(void)events;
	while (left-- > 0) {
		data = (struct iovec){question, sizeof(question)};
		message = (struct msghdr){.msg_name = &from,
		    .msg_namelen = sizeof(from),
		    .msg_iov = &data,
		    .msg_iovlen = 1,
		    .msg_control = control,
		    .msg_controllen = sizeof(control)};
		n = recvmsg(source->fd, &message, MSG_DONTWAIT);
		if (n < 0)
			return;
		data.iov_len =
		    omega_dns_answer(question, (size_t)n, answer, &answers);
		data.iov_base = answer;
		message.msg_flags = 0;
		if (data.iov_len > 0)
			sendmsg(
			    source->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}

static struct asker {
	struct source source;
	uint64_t deadline; /* 0: nobody */
	size_t len;
	uint8_t bytes[2 + 1024];
} askers[MAX_ASKERS];

static void
end_asker(struct asker *asker)
{
	close(asker->source.fd);
	memset(asker, 0, sizeof(*asker));
}

/* Answer what is complete. False: this one is not to be talked to. */
static bool
answer_asker(struct asker *asker)
{
	uint8_t answer[2 + OMEGA_DNS_MOST];

	while (asker->len >= 2) {
		size_t size = (size_t)asker->bytes[0] << 8 | asker->bytes[1];
		size_t used;

		if (size + 2 > sizeof(asker->bytes))
			return false;
		if (asker->len < size + 2)
			return true;
		used = omega_dns_answer(
		    asker->bytes + 2, size, answer + 2, &answers);
		if (used == 0)
			return false;
		answer[0] = (uint8_t)(used >> 8);
		answer[1] = (uint8_t)used;
		if (send(asker->source.fd, answer, used + 2,
			MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)used + 2)
			return false;
		asker->len -= size + 2;
		memmove(asker->bytes, asker->bytes + size + 2, asker->len);
	}
	return true;
}

static void
asker_ready(struct source *source, uint32_t events)
{
	struct asker *asker = (struct asker *)source;
	ssize_t n;

	(void)events;
	if (asker->deadline == 0)
		return;
	n = recv(source->fd, asker->bytes + asker->len,
	    sizeof(asker->bytes) - asker->len, MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n > 0)
		asker->len += (size_t)n;
	if (n <= 0 || !answer_asker(asker))
		end_asker(asker);
}

static void
tcp_ready(struct source *source, uint32_t events)
{
	struct asker *asker = askers;
	int fd = loop_accept(source->fd);

	(void)events;
	if (fd < 0)
		return;
	while (asker < askers + MAX_ASKERS && asker->deadline != 0)
		asker++;
	if (asker == askers + MAX_ASKERS) {
		close(fd);
		return;
	}
	asker->source = (struct source){.ready = asker_ready, .fd = fd};
	asker->deadline = loop_now() + ASKER_MS;
	if (loop_watch(&asker->source, EPOLLIN) < 0)
		end_asker(asker);
}

/* True: somebody is there. */
static bool
end_late_askers(void)
{
	const uint64_t now = loop_now();
	bool has_any = false;
	int i;

	for (i = 0; i < MAX_ASKERS; i++) {
		if (askers[i].deadline != 0 && askers[i].deadline <= now)
			end_asker(&askers[i]);
		has_any |= askers[i].deadline != 0;
	}
	return has_any;
}

/* ---- The rest ------------------------------------------------------------ */

static void
told_ready(struct source *source, uint32_t events)
{
	struct told told;
	ssize_t n = recv(source->fd, &told, sizeof(told), MSG_DONTWAIT);

	(void)events;
	if (n == (ssize_t)sizeof(told))
		carry_told(&told);
	else if (n == 0 || errno != EAGAIN)
		_exit(1); /* nothing can be reached any more */
}

static void
end_ready(struct source *source, uint32_t events)
{
	char bytes[4096]
	    __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n = read(source->fd, bytes, sizeof(bytes));
	ssize_t at = 0;

	(void)events;
	while (at + (ssize_t)sizeof(struct inotify_event) <= n) {
		const struct inotify_event *event =
		    (const struct inotify_event *)(bytes + at);

		if ((event->mask & (IN_UNMOUNT | IN_IGNORED)) != 0)
			_exit(0);
		at += (ssize_t)sizeof(*event) + (ssize_t)event->len;
	}
}

static void
loop(void)
{
	struct epoll_event events[EVENTS];
	bool has_askers = false;
	int i;
	int n;

	for (;;) {
		n = epoll_wait(epoll, events, EVENTS,
		    has_askers || carry_has_any() ? 250 : -1);
		for (i = 0; i < n; i++) {
			struct source *source = events[i].data.ptr;

			source->ready(source, events[i].events);
		}
		carry_tick();
		has_askers = end_late_askers();
	}
}

static int
receive(int *fds, size_t count)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(253 * sizeof(int))];
	} control;
	char byte;
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control)};
	const struct cmsghdr *head;

	if (recvmsg(CHANNEL, &message, MSG_CMSG_CLOEXEC) != 1)
		return -EPROTO;
	head = CMSG_FIRSTHDR(&message);
	if (head == NULL || (message.msg_flags & MSG_CTRUNC) != 0 ||
	    head->cmsg_type != SCM_RIGHTS ||
	    head->cmsg_len != CMSG_LEN(count * sizeof(int)))
		return -EMFILE;
	memcpy(fds, CMSG_DATA(head), count * sizeof(int));
	return 0;
}

/* The table of what is refused, for the core. */
static int
hand_over(int fd)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.head = {.cmsg_level = SOL_SOCKET,
			 .cmsg_type = SCM_RIGHTS,
			 .cmsg_len = CMSG_LEN(sizeof(int))}};
	char byte = 't';
	struct iovec data = {&byte, 1};
	const struct msghdr message = {.msg_iov = &data,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control)};

	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	if (sendmsg(CHANNEL, &message, MSG_NOSIGNAL) != 1)
		return -errno;
	return close(fd);
}

static int
watch_all(
    const int *fds, const struct omega_sandbox_hosts_plan *plan, int outside)
{
	static struct source sources[] = {{.ready = udp_ready},
	    {.ready = tcp_ready}, {.ready = end_ready}, {.ready = told_ready}};
	uint32_t i;
	int ret = 0;

	sources[3].fd = outside;
	for (i = 0; ret == 0 && i < 4; i++) {
		if (i < OMEGA_SANDBOX_HOSTS_PORTS)
			sources[i].fd = fds[i];
		ret = loop_watch(&sources[i], EPOLLIN);
	}
	for (i = 0; ret == 0 && i < plan->port_count; i++)
		ret = carry_listen(
		    fds[OMEGA_SANDBOX_HOSTS_PORTS + i], plan->ports[i]);
	carry_set_outside(outside);
	return ret;
}

/* As many descriptors as there can be; each connection takes two. */
static void
raise_limit(uint32_t taken)
{
	struct rlimit limit = {64, 64};

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	taken += MAX_ASKERS + 16;
	carry_limit(limit.rlim_cur > taken ? (limit.rlim_cur - taken) / 2 : 0);
}

static int
serve(void)
{
	static struct omega_sandbox_hosts_plan plan;
	static char text[OMEGA_SANDBOX_HOSTS_MAX_TEXT + 1];
	int fds[OMEGA_SANDBOX_HOSTS_PORTS + OMEGA_SANDBOX_HOSTS_MAX_PORTS];
	ssize_t n = recv(CHANNEL, text, sizeof(text) - 1, 0);
	int outside = -1;
	int refused = -1;
	int ret;

	if (n <= 0)
		return 1;
	ret = names_read(text);
	if (ret == 0)
		names_plan(&plan);
	else
		plan.error = (uint32_t)-ret;
	raise_limit(plan.port_count);
	if (plan.error == 0) {
		outside = outside_start();
		plan.error = outside < 0 ? (uint32_t)-outside : 0;
	}
	if (send(CHANNEL, &plan, sizeof(plan), MSG_NOSIGNAL) !=
		(ssize_t)sizeof(plan) ||
	    plan.error != 0)
		return 1;
	epoll = epoll_create1(EPOLL_CLOEXEC);
	ret = epoll < 0
		  ? -errno
		  : receive(fds, OMEGA_SANDBOX_HOSTS_PORTS + plan.port_count);
	if (ret == 0)
		ret = watch_all(fds, &plan, outside);
	if (ret == 0) {
		refused = refused_make();
		ret = refused < 0 ? refused : confine(&plan, names.proxy_port);
	}
	ret = -ret;
	if (send(CHANNEL, &ret, sizeof(ret), MSG_NOSIGNAL) !=
		(ssize_t)sizeof(ret) ||
	    ret != 0 || hand_over(refused) != 0)
		return 1;
	/* It stays open: so who has started it sees when it ends. */
	loop();
	return 0;
}

int
main(void)
{
	pid_t pid;

	syscall(SYS_close_range, 1, ~0u, 0);
	pid = fork();
	if (pid != 0)
		_exit(pid < 0);
	if (setsid() < 0 || chdir("/") != 0)
		_exit(1);
	_exit(serve());
}
