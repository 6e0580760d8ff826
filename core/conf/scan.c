/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * scan.c - see scan.h. The grammar:
 *
 *   text    = { option | section }
 *   section = type ( STRING | WORD ) "{" { option } "}"
 *   type    = "plugin" | "policy" | "agent" | "group" | "tier"
 *   option  = WORD "=" ( value | list )
 *   list    = "{" [ value { "," value } [ "," ] ] "}"
 *   value   = STRING | WORD
 */

#include "config.h"

#include "conf/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/nearest.h"
#include "conf/faults.h"
#include "conf/token.h"

const char *const omega_scan_types[OMEGA_SCAN_TYPES] = {
    [OMEGA_SCAN_TOP] = "",
    [OMEGA_SCAN_PLUGIN] = "plugin",
    [OMEGA_SCAN_POLICY] = "policy",
    [OMEGA_SCAN_AGENT] = "agent",
    [OMEGA_SCAN_GROUP] = "group",
    [OMEGA_SCAN_TIER] = "tier",
};

struct scanner {
	struct omega_scan *scan;
	struct omega_tokens tokens;
	struct omega_token token; /* the one looked at */
	struct omega_token name; /* of the option or section at hand */
	size_t section; /* the one we are in */
	struct omega_faults *faults; /* NULL: end at the first */
};

#define FAULT(s, line, ...) \
	omega_error_conf((s)->tokens.error, (s)->tokens.file, line, __VA_ARGS__)

static int
next(struct scanner *s)
{
	return omega_token_next(&s->tokens, &s->token);
}

/* What is there instead, for messages. */
static int
expected(const struct scanner *s, const char *what)
{
	if (s->token.type == OMEGA_TOKEN_END)
		return FAULT(s, s->token.line,
		    "expected %s, but the file ends here", what);
	return FAULT(s, s->token.line, "expected %s, found '%.*s'", what,
	    OMEGA_TOKEN_SHOWN(&s->token));
}

/* A letter first, so that a forgotten name is not taken from a value. */
static bool
is_name(const struct omega_token *token)
{
	return token->type == OMEGA_TOKEN_WORD &&
	       token->len <= OMEGA_SCAN_MAX_NAME &&
	       ((*token->start >= 'a' && *token->start <= 'z') ||
		   (*token->start >= 'A' && *token->start <= 'Z')) &&
	       memchr(token->start, '.', token->len) == NULL;
}

static bool
is_text(const struct omega_token *token, const char *text)
{
	return token->len == strlen(text) &&
	       memcmp(token->start, text, token->len) == 0;
}

bool
omega_scan_is_backend(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!((name[i] >= 'a' && name[i] <= 'z') ||
			(name[i] >= '0' && name[i] <= '9') || name[i] == '_' ||
			name[i] == '-'))
			return false;
	return len >= 1 && len <= 31;
}

/* No room for one more option or section? */
static bool
is_full(const struct scanner *s)
{
	return s->scan->entry_count + s->scan->section_count >
	       OMEGA_SCAN_MAX_OPTIONS;
}

static int
check_room(const struct scanner *s)
{
	if (is_full(s))
		return FAULT(s, s->name.line,
		    "more than %d options and sections in one file",
		    OMEGA_SCAN_MAX_OPTIONS);
	return 0;
}

/* The last option of the section at hand. */
static struct omega_conf_entry *
last_entry(const struct scanner *s)
{
	const struct omega_conf_section *section =
	    &s->scan->sections[s->section];

	return &section->entries[section->entry_count - 1];
}

static int
add_section(struct scanner *s, enum omega_scan_type type,
    const struct omega_token *title)
{
	struct omega_scan *scan = s->scan;
	struct omega_conf_section *section;

	section = omega_list_grow(
	    scan->sections, scan->section_count, sizeof(*section));
	if (section == NULL)
		return omega_error_memory(s->tokens.error);
	scan->sections = section;
	section += scan->section_count;
	s->section = scan->section_count++;
	section->type = type;
	section->line = title == NULL ? 1 : title->line;
	section->file = strdup(s->tokens.file);
	if (title != NULL)
		section->title = strndup(title->start, title->len);
	if (section->file == NULL || (title != NULL && section->title == NULL))
		return omega_error_memory(s->tokens.error);
	return 0;
}

static int
add_entry(struct scanner *s)
{
	struct omega_conf_section *section = &s->scan->sections[s->section];
	struct omega_conf_entry *entry;

	entry = omega_list_grow(
	    section->entries, section->entry_count, sizeof(*entry));
	if (entry == NULL)
		return omega_error_memory(s->tokens.error);
	section->entries = entry;
	entry += section->entry_count++;
	s->scan->entry_count++;
	entry->line = s->name.line;
	entry->name = strndup(s->name.start, s->name.len);
	return entry->name == NULL ? omega_error_memory(s->tokens.error) : 0;
}

/* The token looked at is a value of the last option. */
static int
add_value(struct scanner *s)
{
	struct omega_conf_list *values = &last_entry(s)->values;
	bool has_escapes = memchr(s->token.start, '\\', s->token.len) != NULL;
	char *text;

	if (omega_list_add(values, NULL, s->tokens.file, s->token.line) < 0)
		return omega_error_memory(s->tokens.error);
	s->scan->has_escapes |= has_escapes;
	text = has_escapes ? NULL : strndup(s->token.start, s->token.len);
	values->items[values->count - 1].text = text;
	return has_escapes || text != NULL
		   ? 0
		   : omega_error_memory(s->tokens.error);
}

static bool
is_value(const struct omega_token *token)
{
	return token->type == OMEGA_TOKEN_STRING ||
	       token->type == OMEGA_TOKEN_WORD;
}

/* Behind the "{" of a list, up to and with its "}". */
static int
scan_list(struct scanner *s)
{
	int ret;

	last_entry(s)->is_list = true;
	for (;;) {
		ret = next(s);
		if (ret < 0 || omega_token_is(&s->token, "}"))
			return ret;
		if (omega_token_is(&s->token, "{"))
			return FAULT(s, s->token.line,
			    "a list cannot have a list in it");
		if (!is_value(&s->token))
			return expected(s, "a value or '}' in the list");
		ret = add_value(s);
		if (ret < 0)
			return ret;
		ret = next(s);
		if (ret < 0 || omega_token_is(&s->token, "}"))
			return ret;
		if (!omega_token_is(&s->token, ","))
			return expected(s, "',' or '}' in the list");
	}
}

static int
check_not_set(const struct scanner *s)
{
	const struct omega_conf_section *section =
	    &s->scan->sections[s->section];
	size_t i;

	for (i = 0; i < section->entry_count; i++)
		if (is_text(&s->name, section->entries[i].name))
			return FAULT(s, s->name.line,
			    "'%s' is set twice, first on line %u",
			    section->entries[i].name, section->entries[i].line);
	return 0;
}

/* The word that begins sections of a kind, if name could be meant for it. */
static const char *
find_meant(const struct omega_token *name)
{
	char word[OMEGA_SCAN_MAX_NAME + 1];
	int type;

	memcpy(word, name->start, name->len);
	word[name->len] = '\0';
	for (type = OMEGA_SCAN_PLUGIN; type < OMEGA_SCAN_TYPES; type++)
		if (omega_nearest(word, omega_scan_types[type]))
			return omega_scan_types[type];
	return NULL;
}

/* Behind the name, at the token that follows. What is not part of it is left
 * to the next statement. */
static int
scan_option(struct scanner *s)
{
	size_t end = s->tokens.pos;
	uint32_t line = s->token.line;
	int ret;

	if (omega_token_is(&s->token, "+="))
		return FAULT(s, s->token.line,
		    "'+=' is not known here; write the whole list with '='");
	if (omega_token_is(&s->token, "{"))
		return FAULT(s, s->name.line,
		    "unknown section '%.*s'; sections are plugin, policy, "
		    "agent, group and tier, each with a name: plugin \"NAME\" "
		    "{ ... }",
		    OMEGA_TOKEN_SHOWN(&s->name));
	if (is_value(&s->token) && find_meant(&s->name) != NULL)
		return FAULT(s, s->name.line,
		    "unknown section '%.*s'; did you mean '%s'?",
		    OMEGA_TOKEN_SHOWN(&s->name), find_meant(&s->name));
	if (!omega_token_is(&s->token, "=")) {
		s->tokens.pos =
		    (size_t)(s->name.start + s->name.len - s->tokens.text);
		return FAULT(s, s->name.line,
		    "expected '=' after '%.*s'; a value with blanks needs "
		    "quotes",
		    OMEGA_TOKEN_SHOWN(&s->name));
	}
	ret = check_not_set(s);
	if (ret < 0)
		return ret;
	ret = add_entry(s);
	if (ret < 0)
		return ret;
	ret = next(s);
	if (ret < 0)
		return ret;
	if (omega_token_is(&s->token, "{"))
		return scan_list(s);
	if (is_value(&s->token) && s->token.line == line)
		return add_value(s);
	s->tokens.pos = end;
	return is_value(&s->token)
		   ? FAULT(
			 s, line, "expected a value after '=' on the same line")
		   : expected(s, "a value after '='");
}

/* Behind the word that begins it, up to and with the "{" of a section. */
static int
scan_section(struct scanner *s, enum omega_scan_type type)
{
	const char *word = omega_scan_types[type];
	size_t i;
	int ret;

	if (s->section != 0)
		return FAULT(s, s->name.line,
		    "%s sections cannot have a section in them",
		    omega_scan_types[s->scan->sections[s->section].type]);
	if (!is_value(&s->token))
		return FAULT(s, s->name.line,
		    "%s sections begin with a name: %s \"NAME\" { ... }", word,
		    word);
	if (!omega_scan_is_backend(s->token.start, s->token.len))
		return FAULT(s, s->token.line,
		    "'%.*s' is no name for %s sections: " OMEGA_SCAN_BACKEND,
		    OMEGA_TOKEN_SHOWN(&s->token), word);
	for (i = 1; i < s->scan->section_count; i++) {
		const struct omega_conf_section *other = &s->scan->sections[i];

		if (other->type == type && is_text(&s->token, other->title))
			return FAULT(s, s->token.line,
			    "%s \"%s\" has two sections, the first on line %u",
			    word, other->title, other->line);
	}
	ret = add_section(s, type, &s->token);
	if (ret < 0)
		return ret;
	ret = next(s);
	if (ret < 0)
		return ret;
	if (!omega_token_is(&s->token, "{")) {
		char what[64];

		snprintf(
		    what, sizeof(what), "'{' after the name of the %s", word);
		return expected(s, what);
	}
	return 0;
}

/*
 * Is the name the beginning of a section? Within one, "policy" is the name of
 * an option, and then "=" follows.
 */
static enum omega_scan_type
section_type(const struct scanner *s)
{
	int type;

	for (type = OMEGA_SCAN_PLUGIN; type < OMEGA_SCAN_TYPES; type++)
		if (is_text(&s->name, omega_scan_types[type]))
			break;
	if (type == OMEGA_SCAN_TYPES ||
	    (s->section != 0 && omega_token_is(&s->token, "=")))
		return OMEGA_SCAN_TOP;
	return (enum omega_scan_type)type;
}

/* One option, or one end of a section. */
static int
scan_statement(struct scanner *s)
{
	enum omega_scan_type type;
	int ret;

	if (omega_token_is(&s->token, "}") && s->section != 0) {
		s->section = 0;
		return 0;
	}
	if (!is_name(&s->token))
		return omega_token_is(&s->token, ",")
			   ? FAULT(s, s->token.line,
				 "unexpected ','; a list is written { value, "
				 "value }")
			   : expected(s, "the name of an option");
	s->name = s->token;
	ret = check_room(s);
	if (ret < 0)
		return ret;
	ret = next(s);
	if (ret < 0)
		return ret;
	if (omega_token_is(&s->token, "("))
		return FAULT(s, s->name.line,
		    "'%.*s(...)' is not known here; further files go into "
		    "sandbox.d",
		    OMEGA_TOKEN_SHOWN(&s->name));
	type = section_type(s);
	return type == OMEGA_SCAN_TOP ? scan_option(s) : scan_section(s, type);
}

static void
clear_entry(struct omega_conf_entry *entry)
{
	free(entry->name);
	omega_list_clear(&entry->values);
}

/* Forget what a statement has added: a section, or to the one it was in. */
static void
take_back(
    struct scanner *s, size_t section, size_t section_count, size_t entry_count)
{
	struct omega_scan *scan = s->scan;
	struct omega_conf_section *at = &scan->sections[section];

	while (scan->section_count > section_count)
		omega_scan_clear_section(
		    &scan->sections[--scan->section_count]);
	for (; scan->entry_count > entry_count; scan->entry_count--)
		clear_entry(&at->entries[--at->entry_count]);
	s->section = section;
}

/* The text ends within a section; what reads it next wants it closed. */
static int
close_section(struct scanner *s)
{
	int ret = FAULT(s, s->scan->sections[s->section].line,
	    "the section that begins here is not closed");

	s->scan->text[s->scan->len++] = '}';
	s->scan->text[s->scan->len] = '\0';
	return ret;
}

static int
scan_all(struct scanner *s)
{
	int ret;

	ret = omega_token_begin(&s->tokens);
	if (ret < 0)
		return omega_faults_keep(s->faults, ret, s->tokens.error);
	while (ret == 0) {
		const struct omega_scan before = *s->scan;
		size_t section = s->section;
		size_t start = s->tokens.pos;
		uint32_t line = s->tokens.line;

		ret = next(s);
		if (ret == 0 && s->token.type == OMEGA_TOKEN_END)
			break;
		if (ret == 0)
			ret = scan_statement(s);
		if (ret == 0)
			continue;
		ret = omega_faults_keep(s->faults, ret, s->tokens.error);
		take_back(s, section, before.section_count, before.entry_count);
		/* More than there is room for: the rest is not looked at. */
		if (is_full(s))
			s->tokens.pos = s->tokens.len;
		omega_token_resync(&s->tokens, start, line, section != 0);
	}
	if (ret == 0 && s->section != 0)
		ret = omega_faults_keep(
		    s->faults, close_section(s), s->tokens.error);
	return ret;
}

int
omega_scan_text(struct omega_scan *scan, const char *file, const char *text,
    size_t len, struct omega_faults *faults, struct omega_sandbox_error *error)
{
	struct scanner s = {.scan = scan, .faults = faults};
	int ret;

	memset(scan, 0, sizeof(*scan));
	if (len > OMEGA_SCAN_MAX_BYTES)
		return omega_error_conf(error, file, 0,
		    "more than %d bytes are not read", OMEGA_SCAN_MAX_BYTES);
	scan->text = malloc(len + 2); /* see close_section() */
	if (scan->text == NULL)
		return omega_error_memory(error);
	if (len != 0)
		memcpy(scan->text, text, len);
	scan->text[len] = '\0';
	scan->len = len;
	s.tokens.file = file;
	s.tokens.text = scan->text;
	s.tokens.len = len;
	s.tokens.error = error;
	ret = add_section(&s, OMEGA_SCAN_TOP, NULL);
	if (ret < 0)
		return ret;
	return scan_all(&s);
}

void
omega_scan_clear_section(struct omega_conf_section *section)
{
	while (section->entry_count > 0)
		clear_entry(&section->entries[--section->entry_count]);
	free(section->entries);
	free(section->title);
	free(section->file);
	memset(section, 0, sizeof(*section));
}

void
omega_scan_clear(struct omega_scan *scan)
{
	while (scan->section_count > 0)
		omega_scan_clear_section(
		    &scan->sections[--scan->section_count]);
	free(scan->sections);
	free(scan->text);
	memset(scan, 0, sizeof(*scan));
}
