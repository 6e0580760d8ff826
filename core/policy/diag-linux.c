/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * diag-linux.c - see diag.h.
 */

#include "config.h"

#include "policy/diag.h"

#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Newer than some headers. */
#define SHOW_UID 0x40u
#define ATTRIBUTE_UID 7

#define MINOR_BITS 20 /* of a device number inside the kernel */

/* Those of TCP. A server of datagrams is ESTABLISHED as soon as a client has
 * connected to it, and takes from others all the same. */
enum { ESTABLISHED = 1, CLOSE = 7, LISTEN = 10 };
#define STATES (1u << ESTABLISHED | 1u << CLOSE | 1u << LISTEN)

static int
ask(int fd, uint32_t number, bool with_files)
{
	struct {
		struct nlmsghdr head;
		struct unix_diag_req ask;
	} request = {
	    .head = {.nlmsg_len = sizeof(request),
		.nlmsg_type = SOCK_DIAG_BY_FAMILY,
		.nlmsg_flags =
		    NLM_F_REQUEST | (number == 0 ? NLM_F_DUMP : 0)},
	    .ask = {.sdiag_family = AF_UNIX,
		.udiag_states = STATES,
		.udiag_ino = number,
		.udiag_cookie = {UINT32_MAX, UINT32_MAX}, /* any */
		.udiag_show = UDIAG_SHOW_NAME | SHOW_UID |
			      (with_files ? UDIAG_SHOW_VFS : 0)},
	};
	struct sockaddr_nl to = {.nl_family = AF_NETLINK};
	ssize_t n;

	do
		n = sendto(fd, &request, sizeof(request), 0,
		    (struct sockaddr *)&to, sizeof(to));
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* Tell one, if it is bound to a file. */
static int
tell(struct nlmsghdr *head, omega_diag_found *fn, void *arg)
{
	struct unix_diag_msg *message = NLMSG_DATA(head);
	struct rtattr *at = (void *)(message + 1);
	struct omega_diag_socket socket = {
	    .name = "", .number = message->udiag_ino};
	unsigned left;

	if (head->nlmsg_len < NLMSG_LENGTH(sizeof(*message)))
		return -EPROTO;
	if (message->udiag_state == ESTABLISHED &&
	    message->udiag_type != SOCK_DGRAM)
		return 0;
	left = (unsigned)(head->nlmsg_len - NLMSG_LENGTH(sizeof(*message)));
	for (; RTA_OK(at, left); at = RTA_NEXT(at, left)) {
		const void *data = RTA_DATA(at);
		size_t size = RTA_PAYLOAD(at);

		if (at->rta_type == UNIX_DIAG_VFS &&
		    size >= sizeof(struct unix_diag_vfs)) {
			struct unix_diag_vfs file;

			memcpy(&file, data, sizeof(file));
			socket.inode = file.udiag_vfs_ino;
			socket.device =
			    makedev(file.udiag_vfs_dev >> MINOR_BITS,
				file.udiag_vfs_dev & ((1u << MINOR_BITS) - 1));
		} else if (at->rta_type == UNIX_DIAG_NAME &&
			   memchr(data, '\0', size) != NULL) {
			socket.name = data;
		} else if (at->rta_type == ATTRIBUTE_UID &&
			   size >= sizeof(socket.uid)) {
			memcpy(&socket.uid, data, sizeof(socket.uid));
			socket.has_uid = true;
		}
	}
	/* An abstract name begins with a NUL, and has no file. */
	return socket.name[0] == '\0' ? 0 : fn(arg, &socket);
}

/* -EAGAIN: there is more to come. */
static int
tell_part(void *part, size_t size, omega_diag_found *fn, void *arg)
{
	struct nlmsghdr *head = part;
	unsigned left = (unsigned)size;
	int ret;

	for (; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
		if (head->nlmsg_type == NLMSG_DONE)
			return 0;
		if (head->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *error = NLMSG_DATA(head);

			return error->error < 0 ? error->error : -EPROTO;
		}
		ret = tell(head, fn, arg);
		if (ret != 0)
			return ret;
	}
	return -EAGAIN;
}

int
omega_diag_each(
    uint32_t number, bool with_files, omega_diag_found *fn, void *arg)
{
	union {
		char bytes[32768];
		struct nlmsghdr align;
	} part;
	int ret;
	int fd;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (fd < 0)
		return -errno;
	ret = ask(fd, number, with_files);
	if (ret == 0)
		ret = -EAGAIN;
	while (ret == -EAGAIN) {
		ssize_t n = recv(fd, &part, sizeof(part), 0);

		if (n < 0 && errno == EINTR)
			continue;
		ret = n < 0    ? -errno
		      : n == 0 ? -EPROTO
			       : tell_part(&part, (size_t)n, fn, arg);
		if (number != 0 && (ret == -EAGAIN || ret == -ENOENT))
			ret = 0; /* nothing more comes; it has ended */
	}
	close(fd);
	return ret;
}

bool
omega_diag_is_at(const struct omega_diag_socket *socket, const char *path,
    const struct stat *st)
{
	const bool is_inode = (uint32_t)st->st_ino == socket->inode;
	struct statfs fs;

	if (is_inode && st->st_dev == socket->device)
		return true;
	if (statfs(path, &fs) != 0)
		return false;
	/* A subvolume has a device of its own, a layer its own numbers too. */
	return fs.f_type == OVERLAYFS_SUPER_MAGIC ||
	       (is_inode && fs.f_type == BTRFS_SUPER_MAGIC);
}
