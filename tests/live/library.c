/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * library.c - see library.h.
 */

#include "library.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spawning.h"

static struct omega_sandbox_prepared *
prepare(struct omega_sandbox *sandbox, const char *dir, const char *backend)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_prepared *prepared = NULL;
	struct omega_sandbox_policy *policy = NULL;

	if (omega_sandbox_policy_new(sandbox, NULL, &policy, &error) < 0 ||
	    omega_sandbox_policy_set(policy, "data_dir", dir, &error) < 0 ||
	    (backend != NULL && omega_sandbox_policy_set(
				    policy, "backend", backend, &error) < 0) ||
	    omega_sandbox_prepare(policy, &prepared, &error) < 0)
		fprintf(stderr, "# prepare: %s\n", error.text);
	omega_sandbox_policy_unref(policy);
	return prepared;
}

/* The default list, and launcher_sockets: whether any process of the machine
 * has a socket with a relative name is not what these tests are about. */
static const char accepted[] =
    "accept = {metadata, outside_signals, abstract_sockets, outside_sockets, "
    "aliases, replaced_files, absent_paths, execute, launcher_sockets}\n";

bool
library_open(struct library *library, const char *base, const char *dir,
    const char *lines)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	char path[PATH_MAX + 32];
	FILE *file;

	memset(library, 0, sizeof(*library));
	snprintf(path, sizeof(path), "%s/sandbox.conf", base);
	file = fopen(path, "w");
	if (file == NULL || fputs(accepted, file) < 0 ||
	    fputs(lines, file) < 0 || fclose(file) != 0)
		return false;
	if (omega_sandbox_open(path, NULL, NULL, &library->sandbox, &error) <
	    0) {
		fprintf(stderr, "# open: %s\n", error.text);
		return false;
	}
	library->outside = prepare(library->sandbox, dir, "noop");
	library->inside = prepare(library->sandbox, dir, NULL);
	return library->inside != NULL && library->outside != NULL;
}

void
library_close(struct library *library)
{
	omega_sandbox_prepared_unref(library->inside);
	omega_sandbox_prepared_unref(library->outside);
	omega_sandbox_unref(library->sandbox);
	memset(library, 0, sizeof(*library));
}

struct omega_sandbox_command *
library_command(
    struct omega_sandbox_prepared *prepared, const char *const *words)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_command *command = NULL;

	if (omega_sandbox_command_new(prepared, *words, &command, &error) < 0) {
		fprintf(stderr, "# command: %s\n", error.text);
		return NULL;
	}
	must(omega_sandbox_command_set(command, "dir", "/", NULL) == 0);
	while (*++words != NULL)
		must(omega_sandbox_command_add_arg(command, *words, NULL) == 0);
	return command;
}

int
library_run(struct omega_sandbox_prepared *prepared, const char *const *words)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command =
	    library_command(prepared, words);
	int ret;

	if (command == NULL)
		return 1000;
	ret = omega_sandbox_run(command, &end, &error);
	omega_sandbox_command_unref(command);
	if (ret < 0) {
		fprintf(stderr, "# run: %s\n", error.text);
		return 1000 - ret;
	}
	return end.signal != 0 ? 128 + end.signal : end.status;
}

/* For world.c. */
int
driver_run(struct driver *driver, char *const argv[])
{
	return library_run(driver->host.core, (const char *const *)argv);
}

const char *
library_self(void)
{
	static char self[PATH_MAX];

	if (self[0] == '\0' &&
	    readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		self[0] = '\0';
	return self;
}

int
library_main(int argc, char **argv)
{
	if (argc != 3 || strcmp(argv[1], "read") != 0)
		return -1;
	return attempts_read_secret(argv[2]);
}

int
library_rounds(int many)
{
	const char *asked = getenv("OMEGA_TEST_ROUNDS");

	if (asked != NULL && atoi(asked) > 0)
		return atoi(asked);
	return rounds_of(many);
}

char *
library_mounts(void)
{
	FILE *file = fopen("/proc/self/mountinfo", "r");
	size_t size = 1 << 20;
	char *text = calloc(1, size);
	size_t used = 0;

	while (text != NULL && file != NULL && !feof(file) && used < size - 1)
		used += fread(text + used, 1, size - 1 - used, file);
	if (file != NULL)
		fclose(file);
	return text == NULL ? NULL : realloc(text, used + 1);
}

int
library_children(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int count = 0;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		char path[300];
		char text[512] = "";
		const char *at;
		int parent = 0;
		int fd;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (read(fd, text, sizeof(text) - 1) > 0 &&
		    (at = strrchr(text, ')')) != NULL &&
		    sscanf(at + 2, "%*c %d", &parent) == 1)
			count += parent == getpid();
		close(fd);
	}
	if (dir != NULL)
		closedir(dir);
	return count;
}
