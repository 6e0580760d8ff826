/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * set.c - see set.h.
 */

#include "config.h"

#include "conf/set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/home.h"
#include "conf/list.h"
#include "conf/value.h"
#include "error.h"
#include "path/text.h"
#include "conf/kinds.h"
#include "policy/words.h"

#define FAULT(c, line, ...) \
	omega_error_conf((c)->error, (c)->file, line, __VA_ARGS__)

int
omega_set_read_switch(const struct omega_change *c, bool *is_true)
{
	int value = omega_value_switch(c->values[0].text);

	if (value < 0)
		return FAULT(c, c->values[0].line,
		    "%s is true or false, not '%.64s'", c->option->name,
		    c->values[0].text);
	*is_true = value == 1;
	return 0;
}

/* A switch whose cautious position is "false" ... */
static int
set_to_weaker(const struct omega_change *c, bool *field)
{
	bool value = false;
	int ret;

	ret = omega_set_read_switch(c, &value);
	if (ret < 0)
		return ret;
	*field = value && (c->is_first || *field);
	return 0;
}

/* ... and one where it is "true". */
static int
set_to_stronger(const struct omega_change *c, bool *field)
{
	bool value = false;
	int ret;

	ret = omega_set_read_switch(c, &value);
	if (ret < 0)
		return ret;
	*field = value || (!c->is_first && *field);
	return 0;
}

int
omega_set_enabled(const struct omega_change *c)
{
	return set_to_weaker(c, &c->conf->is_enabled);
}

int
omega_set_allow_root(const struct omega_change *c)
{
	return set_to_weaker(c, &c->conf->is_root_allowed);
}

int
omega_set_fail_closed(const struct omega_change *c)
{
	return set_to_stronger(c, &c->conf->is_fail_closed);
}

int
omega_set_witness(const struct omega_change *c)
{
	return set_to_stronger(c, &c->conf->is_witnessed);
}

static int
check_backend(const struct omega_change *c, size_t index)
{
	const struct omega_scan_value *value = &c->values[index];
	size_t i;

	if (!omega_scan_is_backend(value->text, strlen(value->text)))
		return FAULT(c, value->line,
		    "'%.64s' is not the name of a backend: " OMEGA_SCAN_BACKEND,
		    value->text);
	if (strcmp(value->text, "auto") == 0 && c->option->count != 1)
		return FAULT(c, value->line,
		    "auto chooses the backends itself and cannot be one of "
		    "several");
	for (i = 0; i < index; i++)
		if (strcmp(c->values[i].text, value->text) == 0)
			return FAULT(c, value->line,
			    "the backend '%s' is named twice", value->text);
	return 0;
}

int
omega_set_backend(const struct omega_change *c)
{
	size_t i;
	int ret;

	if (c->option->count == 0)
		return FAULT(c, c->option->line,
		    "the list of backends is empty; name one, or write "
		    "backend = auto");
	if (!c->option->is_list && c->values[0].text[0] == '\0') {
		ret = omega_list_add(
		    &c->conf->backends, "auto", c->file, c->values[0].line);
		return ret < 0 ? omega_error_memory(c->error) : 0;
	}
	for (i = 0; i < c->option->count; i++) {
		ret = check_backend(c, i);
		if (ret < 0)
			return ret;
		ret = omega_list_add(&c->conf->backends, c->values[i].text,
		    c->file, c->values[i].line);
		if (ret < 0)
			return omega_error_memory(c->error);
	}
	return 0;
}

/* The kinds that may be accepted, for the message. */
static int
kind_fault(const struct omega_change *c, const struct omega_scan_value *value)
{
	char names[512] = "";
	const struct omega_kind *kind;
	size_t used = 0;

	if (omega_kinds_by_name(value->text) != NULL)
		return FAULT(c, value->line,
		    "'%s' is always required and cannot be accepted as "
		    "missing",
		    value->text);
	for (kind = omega_kinds; kind->name != NULL; kind++) {
		if (!kind->is_hardening || used >= sizeof(names))
			continue;
		used += (size_t)snprintf(names + used, sizeof(names) - used,
		    "%s%s", used == 0 ? "" : ", ", kind->name);
	}
	return FAULT(c, value->line,
	    "'%.64s' is not a kind of guarantee; accept takes some of %s",
	    value->text, names);
}

int
omega_set_accept(const struct omega_change *c)
{
	omega_kind_set set = 0;
	size_t i;

	for (i = 0; i < c->option->count; i++) {
		const struct omega_kind *kind =
		    omega_kinds_by_name(c->values[i].text);

		if (kind == NULL || !kind->is_hardening)
			return kind_fault(c, &c->values[i]);
		set |= omega_kinds_bit(kind->number);
		if (strcmp(kind->name, c->values[i].text) != 0 &&
		    omega_list_add(&c->conf->old_kinds, c->values[i].text,
			c->file, c->values[i].line) < 0)
			return omega_error_memory(c->error);
	}
	c->conf->accept = c->is_first ? set : (c->conf->accept & set);
	return 0;
}

static int
path_fault(
    const struct omega_change *c, const struct omega_scan_value *value, int ret)
{
	if (ret == -ENOMEM)
		return omega_error_memory(c->error);
	if (ret == -ENAMETOOLONG)
		return FAULT(c, value->line,
		    "%s: the path '%.64s...' is longer than the system can "
		    "open",
		    c->option->name, value->text);
	if (ret == -EINVAL)
		return FAULT(c, value->line,
		    "%s: '%.64s' is not an absolute path; it begins with '/' "
		    "or '~/'",
		    c->option->name, value->text);
	if (ret == -ENOENT)
		return FAULT(c, value->line,
		    "%s: '%.64s' has no meaning: user %ld has no home "
		    "directory in the password database",
		    c->option->name, value->text, (long)geteuid());
	omega_error_set(c->error, OMEGA_SANDBOX_E_SYSTEM, -ret,
	    "%s:%u: %s: the home directory cannot be looked up: %s", c->file,
	    value->line, c->option->name, strerror(-ret));
	omega_error_file(c->error, c->file, value->line);
	return OMEGA_SANDBOX_E_SYSTEM;
}

int
omega_set_read_name(const struct omega_change *c,
    const struct omega_scan_value *value, char **name)
{
	char why[OMEGA_VALUE_WHY];

	if (omega_value_has_pattern(value->text, why, sizeof(why)))
		return FAULT(c, value->line, "%s: %s", c->option->name, why);
	*name = omega_value_plain(value->text);
	return *name == NULL ? omega_error_memory(c->error) : 0;
}

int
omega_set_read_path(const struct omega_change *c,
    const struct omega_scan_value *value, char **path)
{
	char *expanded = NULL;
	char *name = NULL;
	int ret;

	ret = omega_set_read_name(c, value, &name);
	if (ret < 0)
		return ret;
	ret = omega_home_expand(name, &expanded);
	free(name);
	if (ret == 0)
		ret = omega_text_check(expanded);
	if (ret < 0) {
		free(expanded);
		return path_fault(c, value, ret);
	}
	*path = expanded;
	return 0;
}

static int
set_path(const struct omega_change *c, struct omega_conf_text *field)
{
	char *path = NULL;
	int ret;

	ret = omega_set_read_path(c, &c->values[0], &path);
	if (ret < 0)
		return ret;
	ret = omega_list_set(field, path, c->file, c->values[0].line);
	free(path);
	return ret < 0 ? omega_error_memory(c->error) : 0;
}

int
omega_set_data_dir(const struct omega_change *c)
{
	return set_path(c, &c->conf->data_dir);
}

int
omega_set_config_file(const struct omega_change *c)
{
	/* The default can be written down: none. */
	if (c->values[0].text[0] == '\0')
		return 0;
	return set_path(c, &c->conf->config_file);
}

int
omega_set_paths(const struct omega_change *c, struct omega_conf_list *list)
{
	size_t i;

	for (i = 0; i < c->option->count; i++) {
		char *path = NULL;
		int ret;

		ret = omega_set_read_path(c, &c->values[i], &path);
		if (ret < 0)
			return ret;
		ret = omega_list_add(list, path, c->file, c->values[i].line);
		free(path);
		if (ret < 0)
			return omega_error_memory(c->error);
	}
	return 0;
}

int
omega_set_blocked_paths(const struct omega_change *c)
{
	return omega_set_paths(c, &c->conf->blocked_paths);
}

/* A word from a table; of two files the stricter wins. */
static int
set_word(const struct omega_change *c, const struct omega_word *table,
    uint32_t *field)
{
	const struct omega_word *word =
	    omega_words_find(table, c->values[0].text);
	char known[64];

	if (word == NULL) {
		omega_words_list(table, known, sizeof(known));
		return FAULT(c, c->values[0].line,
		    "%s is one of %s, not '%.64s'", c->option->name, known,
		    c->values[0].text);
	}
	if (c->is_first || omega_words_is_milder(table, *field, word->value))
		*field = word->value;
	return 0;
}

int
omega_set_data_dir_mode(const struct omega_change *c)
{
	return set_word(c, omega_words_data_dir_mode, &c->conf->data_dir_mode);
}

int
omega_set_hide_sockets(const struct omega_change *c)
{
	return set_word(c, omega_words_hide_sockets, &c->conf->hide_sockets);
}

/* Paths that are given back; of two files, what both give. */
static int
set_allowed(const struct omega_change *c, struct omega_conf_list *list)
{
	struct omega_conf_list given = {NULL, 0};
	struct omega_conf_list both = {NULL, 0};
	size_t i;
	int ret;

	if (c->is_first)
		return omega_set_paths(c, list);
	ret = omega_set_paths(c, &given);
	for (i = 0; ret == 0 && i < given.count; i++)
		if (omega_list_has(list, given.items[i].text) &&
		    omega_list_add(&both, given.items[i].text,
			given.items[i].file, given.items[i].line) < 0)
			ret = omega_error_memory(c->error);
	omega_list_clear(&given);
	if (ret < 0) {
		omega_list_clear(&both);
		return ret;
	}
	omega_list_clear(list);
	*list = both;
	return 0;
}

int
omega_set_allow_sockets(const struct omega_change *c)
{
	return set_allowed(c, &c->conf->allow_sockets);
}

int
omega_set_allow_devices(const struct omega_change *c)
{
	return set_allowed(c, &c->conf->allow_devices);
}

int
omega_set_log(const struct omega_change *c)
{
	const char *word = c->values[0].text;

	if (strcmp(word, "none") != 0 && strcmp(word, "syslog") != 0)
		return FAULT(c, c->values[0].line,
		    "log is \"none\" or \"syslog\", not '%.64s'", word);
	c->conf->is_syslog = strcmp(word, "syslog") == 0;
	return 0;
}

/* Every file adds some: a command is held by all of them. Whether there is a
 * policy of that name is known when all files are read. */
int
omega_set_floor(const struct omega_change *c)
{
	size_t i;

	for (i = 0; i < c->option->count; i++)
		if (omega_list_add(&c->conf->floors, c->values[i].text, c->file,
			c->values[i].line) < 0)
			return omega_error_memory(c->error);
	return 0;
}
