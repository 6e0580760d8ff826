/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * machine.c - ways to what the caller has besides files and processes: its
 * sockets, its terminal, its keys, memory it shares.
 */

#include "config.h"

#include "attempt.h"

#include <linux/keyctl.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <sys/un.h>

static int
connect_to(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	if (strlen(path) >= sizeof(to.sun_path))
		return ENAMETOOLONG;
	memcpy(to.sun_path, path, strlen(path));
	return attempt_result(connect(fd, (struct sockaddr *)&to, sizeof(to)));
}

ATTEMPT(connect_plain)
{
	const char *name = attempt_go_to(in->extra);

	return name == NULL ? errno : connect_to(name);
}

ATTEMPT(connect_by_link)
{
	char *link = ATTEMPT_JOIN(in->free, "sock");

	unlink(link);
	if (symlink(in->extra, link) != 0 || chdir(in->free) != 0)
		return errno;
	return connect_to("sock");
}

ATTEMPT(connect_by_descriptor)
{
	int fd = open(in->extra, O_PATH | O_CLOEXEC);

	return fd < 0 ? errno : connect_to(ATTEMPT_FD(fd));
}

ATTEMPT(send_plain)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const char *name = attempt_go_to(in->extra);

	if (name == NULL || fd < 0)
		return fd < 0 ? EPERM : errno;
	snprintf(to.sun_path, sizeof(to.sun_path), "%.90s-dgram", name);
	return attempt_result(
	    sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)));
}

ATTEMPT(make_socket)
{
	const int *type = in->how;

	return attempt_result(socket(AF_UNIX, *type, 0));
}

ATTEMPT(make_pair)
{
	const int *type = in->how;
	int ends[2];

	return attempt_result(socketpair(AF_UNIX, *type, 0, ends));
}

/* Under another name it would be out of sight of the next preparation. */
ATTEMPT(move_way)
{
	const char *slash = strrchr(in->extra, '/');
	const char *dir;
	const char *other;

	if (slash == NULL)
		return ENOENT;
	dir = attempt_format(
	    ATTEMPT_SPACE, "%.*s", (int)(slash - in->extra), in->extra);
	other = attempt_format(ATTEMPT_SPACE, "%.4000s-moved", dir);
	if (rename(dir, other) != 0)
		return errno;
	return attempt_result(rename(other, dir));
}

static socklen_t
abstract(
    const struct attempt_input *in, const char *suffix, struct sockaddr_un *to)
{
	memset(to, 0, sizeof(*to));
	to->sun_family = AF_UNIX;
	snprintf(to->sun_path + 1, sizeof(to->sun_path) - 1, "%.80s%s",
	    in->extra, suffix);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   strlen(to->sun_path + 1));
}

ATTEMPT(connect_abstract)
{
	struct sockaddr_un to;
	socklen_t len = abstract(in, "", &to);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return attempt_result(connect(fd, (struct sockaddr *)&to, len));
}

ATTEMPT(send_abstract)
{
	struct sockaddr_un to;
	socklen_t len = abstract(in, "-dgram", &to);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return attempt_result(
	    sendto(fd, "x", 1, 0, (struct sockaddr *)&to, len));
}

ATTEMPT(type_in)
{
	char byte = 'x';

	return attempt_result(ioctl(0, TIOCSTI, &byte));
}

/* The kernel looks at the lower half of the request only. */
ATTEMPT(type_in_upper)
{
	char byte = 'x';

	return attempt_result(
	    syscall(SYS_ioctl, 0L, (unsigned long)TIOCSTI | 1UL << 32, &byte));
}

ATTEMPT(type_in_own)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	char byte = 'x';

	return fd < 0 ? errno : attempt_result(ioctl(fd, TIOCSTI, &byte));
}

/* Paste and its like; this one only asks which console is in front. */
ATTEMPT(console)
{
	char code = 12;

	return attempt_result(ioctl(0, TIOCLINUX, &code));
}

ATTEMPT(read_key)
{
	char text[128] = "";

	if (syscall(SYS_keyctl, KEYCTL_READ, strtol(in->extra, NULL, 10), text,
		sizeof(text) - 1) < 0)
		return errno;
	return strcmp(text, in->token) == 0 ? 0 : ENODATA;
}

ATTEMPT_IS(add_key,
    attempt_result(syscall(SYS_add_key, "user", "omega-verify-new", in->token,
	strlen(in->token), KEY_SPEC_SESSION_KEYRING)))
ATTEMPT_IS(request_key,
    attempt_result(syscall(SYS_request_key, "user", "omega-verify", NULL, 0)))

/* Of <linux/fscrypt.h>, <linux/if_alg.h> and <linux/rxrpc.h>, which not every
 * system has. */
#define ADD_ENCRYPTION_KEY _IOC(_IOC_READ | _IOC_WRITE, 'f', 23, 80)
#define SET_ENCRYPTION_POLICY _IOC(_IOC_READ, 'f', 19, 12)
#define FAMILY_ALG 38
#define LEVEL_ALG 279
#define ALG_KEY_BY_NUMBER 7
#define FAMILY_RXRPC 33
#define LEVEL_RXRPC 272
#define RXRPC_KEY_BY_NAME 1

/* Whether the file system or socket at hand knows keys is not asked: only
 * whether it was asked at all. */
static int
not_forbidden(long ret)
{
	return ret < 0 && (errno == EPERM || errno == EACCES) ? errno : 0;
}

/* A key of the caller's for a file system, by its number. */
ATTEMPT(key_for_files)
{
	uint32_t add[20] = {2}; /* the first: found by what is in it */
	int fd = open(in->free, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	add[11] = (uint32_t)strtoul(in->extra, NULL, 10);
	return not_forbidden(ioctl(fd, ADD_ENCRYPTION_KEY, add));
}

/* A directory whose key the kernel looks for among the caller's. */
ATTEMPT(key_for_directory)
{
	unsigned char policy[12] = {0xff}; /* a version that is none */
	int fd = open(in->free, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	return not_forbidden(ioctl(fd, SET_ENCRYPTION_POLICY, policy));
}

static int
key_for_socket(int family, int type, int level, int option, const void *key,
    socklen_t size)
{
	int fd = socket(family, type | SOCK_CLOEXEC, 0);

	/* A kernel without the family, or a rule about families. */
	if (fd < 0)
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	return not_forbidden(setsockopt(fd, level, option, key, size));
}

ATTEMPT(key_for_cipher)
{
	int32_t key = (int32_t)strtol(in->extra, NULL, 10);

	return key_for_socket(FAMILY_ALG, SOCK_SEQPACKET, LEVEL_ALG,
	    ALG_KEY_BY_NUMBER, &key, sizeof(key));
}

ATTEMPT(key_for_calls)
{
	static const char name[] = "omega-verify";

	return key_for_socket(FAMILY_RXRPC, SOCK_DGRAM, LEVEL_RXRPC,
	    RXRPC_KEY_BY_NAME, name, sizeof(name) - 1);
}

/* ---- Memory and queues that programs share ------------------------------- */

ATTEMPT(attach)
{
	int number = (int)strtol(in->extra, NULL, 10);
	const char *memory = shmat(number, NULL, SHM_RDONLY);

	if (memory == (const char *)-1)
		return errno;
	return strncmp(memory, in->token, strlen(in->token)) == 0 ? 0 : ENODATA;
}

ATTEMPT(send_message)
{
	struct {
		long type;
		char text[1];
	} message = {1, "x"};
	char *end;

	(void)strtol(in->extra, &end, 10);
	return attempt_result(
	    msgsnd((int)strtol(end, NULL, 10), &message, 1, IPC_NOWAIT));
}

ATTEMPT_IS(open_queue,
    attempt_result((int)syscall(SYS_mq_open, strrchr(in->extra, ' ') + 1,
	O_WRONLY | O_CLOEXEC, 0, NULL)))

#define IPC "outside_ipc", ALL, ATTEMPT_REAL, ATTEMPT_IPC, NULL
#define LAUNCHER "launcher_sockets", ALL, ATTEMPT_REAL, ATTEMPT_LAUNCHER, NULL
#define OTHERS "outside_sockets", ALL, ATTEMPT_REAL, ATTEMPT_SOCKET, NULL
#define LATE "outside_sockets", ALL, ATTEMPT_REAL, ATTEMPT_LATE_SOCKET, NULL
#define MAKE(type) "outside_sockets", CREATE, REAL, (&(const int){type})
#define ABSTRACT "abstract_sockets", ALL, ATTEMPT_REAL, ATTEMPT_ABSTRACT, NULL
#define TERMINAL "terminal", ALL, ATTEMPT_REAL, ATTEMPT_TERMINAL, NULL
#define CONSOLE "terminal", ALL, ATTEMPT_REAL, ATTEMPT_CONSOLE, NULL
#define KEY "keyring", ALL, ATTEMPT_REAL, ATTEMPT_KEY, NULL

const struct attempt attempt_machine[] = {
    {"connect", LAUNCHER, connect_plain},
    {"connect by a symbolic link", LAUNCHER, connect_by_link},
    {"connect by /proc/self/fd", LAUNCHER, connect_by_descriptor},
    {"send", LAUNCHER, send_plain},
    {"rename what it is in", LAUNCHER, move_way},
    {"connect", OTHERS, connect_plain},
    {"connect by a symbolic link", OTHERS, connect_by_link},
    {"connect by /proc/self/fd", OTHERS, connect_by_descriptor},
    {"send", OTHERS, send_plain},
    {"connect, bound later", LATE, connect_plain},
    {"send, bound later", LATE, send_plain},
    {"socket", MAKE(SOCK_STREAM | SOCK_CLOEXEC), make_socket},
    {"socket for datagrams", MAKE(SOCK_DGRAM | SOCK_NONBLOCK), make_socket},
    {"socketpair for datagrams", MAKE(SOCK_DGRAM | SOCK_CLOEXEC), make_pair},
    /* The kernel makes datagrams of it. */
    {"socketpair, raw", MAKE(SOCK_RAW), make_pair},
    {"connect", ABSTRACT, connect_abstract},
    {"send", ABSTRACT, send_abstract},
    {"TIOCSTI", TERMINAL, type_in},
    {"TIOCSTI with upper bits", TERMINAL, type_in_upper},
    {"TIOCSTI by /dev/tty", TERMINAL, type_in_own},
    {"TIOCLINUX", CONSOLE, console},
    {"keyctl", KEY, read_key},
    {"add_key", KEY, add_key},
    {"request_key", KEY, request_key},
    {"FS_IOC_ADD_ENCRYPTION_KEY", KEY, key_for_files},
    {"FS_IOC_SET_ENCRYPTION_POLICY", KEY, key_for_directory},
    {"ALG_SET_KEY_BY_KEY_SERIAL", KEY, key_for_cipher},
    {"RXRPC_SECURITY_KEY", KEY, key_for_calls},
    {"shmat", IPC, attach},
    {"msgsnd", IPC, send_message},
    {"mq_open", IPC, open_queue},
    ATTEMPT_END,
};
