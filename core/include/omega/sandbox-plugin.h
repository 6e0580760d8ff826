/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * omega/sandbox-plugin.h - what a backend plugin and the core agree on.
 *
 * A backend is a shared object NAME.so in the plugin directory (pkg-config
 * variable "plugindir" of omega-sandbox). It exports one const object called
 * omega_sandbox_plugin and nothing else. It links neither the core nor
 * another plugin: whatever it may call comes as a pointer in a structure the
 * core hands over.
 *
 * How a command is protected:
 *
 *   probe      can this host do it at all?
 *   describe   for a list of atoms (sentences such as "no read of D/data"):
 *              which of them would this backend hold here? The core plans
 *              with exactly this answer.
 *   apply      in the parent: make what is needed, and tell the launch what
 *              the child is to do between clone and exec. It must hold all
 *              that describe said, or fail.
 *
 * Rules for structures: each begins with its size, set by whoever made it.
 * Fields are only ever appended within a major version. A reader looks at a
 * field only when the size says that it is there (OMEGA_SANDBOX_HAS).
 *
 * Rules for memory: what the core passes is valid during the call and is
 * read-only unless said otherwise. Nothing allocated by one side is freed by
 * the other. Texts a plugin points to in its exported object are static.
 *
 * A plugin has no mutable global state; its functions may be called from any
 * thread at any time, several at once.
 */

#ifndef OMEGA_SANDBOX_PLUGIN_H
#define OMEGA_SANDBOX_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The ABI. A different major is refused; a newer or older minor is fine. The
 * history is in omega-sandbox-plugin(7).
 */
#define OMEGA_SANDBOX_PLUGIN_ABI_MAJOR 1u
#define OMEGA_SANDBOX_PLUGIN_ABI_MINOR 0u
#define OMEGA_SANDBOX_PLUGIN_ABI \
	(OMEGA_SANDBOX_PLUGIN_ABI_MAJOR << 16 | OMEGA_SANDBOX_PLUGIN_ABI_MINOR)

/* Does the structure p points to reach as far as its field f? */
#define OMEGA_SANDBOX_HAS(p, f)                                             \
	((p)->size >= (size_t)((const char *)&(p)->f - (const char *)(p)) + \
			  sizeof((p)->f))

/* ---- Atoms -------------------------------------------------------------- */

/*
 * What an atom is about. A backend that does not know a kind does not hold
 * it. Kinds up to 99 are required of a policy that has them; the others are
 * hardening, and an administrator may accept that they are not held.
 */
enum omega_sandbox_atom_kind {
	/* The place at path and everything below it: the bits of access are
	 * impossible there, under any name the child could make. */
	OMEGA_SANDBOX_ATOM_PATH = 1,
	/* Everywhere but at and below the grants of the request: the bits of
	 * access are impossible there. A grant without one of the bits grants
	 * nothing of it. Denied places stay denied inside a grant. */
	OMEGA_SANDBOX_ATOM_ELSEWHERE = 2,
	/* The Internet protocols. ALL: nothing outside is reached by them.
	 * CREATE: a socket of them cannot even be made. */
	OMEGA_SANDBOX_ATOM_NETWORK = 3,
	/* Sockets of all families but UNIX and the Internet's. */
	OMEGA_SANDBOX_ATOM_FAMILIES = 4,
	/* Path sockets bound outside before the start, whoever owns them. No
	 * longer asked for: see OUTSIDE_SOCKETS. */
	OMEGA_SANDBOX_ATOM_PATH_SOCKETS = 5,
	/* TCP connections to ports the request does not list (ALL), and what
	 * would go around that: other protocols, connections made without
	 * connect(2) (CREATE). */
	OMEGA_SANDBOX_ATOM_CONNECT = 6,
	/* The same for the ports that can be bound. */
	OMEGA_SANDBOX_ATOM_BIND = 7,
	/* The same two for UDP. */
	OMEGA_SANDBOX_ATOM_CONNECT_UDP = 8,
	OMEGA_SANDBOX_ATOM_BIND_UDP = 9,
	/* New processes; threads are none. */
	OMEGA_SANDBOX_ATOM_FORK = 10,
	/* Everything outside but the hosts of the request, by the Internet
	 * protocols. */
	OMEGA_SANDBOX_ATOM_HOSTS = 11,

	/* Metadata (mode, owner, times, attributes) of path and below; without
	 * a path, of everything but what the grants let be written. */
	OMEGA_SANDBOX_ATOM_METADATA = 100,
	/* Signals to processes outside (ALL), and limits set on them or
	 * children given to them that end in one, and leases on files that
	 * make them wait (CHANGE). */
	OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS = 101,
	/* Tracing and memory of processes outside (ALL), and samples of
	 * whoever runs (LIST). */
	OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE = 102,
	/* Abstract UNIX sockets made outside. */
	OMEGA_SANDBOX_ATOM_ABSTRACT_SOCKETS = 103,
	/* Path sockets and pipes through which programs outside can be
	 * started: the services of the request that are launchers. */
	OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS = 104,
	/* Path sockets bound outside after the sandbox was prepared. No longer
	 * asked for: see OUTSIDE_SOCKETS. */
	OMEGA_SANDBOX_ATOM_LATE_SOCKETS = 105,
	/* Input forged into the caller's terminal. */
	OMEGA_SANDBOX_ATOM_TERMINAL = 106,
	/* Names of path that existed before: hard links, other mounts; what
	 * symbolic links in it lead to; of /dev, nodes that lie elsewhere. */
	OMEGA_SANDBOX_ATOM_ALIASES = 107,
	/* path after the host has replaced it by rename, for a command that
	 * is already running. */
	OMEGA_SANDBOX_ATOM_REPLACED_FILES = 108,
	/* Creating path, which is absent, where the child may write. */
	OMEGA_SANDBOX_ATOM_ABSENT_PATHS = 109,
	/* Running programs but those at and below grants with RUN. */
	OMEGA_SANDBOX_ATOM_EXECUTE = 110,
	/* The keys of the caller's session (keyctl). */
	OMEGA_SANDBOX_ATOM_KEYRING = 111,
	/* Listening on a port that the kernel chooses. */
	OMEGA_SANDBOX_ATOM_LISTEN = 112,
	/* A limit, for the command and all it starts together. The core sees
	 * to it; backends are not asked. */
	OMEGA_SANDBOX_ATOM_LIMIT = 113,
	/* Path sockets bound outside, before the start or later (ALL): those
	 * of the caller's own programs, or everybody's, as unix_sockets of the
	 * request says. CREATE: no UNIX socket is good for anything, but for
	 * pairs that are connected for good. */
	OMEGA_SANDBOX_ATOM_OUTSIDE_SOCKETS = 114,
	/* System V segments, semaphores and queues, and POSIX queues, of
	 * programs outside. Asked for with a network that is denied. */
	OMEGA_SANDBOX_ATOM_OUTSIDE_IPC = 115,
	/* Processes that a supervised command leaves behind, whatever they do:
	 * they end with it. Held by set_pid_namespace. */
	OMEGA_SANDBOX_ATOM_LEFT_PROCESSES = 116,
	/* Tracing any process, or touching its memory as a tracer does. */
	OMEGA_SANDBOX_ATOM_TRACE = 117
};

/* What an atom of kind PATH or METADATA forbids; other kinds use ALL. */
enum omega_sandbox_atom_access {
	OMEGA_SANDBOX_ATOM_READ = 0x01, /* content */
	OMEGA_SANDBOX_ATOM_LIST = 0x02, /* names in a directory */
	OMEGA_SANDBOX_ATOM_WRITE = 0x04, /* content, truncation */
	OMEGA_SANDBOX_ATOM_CREATE = 0x08, /* new names */
	OMEGA_SANDBOX_ATOM_REMOVE = 0x10, /* deleting names */
	OMEGA_SANDBOX_ATOM_RENAME = 0x20, /* moving, linking; the way to it */
	OMEGA_SANDBOX_ATOM_CHANGE = 0x40, /* mode, owner, times, attributes */
	OMEGA_SANDBOX_ATOM_ALL = 0x80, /* the one bit of other kinds */
	OMEGA_SANDBOX_ATOM_RUN = 0x100 /* of a grant: execution */
};

enum omega_sandbox_atom_flag {
	OMEGA_SANDBOX_ATOM_REQUIRED = 0x1, /* else hardening */
	OMEGA_SANDBOX_ATOM_ABSENT = 0x2, /* nothing is at path now */
	OMEGA_SANDBOX_ATOM_DIRECTORY = 0x4 /* a directory is at path now */
};

/* One sentence that can be checked. */
struct omega_sandbox_atom {
	uint32_t size;
	uint32_t kind; /* enum omega_sandbox_atom_kind, or newer */
	uint32_t access; /* bits, all of which are to be held */
	uint32_t flags; /* enum omega_sandbox_atom_flag */
	/* Canonical path, or NULL for kinds without one. */
	const char *path;
	/* O_PATH descriptor of what is there, or -1: nothing is, or there are
	 * too many places to hold all of them. Do not close it. */
	int32_t fd;
	uint32_t reserved;
	/* Device and inode of it, 0 if absent. */
	uint64_t device;
	uint64_t inode;
};

/* A place that a policy with lists leaves open. It exists, but for some of a
 * request with OMEGA_SANDBOX_REQUEST_PREVIEW, whose fd is -1. */
struct omega_sandbox_grant {
	uint32_t size;
	uint32_t access; /* bits of enum omega_sandbox_atom_access: READ and
			    LIST together, WRITE CREATE REMOVE RENAME
			    together, RUN */
	uint32_t flags; /* OMEGA_SANDBOX_ATOM_DIRECTORY or 0 */
	/* O_PATH descriptor of it. Do not close it. */
	int32_t fd;
	const char *path; /* canonical */
	uint64_t device;
	uint64_t inode;
	/* Other names it was listed by, absolute and clean, which lead there
	 * by links; ended by NULL, or NULL. */
	const char *const *spelled;
};

/* A list of ports; none at all when count is 0. */
struct omega_sandbox_ports {
	const uint16_t *list;
	size_t count;
};

/* A backend's answer about one atom. Zeroed by the core: "not held". */
struct omega_sandbox_state {
	uint32_t size;
	uint32_t held; /* bits of access it would hold completely */
	uint32_t partial; /* bits it would hold but for what why says */
	char why[256]; /* the residue, or why it is not held */
};

/* ---- What a plugin is given ------------------------------------------- */

enum omega_sandbox_option_type {
	OMEGA_SANDBOX_OPTION_BOOL = 1,
	OMEGA_SANDBOX_OPTION_INT = 2,
	OMEGA_SANDBOX_OPTION_STRING = 3,
	OMEGA_SANDBOX_OPTION_LIST = 4 /* of strings */
};

/*
 * An option the plugin takes in its section plugin "NAME" { ... } of the
 * configuration. The core checks name, type and range before the plugin sees
 * anything.
 */
struct omega_sandbox_option {
	uint32_t size;
	uint32_t type; /* enum omega_sandbox_option_type */
	const char *name; /* lower-case letters, digits, "_" */
	const char *help; /* one sentence */
	int64_t minimum; /* INT only */
	int64_t maximum; /* INT only */
	int64_t initial; /* value of BOOL (0, 1) and INT when not set */
	const char *initial_text; /* of STRING when not set, or NULL */
	const char *const *words; /* the values STRING or LIST may have,
				     NULL-terminated; NULL: any */
};

/* The core, as a plugin sees it. */
struct omega_sandbox_host {
	uint32_t size;
	uint32_t abi_version; /* the core's own OMEGA_SANDBOX_PLUGIN_ABI */
	void *core; /* to be passed back */
	/* Say something to the host application; level is one of
	 * syslog(3): LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG. */
	void (*log)(
	    const struct omega_sandbox_host *host, int level, const char *text);
	/* The value of an option the plugin has declared; the default when
	 * the administrator did not set it. Texts live as long as host. */
	int64_t (*option_int)(const struct omega_sandbox_host *host,
	    const char *name); /* INT, BOOL */
	const char *(*option_text)(const struct omega_sandbox_host *host,
	    const char *name); /* STRING; NULL if unset without default */
	const char *(*option_item)(const struct omega_sandbox_host *host,
	    const char *name, size_t index); /* LIST; NULL behind the end */
	/* Open a helper program of the package by its name, for execution
	 * through the descriptor. It was found as trustworthy as a plugin.
	 * Returns the descriptor, the plugin's to close, or a negative
	 * errno. */
	int (*open_helper)(
	    const struct omega_sandbox_host *host, const char *name);
};

/* How the data directory is protected (data_dir_mode of sandbox.conf). */
enum omega_sandbox_data_dir_mode {
	/* As SHIELD while a protected entry of it is absent, else as MASK. */
	OMEGA_SANDBOX_DATA_DIR_AUTO = 0,
	/* What is secret is covered; the rest of it is as usual. */
	OMEGA_SANDBOX_DATA_DIR_MASK = 1,
	/* The command gets a directory of its own in which only what is
	 * allowed is found: no new names, no replaced files are seen. */
	OMEGA_SANDBOX_DATA_DIR_SHIELD = 2
};

/* Which path sockets made outside are hidden (hide_sockets). */
enum omega_sandbox_hide_sockets {
	OMEGA_SANDBOX_HIDE_OWN = 0, /* all of the caller's, and launchers */
	OMEGA_SANDBOX_HIDE_LAUNCHERS = 1, /* those known to start programs */
	OMEGA_SANDBOX_HIDE_NONE = 2
};

/* Which UNIX sockets a command has (unix_sockets of a policy). */
enum omega_sandbox_unix_sockets {
	OMEGA_SANDBOX_UNIX_ALL = 0, /* all but those that are hidden */
	OMEGA_SANDBOX_UNIX_OWN = 1, /* those it makes itself */
	OMEGA_SANDBOX_UNIX_NONE = 2
};

/* Well-known places of path sockets. */
enum omega_sandbox_service_type {
	/* A socket or a pipe: who listens starts programs on request. */
	OMEGA_SANDBOX_SERVICE_LAUNCHER = 1,
	/* A directory: each socket and pipe in it is such a one. */
	OMEGA_SANDBOX_SERVICE_LAUNCHER_DIR = 2,
	/* A directory of such directories. */
	OMEGA_SANDBOX_SERVICE_LAUNCHER_TREE = 3,
	/* A regular expression that matches the end of the paths of such ones,
	 * for backends that go by names (macOS). */
	OMEGA_SANDBOX_SERVICE_LAUNCHER_PATTERN = 4,
	/* A socket, or a directory of them: whoever talks there gets answers,
	 * not programs (log, names, users). */
	OMEGA_SANDBOX_SERVICE_ANSWERS = 5
};

struct omega_sandbox_service {
	uint32_t size;
	uint32_t type; /* enum omega_sandbox_service_type, or newer */
	/* Absolute. A * stands for the number of any user: root can become
	 * each of them. */
	const char *path;
};

/* What commands find at path, which is not what the host has there. */
struct omega_sandbox_stand_in {
	uint32_t size;
	int32_t fd; /* O_PATH descriptor of it. Do not close it. */
	const char *path;
};

enum omega_sandbox_request_flag {
	/* Another backend of the stack that can be used has the flag
	 * OMEGA_SANDBOX_PLUGIN_SEPARATES. */
	OMEGA_SANDBOX_REQUEST_SEPARATED = 0x1,
	/* Nothing will be started: what would be put before a command is only
	 * to be shown, for the system the backend is made for, whatever this
	 * one is. Only plugins with OMEGA_SANDBOX_PLUGIN_PREVIEWS see it. */
	OMEGA_SANDBOX_REQUEST_PREVIEW = 0x2,
	/* Commands may make user namespaces, in which they have privileges:
	 * what is mounted must hold there as well. */
	OMEGA_SANDBOX_REQUEST_USER_NAMESPACES = 0x4,
	/* Of a connection to a host that is listed by its name nothing is
	 * looked at (names = any). */
	OMEGA_SANDBOX_REQUEST_ANY_NAME = 0x8,
	/* Another backend of the stack that can be used has the flag
	 * OMEGA_SANDBOX_PLUGIN_FILTERS: a system call filter is for set_filter,
	 * since a step would have it installed before that one's program. */
	OMEGA_SANDBOX_REQUEST_FILTERS = 0x10,
	/* As in struct omega_sandbox_probe: what only a trial tells may be
	 * believed; apply fails where it is not so. */
	OMEGA_SANDBOX_REQUEST_BELIEVING = 0x20
};

/*
 * What is to be protected, as far as it is not said by atoms. Every backend
 * keeps to data_dir_mode, hide_sockets, allow_sockets and allow_devices as far
 * as they concern it.
 */
struct omega_sandbox_request {
	uint32_t size;
	uint32_t flags; /* enum omega_sandbox_request_flag */
	const char *data_dir; /* canonical; NULL: the policy has none */
	/* Protected paths as they were written, absolute, ended by NULL; or
	 * NULL. Links on these ways are to be kept as they are, else the
	 * next command is led elsewhere. */
	const char *const *spelled;
	uint32_t data_dir_mode; /* enum omega_sandbox_data_dir_mode */
	uint32_t hide_sockets; /* enum omega_sandbox_hide_sockets */
	/* Sockets and devices that stay within reach, by absolute paths,
	 * ended by NULL; or NULL. */
	const char *const *allow_sockets;
	const char *const *allow_devices;
	/* What the atoms ELSEWHERE, EXECUTE and METADATA without a
	 * path leave open. */
	const struct omega_sandbox_grant *const *grants;
	size_t grant_count;
	/* The ports that atoms of those kinds leave open. */
	struct omega_sandbox_ports connect;
	struct omega_sandbox_ports bind;
	struct omega_sandbox_ports connect_udp;
	struct omega_sandbox_ports bind_udp;
	/* Every path that is not to be read, and every one that is not to be
	 * changed (the system's directories are not among them), each as it was
	 * written and as it is canonical, absolute and clean, whether
	 * something is there or not; ended by NULL, or NULL. What is there has
	 * its atoms. A backend that goes by names can keep the rest out of
	 * reach when it appears, and what is behind links by each name. */
	const char *const *unreadable;
	const char *const *unchangeable;
	/* enum omega_sandbox_unix_sockets */
	uint32_t unix_sockets;
	/* Not 0, a negative errno: the system does not tell which path sockets
	 * are bound. */
	int32_t socket_error;
	/* The well-known places, service_count of them. */
	const struct omega_sandbox_service *const *services;
	size_t service_count;
	/* Of the path sockets that OUTSIDE_SOCKETS is about those that the
	 * core has found (Linux), or a directory of nothing else; ended by
	 * NULL, or NULL. They may have gone since. And how many there are
	 * besides. */
	const char *const *sockets;
	size_t sockets_left;
	/* apply only: what other backends have put into other places. A rule
	 * that goes by file and is meant for such a path is for this, too. */
	const struct omega_sandbox_stand_in *stand_ins;
	size_t stand_in_count;
	/* Built in, ended by NULL; whether they are there on this host or not:
	 * what every program needs of /dev and does no harm, and the
	 * directories of the system, /dev among them, that have atoms where
	 * they are there. */
	const char *const *devices;
	const char *const *system_dirs;
	/* What an atom HOSTS leaves open, and what is closed all the same, as
	 * sandbox.conf(5) writes entries; ended by NULL, or NULL. The last of
	 * hosts may be "@HOST:PORT", the proxy that they are reached by. */
	const char *const *hosts;
	const char *const *deny_hosts;
	/* apply only, for a plugin with the flag FILTERS: the filter that it
	 * is to install, filter_size bytes of struct sock_filter; or NULL. */
	const void *filter;
	size_t filter_size;
};

/* What probe found out about this host. Zeroed by the core. */
struct omega_sandbox_probe {
	uint32_t size;
	int32_t is_usable; /* 1: can be used here; 0: cannot */
	char version[64]; /* of the mechanism, "" if it has none */
	char reason[256]; /* why not; or what to know, or "" */
	int32_t has_network; /* 1: can take the network away */
	char network_reason[256]; /* why not, or "" */
	/* Set by the core. 1: apply follows, so that what only a trial tells
	 * may be believed. When apply fails, or a child step with E2BIG, probe
	 * is asked again, with 0. */
	int32_t is_believing;
};

/* ---- The launch: what apply builds --------------------------------- */

/*
 * When a child step runs, earliest first. The core's own work stands between:
 * it changes to the working directory, closes descriptors, and unblocks
 * signals. The gaps are for later.
 */
enum omega_sandbox_phase {
	OMEGA_SANDBOX_PHASE_JOIN = 100, /* namespaces */
	/* 200: the core changes directory */
	OMEGA_SANDBOX_PHASE_LIMITS = 300,
	OMEGA_SANDBOX_PHASE_RESTRICT = 400, /* Landlock and its like */
	OMEGA_SANDBOX_PHASE_CAPABILITIES = 500,
	/* 600: the core closes descriptors */
	OMEGA_SANDBOX_PHASE_FILTER = 700, /* system call filters */
	OMEGA_SANDBOX_PHASE_WITNESS = 800
	/* 900: the core unblocks signals, then exec */
};

/*
 * A child step. Runs between clone and exec on a small stack, possibly in the
 * host's own memory while the host stands still: plain system calls only. No
 * allocation, no locks, no stdio, nothing that concerns the whole memory
 * (dumpable, mprotect), nothing written but its own stack. state is the
 * read-only copy made when the step was added.
 *
 * 64 KiB of stack are there for it. All signals are blocked. Where the child
 * has memory of its own (see OMEGA_SANDBOX_LAUNCH_SHARES) it is not dumpable:
 * files below /proc/self belong to root. After a step of the phase FILTER the
 * core still needs write, fcntl, dup3, rt_sigprocmask, rt_sigaction, execve,
 * faccessat and exit_group; the witness makes the calls that
 * omega-sandbox-plugin(7) lists, and takes a refusal for an answer. A
 * descriptor that a step leaves open must be close-on-exec.
 *
 * Returns 0; anything else, a negative errno by custom, and the program is
 * not started.
 */
typedef int omega_sandbox_step(const void *state);

/*
 * A check in the parent before every start: 0 while what apply has made is
 * still right, 1 when the world has changed and apply must be called anew,
 * or a negative errno. May be called from several threads at once.
 */
typedef int omega_sandbox_check(const void *state);

enum omega_sandbox_launch_flag {
	/* Children of one preparation meet in a place they share (a namespace
	 * that is joined), so an earlier one could reach for a later one. */
	OMEGA_SANDBOX_LAUNCH_SHARES = 0x1,
	/* A started child is kept off processes outside its domain. Without
	 * this, and with SHARES, the core never lends the host's memory. */
	OMEGA_SANDBOX_LAUNCH_SEPARATES = 0x2,
	/* What this backend has confirmed holds only beside one that
	 * separates; without such a one the core refuses to prepare. */
	OMEGA_SANDBOX_LAUNCH_NEEDS_SEPARATION = 0x4
};

/*
 * The launch under construction. All functions copy what they are given and
 * return 0 (or what is said) or a negative errno, which apply passes on.
 */
struct omega_sandbox_launch {
	uint32_t size;
	uint32_t reserved;
	void *core;
	/* Confirm that the bits of this atom will be held. Everything that
	 * describe promised and the core assigned must be confirmed. */
	int (*hold)(struct omega_sandbox_launch *launch,
	    const struct omega_sandbox_atom *atom, uint32_t bits);
	/* Have the child do something. name is for error messages. */
	int (*add_step)(struct omega_sandbox_launch *launch, uint32_t phase,
	    const char *name, omega_sandbox_step *step, const void *state,
	    size_t state_size);
	/* Have the parent look before every start. */
	int (*add_check)(struct omega_sandbox_launch *launch,
	    omega_sandbox_check *check, const void *state, size_t state_size);
	/* Keep a duplicate of a descriptor as long as the launch; returns its
	 * number, for use in the state of a step. fd stays the plugin's. */
	int (*keep_fd)(struct omega_sandbox_launch *launch, int fd);
	/* Hand a descriptor to the started program; returns the number it
	 * will have there. Only for plugins with the flag PREFIX. */
	int (*pass_fd)(struct omega_sandbox_launch *launch, int fd);
	/* Put a word before the command. Only with the flag PREFIX. */
	int (*add_word)(struct omega_sandbox_launch *launch, const char *word);
	/* Set (or with value NULL remove) a variable for the command. */
	int (*set_env)(struct omega_sandbox_launch *launch, const char *name,
	    const char *value);
	/* enum omega_sandbox_launch_flag, added up. */
	int (*set_flags)(struct omega_sandbox_launch *launch, uint32_t flags);
	/* What apply has to say about a failure, one line. */
	void (*explain)(struct omega_sandbox_launch *launch, const char *text);
	/* What confines the calling process itself, which goes on as it is or
	 * becomes the command; then no words are put before it, and what was
	 * passed is not passed. It runs after all steps, never in a child, and
	 * may allocate. All signals are blocked when exec is to follow. Once,
	 * only with the flag PREFIX, and only beside words, which a child
	 * has instead. */
	int (*set_self)(struct omega_sandbox_launch *launch,
	    omega_sandbox_step *step, const void *state, size_t state_size);
	/* What commands find at path instead of what the host has there, for
	 * the backends that are applied later; only with the flag
	 * CHANGES_MOUNTS, which are applied first. From the one at "/dev/pts"
	 * terminals for commands are made. */
	int (*stand_in)(
	    struct omega_sandbox_launch *launch, const char *path, int fd);
	/* How a supervised command gets a pid namespace of its own. outside
	 * joins what it is to be made in; the core makes it, with a copy of
	 * the mount namespace, and inside takes the place of this plugin's
	 * steps of the phase JOIN in its first process: a /proc of its own,
	 * closed as the other is, and what the command lives in. Both have the
	 * state, and are steps. Once; without it the core ends what a command
	 * leaves as well as it can. */
	int (*set_pid_namespace)(struct omega_sandbox_launch *launch,
	    omega_sandbox_step *outside, omega_sandbox_step *inside,
	    const void *state, size_t state_size);
	/* The system call filter of the command, size bytes of struct
	 * sock_filter, for the backend that installs it. Once, and only with
	 * OMEGA_SANDBOX_REQUEST_FILTERS. */
	int (*set_filter)(
	    struct omega_sandbox_launch *launch, const void *code, size_t size);
	/* The socket to the program omega-sandbox-hosts, when it has taken
	 * what it needs. It is kept, apply is called anew once the program has
	 * ended, and the core learns from it what was refused. Once. */
	int (*set_hosts)(struct omega_sandbox_launch *launch, int fd);
};

/* ---- The exported object ---------------------------------------------- */

enum omega_sandbox_plugin_flag {
	/* Starts the command through a program of its own (bwrap,
	 * sandbox-exec). No other plugin may add steps of the phases JOIN
	 * and RESTRICT beside it. */
	OMEGA_SANDBOX_PLUGIN_PREFIX = 0x1,
	/* The command sees other mounts than the host. */
	OMEGA_SANDBOX_PLUGIN_CHANGES_MOUNTS = 0x2,
	/* Wherever it is used it sets OMEGA_SANDBOX_LAUNCH_SEPARATES, and
	 * lets no command mount or unmount anything. */
	OMEGA_SANDBOX_PLUGIN_SEPARATES = 0x4,
	/* Takes OMEGA_SANDBOX_REQUEST_PREVIEW, also where it cannot be used:
	 * describe says what it would hold, and apply adds words and nothing
	 * else. Only with the flag PREFIX. */
	OMEGA_SANDBOX_PLUGIN_PREVIEWS = 0x8,
	/* Its program installs the filter of the request on the command, when
	 * all else is done. It is applied last. Only with the flag PREFIX. */
	OMEGA_SANDBOX_PLUGIN_FILTERS = 0x10
};

struct omega_sandbox_plugin {
	/* Always OMEGA_SANDBOX_PLUGIN_ABI. */
	uint32_t abi_version;
	/* Always sizeof(struct omega_sandbox_plugin). */
	uint32_t struct_size;
	/* enum omega_sandbox_plugin_flag; other bits 0. */
	uint64_t flags;
	/* Lower-case letters, digits, "_" and "-"; the file is NAME.so. */
	const char *name;
	/* One line for people. */
	const char *description;
	/* The options taken, NULL-terminated; NULL: none. */
	const struct omega_sandbox_option *const *options;
	/* Is this host able to? Fills probe and returns 0, also when the
	 * answer is no; a negative errno only when it could not find out.
	 * Leaves nothing behind. */
	int (*probe)(const struct omega_sandbox_host *host,
	    struct omega_sandbox_probe *probe);
	/* What of each atom would be held here? Fills states[i] for atoms[i];
	 * 0 or a negative errno. Leaves nothing behind. */
	int (*describe)(const struct omega_sandbox_host *host,
	    const struct omega_sandbox_request *request,
	    const struct omega_sandbox_atom *const *atoms, size_t count,
	    struct omega_sandbox_state *const *states);
	/* Make it so for the atoms assigned to this backend. All or nothing:
	 * 0, or a negative errno and nothing is left. With -ESTALE (a place
	 * is no longer what the core has seen there) the core plans anew and
	 * calls again, a few times at most; so it does when a step
	 * returns that. */
	int (*apply)(const struct omega_sandbox_host *host,
	    const struct omega_sandbox_request *request,
	    const struct omega_sandbox_atom *const *atoms, size_t count,
	    struct omega_sandbox_launch *launch);
};

/*
 * The program omega-sandbox-hosts, for a backend that makes the network
 * namespace in which only listed hosts are reached. It is opened as every
 * helper is, and is of the same version as the core.
 *
 * Its descriptor 0 is one end of a socket of packets. The first has the
 * entries, each on a line of its own behind "+" (listed) or "-" (denied), and
 * "!" for names = any. It answers with a plan, for who makes the network
 * namespace and has the other end then: addresses that are to lead to the
 * sockets there, and ports. The next packet brings these sockets, in the order
 * of enum omega_sandbox_hosts_fd; the answer is an int, an errno or 0. What
 * comes after that is for the core (set_hosts).
 */
#define OMEGA_SANDBOX_HOSTS_PROGRAM "omega-sandbox-hosts"
#define OMEGA_SANDBOX_HOSTS_MAX_TEXT (64u << 10)
#define OMEGA_SANDBOX_HOSTS_MAX_PORTS \
	200 /* with the others they fit into a packet */
#define OMEGA_SANDBOX_HOSTS_MAX_ROUTES 512

/* The address that commands have, and look up names at. */
#define OMEGA_SANDBOX_HOSTS_OWN "198.18.0.1"

struct omega_sandbox_hosts_route {
	uint8_t address[16]; /* IPv4 as ::ffff:a.b.c.d */
	uint8_t prefix; /* of 128 bits */
};

struct omega_sandbox_hosts_plan {
	uint32_t error; /* errno, 0: good */
	uint32_t port_count;
	uint32_t route_count;
	uint16_t ports[OMEGA_SANDBOX_HOSTS_MAX_PORTS];
	struct omega_sandbox_hosts_route routes[OMEGA_SANDBOX_HOSTS_MAX_ROUTES];
};

enum omega_sandbox_hosts_fd {
	OMEGA_SANDBOX_HOSTS_UDP, /* where names are asked for */
	OMEGA_SANDBOX_HOSTS_TCP,
	OMEGA_SANDBOX_HOSTS_END, /* inotify: the file system with the files is
				    gone */
	OMEGA_SANDBOX_HOSTS_PORTS /* listening, in the order of the plan */
};

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
extern const struct omega_sandbox_plugin omega_sandbox_plugin;

#ifdef __cplusplus
}
#endif

#endif /* OMEGA_SANDBOX_PLUGIN_H */
