/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * running.c - see running.h.
 */

#include "config.h"

#include "conf/running.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "conf/list.h"
#include "error.h"
#include "conf/value.h"

#define FAULT(c, line, ...) \
	omega_error_conf((c)->error, (c)->file, line, __VA_ARGS__)

#define UID_MARK "{uid}"

static int
add(const struct omega_change *c, struct omega_conf_list *list,
    const struct omega_scan_value *value)
{
	if (omega_list_add(list, value->text, c->file, value->line) < 0)
		return omega_error_memory(c->error);
	return 0;
}

static int
add_patterns(const struct omega_change *c, struct omega_conf_list *list)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < c->option->count; i++) {
		if (!omega_value_is_variable(c->values[i].text, true))
			return FAULT(c, c->values[i].line,
			    "%s: '%.64s' is not the name of a variable, nor a "
			    "pattern with * or ? for one",
			    c->option->name, c->values[i].text);
		ret = add(c, list, &c->values[i]);
	}
	return ret;
}

int
omega_running_env_deny(const struct omega_change *c)
{
	return add_patterns(c, &c->conf->env_deny);
}

int
omega_running_env_allow(const struct omega_change *c)
{
	return add_patterns(c, &c->conf->env_allow);
}

int
omega_running_env_set(const struct omega_change *c)
{
	size_t i;
	size_t j;
	int ret = 0;

	for (i = 0; ret == 0 && i < c->option->count; i++) {
		const char *text = c->values[i].text;
		size_t len = strcspn(text, "=") + 1;

		for (j = 0; j < i; j++)
			if (strncmp(text, c->values[j].text, len) == 0)
				return FAULT(c, c->values[i].line,
				    "env_set: '%.*s' is set twice",
				    (int)len - 1, text);
		/* The value may be a secret. */
		if (!omega_value_is_assignment(text))
			return FAULT(c, c->values[i].line,
			    "env_set: '%.*s' is not the beginning of "
			    "NAME=VALUE",
			    (int)strcspn(text, "="), text);
		ret = add(c, &c->conf->env_set, &c->values[i]);
	}
	return ret;
}

/* A bare name is kept as it is; what has a slash is a path. */
int
omega_running_allowed_commands(const struct omega_change *c)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < c->option->count; i++) {
		struct omega_scan_value value = c->values[i];
		bool is_path = strchr(value.text, '/') != NULL;

		if (value.text[0] == '\0')
			return FAULT(c, value.line,
			    "allowed_commands: the name of a command is "
			    "empty");
		ret = (is_path ? omega_set_read_path : omega_set_read_name)(
		    c, &c->values[i], &value.text);
		if (ret < 0)
			return ret;
		ret = add(c, &c->conf->allowed_commands, &value);
		free(value.text);
	}
	return ret;
}

int
omega_running_safe_path(const struct omega_change *c)
{
	if (c->option->count == 0)
		return FAULT(c, c->option->line,
		    "safe_path is empty: no command could be found");
	return omega_set_paths(c, &c->conf->safe_path);
}

int
omega_running_check_arguments(const struct omega_change *c)
{
	bool is_on = true;
	int ret = omega_set_read_switch(c, &is_on);

	if (ret == 0)
		c->conf->has_unchecked_arguments =
		    !is_on && (c->is_first || c->conf->has_unchecked_arguments);
	return ret;
}

/* The text with the number of the user for every {uid}; NULL: no memory. */
static char *
with_uid(const char *text)
{
	struct omega_buffer out = {.text = NULL};
	const char *mark;

	while ((mark = strstr(text, UID_MARK)) != NULL) {
		omega_buffer_print(&out, "%.*s%lu", (int)(mark - text), text,
		    (unsigned long)geteuid());
		text = mark + strlen(UID_MARK);
	}
	omega_buffer_add(&out, text);
	return omega_buffer_take(&out);
}

static int
set_audit_file(
    const struct omega_change *c, const struct omega_scan_value *value)
{
	struct omega_scan_value own = *value;
	char *text = with_uid(value->text);
	char *path = NULL;
	int ret;

	if (text == NULL)
		return omega_error_memory(c->error);
	own.text = text;
	ret = omega_set_read_path(c, &own, &path);
	if (ret == 0 && omega_list_set(&c->conf->audit_file, path, c->file,
			    value->line) < 0)
		ret = omega_error_memory(c->error);
	c->conf->is_audit_common =
	    value->text[0] == '/' && strstr(value->text, UID_MARK) == NULL;
	free(path);
	free(text);
	return ret;
}

int
omega_running_audit(const struct omega_change *c)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < c->option->count; i++) {
		const struct omega_scan_value *value = &c->values[i];

		if (strcmp(value->text, "syslog") == 0) {
			c->conf->is_audit_syslog = true;
			continue;
		}
		if (strcmp(value->text, "none") == 0 && c->option->count == 1)
			continue;
		if (c->conf->audit_file.text != NULL)
			return FAULT(
			    c, value->line, "audit takes one file, and syslog");
		if (value->text[0] != '/' && value->text[0] != '~')
			return FAULT(c, value->line,
			    "audit takes the absolute path of a file, syslog, "
			    "or none alone, not '%.64s'",
			    value->text);
		ret = set_audit_file(c, value);
	}
	return ret;
}

int
omega_running_audit_mask(const struct omega_change *c)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < c->option->count; i++) {
		if (c->values[i].text[0] == '\0')
			return FAULT(c, c->values[i].line,
			    "audit_mask: a pattern is empty");
		ret = add(c, &c->conf->audit_mask, &c->values[i]);
	}
	return ret;
}

int
omega_running_audit_failure(const struct omega_change *c)
{
	const char *word = c->values[0].text;

	if (strcmp(word, "refuse") != 0 && strcmp(word, "warn") != 0)
		return FAULT(c, c->values[0].line,
		    "audit_failure is refuse or warn, not '%.64s'", word);
	c->conf->is_audit_optional =
	    word[0] == 'w' && (c->is_first || c->conf->is_audit_optional);
	return 0;
}
