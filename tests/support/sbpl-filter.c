/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sbpl-filter.c - see sbpl-filter.h.
 */

#include "sbpl-filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The operations that published profiles have; what is not here is refused. */
static const struct {
	const char *name;
	unsigned about;
} operations[] = {
    {"appleevent-send", SBPL_ABOUT_NOTHING},
    {"file-clone", SBPL_ABOUT_FILE},
    {"file-ioctl", SBPL_ABOUT_FILE | SBPL_ABOUT_IOCTL},
    {"file-link", SBPL_ABOUT_FILE},
    {"file-map-executable", SBPL_ABOUT_FILE},
    {"file-mount", SBPL_ABOUT_FILE},
    {"file-read-data", SBPL_ABOUT_FILE},
    {"file-read-metadata", SBPL_ABOUT_FILE},
    {"file-read-xattr", SBPL_ABOUT_FILE},
    {"file-write-acl", SBPL_ABOUT_FILE},
    {"file-write-create", SBPL_ABOUT_FILE},
    {"file-write-data", SBPL_ABOUT_FILE},
    {"file-write-flags", SBPL_ABOUT_FILE},
    {"file-write-mode", SBPL_ABOUT_FILE},
    {"file-write-owner", SBPL_ABOUT_FILE},
    {"file-write-setugid", SBPL_ABOUT_FILE},
    {"file-write-times", SBPL_ABOUT_FILE},
    {"file-write-unlink", SBPL_ABOUT_FILE},
    {"file-write-xattr", SBPL_ABOUT_FILE},
    {"iokit-get-properties", SBPL_ABOUT_NOTHING},
    {"iokit-open", SBPL_ABOUT_NOTHING},
    {"ipc-posix-sem", SBPL_ABOUT_NOTHING},
    {"ipc-posix-shm-read-data", SBPL_ABOUT_NOTHING},
    {"ipc-posix-shm-write-data", SBPL_ABOUT_NOTHING},
    {"ipc-sysv-msg", SBPL_ABOUT_NOTHING},
    {"ipc-sysv-sem", SBPL_ABOUT_NOTHING},
    {"ipc-sysv-shm", SBPL_ABOUT_NOTHING},
    {"job-creation", SBPL_ABOUT_NOTHING},
    {"lsopen", SBPL_ABOUT_NOTHING},
    {"mach-lookup", SBPL_ABOUT_SERVICE},
    {"mach-priv-task-port", SBPL_ABOUT_TARGET},
    {"mach-register", SBPL_ABOUT_SERVICE},
    {"mach-task-name", SBPL_ABOUT_TARGET},
    {"network-bind", SBPL_ABOUT_LOCAL},
    {"network-inbound", SBPL_ABOUT_LOCAL},
    {"network-outbound", SBPL_ABOUT_REMOTE},
    {"process-exec", SBPL_ABOUT_FILE},
    {"process-exec-interpreter", SBPL_ABOUT_FILE},
    {"process-fork", SBPL_ABOUT_NOTHING},
    {"process-info-pidinfo", SBPL_ABOUT_TARGET},
    {"process-info-setcontrol", SBPL_ABOUT_TARGET},
    {"pseudo-tty", SBPL_ABOUT_NOTHING},
    {"signal", SBPL_ABOUT_TARGET},
    {"sysctl-read", SBPL_ABOUT_NOTHING},
    {"sysctl-write", SBPL_ABOUT_NOTHING},
    {"system-socket", SBPL_ABOUT_DOMAIN},
    {"user-preference-read", SBPL_ABOUT_NOTHING},
    {"user-preference-write", SBPL_ABOUT_NOTHING},
};

#define OPERATION_COUNT (sizeof(operations) / sizeof(operations[0]))

/* Stars stand for families that exist, not for any beginning of a name. */
static const char *const families[] = {"file*", "file-read*", "file-write*",
    "ipc*", "ipc-posix*", "ipc-sysv*", "iokit*", "mach*", "network*",
    "process*", "process-exec*", "process-info*", "sysctl*",
    "user-preference*"};

static bool
is_family(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (strcmp(families[i], name) == 0)
			return true;
	return false;
}

bool
sbpl_filter_covers(const char *name, const char *operation)
{
	size_t len = strlen(name);

	/* Profiles that mean it as well as the others name it beside them. */
	if (strcmp(operation, "file-write-setugid") == 0)
		return strcmp(name, operation) == 0;
	if (len > 0 && name[len - 1] == '*')
		return strncmp(name, operation, len - 1) == 0;
	return strcmp(name, operation) == 0;
}

unsigned
sbpl_filter_about(const char *operation)
{
	unsigned about = 0;
	bool is_first = true;
	size_t i;

	if (strchr(operation, '*') != NULL && !is_family(operation))
		return SBPL_ABOUT_UNKNOWN;
	for (i = 0; i < OPERATION_COUNT; i++)
		if (sbpl_filter_covers(operation, operations[i].name)) {
			/* A family takes what all of its members take. */
			about = is_first ? operations[i].about
					 : about & operations[i].about;
			is_first = false;
		}
	return is_first ? (unsigned)SBPL_ABOUT_UNKNOWN : about;
}

/* ---- Reading --------------------------------------------------------------
 */

static struct sbpl_filter *
fail(struct sbpl_filter_source *source, const char *what, const char *which)
{
	snprintf(source->error, source->error_size, "%s: %s", what, which);
	return NULL;
}

void
sbpl_filter_free(struct sbpl_filter *filter)
{
	if (filter == NULL)
		return;
	while (filter->count > 0)
		sbpl_filter_free(filter->parts[--filter->count]);
	if (filter->has_regex)
		regfree(&filter->regex);
	free(filter->parts);
	free(filter->text);
	free(filter);
}

/* A string, or the value of a parameter. */
static const char *
text_of(struct sbpl_filter_source *source, const struct sbpl_form *form)
{
	size_t i;

	if (form->kind == SBPL_STRING)
		return form->text;
	if (!sbpl_form_is(form, "param") || form->count != 2 ||
	    form->items[1]->kind != SBPL_STRING)
		return NULL;
	for (i = 0; i < source->param_count; i++)
		if (strcmp(source->params[i].name, form->items[1]->text) == 0) {
			source->params[i].is_used = true;
			return source->params[i].value;
		}
	return NULL;
}

static bool
read_path(struct sbpl_filter_source *source, struct sbpl_filter *filter,
    const struct sbpl_form *form)
{
	const char *text;
	size_t len;

	if (form->count != 2)
		return false;
	text = text_of(source, form->items[1]);
	if (text == NULL || text[0] != '/')
		return false;
	len = strlen(text);
	/* Such a one would match nothing. */
	if (len > 1 && text[len - 1] == '/')
		return false;
	filter->text = strdup(text);
	return filter->text != NULL;
}

static bool
read_regex(struct sbpl_filter *filter, const struct sbpl_form *form)
{
	if (form->count != 2 || form->items[1]->kind != SBPL_REGEX)
		return false;
	filter->has_regex = regcomp(&filter->regex, form->items[1]->text,
				REG_EXTENDED | REG_NOSUB) == 0;
	filter->text = strdup(form->items[1]->text);
	return filter->has_regex && filter->text != NULL;
}

static bool
read_named(struct sbpl_filter *filter, const struct sbpl_form *form,
    enum sbpl_form_kind kind, const char *const *names)
{
	size_t i;

	if (form->count != 2 || form->items[1]->kind != kind)
		return false;
	for (i = 0; names != NULL && names[i] != NULL; i++)
		if (strcmp(names[i], form->items[1]->text) == 0)
			break;
	if (names != NULL && names[i] == NULL)
		return false;
	filter->text = strdup(form->items[1]->text);
	return filter->text != NULL;
}

/* "*:PORT" or "*:*". */
static bool
read_port(struct sbpl_filter *filter, const struct sbpl_form *form)
{
	unsigned long port;
	char *end;

	if (form->kind != SBPL_STRING || strncmp(form->text, "*:", 2) != 0)
		return false;
	if (strcmp(form->text + 2, "*") == 0)
		return true;
	port = strtoul(form->text + 2, &end, 10);
	filter->port = (unsigned)port;
	return port > 0 && port < 65536 && *end == '\0';
}

/* (remote ip), (remote tcp "*:443"), (remote unix-socket (subpath ...)) */
static bool
read_address(struct sbpl_filter_source *source, struct sbpl_filter *filter,
    const struct sbpl_form *form)
{
	static const char *const protocols[] = {
	    "ip", "tcp", "udp", "unix-socket", NULL};
	struct sbpl_filter_source inner = *source;
	struct sbpl_form pair = *form;

	if (form->count < 2 || form->count > 3)
		return false;
	pair.count = 2;
	if (!read_named(filter, &pair, SBPL_WORD, protocols))
		return false;
	if (form->count == 2)
		return true;
	if (strcmp(filter->text, "unix-socket") != 0)
		return read_port(filter, form->items[2]);
	inner.about = SBPL_ABOUT_FILE;
	filter->parts = calloc(1, sizeof(struct sbpl_filter *));
	if (filter->parts == NULL)
		return false;
	filter->parts[0] = sbpl_filter_read(&inner, form->items[2]);
	filter->count = filter->parts[0] != NULL;
	return filter->count == 1 &&
	       (filter->parts[0]->kind == SBPL_LITERAL ||
		   filter->parts[0]->kind == SBPL_SUBPATH ||
		   filter->parts[0]->kind == SBPL_MATCH);
}

static bool
read_parts(struct sbpl_filter_source *source, struct sbpl_filter *filter,
    const struct sbpl_form *form)
{
	size_t i;

	if (form->count < 2 || (filter->kind == SBPL_NOT && form->count != 2))
		return false;
	filter->parts = calloc(form->count, sizeof(struct sbpl_filter *));
	if (filter->parts == NULL)
		return false;
	for (i = 1; i < form->count; i++) {
		filter->parts[filter->count] =
		    sbpl_filter_read(source, form->items[i]);
		if (filter->parts[filter->count] == NULL)
			return false;
		filter->count++;
	}
	return true;
}

static const char *const targets[] = {"self", "same-sandbox", "others", NULL};
static const char *const domains[] = {"AF_UNIX", "AF_INET", "AF_INET6",
    "AF_SYSTEM", "AF_ROUTE", "AF_VSOCK", NULL};
static const char *const ioctls[] = {"TIOCSTI", "TIOCGETA", "TIOCSETA", NULL};
static const char *const types[] = {
    "REGULAR-FILE", "DIRECTORY", "SYMLINK", "SOCKET", "CHARACTER-DEVICE", NULL};

static const struct filter_word {
	const char *word;
	int kind;
	unsigned about; /* 0: goes with everything */
	const char *const *names;
} words[] = {
    {"require-all", SBPL_ALL, 0, NULL},
    {"require-any", SBPL_ANY, 0, NULL},
    {"require-not", SBPL_NOT, 0, NULL},
    {"literal", SBPL_LITERAL, SBPL_ABOUT_FILE, NULL},
    {"subpath", SBPL_SUBPATH, SBPL_ABOUT_FILE, NULL},
    {"regex", SBPL_MATCH, SBPL_ABOUT_FILE, NULL},
    {"vnode-type", SBPL_TYPE, SBPL_ABOUT_FILE, types},
    {"target", SBPL_TARGET, SBPL_ABOUT_TARGET, targets},
    {"global-name", SBPL_SERVICE, SBPL_ABOUT_SERVICE, NULL},
    {"ioctl-command", SBPL_IOCTL, SBPL_ABOUT_IOCTL, ioctls},
    {"socket-domain", SBPL_DOMAIN, SBPL_ABOUT_DOMAIN, domains},
    {"remote", SBPL_ADDRESS, SBPL_ABOUT_REMOTE, NULL},
    {"local", SBPL_ADDRESS, SBPL_ABOUT_LOCAL, NULL},
};

static bool
read_one(struct sbpl_filter_source *source, struct sbpl_filter *filter,
    const struct sbpl_form *form, const struct filter_word *word)
{
	switch (word->kind) {
	case SBPL_ALL:
	case SBPL_ANY:
	case SBPL_NOT:
		return read_parts(source, filter, form);
	case SBPL_LITERAL:
	case SBPL_SUBPATH:
		return read_path(source, filter, form);
	case SBPL_MATCH:
		return read_regex(filter, form);
	case SBPL_SERVICE:
		return read_named(filter, form, SBPL_STRING, NULL);
	case SBPL_ADDRESS:
		return read_address(source, filter, form);
	default:
		return read_named(filter, form, SBPL_WORD, word->names);
	}
}

struct sbpl_filter *
sbpl_filter_read(
    struct sbpl_filter_source *source, const struct sbpl_form *form)
{
	const struct filter_word *word = NULL;
	struct sbpl_filter *filter;
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (sbpl_form_is(form, words[i].word))
			word = &words[i];
	if (word == NULL)
		return fail(source, "no filter",
		    form->kind == SBPL_LIST && form->count > 0 &&
			    form->items[0]->text != NULL
			? form->items[0]->text
			: "something else");
	if (word->about != 0 && (word->about & source->about) == 0)
		return fail(
		    source, "does not go with the operation", word->word);
	filter = calloc(1, sizeof(*filter));
	if (filter == NULL)
		abort();
	filter->kind = word->kind;
	source->error[0] = '\0';
	if (!read_one(source, filter, form, word)) {
		sbpl_filter_free(filter);
		return source->error[0] != '\0'
			   ? NULL
			   : fail(source, "a filter with a wrong argument",
				 word->word);
	}
	return filter;
}

/* ---- Matching -------------------------------------------------------------
 */

static bool
is_below(const char *path, const char *base)
{
	size_t len = strlen(base);

	if (len == 1)
		return path[0] == '/';
	return strncmp(path, base, len) == 0 &&
	       (path[len] == '\0' || path[len] == '/');
}

static bool
matches_path(const struct sbpl_filter *filter, const char *path, size_t *length)
{
	bool is_match;

	if (path == NULL)
		return false;
	if (filter->kind == SBPL_LITERAL)
		is_match = strcmp(path, filter->text) == 0;
	else if (filter->kind == SBPL_SUBPATH)
		is_match = is_below(path, filter->text);
	else
		is_match = regexec(&filter->regex, path, 0, NULL, 0) == 0;
	if (is_match && strlen(filter->text) > *length)
		*length = strlen(filter->text);
	return is_match;
}

static bool
matches_address(const struct sbpl_filter *filter,
    const struct sbpl_question *question, size_t *length)
{
	bool is_unix;

	if (question->protocol == NULL)
		return false;
	is_unix = strcmp(question->protocol, "unix") == 0;
	if (strcmp(filter->text, "unix-socket") == 0)
		return is_unix &&
		       (filter->count == 0 || matches_path(filter->parts[0],
						  question->path, length));
	if (is_unix || (strcmp(filter->text, "ip") != 0 &&
			   strcmp(filter->text, question->protocol) != 0))
		return false;
	return filter->port == 0 || filter->port == question->port;
}

/* Oneself is in one's own sandbox, and is nobody else. */
static bool
matches_target(const struct sbpl_filter *filter, const char *target)
{
	if (target == NULL)
		return false;
	if (strcmp(target, filter->text) == 0)
		return true;
	if (strcmp(filter->text, "same-sandbox") == 0)
		return strcmp(target, "self") == 0;
	return strcmp(filter->text, "others") == 0 &&
	       strcmp(target, "self") != 0;
}

static bool
is_text(const struct sbpl_filter *filter, const char *text)
{
	return text != NULL && strcmp(filter->text, text) == 0;
}

static bool
matches_parts(const struct sbpl_filter *filter,
    const struct sbpl_question *question, size_t *length)
{
	size_t ignored = 0;
	size_t i;

	if (filter->kind == SBPL_NOT)
		return !sbpl_filter_matches(
		    filter->parts[0], question, &ignored);
	for (i = 0; i < filter->count; i++)
		if (sbpl_filter_matches(filter->parts[i], question, length) ==
		    (filter->kind == SBPL_ANY))
			return filter->kind == SBPL_ANY;
	return filter->kind == SBPL_ALL;
}

bool
sbpl_filter_matches(const struct sbpl_filter *filter,
    const struct sbpl_question *question, size_t *length)
{
	switch (filter->kind) {
	case SBPL_ALL:
	case SBPL_ANY:
	case SBPL_NOT:
		return matches_parts(filter, question, length);
	case SBPL_LITERAL:
	case SBPL_SUBPATH:
	case SBPL_MATCH:
		return matches_path(filter, question->path, length);
	case SBPL_TARGET:
		return matches_target(filter, question->target);
	case SBPL_TYPE:
		return is_text(filter,
		    question->type == NULL ? "REGULAR-FILE" : question->type);
	case SBPL_ADDRESS:
		return matches_address(filter, question, length);
	default:
		return is_text(filter, question->name);
	}
}
