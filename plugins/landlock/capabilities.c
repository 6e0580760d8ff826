/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * capabilities.c - see landlock.h.
 */

#include "landlock.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/capability.h>
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

/* What root needs for its daily work, the same as with the namespace backend:
 * over files, which Landlock judges, and over processes, by its scopes. */
#define KEPT                                                                 \
	(1ull << CAP_CHOWN | 1ull << CAP_DAC_OVERRIDE | 1ull << CAP_FOWNER | \
	    1ull << CAP_FSETID | 1ull << CAP_KILL | 1ull << CAP_SETUID |     \
	    1ull << CAP_SETGID)

/* The namespace backend leaves one more, which exec takes: with it nobody
 * inside can trace the newcomer. */
#define LEFT_BY_ANOTHER (KEPT | 1ull << CAP_WAKE_ALARM)

static int
get(struct __user_cap_header_struct *head,
    struct __user_cap_data_struct data[2])
{
	head->version = _LINUX_CAPABILITY_VERSION_3;
	head->pid = 0;
	return syscall(SYS_capget, head, data) != 0 ? -errno : 0;
}

static uint64_t
permitted(const struct __user_cap_data_struct data[2])
{
	return (uint64_t)data[1].permitted << 32 | data[0].permitted;
}

int
capabilities_are_many(void)
{
	struct __user_cap_header_struct head;
	struct __user_cap_data_struct data[2];

	return get(&head, data) < 0 || (permitted(data) & ~KEPT) != 0;
}

/*
 * Without new privileges execve gives none of them back, so where the bounding
 * set may not be made smaller nothing is lost.
 */
static int
shrink_bounds(void)
{
	int cap;

	for (cap = 0; cap < 64; cap++)
		if ((KEPT & 1ull << cap) == 0 &&
		    prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0)
			/* EINVAL: behind the last there is. */
			return errno == EINVAL || errno == EPERM ? 0 : -errno;
	return 0;
}

int
capabilities_give_up(const void *state)
{
	struct __user_cap_header_struct head;
	struct __user_cap_data_struct data[2];
	int ret;
	int i;

	(void)state;
	ret = get(&head, data);
	if (ret < 0)
		return ret;
	if ((permitted(data) & ~LEFT_BY_ANOTHER) == 0)
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -errno;
	ret = shrink_bounds();
	if (ret < 0)
		return ret;
	/* What is not permitted leaves the ambient set too. */
	for (i = 0; i < 2; i++) {
		const uint32_t kept = (uint32_t)(KEPT >> 32 * i);

		data[i].effective &= kept;
		data[i].permitted &= kept;
		data[i].inheritable &= kept;
	}
	return syscall(SYS_capset, &head, data) != 0 ? -errno : 0;
}
