/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * escapes-caller.c - what is the caller's: keys, sockets, the terminal,
 * descriptors.
 */

#include "escapes.h"

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Keys, sockets ------------------------------------------------------- */

TRICK(session_keyring)
{
	UNUSED;
	return escapes_result(
	    syscall(SYS_keyctl, 0, -3, 0)); /* GET_KEYRING_ID */
}

TRICK(user_keyring)
{
	UNUSED;
	return escapes_result(syscall(SYS_keyctl, 0, -4, 1));
}

TRICK(new_key)
{
	UNUSED;
	return escapes_result(
	    syscall(SYS_add_key, "user", "omega-test", "x", 1, -2));
}

TRICK(ask_for_key)
{
	UNUSED;
	/* There is none of this name. */
	return escapes_reached(
	    syscall(SYS_request_key, "user", "omega-none", NULL, 0), ENOKEY);
}

/*
 * By what takes a key beside keyctl. Few file systems know keys and few
 * kernels the families, so anything but a refusal counts.
 */
static int
not_refused(long ret)
{
	return ret < 0 && (errno == EPERM || errno == EACCES) ? errno : 0;
}

TRICK(key_for_files)
{
	unsigned add[20] = {2};

	(void)arg;
	return not_refused(ioctl(open(dir, O_RDONLY | O_DIRECTORY), 0xc0506617u,
	    add)); /* FS_IOC_ADD_ENCRYPTION_KEY */
}

TRICK(key_for_files_wide)
{
	unsigned add[20] = {2};

	(void)arg;
	return not_refused(syscall(
	    SYS_ioctl, open(dir, O_RDONLY | O_DIRECTORY), 0x1c0506617ul, add));
}

TRICK(key_for_directory)
{
	unsigned char policy[12] = {0xff};

	(void)arg;
	return not_refused(ioctl(open(dir, O_RDONLY | O_DIRECTORY), 0x800c6613u,
	    policy)); /* FS_IOC_SET_ENCRYPTION_POLICY */
}

static int
key_for_socket(int family, int type, int level, int option)
{
	int fd = socket(family, type, 0);
	int key = 1;

	if (fd < 0)
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
	return not_refused(setsockopt(fd, level, option, &key, sizeof(key)));
}

TRICK(key_for_cipher)
{
	UNUSED;
	/* AF_ALG, SOL_ALG, ALG_SET_KEY_BY_KEY_SERIAL */
	return key_for_socket(38, SOCK_SEQPACKET, 279, 7);
}

TRICK(key_for_calls)
{
	UNUSED;
	/* AF_RXRPC, SOL_RXRPC, RXRPC_SECURITY_KEY */
	return key_for_socket(33, SOCK_DGRAM, 272, 1);
}

/* One outside has the name of the data directory. */
TRICK(abstract_socket)
{
	struct sockaddr_un to;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	socklen_t size = escapes_abstract(dir, &to);

	(void)arg;
	return escapes_result(connect(fd, (struct sockaddr *)&to, size));
}

/* dir is the socket. */
TRICK(path_socket)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)arg;
	snprintf(to.sun_path, sizeof(to.sun_path), "%.100s", dir);
	return escapes_result(connect(fd, (struct sockaddr *)&to, sizeof(to)));
}

/* Root becomes the user the socket is for. */
TRICK(path_socket_as_user)
{
	struct stat st;

	if (stat(dir, &st) != 0 || setgid(st.st_gid) != 0 ||
	    setuid(st.st_uid) != 0)
		return errno;
	return path_socket(dir, arg);
}

/* ---- The terminal: descriptor 0 ------------------------------------------ */

TRICK(type_ahead)
{
	UNUSED;
	return escapes_result(ioctl(0, TIOCSTI, "x"));
}

/* The kernel looks at the lower half of the request only. */
TRICK(type_ahead_wide)
{
	UNUSED;
	return escapes_result(
	    syscall(SYS_ioctl, 0, 0x100000000UL | TIOCSTI, "x"));
}

/* Not on this terminal, but behind the check. */
TRICK(console_paste)
{
	char code = 2;

	UNUSED;
	if (ioctl(0, TIOCLINUX, &code) == 0 || errno == ENOTTY ||
	    errno == EINVAL)
		return 0;
	return errno;
}

TRICK(type_by_name)
{
	char path[64] = "";

	UNUSED;
	if (ttyname_r(0, path, sizeof(path)) != 0)
		return errno;
	return escapes_result(ioctl(open(path, O_RDWR), TIOCSTI, "x"));
}

/*
 * A terminal that nobody has made his own yet, as every new window's is for a
 * moment: whoever leads a session can take it, so a session of one's own is
 * no protection.
 */
TRICK(type_into_a_free_one)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	int slave;

	UNUSED;
	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		return errno;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0 || setsid() < 0 || ioctl(slave, TIOCSCTTY, 0) != 0)
		return ENXIO; /* not what is expected */
	return escapes_result(ioctl(slave, TIOCSTI, "x"));
}

/* ---- Descriptors of the host --------------------------------------------- */

TRICK(inherited_directory)
{
	int fd;
	int i;

	UNUSED;
	for (i = 0; i < 64; i++) {
		fd = openat(i, DB, O_RDONLY);
		if (fd >= 0)
			return 0;
	}
	return errno;
}

const struct attempt escapes_caller[] = {
    {"session keyring", MAYBE, session_keyring},
    {"user keyring", MAYBE, user_keyring},
    {"add_key", MAYBE, new_key},
    {"request_key", MAYBE, ask_for_key},
    {"key for files", BOTH, key_for_files},
    {"key for files with upper bits", BOTH, key_for_files_wide},
    {"key for a directory", BOTH, key_for_directory},
    {"key for a cipher", BOTH, key_for_cipher},
    {"key for remote calls", BOTH, key_for_calls},
    {"abstract socket", BOTH, abstract_socket},
    {NULL, BOTH, NULL},
};

const struct attempt escapes_terminal[] = {
    {"TIOCSTI", MAYBE, type_ahead},
    {"TIOCSTI with upper bits", MAYBE, type_ahead_wide},
    {"TIOCSTI by name", MAYBE, type_by_name},
    {"TIOCSTI into a free terminal", MAYBE, type_into_a_free_one},
    {"TIOCLINUX", BOTH, console_paste},
    {NULL, BOTH, NULL},
};

const struct attempt escapes_single[] = {
    {"connect", BOTH, path_socket},
    {"connect as its user", ROOT, path_socket_as_user},
    {"inherited directory", BOTH, inherited_directory},
    {NULL, BOTH, NULL},
};
