/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mutate.c - see mutate.h.
 */

#include "mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "OMEGA_TEST_MUTATION="
#define OWN_NAME ".omega-verify-"
#define RANDOM 6

static char wanted[4200];

/*
 * From /proc: the builder is started without an environment, so that of its
 * parent counts.
 */
static void
look_in(const char *path)
{
	FILE *file = fopen(path, "re");
	char *entry = NULL;
	size_t size = 0;

	while (file != NULL && getdelim(&entry, &size, '\0', file) > 0)
		if (strncmp(entry, VARIABLE, strlen(VARIABLE)) == 0)
			snprintf(wanted, sizeof(wanted), "%.4000s",
			    entry + strlen(VARIABLE));
	free(entry);
	if (file != NULL)
		fclose(file);
}

/* Before the constructors that list what there is. */
__attribute__((constructor(101))) static void
look(void)
{
	char path[64];

	look_in("/proc/self/environ");
	if (wanted[0] != '\0')
		return;
	snprintf(path, sizeof(path), "/proc/%ld/environ", (long)getppid());
	look_in(path);
}

bool
mutate_is(const char *what)
{
	return strcmp(what, wanted) == 0;
}

bool
mutate_this(const char *what)
{
	FILE *file;

	if (strncmp(wanted, "list:", 5) != 0)
		return mutate_is(what);
	file = fopen(wanted + 5, "ae");
	if (file != NULL) {
		fprintf(file, "%s\n", what);
		fclose(file);
	}
	return false;
}

void
mutate_plain(const char *path, char *plain, unsigned long size)
{
	const char *own = strstr(path, OWN_NAME);

	if (own == NULL)
		snprintf(plain, size, "%s", path);
	else
		snprintf(plain, size, "%.*s" OWN_NAME "*%s", (int)(own - path),
		    path, own + strlen(OWN_NAME) + RANDOM);
}
