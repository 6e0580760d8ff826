/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * agreement-tries.c - see agreement-tries.h.
 */

#include "agreement-tries.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

/* ---- In the worker --------------------------------------------------------
 */

/* A directory is read when a name is seen, a file when a byte is. */
static int
try_read(const char *path)
{
	struct dirent *entry = NULL;
	DIR *dir = opendir(path);
	ssize_t got;
	char byte;
	int fd;

	if (dir != NULL) {
		while (
		    (entry = readdir(dir)) != NULL && entry->d_name[0] == '.')
			;
		closedir(dir);
		return entry != NULL ? 0 : ENOENT;
	}
	if (errno != ENOTDIR)
		return errno;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno;
	got = read(fd, &byte, 1);
	close(fd);
	return got == 1 || strncmp(path, "/dev/", 5) == 0 ? 0 : ENODATA;
}

/* What is written is found again by its number. */
static int
try_write(const char *path, size_t number)
{
	char token[32];
	int len = snprintf(token, sizeof(token), "<%zu>\n", number);
	int fd = open(
	    path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0755);
	int error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, token, (size_t)len) != len)
		error = errno;
	close(fd);
	return error;
}

/* The content is no program: the kernel says so once it may look at it. */
static int
try_execute(const char *path)
{
	char *const argv[] = {(char *)(uintptr_t)path, NULL};
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (pid == 0) {
		execv(path, argv);
		_exit(errno);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return ECHILD;
	return WEXITSTATUS(status) == ENOEXEC ? 0 : WEXITSTATUS(status);
}

static int
try_one(char letter, const char *path, size_t number)
{
	if (letter == 'r')
		return try_read(path);
	return letter == 'w' ? try_write(path, number) : try_execute(path);
}

static void
work(struct omega_sandbox_prepared *prepared, struct tries *tries)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	size_t i;

	/* Else one's own entries in /proc are root's. */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	if (prepared != NULL &&
	    omega_sandbox_confine_self(prepared, &error) != 0) {
		snprintf(tries->why, sizeof(tries->why), "%.500s", error.text);
		_exit(1);
	}
	tries->is_confined = 1;
	for (i = 0; i < tries->count; i++) {
		struct trial *trial = &tries->list[i];

		trial->error = try_one(trial->letter, trial->path, i);
	}
	_exit(0);
}

int
tries_main(int argc, char **argv)
{
	int i;

	for (i = 2; i + 1 < argc; i += 2)
		printf("%d\n",
		    try_one(argv[i][0], argv[i + 1], (size_t)(i - 2) / 2));
	return fflush(stdout) == 0 ? 0 : 1;
}

/* ---- Outside --------------------------------------------------------------
 */

/* Is the number in the real file? Devices and /proc keep nothing. */
static bool
has_token(const char *path, size_t number)
{
	char token[32];
	char content[16384];
	ssize_t len;
	int fd;

	if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
		return true;
	snprintf(token, sizeof(token), "<%zu>\n", number);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, content, sizeof(content) - 1);
	if (fd >= 0)
		close(fd);
	if (len < 0)
		return false;
	content[len] = '\0';
	return strstr(content, token) != NULL;
}

void
tries_add(struct tries *tries, char letter, const char *path)
{
	struct trial *trial = &tries->list[tries->count];

	if (tries->count == MAX_TRIES)
		abort();
	tries->count++;
	snprintf(trial->path, sizeof(trial->path), "%s", path);
	trial->letter = letter;
	trial->was_there = euidaccess(path, F_OK) == 0;
	trial->error = -1;
}

/* Look at what was written, and take away what was made. */
static void
see_effects(struct tries *tries)
{
	size_t i;

	for (i = 0; i < tries->count; i++) {
		struct trial *trial = &tries->list[i];

		if (trial->letter == 'w' && trial->error == 0 &&
		    !has_token(trial->path, i))
			trial->error = ENOLINK; /* it went nowhere */
	}
	for (i = 0; i < tries->count; i++)
		if (!tries->list[i].was_there) {
			char *real = realpath(tries->list[i].path, NULL);

			if (real != NULL)
				unlink(real);
			free(real);
		}
}

bool
tries_by_command(struct omega_sandbox_prepared *prepared, struct tries *tries)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_outcome end = OMEGA_SANDBOX_OUTCOME_INIT;
	struct omega_sandbox_command *command = NULL;
	struct omega_sandbox_child *child = NULL;
	char self[PATH_MAX] = "";
	FILE *answers = NULL;
	size_t i;
	int ret;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return false;
	ret = omega_sandbox_command_new(prepared, self, &command, &error);
	if (ret == 0) {
		must(omega_sandbox_command_add_arg(command, "try", NULL) == 0);
		for (i = 0; i < tries->count; i++) {
			char letter[2] = {tries->list[i].letter, '\0'};

			must(omega_sandbox_command_add_arg(
				 command, letter, NULL) == 0);
			must(omega_sandbox_command_add_arg(
				 command, tries->list[i].path, NULL) == 0);
		}
		must(omega_sandbox_command_set(command, "dir", "/", NULL) == 0);
		must(omega_sandbox_command_set_stdio(
			 command, 1, OMEGA_SANDBOX_STDIO_PIPE, -1, NULL) == 0);
		/* A log of the tests would be a file on no list. */
		must(omega_sandbox_command_set_stdio(
			 command, 2, OMEGA_SANDBOX_STDIO_NULL, -1, NULL) == 0);
		ret = omega_sandbox_spawn(command, &child, &error);
	}
	if (ret == 0)
		answers = fdopen(omega_sandbox_child_take_stdio(child, 1), "r");
	for (i = 0; answers != NULL && i < tries->count; i++)
		if (fscanf(answers, "%d", &tries->list[i].error) != 1)
			tries->list[i].error = ENOMSG;
	if (answers != NULL)
		fclose(answers);
	if (ret == 0)
		ret = omega_sandbox_child_wait(child, -1, &end, &error) == 1
			  ? 0
			  : OMEGA_SANDBOX_E_SYSTEM;
	omega_sandbox_child_free(child);
	omega_sandbox_command_unref(command);
	if (ret != 0 || end.status != 0)
		printf("# the command ended with %d: %s\n", end.status,
		    error.text);
	see_effects(tries);
	return ret == 0 && end.status == 0;
}

bool
tries_by_worker(struct omega_sandbox_prepared *prepared, struct tries *tries)
{
	int status = -1;
	pid_t pid;

	tries->is_confined = 0;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		work(prepared, tries);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
		printf("# the worker ended with %#x: %s\n", (unsigned)status,
		    tries->why);
		return false;
	}
	see_effects(tries);
	return true;
}

struct tries *
tries_new(void)
{
	struct tries *tries = mmap(NULL, sizeof(*tries), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return tries == MAP_FAILED ? NULL : tries;
}
