/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * kernel.h - the few questions about paths that only the kernel can answer.
 *
 * One implementation per system (kernel-linux.c). Everything returns 0 or a
 * descriptor, or a negative errno; nothing allocates; descriptors are
 * close-on-exec.
 */

#ifndef OMEGA_PATH_KERNEL_H
#define OMEGA_PATH_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What something is, whatever it is called. */
struct omega_object {
	dev_t dev;
	ino_t ino;
	uint64_t mount; /* the mount it was reached through */
	uint32_t nlink;
	mode_t mode;
};

/* A flag of omega_kernel_open_plain, besides those of open(2). */
#define OMEGA_KERNEL_ONE_MOUNT (1 << 30)

/*
 * Open something for looking only. flags are O_DIRECTORY, without which the
 * path has no slash at its end, and _ONE_MOUNT for -EXDEV when the path leaves
 * the mount of the root directory. -ELOOP when a symbolic link (or a magic
 * one, as in /proc) stands anywhere in the part of the path that exists, its
 * last name included; otherwise as open(2). So -ENOENT says as well that there
 * is no link before the missing name.
 */
int omega_kernel_open_plain(const char *path, int flags);

/* Open anything for looking only, following links as the kernel does; with
 * O_NOFOLLOW a link itself. */
int omega_kernel_open_object(const char *path, int flags);

/* The flags of open(2) that only this system has, and that do no harm. */
int omega_kernel_open_flags(void);

/* What is called name in the directory; name "" is the descriptor itself.
 * A link is not followed. */
int omega_kernel_stat(int fd, const char *name, struct omega_object *object);

/* Visit every name in the directory but "." and "..", until a visit does not
 * return 0. Returns what it did, or a negative errno. */
int omega_kernel_each_name(
    int dir, int (*visit)(void *arg, const char *name), void *arg);

/*
 * What the kernel calls the open object now: PATH_MAX bytes at name. Not to
 * be believed without a look: it may be deleted, out of reach, or in another
 * mount namespace. Returns the length or a negative errno.
 */
long omega_kernel_name(int fd, char *name);

/* Open the object behind a descriptor once more, for real use. */
int omega_kernel_reopen(int fd, int flags);

/*
 * Wait until a rename or removal of the name that is under way has been done.
 * 0: something of this name is there. Changes nothing.
 */
int omega_kernel_settle(const char *path);

/* What this kernel lacks to find paths out, with the remedy; else "". */
const char *omega_kernel_lacks(void);

/* Might this directory take two spellings for one name? True when unsure. */
bool omega_kernel_folds_names(const char *dir);

#endif
