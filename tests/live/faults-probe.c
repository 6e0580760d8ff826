/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-probe.c - see faults-probe.h.
 */

#include "faults-probe.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
can_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool
can_read_secret(const char *path)
{
	char text[sizeof(FAULTS_PLACE_SECRET)] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return false;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	return len > 0 && strcmp(text, FAULTS_PLACE_SECRET) == 0;
}

static bool
has_filter(void)
{
	char line[256];
	bool is_found = false;
	FILE *file = fopen("/proc/self/status", "r");

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strcmp(line, "Seccomp:\t2\n") == 0)
			is_found = true;
	if (file != NULL)
		fclose(file);
	return is_found && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

static bool
has_descriptors(void)
{
	int fd;

	for (fd = 3; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			return true;
	return false;
}

/* Some of these now, or of a program that is yet to be started? Without new
 * privileges that gets no more than we have. */
static bool
has_power(void)
{
	static const int powers[] = {CAP_SYS_ADMIN, CAP_SYS_PTRACE,
	    CAP_DAC_READ_SEARCH, CAP_MKNOD, CAP_CHECKPOINT_RESTORE};
	struct __user_cap_header_struct head = {
	    .version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	bool can_gain = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
	size_t i;

	if (syscall(SYS_capget, &head, data) != 0)
		return true;
	for (i = 0; i < sizeof(powers) / sizeof(*powers); i++)
		if ((data[powers[i] / 32].permitted & 1u << powers[i] % 32) !=
			0 ||
		    (can_gain &&
			prctl(PR_CAPBSET_READ, powers[i], 0, 0, 0) == 1))
			return true;
	return false;
}

static bool
can_connect(const char *base)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool is_there;

	snprintf(at.sun_path, sizeof(at.sun_path), "%.90s/socket", base);
	is_there = connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0;
	close(fd);
	return is_there;
}

/* The disks root could read behind everything else. */
static bool
can_read_disk(void)
{
	char path[300];
	struct dirent *entry;
	bool can = false;
	struct stat st;
	DIR *dir = opendir("/dev");

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		if (strncmp(entry->d_name, "loop", 4) != 0 &&
		    lstat(path, &st) == 0 && S_ISBLK(st.st_mode) &&
		    can_open(path, O_RDONLY | O_NONBLOCK))
			can = true;
	}
	if (dir != NULL)
		closedir(dir);
	return can;
}

int
faults_probe_expected(void)
{
	return FAULTS_PROBE_SECRET | FAULTS_PROBE_BLOCKED |
	       FAULTS_PROBE_CONFIG | FAULTS_PROBE_SIGNAL | FAULTS_PROBE_POWER |
	       FAULTS_PROBE_FILTER | FAULTS_PROBE_SOCKET |
	       (geteuid() == 0 ? FAULTS_PROBE_SYSTEM : 0) |
	       (can_read_disk() ? FAULTS_PROBE_DEVICE : 0);
}

static bool
put_at(const char *path, int which)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_APPEND | O_CLOEXEC);
	bool is_done = fd >= 0 && dup2(fd, which) == which;

	if (fd >= 0)
		close(fd);
	return is_done;
}

bool
faults_probe_redirect(const struct faults_place *place)
{
	return put_at(place->said, STDOUT_FILENO) &&
	       put_at(place->errors, STDERR_FILENO);
}

int
faults_probe_read(const struct faults_place *place)
{
	int said = FAULTS_PROBE_SILENT;
	FILE *file = fopen(place->said, "r");

	if (file != NULL && fscanf(file, "probe: %d", &said) != 1)
		said = FAULTS_PROBE_SILENT;
	if (file != NULL)
		fclose(file);
	return said;
}

/* The host had too little, we look whether it is safe. */
static void
take_back_limits(void)
{
	static const int all[] = {
	    RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_NPROC};
	struct rlimit limit;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		getrlimit(all[i], &limit);
		limit.rlim_cur = limit.rlim_max;
		setrlimit(all[i], &limit);
	}
}

static int
try_files(const char *base)
{
	char path[PATH_MAX];
	int found = 0;

	snprintf(path, sizeof(path), "%.4000s/.omega/data/memory.db", base);
	if (can_read_secret(path))
		found |= FAULTS_PROBE_SECRET;
	snprintf(path, sizeof(path), "%.4000s/blocked", base);
	if (can_read_secret(path))
		found |= FAULTS_PROBE_BLOCKED;
	snprintf(path, sizeof(path), "%.4000s/.omega/config.toml", base);
	if (can_open(path, O_WRONLY))
		found |= FAULTS_PROBE_CONFIG;
	if (can_open("/etc/passwd", O_WRONLY))
		found |= FAULTS_PROBE_SYSTEM;
	if (can_read_disk())
		found |= FAULTS_PROBE_DEVICE;
	return found;
}

int
faults_probe_main(int argc, char **argv)
{
	int found;

	if (argc < 4 || strcmp(argv[1], "probe") != 0)
		return -1;
	take_back_limits();
	found = has_descriptors() ? FAULTS_PROBE_FDS : 0;
	found |= try_files(argv[2]);
	if (kill((pid_t)atol(argv[3]), 0) == 0)
		found |= FAULTS_PROBE_SIGNAL;
	if (can_connect(argv[2]))
		found |= FAULTS_PROBE_SOCKET;
	if (!has_filter())
		found |= FAULTS_PROBE_FILTER;
	if (has_power())
		found |= FAULTS_PROBE_POWER;
	printf("probe: %d\n", found);
	return found != 0;
}
