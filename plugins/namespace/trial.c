/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * trial.c - see trial.h.
 */

#include "trial.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int
try_once(
    const struct omega_sandbox_host *host, uint32_t flags, struct build *build)
{
	struct ops none = {.list = NULL};
	int ret;

	ret = build_run(host, &none, flags, build);
	if (ret == 0) {
		close(build->user_fd);
		close(build->mount_fd);
	}
	return ret;
}

/* Was it the user namespace that could not be had? */
static int
is_about_user(const struct request_reply *reply)
{
	static const char call[] = "unshare(CLONE_NEWUSER)";

	switch (reply->error) {
	case EPERM:
	case EACCES:
	case ENOSPC:
	case EUSERS:
	case EINVAL:
		return strncmp(reply->what, call, sizeof(call) - 1) == 0 ||
		       strcmp(reply->what, "uid_map") == 0;
	default:
		return 0;
	}
}

int
trial_make(const struct omega_sandbox_host *host, struct caller *caller,
    struct build *build)
{
	struct request_reply first;
	int ret;

	ret = try_once(host, caller->flags, build);
	if (ret == 0 || !caller->can_mount || !is_about_user(&build->reply))
		return ret;
	first = build->reply;
	if (try_once(host, REQUEST_IS_ROOT | REQUEST_IS_PLAIN, build) == 0) {
		caller->flags = REQUEST_IS_ROOT | REQUEST_IS_PLAIN;
		ret = 0;
	}
	/* What the chroot is called is the better explanation. */
	if (ret == 0 || strcmp(build->reply.what, REQUEST_CHROOT) != 0)
		build->reply = first;
	return ret;
}
