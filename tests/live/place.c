/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * place.c - see place.h.
 */

#include "place.h"

#include <fcntl.h>
#include <unistd.h>

int
run_place(struct place *place, void **state, int (*fn)(void *))
{
	static char said[4096];
	int ends[2];
	ssize_t len;
	int ret;

	if (is_under_valgrind())
		skip_because("valgrind counts what these children leave");
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	place->has_own_memory = is_apart(state);
	place->in = ends[0];
	place->out = ends[1];
	place->program = inspect_program();
	ret = in_child(fn, place);
	close(ends[1]);
	len = read(ends[0], said, sizeof(said) - 1);
	assert_true(len >= 0);
	said[len] = '\0';
	place->said = said;
	close(ends[0]);
	return ret;
}

void
make_place_command(
    struct omega_command *command, const struct place *place, const char *word)
{
	if (omega_command_init(command, place->program, NULL) != 0 ||
	    omega_command_add_arg(command, word) != 0 ||
	    omega_command_set_stdio(
		command, 1, OMEGA_SANDBOX_STDIO_FD, place->out) != 0)
		_exit(90);
}
