/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * plugins.c - see plugins.h.
 */

#include "plugins.h"

#include "harness.h"

#include <sys/stat.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
copy_file(const char *from, const char *to, unsigned mode)
{
	char buffer[65536];
	size_t n;
	FILE *in = fopen(from, "rb");
	FILE *out = fopen(to, "wb");

	if (in == NULL || out == NULL)
		fail_msg("copy %s to %s: %s", from, to, strerror(errno));
	while ((n = fread(buffer, 1, sizeof(buffer), in)) > 0)
		if (fwrite(buffer, 1, n, out) != n)
			fail_msg("write %s: %s", to, strerror(errno));
	if (ferror(in) || fclose(in) != 0 || fclose(out) != 0 ||
	    chmod(to, mode) != 0)
		fail_msg("copy %s to %s: %s", from, to, strerror(errno));
}

static const char *
build_dir(void)
{
	const char *dir = getenv("top_builddir");

	return dir != NULL ? dir : ".";
}

/* Copy the plugins of one directory of the build. */
static void
copy_plugins(const char *part, const char *to)
{
	char from[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	snprintf(from, sizeof(from), "%s/%s", build_dir(), part);
	dir = opendir(from);
	if (dir == NULL)
		fail_msg("%s: %s", from, strerror(errno));
	while ((entry = readdir(dir)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');

		if (dot != NULL && strcmp(dot, ".so") == 0 &&
		    strncmp(entry->d_name, "lib", 3) != 0)
			copy_file(text("%s/%s", from, entry->d_name),
			    text("%s/%s", to, entry->d_name), 0644);
	}
	closedir(dir);
}

static void
write_bytes(const char *path, const void *bytes, size_t size)
{
	FILE *out = fopen(path, "wb");

	if (out == NULL || fwrite(bytes, 1, size, out) != size ||
	    fclose(out) != 0 || chmod(path, 0644) != 0)
		fail_msg("write %s: %s", path, strerror(errno));
}

/* A 64-bit shared object for an architecture nobody has, most significant
 * byte first. */
static const unsigned char foreign[sizeof(Elf64_Ehdr)] = {0x7f, 'E', 'L', 'F',
    ELFCLASS64, ELFDATA2MSB,
    EV_CURRENT, [17] = ET_DYN, [18] = 0xfe, [19] = 0xdc, [23] = EV_CURRENT};

static void
make_odd_ones(const char *dir)
{
	char head[512];
	FILE *in;

	write_bytes(text("%s/mock-text.so", dir), "not a plugin\n", 13);
	write_bytes(text("%s/mock-empty.so", dir), "", 0);
	write_bytes(text("%s/mock-foreign.so", dir), foreign, sizeof(foreign));
	in = fopen(text("%s/mock-good.so", dir), "rb");
	if (in == NULL || fread(head, 1, sizeof(head), in) != sizeof(head))
		fail_msg("no mock plugins in %s", build_dir());
	fclose(in);
	write_bytes(text("%s/mock-cut.so", dir), head, sizeof(head));
	copy_file(text("%s/mock-good.so", dir),
	    text("%s/mock-writable.so", dir), 0666);
	make_dir(text("%s/mock-directory.so", dir));
}

const char *
plugin_dir(void)
{
	static char *dir;

	if (dir != NULL)
		return dir;
	dir = scratch_dir();
	chmod(dir, 0755);
	copy_plugins("tests/mock/.libs", dir);
	copy_plugins(".libs", dir);
	make_odd_ones(dir);
	return dir;
}

const char *
writable_plugin_dir(void)
{
	static char *dir;

	if (dir != NULL)
		return dir;
	dir = scratch_dir();
	copy_file(text("%s/mock-good.so", plugin_dir()),
	    text("%s/mock-good.so", dir), 0644);
	chmod(dir, 0777);
	return dir;
}
