/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * lesser.c - see lesser.h.
 */

#include "lesser.h"

#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CREATE_RULESET 444L
#define FSOPEN 430L
#define MAX_CODE 256

#define NUMBER offsetof(struct seccomp_data, nr)
/* The lower half of an argument. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARG(n) (offsetof(struct seccomp_data, args) + 8 * (n))
#else
#define ARG(n) (offsetof(struct seccomp_data, args) + 8 * (n) + 4)
#endif

struct code {
	struct sock_filter list[MAX_CODE];
	unsigned short count;
};

static void
add(struct code *code, unsigned short what, unsigned yes, unsigned no,
    unsigned value)
{
	struct sock_filter line = {.code = what,
	    .jt = (unsigned char)yes,
	    .jf = (unsigned char)no,
	    .k = value};

	if (code->count < MAX_CODE)
		code->list[code->count++] = line;
}

static void
load(struct code *code, size_t offset)
{
	add(code, BPF_LD | BPF_W | BPF_ABS, 0, 0, (unsigned)offset);
}

static void
answer(struct code *code, unsigned value)
{
	add(code, BPF_RET | BPF_K, 0, 0, value);
}

/* Skip the next lines unless the call is this one. */
static void
unless_call(struct code *code, long call, unsigned lines)
{
	load(code, NUMBER);
	add(code, BPF_JMP | BPF_JEQ | BPF_K, 0, lines, (unsigned)call);
}

static int
install(struct code *code, unsigned flags)
{
	struct sock_fprog program = {.len = code->count, .filter = code->list};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return (int)syscall(
	    SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

int
lesser_refuse(const long *calls, size_t count, int error)
{
	struct code code = {.count = 0};
	size_t i;

	for (i = 0; i < count; i++) {
		unless_call(&code, calls[i], 1);
		answer(&code, SECCOMP_RET_ERRNO | (unsigned)error);
	}
	answer(&code, SECCOMP_RET_ALLOW);
	return install(&code, 0);
}

int
lesser_refuse_user_namespaces(int error)
{
	static const long calls[] = {SYS_clone, SYS_unshare};
	const long newer[] = {SYS_clone3};
	struct code code = {.count = 0};
	size_t i;

	for (i = 0; i < 2; i++) {
		unless_call(&code, calls[i], 3);
		load(&code, ARG(0));
		add(&code, BPF_JMP | BPF_JSET | BPF_K, 0, 1, CLONE_NEWUSER);
		answer(&code, SECCOMP_RET_ERRNO | (unsigned)error);
	}
	answer(&code, SECCOMP_RET_ALLOW);
	/* Its flags are in memory: everybody falls back to clone. */
	return install(&code, 0) != 0 ? -1 : lesser_refuse(newer, 1, ENOSYS);
}

int
lesser_refuse_prctl(int option, int error)
{
	struct code code = {.count = 0};

	unless_call(&code, SYS_prctl, 3);
	load(&code, ARG(0));
	add(&code, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (unsigned)option);
	answer(&code, SECCOMP_RET_ERRNO | (unsigned)error);
	answer(&code, SECCOMP_RET_ALLOW);
	return install(&code, 0);
}

int
lesser_landlock_abi(void)
{
	int abi = (int)syscall(CREATE_RULESET, NULL, (size_t)0, 1u);

	return abi < 0 ? 0 : abi;
}

/* ---- The second process -------------------------------------------------- */

/* Read another process's memory, as much as there is. */
static size_t
peek(pid_t pid, uint64_t from, void *to, size_t size)
{
	struct iovec here = {.iov_base = to, .iov_len = size};
	struct iovec there = {
	    .iov_base = (void *)(uintptr_t)from, .iov_len = size};
	ssize_t n;

	memset(to, 0, size);
	n = process_vm_readv(pid, &here, 1, &there, 1, 0);
	/* Not over the end of a page that is the last. */
	while (n < 0 && errno == EFAULT && there.iov_len > 1) {
		there.iov_len /= 2;
		n = process_vm_readv(pid, &here, 1, &there, 1, 0);
	}
	return n < 0 ? 0 : (size_t)n;
}

/* As a kernel of an older ABI answers: 0 when it goes on to the real one. */
static int
judge_ruleset(const struct seccomp_notif *call, int abi, int64_t *value)
{
	/* How many file rights each ABI has, how long its structure is. */
	static const unsigned rights[] = {0, 13, 14, 15, 15, 16, 16, 16};
	static const unsigned sizes[] = {0, 8, 8, 8, 16, 16, 24, 24};
	uint64_t attr[3];
	uint64_t size = call->data.args[1];
	size_t i;

	if (call->data.args[0] == 0 && size == 0 && call->data.args[2] == 1) {
		*value = abi;
		return 1;
	}
	if (peek(call->pid, call->data.args[0], attr,
		size < sizeof(attr) ? size : sizeof(attr)) == 0)
		return -EFAULT;
	for (i = sizes[abi] / 8; i < 3 && i < size / 8; i++)
		if (attr[i] != 0)
			return -E2BIG;
	return attr[0] >> rights[abi] != 0 ? -EINVAL : 0;
}

/* 0: go on; 1: value is the answer; -errno. */
static int
judge(const struct lesser *lesser, const struct seccomp_notif *call,
    int64_t *value)
{
	char text[64];

	switch (call->data.nr) {
	case CREATE_RULESET:
		return judge_ruleset(call, lesser->landlock_abi, value);
	case FSOPEN:
		peek(call->pid, call->data.args[0], text, sizeof(text) - 1);
		return strcmp(text, "tmpfs") == 0 ? -ENODEV : 0;
	default:
		peek(call->pid, call->data.args[1], text, sizeof(text) - 1);
		return strstr(text, "uid_map") != NULL ? -EACCES : 0;
	}
}

static void
serve(const struct lesser *lesser, int listener)
{
	struct pollfd wait = {.fd = listener, .events = POLLIN};
	struct seccomp_notif call;
	struct seccomp_notif_resp reply;
	int ret;

	/* Until nobody is left who could be answered. */
	while (poll(&wait, 1, -1) == 1 && (wait.revents & POLLIN) != 0) {
		int64_t value = 0;

		memset(&call, 0, sizeof(call));
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
			continue; /* the caller was killed meanwhile */
		memset(&reply, 0, sizeof(reply));
		ret = judge(lesser, &call, &value);
		reply.id = call.id;
		reply.val = ret > 0 ? value : 0;
		reply.error = ret < 0 ? ret : 0;
		reply.flags = ret == 0 ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
	}
}

static int
send_descriptor(int channel, int fd)
{
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	char byte = 0;
	struct iovec part = {.iov_base = &byte, .iov_len = 1};
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control.space)};
	struct cmsghdr *head;

	memset(&control, 0, sizeof(control));
	head = CMSG_FIRSTHDR(&message);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	return sendmsg(channel, &message, 0) == 1 ? 0 : -1;
}

static int
receive_descriptor(int channel)
{
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	char byte;
	struct iovec part = {.iov_base = &byte, .iov_len = 1};
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control.space)};
	int fd = -1;

	if (recvmsg(channel, &message, MSG_CMSG_CLOEXEC) != 1 ||
	    CMSG_FIRSTHDR(&message) == NULL)
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

static int
watch_calls(const struct lesser *lesser)
{
	struct code code = {.count = 0};

	if (lesser->landlock_abi > 0) {
		unless_call(&code, CREATE_RULESET, 1);
		answer(&code, SECCOMP_RET_USER_NOTIF);
	}
	if (lesser->has_no_tmpfs) {
		unless_call(&code, FSOPEN, 1);
		answer(&code, SECCOMP_RET_USER_NOTIF);
	}
	if (lesser->has_no_maps) {
		unless_call(&code, SYS_openat, 4);
		load(&code, ARG(2));
		add(&code, BPF_ALU | BPF_AND | BPF_K, 0, 0, O_ACCMODE);
		add(&code, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, O_WRONLY);
		answer(&code, SECCOMP_RET_USER_NOTIF);
	}
	answer(&code, SECCOMP_RET_ALLOW);
	return install(&code, SECCOMP_FILTER_FLAG_NEW_LISTENER);
}

int
lesser_watch(const struct lesser *lesser)
{
	int channel[2];
	int listener;
	int ret;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
		return -1;
	pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0) {
		close(channel[1]);
		listener = receive_descriptor(channel[0]);
		if (listener >= 0)
			serve(lesser, listener);
		_exit(0);
	}
	close(channel[0]);
	listener = watch_calls(lesser);
	ret = listener < 0 ? -1 : send_descriptor(channel[1], listener);
	close(channel[1]);
	if (listener >= 0)
		close(listener);
	return ret;
}
