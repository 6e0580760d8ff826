/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * fresh.c - see ruleset.h.
 */

#include "ruleset.h"

#include <sys/eventfd.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

#define PROC "/proc"
#define MOST_STARTS 1000

void
fresh_begin(struct fresh *fresh)
{
	struct stat st;

	memset(fresh, 0, sizeof(*fresh));
	fresh->tickets = -1;
	if (stat(PROC, &st) == 0)
		fresh->device = st.st_dev;
}

void
fresh_note(struct fresh *fresh, int fd, uint64_t device, uint64_t rights)
{
	char link[32];
	char path[sizeof(fresh->list[0].path)];
	ssize_t len;

	if (fresh->device == 0 || device != fresh->device)
		return;
	snprintf(link, sizeof(link), PROC "/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	/* Others than the short and few are the host's processes. */
	if (len < 0 || len == (ssize_t)sizeof(path) - 1 ||
	    fresh->count == FRESH_MOST)
		return;
	path[len] = '\0';
	memcpy(fresh->list[fresh->count].path, path, sizeof(path));
	fresh->list[fresh->count++].rights = rights;
}

static int
has_ended(const void *state)
{
	struct pollfd set = {.fd = *(const int *)state, .events = POLLIN};

	return poll(&set, 1, 0) == 0;
}

int
fresh_finish(struct fresh *fresh, struct omega_sandbox_launch *launch)
{
	int fd;
	int ret;

	if (fresh->count == 0)
		return 0;
	fd = eventfd(MOST_STARTS, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = launch->keep_fd(launch, fd);
	close(fd);
	if (ret < 0)
		return ret;
	fresh->tickets = ret;
	return launch->add_check(
	    launch, has_ended, &fresh->tickets, sizeof(fresh->tickets));
}

int
fresh_allow(const struct fresh *fresh, int ruleset)
{
	struct calls_path_beneath rule;
	uint64_t ticket;
	struct stat st;
	uint32_t i;
	int ret = 0;

	if (fresh->count == 0 || stat(PROC, &st) != 0 ||
	    st.st_dev == fresh->device)
		return 0;
	for (i = 0; ret == 0 && i < fresh->count; i++) {
		rule.allowed = fresh->list[i].rights;
		rule.parent_fd =
		    open(fresh->list[i].path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (rule.parent_fd < 0)
			continue; /* a process of the host */
		if (calls_allow(ruleset, &rule) != 0)
			ret = -errno;
		close(rule.parent_fd);
	}
	(void)!read(fresh->tickets, &ticket, sizeof(ticket));
	return ret;
}
