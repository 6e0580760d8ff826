/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * unixes.h - the names UNIX sockets are bound to, as the kernel tells them.
 */

#ifndef NAMESPACE_UNIXES_H
#define NAMESPACE_UNIXES_H

#include <stddef.h>

/* Told every name, "@..." is abstract, and the number of the socket. What is
 * not 0 ends it. */
typedef int unixes_name(void *arg, const char *name, unsigned long inode);

/* Those of our network namespace. 0, what fn returned, or -errno. */
int unixes_each(unixes_name *fn, void *arg);

/*
 * Those of every network namespace in which a process is that can be seen.
 * -ESRCH, after all names were told, when not every process can be seen.
 */
int unixes_each_anywhere(unixes_name *fn, void *arg);

/*
 * Call fn with the numbers of processes, one for each that has another inode
 * at /proc/PID/file. Those at which that cannot be looked are left out, and
 * counted. 0, what fn returned, or -errno.
 */
typedef int unixes_process(void *arg, const char *pid);
int unixes_each_process(
    const char *file, unixes_process *fn, void *arg, size_t *unseen);

#endif
