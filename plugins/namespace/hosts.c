/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * hosts.c - see plan.h.
 *
 * The helper is started before there is a network namespace, since nobody
 * could lead it back out of one.
 */

#include "plan.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
hosts_are_listed(const struct setup *setup)
{
	return setup->network.is_usable && setup->request.hosts != NULL &&
	       setup->request.hosts[0] != NULL;
}

static int
add_lines(struct texts *text, const char *sign, const char *const *list)
{
	int ret = 0;

	for (; ret == 0 && list != NULL && *list != NULL; list++) {
		ret = texts_append(text, sign, 1);
		if (ret == 0)
			ret = texts_append(text, *list, strlen(*list));
		if (ret == 0)
			ret = texts_append(text, "\n", 1);
	}
	return ret;
}

/* What it is to let through, in one packet. */
static int
tell(int fd, const struct omega_sandbox_request *request)
{
	struct texts text = {.bytes = NULL};
	int ret;

	ret = add_lines(&text, "+", request->hosts);
	if (ret == 0)
		ret = add_lines(&text, "-", request->deny_hosts);
	if (ret == 0 && (request->flags & OMEGA_SANDBOX_REQUEST_ANY_NAME) != 0)
		ret = texts_append(&text, "!\n", 2);
	if (ret == 0 && text.size > OMEGA_SANDBOX_HOSTS_MAX_TEXT)
		ret = -E2BIG;
	if (ret == 0 &&
	    send(fd, text.bytes, text.size, MSG_NOSIGNAL) != (ssize_t)text.size)
		ret = -errno;
	free(text.bytes);
	return ret;
}

int
hosts_start(const struct omega_sandbox_host *host,
    const struct omega_sandbox_request *request)
{
	int pair[2] = {-1, -1};
	int program;
	int status = 0;
	pid_t pid;
	int ret;

	program = host->open_helper(host, OMEGA_SANDBOX_HOSTS_PROGRAM);
	ret = program < 0 ? program : build_move_up(&program);
	if (ret == 0 &&
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		ret = -errno;
	if (ret == 0)
		ret = build_move_up(&pair[0]);
	if (ret == 0)
		ret = build_move_up(&pair[1]);
	if (ret == 0)
		ret = build_start(
		    program, OMEGA_SANDBOX_HOSTS_PROGRAM, pair[1], -1, &pid);
	if (ret == 0) {
		/* It leaves another behind, which is nobody's child. */
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			continue;
		ret = tell(pair[0], request);
	}
	if (program >= 0)
		close(program);
	if (pair[1] >= 0)
		close(pair[1]);
	if (ret == 0)
		return pair[0];
	if (pair[0] >= 0)
		close(pair[0]);
	return ret;
}

/* A proxy cannot be reached unless it is listed, and who has none asks the
 * hosts themselves. */
int
hosts_add(const struct build *build, struct omega_sandbox_launch *launch)
{
	static const char *const variables[] = {"http_proxy", "https_proxy",
	    "all_proxy", "ftp_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
	    "FTP_PROXY", NULL};
	int ret = launch->set_hosts(launch, build->link);
	size_t i;

	for (i = 0; ret == 0 && variables[i] != NULL; i++)
		ret = launch->set_env(launch, variables[i], NULL);
	return ret;
}
