/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * host-lists.c - see host-lists.h.
 */

#include "config.h"

#include "policy/host-lists.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/list.h"
#include "policy/origin.h"
#include "policy/registries.h"

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

static int
take_registry(void *arg, const struct omega_hosts_entry *entry)
{
	return add(arg, entry);
}

/* Looked for once. */
static int
add_registries(struct omega_combined *combined, struct entries *to)
{
	struct omega_combined_hosts *hosts = &combined->hosts;
	struct entries found = {NULL, 0};
	size_t i;
	int ret = 0;

	if (!hosts->has_registries) {
		ret = omega_registries_find(combined, take_registry, &found);
		hosts->registries = found.list;
		hosts->registry_count = found.count;
		hosts->has_registries = true;
	}
	for (i = 0; ret == 0 && i < hosts->registry_count; i++)
		ret = add(to, &hosts->registries[i]);
	return ret;
}

/* They were good when they were read. */
static int
add_texts(struct omega_combined *combined, struct entries *to,
    const struct omega_conf_list *items)
{
	struct omega_hosts_entry entry;
	const char *why;
	size_t at;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < items->count; i++)
		if (strcmp(items->items[i].text, OMEGA_REGISTRIES) == 0)
			ret = add_registries(combined, to);
		else if (omega_hosts_read(
			     items->items[i].text, &entry, &at, &why) == 0)
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

bool
omega_host_lists_grants(
    const struct omega_sandbox_policy *policy, const struct omega_layer *layer)
{
	return policy->own.values[OMEGA_OPTION_ALLOW_HOSTS].is_set &&
	       !(layer >= policy->layers &&
		   layer < policy->layers + policy->floor_count);
}

/* Does the layer say which hosts are reached? Without a network of its own it
 * has those alone that are granted beside it. */
static bool
is_listing(
    const struct omega_sandbox_policy *policy, const struct omega_layer *layer)
{
	const struct omega_option_value *network =
	    &layer->values[OMEGA_OPTION_NETWORK];

	return layer->values[OMEGA_OPTION_HOSTS].is_set ||
	       (omega_host_lists_grants(policy, layer) && network->is_set &&
		   network->number == OMEGA_NETWORK_DENY);
}

/* What it lists, with what is granted beside it. */
static int
add_listed(const struct omega_sandbox_policy *policy,
    const struct omega_layer *layer, struct omega_combined *combined,
    struct entries *to)
{
	int ret =
	    add_texts(combined, to, &layer->values[OMEGA_OPTION_HOSTS].items);

	if (ret == 0 && omega_host_lists_grants(policy, layer))
		ret = add_texts(combined, to,
		    &policy->own.values[OMEGA_OPTION_ALLOW_HOSTS].items);
	return ret;
}

/* One more list, and what it has in common with those before. */
static int
limit(const struct omega_sandbox_policy *policy,
    const struct omega_layer *layer, const struct omega_option_value *listed,
    struct omega_combined *combined)
{
	struct omega_combined_hosts *hosts = &combined->hosts;
	struct entries all = {hosts->list, hosts->count};
	struct entries own = {NULL, 0};
	int ret = add_listed(
	    policy, layer, combined, hosts->is_limited ? &own : &all);

	if (ret == 0 && hosts->is_limited)
		ret = narrow(&all, &own);
	free(own.list);
	hosts->list = all.list;
	hosts->count = all.count;
	hosts->is_limited = true;
	return ret == 0 ? omega_origin_set(
			      &hosts->origin, listed->file, listed->line)
			: ret;
}

int
omega_host_lists_add(const struct omega_sandbox_policy *policy,
    const struct omega_layer *layer, struct omega_combined *combined)
{
	const struct omega_option_value *listed =
	    &layer->values[OMEGA_OPTION_HOSTS];
	const struct omega_option_value *granted =
	    &policy->own.values[OMEGA_OPTION_ALLOW_HOSTS];
	const struct omega_option_value *denied =
	    &layer->values[OMEGA_OPTION_DENY_HOSTS];
	const struct omega_option_value *names =
	    &layer->values[OMEGA_OPTION_NAMES];
	struct omega_combined_hosts *hosts = &combined->hosts;
	struct entries denies = {hosts->denied, hosts->denied_count};
	int ret = 0;

	if (names->is_set ? names->number == OMEGA_NAMES_STRICT
			  : is_listing(policy, layer))
		hosts->is_strict = true;
	if (is_listing(policy, layer)) {
		ret = limit(
		    policy, layer, listed->is_set ? listed : granted, combined);
		hosts->is_chosen |= omega_host_lists_grants(policy, layer);
	} else if (layer == &policy->own && granted->is_set &&
		   !hosts->is_chosen) {
		/* Nobody but floors had a list: these, and no others. */
		hosts->is_strict |= !names->is_set;
		ret = limit(policy, layer, granted, combined);
	}
	if (ret == 0 && denied->is_set && denied->items.count > 0) {
		ret = add_texts(combined, &denies, &denied->items);
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
	if (ret == 0 && left.count > 0 && hosts->proxy != NULL)
		ret = omega_combine_add_note(combined,
		    "hosts: they are reached by the proxy %s (hosts_proxy), "
		    "which looks up their names",
		    hosts->proxy);
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

/* ---- One host ------------------------------------------------------------ */

static void
say_rule(struct omega_sandbox_judgement *found, const char *rule,
    const char *file, uint32_t line)
{
	found->is_allowed = 0;
	found->reason = OMEGA_SANDBOX_BY_LIST;
	snprintf(found->rule, sizeof(found->rule), "%s", rule);
	snprintf(found->origin, sizeof(found->origin), "%s", file);
	found->line = line;
}

/* Is a part of one entry all of the other? */
static bool
has(const struct omega_hosts_entry *listed,
    const struct omega_hosts_entry *wanted)
{
	return (wanted->kind == OMEGA_HOSTS_LOCAL
		       ? listed->kind == OMEGA_HOSTS_LOCAL
		   : wanted->kind == OMEGA_HOSTS_ADDRESS
		       ? omega_hosts_has_address(listed, wanted->address)
		       : omega_hosts_is_named(listed, wanted->name)) &&
	       omega_hosts_has_port(listed, wanted->port);
}

/* True: this layer keeps commands from it. */
static bool
is_kept(const struct omega_sandbox_policy *policy,
    const struct omega_layer *layer, struct omega_combined *combined,
    const struct omega_hosts_entry *wanted,
    struct omega_sandbox_judgement *found)
{
	const struct omega_option_value *values = layer->values;
	const struct omega_option_value *ports = &values[OMEGA_OPTION_CONNECT];
	const struct omega_option_value *denied =
	    &values[OMEGA_OPTION_DENY_HOSTS];
	const struct omega_option_value *network =
	    &values[OMEGA_OPTION_NETWORK];
	struct omega_hosts_entry deny;
	struct entries own = {NULL, 0};
	const char *why;
	bool is_there = false;
	size_t i;

	for (i = 0; i < denied->items.count; i++) {
		const struct omega_conf_text *item = &denied->items.items[i];

		if (omega_hosts_read(item->text, &deny, &(size_t){0}, &why) ==
			0 &&
		    omega_hosts_takes(&deny, wanted)) {
			say_rule(found, "deny_hosts", item->file, item->line);
			return true;
		}
	}
	for (i = 0; i < ports->items.count; i++)
		is_there |= strtoul(ports->items.items[i].text, NULL, 10) ==
			    wanted->port;
	if (ports->is_set && !is_there) {
		say_rule(found, "connect", ports->file, ports->line);
		return true;
	}
	if (network->is_set && network->number != OMEGA_NETWORK_ALLOW &&
	    !is_listing(policy, layer)) {
		say_rule(found, "network", network->file, network->line);
		return true;
	}
	if (!is_listing(policy, layer) ||
	    add_listed(policy, layer, combined, &own) < 0) {
		free(own.list);
		return false;
	}
	is_there = false;
	for (i = 0; i < own.count; i++)
		is_there |= has(&own.list[i], wanted);
	free(own.list);
	if (is_there)
		return false;
	if (values[OMEGA_OPTION_HOSTS].is_set)
		network = &values[OMEGA_OPTION_HOSTS];
	say_rule(found, values[OMEGA_OPTION_HOSTS].is_set ? "hosts" : "network",
	    network->file, network->line);
	return true;
}

int
omega_host_lists_judge(const struct omega_sandbox_policy *policy,
    struct omega_combined *combined, const char *host,
    struct omega_sandbox_judgement *found)
{
	const struct omega_option_value *granted =
	    &policy->own.values[OMEGA_OPTION_ALLOW_HOSTS];
	struct omega_sandbox_judgement one = OMEGA_SANDBOX_JUDGEMENT_INIT;
	struct omega_hosts_entry wanted;
	bool is_grantable = true;
	bool is_chosen = false;
	const char *why;
	size_t at;
	size_t i;

	if (omega_hosts_read(host, &wanted, &at, &why) < 0 || wanted.is_web ||
	    wanted.kind == OMEGA_HOSTS_BELOW)
		return -EINVAL;
	found->is_allowed = 1;
	for (i = 0; i <= policy->layer_count; i++) {
		const struct omega_layer *layer =
		    i < policy->layer_count ? &policy->layers[i] : &policy->own;

		is_chosen |=
		    i >= policy->floor_count && is_listing(policy, layer);
		if (!is_kept(policy, layer, combined, &wanted, &one))
			continue;
		if (found->is_allowed)
			say_rule(found, one.rule, one.origin, one.line);
		is_grantable &= i >= policy->floor_count &&
				(strcmp(one.rule, "hosts") == 0 ||
				    strcmp(one.rule, "network") == 0);
	}
	/* Hosts that are granted where nobody lists any are all there are. */
	if (granted->is_set && !is_chosen) {
		struct entries own = {NULL, 0};
		bool is_there = false;

		(void)add_texts(combined, &own, &granted->items);
		for (i = 0; i < own.count; i++)
			is_there |= has(&own.list[i], &wanted);
		free(own.list);
		if (!is_there && found->is_allowed)
			say_rule(
			    found, "allow_hosts", granted->file, granted->line);
	}
	if (!found->is_allowed && is_grantable)
		omega_hosts_print(&wanted, found->resolved);
	return 0;
}

/* ---- In words ------------------------------------------------------------ */

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
omega_host_lists_texts(
    const struct omega_hosts_entry *list, size_t count, const char *proxy)
{
	char **texts = calloc(count + 2, sizeof(*texts));
	char text[OMEGA_HOSTS_TEXT];
	size_t i;

	for (i = 0; texts != NULL && i < count + (proxy != NULL); i++) {
		if (i < count)
			omega_hosts_print(&list[i], text);
		else
			snprintf(text, sizeof(text), "@%s", proxy);
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
	free(hosts->registries);
	free(hosts->origin);
	free(hosts->denies);
}
