/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * diag.c - see diag.h.
 *
 * /proc/net/unix gives the name a socket was bound by. That name may be
 * relative, or belong to another root; the file may have been moved since.
 * Device and inode of the file stay true.
 */

#include "diag.h"

#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Newer than some headers. */
#define SHOW_UID 0x40u
#define ATTRIBUTE_UID 7

#define ESTABLISHED 1 /* TCP_ESTABLISHED */
#define MINOR_BITS 20 /* of a device number inside the kernel */

static int
ask(int fd)
{
	struct {
		struct nlmsghdr head;
		struct unix_diag_req ask;
	} request = {
	    .head = {.nlmsg_len = sizeof(request),
		.nlmsg_type = SOCK_DIAG_BY_FAMILY,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
	    .ask = {.sdiag_family = AF_UNIX,
		.udiag_states = UINT32_MAX,
		.udiag_show = UDIAG_SHOW_VFS | SHOW_UID},
	};
	struct sockaddr_nl to = {.nl_family = AF_NETLINK};
	ssize_t n;

	do
		n = sendto(fd, &request, sizeof(request), 0,
		    (struct sockaddr *)&to, sizeof(to));
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static int
take(struct diag *diag, size_t *capacity, struct nlmsghdr *head)
{
	struct unix_diag_msg *message = NLMSG_DATA(head);
	struct rtattr *at = (void *)(message + 1);
	unsigned left =
	    (unsigned)(head->nlmsg_len - NLMSG_LENGTH(0) - sizeof(*message));
	struct diag_socket *socket;

	if (head->nlmsg_len < NLMSG_LENGTH(sizeof(*message)))
		return -EPROTO;
	if (diag->count == *capacity) {
		*capacity = *capacity == 0 ? 256 : *capacity * 2;
		socket =
		    reallocarray(diag->list, *capacity, sizeof(*diag->list));
		if (socket == NULL)
			return -ENOMEM;
		diag->list = socket;
	}
	socket = &diag->list[diag->count++];
	memset(socket, 0, sizeof(*socket));
	socket->number = message->udiag_ino;
	socket->is_connected = message->udiag_state == ESTABLISHED &&
			       message->udiag_type != SOCK_DGRAM;
	for (; RTA_OK(at, left); at = RTA_NEXT(at, left)) {
		if (at->rta_type == UNIX_DIAG_VFS &&
		    RTA_PAYLOAD(at) >= sizeof(struct unix_diag_vfs)) {
			struct unix_diag_vfs file;

			memcpy(&file, RTA_DATA(at), sizeof(file));
			socket->inode = file.udiag_vfs_ino;
			socket->device =
			    makedev(file.udiag_vfs_dev >> MINOR_BITS,
				file.udiag_vfs_dev & ((1u << MINOR_BITS) - 1));
		} else if (at->rta_type == ATTRIBUTE_UID &&
			   RTA_PAYLOAD(at) >= sizeof(uint32_t)) {
			memcpy(&socket->uid, RTA_DATA(at), sizeof(uint32_t));
			socket->has_uid = 1;
		}
	}
	return 0;
}

/* 1: there is more to come. */
static int
take_part(struct diag *diag, size_t *capacity, char *part, size_t size)
{
	struct nlmsghdr *head = (void *)part;
	unsigned left = (unsigned)size;
	int ret = 1;

	for (; ret == 1 && NLMSG_OK(head, left);
	     head = NLMSG_NEXT(head, left)) {
		if (head->nlmsg_type == NLMSG_DONE)
			return 0;
		if (head->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *error = NLMSG_DATA(head);

			return error->error < 0 ? error->error : -EPROTO;
		}
		ret = take(diag, capacity, head);
		if (ret == 0)
			ret = 1;
	}
	return ret;
}

static int
compare(const void *a, const void *b)
{
	const struct diag_socket *x = a;
	const struct diag_socket *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

int
diag_read(struct diag *diag)
{
	union {
		char bytes[32768];
		struct nlmsghdr align;
	} part;
	size_t capacity = 0;
	int ret;
	int fd;

	memset(diag, 0, sizeof(*diag));
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (fd < 0)
		return -errno;
	ret = ask(fd);
	if (ret == 0)
		ret = 1;
	while (ret == 1) {
		ssize_t n = recv(fd, &part, sizeof(part), 0);

		if (n < 0 && errno == EINTR)
			continue;
		ret = n < 0 ? -errno
		      : n == 0
			  ? -EPROTO
			  : take_part(diag, &capacity, part.bytes, (size_t)n);
	}
	close(fd);
	if (ret < 0)
		diag_drop(diag);
	else if (diag->count > 1)
		qsort(diag->list, diag->count, sizeof(*diag->list), compare);
	return ret;
}

int
diag_is_missing(int error)
{
	return error == ENOENT || error == EPROTONOSUPPORT ||
	       error == EAFNOSUPPORT || error == EOPNOTSUPP || error == EPERM ||
	       error == EACCES || error == EINVAL;
}

void
diag_drop(struct diag *diag)
{
	free(diag->list);
	memset(diag, 0, sizeof(*diag));
}

const struct diag_socket *
diag_find(const struct diag *diag, unsigned long number)
{
	const struct diag_socket key = {.number = number};

	if (diag->count == 0)
		return NULL;
	return bsearch(
	    &key, diag->list, diag->count, sizeof(*diag->list), compare);
}

int
diag_can_tell(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs) != 0 || fs.f_type == OVERLAYFS_SUPER_MAGIC)
		return 0;
	return fs.f_type == BTRFS_SUPER_MAGIC ? -1 : 1;
}

int
diag_is_bound_to(
    const struct diag_socket *socket, const char *path, const struct stat *st)
{
	int tells;

	if ((uint32_t)st->st_ino == socket->inode &&
	    st->st_dev == socket->device)
		return 1;
	tells = diag_can_tell(path);
	return tells == 0 ||
	       (tells < 0 && (uint32_t)st->st_ino == socket->inode);
}
