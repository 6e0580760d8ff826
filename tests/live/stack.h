/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack.h - the library with the stack it chooses by itself, put in the place
 * of the driver of world.h; and the running of lists of attempts with it.
 */

#ifndef OMEGA_TEST_STACK_H
#define OMEGA_TEST_STACK_H

#include "harness.h"

#include <omega/sandbox.h>

#include "escapes.h"
#include "twice.h"
#include "world.h"

#define SHIELD "data_dir_mode = shield\n"

/* Made for one world: the stack, and nothing at all. */
struct stack {
	struct omega_sandbox *sandbox;
	struct omega_sandbox_prepared *inside;
	struct omega_sandbox_prepared *outside;
	struct driver in; /* world.c's view of the two */
	struct driver out;
};

/* Changes a world just made; gives what the attempts are about. */
typedef void arrange_fn(struct world *world, char *subject, size_t size);

struct course {
	const struct attempt *list;
	const char *lines; /* of the configuration */
	arrange_fn *arrange; /* or NULL: about the data directory */
	const char *behind; /* more of them: the subject, then this */
	bool is_changed; /* the data is not what world_make made */
};

/* With these lines as the configuration. */
bool stack_open(
    struct stack *stack, const char *base, const char *dir, const char *lines);

/* With this backend and no other, whatever it does not hold. */
bool stack_open_alone(struct stack *stack, const char *base, const char *dir,
    const char *backend);
void stack_close(struct stack *stack);

struct omega_sandbox_command *stack_command(
    struct omega_sandbox_prepared *prepared, char *const argv[]);

/* One attempt: the status, 128 + signal, or 1000 - code. */
int stack_try(struct driver *driver, struct world *world, const char *name,
    const char *subject);

/* A list, outside in a twin and then inside. Faults. */
int stack_go_through(const char *base, const struct course *course);

/* The same with one backend alone, and of the list only these names (NULL:
 * all). Whatever the error. */
int stack_go_alone(const char *base, const char *backend,
    const struct attempt *list, const char *const *names);

/* Does the report claim that this attempt fails? Kernels differ in some. */
bool stack_claims(struct omega_sandbox_prepared *prepared, const char *name);

/* The ABI of this kernel's Landlock, by its own word; 0: there is none. */
int stack_landlock_abi(void);

/* Leave a test that is about Landlock where there is none. */
void stack_need_landlock(void);

/* As TWICE, where there is Landlock. */
#define TWICE_WITH_LANDLOCK(name)             \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		stack_need_landlock();        \
		twice(name);                  \
	}

/* Start one that attacks whoever comes, let so many others come unless it has
 * found a way, and say in *seen what it found: EPERM for nothing. Faults. */
#define STACK_UNTIL_FOUND 5000
int stack_besiege(struct omega_sandbox_prepared *prepared, struct world *world,
    const char *who, int rounds, int *seen);

/* The same with nothing in the way: it must find one. Where the machine keeps
 * processes of a user apart by itself that is said. Faults. */
int stack_besiege_outside(
    struct stack *stack, struct world *world, const char *who);

void stack_put_secret(const char *path);

/* Each ends with an entry without a name. */
extern const struct CMUnitTest stack_alone_tests[];
extern const struct CMUnitTest stack_caller_tests[];
extern const struct CMUnitTest stack_closed_tests[];
extern const struct CMUnitTest stack_config_tests[];
extern const struct CMUnitTest stack_devices_tests[];
extern const struct CMUnitTest stack_machine_tests[];
extern const struct CMUnitTest stack_many_tests[];
extern const struct CMUnitTest stack_next_tests[];
extern const struct CMUnitTest stack_overlays_tests[];
extern const struct CMUnitTest stack_places_tests[];
extern const struct CMUnitTest stack_shared_tests[];
extern const struct CMUnitTest stack_sockets_tests[];

#endif
