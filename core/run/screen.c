/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * screen.c - see screen.h.
 */

#include "config.h"

#include "run/screen.h"

#include <stdlib.h>

#include "run/arguments.h"
#include "run/commands.h"

int
omega_screen_check(const struct omega_screen *screen,
    const struct omega_command *command, const char *dir,
    struct omega_sandbox_error *error)
{
	int ret;

	ret = omega_commands_check(
	    screen->allowed, screen->safe_path, command->program, error);
	if (ret == 0 && screen->guard != NULL)
		ret = omega_arguments_check(screen->guard, command, dir, error);
	return ret;
}

void
omega_screen_free(struct omega_screen *screen)
{
	if (screen == NULL)
		return;
	omega_env_drop(&screen->env);
	omega_guard_free(screen->guard);
	free(screen);
}
