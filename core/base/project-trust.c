/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * project-trust.c - see project-trust.h. Names are cut short by a sum
 * (FNV-1a); of two that have the same one is trusted at a time.
 */

#include "config.h"

#include "project-trust.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "home.h"

int
omega_project_trust_name(const char *path, char **name)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	char *home = NULL;
	int ret = omega_home(&home);

	if (ret < 0)
		return ret;
	for (; *path != '\0'; path++)
		sum = (sum ^ (unsigned char)*path) * UINT64_C(0x100000001b3);
	if (asprintf(name, "%s/" OMEGA_PROJECT_TRUST_DIR "/%016llx", home,
		(unsigned long long)sum) < 0)
		ret = -ENOMEM;
	free(home);
	return ret < 0 ? ret : 0;
}
