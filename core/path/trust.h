/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * trust.h - who can change a file we are about to believe?
 *
 * A configuration file, a plugin or a helper program is believed when it and
 * every directory on the way to it, up to /, belongs to root or to the
 * caller and cannot be written by anybody else. A directory others may write
 * is fine when it is sticky and the entry used belongs to root or the caller.
 * In a user namespace an owner that is not mapped counts as root, provided
 * that we cannot write the thing and that not everybody could have put it
 * there. Symbolic links are followed only from directories that are trusted
 * themselves, and their way is checked too.
 *
 * The caller is the effective user. For root the answer is_roots says nothing
 * about what root's own child could change.
 */

#ifndef OMEGA_PATH_TRUST_H
#define OMEGA_PATH_TRUST_H

#include <stdbool.h>

#include <omega/sandbox.h>

enum omega_trust_type {
	OMEGA_TRUST_FILE, /* a regular file */
	OMEGA_TRUST_DIRECTORY,
	/* A file that can only tighten: nobody else's, but whoever can write
	 * on the way could take it away as well. A command may open the way to
	 * others, and that is no reason to believe it less. */
	OMEGA_TRUST_TIGHTENING,
};

/*
 * Open path (absolute) read-only, having looked at everything on the way by
 * descriptor. Returns the descriptor, or -ENOENT when path (or a directory on
 * the way) does not exist, and then error is not touched; or another negative
 * errno with error filled: OMEGA_SANDBOX_E_TRUST naming the file or directory
 * that is wrong, how, and the command that mends it; _E_SYSTEM otherwise
 * (-ENOLINK: a symbolic link on the way leads to nothing, which is not the
 * same as nothing being there). A directory that is opened, not walked
 * through, must not be writable by others even when it is sticky.
 * *is_roots (may be NULL): everything on the way is root's alone.
 */
int omega_trust_open(const char *path, enum omega_trust_type type,
    bool *is_roots, struct omega_sandbox_error *error);

/*
 * The same for an entry of a directory that was opened so, and is still open as
 * dir: what is above it is not looked at again. *is_roots is that directory's
 * before, the entry's after. path is whole, for messages.
 */
int omega_trust_open_in(int dir, const char *path, enum omega_trust_type type,
    bool *is_roots, struct omega_sandbox_error *error);

/*
 * After -EACCES: open the directories on the way to path that are the caller's
 * own and closed to their owner (chmod u+x). Commands have the caller's uid,
 * and what one of them closes must not stop the next. True when there was such
 * a one: then said has a line about the last of them.
 */
bool omega_trust_reopen(const char *path, struct omega_sandbox_error *said);

#endif
