/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * attempt.c - see attempt.h.
 */

#include "config.h"

#include "attempt.h"

#include <stdarg.h>

#include "../tool.h"

#define SECONDS 10

static const struct attempt *const tables[] = {attempt_reads, attempt_changes,
    attempt_mounts, attempt_reals, attempt_makes, attempt_processes,
    attempt_machine, attempt_network, attempt_limits, attempt_stays};

const struct attempt *
attempt_get(unsigned index)
{
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		const struct attempt *attempt = tables[i];

		for (; attempt->name != NULL; attempt++)
			if (index-- == 0)
				return attempt;
	}
	return NULL;
}

char *
attempt_format(char space[2 * PATH_MAX], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(space, 2 * PATH_MAX, format, args);
	va_end(args);
	return space;
}

int
attempt_read_token_fd(const struct attempt_input *in, int fd)
{
	char text[128] = "";
	ssize_t n;

	if (fd < 0)
		return errno;
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return errno;
	/* An empty mask can be opened by root: content decides. */
	return strstr(text, in->token) != NULL ? 0 : ENODATA;
}

int
attempt_read_token(const struct attempt_input *in, const char *path)
{
	return attempt_read_token_fd(in, open(path, O_RDONLY | O_CLOEXEC));
}

/* "PATH" or "DEVICE:INODE=PATH", up to the end of the line, which is told. */
static const char *
take_sample(const char *line, struct attempt_sample *sample)
{
	const char *path = strchr(line, '/');
	char *end = NULL;
	size_t len;

	memset(sample, 0, sizeof(*sample));
	if (path == NULL)
		return NULL;
	if (path != line) {
		sample->dev = (dev_t)strtoull(line, &end, 10);
		sample->ino = (ino_t)strtoull(end + 1, NULL, 10);
	}
	len = strcspn(path, "\n");
	if (len >= sizeof(sample->path))
		return NULL;
	memcpy(sample->path, path, len);
	return path + len;
}

int
attempt_each(struct attempt_input *in,
    int (*fn)(struct attempt_input *in, const struct attempt_sample *sample))
{
	const char *at = in->extra;
	struct attempt_sample sample;
	int error = ENODATA;

	while (*at != '\0') {
		at = take_sample(at, &sample);
		if (at == NULL)
			return EINVAL;
		error = fn(in, &sample);
		if (error == 0) {
			snprintf(in->detail, sizeof(in->detail), "%.250s",
			    sample.path);
			return 0;
		}
		at += *at == '\n';
	}
	return error;
}

int
attempt_wait(pid_t pid)
{
	int status = 0;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

int
attempt_open(const struct attempt_input *in,
    const struct attempt_opening *opening, const char *path)
{
	const char *link = ATTEMPT_JOIN(in->free, "a-link");
	const char *other = ATTEMPT_PROC(in, "root");
	const int flags = opening->flags | O_CLOEXEC;
	int fd;

	switch (opening->way) {
	case ATTEMPT_BY_OWN_ROOT:
		return open(ATTEMPT_JOIN("/proc/self/root", path + 1), flags);
	case ATTEMPT_BY_OTHER_ROOT:
		return open(ATTEMPT_JOIN(other, path + 1), flags);
	case ATTEMPT_BY_LINK:
		unlink(link);
		return symlink(path, link) != 0 ? -1 : open(link, flags);
	case ATTEMPT_BY_DESCRIPTOR:
		fd = open(path, O_PATH | O_CLOEXEC);
		return fd < 0 ? -1 : open(ATTEMPT_FD(fd), flags);
	default:
		return open(path, flags);
	}
}

int
attempt_run(char *path)
{
	char *const argv[] = {path, NULL};
	pid_t pid = fork();

	if (pid == 0) {
		execv(path, argv);
		_exit(errno);
	}
	return attempt_wait(pid);
}

int
attempt_list(DIR *stream, const char *name)
{
	struct dirent *entry;

	if (stream == NULL)
		return errno;
	while ((entry = readdir(stream)) != NULL)
		if (name != NULL ? strcmp(entry->d_name, name) == 0
				 : strcmp(entry->d_name, ".") != 0 &&
				       strcmp(entry->d_name, "..") != 0)
			return 0;
	return ENODATA;
}

const char *
attempt_go_to(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		errno = ENOENT;
	else if (chdir(attempt_format(
		     ATTEMPT_SPACE, "%.*s", (int)(slash - path), path)) == 0)
		return slash + 1;
	return NULL;
}

/* Tell the tool that the program runs, and wait for its word. */
static int
meet(void)
{
	char byte;

	if (write(1, "ready\n", 6) != 6)
		return -1;
	return read(0, &byte, 1) == 1 ? 0 : -1;
}

static int
fill(struct attempt_input *in, char **argv)
{
	memset(in, 0, sizeof(*in));
	in->type = argv[2][0];
	in->is_outside = argv[2][0] != '\0' && argv[2][1] == 'o';
	in->target = argv[3];
	snprintf(in->file, sizeof(in->file), "%s%s", in->target,
	    in->type == 'd' ? "/" ATTEMPT_SECRET : "");
	snprintf(in->top, sizeof(in->top), "%s", argv[4]);
	snprintf(in->home, sizeof(in->home), "%s/%s", argv[4], ATTEMPT_HOME);
	snprintf(in->data_dir, sizeof(in->data_dir), "%s/%s", argv[4],
	    ATTEMPT_DATA_DIR);
	snprintf(in->free, sizeof(in->free), "%s", argv[9]);
	in->outside = (pid_t)strtol(argv[5], NULL, 10);
	in->token = argv[6];
	in->extra = argv[7];
	in->host_mounts = argv[8];
	return in->outside > 1 && in->token[0] != '\0' ? 0 : -1;
}

int
attempt_main(int argc, char **argv)
{
	const struct attempt *attempt;
	struct attempt_input in;
	char text[512];
	int result;
	int len;

	if (argc != 10 || fill(&in, argv) < 0)
		return tool_error("verify-attempt is for verify's own use");
	attempt = attempt_get((unsigned)strtoul(argv[1], NULL, 10));
	if (attempt == NULL)
		return tool_error("verify-attempt: no such attempt");
	alarm(SECONDS);
	if (attempt->need == ATTEMPT_REPLACED && meet() < 0)
		return TOOL_ERROR;
	in.how = attempt->how;
	errno = 0;
	result = attempt->fn(&in);
	len = snprintf(text, sizeof(text), "done %d %s\n", result, in.detail);
	return write(1, text, (size_t)len) == len ? TOOL_YES : TOOL_ERROR;
}
