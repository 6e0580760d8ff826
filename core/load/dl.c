/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * dl.c - see object.h; nobody else calls the dynamic loader.
 *
 * RTLD_NODELETE: what a plugin has given away outlives the object that loaded
 * it. A prepared launch has pointers to its child steps, another thread may
 * be in the middle of one, and our copy of its vtable points at its texts. So
 * the code is never unmapped; closing only balances the count.
 */

#include "config.h"

#include "load/object.h"

#include <dlfcn.h>
#include <stdio.h>

void *
omega_dl_open(const char *path, char *why, size_t why_size)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	const char *reason;

	if (handle != NULL)
		return handle;
	reason = dlerror();
	snprintf(
	    why, why_size, "%s", reason == NULL ? "no reason given" : reason);
	return NULL;
}

const void *
omega_dl_symbol(void *handle, const char *name)
{
	return dlsym(handle, name);
}

void
omega_dl_close(void *handle)
{
	if (handle != NULL)
		dlclose(handle);
}
