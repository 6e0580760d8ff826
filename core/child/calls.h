/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * calls.h - the system calls a child makes on its way to exec, one function
 * for each thing to be done. One implementation per system.
 *
 * Nothing here allocates, takes a lock or writes memory of its own. Functions
 * return 0 or a descriptor, or a negative errno, unless said otherwise.
 */

#ifndef OMEGA_CHILD_CALLS_H
#define OMEGA_CHILD_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For functions that run in a child which shares the host's memory: it never
 * returns from its first function, so a sanitizer that notes entries and exits
 * would be left with a false idea of the thread whose memory it shares. */
#if defined(__clang__)
#define OMEGA_PLAIN __attribute__((no_sanitize("address", "thread")))
#elif defined(__GNUC__)
#define OMEGA_PLAIN __attribute__((no_sanitize_address, no_sanitize_thread))
#else
#define OMEGA_PLAIN
#endif

enum omega_calls_kind {
	OMEGA_CALLS_FINE = 0,
	OMEGA_CALLS_DIRECTORY, /* leads around everything hidden */
	OMEGA_CALLS_PATH /* as well, opened for looking only */
};

/* What a descriptor is of: one of the kinds, or a negative errno. */
int omega_calls_look_at(int fd);

/* Every signal whose bit (number less 1) is set, and those that have no bit,
 * back to their defaults; these ignored; these blocked and no other. */
void omega_calls_reset_signals(uint64_t which);
void omega_calls_ignore_signals(uint64_t which);
void omega_calls_block_signals(uint64_t which);

/* Into this process group, or where that is gone (0) into one of its own. */
void omega_calls_enter_group(int32_t group);

/* Have its group, with all signals blocked, in the foreground there. */
int omega_calls_come_forward(int terminal);

/* Lead a session, without a terminal. */
int omega_calls_new_session(void);

int omega_calls_enter(const char *dir);

/* In the parent: is one call enough to have all descriptors closed? Asked anew
 * each time, since a filter may have been installed meanwhile. */
bool omega_calls_has_close_range(void);

/* Else: what closing them will need and must be opened early, or -1. */
int omega_calls_open_list(void);

/* Have everything above 2 closed at exec. */
int omega_calls_close_others(bool has_close_range, int list);

/* Put a descriptor where it belongs; with both the same, keep it at exec. */
int omega_calls_place(int from, int to);

/* Lower a limit of setrlimit(2); what is lower already stays so. */
int omega_calls_limit(int resource, uint64_t most);

/* Never raise one again, as root neither, nor what it executes. */
int omega_calls_keep_limits(void);

/* In the parent: why the system does not hold that limit, though it takes it;
 * NULL when it does. */
const char *omega_calls_limit_lacks(int resource);

/* Not to be opened by anybody of the same user; until exec. */
void omega_calls_hide(void);

/* To be killed with the parent, where the system knows that. False: it is not
 * that one any more, unless 0 was given. */
bool omega_calls_tie(int32_t parent);

/* How much was written, or a negative errno. */
long omega_calls_write(int fd, const void *bytes, size_t len);

/* Returns only when it fails. */
int omega_calls_exec(
    const char *program, char *const argv[], char *const env[]);

/* The same for a program that is open. Linux only. */
int omega_calls_exec_open(int fd, char *const argv[], char *const env[]);

bool omega_calls_exists(const char *path);

/* In the parent: is what exec said about the file, not about the system? */
bool omega_calls_is_about_file(int error_number);

_Noreturn void omega_calls_exit(int status);

#endif
