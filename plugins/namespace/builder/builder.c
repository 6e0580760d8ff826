/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * builder.c - the program omega-sandbox-namespace: makes the namespaces a
 * request asks for, hands them over, and ends.
 *
 * A program of its own, so that it works for hosts that have threads, are
 * large or not dumpable, and so that an AppArmor profile can be given to it.
 * It has no privilege its caller does not have, reads neither arguments nor
 * environment, and believes nothing but the request in descriptor 0.
 */

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "mounts.h"

#define CHANNEL 0
#define PROC_TYPE 0x9fa0

static int
read_all(void *to, size_t size)
{
	ssize_t n;

	if (size == 0) /* it would wait for something even so */
		return 0;
	do
		n = recv(CHANNEL, to, size, MSG_WAITALL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)size ? 0 : n < 0 ? -errno : -EPROTO;
}

/* A path that ends within the texts, is absolute and fits. */
static int
is_good_path(const struct request *request, uint32_t offset)
{
	size_t left;
	size_t len;

	if (offset >= request->head.text_size)
		return 0;
	left = request->head.text_size - offset;
	len = strnlen(request->texts + offset, left);
	return len < left && len < PATH_MAX && request->texts[offset] == '/';
}

static int
read_request(struct request *request)
{
	struct request_head *head = &request->head;
	uint32_t i;
	int ret;

	ret = read_all(head, sizeof(*head));
	if (ret < 0)
		return ret;
	if (head->magic != REQUEST_MAGIC || head->count > REQUEST_MAX_OPS ||
	    head->text_size > REQUEST_MAX_TEXT)
		return -EPROTO;
	request->ops = calloc(head->count + 1u, sizeof(*request->ops));
	request->copies = calloc(head->count + 1u, sizeof(*request->copies));
	request->texts = calloc(head->text_size + 1u, 1);
	if (request->ops == NULL || request->copies == NULL ||
	    request->texts == NULL)
		return -ENOMEM;
	ret = read_all(request->ops, head->count * sizeof(*request->ops));
	if (ret == 0)
		ret = read_all(request->texts, head->text_size);
	for (i = 0; ret == 0 && i < head->count; i++) {
		request->copies[i] = -1;
		if (!is_good_path(request, request->ops[i].path))
			ret = -EPROTO;
	}
	return ret;
}

static int
open_proc(struct mounts *mounts)
{
	struct statfs fs;

	mounts->proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (mounts->proc < 0)
		return mounts_fail(mounts, "open", "/proc");
	if (fstatfs(mounts->proc, &fs) != 0 || fs.f_type != PROC_TYPE)
		return mounts_fail_with(mounts, -ENODEV, "open", "/proc");
	return 0;
}

static int
carry_out(struct mounts *mounts, const struct request *request, uint32_t i)
{
	const struct request_op *op = &request->ops[i];
	const char *path = request->texts + op->path;
	int ret = 0;
	int fd;

	if (op->type == REQUEST_DEVICES || op->type == REQUEST_SHOW)
		return 0; /* was done first */
	fd = mounts_open_op(mounts, op, path);
	if ((op->flags & REQUEST_MAY_CHANGE) != 0 && mounts_is_gone(fd, path))
		return 0;
	if (fd < 0)
		return fd;
	switch (op->type) {
	case REQUEST_PIN:
	case REQUEST_READ_ONLY:
	case REQUEST_READ_ONLY_TOP:
		ret = mounts_pin(mounts, fd, op->type, path);
		break;
	case REQUEST_WRITABLE:
	case REQUEST_COPY:
		ret = mounts_attach(mounts, request->copies[i], fd, path);
		break;
	case REQUEST_SHIELD:
		ret = shield_make(mounts, fd, path, NULL);
		break;
	case REQUEST_HIDE:
		if (S_ISSOCK(mounts->mode) || S_ISFIFO(mounts->mode))
			ret = mounts_deny(mounts, fd, path);
		break;
	case REQUEST_DENY:
		ret = mounts_deny(mounts, fd, path);
		break;
	default:
		ret = mounts_fail_with(mounts, -EPROTO, "request", path);
		break;
	}
	close(fd);
	if ((op->flags & REQUEST_MAY_CHANGE) != 0 && ret == -ENOENT)
		ret = 0;
	return ret;
}

static int
build(struct mounts *mounts, struct request *request,
    struct request_reply *reply, struct level_second *second)
{
	uint32_t flags;
	int is_root;
	uint32_t i;
	int ret;

	ret = read_request(request);
	if (ret < 0)
		return mounts_fail_with(mounts, ret, "request", "");
	flags = request->head.flags;
	if ((flags & REQUEST_HOSTS) == 0)
		close(1);
	is_root = (flags & REQUEST_IS_ROOT) != 0;
	ret = open_proc(mounts);
	if (ret == 0)
		ret = level_enter(mounts, is_root, &reply->has_spare);
	if (ret == 0)
		ret = shield_dev(mounts, request);
	if (ret == 0)
		ret = mounts_prepare(mounts, request);
	for (i = 0; ret == 0 && i < request->head.count; i++)
		ret = carry_out(mounts, request, i);
	if (ret < 0)
		return ret;
	return (flags & REQUEST_IS_PLAIN) != 0
		   ? level_stay_plain(mounts, flags, second)
		   : level_make_second(mounts, flags, second);
}

/* And stay until the namespaces are in safe hands. */
static int
answer(const struct request_reply *reply)
{
	char byte;

	return send(CHANNEL, reply, sizeof(*reply), MSG_NOSIGNAL) !=
		   (ssize_t)sizeof(*reply) ||
	       reply->error != 0 || read_all(&byte, 1) < 0 ||
	       send(CHANNEL, &byte, 1, MSG_NOSIGNAL) != 1;
}

int
main(void)
{
	struct mounts mounts = {.proc = -1};
	struct request_reply reply = {.magic = REQUEST_MAGIC};
	struct request request = {.ops = NULL};
	struct level_second second = {.go = -1};
	int ret;

	/* The host's descriptors are none of our business. */
	syscall(SYS_close_range, 2, ~0u, 0);
	umask(0);
	ret = build(&mounts, &request, &reply, &second);
	reply.second = (int32_t)second.pid;
	reply.pids_error = second.pids_error;
	reply.has_dev = mounts.has_dev != 0;
	if (ret < 0) {
		reply.error = -ret;
		if (mounts.fault.what != NULL)
			strncpy(reply.what, mounts.fault.what,
			    sizeof(reply.what) - 1);
		if (mounts.fault.path != NULL)
			strncpy(reply.path, mounts.fault.path,
			    sizeof(reply.path) - 1);
	}
	ret = answer(&reply);
	level_let_go(&second);
	/* Nothing is to run after this, such as a sanitizer that traces us. */
	_exit(ret);
}
