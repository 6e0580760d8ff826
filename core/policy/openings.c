/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * openings.c - see openings.h. The public functions are documented in
 * omega/sandbox.h.
 */

#include "config.h"

#include "policy/openings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "conf/list.h"
#include "error.h"
#include "policy/policy.h"
#include "policy/words.h"

static int
add(char ***list, const char *path)
{
	size_t count = 0;
	char **longer;

	while (*list != NULL && (*list)[count] != NULL)
		count++;
	longer = omega_array_resize(*list, count + 2, sizeof(*longer));
	if (longer == NULL)
		return -ENOMEM;
	*list = longer;
	longer[count] = strdup(path);
	longer[count + 1] = NULL;
	return longer[count] == NULL ? -ENOMEM : 0;
}

static int
add_conf(char ***list, const struct omega_conf_list *from)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < from->count; i++)
		ret = add(list, from->items[i].text);
	return ret;
}

static int
add_all(char ***list, char *const *from)
{
	int ret = 0;

	for (; ret == 0 && from != NULL && *from != NULL; from++)
		ret = add(list, *from);
	return ret;
}

void
omega_openings_drop_list(char **list)
{
	size_t i;

	for (i = 0; list != NULL && list[i] != NULL; i++)
		free(list[i]);
	free(list);
}

int
omega_openings_take(
    struct omega_openings *openings, const struct omega_conf *conf)
{
	int ret;

	openings->data_dir_mode = conf->data_dir_mode;
	openings->hide_sockets = conf->hide_sockets;
	ret = add_conf(&openings->sockets, &conf->allow_sockets);
	if (ret == 0)
		ret = add_conf(&openings->devices, &conf->allow_devices);
	return ret;
}

int
omega_openings_copy(
    struct omega_openings *to, const struct omega_openings *from)
{
	int ret;

	to->data_dir_mode = from->data_dir_mode;
	to->hide_sockets = from->hide_sockets;
	ret = add_all(&to->sockets, from->sockets);
	if (ret == 0)
		ret = add_all(&to->devices, from->devices);
	return ret;
}

void
omega_openings_drop(struct omega_openings *openings)
{
	omega_openings_drop_list(openings->sockets);
	omega_openings_drop_list(openings->devices);
	memset(openings, 0, sizeof(*openings));
}

void
omega_openings_tell(const struct omega_openings *openings,
    struct omega_sandbox_request *request)
{
	request->data_dir_mode = openings->data_dir_mode;
	request->hide_sockets = openings->hide_sockets;
}

/* ---- What a host may ask for --------------------------------------------- */

/* Where the administrator has set the option, or NULL. */
static const struct omega_conf_text *
set_at(const struct omega_sandbox_policy *policy, enum omega_conf_id id)
{
	const struct omega_conf_text *place =
	    &policy->sandbox->conf->places[id];

	return place->file != NULL ? place : NULL;
}

static int
refuse(const struct omega_conf_text *place, const char *option,
    const char *value, struct omega_sandbox_error *error)
{
	omega_error_set(error, OMEGA_SANDBOX_E_REFUSED, 0,
	    "%s '%.128s' is more than %s:%u allows; ask the administrator",
	    option, value, place->file, place->line);
	omega_error_file(error, place->file, place->line);
	return OMEGA_SANDBOX_E_REFUSED;
}

static int
set_word(struct omega_sandbox_policy *policy, enum omega_conf_id id,
    const char *option, const struct omega_word *table, uint32_t limit,
    const char *name, uint32_t *field, struct omega_sandbox_error *error)
{
	const struct omega_conf_text *place;
	const struct omega_word *word;
	char known[64];

	word = omega_words_find(table, name);
	if (word == NULL) {
		omega_words_list(table, known, sizeof(known));
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY,
		    EINVAL, "%s is one of %s, not '%.64s'", option, known,
		    name);
	}
	place = set_at(policy, id);
	if (place != NULL && omega_words_is_milder(table, word->value, limit))
		return refuse(place, option, name, error);
	*field = word->value;
	return 0;
}

static int
allow(struct omega_sandbox_policy *policy, enum omega_conf_id id,
    const char *option, const struct omega_conf_list *limit, const char *text,
    char ***list, struct omega_sandbox_error *error)
{
	const struct omega_conf_text *place = set_at(policy, id);
	char *path = NULL;
	int ret;

	ret = omega_policy_read_path(option, text, &path, error);
	if (ret < 0)
		return ret;
	if (place == NULL)
		ret = add(list, path) < 0 ? omega_error_memory(error) : 0;
	else if (!omega_list_has(limit, path)) /* else allowed already */
		ret = refuse(place, option, path, error);
	free(path);
	return ret;
}

static int
no_policy(struct omega_sandbox_error *error)
{
	return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
	    "a policy and a value are needed");
}

int
omega_sandbox_policy_set_data_dir_mode(struct omega_sandbox_policy *policy,
    const char *mode, struct omega_sandbox_error *error)
{
	if (policy == NULL || mode == NULL)
		return no_policy(error);
	return set_word(policy, OMEGA_CONF_DATA_DIR_MODE, "data_dir_mode",
	    omega_words_data_dir_mode, policy->sandbox->conf->data_dir_mode,
	    mode, &policy->openings.data_dir_mode, error);
}

int
omega_sandbox_policy_set_hide_sockets(struct omega_sandbox_policy *policy,
    const char *which, struct omega_sandbox_error *error)
{
	if (policy == NULL || which == NULL)
		return no_policy(error);
	return set_word(policy, OMEGA_CONF_HIDE_SOCKETS, "hide_sockets",
	    omega_words_hide_sockets, policy->sandbox->conf->hide_sockets,
	    which, &policy->openings.hide_sockets, error);
}

int
omega_sandbox_policy_allow_socket(struct omega_sandbox_policy *policy,
    const char *path, struct omega_sandbox_error *error)
{
	if (policy == NULL)
		return no_policy(error);
	return allow(policy, OMEGA_CONF_ALLOW_SOCKETS, "allow_sockets",
	    &policy->sandbox->conf->allow_sockets, path,
	    &policy->openings.sockets, error);
}

int
omega_sandbox_policy_allow_device(struct omega_sandbox_policy *policy,
    const char *path, struct omega_sandbox_error *error)
{
	if (policy == NULL)
		return no_policy(error);
	return allow(policy, OMEGA_CONF_ALLOW_DEVICES, "allow_devices",
	    &policy->sandbox->conf->allow_devices, path,
	    &policy->openings.devices, error);
}
