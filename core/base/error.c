/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * error.c - see error.h.
 */

#include "config.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/glyph.h"
#include "base/sized.h"

void
omega_error_make_one_line(char *text)
{
	while (*text != '\0') {
		size_t len = omega_glyph_length(text);
		bool is_plain = len > 0 && omega_glyph_is_plain(
					       omega_glyph_point(text, len));

		for (len += len == 0; len > 0; len--, text++)
			if (!is_plain)
				*text = '?';
	}
}

/* Give the caller as much of the full error as it has room for. */
static void
give(struct omega_sandbox_error *error, struct omega_sandbox_error *full)
{
	if (error == NULL || error->size < sizeof(error->size))
		return;
	omega_error_make_one_line(full->text);
	omega_error_make_one_line(full->file);
	omega_error_make_one_line(full->backend);
	omega_error_make_one_line(full->atom);
	omega_sized_give(error, full, sizeof(*full));
}

/* What the caller has now, in full size. */
static struct omega_sandbox_error
take(const struct omega_sandbox_error *error)
{
	struct omega_sandbox_error full = OMEGA_SANDBOX_ERROR_INIT;

	if (error != NULL && error->size >= sizeof(error->size))
		memcpy(&full, error,
		    error->size < sizeof(full) ? error->size : sizeof(full));
	return full;
}

static void
set_text(char *field, size_t size, const char *text)
{
	snprintf(field, size, "%s", text == NULL ? "" : text);
}

int
omega_error_set(struct omega_sandbox_error *error, enum omega_sandbox_code code,
    int sys_errno, const char *format, ...)
{
	struct omega_sandbox_error full = OMEGA_SANDBOX_ERROR_INIT;
	va_list args;

	full.code = code;
	full.sys_errno = sys_errno;
	va_start(args, format);
	vsnprintf(full.text, sizeof(full.text), format, args);
	va_end(args);
	give(error, &full);
	return code;
}

int
omega_error_memory(struct omega_sandbox_error *error)
{
	return omega_error_set(
	    error, OMEGA_SANDBOX_E_MEMORY, ENOMEM, "out of memory");
}

int
omega_error_conf(struct omega_sandbox_error *error, const char *file,
    uint32_t line, const char *format, ...)
{
	struct omega_sandbox_error full = OMEGA_SANDBOX_ERROR_INIT;
	va_list args;
	int used;

	full.code = OMEGA_SANDBOX_E_CONFIG;
	full.line = line;
	set_text(full.file, sizeof(full.file), file);
	if (line != 0)
		used = snprintf(
		    full.text, sizeof(full.text) / 2, "%s:%u: ", file, line);
	else
		used = snprintf(full.text, sizeof(full.text) / 2, "%s: ", file);
	if (used < 0 || (size_t)used >= sizeof(full.text) / 2)
		used = (int)strlen(full.text);
	va_start(args, format);
	vsnprintf(
	    full.text + used, sizeof(full.text) - (size_t)used, format, args);
	va_end(args);
	give(error, &full);
	return OMEGA_SANDBOX_E_CONFIG;
}

void
omega_error_backend(struct omega_sandbox_error *error, const char *name)
{
	struct omega_sandbox_error full = take(error);

	set_text(full.backend, sizeof(full.backend), name);
	give(error, &full);
}

void
omega_error_atom(struct omega_sandbox_error *error, const char *text)
{
	struct omega_sandbox_error full = take(error);

	set_text(full.atom, sizeof(full.atom), text);
	give(error, &full);
}

void
omega_error_file(
    struct omega_sandbox_error *error, const char *file, uint32_t line)
{
	struct omega_sandbox_error full = take(error);

	set_text(full.file, sizeof(full.file), file);
	full.line = line;
	give(error, &full);
}

void
omega_error_copy(
    struct omega_sandbox_error *to, const struct omega_sandbox_error *from)
{
	struct omega_sandbox_error full = take(from);

	give(to, &full);
}
