/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * layer.c - see layer.h.
 */

#include "config.h"

#include "policy/layer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/nearest.h"
#include "conf/value.h"
#include "error.h"

static const struct {
	const char *name;
	enum omega_rule_shape shape;
	const char *words[4]; /* of WORD, by number */
} table[OMEGA_RULE_COUNT] = {
    [OMEGA_RULE_READ_ALL] = {"read_all", OMEGA_RULE_SWITCH, {NULL}},
    [OMEGA_RULE_READ] = {"read", OMEGA_RULE_PATHS, {NULL}},
    [OMEGA_RULE_WRITE] = {"write", OMEGA_RULE_PATHS, {NULL}},
    [OMEGA_RULE_EXECUTE] = {"execute", OMEGA_RULE_PATHS, {NULL}},
    [OMEGA_RULE_DENY] = {"deny", OMEGA_RULE_PATHS, {NULL}},
    [OMEGA_RULE_DENY_READ] = {"deny_read", OMEGA_RULE_PATHS, {NULL}},
    [OMEGA_RULE_DENY_WRITE] = {"deny_write", OMEGA_RULE_PATHS, {NULL}},
    [OMEGA_RULE_GIT_METADATA] = {"git_metadata", OMEGA_RULE_WORD,
	{"allow", "deny", "keep"}},
    [OMEGA_RULE_NETWORK] = {"network", OMEGA_RULE_WORD,
	{"allow", "unix-only", "deny"}},
    [OMEGA_RULE_UNIX_SOCKETS] = {"unix_sockets", OMEGA_RULE_WORD,
	{"all", "own", "none"}}, /* enum omega_sandbox_unix_sockets */
    [OMEGA_RULE_CONNECT] = {"connect", OMEGA_RULE_PORTS, {NULL}},
    [OMEGA_RULE_BIND] = {"bind", OMEGA_RULE_PORTS, {NULL}},
    [OMEGA_RULE_CONNECT_UDP] = {"connect_udp", OMEGA_RULE_PORTS, {NULL}},
    [OMEGA_RULE_BIND_UDP] = {"bind_udp", OMEGA_RULE_PORTS, {NULL}},
    [OMEGA_RULE_FORK] = {"fork", OMEGA_RULE_SWITCH, {NULL}},
    [OMEGA_RULE_SIGNALS] = {"signals", OMEGA_RULE_SWITCH, {NULL}},
    [OMEGA_RULE_PTRACE] = {"ptrace", OMEGA_RULE_SWITCH, {"deny"}},
    [OMEGA_RULE_NEW_PRIVILEGES] = {"new_privileges", OMEGA_RULE_SWITCH, {NULL}},
    [OMEGA_RULE_TERMINAL_INJECTION] = {"terminal_injection", OMEGA_RULE_SWITCH,
	{NULL}},
    [OMEGA_RULE_SESSION] = {"session", OMEGA_RULE_WORD,
	{"keep", "new", "pty"}}, /* enum omega_sandbox_session */
    [OMEGA_RULE_ENV_DENY] = {"env_deny", OMEGA_RULE_PATTERNS, {NULL}},
    [OMEGA_RULE_ENV_ALLOW] = {"env_allow", OMEGA_RULE_PATTERNS, {NULL}},
    [OMEGA_RULE_ENV_SET] = {"env_set", OMEGA_RULE_SETTINGS, {NULL}},
    [OMEGA_RULE_MAX_MEMORY] = {"max_memory", OMEGA_RULE_BYTES, {NULL}},
    [OMEGA_RULE_MAX_OPEN_FILES] = {"max_open_files", OMEGA_RULE_NUMBER, {NULL}},
    [OMEGA_RULE_MAX_PROCESSES] = {"max_processes", OMEGA_RULE_NUMBER, {NULL}},
    [OMEGA_RULE_MAX_CPU_SECONDS] = {"max_cpu_seconds", OMEGA_RULE_TIME, {NULL}},
    [OMEGA_RULE_MAX_FILE_SIZE] = {"max_file_size", OMEGA_RULE_BYTES, {NULL}},
    [OMEGA_RULE_TIMEOUT] = {"timeout", OMEGA_RULE_TIME, {NULL}},
    [OMEGA_RULE_MAX_OUTPUT] = {"max_output", OMEGA_RULE_BYTES, {NULL}},
};

const char *
omega_layer_name(enum omega_layer_rule rule)
{
	return rule < OMEGA_RULE_COUNT ? table[rule].name : NULL;
}

enum omega_rule_shape
omega_layer_shape(enum omega_layer_rule rule)
{
	return table[rule].shape;
}

static enum omega_layer_rule
find_rule(const char *name)
{
	size_t i;

	for (i = 0; i < OMEGA_RULE_COUNT; i++)
		if (strcmp(table[i].name, name) == 0)
			break;
	return (enum omega_layer_rule)i;
}

bool
omega_layer_is_known(const char *name)
{
	return find_rule(name) != OMEGA_RULE_COUNT;
}

static bool
is_list_shape(enum omega_rule_shape shape)
{
	return shape == OMEGA_RULE_PATHS || shape == OMEGA_RULE_PORTS ||
	       shape == OMEGA_RULE_PATTERNS || shape == OMEGA_RULE_SETTINGS;
}

bool
omega_layer_is_list(const char *name)
{
	enum omega_layer_rule rule = find_rule(name);

	return rule != OMEGA_RULE_COUNT && is_list_shape(table[rule].shape);
}

/* Where the index-th value was written. */
static uint32_t
line_of(const struct omega_rule_setting *setting, size_t index)
{
	return setting->lines != NULL ? setting->lines[index] : setting->line;
}

/* A fault in a file has its line; one of a host application has not. */
__attribute__((format(printf, 4, 5))) static int
fault(const struct omega_rule_setting *setting, uint32_t line,
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

static int
unknown(
    const struct omega_rule_setting *setting, struct omega_sandbox_error *error)
{
	const char *reason = omega_nearest_reason(setting->name);
	size_t i;

	if (reason != NULL)
		return fault(setting, setting->line, error, "%s is refused: %s",
		    setting->name, reason);
	for (i = 0; i < OMEGA_RULE_COUNT; i++)
		if (omega_nearest(setting->name, table[i].name))
			return fault(setting, setting->line, error,
			    "unknown rule '%s'; did you mean '%s'?",
			    setting->name, table[i].name);
	return fault(setting, setting->line, error,
	    "unknown rule '%.64s' here; see sandbox.conf(5)", setting->name);
}

/* What a path may look like before it is expanded. */
static int
check_path(const struct omega_rule_setting *setting, size_t index,
    struct omega_sandbox_error *error)
{
	static const char *const starts[] = {
	    "/", "~/", "{data_dir}/", "{work_dir}/", "{runtime_dir}/", NULL};
	static const char *const wholes[] = {
	    "~", "{data_dir}", "{work_dir}", "{runtime_dir}", NULL};
	const char *text = setting->texts[index];
	uint32_t line = line_of(setting, index);
	char why[OMEGA_VALUE_WHY];
	size_t i;

	if (text[0] == '@' && text[1] != '\0')
		return 0;
	if (omega_value_has_pattern(text, why, sizeof(why)))
		return fault(
		    setting, line, error, "%s: %s", setting->name, why);
	for (i = 0; wholes[i] != NULL; i++)
		if (strcmp(text, wholes[i]) == 0)
			return 0;
	for (i = 0; starts[i] != NULL; i++)
		if (strncmp(text, starts[i], strlen(starts[i])) == 0)
			return 0;
	return fault(setting, line, error,
	    "%s: '%.200s' is not an absolute path; it begins with '/', '~/', "
	    "{data_dir}, {work_dir} or {runtime_dir}, or is the name of a "
	    "group: @NAME",
	    setting->name, text);
}

int
omega_layer_check_paths(
    const struct omega_rule_setting *setting, struct omega_sandbox_error *error)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < setting->count; i++)
		ret = check_path(setting, i, error);
	return ret;
}

static int
check_port(const struct omega_rule_setting *setting, size_t index,
    struct omega_sandbox_error *error)
{
	const char *text = setting->texts[index];
	uint32_t line = line_of(setting, index);
	uint64_t port = 0;

	if (strspn(text, "0123456789") != strlen(text) && text[0] != '\0' &&
	    (strchr(text, ':') != NULL || strchr(text, '.') != NULL))
		return fault(setting, line, error,
		    "%s: '%.200s' names a host or an address, which no backend "
		    "can hold yet; give the port alone, and know that it is "
		    "open to every host",
		    setting->name, text);
	if (omega_value_count(text, &port) < 0 || port > UINT16_MAX)
		return fault(setting, line, error,
		    "%s: '%.64s' is not a port, 1 to 65535", setting->name,
		    text);
	return 0;
}

/* Values are not shown: they may be secrets. */
static int
check_variable(const struct omega_rule_setting *setting, size_t index,
    bool is_setting, struct omega_sandbox_error *error)
{
	const char *text = setting->texts[index];

	if (is_setting ? omega_value_is_assignment(text)
		       : omega_value_is_variable(text, true))
		return 0;
	if (is_setting)
		return fault(setting, line_of(setting, index), error,
		    "%s: '%.*s' is not the beginning of NAME=VALUE",
		    setting->name, (int)strcspn(text, "="), text);
	return fault(setting, line_of(setting, index), error,
	    "%s: '%.64s' is not the name of a variable, nor a pattern with * "
	    "or ? for one",
	    setting->name, text);
}

static int
check_item(enum omega_rule_shape shape,
    const struct omega_rule_setting *setting, size_t index,
    struct omega_sandbox_error *error)
{
	switch (shape) {
	case OMEGA_RULE_PATHS:
		return check_path(setting, index, error);
	case OMEGA_RULE_PORTS:
		return check_port(setting, index, error);
	default:
		return check_variable(
		    setting, index, shape == OMEGA_RULE_SETTINGS, error);
	}
}

static int
add_items(struct omega_rule_value *value, enum omega_rule_shape shape,
    const struct omega_rule_setting *setting, struct omega_sandbox_error *error)
{
	size_t i;
	int ret;

	for (i = 0; i < setting->count; i++) {
		ret = check_item(shape, setting, i, error);
		if (ret < 0)
			return ret;
		if (omega_list_add(&value->items, setting->texts[i],
			setting->file, line_of(setting, i)) < 0)
			return omega_error_memory(error);
	}
	return 0;
}

/* A switch with a word of its own has that as the least, before no and yes. */
static int
read_switch(enum omega_layer_rule rule,
    const struct omega_rule_setting *setting, uint64_t *number,
    struct omega_sandbox_error *error)
{
	const char *least = table[rule].words[0];
	int value = omega_value_switch(setting->texts[0]);

	if (least != NULL && strcmp(setting->texts[0], least) == 0) {
		*number = 0;
		return 0;
	}
	if (value < 0)
		return fault(setting, line_of(setting, 0), error,
		    "%s is %s%strue or false, not '%.64s'", setting->name,
		    least == NULL ? "" : least, least == NULL ? "" : ", ",
		    setting->texts[0]);
	*number = (uint64_t)value + (least != NULL);
	return 0;
}

bool
omega_layer_is_yes(enum omega_layer_rule rule, uint64_t number)
{
	return number == (table[rule].words[0] != NULL ? 2 : 1);
}

static int
read_word(enum omega_layer_rule rule, const struct omega_rule_setting *setting,
    uint64_t *number, struct omega_sandbox_error *error)
{
	const char *const *words = table[rule].words;
	size_t i;

	for (i = 0; words[i] != NULL; i++)
		if (strcmp(setting->texts[0], words[i]) == 0) {
			*number = i;
			return 0;
		}
	return fault(setting, line_of(setting, 0), error,
	    "%s is %s, %s or %s, not '%.64s'", setting->name, words[0],
	    words[1], words[2], setting->texts[0]);
}

static int
read_amount(enum omega_rule_shape shape,
    const struct omega_rule_setting *setting, uint64_t *number,
    struct omega_sandbox_error *error)
{
	const char *text = setting->texts[0];
	const char *form = "a number";
	int ret;

	if (shape == OMEGA_RULE_BYTES) {
		form = "a number of bytes such as 512M (K, M, G, T)";
		ret = omega_value_bytes(text, number);
	} else if (shape == OMEGA_RULE_TIME) {
		form = "a time such as 30s (s, m, h, d)";
		ret = omega_value_seconds(text, number);
	} else {
		ret = omega_value_count(text, number);
	}
	if (ret == -ERANGE)
		return fault(setting, line_of(setting, 0), error,
		    "%s: '%.64s' is zero or too large", setting->name, text);
	if (ret < 0)
		return fault(setting, line_of(setting, 0), error,
		    "%s is %s, not '%.64s'", setting->name, form, text);
	return 0;
}

static int
read_one(enum omega_layer_rule rule, const struct omega_rule_setting *setting,
    uint64_t *number, struct omega_sandbox_error *error)
{
	switch (table[rule].shape) {
	case OMEGA_RULE_SWITCH:
		return read_switch(rule, setting, number, error);
	case OMEGA_RULE_WORD:
		return read_word(rule, setting, number, error);
	default:
		return read_amount(table[rule].shape, setting, number, error);
	}
}

/* Note where a rule was set. */
static int
note_place(
    struct omega_rule_value *value, const struct omega_rule_setting *setting)
{
	char *file = strdup(setting->file);

	if (file == NULL)
		return -ENOMEM;
	free(value->file);
	value->file = file;
	value->line = setting->line;
	value->is_set = true;
	return 0;
}

int
omega_layer_set(struct omega_layer *rules,
    const struct omega_rule_setting *setting, struct omega_sandbox_error *error)
{
	enum omega_layer_rule rule = find_rule(setting->name);
	struct omega_rule_value *value;
	int ret;

	if (rule == OMEGA_RULE_COUNT)
		return unknown(setting, error);
	value = &rules->values[rule];
	if (is_list_shape(table[rule].shape)) {
		if (!setting->is_list)
			return fault(setting, setting->line, error,
			    "%s takes a list: %s = { ... }", setting->name,
			    setting->name);
		ret = add_items(value, table[rule].shape, setting, error);
	} else {
		if (setting->is_list || setting->count != 1)
			return fault(setting, setting->line, error,
			    "%s takes one value, not a list", setting->name);
		ret = read_one(rule, setting, &value->number, error);
	}
	if (ret < 0)
		return ret;
	return note_place(value, setting) < 0 ? omega_error_memory(error) : 0;
}

static int
copy_items(struct omega_conf_list *to, const struct omega_conf_list *from)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < from->count; i++)
		ret = omega_list_add(to, from->items[i].text,
		    from->items[i].file, from->items[i].line);
	return ret;
}

int
omega_layer_extend(struct omega_layer *rules, const struct omega_layer *base)
{
	size_t i;

	for (i = 0; i < OMEGA_RULE_COUNT; i++) {
		struct omega_rule_value *value = &rules->values[i];
		const struct omega_rule_value *under = &base->values[i];

		if (!under->is_set)
			continue;
		if (copy_items(&value->items, &under->items) < 0)
			return -ENOMEM;
		if (value->is_set)
			continue;
		value->file = strdup(under->file);
		if (value->file == NULL)
			return -ENOMEM;
		value->line = under->line;
		value->number = under->number;
		value->is_set = true;
	}
	return 0;
}

/* Two rules that cannot both be meant. */
static int
contradiction(const struct omega_rule_value *one, const char *one_text,
    const struct omega_rule_value *two, const char *two_text,
    struct omega_sandbox_error *error)
{
	const struct omega_rule_setting at = {
	    .file = one->file, .line = one->line};

	if (two->line == 0)
		return fault(&at, one->line, error, "%s contradicts %s",
		    one_text, two_text);
	return fault(&at, one->line, error, "%s contradicts %s (%s:%u)",
	    one_text, two_text, two->file, two->line);
}

int
omega_layer_check(
    const struct omega_layer *rules, struct omega_sandbox_error *error)
{
	static const enum omega_layer_rule ports[] = {OMEGA_RULE_CONNECT,
	    OMEGA_RULE_BIND, OMEGA_RULE_CONNECT_UDP, OMEGA_RULE_BIND_UDP};
	const struct omega_rule_value *all =
	    &rules->values[OMEGA_RULE_READ_ALL];
	const struct omega_rule_value *read = &rules->values[OMEGA_RULE_READ];
	const struct omega_rule_value *net = &rules->values[OMEGA_RULE_NETWORK];
	size_t i;

	if (all->is_set && all->number == 1 && read->is_set)
		return contradiction(
		    read, "the list read", all, "read_all = true", error);
	for (i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
		const struct omega_rule_value *list = &rules->values[ports[i]];
		char text[64];

		if (!net->is_set || net->number == OMEGA_RULE_NETWORK_ALLOW ||
		    !list->is_set || list->items.count == 0)
			continue;
		snprintf(text, sizeof(text), "the list %s",
		    omega_layer_name(ports[i]));
		return contradiction(list, text, net,
		    net->number == OMEGA_RULE_NETWORK_DENY
			? "network = deny"
			: "network = unix-only",
		    error);
	}
	return 0;
}

int
omega_layer_copy(struct omega_layer *to, const struct omega_layer *from)
{
	if (from->name != NULL) {
		to->name = strdup(from->name);
		if (to->name == NULL)
			return -ENOMEM;
	}
	return omega_layer_extend(to, from);
}

void
omega_layer_clear(struct omega_layer *rules)
{
	size_t i;

	for (i = 0; i < OMEGA_RULE_COUNT; i++) {
		omega_list_clear(&rules->values[i].items);
		free(rules->values[i].file);
	}
	free(rules->name);
	memset(rules, 0, sizeof(*rules));
}
