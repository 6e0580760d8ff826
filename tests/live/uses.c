/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * uses.c - what an ordinary program does and must be able to do, and the
 * main function of attempts.
 */

#include "harness.h"

#include "attempts.h"

#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USE(name) static int name(const char *dir, const char *arg)

static int
result(long ret)
{
	return ret < 0 ? (errno == 0 ? EIO : errno) : 0;
}

static int
save(const char *dir, const char *rest)
{
	char path[2 * PATH_MAX];
	char other[2 * PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, rest);
	snprintf(other, sizeof(other), "%s/%s.new", dir, rest);
	fd = open(other, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) != 0 ||
	    chmod(other, 0644) != 0 || rename(other, path) != 0)
		return errno;
	return result(unlink(path));
}

USE(save_in_workspace)
{
	(void)arg;
	return save(dir, "workspace/note");
}

USE(save_in_home)
{
	(void)arg;
	return save(dir, "../note");
}

USE(move_between)
{
	char from[PATH_MAX + 32];
	char to[PATH_MAX + 32];

	(void)arg;
	snprintf(from, sizeof(from), "%s/workspace/file", dir);
	snprintf(to, sizeof(to), "%s/workspace/sub", dir);
	if (mkdir(to, 0700) != 0 && errno != EEXIST)
		return errno;
	strcat(to, "/file");
	return result(rename(from, to)) != 0 ? errno : result(rename(to, from));
}

USE(save_in_tmp)
{
	(void)dir;
	(void)arg;
	return save("/tmp", "omega-note");
}

USE(save_in_shm)
{
	int fd = shm_open("/omega-test", O_CREAT | O_RDWR, 0600);

	(void)dir;
	(void)arg;
	shm_unlink("/omega-test");
	return result(fd);
}

USE(devices)
{
	static const char *const names[] = {
	    "null", "zero", "full", "random", "urandom", NULL};
	char path[32];
	int i;

	(void)dir;
	(void)arg;
	for (i = 0; names[i] != NULL; i++) {
		snprintf(path, sizeof(path), "/dev/%s", names[i]);
		if (open(path, O_RDWR) < 0)
			return errno;
	}
	return result(write(open("/dev/null", O_WRONLY), "x", 1));
}

USE(pseudo_terminal)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY);

	(void)dir;
	(void)arg;
	if (fd < 0 || grantpt(fd) != 0 || unlockpt(fd) != 0)
		return errno;
	return result(open(ptsname(fd), O_RDWR | O_NOCTTY));
}

USE(own_socket)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int server = socket(AF_UNIX, SOCK_STREAM, 0);
	int client = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)arg;
	snprintf(at.sun_path, sizeof(at.sun_path), "%.80s/workspace/s", dir);
	unlink(at.sun_path);
	if (bind(server, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(server, 1) != 0)
		return errno;
	return result(connect(client, (struct sockaddr *)&at, sizeof(at)));
}

USE(own_trace)
{
	int status;
	pid_t pid = fork();

	(void)dir;
	(void)arg;
	if (pid == 0) {
		pause();
		_exit(0);
	}
	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) != 0)
		return errno;
	waitpid(pid, &status, 0);
	ptrace(PTRACE_KILL, pid, NULL, NULL);
	waitpid(pid, &status, 0);
	return 0;
}

USE(read_proc)
{
	(void)dir;
	(void)arg;
	return result(open("/proc/self/status", O_RDONLY)) != 0
		   ? errno
		   : result(open("/proc/sys/kernel/osrelease", O_RDONLY));
}

USE(run_shell)
{
	(void)dir;
	(void)arg;
	return system("echo x | cat >/dev/null && (sleep 0 & wait)") == 0 ? 0
									  : EIO;
}

USE(root_chown)
{
	char path[PATH_MAX + 32];

	(void)arg;
	snprintf(path, sizeof(path), "%s/workspace/owned", dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	if (chown(path, 1234, 1234) != 0)
		return errno;
	/* Not ours any more, and mode 600: DAC_OVERRIDE and FOWNER. */
	if (open(path, O_RDWR) < 0 || chmod(path, 0640) != 0)
		return errno;
	return result(unlink(path));
}

USE(root_become_user)
{
	(void)dir;
	(void)arg;
	if (setgid(1000) != 0 || setuid(1000) != 0)
		return errno;
	return pseudo_terminal(dir, arg);
}

#define BOTH ATTEMPTS_USE, 0
#define ROOT ATTEMPTS_USE, 1
const struct attempt attempts_of_use[] = {
    {"save in the workspace", BOTH, save_in_workspace},
    {"save in the home directory", BOTH, save_in_home},
    {"move within the workspace", BOTH, move_between},
    {"save in /tmp", BOTH, save_in_tmp},
    {"shared memory", BOTH, save_in_shm},
    {"devices", BOTH, devices},
    {"pseudo terminal", BOTH, pseudo_terminal},
    {"socket of its own", BOTH, own_socket},
    {"ptrace of its own", BOTH, own_trace},
    {"read /proc", BOTH, read_proc},
    {"shell", BOTH, run_shell},
    {"give a file away", ROOT, root_chown},
    {"become a user", ROOT, root_become_user},
    {NULL, BOTH, NULL},
};

/* Wait for DIR/workspace/go, then read a file: a command that runs. */
static int
wait_and_read(const char *dir, const char *file)
{
	char path[PATH_MAX + 32];
	int waited = 0;

	snprintf(path, sizeof(path), "%s/workspace/go", dir);
	while (access(path, F_OK) != 0 && wait_a_little(&waited))
		continue;
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return attempts_read_secret(path);
}

int
attempts_main(int argc, char **argv)
{
	static const struct attempt *const lists[] = {attempts_on_data,
	    attempts_on_mounts, attempts_on_system, attempts_of_use, NULL};
	const struct attempt *at;
	int i;

	if (argc < 4 || strcmp(argv[1], "attempt") != 0)
		return -1;
	if (strcmp(argv[2], "wait and read") == 0)
		return wait_and_read(
		    argv[3], argc > 4 ? argv[4] : "config.toml");
	if (strcmp(argv[2], "read") == 0 && argc > 4 &&
	    strcmp(argv[4], "path") == 0)
		return attempts_read_secret(argv[3]);
	for (i = 0; lists[i] != NULL; i++)
		for (at = lists[i]; at->name != NULL; at++)
			if (strcmp(at->name, argv[2]) == 0)
				return at->fn(argv[3], argc > 4 ? argv[4] : "");
	return 250;
}
