/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * set-limits.c - how long a run may take and how much it may say; see set.h.
 *
 * Each has two names: timeout = 30s is max_execution_time_secs = 30. A file
 * that has both says two things at once.
 */

#include "config.h"

#include "conf/set.h"

#include <errno.h>
#include <string.h>

#include "error.h"
#include "conf/value.h"

#define FAULT(c, line, ...) \
	omega_error_conf((c)->error, (c)->file, line, __VA_ARGS__)

/* The smallest counts. */
static int
take(const struct omega_change *c, enum omega_conf_id other,
    const char *other_name, int (*read)(const char *, uint64_t *),
    const char *form, uint64_t *field)
{
	const struct omega_conf_text *place = &c->conf->places[other];
	const char *text = c->values[0].text;
	uint64_t value = 0;
	int ret;

	if (place->file != NULL && strcmp(place->file, c->file) == 0)
		return FAULT(c, c->option->line,
		    "%s is the same as %s, which is set in line %u; keep one "
		    "of them",
		    c->option->name, other_name, place->line);
	ret = read(text, &value);
	if (ret == -ERANGE)
		return FAULT(c, c->values[0].line,
		    "%s: '%.64s' is zero or too large", c->option->name, text);
	if (ret < 0)
		return FAULT(c, c->values[0].line, "%s is %s, not '%.64s'",
		    c->option->name, form, text);
	if (*field == 0 || value < *field)
		*field = value;
	return 0;
}

int
omega_set_timeout(const struct omega_change *c)
{
	return take(c, OMEGA_CONF_MAX_EXECUTION_TIME_SECS,
	    "max_execution_time_secs", omega_value_seconds,
	    "a time such as 30s (s, m, h, d)", &c->conf->timeout);
}

int
omega_set_max_output(const struct omega_change *c)
{
	return take(c, OMEGA_CONF_MAX_OUTPUT_BYTES, "max_output_bytes",
	    omega_value_bytes, "a number of bytes such as 1M (K, M, G, T)",
	    &c->conf->max_output);
}

int
omega_set_max_execution_time_secs(const struct omega_change *c)
{
	return take(c, OMEGA_CONF_TIMEOUT, "timeout", omega_value_count,
	    "a number of seconds", &c->conf->timeout);
}

int
omega_set_max_output_bytes(const struct omega_change *c)
{
	return take(c, OMEGA_CONF_MAX_OUTPUT, "max_output", omega_value_count,
	    "a number of bytes", &c->conf->max_output);
}
