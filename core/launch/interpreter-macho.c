/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * interpreter-macho.c - see interpreter.h.
 */

#include "config.h"

#include "launch/interpreter.h"

#include <stdint.h>
#include <string.h>

#include "base/macho.h"

static bool
read_name(const struct omega_macho *macho,
    const struct omega_macho_command *command, char path[PATH_MAX])
{
	uint32_t offset;
	uint32_t size;

	if (omega_macho_read(macho, command->at + 8, &offset, sizeof(offset)) <
		0 ||
	    offset >= command->size)
		return false;
	size = command->size - offset;
	if (size >= PATH_MAX ||
	    omega_macho_read(macho, command->at + offset, path, size) < 0)
		return false;
	path[size] = '\0';
	return path[0] != '\0';
}

bool
omega_interpreter_loader(int fd, char path[PATH_MAX])
{
	struct omega_macho_command command;
	struct omega_macho macho;

	if (omega_macho_open(&macho, fd) < 0 ||
	    macho.type != OMEGA_MACHO_EXECUTE)
		return false;
	while (omega_macho_next(&macho, &command) == 1)
		if (command.kind == OMEGA_MACHO_LOAD_DYLINKER)
			return read_name(&macho, &command, path);
	return false;
}
