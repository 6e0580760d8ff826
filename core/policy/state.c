/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * state.c - see state.h.
 */

#include "config.h"

#include "policy/state.h"

#include <sys/stat.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "base/error.h"
#include "policy/expand.h"

/* A directory that is not there, and those above it; 0: it was made. */
static int
make_dir(char *path)
{
	char *at = path;
	int ret = -EEXIST;

	while (ret == -EEXIST && (at = strchr(at + 1, '/')) != NULL) {
		*at = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			ret = -errno;
		*at = '/';
	}
	if (ret != -EEXIST)
		return ret;
	return mkdir(path, 0700) == 0 ? 0 : -errno;
}

static int
make_state(void *arg, const char *path, const struct omega_conf_text *written,
    struct omega_sandbox_error *error)
{
	const struct omega_sandbox_policy *policy = arg;
	char *copy = strdup(path);
	int ret;

	(void)written;
	if (copy == NULL)
		return omega_error_memory(error);
	ret = make_dir(copy);
	if (ret == 0)
		omega_log_say(&policy->sandbox->log, LOG_NOTICE, 0,
		    "made %s, where the program keeps its state", path);
	else if (ret != -EEXIST)
		omega_log_say(&policy->sandbox->log, LOG_WARNING, 0,
		    "cannot make %s, where the program keeps its state: %s",
		    path, strerror(-ret));
	free(copy);
	return 0;
}

void
omega_state_make(const struct omega_sandbox_policy *policy)
{
	size_t i;
	size_t j;

	for (i = 0; i <= policy->layer_count; i++) {
		const struct omega_layer *layer =
		    i < policy->layer_count ? &policy->layers[i] : &policy->own;
		const struct omega_conf_list *items =
		    &layer->values[OMEGA_OPTION_STATE].items;

		for (j = 0; j < items->count; j++)
			(void)omega_expand(policy, &items->items[j], make_state,
			    (void *)(uintptr_t)policy, NULL);
	}
}
