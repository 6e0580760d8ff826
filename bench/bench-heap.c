/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * bench-heap.c - counts heap allocations by standing in front of the C
 * library's own malloc. For programs with one thread.
 */

#include "config.h"

#include "bench.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static unsigned long calls;

/* dlsym gives an object pointer; ISO C has no cast from it to a function. */
static void
find_next(const char *name, void *function)
{
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(function, &found, sizeof(found));
}

void *
malloc(size_t size)
{
	static void *(*next)(size_t);

	if (next == NULL)
		find_next("malloc", &next);
	calls++;
	return next(size);
}

void *
calloc(size_t count, size_t size)
{
	static void *(*next)(size_t, size_t);

	if (next == NULL)
		find_next("calloc", &next);
	calls++;
	return next(count, size);
}

void *
realloc(void *old, size_t size)
{
	static void *(*next)(void *, size_t);

	if (next == NULL)
		find_next("realloc", &next);
	calls++;
	return next(old, size);
}

unsigned long
bench_heap_calls(void)
{
	return calls;
}
