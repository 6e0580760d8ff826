/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * trial.c - see trial.h.
 */

#include "trial.h"

#include <errno.h>
#include <string.h>

static int
try_once(
    const struct omega_sandbox_host *host, uint32_t flags, struct build *build)
{
	struct ops none = {.list = NULL};
	int ret;

	ret = build_run(host, &none, flags, build);
	if (ret == 0)
		build_close(build);
	return ret;
}

/* Was it the network namespace that could not be had? */
static int
is_about_network(const struct request_reply *reply)
{
	return strcmp(reply->what, REQUEST_UNSHARE_NETWORK) == 0 ||
	       strcmp(reply->what, REQUEST_LOOPBACK) == 0;
}

/* With a network namespace if one is wanted, else or failing that without. */
static int
try_both(const struct omega_sandbox_host *host, uint32_t flags,
    struct trial_network *network, struct build *build)
{
	int ret;

	if (network == NULL)
		return try_once(host, flags, build);
	memset(network, 0, sizeof(*network));
	ret = try_once(host, flags | REQUEST_NEW_NETWORK, build);
	if (ret == 0)
		network->is_usable = 1;
	else
		build_explain(build, network->why, sizeof(network->why));
	if (ret == 0 || ret == -ENOMEM || !is_about_network(&build->reply))
		return ret;
	return try_once(host, flags, build);
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
    struct trial_network *network, struct build *build)
{
	struct request_reply first;
	int ret;

	ret = try_both(host, caller->flags, network, build);
	if (ret == 0 || !caller->can_mount || !is_about_user(&build->reply))
		return ret;
	first = build->reply;
	if (try_both(host, REQUEST_IS_ROOT | REQUEST_IS_PLAIN, network,
		build) == 0) {
		caller->flags = REQUEST_IS_ROOT | REQUEST_IS_PLAIN;
		ret = 0;
	}
	/* What the chroot is called is the better explanation. */
	if (ret == 0 || strcmp(build->reply.what, REQUEST_CHROOT) != 0)
		build->reply = first;
	return ret;
}
