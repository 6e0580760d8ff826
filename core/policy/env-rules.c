/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * env-rules.c - see env-rules.h. The places that have a say, in this order:
 * each file of the configuration, the floors, the policy, the agent, the host
 * application.
 */

#include "config.h"

#include "policy/env-rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/home.h"
#include "policy/atom-add.h"

extern char **environ;

static int
add_items(struct omega_env_list *to, const struct omega_conf_list *from,
    const char *file)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < from->count; i++)
		if (file == NULL || strcmp(from->items[i].file, file) == 0)
			ret = omega_env_add(to, from->items[i].text);
	return ret;
}

/* "NAME=~/path" is below the home, as in lists of paths. */
static int
add_set(struct omega_env_list *to, const struct omega_conf_list *from,
    const char *file)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < from->count; i++) {
		const char *text = from->items[i].text;
		int len = (int)strcspn(text, "=");
		char *value = NULL;
		char *made = NULL;

		if (file != NULL && strcmp(from->items[i].file, file) != 0)
			continue;
		if (strncmp(text + len, "=~/", 3) != 0 ||
		    omega_home_expand(text + len + 1, &value) < 0) {
			ret = omega_env_add(to, text);
			continue;
		}
		ret = asprintf(&made, "%.*s=%s", len, text, value) < 0
			  ? -ENOMEM
			  : omega_env_add(to, made);
		free(made);
		free(value);
	}
	return ret;
}

/* What a layer says, or one file of the top level, which is a place each. */
static int
add_layer(
    const struct omega_layer *layer, const char *file, struct omega_env *env)
{
	struct omega_env_place *place = omega_env_add_place(env);
	int ret;

	if (place == NULL)
		return -ENOMEM;
	ret = add_items(
	    &place->deny, &layer->values[OMEGA_OPTION_ENV_DENY].items, file);
	if (ret == 0)
		ret = add_items(&place->allow,
		    &layer->values[OMEGA_OPTION_ENV_ALLOW].items, file);
	if (ret == 0)
		ret = add_set(&place->set,
		    &layer->values[OMEGA_OPTION_ENV_SET].items, file);
	return ret;
}

int
omega_env_rules_make(
    const struct omega_sandbox_policy *policy, struct omega_env *env)
{
	const struct omega_option_value *own = policy->own.values;
	const struct omega_conf *conf = policy->sandbox->conf;
	size_t i;
	int ret = 0;

	memset(env, 0, sizeof(*env));
	env->is_socket_open =
	    own[OMEGA_OPTION_HIDE_SOCKETS].number == OMEGA_SANDBOX_HIDE_NONE;
	for (i = 0; ret == 0 && i < conf->files.count; i++)
		ret = add_layer(&conf->top, conf->files.items[i].text, env);
	for (i = 0; ret == 0 && i < policy->layer_count; i++)
		ret = add_layer(&policy->layers[i], NULL, env);
	if (ret == 0)
		ret = add_layer(&policy->own, NULL, env);
	if (ret == 0)
		ret = add_items(&env->sockets,
		    &own[OMEGA_OPTION_ALLOW_SOCKETS].items, NULL);
	return ret;
}

/* Is there a pattern for the name? The item, or NULL. */
static const struct omega_conf_text *
find(const struct omega_conf_list *list, const char *file, const char *name,
    bool is_folded)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if ((file == NULL || strcmp(list->items[i].file, file) == 0) &&
		    omega_env_fits(list->items[i].text,
			strlen(list->items[i].text), name, strlen(name),
			is_folded))
			return &list->items[i];
	return NULL;
}

/* Who denies a variable and does not give it back himself; or NULL. */
static const struct omega_conf_text *
find_denier(const struct omega_sandbox_policy *policy, const char *name)
{
	const struct omega_conf *conf = policy->sandbox->conf;
	size_t i;

	for (i = 0; i < conf->files.count + policy->layer_count; i++) {
		bool is_layer = i >= conf->files.count;
		const char *file = is_layer ? NULL : conf->files.items[i].text;
		const struct omega_option_value *values =
		    is_layer ? policy->layers[i - conf->files.count].values
			     : conf->top.values;
		const struct omega_conf_text *found = find(
		    &values[OMEGA_OPTION_ENV_DENY].items, file, name, true);

		if (found != NULL && find(&values[OMEGA_OPTION_ENV_ALLOW].items,
					 file, name, false) == NULL)
			return found;
	}
	return NULL;
}

int
omega_env_rules_vain(
    const struct omega_sandbox_policy *policy, struct omega_atoms *atoms)
{
	static const enum omega_option_id rules[] = {
	    OMEGA_OPTION_ENV_ALLOW, OMEGA_OPTION_ENV_SET};
	const struct omega_conf_text *denier;
	char *note;
	size_t i;
	size_t j;
	int ret = 0;

	for (i = 0; i < 2; i++) {
		const struct omega_conf_list *asked =
		    &policy->own.values[rules[i]].items;

		for (j = 0; ret == 0 && j < asked->count; j++) {
			char *name = strndup(asked->items[j].text,
			    strcspn(asked->items[j].text, "="));

			if (name == NULL)
				return -ENOMEM;
			denier = find_denier(policy, name);
			if (denier != NULL) {
				ret = asprintf(&note,
				    "not granted: the variable %s: %s:%u "
				    "forbids it",
				    name, denier->file, denier->line);
				ret = ret < 0
					  ? -ENOMEM
					  : omega_atom_add_note(atoms, note);
				free(note);
			}
			free(name);
		}
	}
	return ret;
}

/* Does the host ask for it? Then it is told on its own. */
static bool
is_asked(const struct omega_env *env, const char *name, size_t len)
{
	const struct omega_env_list *asked =
	    &env->places[env->place_count - 1].allow;
	size_t i;

	for (i = 0; i < asked->count; i++)
		if (omega_env_fits(asked->texts[i], strlen(asked->texts[i]),
			name, len, false))
			return true;
	return false;
}

/* "; WORD: A, B", or nothing. What leads to a socket, which a variable alone
 * does not open, is told apart. */
static void
list_fate(struct omega_buffer *out, const struct omega_env *env,
    enum omega_env_fate fate, bool is_socket, const char *word)
{
	char **text;
	bool is_first = true;

	for (text = environ; text != NULL && *text != NULL; text++) {
		size_t len = strcspn(*text, "=");

		if (omega_env_judge(env, *text) != fate || len > 200 ||
		    (fate == OMEGA_ENV_REMOVED &&
			(is_asked(env, *text, len) ||
			    (omega_env_class_of(*text, len) ==
				OMEGA_ENV_SOCKET) != is_socket)))
			continue;
		if (is_first)
			omega_buffer_print(out, "%s%s ",
			    out->len == 0 ? "environment: " : "; ", word);
		omega_buffer_print(
		    out, "%s%.*s", is_first ? "" : ", ", (int)len, *text);
		is_first = false;
	}
}

static void
list_set(struct omega_buffer *out, const struct omega_env *env)
{
	bool is_first = true;
	size_t i;
	size_t j;

	for (i = 0; i < env->place_count; i++)
		for (j = 0; j < env->places[i].set.count; j++) {
			const char *text = env->places[i].set.texts[j];

			if (!omega_env_is_set(env, i, j))
				continue;
			if (is_first)
				omega_buffer_add(out, out->len == 0
							  ? "environment: set "
							  : "; set ");
			omega_buffer_print(out, "%s%.*s", is_first ? "" : ", ",
			    (int)strcspn(text, "="), text);
			is_first = false;
		}
}

int
omega_env_rules_describe(const struct omega_env *env, char **line)
{
	struct omega_buffer out = {.text = NULL};

	*line = NULL;
	list_fate(&out, env, OMEGA_ENV_REMOVED, false, "removed");
	list_fate(&out, env, OMEGA_ENV_GIVEN_BACK, false, "given back");
	list_set(&out, env);
	list_fate(&out, env, OMEGA_ENV_REMOVED, true, "removed with sockets");
	if (out.len == 0 && !out.has_failed)
		return 0;
	*line = omega_buffer_take(&out);
	return *line == NULL ? -ENOMEM : 0;
}
