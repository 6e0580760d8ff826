/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-place.c - see faults-place.h.
 */

#include "faults-place.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool
put(const char *dir, const char *rest, const char *content)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%.4000s%s", dir, rest);
	file = fopen(path, "w");
	return file != NULL && fputs(content, file) >= 0 && fclose(file) == 0;
}

static bool
make_dir(const char *dir, const char *rest)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.4000s%s", dir, rest);
	return mkdir(path, 0700) == 0;
}

static pid_t
start_outside(void)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static int
listen_at(const char *base)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%.90s/socket", base);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(fd, 4096) != 0)
		perror("# listen");
	return fd;
}

bool
faults_place_make(struct faults_place *place, const char *base)
{
	char lines[2 * PATH_MAX];

	memset(place, 0, sizeof(*place));
	snprintf(place->base, sizeof(place->base), "%s", base);
	snprintf(place->data_dir, PATH_MAX, "%.4000s/.omega", base);
	snprintf(place->config, PATH_MAX, "%.4000s/sandbox.conf", base);
	snprintf(place->blocked, PATH_MAX, "%.4000s/blocked", base);
	snprintf(place->errors, PATH_MAX, "%.4000s/errors", base);
	snprintf(place->said, PATH_MAX, "%.4000s/said", base);
	snprintf(
	    lines, sizeof(lines), "blocked_paths = {\"%s\"}\n", place->blocked);
	if (!make_dir(place->data_dir, "") ||
	    !make_dir(place->data_dir, "/data") ||
	    !make_dir(place->data_dir, "/workspace") ||
	    !put(place->data_dir, "/data/memory.db", FAULTS_PLACE_SECRET) ||
	    !put(place->data_dir, "/config.toml", FAULTS_PLACE_SECRET) ||
	    !put(place->blocked, "", FAULTS_PLACE_SECRET) ||
	    !put(place->config, "", lines) || !put(place->errors, "", "") ||
	    !put(place->said, "", ""))
		return false;
	place->listener = listen_at(base);
	place->pid = start_outside();
	snprintf(
	    place->outside, sizeof(place->outside), "%ld", (long)place->pid);
	return place->pid > 0;
}

void
faults_place_end(struct faults_place *place)
{
	if (place->pid <= 0)
		return;
	kill(place->pid, SIGKILL);
	waitpid(place->pid, NULL, 0);
	close(place->listener);
}
