/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * props.c - see verify.h.
 */

#include "config.h"

#include "verify.h"

#include <linux/keyctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <sys/un.h>
#include <arpa/inet.h>
#include <netinet/in.h>

#include "../run.h"

static void
listen_at(
    struct props *props, const struct sockaddr_un *at, socklen_t len, int type)
{
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return;
	if (bind(fd, (const struct sockaddr *)at, len) != 0 ||
	    (type == SOCK_STREAM && listen(fd, 128) != 0)) {
		close(fd);
		return;
	}
	props->listeners[props->listener_count++] = fd;
}

/* A stream socket of that name, and one for messages beside it. */
static void
listen_both(struct props *props, const char *name, bool is_abstract)
{
	static const struct {
		const char *suffix;
		int type;
	} both[] = {{"-dgram", SOCK_DGRAM}, {"", SOCK_STREAM}};
	size_t i;

	for (i = 0; i < 2; i++) {
		struct sockaddr_un at = {.sun_family = AF_UNIX};
		size_t start = is_abstract ? 1 : 0;
		size_t len = (size_t)snprintf(at.sun_path + start,
		    sizeof(at.sun_path) - start, "%s%s", name, both[i].suffix);

		if (start + len >= sizeof(at.sun_path))
			return;
		len += offsetof(struct sockaddr_un, sun_path) + 1;
		listen_at(props, &at, (socklen_t)len, both[i].type);
	}
}

/* One of the loopback's ports, the same for IPv4 and IPv6 if there is that.
 * The port, or 0. */
static unsigned
serve_port(struct props *props, int type)
{
	struct sockaddr_in at = {
	    .sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct sockaddr_in6 at6 = {
	    .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int fd6 = socket(AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0)
		props->listeners[props->listener_count++] = fd;
	if (fd6 >= 0)
		props->listeners[props->listener_count++] = fd6;
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) != 0 ||
	    (type == SOCK_STREAM && listen(fd, 128) != 0) ||
	    getsockname(fd, (struct sockaddr *)&at, &len) != 0)
		return 0;
	at6.sin6_port = at.sin_port;
	if (fd6 >= 0 && bind(fd6, (struct sockaddr *)&at6, sizeof(at6)) == 0 &&
	    type == SOCK_STREAM && listen(fd6, 128) != 0)
		return 0;
	return ntohs(at.sin_port);
}

/* A port nobody has at the moment. */
static unsigned
find_port(void)
{
	struct props other = {.listener_count = 0};
	unsigned port = serve_port(&other, SOCK_STREAM);

	while (other.listener_count > 0)
		close(other.listeners[--other.listener_count]);
	return port;
}

/* In a session keyring of our own, which ends with us. */
static long
make_key(const char *token)
{
	long key;

	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0)
		return -errno;
	key = syscall(SYS_add_key, "user", "omega-verify", token, strlen(token),
	    KEY_SPEC_SESSION_KEYRING);
	return key < 0 ? -errno : key;
}

/* A segment that is removed already is there while we have it. */
static void
make_shared(struct props *props, const char *token)
{
	long queue;
	char *memory;

	props->segment = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	memory =
	    props->segment < 0 ? (char *)-1 : shmat(props->segment, NULL, 0);
	if (memory != (char *)-1)
		snprintf(memory, 4096, "%s", token);
	if (props->segment >= 0)
		shmctl(props->segment, IPC_RMID, NULL);
	props->queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
	snprintf(props->posix_queue, sizeof(props->posix_queue),
	    "omega-verify-%.32s", token);
	queue = syscall(SYS_mq_open, props->posix_queue,
	    O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600, NULL);
	if (queue < 0)
		props->posix_queue[0] = '\0';
	else
		close((int)queue);
}

/* What root left lying about: a node of a device outside /dev. */
static void
make_node(struct props *props, const struct scene *scene)
{
	static const char *const devices[] = {"/dev/loop0", "/dev/ram0",
	    "/dev/zram0", "/dev/vda", "/dev/sda", "/dev/nvme0n1", NULL};
	struct stat st;
	bool is_made = false;
	size_t i;

	snprintf(
	    props->node, sizeof(props->node), "%.4000s/run/node", scene->top);
	for (i = 0; !is_made && devices[i] != NULL; i++) {
		int fd = open(devices[i], O_WRONLY | O_NONBLOCK | O_CLOEXEC);

		is_made = fd >= 0 && fstat(fd, &st) == 0 &&
			  S_ISBLK(st.st_mode) &&
			  mknod(props->node, S_IFBLK | 0600, st.st_rdev) == 0;
		if (fd >= 0)
			close(fd);
	}
	if (!is_made)
		props->node[0] = '\0';
}

/* Among the sockets of the caller's tmux, which starts programs. */
static void
make_launcher(struct props *props, const char *token)
{
	char dir[64];

	snprintf(dir, sizeof(dir), "/tmp/tmux-%lu", (unsigned long)geteuid());
	mkdir(dir, 0700);
	snprintf(props->launcher, sizeof(props->launcher), "%s/verify-%.16s",
	    dir, token);
	listen_both(props, props->launcher, false);
}

static void
end_launcher(const struct props *props)
{
	char *other =
	    attempt_format(ATTEMPT_SPACE, "%s-dgram", props->launcher);

	unlink(props->launcher);
	unlink(other);
	*strrchr(other, '/') = '\0';
	rmdir(other); /* unless there is a tmux */
}

void
props_make(struct props *props, const struct omega_sandbox *sandbox,
    const struct scene *scene)
{
	memset(props, 0, sizeof(*props));
	props->sandbox = sandbox;
	snprintf(props->socket_dir, sizeof(props->socket_dir), "%.4000s/run",
	    scene->top);
	if (strlen(props->socket_dir) > 90) {
		strcpy(props->socket_dir, "/tmp/omega-verify-XXXXXX");
		props->is_own_dir = mkdtemp(props->socket_dir) != NULL;
	}
	snprintf(props->early, sizeof(props->early), "%.4000s/early",
	    props->socket_dir);
	snprintf(props->late, sizeof(props->late), "%.4000s/late",
	    props->socket_dir);
	snprintf(props->abstract, sizeof(props->abstract), "omega-verify-%.32s",
	    scene->token);
	make_node(props, scene);
	make_launcher(props, scene->token);
	listen_both(props, props->early, false);
	listen_both(props, props->abstract, true);
	props->tcp_port = serve_port(props, SOCK_STREAM);
	props->udp_port = serve_port(props, SOCK_DGRAM);
	props->unused_port = find_port();
	props->key = make_key(scene->token);
	make_shared(props, scene->token);
	if (pty_open(&props->terminal[0], &props->terminal[1]) != 0)
		props->terminal[0] = -1;
	props->console = open("/dev/tty1", O_RDWR | O_NOCTTY | O_CLOEXEC);
}

void
props_make_late(struct props *props)
{
	listen_both(props, props->late, false);
}

void
props_end(struct props *props)
{
	while (props->listener_count > 0)
		close(props->listeners[--props->listener_count]);
	end_launcher(props);
	if (props->queue >= 0)
		msgctl(props->queue, IPC_RMID, NULL);
	if (props->posix_queue[0] != '\0')
		syscall(SYS_mq_unlink, props->posix_queue);
	if (props->is_own_dir)
		scene_remove(props->socket_dir);
	close(props->terminal[0]);
	close(props->terminal[1]);
	close(props->console);
}

/* ---- What an attempt is told --------------------------------------------- */

static int
take_handle(const char *target, char type, char *extra, size_t size)
{
	union {
		struct file_handle head;
		char space[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} handle;
	size_t used;
	unsigned i;
	int id;

	handle.head.handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(AT_FDCWD,
		type == 'd' ? ATTEMPT_JOIN(target, ATTEMPT_SECRET) : target,
		&handle.head, &id, 0) != 0)
		return -errno;
	used = (size_t)snprintf(extra, size, "%d,%u,", handle.head.handle_type,
	    handle.head.handle_bytes);
	for (i = 0; i < handle.head.handle_bytes && used < size; i++)
		used += (size_t)snprintf(
		    extra + used, size - used, "%02x", handle.head.f_handle[i]);
	return 0;
}

static int
have(bool condition)
{
	return condition ? 0 : -ENODEV;
}

static int
take_socket(const char *path, char *extra, size_t size)
{
	snprintf(extra, size, "%s", path);
	return have(access(path, F_OK) == 0);
}

int
props_extra(const struct props *props, const struct scene *scene,
    const struct attempt *attempt, const char *target, char type, char *extra,
    size_t size)
{
	extra[0] = '\0';
	switch (attempt->need) {
	case ATTEMPT_HANDLE:
		return take_handle(target, type, extra, size);
	case ATTEMPT_SAMPLES:
		return samples_take(target, type, extra, size);
	case ATTEMPT_DEVICES:
		return samples_take_devices(
		    props->sandbox, target, extra, size);
	case ATTEMPT_NAMES:
		return samples_take_names(target,
		    type == 'd' ? ATTEMPT_SECRET : "", scene->token, extra,
		    size);
	case ATTEMPT_NODE:
		snprintf(extra, size, "%s", props->node);
		return have(strcmp(target, "/dev") == 0);
	case ATTEMPT_ADDRESS:
		snprintf(extra, size, "%llx",
		    (unsigned long long)(uintptr_t)scene->shared->token);
		return 0;
	case ATTEMPT_KEY:
		/* Where keys are forbidden it is tried all the same. */
		snprintf(extra, size, "%ld", props->key < 0 ? 0 : props->key);
		return 0;
	case ATTEMPT_IPC:
		snprintf(extra, size, "%d %d %s", props->segment, props->queue,
		    props->posix_queue);
		return have(props->segment >= 0 && props->queue >= 0 &&
			    props->posix_queue[0] != '\0');
	case ATTEMPT_ABSTRACT:
		snprintf(extra, size, "%s", props->abstract);
		return 0;
	case ATTEMPT_LAUNCHER:
		return take_socket(props->launcher, extra, size);
	case ATTEMPT_SOCKET:
		return take_socket(props->early, extra, size);
	case ATTEMPT_LATE_SOCKET:
		return take_socket(props->late, extra, size);
	case ATTEMPT_SERVER:
		snprintf(extra, size, "%u %u %u", props->tcp_port,
		    props->udp_port, props->unused_port);
		return have(props->tcp_port != 0 && props->udp_port != 0);
	case ATTEMPT_TERMINAL:
		return have(props->terminal[1] >= 0);
	case ATTEMPT_CONSOLE:
		return have(props->console >= 0);
	default:
		return 0;
	}
}
