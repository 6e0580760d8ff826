/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * reads.c - ways to read what must not be read. What counts is the secret.
 */

#include "config.h"

#include "attempt.h"

#include <linux/io_uring.h>
#include <sys/mman.h>
#include <ftw.h>
#include <sched.h>

ATTEMPT_IS(read_file,
    attempt_read_token_fd(in, attempt_open(in, in->how, in->file)))

ATTEMPT(map)
{
	int fd = open(in->file, O_RDONLY | O_CLOEXEC);
	char *text;

	if (fd < 0)
		return errno;
	text = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return errno;
	return strncmp(text, in->token, strlen(in->token)) == 0 ? 0 : ENODATA;
}

ATTEMPT(from_root)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return attempt_read_token_fd(in, openat(root, in->file + 1, O_RDONLY));
}

/* One component after the other, each only named. */
ATTEMPT(step_by_step)
{
	char path[PATH_MAX];
	char *save = NULL;
	char *name;
	int fd = open("/", O_PATH | O_CLOEXEC);

	snprintf(path, sizeof(path), "%s", in->file);
	for (name = strtok_r(path, "/", &save); name != NULL;) {
		char *next = strtok_r(NULL, "/", &save);

		fd = openat(fd, name,
		    next != NULL ? O_PATH | O_CLOEXEC : O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return errno;
		name = next;
	}
	return attempt_read_token_fd(in, fd);
}

/* From a directory of its own upwards. */
ATTEMPT(by_dots)
{
	if (strncmp(in->file, in->top, strlen(in->top)) != 0)
		return EXDEV;
	return attempt_read_token(
	    in, attempt_format(ATTEMPT_SPACE, "%s/../../../..%s", in->free,
		    in->file + strlen(in->top)));
}

ATTEMPT(by_hard_link)
{
	char *name = ATTEMPT_JOIN(in->free, "a-name");

	if (link(in->file, name) != 0)
		return errno;
	return attempt_read_token(in, name);
}

ATTEMPT_IS(by_other_cwd,
    attempt_read_token(in, ATTEMPT_PROC(in, "cwd/" ATTEMPT_SECRET)))

ATTEMPT(by_other_descriptor)
{
	const int fd = in->type == 'd' ? ATTEMPT_FD_DIR : ATTEMPT_FD_FILE;

	return attempt_read_token(
	    in, attempt_format(
		    ATTEMPT_SPACE, "/proc/%ld/fd/%d", (long)in->outside, fd));
}

ATTEMPT(join_outside)
{
	setns(open(ATTEMPT_PROC(in, "ns/user"), O_RDONLY | O_CLOEXEC),
	    CLONE_NEWUSER);
	setns(open(ATTEMPT_PROC(in, "ns/mnt"), O_RDONLY | O_CLOEXEC),
	    CLONE_NEWNS);
	return attempt_read_token(in, in->file);
}

/* extra: type, length and bytes of the handle. */
ATTEMPT(by_handle)
{
	union {
		struct file_handle head;
		char space[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} handle;
	const char *at = strrchr(in->extra, ',');
	int mount_fd = open(in->free, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unsigned i;

	if (at == NULL ||
	    sscanf(in->extra, "%d,%u", &handle.head.handle_type,
		&handle.head.handle_bytes) != 2 ||
	    handle.head.handle_bytes > MAX_HANDLE_SZ)
		return EOPNOTSUPP;
	for (i = 0; i < handle.head.handle_bytes; i++) {
		unsigned byte = 0;

		sscanf(at + 1 + 2 * i, "%2x", &byte);
		handle.head.f_handle[i] = (unsigned char)byte;
	}
	return attempt_read_token_fd(
	    in, open_by_handle_at(mount_fd, &handle.head, O_RDONLY));
}

/* io_uring opens in the kernel's own time. */
ATTEMPT(by_ring)
{
	struct io_uring_params params;
	struct io_uring_sqe *entry;
	struct io_uring_cqe *done;
	unsigned char *rings;
	unsigned *tail;
	int ring;

	memset(&params, 0, sizeof(params));
	ring = (int)syscall(SYS_io_uring_setup, 4, &params);
	if (ring < 0)
		return errno;
	rings = mmap(NULL, 16384, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
	entry = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
	if (rings == MAP_FAILED || (void *)entry == MAP_FAILED)
		return errno;
	memset(entry, 0, sizeof(*entry));
	entry->opcode = IORING_OP_OPENAT;
	entry->fd = AT_FDCWD;
	entry->addr = (uint64_t)(uintptr_t)in->file;
	entry->open_flags = O_RDONLY;
	entry->flags = IOSQE_ASYNC;
	*(unsigned *)(void *)(rings + params.sq_off.array) = 0;
	tail = (unsigned *)(void *)(rings + params.sq_off.tail);
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS,
		NULL, 0) < 0)
		return errno;
	done = (struct io_uring_cqe *)(void *)(rings + params.cq_off.cqes);
	return done->res < 0 ? -done->res
			     : attempt_read_token_fd(in, done->res);
}

ATTEMPT(after_rename)
{
	char *out = ATTEMPT_JOIN(in->free, "moved-out");

	if (rename(in->file, out) != 0)
		return errno;
	return attempt_read_token(in, out);
}

ATTEMPT(after_chmod)
{
	chmod(in->target, 0777);
	chmod(in->file, 0666);
	return attempt_read_token(in, in->file);
}

ATTEMPT_IS(execute, attempt_run(ATTEMPT_JOIN(in->target, "tool")))
ATTEMPT_IS(list, attempt_list(opendir(in->target), ATTEMPT_SECRET))
ATTEMPT_IS(list_from_inside,
    chdir(in->target) != 0 ? errno : attempt_list(opendir("."), ATTEMPT_SECRET))

ATTEMPT(list_by_descriptor)
{
	int fd = attempt_open(in, in->how, in->target);

	return fd < 0 ? errno : attempt_list(fdopendir(fd), ATTEMPT_SECRET);
}

/* Any name it has, in the whole scene. */
static const struct attempt_input *search_for;

/* Names of the target's own, which other guarantees are about, and secrets of
 * the scene that are not the target's: a policy may let them be read. */
static bool
is_no_other_name(const char *path)
{
	static const char *const others[] = {ATTEMPT_WORK
	    "/.git/" ATTEMPT_SECRET,
	    ATTEMPT_DATA_DIR "/" ATTEMPT_SECRET};
	size_t top = strlen(search_for->top);
	size_t target = strlen(search_for->target);
	size_t i;

	if (strncmp(path, search_for->target, target) == 0 &&
	    (path[target] == '/' || path[target] == '\0'))
		return true;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strncmp(path, search_for->top, top) == 0 &&
		    path[top] == '/' && strcmp(path + top + 1, others[i]) == 0)
			return true;
	return false;
}

static int
search_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)ftw;
	if (type == FTW_F && S_ISREG(st->st_mode) && !is_no_other_name(path) &&
	    attempt_read_token(search_for, path) == 0 &&
	    strstr(path, "config.toml.new") == NULL)
		return 1;
	return 0;
}

ATTEMPT(search)
{
	search_for = in;
	return nftw(in->top, search_file, 16, FTW_PHYS) == 1 ? 0 : ENODATA;
}

#define BY(way) ATTEMPT_OPEN(ATTEMPT_BY_##way, O_RDONLY)
#define ON_COPY COPY, NULL
#define ON_DIR COPY_DIR, NULL

const struct attempt attempt_reads[] = {
    {"read", "path", READ, COPY, BY(NAME), read_file},
    {"map", "path", READ, ON_COPY, map},
    {"by /proc/self/root", "path", READ, COPY, BY(OWN_ROOT), read_file},
    {"openat from /", "path", READ, ON_COPY, from_root},
    {"openat step by step", "path", READ, ON_COPY, step_by_step},
    {"by ..", "path", READ, ON_COPY, by_dots},
    {"by a symbolic link", "path", READ, COPY, BY(LINK), read_file},
    {"by a new hard link", "path", READ, ON_COPY, by_hard_link},
    {"by /proc/self/fd", "path", READ, COPY, BY(DESCRIPTOR), read_file},
    {"by /proc/PID/root", "path", READ, COPY, BY(OTHER_ROOT), read_file},
    {"by /proc/PID/cwd", "path", READ, ON_DIR, by_other_cwd},
    {"by /proc/PID/fd", "path", READ, ON_COPY, by_other_descriptor},
    {"setns to a process outside", "path", READ, ON_COPY, join_outside},
    {"open_by_handle_at", "path", READ, ATTEMPT_COPY | ATTEMPT_THERE,
	ATTEMPT_HANDLE, NULL, by_handle},
    {"io_uring", "path", READ, ON_COPY, by_ring},
    {"rename, then read", "path", READ, ON_COPY, after_rename},
    {"chmod, then read", "path", READ, ON_COPY, after_chmod},
    {"execute", "path", READ, ON_DIR, execute},
    {"list", "path", LIST, ON_DIR, list},
    {"chdir and list", "path", LIST, ON_DIR, list_from_inside},
    {"list by /proc/self/fd", "path", LIST, COPY_DIR, BY(DESCRIPTOR),
	list_by_descriptor},
    {"read what the host makes meanwhile", "path", READ,
	ATTEMPT_COPY | ATTEMPT_ABSENT, ATTEMPT_REPLACED, BY(NAME), read_file},
    {"read what the host puts there meanwhile", "replaced_files", ALL,
	ATTEMPT_COPY | ATTEMPT_THERE, ATTEMPT_REPLACED, BY(NAME), read_file},
    {"search for another name", "aliases", ALL, ON_COPY, search},
    ATTEMPT_END,
};
