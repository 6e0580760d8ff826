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
 * A path socket whose place may be within reach, but is not known: bound by a
 * relative name that was not found, or in another mount namespace. 1 and its
 * name, 0, or what unixes_each_anywhere returns.
 */
int unixes_find_lost(char *found, size_t size);

#endif
