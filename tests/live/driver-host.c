/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * driver-host.c - what a plugin is given by a driver: the host, and a launch.
 */

#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The host ------------------------------------------------------------ */

static const struct omega_sandbox_option *
find_option(const struct driver *driver, const char *name)
{
	const struct omega_sandbox_option *const *at = driver->plugin->options;

	for (; at != NULL && *at != NULL; at++)
		if (strcmp((*at)->name, name) == 0)
			return *at;
	return NULL;
}

static const char *
host_item(const struct omega_sandbox_host *host, const char *name, size_t index)
{
	const struct driver *driver = host->core;
	size_t i;

	for (i = 0; i < driver->option_count; i++)
		if (strcmp(driver->options[i].name, name) == 0 && index-- == 0)
			return driver->options[i].value;
	return NULL;
}

static const char *
host_text(const struct omega_sandbox_host *host, const char *name)
{
	const char *text = host_item(host, name, 0);

	return text != NULL ? text
			    : find_option(host->core, name)->initial_text;
}

static int64_t
host_int(const struct omega_sandbox_host *host, const char *name)
{
	const char *text = host_item(host, name, 0);

	return text != NULL ? atoll(text)
			    : find_option(host->core, name)->initial;
}

static void
host_log(const struct omega_sandbox_host *host, int level, const char *text)
{
	(void)host;
	(void)level;
	printf("# log: %s\n", text);
}

static int
host_open_helper(const struct omega_sandbox_host *host, const char *name)
{
	const struct driver *driver = host->core;
	char path[PATH_MAX];
	int fd;

	if (driver->helper != NULL)
		snprintf(path, sizeof(path), "%s", driver->helper);
	else
		snprintf(path, sizeof(path), "%s/tests/built/libexec/%s",
		    driver_build_dir(), name);
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* ---- The launch ---------------------------------------------------------- */

static int
launch_hold(struct omega_sandbox_launch *launch,
    const struct omega_sandbox_atom *atom, uint32_t bits)
{
	struct driver *driver = launch->core;

	if ((atom->access & ~bits) != 0) {
		snprintf(driver->explanation, sizeof(driver->explanation),
		    "kind %u at %s promised and not held", atom->kind,
		    atom->path != NULL ? atom->path : "-");
		return -EINVAL;
	}
	return 0;
}

static void *
copy_of(const void *state, size_t size)
{
	void *copy = malloc(size + 1);

	if (copy != NULL)
		memcpy(copy, state, size);
	return copy;
}

static int
launch_step(struct omega_sandbox_launch *launch, uint32_t phase,
    const char *name, omega_sandbox_step *step, const void *state, size_t size)
{
	struct driver *driver = launch->core;
	struct driver_step *at = &driver->steps[driver->step_count];

	/* In the order of their phases. */
	for (; at > driver->steps && at[-1].phase > phase; at--)
		at[0] = at[-1];
	at->phase = phase;
	snprintf(at->name, sizeof(at->name), "%s", name);
	at->step = step;
	at->state = copy_of(state, size);
	driver->step_count++;
	return at->state == NULL ? -ENOMEM : 0;
}

static int
launch_check(struct omega_sandbox_launch *launch, omega_sandbox_check *check,
    const void *state, size_t size)
{
	struct driver *driver = launch->core;

	driver->check = check;
	driver->check_state = copy_of(state, size);
	return driver->check_state == NULL ? -ENOMEM : 0;
}

static int
launch_keep(struct omega_sandbox_launch *launch, int fd)
{
	struct driver *driver = launch->core;
	int kept = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (kept < 0)
		return -errno;
	driver->kept[driver->kept_count++] = kept;
	return kept;
}

static int
launch_stand_in(struct omega_sandbox_launch *launch, const char *path, int fd)
{
	int kept = launch_keep(launch, fd);

	(void)path;
	return kept < 0 ? kept : 0;
}

static int
launch_flags(struct omega_sandbox_launch *launch, uint32_t flags)
{
	struct driver *driver = launch->core;

	driver->flags |= flags;
	return 0;
}

static void
launch_explain(struct omega_sandbox_launch *launch, const char *text)
{
	struct driver *driver = launch->core;

	snprintf(driver->explanation, sizeof(driver->explanation), "%s", text);
}

/* ---- Both ---------------------------------------------------------------- */

void
driver_be_host(struct driver *driver)
{
	driver->host = (struct omega_sandbox_host){
	    .size = sizeof(driver->host),
	    .abi_version = OMEGA_SANDBOX_PLUGIN_ABI,
	    .core = driver,
	    .log = host_log,
	    .option_int = host_int,
	    .option_text = host_text,
	    .option_item = host_item,
	    .open_helper = host_open_helper,
	};
	driver->launch = (struct omega_sandbox_launch){
	    .size = sizeof(driver->launch),
	    .core = driver,
	    .hold = launch_hold,
	    .add_step = launch_step,
	    .add_check = launch_check,
	    .keep_fd = launch_keep,
	    .set_flags = launch_flags,
	    .explain = launch_explain,
	    .stand_in = launch_stand_in,
	};
}
