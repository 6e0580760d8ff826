/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * state.c - see state.h.
 */

#include "config.h"

#include "policy/state.h"

#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "path/kernel.h"
#include "policy/expand.h"
#include "policy/planted-links.h"

/* One directory, in one that no link is on the way to. */
static int
make_one(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char above[PATH_MAX];
	int dir;
	int ret;

	snprintf(above, sizeof(above), "%.*s", (int)(name - path), path);
	dir = omega_kernel_open_plain(above, O_DIRECTORY);
	if (dir < 0)
		return dir;
	ret = mkdirat(dir, name, 0700) == 0 ? 0 : -errno;
	close(dir);
	return ret;
}

/* A directory that is not there, and those above it; 0: it was made. */
static int
make_dir(char *path)
{
	char *at = path;
	int ret = -EEXIST;

	while (ret == -EEXIST && (at = strchr(at + 1, '/')) != NULL) {
		*at = '\0';
		ret = make_one(path);
		if (ret == 0)
			ret = -EEXIST;
		*at = '/';
	}
	return ret == -EEXIST ? make_one(path) : ret;
}

static int
make_state(void *arg, const char *path, const struct omega_conf_text *written,
    struct omega_sandbox_error *error)
{
	/* Commands of other policies may have written anywhere. */
	static const struct omega_combined any;
	const struct omega_sandbox_policy *policy = arg;
	char found[PATH_MAX];
	int ret;

	(void)written;
	(void)error;
	if (access(path, F_OK) == 0)
		return 0;
	ret = omega_planted_links_find(&any, path, found);
	if (ret == 0)
		ret = make_dir(found);
	if (ret > 0)
		omega_log_say(&policy->sandbox->log, LOG_WARNING, 0,
		    "%s, where the program keeps its state, is not made: %s is "
		    "a link, and a command may have made it; make it yourself",
		    path, found);
	else if (ret == 0)
		omega_log_say(&policy->sandbox->log, LOG_NOTICE, 0,
		    "made %s, where the program keeps its state", path);
	else if (ret != -EEXIST)
		omega_log_say(&policy->sandbox->log, LOG_WARNING, 0,
		    "cannot make %s, where the program keeps its state: %s",
		    path, strerror(-ret));
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
