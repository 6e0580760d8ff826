/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * load-plugin.c - load DIR/NAME.so through the real loader and print what it
 * says about itself: for tests of plugins built elsewhere.
 */

#include <stdio.h>

#include "load/loader.h"

static int
show(const struct omega_backend *backend)
{
	const struct omega_sandbox_request request = {.size = sizeof(request)};
	const struct omega_sandbox_atom atom = {.size = sizeof(atom),
	    .kind = OMEGA_SANDBOX_ATOM_TERMINAL,
	    .access = OMEGA_SANDBOX_ATOM_ALL,
	    .fd = -1};
	const struct omega_sandbox_atom *atoms[] = {&atom};
	struct omega_sandbox_state state = {.size = sizeof(state)};
	struct omega_sandbox_state *states[] = {&state};
	struct omega_sandbox_probe probe = {.size = sizeof(probe)};
	int ret = backend->plugin.probe(&backend->host, &probe);

	if (ret == 0)
		ret = backend->plugin.describe(
		    &backend->host, &request, atoms, 1, states);
	if (ret != 0) {
		fprintf(stderr, "returned %d\n", ret);
		return 1;
	}
	printf("name: %s\ndescription: %s\nusable: %d\nterminal: %s\n",
	    backend->plugin.name, backend->plugin.description, probe.is_usable,
	    state.held == atom.access ? "held" : state.why);
	return 0;
}

int
main(int argc, char **argv)
{
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_backend *backend = NULL;
	int status;

	if (argc != 3) {
		fputs("usage: load-plugin DIR NAME\n", stderr);
		return 2;
	}
	if (omega_loader_load(argv[1], argv[2], NULL, NULL, &backend, &error) !=
	    0) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	status = show(backend);
	omega_loader_free(backend);
	return status;
}
