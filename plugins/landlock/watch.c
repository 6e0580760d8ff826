/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * watch.c - see watch.h.
 */

#include "watch.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/capability.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* CAP_SYS_ADMIN stands in for the other. */
#define WATCH (1ull << CAP_PERFMON | 1ull << CAP_SYS_ADMIN)

static int
get(struct __user_cap_header_struct *head,
    struct __user_cap_data_struct data[2])
{
	head->version = _LINUX_CAPABILITY_VERSION_3;
	head->pid = 0;
	return syscall(SYS_capget, head, data) != 0 ? -errno : 0;
}

int
watch_is_allowed(void)
{
	struct __user_cap_header_struct head;
	struct __user_cap_data_struct data[2];

	if (get(&head, data) < 0)
		return 1;
	return (((uint64_t)data[1].permitted << 32 | data[0].permitted) &
		   WATCH) != 0;
}

int
watch_is_public(void)
{
	char text[16] = "";
	ssize_t n;
	int fd;

	fd = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno != ENOENT; /* a kernel without */
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n <= 0 || strtol(text, NULL, 10) <= 0;
}

int
watch_give_up(const void *state)
{
	struct __user_cap_header_struct head;
	struct __user_cap_data_struct data[2];
	int ret;
	int i;

	(void)state;
	ret = get(&head, data);
	if (ret < 0)
		return ret;
	for (i = 0; i < 2; i++) {
		uint32_t keep = ~(uint32_t)(WATCH >> 32 * i);

		data[i].effective &= keep;
		data[i].permitted &= keep;
		data[i].inheritable &= keep;
	}
	/* Without new privileges execve gives none of them back. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_capset, &head, data) != 0)
		return -errno;
	return 0;
}
