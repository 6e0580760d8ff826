/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sandbox.h - the sandbox object: configuration, loaded backends, log.
 *
 * Immutable to its users. Backends are loaded when they are first asked for
 * and stay until the object is gone.
 */

#ifndef OMEGA_LOAD_SANDBOX_H
#define OMEGA_LOAD_SANDBOX_H

#include <pthread.h>
#include <stdatomic.h>

#include <omega/sandbox.h>

#include "audit/audit.h"
#include "conf/conf.h"
#include "load/loader.h"

#define OMEGA_SANDBOX_MAX_BACKENDS 16

struct omega_sandbox {
	atomic_uint refs;
	struct omega_conf *conf;
	struct omega_log log;
	const char *plugindir;
	char *default_data_dir; /* ~/.omega, NULL: no home is known */
	/* Amounts, as they are shown. */
	char timeout_text[24];
	char max_output_text[24];
	char *config_text; /* made when it is asked for */
	struct omega_audit audit;
	pthread_mutex_t lock; /* for config_text and the two below */
	struct omega_backend *loaded[OMEGA_SANDBOX_MAX_BACKENDS];
	size_t loaded_count;
};

/* Where configuration and plugins come from; the tests have their own. */
struct omega_sandbox_sources {
	struct omega_conf_paths conf;
	const char *plugindir;
};

/* The installed ones, with another configuration file unless it is NULL. 0 or
 * OMEGA_SANDBOX_E_TRUST. */
int omega_sandbox_object_sources(const char *config_file,
    struct omega_sandbox_sources *sources, struct omega_sandbox_error *error);

int omega_sandbox_object_new(const struct omega_sandbox_sources *sources,
    const struct omega_log *log, struct omega_sandbox **sandbox,
    struct omega_sandbox_error *error);

/* Without a look at who else has it: omega_sandbox_unref(). */
void omega_sandbox_object_free(struct omega_sandbox *sandbox);

/* Refused where the stack would end in the middle of the work. */
int omega_sandbox_object_check_stack(struct omega_sandbox_error *error);

/* The backend of this name, loaded now if it was not yet. Codes of
 * omega_loader_load. */
int omega_sandbox_object_backend(struct omega_sandbox *sandbox,
    const char *name, struct omega_backend **backend,
    struct omega_sandbox_error *error);

/* The data directory in force when a policy names none; NULL: unknown. */
const char *omega_sandbox_object_data_dir(const struct omega_sandbox *sandbox);

#endif
