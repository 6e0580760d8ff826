/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * rules.c - see profile.h.
 */

#include "profile.h"

#include <errno.h>
#include <stdlib.h>

#include "ways.h"

void
rules_begin(struct rules *rules, int is_deny_default)
{
	*rules = (struct rules){.is_deny_default = is_deny_default};
	texts_print(&rules->text, "(version 1)\n(%s default)\n",
	    is_deny_default ? "deny" : "allow");
}

void
rules_drop(struct rules *rules)
{
	free(rules->text.text);
	texts_drop(&rules->values);
	*rules = (struct rules){.is_deny_default = 0};
}

size_t
rules_param(struct rules *rules, const char *value)
{
	return texts_find(&rules->values, value);
}

void
rules_add_place(struct rules *rules, struct texts *filters, const char *path)
{
	struct texts names = {.list = NULL};
	size_t i;

	if (ways_refuse(path) != NULL)
		filters->error = -EILSEQ;
	ways_add_names(&names, path);
	for (i = 0; i < names.count; i++) {
		size_t number = rules_param(rules, names.list[i]);

		texts_add_once(filters, "(literal (param \"P%zu\"))", number);
		texts_add_once(filters, "(subpath (param \"P%zu\"))", number);
	}
	texts_drop_to(&names, filters);
}

void
rules_any(struct texts_buffer *buffer, const struct texts *filters)
{
	size_t i;

	if (filters->error != 0 && buffer->error == 0)
		buffer->error = filters->error;
	if (filters->count > 1)
		texts_print(buffer, "(require-any");
	for (i = 0; i < filters->count; i++)
		texts_print(buffer, "%s%s", filters->count > 1 ? " " : "",
		    filters->list[i]);
	if (filters->count > 1)
		texts_print(buffer, ")");
}

void
rules_but(struct texts_buffer *buffer, const struct texts *filters)
{
	size_t i;

	if (filters->error != 0 && buffer->error == 0)
		buffer->error = filters->error;
	for (i = 0; i < filters->count; i++)
		texts_print(buffer, " (require-not %s)", filters->list[i]);
}

static void
each(struct texts_buffer *buffer, const struct texts *filters)
{
	size_t i;

	for (i = 0; i < filters->count; i++)
		texts_print(buffer, "\n  %s", filters->list[i]);
}

static void
allow(struct texts_buffer *text, const char *operations,
    const struct texts *only, const struct texts *but)
{
	if (only != NULL && only->count == 0)
		return;
	texts_print(text, "(allow %s", operations);
	if (but->count == 0 && only != NULL) {
		each(text, only);
	} else if (but->count == 1 && only == NULL) {
		rules_but(text, but);
	} else if (but->count != 0) {
		texts_print(text, " (require-all");
		if (only != NULL) {
			texts_print(text, " ");
			rules_any(text, only);
		}
		rules_but(text, but);
		texts_print(text, ")");
	}
	texts_print(text, ")\n");
}

static void
deny(struct texts_buffer *text, const char *operations,
    const struct texts *only, const struct texts *but)
{
	if (only == NULL && but->count == 0)
		return;
	texts_print(text, "(deny %s", operations);
	if (only == NULL || only->count != 0) {
		if (only != NULL && only->count == 1) {
			texts_print(
			    text, "\n  (require-not %s)", only->list[0]);
		} else if (only != NULL) {
			texts_print(text, "\n  (require-all");
			rules_but(text, only);
			texts_print(text, ")");
		}
		each(text, but);
	}
	texts_print(text, ")\n");
}

void
rules_limit(struct rules *rules, const char *operations,
    const struct texts *only, const struct texts *but)
{
	static const struct texts none = {.list = NULL};

	if (but == NULL)
		but = &none;
	if (but->error != 0 && rules->text.error == 0)
		rules->text.error = but->error;
	if (only != NULL && only->error != 0 && rules->text.error == 0)
		rules->text.error = only->error;
	if (rules->is_deny_default)
		allow(&rules->text, operations, only, but);
	else
		deny(&rules->text, operations, only, but);
}

void
rules_refuse(struct rules *rules, const char *operations)
{
	if (!rules->is_deny_default)
		texts_print(&rules->text, "(deny %s)\n", operations);
}

void
rules_permit(struct rules *rules, const char *operations)
{
	if (rules->is_deny_default)
		texts_print(&rules->text, "(allow %s)\n", operations);
}
