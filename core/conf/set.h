/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * set.h - one function per option: reads its values, sees that they make
 * sense, and combines them with what the files before have set.
 */

#ifndef OMEGA_CONF_SET_H
#define OMEGA_CONF_SET_H

#include <stdbool.h>

#include <omega/sandbox.h>

#include "conf/conf.h"
#include "conf/scan.h"

/* One option of one file on its way into the configuration. */
struct omega_change {
	struct omega_conf *conf;
	const char *file;
	const struct omega_scan_option *option;
	const struct omega_scan_value *values; /* NULL for an empty list */
	bool is_first; /* no file before has set it */
	struct omega_sandbox_error *error;
};

/* The switch of a change. Returns as the functions below. */
int omega_set_read_switch(const struct omega_change *c, bool *is_true);

/* The name of a file that a value is, without a pattern; and the path,
 * absolute and with "~" put right; the caller's to free. Return as the
 * functions below. */
int omega_set_read_name(const struct omega_change *c,
    const struct omega_scan_value *value, char **name);
int omega_set_read_path(const struct omega_change *c,
    const struct omega_scan_value *value, char **path);

/* Add the paths of a change to a list. */
int omega_set_paths(const struct omega_change *c, struct omega_conf_list *list);

/* All of them return 0, or OMEGA_SANDBOX_E_CONFIG, _E_SYSTEM or _E_MEMORY
 * with the error of the change filled. */
int omega_set_enabled(const struct omega_change *c);
int omega_set_backend(const struct omega_change *c);
int omega_set_fail_closed(const struct omega_change *c);
int omega_set_accept(const struct omega_change *c);
int omega_set_allow_root(const struct omega_change *c);
int omega_set_data_dir(const struct omega_change *c);
int omega_set_config_file(const struct omega_change *c);
int omega_set_blocked_paths(const struct omega_change *c);
int omega_set_data_dir_mode(const struct omega_change *c);
int omega_set_hide_sockets(const struct omega_change *c);
int omega_set_allow_sockets(const struct omega_change *c);
int omega_set_allow_devices(const struct omega_change *c);
int omega_set_log(const struct omega_change *c);
int omega_set_floor(const struct omega_change *c);
/* In set-limits.c; the last two are other names of the first two. */
int omega_set_timeout(const struct omega_change *c);
int omega_set_max_output(const struct omega_change *c);
int omega_set_max_execution_time_secs(const struct omega_change *c);
int omega_set_max_output_bytes(const struct omega_change *c);
int omega_set_witness(const struct omega_change *c);

#endif
