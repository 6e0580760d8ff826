/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mock-launch.c - holds everything, and uses every part of the launch that is
 * open to a plugin without prefix: a kept descriptor which its step looks at,
 * the environment, flags, and a check that wants everything anew while the
 * file its option "changed" names exists.
 */

#include "mock.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const struct mock_behaviour mock_behaviour = {
    .held = MOCK_READS | MOCK_WRITES,
    .has_hardening = true,
    .phase = OMEGA_SANDBOX_PHASE_LIMITS,
};

struct look {
	int fd;
};

struct changed {
	char path[1024];
};

static const struct omega_sandbox_option shares = {
    .size = sizeof(struct omega_sandbox_option),
    .type = OMEGA_SANDBOX_OPTION_BOOL,
    .name = "shares",
    .help = "Set the flag SHARES.",
};

static const struct omega_sandbox_option separates = {
    .size = sizeof(struct omega_sandbox_option),
    .type = OMEGA_SANDBOX_OPTION_BOOL,
    .name = "separates",
    .help = "Set the flag SEPARATES.",
};

static const struct omega_sandbox_option changed = {
    .size = sizeof(struct omega_sandbox_option),
    .type = OMEGA_SANDBOX_OPTION_STRING,
    .name = "changed",
    .help = "Prepare anew while this file exists.",
};

static const struct omega_sandbox_option *const options[] = {
    &shares,
    &separates,
    &changed,
    NULL,
};

/* The descriptor must have survived until now. */
static int
look_step(const void *state)
{
	return fcntl(((const struct look *)state)->fd, F_GETFD) < 0 ? -errno
								    : 0;
}

static int
changed_check(const void *state)
{
	return access(((const struct changed *)state)->path, F_OK) == 0;
}

static int
launch_keep(struct omega_sandbox_launch *launch)
{
	struct look look;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	look.fd = launch->keep_fd(launch, fd);
	close(fd);
	if (look.fd < 0)
		return look.fd;
	return launch->add_step(launch, OMEGA_SANDBOX_PHASE_JOIN, "look_step",
	    look_step, &look, sizeof(look));
}

static int
launch_apply(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request,
    const struct omega_sandbox_atom *const *atoms, size_t count,
    struct omega_sandbox_launch *launch)
{
	const char *path = host->option_text(host, "changed");
	struct changed state = {""};
	uint32_t flags = 0;
	int ret = mock_apply(host, request, atoms, count, launch);

	if (ret == 0)
		ret = launch_keep(launch);
	if (ret == 0 && path != NULL && strlen(path) < sizeof(state.path)) {
		memcpy(state.path, path, strlen(path));
		ret = launch->add_check(
		    launch, changed_check, &state, sizeof(state));
	}
	if (ret == 0)
		ret = launch->set_env(launch, "OMEGA_MOCK_LAUNCH", "1");
	if (ret == 0)
		ret = launch->set_env(launch, "OMEGA_MOCK_REMOVED", NULL);
	if (host->option_int(host, "shares") != 0)
		flags |= OMEGA_SANDBOX_LAUNCH_SHARES;
	if (host->option_int(host, "separates") != 0)
		flags |= OMEGA_SANDBOX_LAUNCH_SEPARATES;
	if (ret == 0 && flags != 0)
		ret = launch->set_flags(launch, flags);
	return ret < 0 ? ret : 0;
}

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    MOCK_HEAD,
    .name = "mock-launch",
    .description = "mock: uses the whole launch",
    .options = options,
    .probe = mock_probe,
    .describe = mock_describe,
    .apply = launch_apply,
};
