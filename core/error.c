/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * error.c - see error.h.
 */

#include "config.h"

#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
omega_error_set(struct omega_sandbox_error *error, enum omega_sandbox_code code,
    int sys_errno, const char *format, ...)
{
	struct omega_sandbox_error full = OMEGA_SANDBOX_ERROR_INIT;
	va_list args;
	uint32_t size;
	size_t i;

	if (error == NULL || error->size < sizeof(error->size))
		return code;
	full.code = code;
	full.sys_errno = sys_errno;
	va_start(args, format);
	vsnprintf(full.text, sizeof(full.text), format, args);
	va_end(args);
	/* One line, whatever bytes a path had in it. */
	for (i = 0; full.text[i] != '\0'; i++)
		if ((unsigned char)full.text[i] < ' ' || full.text[i] == 0x7f)
			full.text[i] = '?';
	size = error->size;
	memcpy(error, &full, size < sizeof(full) ? size : sizeof(full));
	error->size = size;
	return code;
}
