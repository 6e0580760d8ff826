/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * volume.c - see volume.h. The kernel's FUSE protocol, as much of it as
 * looking, making and opening needs; no library.
 */

#include "volume.h"

#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/fuse.h>

#include "harness.h"

#define MAX_NODES 256
#define BUFFER_SIZE (FUSE_MIN_READ_BUFFER * 16)

struct node {
	uint64_t parent; /* 0: not in use; the root has itself */
	uint32_t mode;
	char name[NAME_MAX + 1];
};

struct volume {
	int fd;
	bool is_exact;
	struct node nodes[MAX_NODES]; /* number 1 is the root */
};

static char
small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* What a name means: two with the same meaning are one. */
static void
fold(const char *name, char *out)
{
	size_t len = 0;

	for (; *name != '\0' && *name != ':'; name++) {
		if (strncmp(name, "\xef\xac\x81", 3) == 0) {
			out[len++] = 'f';
			out[len++] = 'i';
			name += 2;
		} else {
			out[len++] = small(*name);
		}
	}
	while (len > 0 && (out[len - 1] == '.' || out[len - 1] == ' '))
		len--;
	out[len] = '\0';
}

static bool
is_same_name(const struct volume *volume, const char *asked, const char *have)
{
	char a[NAME_MAX + 1];
	char b[NAME_MAX + 1];

	if (volume->is_exact)
		return strcmp(asked, have) == 0;
	fold(asked, a);
	fold(have, b);
	if (strncmp(a + (strlen(a) < 6 ? strlen(a) : 6), "~1", 2) == 0)
		return strlen(b) > 8 && strncmp(a, b, 6) == 0;
	return strcmp(a, b) == 0;
}

static uint64_t
find(const struct volume *volume, uint64_t parent, const char *name)
{
	uint64_t i;

	for (i = 2; i < MAX_NODES; i++)
		if (volume->nodes[i].parent == parent &&
		    is_same_name(volume, name, volume->nodes[i].name))
			return i;
	return 0;
}

static void
reply(struct volume *volume, uint64_t unique, int error, const void *body,
    size_t size)
{
	struct fuse_out_header out = {
	    .len = (uint32_t)(sizeof(out) + size),
	    .error = error,
	    .unique = unique,
	};
	struct iovec parts[2] = {
	    {&out, sizeof(out)},
	    {(void *)(uintptr_t)body, size},
	};

	if (writev(volume->fd, parts, 2) < 0 && errno != ENOENT)
		_exit(1);
}

static void
fill_attributes(
    const struct volume *volume, uint64_t id, struct fuse_attr *attributes)
{
	memset(attributes, 0, sizeof(*attributes));
	attributes->ino = id;
	attributes->mode = volume->nodes[id].mode;
	attributes->nlink = 1;
	attributes->uid = getuid();
	attributes->gid = getgid();
	attributes->blksize = 512;
}

static void
reply_attributes(struct volume *volume, uint64_t unique, uint64_t id)
{
	struct fuse_attr_out out = {.attr_valid = 0};

	fill_attributes(volume, id, &out.attr);
	reply(volume, unique, 0, &out, sizeof(out));
}

/* Answer with a node; behind it, for CREATE, the open file. */
static void
reply_entry(struct volume *volume, uint64_t unique, uint64_t id, bool is_open)
{
	struct {
		struct fuse_entry_out entry;
		struct fuse_open_out open;
	} out;

	memset(&out, 0, sizeof(out));
	if (id == 0) {
		reply(volume, unique, -ENOENT, NULL, 0);
		return;
	}
	out.entry.nodeid = id;
	fill_attributes(volume, id, &out.entry.attr);
	reply(
	    volume, unique, 0, &out, is_open ? sizeof(out) : sizeof(out.entry));
}

static void
make(struct volume *volume, const struct fuse_in_header *in, const char *name,
    uint32_t mode, bool is_open)
{
	uint64_t id = find(volume, in->nodeid, name);

	if (id != 0) {
		reply(volume, in->unique, -EEXIST, NULL, 0);
		return;
	}
	for (id = 2; id < MAX_NODES && volume->nodes[id].parent != 0; id++)
		;
	if (id == MAX_NODES) {
		reply(volume, in->unique, -ENOSPC, NULL, 0);
		return;
	}
	volume->nodes[id].parent = in->nodeid;
	volume->nodes[id].mode = mode;
	snprintf(
	    volume->nodes[id].name, sizeof(volume->nodes[id].name), "%s", name);
	reply_entry(volume, in->unique, id, is_open);
}

static void
reply_init(struct volume *volume, uint64_t unique)
{
	struct fuse_init_out out = {
	    .major = FUSE_KERNEL_VERSION,
	    .minor = FUSE_KERNEL_MINOR_VERSION,
	    .max_write = 4096,
	};

	reply(volume, unique, 0, &out, sizeof(out));
}

static void
serve(struct volume *volume, char *message)
{
	const struct fuse_in_header *in = (struct fuse_in_header *)message;
	const void *body = message + sizeof(*in);
	struct fuse_open_out opened = {.fh = 0};
	struct fuse_statfs_out fs = {.st = {.bsize = 512, .namelen = NAME_MAX}};

	switch (in->opcode) {
	case FUSE_INIT:
		reply_init(volume, in->unique);
		break;
	case FUSE_LOOKUP:
		reply_entry(
		    volume, in->unique, find(volume, in->nodeid, body), false);
		break;
	case FUSE_GETATTR:
	case FUSE_SETATTR:
		reply_attributes(volume, in->unique, in->nodeid);
		break;
	case FUSE_MKDIR:
		make(volume, in,
		    (const char *)body + sizeof(struct fuse_mkdir_in),
		    S_IFDIR | 0755, false);
		break;
	case FUSE_CREATE:
		make(volume, in,
		    (const char *)body + sizeof(struct fuse_create_in),
		    S_IFREG | 0644, true);
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		reply(volume, in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_WRITE: {
		struct fuse_write_out out = {
		    .size = ((const struct fuse_write_in *)body)->size};

		reply(volume, in->unique, 0, &out, sizeof(out));
		break;
	}
	case FUSE_READ:
	case FUSE_READDIR:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
		reply(volume, in->unique, 0, NULL, 0);
		break;
	case FUSE_STATFS:
		reply(volume, in->unique, 0, &fs, sizeof(fs));
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break; /* want no answer */
	default:
		reply(volume, in->unique, -ENOSYS, NULL, 0);
		break;
	}
}

static void
serve_all(struct volume *volume)
{
	static _Alignas(struct fuse_in_header) char message[BUFFER_SIZE];

	for (;;) {
		ssize_t n = read(volume->fd, message, sizeof(message));

		if (n < 0 && (errno == EINTR || errno == ENOENT))
			continue;
		if (n < (ssize_t)sizeof(struct fuse_in_header))
			_exit(0); /* unmounted */
		serve(volume, message);
	}
}

int
volume_mount(const char *dir, bool is_exact)
{
	static struct volume volume;
	char options[128];
	pid_t parent = getpid();
	pid_t pid;

	volume.is_exact = is_exact;
	memset(volume.nodes, 0, sizeof(volume.nodes));
	volume.nodes[1].parent = 1;
	volume.nodes[1].mode = S_IFDIR | 0755;
	volume.fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (volume.fd < 0)
		return -errno;
	snprintf(options, sizeof(options),
	    "fd=%d,rootmode=40000,user_id=%u,group_id=%u", volume.fd,
	    (unsigned)getuid(), (unsigned)getgid());
	if (mount("omega-volume", dir, "fuse", MS_NOSUID | MS_NODEV, options) !=
	    0) {
		int error = errno;

		close(volume.fd);
		return -error;
	}
	pid = fork();
	if (pid == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
		    getppid() != parent)
			_exit(1);
		serve_all(&volume);
	}
	close(volume.fd);
	return pid < 0 ? -ENOMEM : 0;
}

int
volume_start(const char *dir, bool is_exact)
{
	int ret = volume_mount(dir, is_exact);

	if (ret == -ENOENT || ret == -EACCES || ret == -ENODEV ||
	    ret == -EPERM || ret == -ENXIO)
		return CANNOT_FUSE;
	return -ret;
}

void
volume_run(int (*fn)(void *), void *arg)
{
	int status = in_mount_child(fn, arg);

	if (status == CANNOT_MOUNT)
		skip_because("no mount namespace may be made here");
	if (status == CANNOT_FUSE)
		skip_because("this user may not mount through /dev/fuse, and "
			     "there is no other volume that folds names");
	assert_int_equal(status, 0);
}
