/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * clone.c - stacks for children: see clone.h.
 */

#include "config.h"

#include "child/clone.h"

#include <sys/mman.h>
#include <stdatomic.h>
#include <stdlib.h>

/* As many as threads commonly start commands at the same time. */
#define SPARE 8

/* More than a page: a large frame must not step over it. */
#define GUARD ((size_t)64 * 1024)

#ifndef MAP_STACK
#define MAP_STACK 0
#endif

/* A child that ended inside a step has left its frames marked as such; the
 * address sanitizer would take the next child's for an overflow. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define HAS_ASAN 1
#endif

#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#define FORGET_FRAMES(stack) \
	__asan_unpoison_memory_region(stack, OMEGA_STACK_SIZE)
#else
#define FORGET_FRAMES(stack) (void)(stack)
#endif

struct omega_stacks {
	_Atomic(void *) spare[SPARE];
};

static void
unmap(void *stack)
{
	munmap((char *)stack - GUARD, GUARD + OMEGA_STACK_SIZE);
}

static void *
map(void)
{
	char *place;

	place = mmap(NULL, GUARD + OMEGA_STACK_SIZE, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (place == MAP_FAILED)
		return NULL;
	if (mprotect(place + GUARD, OMEGA_STACK_SIZE, PROT_READ | PROT_WRITE) !=
	    0) {
		munmap(place, GUARD + OMEGA_STACK_SIZE);
		return NULL;
	}
	return place + GUARD;
}

struct omega_stacks *
omega_stacks_new(void)
{
	struct omega_stacks *stacks = malloc(sizeof(*stacks));
	size_t i;

	for (i = 0; stacks != NULL && i < SPARE; i++)
		atomic_init(&stacks->spare[i], NULL);
	return stacks;
}

void
omega_stacks_free(struct omega_stacks *stacks)
{
	size_t i;
	void *stack;

	for (i = 0; stacks != NULL && i < SPARE; i++) {
		stack = atomic_load(&stacks->spare[i]);
		if (stack != NULL)
			unmap(stack);
	}
	free(stacks);
}

void *
omega_stacks_take(struct omega_stacks *stacks)
{
	void *stack = NULL;
	size_t i;

	for (i = 0; stack == NULL && i < SPARE; i++)
		stack = atomic_exchange(&stacks->spare[i], NULL);
	if (stack == NULL)
		stack = map();
	if (stack != NULL)
		FORGET_FRAMES(stack);
	return stack;
}

void
omega_stacks_give(struct omega_stacks *stacks, void *stack)
{
	void *none;
	size_t i;

	for (i = 0; i < SPARE; i++) {
		none = NULL;
		if (atomic_compare_exchange_strong(
			&stacks->spare[i], &none, stack))
			return;
	}
	unmap(stack);
}
