/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * omega/sandbox.h - what a host application may call.
 *
 * This header is the only place where a public function is documented. Rules
 * that hold for all of them:
 *
 *  - A function that can fail returns 0 or a negative enum omega_sandbox_code,
 *    and fills the error object it was given, if it was given one. Codes are
 *    API; texts are for people and may change.
 *  - A structure the caller owns begins with its size. Set it (the macros
 *    ending in _INIT do) before the call; the library writes only what fits,
 *    so that a program built against an older header keeps working.
 *  - A predicate (is_...) that cannot find out answers "blocked".
 *  - Nothing here prints, exits, or changes signals or the environment.
 */

#ifndef OMEGA_SANDBOX_H
#define OMEGA_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define OMEGA_SANDBOX_API __attribute__((visibility("default")))
#define OMEGA_SANDBOX_MUST_CHECK __attribute__((warn_unused_result))
#else
#define OMEGA_SANDBOX_API
#define OMEGA_SANDBOX_MUST_CHECK
#endif

/* Version of this header: major * 10000 + minor * 100 + patch. */
#define OMEGA_SANDBOX_VERSION 100

/*
 * Version of the library at run time, as text ("0.1.0"). Static; never NULL.
 * Thread-safe.
 */
OMEGA_SANDBOX_API const char *omega_sandbox_version(void);

/*
 * What a function may return besides 0. Numbers never change their meaning
 * and are never reused.
 */
enum omega_sandbox_code {
	OMEGA_SANDBOX_OK = 0,
	/* A NULL, empty or senseless argument: the caller's bug. */
	OMEGA_SANDBOX_E_ARGUMENT = -1,
	/* A path or rule that cannot be held as it is written. */
	OMEGA_SANDBOX_E_INVALID_POLICY = -2,
	/* A rule forbids what was asked for. */
	OMEGA_SANDBOX_E_REFUSED = -3,
	/* The system failed; the error object has errno. */
	OMEGA_SANDBOX_E_SYSTEM = -4,
	/* Out of memory. */
	OMEGA_SANDBOX_E_MEMORY = -5
};

/* What went wrong. Owned by the caller; filled when a function fails. */
struct omega_sandbox_error {
	uint32_t size;	   /* sizeof(struct omega_sandbox_error) */
	int32_t code;	   /* enum omega_sandbox_code */
	int32_t sys_errno; /* errno of the call that failed, or 0 */
	uint32_t line;	   /* line in file, or 0 */
	char backend[32];  /* the backend concerned, or "" */
	char atom[128];	   /* the guarantee concerned, or "" */
	char file[1024];   /* the configuration file concerned, or "" */
	char text[1024];   /* one line for people, without newline */
};

#define OMEGA_SANDBOX_ERROR_INIT                                            \
	{                                                                   \
		sizeof(struct omega_sandbox_error), 0, 0, 0, "", "", "", "" \
	}

/* ---- Path checks -------------------------------------------------------- */

/*
 * May a tool inside the host application touch this path?
 *
 * The two functions below work from nothing: no configuration, no object, no
 * state. They judge the path twice, as it is spelled and as the kernel
 * resolves it at this moment, and answer true (blocked) when either is
 * protected:
 *
 *   write  below /System /bin /sbin /lib /lib32 /lib64 /libx32 /usr/bin
 *          /usr/sbin /usr/lib /usr/lib32 /usr/lib64 /usr/libx32 /usr/libexec
 *          /private/etc /Library /etc /boot /proc /sys /dev,
 *          data_dir/data, data_dir/config.toml
 *   read   data_dir/data, data_dir/config.toml, config_path
 *
 * "Below" goes by components: /binaries is not below /bin. Symbolic links,
 * names that do not exist yet, /proc and /dev/fd spellings, hard links and
 * bind mounts of the protected data, and other-case names on a
 * case-insensitive volume are all seen through. See omega-sandbox(3).
 *
 * What cannot be decided is blocked: path NULL, empty, relative, longer than
 * the system can open, a symlink loop, ".." behind something that does not
 * exist, a directory that may not be searched. The same for data_dir, and
 * for a config_path that is relative; config_path NULL or "" means none.
 *
 * The answer is about the moment of the call. To open a file without that
 * window use omega_sandbox_open_checked().
 *
 * Thread-safe, may be called after fork() in any child. No heap, about 80 KiB
 * of stack, errno is left as it was.
 */
OMEGA_SANDBOX_API bool omega_sandbox_is_write_blocked(
    const char *path, const char *data_dir);

OMEGA_SANDBOX_API bool omega_sandbox_is_read_blocked(
    const char *path, const char *data_dir, const char *config_path);

/* Kinds of access; may be combined with |. */
enum omega_sandbox_access { OMEGA_SANDBOX_READ = 1, OMEGA_SANDBOX_WRITE = 2 };

/* Why a guard answered as it did. */
enum omega_sandbox_reason {
	/* Not blocked: no rule concerns it. */
	OMEGA_SANDBOX_NOT_BLOCKED = 0,
	/* The name as spelled is at or below the rule. */
	OMEGA_SANDBOX_BY_NAME = 1,
	/* What the name leads to is at or below the rule. */
	OMEGA_SANDBOX_BY_RESOLVED_NAME = 2,
	/* Another mount shows the same place under the rule. */
	OMEGA_SANDBOX_BY_MOUNT = 3,
	/* The file is a hard link to a protected one. */
	OMEGA_SANDBOX_BY_HARD_LINK = 4,
	/* Another spelling of the rule on a volume that folds names. */
	OMEGA_SANDBOX_BY_FOLDED_NAME = 5,
	/* It could not be found out; sys_errno says where it ended. */
	OMEGA_SANDBOX_UNDECIDED = 6
};

/* A guard's answer with its reason. Owned by the caller. */
struct omega_sandbox_verdict {
	uint32_t size;	     /* sizeof(struct omega_sandbox_verdict) */
	int32_t reason;	     /* enum omega_sandbox_reason */
	int32_t sys_errno;   /* for OMEGA_SANDBOX_UNDECIDED */
	uint32_t line;	     /* line of the rule in origin, or 0 */
	const char *rule;    /* the rule as written, or NULL; lives as long as
				the guard */
	const char *origin;  /* "built in" or the file the rule is from, or
				NULL; lives as long as the guard */
	char resolved[4096]; /* where the name leads, "" if that is unknown */
};

#define OMEGA_SANDBOX_VERDICT_INIT                                      \
	{                                                               \
		sizeof(struct omega_sandbox_verdict), 0, 0, 0, 0, 0, "" \
	}

/*
 * A guard: the same rules prepared once, plus an administrator's own, for
 * hosts that ask often or want to know why.
 *
 * It keeps what its rules' own symbolic links and mounts were when it was
 * made: after moving the data directory or mounting below it, make a new one.
 * The paths it is asked about are looked up afresh every time.
 */
struct omega_sandbox_guard;

/*
 * Make a guard for data_dir (absolute) and config_path (absolute, or NULL or
 * "" for none). A guard blocks both reading and writing of config_path.
 *
 * On success *guard is the caller's, to be given to omega_sandbox_guard_free.
 * Returns OMEGA_SANDBOX_E_ARGUMENT (guard NULL), _E_INVALID_POLICY (data_dir
 * or config_path relative, or not to be resolved: no guard is made that would
 * protect less), _E_MEMORY.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_guard_new(
    const char *data_dir, const char *config_path,
    struct omega_sandbox_guard **guard, struct omega_sandbox_error *error);

/*
 * Block path (absolute; file or directory, present or not) and what is below
 * it, for the given accesses. origin and line say where the rule comes from
 * and are copied; origin may be NULL. Not to be called while another thread
 * uses the guard.
 *
 * Returns OMEGA_SANDBOX_E_ARGUMENT (guard NULL, no access or an unknown one),
 * _E_INVALID_POLICY (path NULL, empty, relative, too long, or not to be
 * resolved), _E_MEMORY. After a failure the guard is as before.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_guard_block(
    struct omega_sandbox_guard *guard, unsigned access, const char *path,
    const char *origin, uint32_t line, struct omega_sandbox_error *error);

/*
 * Is any of the accesses blocked for path? verdict may be NULL. A NULL guard
 * or an access that is 0 or unknown is blocked (UNDECIDED, EINVAL).
 *
 * Thread-safe for any number of threads on one guard. No heap, about 80 KiB
 * of stack, errno is left as it was.
 */
OMEGA_SANDBOX_API bool omega_sandbox_guard_is_blocked(
    const struct omega_sandbox_guard *guard, unsigned access, const char *path,
    struct omega_sandbox_verdict *verdict);

/*
 * Open path and judge the object that was really opened, in one call: between
 * the judgement and the descriptor nothing can be exchanged. The access is
 * taken from flags: O_RDONLY reads, O_WRONLY writes, O_RDWR does both;
 * O_CREAT and O_TRUNC write as well. A file that O_CREAT would make is made
 * only where the place was judged first, and is removed again should the
 * judgement change meanwhile. Nothing is truncated before it was judged.
 *
 * Further flags taken: O_EXCL O_APPEND O_NONBLOCK O_NOFOLLOW O_DIRECTORY
 * O_NOCTTY O_SYNC O_DSYNC O_NOATIME; O_CLOEXEC is always set. Others are
 * OMEGA_SANDBOX_E_ARGUMENT. Needs /proc.
 *
 * On success *fd is the caller's. Returns OMEGA_SANDBOX_E_ARGUMENT,
 * _E_REFUSED (the verdict, if given, says why), or _E_SYSTEM with the errno
 * open(2) would have given. *fd is -1 after a failure.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_open_checked(
    const struct omega_sandbox_guard *guard, const char *path, int flags,
    mode_t mode, int *fd, struct omega_sandbox_verdict *verdict,
    struct omega_sandbox_error *error);

/* Free a guard. NULL is fine. No other thread may be using it. */
OMEGA_SANDBOX_API void omega_sandbox_guard_free(
    struct omega_sandbox_guard *guard);

#ifdef __cplusplus
}
#endif

#endif /* OMEGA_SANDBOX_H */
