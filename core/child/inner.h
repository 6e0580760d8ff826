/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * inner.h - what happens between clone and exec.
 *
 * Everything was made ready before; inner.c only makes system calls and runs
 * the backends' steps. It reads struct omega_inner and writes nothing but its
 * own stack, because it may be running in the host's memory.
 *
 * A child says READY right before exec, or what went wrong instead of it or
 * after it. One that has said nothing was killed on the way.
 */

#ifndef OMEGA_CHILD_INNER_H
#define OMEGA_CHILD_INNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <omega/sandbox-plugin.h>
#include <omega/sandbox.h>

#include "child/calls.h"

struct omega_witness;

struct omega_inner_step {
	uint32_t phase;
	char *backend;
	char *name;
	omega_sandbox_step *step;
	void *state; /* read-only once built */
};

/* What the calling process itself does in place of a prefix's words. */
struct omega_inner_self {
	omega_sandbox_step *step;
	void *state;
};

/* A descriptor of the program. */
struct omega_inner_fd {
	int from; /* not the place of another one, unless from == to */
	int to;
	int given; /* what the caller called it, for messages */
	bool is_checked; /* must be no directory and no O_PATH */
	bool is_renewed; /* must not lead around a read-only mount */
	bool is_in_place; /* from == to, and not close-on-exec */
	bool is_late; /* a step still needs what is numbered to */
};

struct omega_inner_fault;

struct omega_inner {
	const struct omega_inner_step *steps;
	size_t step_count;
	const struct omega_inner_self *self; /* after them; or NULL */
	const struct omega_witness *witness; /* or NULL */
	size_t turn; /* of the witness */
	const char *dir; /* by this name, once the namespaces are joined */
	const char *program; /* NULL: run the steps and nothing more */
	int program_fd; /* not -1: this instead, which starts it */
	int watch; /* not -1: a socket, for the listener of its calls */
	char *const *argv;
	char *const *env;
	const struct omega_inner_fd *fds;
	size_t fd_count;
	char *const *closed; /* where no descriptor may write */
	size_t closed_count;
	char *const *hidden; /* where none may lead: it could be reopened */
	size_t hidden_count;
	/* A program that goes before makes the mounts. What is open already
	 * cannot be opened again inside them; with a list of what may be
	 * changed nothing that could be is passed on. */
	bool is_made_later;
	bool is_listed;
	struct omega_inner_fault *said; /* our last word: here, or */
	int report; /* into this pipe, if it is not -1 */
	bool is_child; /* else the host itself becomes the program */
	bool has_handlers; /* any signal may have one; else: */
	uint64_t ignored; /* only these are not at their defaults */
	uint64_t to_ignore; /* the program ignores these, */
	uint64_t to_block; /* and has these blocked */
	/* Whose session: KEEP ours, NEW one of its own, PTY that of the
	 * terminal, which we have made for it. */
	enum omega_sandbox_session session;
	int terminal;
	bool is_front; /* of the terminal */
	int32_t group; /* with KEEP: the one it goes into; 0: it stays */
	bool is_hidden; /* not to be opened through /proc on the way */
	bool has_close_range;
	bool is_tied; /* ends with its parent, unless it says otherwise */
	int32_t parent; /* who that must be; 0: anybody */
};

enum omega_inner_kind {
	OMEGA_INNER_READY = 1, /* no fault: exec comes next */
	OMEGA_INNER_STEP, /* index: the step */
	OMEGA_INNER_SELF, /* the process did not take on what it should */
	OMEGA_INNER_SESSION, /* it could have none of its own */
	OMEGA_INNER_DIRECTORY,
	OMEGA_INNER_CLOSE, /* descriptors could not be closed */
	OMEGA_INNER_FD, /* index: the descriptor; it could not be used */
	OMEGA_INNER_FD_IS_DIRECTORY,
	OMEGA_INNER_FD_IS_PATH,
	OMEGA_INNER_FD_IS_KEPT, /* it may write what must not be written */
	OMEGA_INNER_FD_IS_HIDDEN, /* it could be made one that may */
	OMEGA_INNER_WITNESS, /* index: the try; finding: what it found */
	OMEGA_INNER_WATCH, /* its calls cannot be told */
	OMEGA_INNER_EXEC,
	OMEGA_INNER_INTERPRETER, /* exec says ENOENT, yet the file is there */
	OMEGA_INNER_INIT /* the program that starts it did not */
};

/* What went wrong, or READY; what a child says. */
struct omega_inner_fault {
	uint32_t kind; /* enum omega_inner_kind */
	uint32_t index;
	int32_t error; /* errno */
	uint32_t finding; /* enum omega_witness_finding */
};

/* Do it all in this process. Returns -1 with the fault, or 0 when there was
 * no program to become. */
int omega_inner_run(
    const struct omega_inner *inner, struct omega_inner_fault *fault);

/* What a child is given; lies at the top of its stack, which begins below it
 * and must be aligned. */
struct omega_inner_start {
	_Alignas(16) const struct omega_inner *inner;
	struct omega_inner_fault said;
	volatile uint32_t is_shared; /* seen only if memory is shared */
};

/* The child's first and only function. Does not return. */
int omega_inner_child(void *start);

/*
 * Descriptors that lead around a read-only mount, one implementation per
 * system. A descriptor belongs to the mount it was opened on. One that the host
 * opened on /etc/passwd for reading lets root change the file's mode, and
 * through /proc/self/fd its content, whatever is mounted over /etc since.
 */

/*
 * In the child, before anything is hidden from it: which regular files are
 * where their descriptors say, by index, one bit each; of more than 64 the
 * rest is not asked for. Plain system calls.
 */
uint64_t omega_inner_look(const struct omega_inner *inner);

/*
 * In the child, once the namespaces are joined: refuse what may write to a
 * place that is closed to it; where a file's name leads to the same file on a
 * read-only mount, have the descriptor opened again there (its place in the
 * file stays, but is its own from now on); and refuse what is hidden, since no
 * name leads to it that it could be opened by: named is what was found before.
 * Plain system calls. 0, or with
 * the descriptor's *index a negative errno, OMEGA_INNER_FD_IS_KEPT or
 * _FD_IS_HIDDEN.
 */
int omega_inner_renew(
    const struct omega_inner *inner, uint64_t named, size_t *index);

/*
 * In the child, once it is confined: from now on the calls that name a file or
 * an address wait for who has the listener, which is sent over the socket with
 * one byte. A filter can only take away, and this one takes nothing. Plain
 * system calls. 0 or a negative errno.
 */
int omega_inner_watch(int socket);

/* Is the name, which is canonical, at or below one of these places? Asked in
 * the child as well: no function of a library is called. */
OMEGA_PLAIN static inline bool
omega_inner_covers(char *const *paths, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const char *path = paths[i];
		size_t at = 0;

		while (path[at] != '\0' && path[at] == name[at])
			at++;
		if (path[at] == '\0' && (name[at] == '\0' || name[at] == '/'))
			return true;
	}
	return false;
}

#endif
