/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * host-lists.c - see host-lists.h.
 */

#include "config.h"

#include "policy/host-lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/list.h"
#include "policy/origin.h"

#define MAX_SHOWN 12 /* named in one sentence */

struct entries {
	struct omega_hosts_entry *list;
	size_t count;
};

/* One more, unless it is there. */
static int
add(struct entries *to, const struct omega_hosts_entry *entry)
{
	struct omega_hosts_entry *list;
	size_t i;

	for (i = 0; i < to->count; i++)
		if (memcmp(&to->list[i], entry, sizeof(*entry)) == 0)
			return 0;
	list = omega_list_grow(to->list, to->count, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	to->list = list;
	list[to->count++] = *entry;
	return 0;
}

/* They were good when they were read. */
static int
add_texts(struct entries *to, const struct omega_conf_list *items)
{
	struct omega_hosts_entry entry;
	const char *why;
	size_t at;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < items->count; i++)
		if (omega_hosts_read(items->items[i].text, &entry, &at, &why) ==
		    0)
			ret = add(to, &entry);
	return ret;
}

/* What both have in common; a is used up, and gets it. */
static int
narrow(struct entries *a, const struct entries *b)
{
	struct entries both = {NULL, 0};
	struct omega_hosts_entry common;
	size_t i;
	size_t j;
	int ret = 0;

	for (i = 0; i < a->count; i++)
		for (j = 0; ret == 0 && j < b->count; j++)
			if (omega_hosts_common(
				&a->list[i], &b->list[j], &common))
				ret = add(&both, &common);
	free(a->list);
	*a = both;
	return ret;
}

int
omega_host_lists_add(
    const struct omega_layer *layer, struct omega_combined *combined)
{
	const struct omega_option_value *listed =
	    &layer->values[OMEGA_OPTION_HOSTS];
	const struct omega_option_value *denied =
	    &layer->values[OMEGA_OPTION_DENY_HOSTS];
	const struct omega_option_value *names =
	    &layer->values[OMEGA_OPTION_NAMES];
	struct omega_combined_hosts *hosts = &combined->hosts;
	struct entries all = {hosts->list, hosts->count};
	struct entries denies = {hosts->denied, hosts->denied_count};
	struct entries own = {NULL, 0};
	int ret = 0;

	if (names->is_set ? names->number == OMEGA_NAMES_STRICT
			  : listed->is_set)
		hosts->is_strict = true;
	if (listed->is_set && !hosts->is_limited) {
		ret = add_texts(&all, &listed->items);
	} else if (listed->is_set) {
		ret = add_texts(&own, &listed->items);
		if (ret == 0)
			ret = narrow(&all, &own);
		free(own.list);
	}
	hosts->list = all.list;
	hosts->count = all.count;
	if (ret == 0 && listed->is_set) {
		hosts->is_limited = true;
		ret = omega_origin_set(
		    &hosts->origin, listed->file, listed->line);
	}
	if (ret == 0 && denied->is_set && denied->items.count > 0) {
		ret = add_texts(&denies, &denied->items);
		hosts->denied = denies.list;
		hosts->denied_count = denies.count;
		if (ret == 0 && hosts->denies == NULL)
			ret = omega_origin_set(
			    &hosts->denies, denied->file, denied->line);
	}
	return ret;
}

static bool
is_denied(const struct omega_combined_hosts *hosts,
    const struct omega_hosts_entry *entry)
{
	size_t i;

	for (i = 0; i < hosts->denied_count; i++)
		if (omega_hosts_takes(&hosts->denied[i], entry))
			return true;
	return false;
}

int
omega_host_lists_finish(struct omega_combined *combined)
{
	struct omega_combined_hosts *hosts = &combined->hosts;
	const struct omega_combined_ports *ports = &combined->ports[0];
	struct entries left = {NULL, 0};
	struct omega_hosts_entry entry;
	bool has_names = false; /* port 53 */
	size_t i;
	size_t j;
	int ret = 0;

	for (i = 0; i < ports->count; i++)
		has_names |= ports->list[i] == 53;
	if (!hosts->is_limited)
		return hosts->denied_count > 0 &&
			       combined->deny_network == NULL &&
			       combined->only_unix == NULL
			   ? -EINVAL
			   : 0;
	for (i = 0; ret == 0 && i < hosts->count; i++) {
		if (is_denied(hosts, &hosts->list[i]))
			continue;
		if (!ports->is_limited)
			ret = add(&left, &hosts->list[i]);
		for (j = 0; ret == 0 && j < ports->count; j++)
			if (omega_hosts_on_port(
				&hosts->list[i], ports->list[j], &entry) &&
			    !is_denied(hosts, &entry))
				ret = add(&left, &entry);
	}
	free(hosts->list);
	hosts->list = left.list;
	hosts->count = left.count;
	if (ret == 0 && left.count > 0 && ports->is_limited && !has_names)
		ret = omega_combine_add_note(combined,
		    "hosts: no name can be looked up: connect has ports, and "
		    "53 is not among them");
	if (ret == 0 && left.count == 0 && combined->deny_network == NULL) {
		combined->deny_network = strdup(hosts->origin);
		if (combined->deny_network == NULL)
			ret = -ENOMEM;
	}
	return ret;
}

char *
omega_host_lists_sentence(const struct omega_combined_hosts *hosts)
{
	struct omega_buffer out = {.text = NULL};
	char text[OMEGA_HOSTS_TEXT];
	size_t i;

	omega_buffer_add(&out, "nothing outside is reached but");
	for (i = 0; i < hosts->count && i < MAX_SHOWN; i++) {
		omega_hosts_print(&hosts->list[i], text);
		omega_buffer_print(&out, "%s%s", i == 0 ? " " : ", ", text);
	}
	if (hosts->count > MAX_SHOWN)
		omega_buffer_print(
		    &out, " and %zu more", hosts->count - MAX_SHOWN);
	return omega_buffer_take(&out);
}

char **
omega_host_lists_texts(const struct omega_hosts_entry *list, size_t count)
{
	char **texts = calloc(count + 1, sizeof(*texts));
	char text[OMEGA_HOSTS_TEXT];
	size_t i;

	for (i = 0; texts != NULL && i < count; i++) {
		omega_hosts_print(&list[i], text);
		texts[i] = strdup(text);
		if (texts[i] != NULL)
			continue;
		while (i > 0)
			free(texts[--i]);
		free(texts);
		return NULL;
	}
	return texts;
}

void
omega_host_lists_drop(struct omega_combined_hosts *hosts)
{
	free(hosts->list);
	free(hosts->denied);
	free(hosts->origin);
	free(hosts->denies);
}
