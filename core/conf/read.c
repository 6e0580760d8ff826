/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * read.c - see read.h.
 */

#include "config.h"

#include "conf/read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/home.h"
#include "base/hosts.h"
#include "base/nearest.h"
#include "conf/kinds.h"
#include "conf/scan.h"
#include "conf/value.h"
#include "path/text.h"

#define UID_MARK "{uid}"

/* One text of a setting that is being read. */
struct reading {
	const struct omega_setting *setting;
	const struct omega_option *option;
	size_t index;
	const char *text; /* the index-th */
	struct omega_option_value *value;
	struct omega_sandbox_error *error;
};

#define FAULT(r, ...)                                                         \
	omega_read_fault((r)->setting, (r)->setting->values[(r)->index].line, \
	    (r)->error, __VA_ARGS__)

int
omega_read_fault(const struct omega_setting *setting, uint32_t line,
    struct omega_sandbox_error *error, const char *format, ...)
{
	char text[OMEGA_VALUE_WHY + 64];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (setting->line != 0)
		return omega_error_conf(error, setting->file, line, "%s", text);
	return omega_error_set(
	    error, OMEGA_SANDBOX_E_INVALID_POLICY, 0, "%s", text);
}

int
omega_read_unknown(const struct omega_setting *setting, unsigned by,
    const char *what, struct omega_sandbox_error *error)
{
	const char *reason = omega_nearest_reason(setting->name);
	const char *near = omega_option_nearest(setting->name, by);
	bool is_top = (by & OMEGA_BY_ADMIN) != 0;

	if (omega_option_find(setting->name,
		is_top ? OMEGA_BY_RULE : OMEGA_BY_ADMIN) != OMEGA_OPTION_COUNT)
		return omega_read_fault(setting, setting->line, error,
		    is_top ? "%s is a rule of a policy: write it in policy "
			     "\"NAME\" { ... }"
			   : "%s is set for all policies: write it outside of "
			     "them, in sandbox.conf or sandbox.d",
		    setting->name);
	if (reason != NULL)
		return omega_read_fault(setting, setting->line, error,
		    "%s is refused: %s", setting->name, reason);
	if (near != NULL)
		return omega_read_fault(setting, setting->line, error,
		    "unknown %s '%s'; did you mean '%s'?", what, setting->name,
		    near);
	return omega_read_fault(setting, setting->line, error,
	    "unknown %s '%.64s'%s; see sandbox.conf(5)", what, setting->name,
	    by == OMEGA_BY_RULE ? " here" : "");
}

/* ---- Numbers ------------------------------------------------------------- */

/* "NAME is FORM, not 'TEXT'" */
static int
not_taken(const struct reading *r, const char *form)
{
	if (r->option->form != NULL)
		form = r->option->form;
	return FAULT(
	    r, "%s is %s, not '%.64s'", r->setting->name, form, r->text);
}

/* A switch with a word of its own has that as the least, before no and yes. */
static int
read_switch(const struct reading *r)
{
	const char *least = r->option->words[0];
	int value = omega_value_switch(r->text);

	if (least != NULL && strcmp(r->text, least) == 0)
		return 0;
	if (value < 0)
		return not_taken(r, "true or false");
	r->value->number = (uint64_t)value + (least != NULL);
	return 0;
}

static int
read_word(const struct reading *r)
{
	const char *const *words = r->option->words;
	size_t i;

	for (i = 0; words[i] != NULL; i++)
		if (strcmp(r->text, words[i]) == 0) {
			r->value->number = i;
			return 0;
		}
	return not_taken(r, "another word");
}

static int
read_amount(const struct reading *r)
{
	uint64_t *number = &r->value->number;
	const char *form = "a number";
	int ret;

	if (r->option->shape == OMEGA_SHAPE_BYTES) {
		form = "a number of bytes such as 512M (K, M, G, T)";
		ret = omega_value_bytes(r->text, number);
	} else if (r->option->shape == OMEGA_SHAPE_TIME) {
		form = "a time such as 30s (s, m, h, d)";
		ret = omega_value_seconds(r->text, number);
	} else {
		ret = omega_value_count(r->text, number);
	}
	if (ret == -ERANGE)
		return FAULT(r, "%s: '%.64s' is zero or too large",
		    r->setting->name, r->text);
	return ret < 0 ? not_taken(r, form) : 0;
}

/* The kinds that may be accepted, for the message. */
static int
kind_fault(const struct reading *r)
{
	char names[512] = "";
	const struct omega_kind *kind;
	size_t used = 0;

	for (kind = omega_kinds; kind->name != NULL; kind++)
		if (kind->is_hardening && omega_nearest(r->text, kind->name))
			return FAULT(r,
			    "'%.64s' is not a kind of guarantee; did you mean "
			    "'%s'?",
			    r->text, kind->name);
	if (omega_kinds_by_name(r->text) != NULL)
		return FAULT(r,
		    "'%s' is always required and cannot be accepted as missing",
		    r->text);
	for (kind = omega_kinds; kind->name != NULL; kind++) {
		if (!kind->is_hardening || used >= sizeof(names))
			continue;
		used += (size_t)snprintf(names + used, sizeof(names) - used,
		    "%s%s", used == 0 ? "" : ", ", kind->name);
	}
	return FAULT(r,
	    "'%.64s' is not a kind of guarantee; accept takes some of %s",
	    r->text, names);
}

/* ---- Texts --------------------------------------------------------------- */

static int
add(const struct reading *r, const char *text)
{
	if (omega_list_add(&r->value->items, text, r->setting->file,
		r->setting->values[r->index].line) < 0)
		return omega_error_memory(r->error);
	return 0;
}

static int
read_kind(const struct reading *r)
{
	const struct omega_kind *kind = omega_kinds_by_name(r->text);

	if (kind == NULL || !kind->is_hardening)
		return kind_fault(r);
	r->value->number |= omega_kinds_bit(kind->number);
	return strcmp(kind->name, r->text) != 0 ? add(r, r->text) : 0;
}

static int
path_fault(const struct reading *r, int ret)
{
	const char *name = r->setting->name;
	bool is_in_file = r->setting->line != 0;

	if (ret == -ENOMEM)
		return omega_error_memory(r->error);
	if (ret == -ENAMETOOLONG)
		return FAULT(r,
		    "%s: the path '%.64s...' is longer than the system can "
		    "open",
		    name, r->text);
	if (ret == -EINVAL)
		return FAULT(r, "%s: '%.64s' is not an absolute path%s", name,
		    r->text, is_in_file ? "; it begins with '/' or '~/'" : "");
	if (ret == -ENOENT)
		return FAULT(r,
		    "%s: '%.64s' has no meaning: user %ld has no home "
		    "directory in the password database",
		    name, r->text, (long)geteuid());
	omega_error_set(r->error, OMEGA_SANDBOX_E_SYSTEM, -ret,
	    "%s:%u: %s: the home directory cannot be looked up: %s",
	    r->setting->file, r->setting->values[r->index].line, name,
	    strerror(-ret));
	omega_error_file(
	    r->error, r->setting->file, r->setting->values[r->index].line);
	return OMEGA_SANDBOX_E_SYSTEM;
}

/* A name that is no pattern; to be freed. */
static int
read_name(const struct reading *r, char **name)
{
	char why[OMEGA_VALUE_WHY];

	if (omega_value_has_pattern(r->text, why, sizeof(why)))
		return FAULT(r, "%s: %s", r->setting->name, why);
	*name = omega_value_plain(r->text);
	return *name == NULL ? omega_error_memory(r->error) : 0;
}

/* An absolute path, in files also from "~" on. A host has a home of its own
 * and says what it means. */
static int
read_path(const struct reading *r)
{
	char *path = NULL;
	char *name = NULL;
	int ret;

	ret = read_name(r, &name);
	if (ret < 0)
		return ret;
	if (r->setting->line != 0) {
		ret = omega_home_expand(name, &path);
		free(name);
	} else {
		path = name;
	}
	if (ret == 0)
		ret = omega_text_check(path);
	ret = ret < 0 ? path_fault(r, ret) : add(r, path);
	free(path);
	return ret;
}

/* A bare name is kept as it is; what has a slash is a path. */
static int
read_command(const struct reading *r)
{
	char *name = NULL;
	int ret;

	if (strchr(r->text, '/') != NULL)
		return read_path(r);
	if (r->text[0] == '\0')
		return FAULT(
		    r, "%s: the name of a command is empty", r->setting->name);
	ret = read_name(r, &name);
	if (ret == 0)
		ret = add(r, name);
	free(name);
	return ret;
}

static int
read_backend(const struct reading *r)
{
	const struct omega_conf_text *values = r->setting->values;
	size_t i;

	if (!r->setting->is_list && r->text[0] == '\0')
		return add(r, "auto");
	if (!omega_scan_is_backend(r->text, strlen(r->text)))
		return FAULT(r,
		    "'%.64s' is not the name of a backend: " OMEGA_SCAN_BACKEND,
		    r->text);
	if (strcmp(r->text, "auto") == 0 && r->setting->count != 1)
		return FAULT(r,
		    "auto chooses the backends itself and cannot be one of "
		    "several");
	for (i = 0; i < r->index; i++)
		if (strcmp(values[i].text, r->text) == 0)
			return FAULT(
			    r, "the backend '%s' is named twice", r->text);
	return add(r, r->text);
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

/* The file, if there is one, comes first. */
static int
read_audit(const struct reading *r)
{
	struct omega_conf_list *items = &r->value->items;
	struct reading own = *r;
	char *text;
	int ret;

	if (strcmp(r->text, "syslog") == 0)
		return omega_list_has(items, "syslog") ? 0 : add(r, "syslog");
	if (strcmp(r->text, "none") == 0 && r->setting->count == 1)
		return 0;
	if (items->count > 0 && items->items[0].text[0] == '/')
		return FAULT(r, "audit takes one file, and syslog");
	if (r->text[0] != '/' && r->text[0] != '~')
		return FAULT(r,
		    "audit takes the absolute path of a file, syslog, or none "
		    "alone, not '%.64s'",
		    r->text);
	text = with_uid(r->text);
	if (text == NULL)
		return omega_error_memory(r->error);
	own.text = text;
	ret = read_path(&own);
	free(text);
	r->value->number =
	    r->text[0] == '/' && strstr(r->text, UID_MARK) == NULL;
	if (ret == 0 && items->count == 2) {
		struct omega_conf_text file = items->items[1];

		items->items[1] = items->items[0];
		items->items[0] = file;
	}
	return ret;
}

/* Values are not shown: they may be secrets. */
static int
read_variable(const struct reading *r)
{
	const struct omega_conf_text *values = r->setting->values;
	size_t len = strcspn(r->text, "=");
	size_t i;

	if (r->option->shape == OMEGA_SHAPE_PATTERNS)
		return omega_value_is_variable(r->text, true)
			   ? add(r, r->text)
			   : FAULT(r,
				 "%s: '%.64s' is not the name of a variable, "
				 "nor a pattern with * or ? for one",
				 r->setting->name, r->text);
	for (i = 0; i < r->index; i++)
		if (strncmp(r->text, values[i].text, len + 1) == 0)
			return FAULT(r, "%s: '%.*s' is set twice",
			    r->setting->name, (int)len, r->text);
	return omega_value_is_assignment(r->text)
		   ? add(r, r->text)
		   : FAULT(r, "%s: '%.*s' is not the beginning of NAME=VALUE",
			 r->setting->name, (int)len, r->text);
}

static int
read_mask(const struct reading *r)
{
	if (r->text[0] == '\0')
		return FAULT(r, "%s: a pattern is empty", r->setting->name);
	return add(r, r->text);
}

/* What a path may look like before it is expanded. */
static int
check_place(const struct reading *r)
{
	static const char *const starts[] = {
	    "/", "~/", "{data_dir}/", "{work_dir}/", "{runtime_dir}/", NULL};
	static const char *const wholes[] = {
	    "~", "{data_dir}", "{work_dir}", "{runtime_dir}", NULL};
	char why[OMEGA_VALUE_WHY];
	size_t i;

	if (r->text[0] == '@' && r->text[1] != '\0')
		return 0;
	if (omega_value_has_pattern(r->text, why, sizeof(why)))
		return FAULT(r, "%s: %s", r->setting->name, why);
	for (i = 0; wholes[i] != NULL; i++)
		if (strcmp(r->text, wholes[i]) == 0)
			return 0;
	for (i = 0; starts[i] != NULL; i++)
		if (strncmp(r->text, starts[i], strlen(starts[i])) == 0)
			return 0;
	return FAULT(r,
	    "%s: '%.200s' is not an absolute path; it begins with '/', '~/', "
	    "{data_dir}, {work_dir} or {runtime_dir}, or is the name of a "
	    "group: @NAME",
	    r->setting->name, r->text);
}

static int
read_place(const struct reading *r)
{
	int ret = check_place(r);

	return ret < 0 ? ret : add(r, r->text);
}

static int
read_port(const struct reading *r)
{
	uint64_t port = 0;

	if (strspn(r->text, "0123456789") != strlen(r->text) &&
	    strpbrk(r->text, ":.") != NULL)
		return FAULT(r,
		    "%s: '%.200s' names a host or an address; give the port "
		    "alone, which is open to every host, or list it in hosts",
		    r->setting->name, r->text);
	if (omega_value_count(r->text, &port) < 0 || port > UINT16_MAX)
		return FAULT(r, "%s: '%.64s' is not a port, 1 to 65535",
		    r->setting->name, r->text);
	return add(r, r->text);
}

/* "" is none, as without it. */
static int
read_proxy(const struct reading *r)
{
	struct omega_hosts_entry entry;
	const char *text = r->text;
	const char *why = "a proxy is written as \"http://HOST:PORT\"";
	size_t at = 0;

	if (text[0] == '\0')
		return 0;
	if (strncmp(text, "http://", 7) == 0)
		text += 7;
	if (omega_hosts_read(text, &entry, &at, &why) == 0 && !entry.is_web &&
	    entry.kind != OMEGA_HOSTS_BELOW &&
	    (entry.kind != OMEGA_HOSTS_ADDRESS || entry.prefix == 128))
		return add(r, text);
	return FAULT(r, "%s: '%.200s': %s", r->setting->name, r->text, why);
}

/* Kept as it is to be written, so that two spellings are one. */
static int
read_host(const struct reading *r)
{
	struct omega_hosts_entry entry;
	char text[OMEGA_HOSTS_TEXT];
	const char *why;
	size_t at;

	if (strcmp(r->text, "@registries") == 0 &&
	    r->option != &omega_option_table[OMEGA_OPTION_DENY_HOSTS])
		return add(r, r->text);
	if (omega_hosts_read(r->text, &entry, &at, &why) < 0)
		return FAULT(r, "%s: '%.200s', character %zu: %s",
		    r->setting->name, r->text, at + 1, why);
	omega_hosts_print(&entry, text);
	return add(r, text);
}

/* ---- All of them --------------------------------------------------------- */

static int
read_one(const struct reading *r)
{
	switch (r->option->shape) {
	case OMEGA_SHAPE_SWITCH:
		return read_switch(r);
	case OMEGA_SHAPE_WORD:
		return read_word(r);
	case OMEGA_SHAPE_BYTES:
	case OMEGA_SHAPE_TIME:
	case OMEGA_SHAPE_NUMBER:
		return read_amount(r);
	case OMEGA_SHAPE_PATH:
		/* The default can be written down: none. */
		if (r->text[0] == '\0' && r->option->unset[0] == '\0')
			return 0;
		return read_path(r);
	case OMEGA_SHAPE_PATHS:
		return read_path(r);
	case OMEGA_SHAPE_BACKENDS:
		return read_backend(r);
	case OMEGA_SHAPE_AUDIT:
		return read_audit(r);
	case OMEGA_SHAPE_COMMANDS:
		return read_command(r);
	case OMEGA_SHAPE_KINDS:
		return read_kind(r);
	case OMEGA_SHAPE_MASKS:
		return read_mask(r);
	case OMEGA_SHAPE_PATTERNS:
	case OMEGA_SHAPE_SETTINGS:
		return read_variable(r);
	case OMEGA_SHAPE_PLACES:
		return read_place(r);
	case OMEGA_SHAPE_PORTS:
		return read_port(r);
	case OMEGA_SHAPE_HOSTS:
		return read_host(r);
	case OMEGA_SHAPE_PROXY:
		return read_proxy(r);
	case OMEGA_SHAPE_POLICIES: /* known when all files are read */
		break;
	}
	return add(r, r->text);
}

static int
check_shape(enum omega_option_id id, const struct omega_setting *setting,
    struct omega_sandbox_error *error)
{
	enum omega_option_shape shape = omega_option_table[id].shape;

	if (omega_option_is_list(id) && !setting->is_list)
		return omega_read_fault(setting, setting->line, error,
		    "%s takes a list: %s = { ... }", setting->name,
		    setting->name);
	if (shape <= OMEGA_SHAPE_PATH &&
	    (setting->is_list || setting->count != 1))
		return omega_read_fault(setting, setting->line, error,
		    "%s takes one value, not a list", setting->name);
	if (setting->count == 0 && omega_option_table[id].empty != NULL)
		return omega_read_fault(setting, setting->line, error, "%s",
		    omega_option_table[id].empty);
	return 0;
}

int
omega_read(enum omega_option_id id, const struct omega_setting *setting,
    struct omega_option_value *value, struct omega_sandbox_error *error)
{
	struct reading r = {.setting = setting,
	    .option = &omega_option_table[id],
	    .value = value,
	    .error = error};
	int ret = check_shape(id, setting, error);

	for (; ret == 0 && r.index < setting->count; r.index++) {
		r.text = setting->values[r.index].text;
		ret = read_one(&r);
	}
	if (ret < 0)
		return ret;
	value->is_set = true;
	value->line = setting->line;
	value->file = strdup(setting->file);
	return value->file == NULL ? omega_error_memory(error) : 0;
}

int
omega_read_places(
    const struct omega_setting *setting, struct omega_sandbox_error *error)
{
	struct reading r = {.setting = setting, .error = error};
	int ret = 0;

	for (; ret == 0 && r.index < setting->count; r.index++) {
		r.text = setting->values[r.index].text;
		ret = check_place(&r);
	}
	return ret;
}

void
omega_read_clear(struct omega_option_value *value)
{
	omega_list_clear(&value->items);
	free(value->file);
	memset(value, 0, sizeof(*value));
}
