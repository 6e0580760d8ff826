/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * trust.c - omega-sandbox trust: believe what a project asks for, as its file
 * is now.
 */

#include "config.h"

#include "tool.h"

#include <sys/stat.h>
#include <fcntl.h>
#include <limits.h>

#include "../core/base/project-trust.h"

#define MAX_BYTES (1024 * 1024)

/* "~/.config/omega/trusted" and what is above, where they are missing. */
static void
make_dirs(char *name)
{
	char *slash = name;

	while ((slash = strchr(slash + 1, '/')) != NULL) {
		*slash = '\0';
		(void)mkdir(name, 0700);
		*slash = '/';
	}
}

/* What is kept of the file: its name, a newline, its content. -1: said. */
static ssize_t
read_project(const char *path, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%s\n", path);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	ssize_t got = 1;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		tool_error("trust: %s: %s", path,
		    fd < 0 && errno != ELOOP && errno != ENXIO
			? strerror(errno)
			: "it is not a regular file");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (got > 0 && used < size) {
		got = read(fd, text + used, size - used);
		used += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	if (got < 0 || used == size) {
		tool_error("trust: %s: %s", path,
		    got < 0 ? strerror(errno) : "it is longer than 1 MiB");
		return -1;
	}
	return (ssize_t)used;
}

/* Beside it first: who looks meanwhile finds all of it or nothing. */
static int
keep(char *name, const char *text, size_t len)
{
	char *new = NULL;
	bool is_kept = false;
	int fd = -1;

	make_dirs(name);
	if (asprintf(&new, "%s.XXXXXX", name) < 0)
		return tool_error("out of memory");
	fd = mkstemp(new);
	if (fd >= 0)
		is_kept = write(fd, text, len) == (ssize_t)len &&
			  fsync(fd) == 0 && rename(new, name) == 0;
	if (!is_kept)
		tool_error("trust: %s: %s", name, strerror(errno));
	if (fd >= 0 && !is_kept)
		unlink(new);
	if (fd >= 0)
		close(fd);
	free(new);
	return is_kept ? TOOL_YES : TOOL_ERROR;
}

/* The directory; of one that is gone, by its name alone. */
static bool
find_dir(const char *word, bool is_revoked, char dir[PATH_MAX])
{
	char cwd[PATH_MAX] = "";
	size_t len = strlen(word);
	int size;

	if (realpath(word, dir) != NULL)
		return true;
	if (!is_revoked || errno != ENOENT ||
	    (word[0] != '/' && getcwd(cwd, sizeof(cwd)) == NULL))
		return false;
	while (len > 1 && word[len - 1] == '/')
		len--;
	size = snprintf(dir, PATH_MAX, "%s%s%.*s", cwd,
	    word[0] != '/' ? "/" : "", (int)len, word);
	return size < PATH_MAX;
}

static int
trust(struct tool_call *call)
{
	char dir[PATH_MAX];
	char path[PATH_MAX + sizeof(OMEGA_PROJECT_TRUST_FILE) + 1];
	const char *word = call->word_count > 0 ? call->words[0] : ".";
	char *name = NULL;
	char *text = NULL;
	ssize_t len;
	int status = TOOL_ERROR;

	if (call->word_count > 1)
		return tool_error(
		    "trust: one directory at a time, not also '%s'",
		    call->words[1]);
	if (!find_dir(word, call->options.is_revoked, dir))
		return tool_error("trust: %s: %s", word, strerror(errno));
	snprintf(path, sizeof(path), "%s/" OMEGA_PROJECT_TRUST_FILE,
	    strcmp(dir, "/") == 0 ? "" : dir);
	if (omega_project_trust_name(path, &name) < 0)
		return tool_error("trust: no home directory is known");
	if (call->options.is_revoked) {
		status =
		    unlink(name) == 0 || errno == ENOENT
			? TOOL_YES
			: tool_error("trust: %s: %s", name, strerror(errno));
	} else {
		text = malloc(MAX_BYTES + sizeof(path));
		len = text == NULL
			  ? -1
			  : read_project(path, text, MAX_BYTES + sizeof(path));
		if (len >= 0)
			status = keep(name, text, (size_t)len);
	}
	if (status == TOOL_YES) {
		fputs(call->options.is_revoked ? "no longer trusted: "
					       : "trusted as it is now: ",
		    stdout);
		tool_print_visible(path);
		putchar('\n');
	}
	free(text);
	free(name);
	return status;
}

const struct tool_verb tool_trust = {
    .name = "trust",
    .summary = "believe what a project's file asks for",
    .run = trust,
    .options = "revoke",
    .usage = "[OPTION...] [DIR]",
    .help =
	"Lets run and the other verbs believe " OMEGA_PROJECT_TRUST_FILE
	" of DIR (default: the\n"
	"current directory) when that is the work directory. A file that has\n"
	"changed since is not believed: read it, and say so again.\n",
    .exit_help = "Exit: 0, or 2 after an error.\n",
};
