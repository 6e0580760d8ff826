/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * known-sockets.c - see known-sockets.h.
 */

#include "config.h"

#include "policy/known-sockets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "path/builtin.h"

/* The path with this in the place of each %u. */
static char *
fill_in(const char *path, const char *who)
{
	struct omega_buffer text = {.text = NULL};
	const char *at;

	for (; (at = strstr(path, "%u")) != NULL; path = at + 2)
		omega_buffer_print(
		    &text, "%.*s%s", (int)(at - path), path, who);
	omega_buffer_add(&text, path);
	return omega_buffer_take(&text);
}

static int
add(struct omega_known_sockets *services, size_t row, const char *who)
{
	struct omega_sandbox_service *service =
	    &services->list[services->count];

	service->size = sizeof(*service);
	service->type = omega_builtin_services[row].type;
	service->path = fill_in(omega_builtin_services[row].path, who);
	if (service->path == NULL)
		return -ENOMEM;
	services->pointers[services->count++] = service;
	return 0;
}

int
omega_known_sockets_make(struct omega_known_sockets *services)
{
	const unsigned long user = geteuid();
	char who[24];
	size_t i;
	int ret = 0;

	memset(services, 0, sizeof(*services));
	services->list =
	    calloc(2 * omega_builtin_service_count, sizeof(*services->list));
	services->pointers = calloc(
	    2 * omega_builtin_service_count, sizeof(*services->pointers));
	if (services->list == NULL || services->pointers == NULL)
		return -ENOMEM;
	snprintf(who, sizeof(who), "%lu", user);
	for (i = 0; ret == 0 && i < omega_builtin_service_count; i++) {
		ret = add(services, i, who);
		if (ret == 0 && user == 0 &&
		    strstr(omega_builtin_services[i].path, "%u") != NULL)
			ret = add(services, i, "*");
	}
	return ret;
}

void
omega_known_sockets_drop(struct omega_known_sockets *services)
{
	while (services->count > 0)
		free((void *)(uintptr_t)services->list[--services->count].path);
	free(services->list);
	free(services->pointers);
	memset(services, 0, sizeof(*services));
}
