/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * shipped.c - see shipped.h.
 */

#include "shipped.h"

#include <sys/stat.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static int
copy(const char *from, const char *to)
{
	char content[4096];
	FILE *in = fopen(from, "r");
	FILE *out = fopen(to, "w");
	size_t got;
	int ret = in == NULL || out == NULL ? -1 : 0;

	while (ret == 0 && (got = fread(content, 1, sizeof(content), in)) > 0)
		if (fwrite(content, 1, got, out) != got)
			ret = -1;
	if (in != NULL)
		fclose(in);
	if (out != NULL && fclose(out) != 0)
		ret = -1;
	return ret < 0 ? ret : chmod(to, 0644);
}

int
shipped_copy(const char *from, const char *to)
{
	const char *top = getenv("top_srcdir");
	char source[PATH_MAX];
	char one[2 * PATH_MAX];
	char other[2 * PATH_MAX];
	struct dirent *entry;
	int copied = 0;
	DIR *dir;

	snprintf(
	    source, sizeof(source), "%s/%s", top == NULL ? "." : top, from);
	dir = opendir(source);
	if (dir == NULL || mkdir(to, 0755) < 0 || chmod(to, 0755) < 0)
		copied = -1;
	while (copied >= 0 && (entry = readdir(dir)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');

		if (dot == NULL || strcmp(dot, ".conf") != 0)
			continue;
		snprintf(one, sizeof(one), "%s/%s", source, entry->d_name);
		snprintf(other, sizeof(other), "%s/%s", to, entry->d_name);
		copied = copy(one, other) < 0 ? -1 : copied + 1;
	}
	if (dir != NULL)
		closedir(dir);
	if (copied < 0)
		perror(source);
	return copied;
}

struct omega_sandbox *
shipped_open(const char *base, const char *file, const char *plugindir)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_sandbox_sources sources = {.plugindir = plugindir};
	struct omega_log log = {.fn = NULL};
	struct omega_sandbox *sandbox = NULL;
	char shipped[PATH_MAX];

	snprintf(shipped, sizeof(shipped), "%s/shipped", base);
	if (shipped_copy("etc/shipped", shipped) <= 0)
		return NULL;
	sources.conf.shipped = shipped;
	sources.conf.file = file;
	if (omega_sandbox_object_new(&sources, &log, &sandbox, &error) < 0)
		fprintf(stderr, "# %s\n", error.text);
	return sandbox;
}
