/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * samples.c - files of a real place to try, and devices: see verify.h.
 */

#include "config.h"

#include "verify.h"

#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_SAMPLES 6
#define MAX_DEPTH 4

/* One more line. 0 or -errno. */
static int
add_sample(const char *path, char *extra, size_t size)
{
	size_t used = strlen(extra);
	struct stat st;
	int len;

	if (stat(path, &st) != 0)
		return -errno;
	len = snprintf(extra + used, size - used, "%s%llu:%llu=%s",
	    used > 0 ? "\n" : "", (unsigned long long)st.st_dev,
	    (unsigned long long)st.st_ino, path);
	if (len >= (int)(size - used)) {
		extra[used] = '\0';
		return -E2BIG;
	}
	return 0;
}

/* Files of the machine that are what one would write to; nothing is. */
static const char *const machine_files[] = {"/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger",
    "/proc/irq/default_smp_affinity", "/sys/kernel/uevent_helper",
    "/sys/kernel/mm/ksm/run", "/sys/power/state", "/sys/kernel/profiling",
    "/sys/module/kernel/parameters/panic", NULL};

static bool
is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(path, dir, len) == 0 &&
	       (path[len] == '/' || path[len] == '\0');
}

/* Regular files of a directory, some. */
static void
add_files(const char *dir, char *extra, size_t size)
{
	DIR *stream = opendir(dir);
	unsigned count = 0;
	struct dirent *entry;
	struct stat st;

	while (stream != NULL && count < MAX_SAMPLES &&
	       (entry = readdir(stream)) != NULL) {
		const char *path = ATTEMPT_JOIN(dir, entry->d_name);

		if (strchr(path, '\n') == NULL && lstat(path, &st) == 0 &&
		    S_ISREG(st.st_mode) && (st.st_mode & 07000) == 0 &&
		    add_sample(path, extra, size) == 0)
			count++;
	}
	if (stream != NULL)
		closedir(stream);
}

int
samples_take(const char *target, char type, char *extra, size_t size)
{
	size_t i;

	extra[0] = '\0';
	if (type == 'f')
		return add_sample(target, extra, size);
	for (i = 0; machine_files[i] != NULL; i++)
		if (is_below(machine_files[i], target))
			add_sample(machine_files[i], extra, size);
	if (extra[0] == '\0')
		add_files(target, extra, size);
	return extra[0] == '\0' ? -ENOENT : 0;
}

/* ---- Devices ------------------------------------------------------------- */

/*
 * Devices that nobody minds being written to, and those whose mere opening has
 * consequences: a watchdog starts, a tape is wound back, lines of a modem
 * change, a machine is about to be restored, a camera looks.
 */
static const char *const spared[] = {"null", "zero", "full", "random",
    "urandom", "tty", "ptmx", "watchdog*", "snapshot", "st[0-9]*", "nst[0-9]*",
    "lp[0-9]*", "parport*", "fd[0-9]*", "sr[0-9]*", "sg[0-9]*", "ppp", "rfkill",
    "ttyAMA*", "ttyUSB*", "ttyACM*", "hidraw*", "hpet", "mcelog", "cuse",
    "nvram", "cec*", "ipmi*", "tpm*", "video[0-9]*", "pcm*", NULL};

static bool
is_spared(const char *name)
{
	size_t i;

	for (i = 0; spared[i] != NULL; i++)
		if (fnmatch(spared[i], name, 0) == 0)
			return true;
	return false;
}

/* The terminal in use is the command's as well. */
static bool
is_own_terminal(const struct stat *device)
{
	struct stat st;
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
		    st.st_rdev == device->st_rdev)
			return true;
	return false;
}

/* Given back by the configuration, and so no part of the promise. */
static bool
is_allowed(const struct omega_sandbox *sandbox, const char *path)
{
	const char *given;
	size_t i;

	for (i = 0; (given = omega_sandbox_get_allowed_device(
			 sandbox, i, NULL, NULL)) != NULL;
	     i++)
		if (is_below(path, given))
			return true;
	return false;
}

/* What is shared with programs outside, as terminals and memory are. */
static bool
is_shared(const char *path)
{
	static const char *const paths[] = {
	    "/dev/pts", "/dev/shm", "/dev/mqueue", "/dev/hugepages", NULL};
	size_t i;

	for (i = 0; paths[i] != NULL; i++)
		if (strcmp(path, paths[i]) == 0)
			return true;
	return false;
}

static void
take_in(const struct omega_sandbox *sandbox, const char *dir, unsigned depth,
    char *extra, size_t size)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;
	char path[PATH_MAX];
	struct stat st;

	while (stream != NULL && (entry = readdir(stream)) != NULL) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
		    strchr(name, '\n') != NULL ||
		    snprintf(path, sizeof(path), "%s/%s", dir, name) >=
			(int)sizeof(path) ||
		    is_spared(name) || is_shared(path) ||
		    is_allowed(sandbox, path) || lstat(path, &st) != 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH)
			take_in(sandbox, path, depth + 1, extra, size);
		else if ((S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode)) &&
			 !is_own_terminal(&st))
			add_sample(path, extra, size);
	}
	if (stream != NULL)
		closedir(stream);
}

int
samples_take_devices(const struct omega_sandbox *sandbox, const char *target,
    char *extra, size_t size)
{
	extra[0] = '\0';
	if (strcmp(target, "/dev") != 0)
		return -ENODEV;
	take_in(sandbox, target, 0, extra, size);
	return extra[0] == '\0' ? -ENOENT : 0;
}
