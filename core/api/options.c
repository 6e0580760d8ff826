/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * options.c - the options about running commands, to be shown. Documentation
 * is in omega/sandbox.h.
 */

#include "config.h"

#include <omega/sandbox.h>

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "error.h"
#include "sandbox.h"

static const struct {
	const char *name;
	enum omega_conf_id id;
	size_t list; /* where the list is; 0: none */
} options[] = {
    {"env_deny", OMEGA_CONF_ENV_DENY, offsetof(struct omega_conf, env_deny)},
    {"env_allow", OMEGA_CONF_ENV_ALLOW, offsetof(struct omega_conf, env_allow)},
    {"env_set", OMEGA_CONF_ENV_SET, offsetof(struct omega_conf, env_set)},
    {"allowed_commands", OMEGA_CONF_ALLOWED_COMMANDS,
	offsetof(struct omega_conf, allowed_commands)},
    {"safe_path", OMEGA_CONF_SAFE_PATH, offsetof(struct omega_conf, safe_path)},
    {"audit_mask", OMEGA_CONF_AUDIT_MASK,
	offsetof(struct omega_conf, audit_mask)},
    {"check_arguments", OMEGA_CONF_CHECK_ARGUMENTS, 0},
    {"audit", OMEGA_CONF_AUDIT, 0},
    {"audit_failure", OMEGA_CONF_AUDIT_FAILURE, 0},
};

/* The index-th value of an option that is no list of texts. */
static const char *
value_of(const struct omega_conf *conf, enum omega_conf_id id, size_t index)
{
	if (id == OMEGA_CONF_AUDIT && conf->audit_file.text != NULL) {
		if (index == 0)
			return conf->audit_file.text;
		index--;
	}
	if (index > 0)
		return NULL;
	if (id == OMEGA_CONF_AUDIT)
		return conf->is_audit_syslog ? "syslog" : NULL;
	if (id == OMEGA_CONF_AUDIT_FAILURE)
		return conf->is_audit_optional ? "warn" : "refuse";
	return conf->has_unchecked_arguments ? "false" : "true";
}

const char *
omega_sandbox_get_option(const struct omega_sandbox *sandbox, const char *name,
    size_t index, const char **file, uint32_t *line)
{
	const struct omega_conf_list *list;
	const struct omega_conf_text *at;
	const char *value;
	size_t i;

	if (sandbox == NULL || name == NULL)
		return NULL;
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strcmp(options[i].name, name) == 0)
			break;
	if (i == sizeof(options) / sizeof(options[0]))
		return NULL;
	at = &sandbox->conf->places[options[i].id];
	if (options[i].list != 0) {
		list = (const void *)((const char *)sandbox->conf +
				      options[i].list);
		if (index >= list->count)
			return NULL;
		at = &list->items[index];
		value = at->text;
	} else {
		value = value_of(sandbox->conf, options[i].id, index);
	}
	if (file != NULL)
		*file = at->file == NULL ? "" : at->file;
	if (line != NULL)
		*line = at->line;
	return value;
}

int
omega_sandbox_check_audit(
    struct omega_sandbox *sandbox, struct omega_sandbox_error *error)
{
	if (sandbox == NULL)
		return omega_error_set(
		    error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL, "no sandbox");
	return omega_audit_check(&sandbox->audit, error);
}
