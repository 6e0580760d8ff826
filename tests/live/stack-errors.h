/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-errors.h - what an attempt must fail with inside. Masks say EACCES,
 * read-only mounts EROFS, places that are mounted on EBUSY, a border between
 * two mounts EXDEV, everything that is a matter of privilege EPERM.
 */

#ifndef OMEGA_TEST_STACK_ERRORS_H
#define OMEGA_TEST_STACK_ERRORS_H

#include <errno.h>

struct expected {
	int errors[2];
	const char *names[112];
};

static const struct expected expectations[] = {
    {{EACCES, EACCES},
	{"read", "list", "write", "create", "mkdir", "delete", "move out",
	    "move in", "link out", "truncate", "chmod", "chown", "utimes",
	    "xattr", "stat", "mmap", "exec", "chdir", "openat from /",
	    "openat step by step", "by ..", "by /proc/self/root",
	    "by /proc/self/fd", "by /proc/PID/root", "by /proc/PID/cwd",
	    "by /proc/PID/fd", "by a symlink", "read config.toml",
	    "write config.toml", "reopen by /proc/self/fd",
	    "link by /proc/self/fd", "inotify", "fanotify", "execveat",
	    "fchmodat2", "setxattrat", "name_to_handle_at",
	    "mmap config.toml", "io_uring: openat",
	    "io_uring: openat of config.toml", "io_uring: create",
	    "io_uring: openat2", "io_uring: statx", "io_uring: mkdir",
	    "io_uring: symlink", "io_uring: link", "io_uring: setxattr",
	    "io_uring: by its own thread", "io_uring: by credentials kept",
	    "io_uring: path socket", "config.toml by /proc/PID/root", "umount",
	    "umount in a nested namespace", "bind in a nested namespace",
	    "recursive bind in a nested one", "open_tree in a nested one",
	    "overlay in a nested one", "pivot_root", "chroot",
	    "setns to a process outside", "setns to init",
	    "write by /proc/PID/root", "raw disk by an old node",
	    "connect to a socket", "/proc/PID/environ",
	    "/proc/PID/map_files", "/proc/PID/pagemap", "namespace by a pidfd",
	    "/proc/PID/maps", "setns by a pidfd", "perf_event_open",
	    "perf_event_open of a processor", "denied: read", "denied: write",
	    "/proc/kcore", "FICLONE of data", "FICLONE over config.toml",
	    NULL}},
    {{EACCES, ENXIO}, {"every disk", NULL}},
    /* Commands have a /dev of their own. */
    {{EACCES, ENOENT}, {"raw disk", "other devices", "/dev/kmsg", NULL}},
    /* The kernel's own answer where Landlock does not give one first. */
    {{EACCES, EPERM},
	{"node of a disk", "node of kmsg", "raw disk by a new node", NULL}},
    /* Landlock is asked before the mount is. */
    {{EACCES, EROFS},
	{"/proc/PID/mem", "write sysrq-trigger", "truncate config.toml", NULL}},
    {{EBUSY, EBUSY},
	{"rename the data directory", "rename the home directory",
	    "rename what that is in", "rename behind the mounts",
	    "io_uring: rename the data directory", "denied: rename",
	    "denied: rename the parent", "link: unlink", "link: replace",
	    "link: move it", "link: move the target", NULL}},
    {{EBUSY, EROFS}, {"rename data", "exchange data", "delete config.toml",
			 "io_uring: unlink config.toml",
			 "io_uring: rename data", "remove data", NULL}},
    {{EBUSY, EXDEV}, {"replace config.toml", "io_uring: replace config.toml",
			 "move config.toml", "exchange config.toml", NULL}},
    {{EPERM, EPERM},
	{"open_by_handle_at", "ptrace", "pidfd_getfd", "mount", "fsopen",
	    "syslog", "reboot", "swapon", "sethostname", "acct", "bpf",
	    "packet socket", "process_vm_readv", "process_vm_writev", "kcmp",
	    "move_pages", "PTRACE_SEIZE", "kill", "tgkill", "pidfd_send_signal",
	    "killpg", "signal by F_SETOWN", "session keyring", "user keyring",
	    "add_key", "request_key", "key for files",
	    "key for files with upper bits", "key for a directory",
	    "key for a cipher", "key for remote calls", "vhangup",
	    "abstract socket", "io_uring: abstract socket", "TIOCSTI",
	    "TIOCSTI with upper bits", "TIOCSTI by name",
	    "TIOCSTI into a free terminal", "TIOCLINUX", "init_module",
	    "finit_module", "delete_module", "kexec_load", "prlimit",
	    "child for the parent", "idmapped mount", "quotactl", NULL}},
    {{ENOSYS, ENOSYS}, {"child for the parent by clone3", NULL}},
    {{EACCES, EACCES}, {"lease on a file", "lease with upper bits", NULL}},
    {{EROFS, EROFS},
	{"given: chmod", "given: chown", "given: utimes", "given: xattr",
	    "given: write by /proc/self/fd", "given: chmod by /proc/self/fd",
	    "io_uring: write in /etc", "io_uring: write /proc/sys",
	    "chmod of the directory", "chown of the directory", "O_TMPFILE",
	    "what the kernel starts", "kernel tracing", "chmod config.toml",
	    "chown config.toml", "utimes config.toml", "xattr config.toml",
	    "create in /etc", "write in /etc", "chmod in /etc",
	    "write by /proc/self/root", "write /proc/sys", "write /sys",
	    "oom_score_adj of another", "system: reopen", "system: fchmod",
	    "system: chown", "system: utimes", "system: xattr",
	    "system: chattr", "system: rename", "system: create",
	    "system: remount", "absent: create", "absent: link",
	    "absent: symlink", "absent: mkdir", "absent: mkfifo",
	    "absent: bind", "absent: O_TMPFILE", "denied: chmod", "cgroup",
	    NULL}},
    {{EXDEV, EXDEV}, {"link config.toml", "system: link out", "absent: rename",
			 "denied: link", "denied: link by descriptor", NULL}},
};

#endif
