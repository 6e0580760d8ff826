/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * build.h - the plugin's side of the conversation with the builder program.
 */

#ifndef NAMESPACE_BUILD_H
#define NAMESPACE_BUILD_H

#include <omega/sandbox-plugin.h>

#include "ops.h"
#include "request.h"

struct build {
	int fds[REQUEST_FD_MAX]; /* -1: none, or not asked for */
	struct request_reply reply; /* what failed */
};

/*
 * Have the operations carried out. 0: the descriptors are the caller's. Or
 * -errno, with reply telling what failed.
 */
int build_run(const struct omega_sandbox_host *host, const struct ops *ops,
    uint32_t flags, struct build *build);

/* Why no pid namespace can be made, as the last builder has said: errno; 0: it
 * can; -1: none was asked yet. */
int build_pids_error(void);

/* Close what build_run has opened. */
void build_close(struct build *build);

/* Tell a failure in one line, with what may be behind it. */
void build_explain(const struct build *build, char *text, size_t size);

#endif
