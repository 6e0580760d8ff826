/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-heap.c - see faults-heap.h.
 */

#include "faults-heap.h"

#include <dlfcn.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

static long left = -1; /* good ones still to come; negative: no end */
static bool is_lasting_now;
static bool has_failed;

void
faults_heap_start(long good, bool is_lasting)
{
	has_failed = false;
	is_lasting_now = is_lasting;
	left = good;
}

bool
faults_heap_stop(void)
{
	left = -1;
	return has_failed;
}

#if !FAULTS_HEAP_OTHER && defined(__GLIBC__)
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
char *strdup(const char *text);
char *strndup(const char *text, size_t size);
#define CALLER __builtin_return_address(0)

/* libseccomp 2.5, libconfuse 3.3 and the C library's user database are lost
 * without memory: they stop the host, or loop. That cannot be mended here. */
static bool
is_others(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) != 0 && info.dli_fname != NULL &&
	       (strstr(info.dli_fname, "libseccomp") != NULL ||
		   strstr(info.dli_fname, "libconfuse") != NULL);
}

static bool
may_take(const void *caller)
{
	if (left < 0 || is_others(caller))
		return true;
	if (left > 0) {
		left--;
		return true;
	}
	if (!is_lasting_now)
		left = -1;
	has_failed = true;
	errno = ENOMEM;
	return false;
}

void *
malloc(size_t size)
{
	return may_take(CALLER) ? __libc_malloc(size) : NULL;
}

void *
calloc(size_t count, size_t size)
{
	return may_take(CALLER) ? __libc_calloc(count, size) : NULL;
}

void *
realloc(void *memory, size_t size)
{
	return may_take(CALLER) ? __libc_realloc(memory, size) : NULL;
}

void
free(void *memory)
{
	__libc_free(memory);
}

char *
strndup(const char *text, size_t size)
{
	size_t len = strnlen(text, size);
	char *copy = may_take(CALLER) ? __libc_malloc(len + 1) : NULL;

	if (copy != NULL) {
		memcpy(copy, text, len);
		copy[len] = '\0';
	}
	return copy;
}

char *
strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = may_take(CALLER) ? __libc_malloc(size) : NULL;

	return copy == NULL ? NULL : memcpy(copy, text, size);
}

int
getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t size,
    struct passwd **found)
{
	int (*real)(uid_t, struct passwd *, char *, size_t, struct passwd **);
	long saved = left;
	int ret;

	left = -1;
	*(void **)&real = dlsym(RTLD_NEXT, "getpwuid_r");
	ret = real(uid, entry, buffer, size, found);
	left = saved;
	return ret;
}
#endif
