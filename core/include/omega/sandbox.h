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
#include <stddef.h>
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
	/* A rule forbids what was asked for, or the sandbox is disabled. */
	OMEGA_SANDBOX_E_REFUSED = -3,
	/* The system failed; the error object has errno. */
	OMEGA_SANDBOX_E_SYSTEM = -4,
	/* Out of memory. */
	OMEGA_SANDBOX_E_MEMORY = -5,
	/* A configuration file is wrong; the error has file and line. */
	OMEGA_SANDBOX_E_CONFIG = -6,
	/* A file or directory belongs to, or can be written by, somebody who
	 * must not decide for us. */
	OMEGA_SANDBOX_E_TRUST = -7,
	/* A plugin is missing, broken or made for another version. */
	OMEGA_SANDBOX_E_PLUGIN = -8,
	/* A named backend cannot be used on this host. */
	OMEGA_SANDBOX_E_UNAVAILABLE = -9,
	/* A guarantee the policy asks for cannot be given on this host, so
	 * nothing was started. */
	OMEGA_SANDBOX_E_REQUIRED = -10,
	/* The program was not found. */
	OMEGA_SANDBOX_E_NOT_FOUND = -11,
	/* The program was found but cannot be executed. */
	OMEGA_SANDBOX_E_NOT_EXECUTABLE = -12,
	/* A step of the child failed; the program was not started. */
	OMEGA_SANDBOX_E_STEP = -13,
	/* Not possible in the state the process or object is in, for instance
	 * confining oneself with more than one thread running. */
	OMEGA_SANDBOX_E_STATE = -14,
	/* How the child ended is not known: something else in the process
	 * has collected it, or SIGCHLD is ignored. */
	OMEGA_SANDBOX_E_STATUS_LOST = -15,
	/* The child has looked at its sandbox and found a hole, found it
	 * broken, or could not look; the program was not started. */
	OMEGA_SANDBOX_E_WITNESS = -16
};

/* What went wrong. Owned by the caller; filled when a function fails. */
struct omega_sandbox_error {
	uint32_t size; /* sizeof(struct omega_sandbox_error) */
	int32_t code; /* enum omega_sandbox_code */
	int32_t sys_errno; /* errno of the call that failed, or 0 */
	uint32_t line; /* line in file, or 0 */
	char backend[32]; /* the backend concerned, or "" */
	char atom[128]; /* the guarantee concerned, or "" */
	char file[1024]; /* the configuration file concerned, or "" */
	char text[1024]; /* one line for people, without newline */
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
 * case-insensitive volume are all seen through. See omega-sandbox-path(3).
 *
 * What cannot be decided is blocked: path NULL, empty, relative, longer than
 * the system can open, a symlink loop, ".." behind something that does not
 * exist, a directory that may not be searched. The same for data_dir and for
 * config_path, but config_path NULL or "" means none.
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
enum omega_sandbox_access {
	OMEGA_SANDBOX_READ = 1,
	OMEGA_SANDBOX_WRITE = 2,
	/* Running a program. What cannot be read cannot be run. */
	OMEGA_SANDBOX_EXECUTE = 4,
	/* Reaching a host; of omega_sandbox_policy_judge alone. */
	OMEGA_SANDBOX_CONNECT = 8
};

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
	OMEGA_SANDBOX_UNDECIDED = 6,
	/* The policy lists what is open for this access, and not that; the
	 * rule is the list's name. */
	OMEGA_SANDBOX_BY_LIST = 7
};

/* A guard's answer with its reason. Owned by the caller. */
struct omega_sandbox_verdict {
	uint32_t size; /* sizeof(struct omega_sandbox_verdict) */
	int32_t reason; /* enum omega_sandbox_reason */
	int32_t sys_errno; /* for OMEGA_SANDBOX_UNDECIDED */
	uint32_t line; /* line of the rule in origin, or 0 */
	const char *rule; /* the rule as written, or NULL; lives as long as
			     the guard */
	const char *origin; /* "built in", "host application" or the file
				the rule is from, or
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
struct omega_sandbox_policy;

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
 * Make a guard that judges as the policy has it: the system directories, for
 * root what the machine runs unattended, the data directory, blocked paths,
 * deny lists and git metadata are blocked, and so is what a list of the policy
 * (read, write, execute) does not have. What
 * commands under this policy can do and what the guard allows are the same,
 * but for: devices every program needs and a process's own entries in /proc,
 * which a guard blocks where a list or the system directories say so; names
 * that are blocked as spelled though they lead elsewhere; denied paths that
 * are absent, and other names of denied files, as far as a report does not
 * promise them; and what cannot be found out, which is blocked. What may be
 * written but not read is hidden from commands: they cannot write it either.
 *
 * Paths of the policy are looked up now; later changes of the policy concern
 * later guards. Returns OMEGA_SANDBOX_E_ARGUMENT, _E_INVALID_POLICY (no data
 * directory is known, or a path cannot be resolved), _E_SYSTEM, _E_MEMORY.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int
omega_sandbox_guard_new_for_policy(struct omega_sandbox_policy *policy,
    struct omega_sandbox_guard **guard, struct omega_sandbox_error *error);

/*
 * Block path (absolute; file or directory, present or not) and what is below
 * it, for reading, writing or both; what may not be read may not be run
 * either. origin and line say where the rule comes from and are copied; origin
 * may be NULL. Not to be called while another thread uses the guard.
 *
 * Returns OMEGA_SANDBOX_E_ARGUMENT (guard NULL, access neither READ nor WRITE
 * nor both: EXECUTE is for questions),
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
 * O_NOCTTY O_SYNC O_DSYNC O_NOATIME; O_CLOEXEC is always set. Others, and
 * O_CREAT with O_DIRECTORY, are OMEGA_SANDBOX_E_ARGUMENT. Needs /proc.
 *
 * On success *fd is the caller's. Returns OMEGA_SANDBOX_E_ARGUMENT,
 * _E_REFUSED (the verdict, if given, says why), or _E_SYSTEM with the errno
 * open(2) would have given (EAGAIN: the name keeps appearing and vanishing).
 * *fd is -1 after a failure.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_open_checked(
    const struct omega_sandbox_guard *guard, const char *path, int flags,
    mode_t mode, int *fd, struct omega_sandbox_verdict *verdict,
    struct omega_sandbox_error *error);

/* Free a guard. NULL is fine. No other thread may be using it. */
OMEGA_SANDBOX_API void omega_sandbox_guard_free(
    struct omega_sandbox_guard *guard);

/* ---- The sandbox: configuration and backends --------------------------- */

/*
 * The four objects, each made from the one before:
 *
 *   sandbox   configuration and loaded backends; shared by all threads
 *   policy    what is to be protected
 *   prepared  the policy made ready on this host; for any number of commands
 *   command   program, arguments, environment, directory, descriptors
 *
 * All are reference-counted. A later one keeps the earlier alive, so they may
 * be given up in any order. After fork() in a host that has threads only the
 * path checks above may be called.
 *
 * Opening, describing and preparing need 160 KiB of stack, and a thread with
 * less is refused (OMEGA_SANDBOX_E_SYSTEM); starting commands needs 32.
 */
struct omega_sandbox;
struct omega_sandbox_policy;
struct omega_sandbox_prepared;
struct omega_sandbox_command;
struct omega_sandbox_child;
struct omega_sandbox_report;
struct omega_sandbox_result;

/*
 * Called with what the library has to say, never in a child and never while
 * a lock is held. level is one of syslog(3): LOG_ERR, LOG_WARNING, LOG_NOTICE,
 * LOG_INFO, LOG_DEBUG. code is an enum omega_sandbox_code or 0. text is one
 * line.
 */
typedef void omega_sandbox_log_fn(
    void *arg, int level, int code, const char *text);

/*
 * Read the configuration. The backends it names are loaded when something is
 * described or prepared.
 *
 * config_file NULL: the installed sandbox.conf and the files of sandbox.d;
 * when there are none, the defaults. Otherwise that file alone, which must
 * exist; refused when the process runs with raised privileges (set-id).
 * log may be NULL.
 *
 * Returns OMEGA_SANDBOX_E_ARGUMENT, _E_CONFIG, _E_TRUST, _E_SYSTEM, _E_MEMORY.
 * To reload, open another.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_open(
    const char *config_file, omega_sandbox_log_fn *log, void *log_arg,
    struct omega_sandbox **sandbox, struct omega_sandbox_error *error);

/*
 * Called with one thing that is wrong: text, and file and line where it has
 * some.
 */
typedef void omega_sandbox_fault_fn(
    void *arg, const struct omega_sandbox_error *fault);

/*
 * Look for all that is wrong with the configuration omega_sandbox_open would
 * read, and with the options of the backends it names: file by file in the
 * order they are read, and by line. Beyond 100 the last one says that there
 * are more. fault may be NULL.
 *
 * Returns 0 when nothing is wrong; else error and the code are those of the
 * first fault, or OMEGA_SANDBOX_E_MEMORY.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_check_config(
    const char *config_file, omega_sandbox_fault_fn *fault, void *arg,
    struct omega_sandbox_error *error);

/* One more holder; returns its argument. NULL gives NULL. Thread-safe. */
OMEGA_SANDBOX_API struct omega_sandbox *omega_sandbox_ref(
    struct omega_sandbox *sandbox);

/* One holder less; the last one frees. NULL is fine. Thread-safe. */
OMEGA_SANDBOX_API void omega_sandbox_unref(struct omega_sandbox *sandbox);

/*
 * What an option at the top level of sandbox.conf(5) comes to: its index-th
 * value, NULL behind the last, and for other names. One that is no list has
 * one value, or none: a switch is "true" or "false", timeout and max_output
 * are numbers of seconds and bytes, data_dir and backend ("auto") have a value
 * also where nobody sets them. file and line are where it was written, "" and
 * 0 for a default; both may be NULL. Texts live as long as the sandbox.
 * Thread-safe.
 */
OMEGA_SANDBOX_API const char *omega_sandbox_get_option(
    const struct omega_sandbox *sandbox, const char *name, size_t index,
    const char **file, uint32_t *line);

/* The index-th configuration file that was read, but for those that come with
 * the product; NULL behind the last. The text lives as long as the sandbox. */
OMEGA_SANDBOX_API const char *omega_sandbox_get_config_file(
    const struct omega_sandbox *sandbox, size_t index);

/*
 * The settings in force as the text of one file, which comes to the same when
 * it is read instead. What is not set is a comment, what comes with the
 * product is left out. NULL when out of memory. The text lives as long as the
 * sandbox.
 */
OMEGA_SANDBOX_API const char *omega_sandbox_get_config_text(
    struct omega_sandbox *sandbox);

/* What has a name in the configuration. */
enum omega_sandbox_section_type {
	OMEGA_SANDBOX_SECTION_POLICY = 1,
	OMEGA_SANDBOX_SECTION_AGENT = 2,
	OMEGA_SANDBOX_SECTION_GROUP = 3,
	OMEGA_SANDBOX_SECTION_TIER = 4
};

/* One of them. Owned by the caller; the texts live as long as the sandbox,
 * and are never NULL. */
struct omega_sandbox_section {
	uint32_t size;
	uint8_t is_shipped; /* it comes with the product */
	uint8_t is_sandboxed; /* else commands of this tier are not protected */
	uint8_t reserved[2];
	const char *name;
	const char *description; /* "": none */
	const char *policy; /* it extends ("": none), or of a tier */
	const char *file; /* "": built in */
	uint32_t line;
};

#define OMEGA_SANDBOX_SECTION_INIT                                           \
	{                                                                    \
		sizeof(struct omega_sandbox_section), 0, 0, {0, 0}, 0, 0, 0, \
		    0, 0                                                     \
	}

/*
 * The one of this type and name; or, where name is NULL, the index-th, in the
 * order they were read. The policy default is always there. Returns
 * OMEGA_SANDBOX_E_NOT_FOUND, _E_ARGUMENT. Thread-safe.
 */
OMEGA_SANDBOX_API int omega_sandbox_get_section(
    const struct omega_sandbox *sandbox, enum omega_sandbox_section_type type,
    const char *name, size_t index, struct omega_sandbox_section *section,
    struct omega_sandbox_error *error);

/*
 * Could executions be written down where the option audit says? Nothing is
 * made. Returns OMEGA_SANDBOX_E_REFUSED when this user could not do it,
 * _E_CONFIG when this user can and no other can though the configuration is
 * root's, and so everybody's; error says what to write instead. _E_ARGUMENT.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_check_audit(
    struct omega_sandbox *sandbox, struct omega_sandbox_error *error);

/* One backend, as found on this host. Owned by the caller. */
struct omega_sandbox_backend {
	uint32_t size;
	uint8_t is_installed; /* its file is there and could be loaded */
	uint8_t is_usable; /* this host can do it */
	uint8_t is_in_stack; /* configured, or of the automatic stack */
	uint8_t has_network; /* it can take the network away here */
	uint8_t is_broken; /* its file is there but cannot be used: reason */
	uint8_t reserved[3];
	char name[32];
	char description[128];
	char version[64];
	char reason[256]; /* why not usable, or what to know */
	char network_reason[256]; /* why the network cannot be taken away */
};

#define OMEGA_SANDBOX_BACKEND_INIT                                   \
	{                                                            \
		sizeof(struct omega_sandbox_backend), 0, 0, 0, 0, 0, \
		    {0, 0, 0}, "", "", "", "", ""                    \
	}

/*
 * The index-th backend: those of the stack in their order, then the other
 * known ones. Returns OMEGA_SANDBOX_E_NOT_FOUND behind the last one,
 * _E_ARGUMENT. Probes the host; thread-safe.
 */
OMEGA_SANDBOX_API int omega_sandbox_get_backend(struct omega_sandbox *sandbox,
    size_t index, struct omega_sandbox_backend *backend);

/* What the platform offers, whether used or not. Owned by the caller. */
struct omega_sandbox_platform {
	uint32_t size;
	int32_t landlock_abi; /* 0: not available */
	uint32_t landlock_errata; /* bit mask, as the kernel gives it */
	uint8_t has_landlock;
	uint8_t has_seccomp; /* filters can be installed */
	uint8_t has_user_namespaces; /* one could be made */
	uint8_t has_sandbox_exec;
	char system[64]; /* "Linux" */
	char kernel[128];
	char landlock_reason[128];
	char seccomp_reason[128];
	char user_namespaces_reason[128];
	char sandbox_exec_reason[128];
	char summary[256]; /* all of it in one line */
};

#define OMEGA_SANDBOX_PLATFORM_INIT                                          \
	{                                                                    \
		sizeof(struct omega_sandbox_platform), 0, 0, 0, 0, 0, 0, "", \
		    "", "", "", "", "", ""                                   \
	}

/*
 * Find out, by trying. Nothing lasts. Returns OMEGA_SANDBOX_E_ARGUMENT.
 * Thread-safe.
 */
OMEGA_SANDBOX_API int omega_sandbox_get_platform(
    struct omega_sandbox_platform *platform);

/* ---- Policy ------------------------------------------------------------- */

/*
 * A new policy by name; NULL or "" is "default": everything is allowed but
 * changing the system directories and touching the agent's data. It starts
 * with the administrator's data_dir, config_file and blocked_paths.
 *
 * Shipped by function are "tool": read everything, write work_dir and
 * temporary files, no network; "mcp": write temporary files, the network is
 * open; "strict": read only what programs need. All of them deny the git
 * metadata above work_dir and the whole of data_dir. A host says both with
 * omega_sandbox_policy_set, "none" if it has none: a policy that names a
 * directory nobody has given is refused when it is prepared.
 *
 * A policy may be changed by one thread until it is prepared; later changes
 * concern later preparations only.
 *
 * Returns OMEGA_SANDBOX_E_ARGUMENT, _E_INVALID_POLICY (unknown name, or a
 * configured backend that is no name), _E_CONFIG (too many backends),
 * _E_MEMORY.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_policy_new(
    struct omega_sandbox *sandbox, const char *name,
    struct omega_sandbox_policy **policy, struct omega_sandbox_error *error);

OMEGA_SANDBOX_API struct omega_sandbox_policy *omega_sandbox_policy_ref(
    struct omega_sandbox_policy *policy);
OMEGA_SANDBOX_API void omega_sandbox_policy_unref(
    struct omega_sandbox_policy *policy);

/*
 * Change one thing by its name; the value is a text, as in sandbox.conf(5).
 *
 *   rules         "read", "write", "deny", "network", "connect", "max_memory"
 *                 and so on narrow the policy. One value of a list at a time:
 *                 they add up, and intersect with what the named policy and
 *                 the administrator allow; "" for a list of what is allowed is
 *                 nothing. Paths may have "~", "{data_dir}", "{work_dir}" and
 *                 "@GROUP" in them.
 *   blocked_paths one more path that is neither read nor written, with what is
 *                 below it.
 *   data_dir_mode, hide_sockets
 *                 only something stricter than the configuration has.
 *   allow_sockets, allow_devices
 *                 one more that is left within reach: an absolute path. Where
 *                 the configuration sets them, only one that is named there.
 *   allow_read, allow_write, allow_execute
 *                 one more path that the named policy, the agent's profile and
 *                 the rules above let be read, be read and written, be read
 *                 and run, beside what they list. What they deny by that very
 *                 name they deny no longer, unless a file of the administrator
 *                 or the user says so. Floors, and what is always protected,
 *                 are as before.
 *   policy_file   the first policy section of this file, an absolute path, in
 *                 place of the named policy; it is believed as configuration
 *                 is. Commands cannot change it.
 *   project       what the file .omega-sandbox.conf in this directory asks
 *                 for, rules and grants as above, if there is one and the user
 *                 trusts it as it is (omega-sandbox trust): else _E_TRUST.
 *                 Commands cannot change it.
 *   agent         narrow the policy to what the profile of this agent program
 *                 needs.
 *   backend       these instead of the configured ones: a comma-separated list
 *                 of names, in which "none" means noop and "native" the
 *                 platform's own stack; or "auto" alone. Every one is loaded
 *                 now.
 *   data_dir      the agent's data directory, absolute: DIR/data and
 *                 DIR/config.toml are protected. One of the system's, or with
 *                 one of these in it, is refused when it is described or
 *                 prepared (_E_INVALID_POLICY). "none": there is none, on
 *                 purpose.
 *   work_dir      what "{work_dir}" stands for, and above which git metadata
 *                 is looked for. Absolute; "none": there is none, on purpose.
 *   witness       "true": every child looks at its sandbox before it becomes
 *                 the program. It tries what the policy forbids, and a little
 *                 of what must go on working, and where that does not come out
 *                 as the report says, nothing is started
 *                 (OMEGA_SANDBOX_E_WITNESS). "false" does not undo what the
 *                 configuration says.
 *
 * A pattern is refused in a path; [*], [?] and [[] stand for the signs
 * themselves. Returns OMEGA_SANDBOX_E_ARGUMENT, _E_INVALID_POLICY (no such
 * name, a value that makes no sense, a contradiction), _E_REFUSED (the
 * administrator wants more; the error has file and line), _E_MEMORY; for
 * backend also _E_TRUST, _E_PLUGIN, _E_SYSTEM and, as for agent, _E_CONFIG; for
 * policy_file and project also _E_CONFIG, _E_TRUST, _E_SYSTEM.
 * After a failure the policy is as before.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_policy_set(
    struct omega_sandbox_policy *policy, const char *name, const char *value,
    struct omega_sandbox_error *error);

/*
 * In which session (setsid(2)) commands are: what "session" of the policy and
 * of all that narrow it comes to.
 */
enum omega_sandbox_session {
	OMEGA_SANDBOX_SESSION_KEEP = 0, /* the caller's */
	OMEGA_SANDBOX_SESSION_NEW = 1, /* one of their own */
	OMEGA_SANDBOX_SESSION_PTY = 2 /* and no terminal of the caller's */
};

OMEGA_SANDBOX_API enum omega_sandbox_session omega_sandbox_policy_get_session(
    const struct omega_sandbox_policy *policy);

/* What a policy says about one path or host. Owned by the caller. */
struct omega_sandbox_judgement {
	uint32_t size;
	uint8_t is_allowed;
	uint8_t is_held; /* a backend enforces the refusal for commands */
	uint8_t reserved[2];
	int32_t reason; /* enum omega_sandbox_reason */
	int32_t sys_errno; /* for OMEGA_SANDBOX_UNDECIDED */
	int32_t state; /* of the guarantee below */
	uint32_t line; /* line of the rule in origin, or 0 */
	const char *guarantee; /* the sentence of the report about it, or
				  NULL; lives as long as the report */
	const char *backends; /* "namespace, landlock", ""; as long */
	char rule[4096]; /* as written, or "" */
	char origin[4096]; /* its file, "built in", "git metadata", perhaps
			      with ", by FILE", or "" */
	char resolved[4096]; /* where the name leads, "" if unknown */
};

#define OMEGA_SANDBOX_JUDGEMENT_INIT                                           \
	{                                                                      \
		sizeof(struct omega_sandbox_judgement), 0, 0, {0, 0}, 0, 0, 0, \
		    0, 0, 0, "", "", ""                                        \
	}

/*
 * Does the policy allow this access (READ, WRITE or EXECUTE, one or more) to
 * path? Nothing is started. report, from omega_sandbox_describe of the same
 * policy, adds which guarantee keeps commands from it and who holds that, and
 * that what is hidden cannot be written; it may be NULL. For many paths make a
 * guard (omega_sandbox_guard_new_for_policy).
 *
 * With CONNECT alone path is a host, "NAME:PORT" or "ADDRESS:PORT", as the rule
 * hosts has it; resolved is then what to add to hosts (run --allow-host) where
 * that would be enough, else "". Nothing is looked up.
 *
 * Returns 0 whether allowed or not, OMEGA_SANDBOX_E_ARGUMENT, and what
 * omega_sandbox_guard_new_for_policy returns.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_policy_judge(
    struct omega_sandbox_policy *policy,
    const struct omega_sandbox_report *report, unsigned access,
    const char *path, struct omega_sandbox_judgement *judgement,
    struct omega_sandbox_error *error);

/* ---- Report: what is held, by whom, and what is not --------------------- */

enum omega_sandbox_guarantee_state {
	OMEGA_SANDBOX_NOT_ENFORCED = 0,
	OMEGA_SANDBOX_PARTIAL = 1,
	OMEGA_SANDBOX_ENFORCED = 2
};

/* What a guarantee of the kinds "path" and "metadata" forbids; other kinds
 * have ALL, "outside_signals" also CHANGE (limits and children that end in a
 * signal, leases that make others wait), "outside_ptrace" also LIST (samples
 * of whoever runs). */
enum omega_sandbox_forbids {
	OMEGA_SANDBOX_FORBIDS_READ = 0x01, /* content */
	OMEGA_SANDBOX_FORBIDS_LIST = 0x02, /* names in a directory */
	OMEGA_SANDBOX_FORBIDS_WRITE = 0x04, /* content, truncation */
	OMEGA_SANDBOX_FORBIDS_CREATE = 0x08, /* new names */
	OMEGA_SANDBOX_FORBIDS_REMOVE = 0x10, /* deleting names */
	OMEGA_SANDBOX_FORBIDS_RENAME = 0x20, /* moving, linking; its way */
	OMEGA_SANDBOX_FORBIDS_CHANGE = 0x40, /* mode, owner, times */
	OMEGA_SANDBOX_FORBIDS_ALL = 0x80 /* the one bit of other kinds */
};

/* One guarantee of a report. Owned by the caller; the texts live as long as
 * the report. */
struct omega_sandbox_guarantee {
	uint32_t size;
	int32_t state; /* enum omega_sandbox_guarantee_state */
	uint8_t is_required; /* else hardening */
	uint8_t is_accepted; /* hardening that may be missing */
	const char *kind; /* "path", "metadata", "outside_signals", ... */
	const char *path; /* or NULL */
	const char *text; /* "/etc cannot be changed" */
	const char *backends; /* "namespace, landlock", or "" */
	const char *why; /* residue or reason, or "" */
	const char *origin; /* what asked for it, or "" */
	uint32_t forbids; /* enum omega_sandbox_forbids, added up */
};

#define OMEGA_SANDBOX_GUARANTEE_INIT                                         \
	{                                                                    \
		sizeof(struct omega_sandbox_guarantee), 0, 0, 0, 0, 0, 0, 0, \
		    0, 0, 0                                                  \
	}

/*
 * What would be enforced for this policy here, without starting anything.
 * The report is made also when a command would be refused; then
 * omega_sandbox_report_get_verdict says so.
 * Returns OMEGA_SANDBOX_E_ARGUMENT, _E_INVALID_POLICY, _E_PLUGIN, _E_TRUST,
 * _E_CONFIG (an option of a backend is wrong), _E_SYSTEM, _E_MEMORY.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_describe(
    struct omega_sandbox_policy *policy, struct omega_sandbox_report **report,
    struct omega_sandbox_error *error);

/*
 * The words that the policy's backend would put before a command, on the
 * system it is made for: for seatbelt the whole command line of sandbox-exec,
 * on any system. Nothing is started, and nothing is said about what would be
 * held here. All that is required must be expressible. *words is ended by NULL
 * and one piece of memory, the caller's to free(3).
 *
 * Returns OMEGA_SANDBOX_E_UNAVAILABLE when no backend of the stack can show
 * any, OMEGA_SANDBOX_E_REQUIRED when something cannot be expressed (the text
 * says what and why), and what omega_sandbox_prepare returns.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_describe_prefix(
    struct omega_sandbox_policy *policy, char ***words,
    struct omega_sandbox_error *error);

OMEGA_SANDBOX_API struct omega_sandbox_report *omega_sandbox_report_ref(
    struct omega_sandbox_report *report);
OMEGA_SANDBOX_API void omega_sandbox_report_unref(
    struct omega_sandbox_report *report);

/* The index-th guarantee. OMEGA_SANDBOX_E_NOT_FOUND behind the last,
 * _E_ARGUMENT. */
OMEGA_SANDBOX_API int omega_sandbox_report_get(
    const struct omega_sandbox_report *report, size_t index,
    struct omega_sandbox_guarantee *guarantee);

/*
 * Would a command start, or why not: 0 or the code that preparing would give
 * (OMEGA_SANDBOX_E_REQUIRED, _E_UNAVAILABLE, _E_REFUSED), and the error with
 * it. OMEGA_SANDBOX_E_ARGUMENT for NULL.
 */
OMEGA_SANDBOX_API int omega_sandbox_report_get_verdict(
    const struct omega_sandbox_report *report,
    struct omega_sandbox_error *error);

/* Is every required guarantee enforced? "sandbox_applied" in one word. */
OMEGA_SANDBOX_API bool omega_sandbox_report_is_protected(
    const struct omega_sandbox_report *report);

enum omega_sandbox_format {
	OMEGA_SANDBOX_FORMAT_TEXT = 0, /* for people */
	OMEGA_SANDBOX_FORMAT_JSON = 1 /* one object */
};

/* The whole report. Lives as long as the report; "" for NULL. */
OMEGA_SANDBOX_API const char *omega_sandbox_report_text(
    const struct omega_sandbox_report *report,
    enum omega_sandbox_format format);

/* ---- Prepared ------------------------------------------------------------ */

/*
 * Make the policy ready on this host: plan, let the backends do their part,
 * keep what they made. Costs milliseconds once; starting commands from it is
 * cheap, and any number of threads may do so at the same time.
 *
 * Fails closed: OMEGA_SANDBOX_E_REQUIRED when a guarantee cannot be given and
 * the configuration does not accept that; the error names guarantee, reason
 * and remedy. Also OMEGA_SANDBOX_E_REFUSED (disabled, or root not allowed),
 * _E_UNAVAILABLE, _E_INVALID_POLICY, _E_PLUGIN, _E_TRUST, _E_CONFIG, _E_SYSTEM,
 * _E_MEMORY, _E_ARGUMENT, _E_WITNESS (asked for, beside a backend that makes
 * the sandbox in a program of its own).
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_prepare(
    struct omega_sandbox_policy *policy,
    struct omega_sandbox_prepared **prepared,
    struct omega_sandbox_error *error);

OMEGA_SANDBOX_API struct omega_sandbox_prepared *omega_sandbox_prepared_ref(
    struct omega_sandbox_prepared *prepared);
OMEGA_SANDBOX_API void omega_sandbox_prepared_unref(
    struct omega_sandbox_prepared *prepared);

/* What it holds. A new reference: give it up with report_unref. */
OMEGA_SANDBOX_API struct omega_sandbox_report *omega_sandbox_prepared_report(
    struct omega_sandbox_prepared *prepared);

/*
 * Open a new terminal for a command of prepared: where commands have a /dev/pts
 * of their own it is from there, and has a name inside. Both descriptors are
 * the caller's and are closed on exec. Returns OMEGA_SANDBOX_E_SYSTEM,
 * _E_ARGUMENT, and what omega_sandbox_prepare returns when it had to be
 * prepared again.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int
omega_sandbox_prepared_open_terminal(struct omega_sandbox_prepared *prepared,
    int *master, int *slave, struct omega_sandbox_error *error);

/* Why a host of the rule hosts was not reached. */
enum omega_sandbox_host_reason {
	OMEGA_SANDBOX_HOST_UNLISTED = 1,
	OMEGA_SANDBOX_HOST_DENIED = 2, /* by deny_hosts */
	OMEGA_SANDBOX_HOST_PORT = 3, /* it is listed with other ports */
	/* Its address is of this machine or of a private network, which a name
	 * must not stand for. */
	OMEGA_SANDBOX_HOST_ADDRESS = 4,
	/* Another name was said in the connection, or none (names = strict). */
	OMEGA_SANDBOX_HOST_SAID = 5,
	/* Not refused: it has no address, or nobody answered there. */
	OMEGA_SANDBOX_HOST_ABSENT = 6,
	OMEGA_SANDBOX_HOST_PROXY = 7 /* the proxy did not connect */
};

/* One that was refused to a command. Owned by the caller. */
struct omega_sandbox_refused_host {
	uint32_t size;
	uint32_t count; /* so often */
	uint16_t port; /* 0: its name was looked up */
	uint16_t reason; /* enum omega_sandbox_host_reason */
	uint32_t reserved;
	const char *why; /* the same in words; lives as long as the library */
	char name[256]; /* or an address; what no name has is "?" */
};

#define OMEGA_SANDBOX_REFUSED_HOST_INIT                                      \
	{                                                                    \
		sizeof(struct omega_sandbox_refused_host), 0, 0, 0, 0, 0, "" \
	}

/*
 * The index-th host that commands of prepared wanted to reach and did not, the
 * oldest first, since it was last made. At most 64 are told apart; the last
 * then stands for all others, with the name "*". What never comes to whoever
 * connects for them is not among them: addresses and ports that nobody listed
 * at all. OMEGA_SANDBOX_E_NOT_FOUND behind the last one,
 * OMEGA_SANDBOX_E_ARGUMENT.
 */
OMEGA_SANDBOX_API int omega_sandbox_prepared_get_refused(
    struct omega_sandbox_prepared *prepared, size_t index,
    struct omega_sandbox_refused_host *host);

/*
 * Confine the calling process itself, for a host that has started itself
 * again as a worker. Refused with OMEGA_SANDBOX_E_STATE before anything is
 * done when the process has more than one thread, or when the stack starts
 * commands through another program and has no other way. When a later step
 * fails (OMEGA_SANDBOX_E_STEP, _E_WITNESS) the process is in an unknown state
 * and should exit.
 * The working directory is looked up again by its name; open descriptors stay
 * as they are, and reach what they reach. Also OMEGA_SANDBOX_E_ARGUMENT, and
 * what omega_sandbox_prepare returns when it had to be prepared again.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_confine_self(
    struct omega_sandbox_prepared *prepared, struct omega_sandbox_error *error);

/* ---- Commands ------------------------------------------------------------ */

/*
 * A command, not started. A program without "/" is looked up in PATH now, and
 * what was found is what runs; one with "/" is taken from the current
 * directory. It has no arguments yet, inherits the environment, standard
 * input, output and error, and the working directory of the moment it is
 * started. In the child every signal has its default action and none is
 * blocked, unless omega_sandbox_command_set_number says otherwise;
 * directories of PATH that are not absolute are passed over. One thread at a
 * time may use a command; it can be started again.
 *
 * Returns OMEGA_SANDBOX_E_ARGUMENT, _E_NOT_FOUND, _E_NOT_EXECUTABLE,
 * _E_MEMORY.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_command_new(
    struct omega_sandbox_prepared *prepared, const char *program,
    struct omega_sandbox_command **command, struct omega_sandbox_error *error);

/*
 * The short cut through all four objects: installed configuration, default
 * policy, this data directory (NULL: the configured one). Returns what open,
 * policy_new, prepare and command_new return.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_protected_command(
    const char *program, const char *data_dir,
    struct omega_sandbox_command **command, struct omega_sandbox_error *error);

OMEGA_SANDBOX_API struct omega_sandbox_command *omega_sandbox_command_ref(
    struct omega_sandbox_command *command);
OMEGA_SANDBOX_API void omega_sandbox_command_unref(
    struct omega_sandbox_command *command);

/* What it was made from. A new reference. */
OMEGA_SANDBOX_API struct omega_sandbox_prepared *omega_sandbox_command_prepared(
    struct omega_sandbox_command *command);

/*
 * The setters below return 0, or OMEGA_SANDBOX_E_ARGUMENT or _E_MEMORY with the
 * command as before. Not while it is under way.
 */

/* Add an argument behind the others. argv[0] is the program as it was given. */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_command_add_arg(
    struct omega_sandbox_command *command, const char *arg,
    struct omega_sandbox_error *error);

/*
 * The environment, "NAME=VALUE" texts, NULL-terminated; copied. NULL: inherit
 * (the default). Either way secrets, variables that make programs run other
 * code, and those that lead to agents and buses are taken out when the command
 * is started, as sandbox.conf(5) has it: a host that adds to its own
 * environment would pass them on as well. To have one of them pass name it
 * with omega_sandbox_policy_set(policy, "env_allow", ...).
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_command_set_env(
    struct omega_sandbox_command *command, const char *const *env,
    struct omega_sandbox_error *error);

/*
 * Set a text by its name; NULL is what it was at first.
 *
 *   dir      the working directory, looked up by this name inside the sandbox.
 *            At first the caller's. One that exists but is hidden from the
 *            command is left: it starts in "/", and the log is told
 *            (LOG_WARNING).
 *   context  the host's own words about this command, such as who asked for
 *            it: written to the audit log, and nowhere else.
 *   checked  "false": program and arguments are not looked at before the start
 *            (allowed_commands, check_arguments). For hosts that try their own
 *            protection with programs of their own; what the backends hold is
 *            not touched.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_command_set(
    struct omega_sandbox_command *command, const char *name, const char *value,
    struct omega_sandbox_error *error);

/*
 * Set a number by its name.
 *
 *   timeout_ms, max_output
 *            limits of time and output (bytes of both streams), see
 *            omega_sandbox_capture and omega_sandbox_run. A time-out or bound
 *            of the configuration or the policy holds as well; the smallest
 *            counts. 0, as at first: no limit of the host's.
 *   grace_ms how long its processes have between SIGTERM and SIGKILL; 2000 at
 *            first, and 0 is none at all.
 *   ignored_signals, blocked_signals
 *            signals that the command ignores, and that are blocked in it, when
 *            it starts: bit N - 1 stands for signal N, as in /proc/PID/status.
 *            All others have their default action. For a host that stands in
 *            for the command, as the tool does: what its own caller has
 *            ignored, such as nohup(1) SIGHUP, stays ignored. Bits of SIGKILL
 *            and SIGSTOP have no effect.
 *   watch_fd have the calls told, of the command and of all that it starts,
 *            that name a file or an address: each waits until whoever has the
 *            listener has it go on (seccomp_unotify(2)). The child sends the
 *            listener over this socket, a connected one of AF_UNIX, with one
 *            byte (SCM_RIGHTS), once it is confined and before it is executed;
 *            so it comes with every start. 0, as at first: nobody is told.
 *
 *            It is for looking on, and no boundary: who answers must have every
 *            call go on (SECCOMP_USER_NOTIF_FLAG_CONTINUE), because a name may
 *            be another by the time the kernel reads it. What is refused stays
 *            refused. The command stands still while nobody answers, who must
 *            be another thread or process, and its calls fail (ENOSYS) once
 *            nobody has the listener. The start fails (OMEGA_SANDBOX_E_STEP)
 *            where a listener is in force already, before Linux 5.5, and on
 *            other systems.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_command_set_number(
    struct omega_sandbox_command *command, const char *name, uint64_t value,
    struct omega_sandbox_error *error);

enum omega_sandbox_event_kind {
	OMEGA_SANDBOX_EVENT_STARTED = 1,
	OMEGA_SANDBOX_EVENT_STOPPED = 2, /* by a signal, as Ctrl-Z does */
	OMEGA_SANDBOX_EVENT_ENDED = 3 /* the descriptor is closed next */
};

/* What has happened to a command that runs. */
struct omega_sandbox_event {
	uint32_t size; /* of what the library knows */
	int32_t kind; /* enum omega_sandbox_event_kind */
	pid_t pid; /* of the command */
	int32_t fd; /* of its process (pidfd), for poll and signals; lent */
	int32_t signal; /* that stopped it */
};

/* What is returned counts after STOPPED only: 0 leaves the command as it is,
 * anything else has it go on (SIGCONT). Kinds may be added. */
typedef int omega_sandbox_event_fn(
    void *arg, const struct omega_sandbox_event *event);

/*
 * Have omega_sandbox_run and omega_sandbox_capture tell what happens to the
 * command, in the thread that called them; NULL: nobody is told. A host that
 * owns a terminal stops itself when the command has stopped, so that its shell
 * notices, and has the command go on when it goes on itself.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_command_set_events(
    struct omega_sandbox_command *command, omega_sandbox_event_fn *event,
    void *arg, struct omega_sandbox_error *error);

enum omega_sandbox_stdio {
	OMEGA_SANDBOX_STDIO_INHERIT = 0,
	OMEGA_SANDBOX_STDIO_NULL = 1, /* /dev/null */
	OMEGA_SANDBOX_STDIO_PIPE = 2, /* omega_sandbox_child_take_stdio */
	OMEGA_SANDBOX_STDIO_FD = 3 /* a duplicate of the descriptor given */
};

/*
 * What descriptor which (0, 1 or 2) of the command is. fd matters for FD
 * only, and must stay open until the command was started. A directory or an
 * O_PATH descriptor is refused at the start, inherited ones too: it would
 * reach behind the protection. So is one that may write what the command must
 * not change. One that reads it is opened again on a mount that is read-only,
 * and refused where the file is hidden.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_command_set_stdio(
    struct omega_sandbox_command *command, int which,
    enum omega_sandbox_stdio how, int fd, struct omega_sandbox_error *error);

/*
 * The calling process leads a session (setsid(2)) that it has made for this
 * command, and fd is the terminal of it, a pty, as the tool does that stands
 * between a command and the caller's terminal. The command stays in that
 * session, in a process group of its own, in the foreground or not. -1, as at
 * first: it gets a new session, without a terminal. Without effect under
 * session = keep. fd must stay open until the start, which is refused
 * (OMEGA_SANDBOX_E_STATE) where it is not so.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int
omega_sandbox_command_set_terminal(struct omega_sandbox_command *command,
    int fd, bool is_in_front, struct omega_sandbox_error *error);

/*
 * Pass one more descriptor, as number child_fd (3 or more) of the command.
 * All others above 2 are closed. fd must stay open until the start. Refused
 * at the start as above.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_command_pass_fd(
    struct omega_sandbox_command *command, int fd, int child_fd,
    struct omega_sandbox_error *error);

/* One stream of a captured command. */
struct omega_sandbox_stream {
	const uint8_t *bytes; /* len of them and a 0; never NULL */
	size_t len;
	uint64_t seen; /* so many were written */
};

/*
 * What became of a command. Owned by the caller. What only a run within limits
 * or a capture can know is 0 otherwise, and only a capture keeps bytes, which
 * live as long as its result.
 */
struct omega_sandbox_outcome {
	uint32_t size;
	int32_t status; /* exit status, or -1 when a signal ended it */
	int32_t signal; /* or 0; with status -1: it could not be ended */
	uint32_t left; /* so many, or more, could not be ended */
	int32_t output_error; /* of omega_sandbox_run: why its output was not
				 passed on, or 0 */
	uint8_t is_protected; /* all required guarantees were enforced */
	uint8_t is_core_dumped;
	uint8_t is_truncated; /* not all of a stream was kept, told or passed
				 on */
	uint8_t is_timed_out;
	uint8_t is_cancelled;
	uint8_t reserved[7];
	uint64_t duration_ms; /* from the call to the end of all processes */
	uint64_t cpu_ms; /* of all processes that were collected */
	uint64_t peak_memory; /* bytes, of the largest of them */
	struct omega_sandbox_stream out;
	struct omega_sandbox_stream err;
};

#define OMEGA_SANDBOX_OUTCOME_INIT                                            \
	{                                                                     \
		sizeof(struct omega_sandbox_outcome), 0, 0, 0, 0, 0, 0, 0, 0, \
		    0, {0, 0, 0, 0, 0, 0, 0}, 0, 0, 0, {0, 0, 0},             \
		{                                                             \
			0, 0, 0                                               \
		}                                                             \
	}

/*
 * Start the command. On success *child is the caller's. Every failure means
 * that the program was not started: OMEGA_SANDBOX_E_STEP (the error names
 * backend, step and errno), _E_WITNESS, _E_NOT_FOUND, _E_NOT_EXECUTABLE,
 * _E_REFUSED (a descriptor that is a directory, a program that is not one of
 * allowed_commands, an argument that names what may not be read), _E_TRUST (a
 * directory of safe_path that is not root's), _E_SYSTEM, _E_MEMORY,
 * _E_ARGUMENT, and what omega_sandbox_prepare returns when it had to be
 * prepared again. No process stays beside the child, so that timeout and
 * max_output do not hold here; the log is told (LOG_WARNING).
 *
 * When a rule of the policy keeps the program, its interpreter or its loader
 * from being run, that is OMEGA_SANDBOX_E_NOT_EXECUTABLE; the error has the
 * rule, and its file and line.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_spawn(
    struct omega_sandbox_command *command, struct omega_sandbox_child **child,
    struct omega_sandbox_error *error);

/*
 * Become the command. Returns only on failure, as omega_sandbox_spawn and
 * omega_sandbox_confine_self do; after OMEGA_SANDBOX_E_STEP, _E_WITNESS,
 * _E_NOT_FOUND and _E_NOT_EXECUTABLE the process is confined and should exit.
 * Pipes (STDIO_PIPE) are OMEGA_SANDBOX_E_STATE, and so is, unless the policy
 * says session = keep, a process that leads its process group: it can have no
 * session of its own, but for one that leads a session without a terminal.
 */
OMEGA_SANDBOX_API int omega_sandbox_exec(
    struct omega_sandbox_command *command, struct omega_sandbox_error *error);

/*
 * Start the command and wait for its end. As omega_sandbox_spawn, and
 * OMEGA_SANDBOX_E_STATUS_LOST. Pipes (STDIO_PIPE) are OMEGA_SANDBOX_E_STATE.
 * A command that cannot be waited for is ended (OMEGA_SANDBOX_E_SYSTEM).
 *
 * Where the host, the configuration or the policy limits its time or its
 * output, it runs as omega_sandbox_capture does, with the streams it would
 * have had: output that is limited is passed on up to the limit, and the rest
 * is read and dropped. Without such a limit there is none.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_run(
    struct omega_sandbox_command *command, struct omega_sandbox_outcome *end,
    struct omega_sandbox_error *error);

/* ---- Captures: a command run to its end, with all of its processes ------- */

/*
 * What a captured command reads from descriptor 0, unless set_stdio says
 * otherwise: a copy of these bytes, then the end of file. NULL or nothing
 * set: /dev/null.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_command_set_input(
    struct omega_sandbox_command *command, const void *bytes, size_t len,
    struct omega_sandbox_error *error);

/*
 * Told of output as it comes, in the thread that captures: which is 1 or 2.
 * Anything but 0 ends the command as omega_sandbox_command_cancel does. While
 * it does not return, the command waits once its pipe is full; the time-out
 * goes on.
 */
typedef int omega_sandbox_output_fn(
    void *arg, int which, const void *bytes, size_t len);

/*
 * Have output told instead of kept; NULL: keep it. A bound that was set then
 * means that no more than so much is told, of both streams as they come.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_command_set_output(
    struct omega_sandbox_command *command, omega_sandbox_output_fn *output,
    void *arg, struct omega_sandbox_error *error);

/*
 * Start the command, collect its output, wait for its end. On success, also
 * after a time-out, *result is the caller's. Where nobody limits them, it has
 * 30 seconds, and 1 MiB of both streams together is kept.
 *
 * Descriptors 1 and 2 are collected and 0 is as omega_sandbox_command_set_input
 * says, unless omega_sandbox_command_set_stdio was called for them. When both
 * streams together are longer than the bound, each has half of it, and what
 * one does not need the other has as well; of a stream that is longer than
 * its share the beginning and the end are kept, half of it each, cut between
 * UTF-8 characters, and between them a line that says how much is left out.
 * Both streams are read all the time; until the end up to twice the bound is
 * in memory.
 *
 * When the time is over, every process that descends from the command gets
 * SIGTERM (and SIGCONT), and after the grace period SIGKILL, wherever it has
 * hidden: other sessions, groups and parents, pipes still open. The same
 * happens to what the command leaves behind when it ends, and when this
 * process ends first, whatever the way. A process between, the supervisor,
 * sees to it. What it may not signal or nobody can end (a program with another
 * user's rights, a process stuck in the kernel, two that trace each other) is
 * not waited for, and counted in left; in a pid namespace all such are one.
 * When the command itself is among them, status is -1 and signal 0.
 *
 * The command is in this process's group and session, the supervisor in a
 * group of its own: whoever kills our group does not reach it.
 *
 * SIGCHLD may be ignored, and other threads may wait for all children: the
 * supervisor is not seen by them, and the result is never lost. Codes of
 * omega_sandbox_spawn, with nothing started; and OMEGA_SANDBOX_E_STATUS_LOST
 * when the supervisor was killed, or stopped over and over, after which the
 * command was ended, but processes that it had started may go on. Any number
 * of threads may capture, one command too.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_capture(
    struct omega_sandbox_command *command, struct omega_sandbox_result **result,
    struct omega_sandbox_error *error);

/*
 * End every capture of the command that is under way, as a time-out would;
 * their outcomes have is_cancelled. Returns without waiting.
 * OMEGA_SANDBOX_E_STATE: none is. Returns OMEGA_SANDBOX_E_ARGUMENT. From any
 * thread.
 */
OMEGA_SANDBOX_API int omega_sandbox_command_cancel(
    struct omega_sandbox_command *command);

/* What a result says. Returns OMEGA_SANDBOX_E_ARGUMENT. Thread-safe. */
OMEGA_SANDBOX_API int omega_sandbox_result_get(
    const struct omega_sandbox_result *result,
    struct omega_sandbox_outcome *outcome);

/* The guarantees as they were for this run. A new reference. */
OMEGA_SANDBOX_API struct omega_sandbox_report *omega_sandbox_result_report(
    const struct omega_sandbox_result *result);

/* NULL is fine. */
OMEGA_SANDBOX_API void omega_sandbox_result_free(
    struct omega_sandbox_result *result);

/* ---- A running child ----------------------------------------------------- */

/*
 * One thread at a time may use a child object, but omega_sandbox_child_signal
 * may be called while another thread waits.
 */

/* Its process id. Not to be waited for by other means. */
OMEGA_SANDBOX_API pid_t omega_sandbox_child_pid(
    const struct omega_sandbox_child *child);

/* A descriptor that polls readable when the child has ended. Belongs to the
 * child object. */
OMEGA_SANDBOX_API int omega_sandbox_child_fd(
    const struct omega_sandbox_child *child);

/* Our end of the pipe to descriptor which, from now on the caller's to close;
 * -1 when there is none, or it was taken. Blocking, close-on-exec. */
OMEGA_SANDBOX_API int omega_sandbox_child_take_stdio(
    struct omega_sandbox_child *child, int which);

/*
 * Wait for its end, at most timeout_ms (0: only ask; -1: without end). 1: it
 * has ended, and end is filled. 0: still running.
 * OMEGA_SANDBOX_E_STATUS_LOST when its end can no longer be learnt, which
 * happens only when something else in the process waits for all children, or
 * SIGCHLD is ignored, on a kernel before 6.15. May be asked again.
 */
OMEGA_SANDBOX_API OMEGA_SANDBOX_MUST_CHECK int omega_sandbox_child_wait(
    struct omega_sandbox_child *child, int timeout_ms,
    struct omega_sandbox_outcome *end, struct omega_sandbox_error *error);

/* Send a signal; SIGKILL ends the child for certain. Never reaches another
 * process that got the same number. Returns OMEGA_SANDBOX_E_ARGUMENT,
 * _E_STATE (it has ended), _E_SYSTEM. Thread-safe. */
OMEGA_SANDBOX_API int omega_sandbox_child_signal(
    struct omega_sandbox_child *child, int signal);

/* Give up the object. A child that still runs goes on, and is collected by
 * nobody: wait first, or signal. NULL is fine. */
OMEGA_SANDBOX_API void omega_sandbox_child_free(
    struct omega_sandbox_child *child);

#ifdef __cplusplus
}
#endif

#endif /* OMEGA_SANDBOX_H */
