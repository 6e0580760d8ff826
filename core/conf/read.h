/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * read.h - the value of an option from its text, by the table of options:
 * whoever has written it.
 */

#ifndef OMEGA_CONF_READ_H
#define OMEGA_CONF_READ_H

#include <omega/sandbox.h>

#include "base/list.h"
#include "conf/option.h"

/* One setting, as it was written. */
struct omega_setting {
	const char *name;
	const struct omega_conf_text *values; /* texts and lines */
	size_t count;
	bool is_list; /* written as { ... } */
	unsigned by; /* of a layer: who may say it; 0: OMEGA_BY_RULE */
	const char *file; /* or who says it */
	uint32_t line; /* 0: not in a file */
};

/* What an option is set to. */
struct omega_option_value {
	bool is_set;
	uint64_t number; /* see enum omega_option_shape */
	struct omega_conf_list items;
	char *file; /* where it was set last, or who set it */
	uint32_t line; /* 0: not in a file */
};

/*
 * What is wrong with a setting: a fault of the file in this line, or of what a
 * host application says. Returns the code.
 */
__attribute__((format(printf, 4, 5))) int omega_read_fault(
    const struct omega_setting *setting, uint32_t line,
    struct omega_sandbox_error *error, const char *format, ...);

/* There is no such option for those; what is "option" or "rule". */
int omega_read_unknown(const struct omega_setting *setting, unsigned by,
    const char *what, struct omega_sandbox_error *error);

/*
 * Read a setting into value, which is zeroed and to be cleared in either case.
 * Returns 0, or OMEGA_SANDBOX_E_CONFIG (in a file) or _E_INVALID_POLICY
 * (elsewhere), _E_SYSTEM, _E_MEMORY with error filled.
 */
int omega_read(enum omega_option_id id, const struct omega_setting *setting,
    struct omega_option_value *value, struct omega_sandbox_error *error);

/* Only see that every text of the setting is a place (OMEGA_SHAPE_PLACES).
 * Returns as omega_read(). */
int omega_read_places(
    const struct omega_setting *setting, struct omega_sandbox_error *error);

void omega_read_clear(struct omega_option_value *value);

#endif
