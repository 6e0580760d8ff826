/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * namespace.c - the backend of user, mount and network namespaces.
 *
 * What must not be seen is mounted over, what must not change is mounted
 * read-only, once per preparation, by a small program that then ends. The
 * namespaces stay as descriptors, and every command joins them.
 *
 *   setup.c    which namespaces can be made     (probe)
 *              who asks, mask or shield         (describe and apply)
 *   holds.c    what is held of an atom          (describe)
 *   plan.c     atoms -> mount operations        (apply)
 *   build.c    the conversation with builder.c  (apply)
 *   join.c     child steps and parent's check   (apply)
 *   pids.c     a pid namespace for a command    (describe and apply)
 *   hosts.c    who joins it with listed hosts   (apply)
 */

#include <omega/sandbox-plugin.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "plan.h"

static int
namespace_probe(
    const struct omega_sandbox_host *host, struct omega_sandbox_probe *probe)
{
	struct setup_network network;
	struct caller caller;
	struct build build;
	int ret;

	places_caller(&caller);
	if (OMEGA_SANDBOX_HAS(probe, is_believing) && probe->is_believing) {
		memset(&network, 0, sizeof(network));
		network.is_usable = 1;
		ret = 0;
	} else {
		ret = setup_try(host, &caller, &network, &build);
	}
	if (ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE)
		return ret;
	probe->has_network = ret == 0 && network.is_usable;
	snprintf(probe->network_reason, sizeof(probe->network_reason), "%s",
	    network.why);
	if (ret < 0) {
		build_explain(&build, probe->reason, sizeof(probe->reason));
		return 0;
	}
	probe->is_usable = 1;
	if ((caller.flags & REQUEST_IS_PLAIN) != 0) {
		snprintf(probe->version, sizeof(probe->version), "plain");
		build_explain(&build, probe->reason, sizeof(probe->reason));
	} else {
		snprintf(probe->version, sizeof(probe->version), "%s",
		    caller.flags != 0 ? "all ids" : "one id");
	}
	return 0;
}

static int
namespace_describe(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_state *const *states)
{
	struct setup setup;
	size_t i;
	int ret;

	ret = setup_make(host, request, atoms, count, &setup);
	for (i = 0; ret == 0 && i < count; i++)
		holds_say(&setup, atoms[i], states[i]);
	setup_drop(&setup);
	return ret;
}

/* Confirm what describe says of the atoms, and nothing else. */
static int
confirm(const struct setup *setup, struct omega_sandbox_launch *launch)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < setup->count; i++) {
		struct omega_sandbox_state state = {.size = sizeof(state)};

		holds_say(setup, setup->atoms[i], &state);
		ret = launch->hold(
		    launch, setup->atoms[i], state.held | state.partial);
	}
	return ret;
}

/* Something, a socket maybe, went or was closed off since the plan was made. */
static int
is_gone(const struct request_reply *reply)
{
	return reply->error == ENOENT ||
	       (reply->error == EACCES && strcmp(reply->what, "open") == 0);
}

/* Plan and build; again if something went meanwhile. */
static int
make_namespaces(const struct setup *setup, struct ops *ops, struct build *build)
{
	uint32_t flags = setup->caller.flags;
	int link = -1;
	int tries = 5;
	int ret;

	if (setup->network.is_usable)
		flags |= REQUEST_NEW_NETWORK;
	if (hosts_are_listed(setup))
		flags |= REQUEST_HOSTS;
	if (setup->is_limited)
		flags |= REQUEST_CLOSE_ALL;
	if ((setup->request.flags & OMEGA_SANDBOX_REQUEST_USER_NAMESPACES) != 0)
		flags |= REQUEST_NESTS;

	do {
		ops_drop(ops);
		memset(&build->reply, 0, sizeof(build->reply));
		ret = plan_make(setup, ops);
		if (ret == 0 && (flags & REQUEST_HOSTS) != 0) {
			link = hosts_start(setup->host, &setup->request);
			if (link < 0) {
				build_cannot_start(
				    build, OMEGA_SANDBOX_HOSTS_PROGRAM, link);
				return link;
			}
		}
		if (ret == 0)
			ret = build_run(setup->host, ops, flags, link, build);
		if (ret == 0)
			build->link = link;
		else if (link >= 0)
			close(link);
		link = -1;
	} while (--tries > 0 && is_gone(&build->reply));
	/* A place that is about to be replaced cannot be mounted on. */
	if (ret == -ENOENT && strcmp(build->reply.what, "start") != 0)
		ret = -ESTALE;
	return ret;
}

static int
namespace_apply(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch)
{
	struct build build = {.link = -1};
	struct ops ops = {.list = NULL};
	struct setup setup;
	char text[256];
	int pids_error;
	int ret;

	ret = setup_make(host, request, atoms, count, &setup);
	if (ret == 0)
		ret = confirm(&setup, launch);
	if (ret == 0)
		ret = setup_create(&setup);
	if (ret == 0)
		ret = ways_find(&setup);
	if (ret == 0)
		ret = join_watch(&setup, launch);
	if (ret < 0)
		goto out;
	pids_error = build_pids_error();
	ret = make_namespaces(&setup, &ops, &build);
	/* Believed, and not so. */
	if (ret == 0 && build.reply.pids_error != 0 && pids_error <= 0 &&
	    setup.is_believing) {
		ret = -build.reply.pids_error;
		build_close(&build);
	}
	if (ret < 0 && build.reply.error != 0) {
		build_explain(&build, text, sizeof(text));
		launch->explain(launch, text);
	} else if (ret == -ESTALE) {
		launch->explain(
		    launch, "a protected place changed while it was prepared");
	} else if (ret == -E2BIG) {
		launch->explain(launch,
		    "too many places are to be protected one by one; deny "
		    "directories instead of the files in them");
	}
	if (ret < 0)
		goto out;
	ret = join_add(&setup, &build, &ops, launch);
	if (ret == 0)
		ret = pids_add(&setup, &build, &ops, launch);
	if (ret == 0)
		ret = join_witness(&setup, &ops, launch);
	if (ret == 0 && hosts_are_listed(&setup))
		ret = hosts_add(&build, launch);
	build_close(&build);
out:
	setup_drop(&setup);
	ops_drop(&ops);
	return ret;
}

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    .abi_version = OMEGA_SANDBOX_PLUGIN_ABI,
    .struct_size = sizeof(struct omega_sandbox_plugin),
    .flags = OMEGA_SANDBOX_PLUGIN_CHANGES_MOUNTS,
    .name = "namespace",
    .description = "user, mount and network namespace: protected places, "
		   "processes, network",
    .probe = namespace_probe,
    .describe = namespace_describe,
    .apply = namespace_apply,
};
