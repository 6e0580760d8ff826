/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/* object-macho.c - see object.h; for Mach-O. What the file lacks beyond its
 * head, the system's loader tells by itself. */

#include "config.h"

#include "load/object.h"

#include <errno.h>

#include "base/macho.h"

int
omega_object_check(int fd)
{
	struct omega_macho macho;
	int ret = omega_macho_open(&macho, fd);

	if (ret == 0 && macho.type != OMEGA_MACHO_DYLIB &&
	    macho.type != OMEGA_MACHO_BUNDLE)
		ret = -ENOEXEC;
	return ret;
}
