/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * request.h - what the plugin asks of the builder program, and its answer.
 *
 * A request is a head, head.count operations and head.text_size bytes of
 * texts that end in NUL, through a stream socket that is the builder's
 * descriptor 0. The answer is one struct reply; when its error is 0, the
 * namespaces are those of two processes, which the asker opens in /proc: the
 * first level is the builder's own, and what commands live in is that of
 * reply.second. A byte says that this was done, and is answered: so both were
 * there all the time. No descriptor is sent, which anybody of the same user
 * could hinder.
 *
 * Operations are carried out in their order. Each names a place by text, and
 * the device and inode that must be found there.
 */

#ifndef NAMESPACE_REQUEST_H
#define NAMESPACE_REQUEST_H

#include <stdint.h>

#define REQUEST_PROGRAM "omega-sandbox-namespace"
#define REQUEST_MAGIC 0x4f534258u /* changes with every change here */
#define REQUEST_MAX_OPS 65536u
#define REQUEST_MAX_TEXT (8u << 20)
#define REQUEST_MAX_COPY (256u << 10) /* bytes of a file shown as a copy */

/* What masks are made of is mounted under this name, which tells a process in
 * a sandbox from others. */
#define REQUEST_SOURCE "omega-sandbox"

/* The two names below a data directory that a shield leaves out. */
#define REQUEST_DATA "data"
#define REQUEST_CONFIG "config.toml"

enum request_flag {
	/* The caller has the privileges to mount: real mounts first, then a
	 * user namespace with every id but the last. */
	REQUEST_IS_ROOT = 0x1,
	/* With the former, where the user namespace cannot be made: the mount
	 * namespace alone. Not in a chroot, which joining it would leave. */
	REQUEST_IS_PLAIN = 0x2,
	/* A network namespace too, with nothing in it but a loopback device
	 * that is up; and an IPC namespace. */
	REQUEST_NEW_NETWORK = 0x4,
	/* The whole tree is read-only, but for places that are told. */
	REQUEST_CLOSE_ALL = 0x8,
	/* Inside, user namespaces can be made. */
	REQUEST_NESTS = 0x10,
	/* With NEW_NETWORK: descriptor 1 leads to the helper that joins what
	 * listens there with the hosts outside. */
	REQUEST_HOSTS = 0x20
};

/* What is opened of an answer: of the second process, then of the builder. */
enum request_fd {
	REQUEST_FD_USER = 0,
	REQUEST_FD_MOUNT = 1,
	REQUEST_FD_NETWORK = 2,
	REQUEST_FD_IPC = 3,
	REQUEST_FD_ROOT = 4, /* the directory */
	REQUEST_FD_FIRST_USER = 5, /* the level it was made in */
	REQUEST_FD_FIRST_MOUNT = 6,
	REQUEST_FD_MAX = 7
};

/* reply.what when the network namespace could not be made. */
#define REQUEST_UNSHARE_NETWORK "unshare(CLONE_NEWNET)"
#define REQUEST_LOOPBACK "loopback"

/* When what leads to listed hosts could not. */
#define REQUEST_LISTED "hosts"
#define REQUEST_WAYS "hosts: netlink"
#define REQUEST_PORTS "hosts: bind"
#define REQUEST_HELPER "hosts: helper"

enum request_type {
	/* Mounted onto itself with all below: cannot be renamed. */
	REQUEST_PIN = 2,
	/* The same, as it was before all was made read-only. Of several at
	 * one place this comes first, and the strongest other one next. */
	REQUEST_WRITABLE = 3,
	/* Mounted onto itself, and read-only. */
	REQUEST_READ_ONLY = 4,
	/* Read-only, but not the mounts below it. */
	REQUEST_READ_ONLY_TOP = 5,
	/* REQUEST_DEV alone: a read-only directory in front of it that has
	 * nothing in it but what REQUEST_SHOW names. Before all others. */
	REQUEST_DEVICES = 6,
	/* A copy that belongs to the caller is shown instead. */
	REQUEST_COPY = 7,
	/* A socket or a pipe, denied like DENY; what is neither any more is
	 * left alone. */
	REQUEST_HIDE = 8,
	/* A read-only directory in front of it with the same entries, but
	 * without REQUEST_DATA and REQUEST_CONFIG. */
	REQUEST_SHIELD = 9,
	/* Nothing, of mode 000, is shown instead. */
	REQUEST_DENY = 10,
	/* Something below REQUEST_DEV that stays. */
	REQUEST_SHOW = 11
};

#define REQUEST_DEV "/dev"
#define REQUEST_PTS "/dev/pts"

/* Names of hosts are asked for by TCP. */
#define REQUEST_RESOLVER "/etc/resolv.conf"
#define REQUEST_USE_VC_LINE "\noptions use-vc\n"

struct request_head {
	uint32_t magic;
	uint32_t flags; /* enum request_flag */
	uint32_t count;
	uint32_t text_size;
};

enum request_op_flag {
	/* Others come and go as they like (sockets, devices): when it is
	 * gone, nothing is to be done; another in its place is treated. */
	REQUEST_MAY_CHANGE = 0x1,
	/* REQUEST_COPY: with one more line, REQUEST_USE_VC_LINE. */
	REQUEST_USE_VC = 0x2,
	/* REQUEST_COPY: not its content, but what commands need that can reach
	 * listed hosts only. */
	REQUEST_FOR_SERVER = 0x4, /* resolv.conf */
	REQUEST_FOR_SELF = 0x8, /* hosts */
	REQUEST_FOR_ORDER = 0x10 /* nsswitch.conf */
};

struct request_op {
	uint32_t type; /* enum request_type */
	uint32_t flags; /* enum request_op_flag */
	uint32_t path; /* offset among the texts */
	uint32_t reserved;
	uint64_t device; /* as st_dev */
	uint64_t inode;
};

/* reply.what when a plain mount namespace is asked for in a chroot. */
#define REQUEST_CHROOT "chroot"

struct request_reply {
	uint32_t magic;
	int32_t error; /* errno, 0: done */
	uint32_t has_spare; /* the masks belong to an id nobody has inside */
	uint32_t has_dev; /* the /dev inside is another than the host's */
	int32_t pids_error; /* why there can be no pid namespace: errno, or 0 */
	int32_t second; /* process */
	char what[64]; /* the call that failed */
	char path[4096]; /* what it was about, or "" */
};

#endif
