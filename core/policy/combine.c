/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * combine.c - see combine.h.
 */

#include "config.h"

#include "policy/combine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omega/sandbox-plugin.h>

#include "base/error.h"
#include "base/list.h"
#include "path/place.h"
#include "path/text.h"
#include "policy/expand.h"
#include "policy/git-denies.h"
#include "policy/host-lists.h"
#include "policy/origin.h"
#include "policy/places.h"
#include "policy/planted-links.h"
#include "run/supervisor.h"

/* So many names of a directory are told apart. */
#define MAX_REST 256

#define READ_BITS (OMEGA_SANDBOX_ATOM_READ | OMEGA_SANDBOX_ATOM_LIST)
#define CHANGE_BITS                                             \
	(OMEGA_SANDBOX_ATOM_WRITE | OMEGA_SANDBOX_ATOM_CREATE | \
	    OMEGA_SANDBOX_ATOM_REMOVE | OMEGA_SANDBOX_ATOM_RENAME)

int
omega_combine_add_note(struct omega_combined *combined, const char *format, ...)
{
	char **notes;
	va_list args;
	size_t i;
	int ret;

	notes = omega_list_grow(
	    combined->notes, combined->note_count, sizeof(*notes));
	if (notes == NULL)
		return -ENOMEM;
	combined->notes = notes;
	va_start(args, format);
	ret = vasprintf(&notes[combined->note_count], format, args);
	va_end(args);
	if (ret < 0)
		return -ENOMEM;
	/* What is granted is looked at for each layer, and told once. */
	for (i = 0; i < combined->note_count; i++)
		if (strcmp(notes[i], notes[combined->note_count]) == 0) {
			free(notes[combined->note_count]);
			return 0;
		}
	combined->note_count++;
	return 0;
}

/* ---- Places ---------------------------------------------------------------
 */

/* Lists of one layer on their way into the combination. */
struct gathering {
	struct omega_combined *combined;
	struct omega_combined_places *places;
	const char *rule;
	uint32_t access;
	bool is_grant; /* what is absent is left out */
	bool is_lifted; /* of what is granted by its name it denies nothing */
};

/* The bits that are granted of this very place. */
static uint32_t
granted(const struct omega_combined_places *places, const char *text)
{
	uint32_t access = 0;
	size_t i;

	for (i = 0; i < places->count; i++)
		if (strcmp(places->list[i].text, text) == 0)
			access |= places->list[i].access;
	return access;
}

/* Is something in the directory granted, and not all of it? */
static bool
is_granted_within(const struct omega_combined_places *places, const char *dir)
{
	size_t i;

	for (i = 0; i < places->count; i++)
		if (strcmp(places->list[i].text, dir) != 0 &&
		    omega_text_is_below(places->list[i].text,
			strlen(places->list[i].text), dir, strlen(dir)))
			return true;
	return false;
}

/* What is in a directory, where some of it is granted. */
struct rest {
	const struct gathering *to;
	const struct omega_conf_text *written;
	const char *dir;
	unsigned *left; /* how many more are looked at */
};

static int deny_rest(const struct rest *rest);

static int
deny_entry(void *arg, const char *name)
{
	const struct rest *rest = arg;
	const struct omega_combined_places *all = &rest->to->combined->granted;
	struct rest below = *rest;
	struct omega_place place;
	char path[PATH_MAX];
	int ret;

	if ((*rest->left)-- == 0 || snprintf(path, sizeof(path), "%s/%s",
					rest->dir, name) >= (int)sizeof(path))
		return -E2BIG;
	ret = omega_place_find(path, &place);
	/* What a link leads to has a name of its own. */
	if (ret < 0 || strcmp(path, place.text) != 0 || granted(all, path) != 0)
		return ret;
	below.dir = path;
	if (is_granted_within(all, path))
		return deny_rest(&below);
	return omega_places_add(rest->to->places, &place, path,
	    rest->written->file, rest->written->line, READ_BITS);
}

/* Keep all but what is granted in a directory from being read. 0; -errno: that
 * cannot be, and it is to be kept as a whole. */
static int
deny_rest(const struct rest *rest)
{
	int fd =
	    open(rest->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int ret = fd < 0 ? -errno
			 : omega_kernel_each_name(
			       fd, deny_entry, (void *)(uintptr_t)rest);

	if (fd >= 0)
		close(fd);
	return ret;
}

static int
cannot_resolve(const char *path, const struct omega_conf_text *written,
    const char *rule, int ret, struct omega_sandbox_error *error)
{
	char *origin = omega_origin_text(written->file, written->line);

	omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, -ret,
	    "%s: %s: where %s leads cannot be found out: %s",
	    origin == NULL ? written->file : origin, rule, path,
	    strerror(-ret));
	free(origin);
	return OMEGA_SANDBOX_E_INVALID_POLICY;
}

static int
take_path(void *arg, const char *path, const struct omega_conf_text *written,
    struct omega_sandbox_error *error)
{
	struct gathering *to = arg;
	struct omega_place place;
	unsigned left = MAX_REST;
	const struct rest rest = {to, written, place.text, &left};
	uint32_t access = to->access;
	int ret;

	if (to->is_grant && omega_planted_links_is_known(to->combined, path))
		return 0;
	ret = omega_planted_links_reach(path, &place);
	if (ret == 0 && !to->is_grant && to->is_lifted) {
		access &= ~granted(&to->combined->granted, place.text);
		if ((access & READ_BITS) != 0 &&
		    is_granted_within(&to->combined->granted, place.text) &&
		    deny_rest(&rest) == 0) {
			access &= ~READ_BITS;
			ret = omega_combine_add_note(to->combined,
			    "%s: some of %s is granted, and what is new in it "
			    "can be read",
			    to->rule, path);
		}
		if (access == 0)
			return ret < 0 ? omega_error_memory(error) : 0;
	}
	/* Somebody changes it now. */
	if (ret == -ESTALE && to->is_grant)
		return omega_planted_links_add(
			   to->combined, to->rule, path, path) < 0
			   ? omega_error_memory(error)
			   : 0;
	if (ret < 0 && ret != -ENOMEM)
		return cannot_resolve(path, written, to->rule, ret, error);
	if (ret == 0 && !to->is_grant && place.len == 1)
		return omega_origin_refuse_all(
		    written->file, written->line, to->rule, path, error);
	if (ret > 0 && to->is_grant)
		ret = omega_combine_add_note(to->combined,
		    "%s: %s is left out: nobody gets past %s", to->rule, path,
		    place.text);
	else if (ret == 0 && to->is_grant && !omega_place_exists(&place) &&
		 !to->combined->is_shown)
		ret = omega_combine_add_note(to->combined,
		    "%s: %s does not exist %s", to->rule, path,
		    strcmp(to->rule, "state") == 0 ? "yet: a start makes it"
						   : "and is left out");
	else if (ret >= 0)
		ret = omega_places_add(to->places, &place, path, written->file,
		    written->line, access);
	return ret < 0 ? omega_error_memory(error) : 0;
}

static int
gather(const struct omega_sandbox_policy *policy,
    const struct omega_layer *layer, enum omega_option_id rule,
    struct gathering *to, struct omega_sandbox_error *error)
{
	const struct omega_conf_list *items = &layer->values[rule].items;
	size_t i;
	int ret = 0;

	to->rule = omega_option_table[rule].name;
	for (i = 0; ret == 0 && i < items->count; i++)
		ret = omega_expand(
		    policy, &items->items[i], take_path, to, error);
	return ret;
}

/* ---- Lists that leave places open --------------------------------------- */

/* Floors are no wider for what somebody grants himself; every other layer is
 * one that he chose. */
static const struct omega_layer *
source_of(const struct omega_sandbox_policy *policy,
    const struct omega_layer *layer, enum omega_option_id rule)
{
	static const struct omega_layer none;

	if ((omega_option_table[rule].by & OMEGA_BY_GRANT) == 0)
		return layer;
	return layer >= policy->layers &&
		       layer < policy->layers + policy->floor_count
		   ? &none
		   : &policy->own;
}

/* Is something granted that the places do not have? */
static bool
lacks(const struct omega_combined_places *places,
    const struct omega_combined_places *granted, uint32_t access)
{
	size_t i;

	for (i = 0; i < granted->count; i++)
		if ((granted->list[i].access & access) != 0 &&
		    !omega_places_has(places, granted->list[i].text))
			return true;
	return false;
}

/* One layer's lists about one kind of access. */
static int
limit(const struct omega_sandbox_policy *policy,
    const struct omega_layer *layer, const enum omega_option_id *rules,
    size_t count, struct omega_combined *combined,
    struct omega_combined_set *set, struct omega_sandbox_error *error)
{
	struct omega_combined_places places = {NULL, 0};
	struct gathering to = {
	    .combined = combined, .places = &places, .is_grant = true};
	const struct omega_option_value *first = &layer->values[rules[0]];
	bool is_kept;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < count; i++)
		ret = gather(policy, source_of(policy, layer, rules[i]),
		    rules[i], &to, error);
	if (ret < 0) {
		omega_places_drop(&places);
		return ret;
	}
	if (!first->is_set) /* read_all = false alone, or state */
		first = &layer->values[rules[0] == OMEGA_OPTION_WRITE
					   ? OMEGA_OPTION_STATE
					   : OMEGA_OPTION_READ_ALL];
	is_kept =
	    source_of(policy, layer, OMEGA_OPTION_ALLOW_READ) != &policy->own &&
	    lacks(&places, &combined->granted,
		set == &combined->write ? CHANGE_BITS : READ_BITS);
	if (omega_places_narrow(set, &places) < 0 ||
	    (!set->is_kept &&
		omega_origin_set(&set->origin, first->file, first->line) < 0))
		return omega_error_memory(error);
	set->is_kept = set->is_kept || is_kept;
	return 0;
}

/* What may be written or run may be read as well. */
static int
add_lists(const struct omega_sandbox_policy *policy,
    const struct omega_layer *layer, struct omega_combined *combined,
    struct omega_sandbox_error *error)
{
	static const enum omega_option_id reading[] = {OMEGA_OPTION_READ,
	    OMEGA_OPTION_WRITE, OMEGA_OPTION_STATE, OMEGA_OPTION_EXECUTE,
	    OMEGA_OPTION_ALLOW_READ, OMEGA_OPTION_ALLOW_WRITE,
	    OMEGA_OPTION_ALLOW_EXECUTE};
	static const enum omega_option_id writing[] = {
	    OMEGA_OPTION_WRITE, OMEGA_OPTION_STATE, OMEGA_OPTION_ALLOW_WRITE};
	static const enum omega_option_id running[] = {
	    OMEGA_OPTION_EXECUTE, OMEGA_OPTION_ALLOW_EXECUTE};
	const struct omega_option_value *values = layer->values;
	bool is_read_limited = values[OMEGA_OPTION_READ].is_set ||
			       (values[OMEGA_OPTION_READ_ALL].is_set &&
				   values[OMEGA_OPTION_READ_ALL].number == 0);
	int ret = 0;

	if (is_read_limited)
		ret = limit(policy, layer, reading, 7, combined,
		    &combined->read, error);
	if (ret == 0 && (values[OMEGA_OPTION_WRITE].is_set ||
			    values[OMEGA_OPTION_STATE].is_set))
		ret = limit(policy, layer, writing, 3, combined,
		    &combined->write, error);
	if (ret == 0 && values[OMEGA_OPTION_EXECUTE].is_set)
		ret = limit(
		    policy, layer, running, 2, combined, &combined->run, error);
	return ret;
}

/* ---- Denies ---------------------------------------------------------------
 */

/* What is granted, by its own name. */
static int
add_granted(const struct omega_sandbox_policy *policy,
    struct omega_combined *combined, struct omega_sandbox_error *error)
{
	struct gathering to = {.combined = combined,
	    .places = &combined->granted,
	    .is_grant = true};
	int i;
	int ret = 0;

	for (i = OMEGA_OPTION_ALLOW_READ;
	     ret == 0 && i <= OMEGA_OPTION_ALLOW_EXECUTE; i++) {
		to.access = i == OMEGA_OPTION_ALLOW_WRITE
				? READ_BITS | CHANGE_BITS
				: READ_BITS;
		ret = gather(
		    policy, &policy->own, (enum omega_option_id)i, &to, error);
	}
	return ret;
}

/* What is granted and stays forbidden is told, with who forbids it. */
static int
note_vain(struct omega_combined *combined)
{
	const struct omega_combined_place *deny;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < combined->granted.count; i++) {
		const struct omega_combined_place *grant =
		    &combined->granted.list[i];
		const struct omega_combined_set *set =
		    (grant->access & CHANGE_BITS) != 0 ? &combined->write
						       : &combined->read;
		const char *who = NULL;

		if (set->is_limited &&
		    !omega_places_has(&set->places, grant->text))
			who = set->origin;
		for (deny = combined->denies.list;
		     deny < combined->denies.list + combined->denies.count;
		     deny++)
			if ((deny->access & grant->access) != 0 &&
			    omega_text_is_below(grant->text,
				strlen(grant->text), deny->text,
				strlen(deny->text)))
				who = deny->origin;
		if (who != NULL)
			ret = omega_combine_add_note(combined,
			    "not granted: %s: %s forbids it", grant->spelled,
			    who);
	}
	return ret;
}

/* Is the list of denies one that was chosen and is the product's own? What an
 * administrator or a user has written stands. */
static bool
is_lifted(const struct omega_sandbox_policy *policy,
    const struct omega_layer *layer, enum omega_option_id rule)
{
	const char *file = layer->values[rule].file;

	return layer != &policy->own && file != NULL &&
	       source_of(policy, layer, OMEGA_OPTION_ALLOW_READ) ==
		   &policy->own &&
	       !omega_list_has(&policy->sandbox->conf->files, file);
}

static int
add_denies(const struct omega_sandbox_policy *policy,
    const struct omega_layer *layer, struct omega_combined *combined,
    struct omega_sandbox_error *error)
{
	static const struct {
		enum omega_option_id rule;
		uint32_t access;
	} lists[] = {
	    {OMEGA_OPTION_DENY, READ_BITS | CHANGE_BITS},
	    {OMEGA_OPTION_DENY_READ, READ_BITS},
	    {OMEGA_OPTION_DENY_WRITE, CHANGE_BITS},
	};
	const struct omega_option_value *git =
	    &layer->values[OMEGA_OPTION_GIT_METADATA];
	struct gathering to = {
	    .combined = combined, .places = &combined->denies};
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < sizeof(lists) / sizeof(lists[0]); i++) {
		to.access = lists[i].access;
		to.is_lifted = is_lifted(policy, layer, lists[i].rule);
		ret = gather(policy, layer, lists[i].rule, &to, error);
	}
	if (ret < 0 || !git->is_set || git->number == OMEGA_GIT_ALLOW)
		return ret;
	to.access = CHANGE_BITS;
	if (git->number == OMEGA_GIT_DENY)
		to.access |= READ_BITS;
	return omega_git_denies_add(
	    policy, to.access, git->number != OMEGA_GIT_KEEP, combined, error);
}

/* ---- Everything with a number ---------------------------------------------
 */

static int
by_number(const void *a, const void *b)
{
	const uint16_t *x = a;
	const uint16_t *y = b;

	return (int)*x - (int)*y;
}

static bool
has_port(const struct omega_conf_list *items, uint16_t port)
{
	size_t i;

	for (i = 0; i < items->count; i++)
		if (strtoul(items->items[i].text, NULL, 10) == port)
			return true;
	return false;
}

static int
add_ports(
    const struct omega_option_value *value, struct omega_combined_ports *ports)
{
	size_t kept = 0;
	size_t i;

	if (!value->is_set)
		return 0;
	if (omega_origin_set(&ports->origin, value->file, value->line) < 0)
		return -ENOMEM;
	if (ports->is_limited) {
		for (i = 0; i < ports->count; i++)
			if (has_port(&value->items, ports->list[i]))
				ports->list[kept++] = ports->list[i];
		ports->count = kept;
		return 0;
	}
	ports->is_limited = true;
	ports->list = calloc(value->items.count + 1, sizeof(*ports->list));
	if (ports->list == NULL)
		return -ENOMEM;
	for (i = 0; i < value->items.count; i++)
		ports->list[i] =
		    (uint16_t)strtoul(value->items.items[i].text, NULL, 10);
	qsort(ports->list, value->items.count, sizeof(*ports->list), by_number);
	for (i = 0; i < value->items.count; i++)
		if (kept == 0 || ports->list[kept - 1] != ports->list[i])
			ports->list[kept++] = ports->list[i];
	ports->count = kept;
	return 0;
}

/* The stricter one counts. */
static int
add_value(enum omega_option_id id, const struct omega_option_value *value,
    struct omega_combined *combined)
{
	struct omega_combined_value *to = &combined->values[id];
	bool is_stricter = omega_option_table[id].merge == OMEGA_MERGE_MOST
			       ? value->number > to->number
			       : value->number < to->number;

	if (!value->is_set || (to->origin != NULL && !is_stricter))
		return 0;
	to->number = value->number;
	return omega_origin_set(&to->origin, value->file, value->line);
}

/* What a layer does not say follows from its network: without one a command
 * has no business with sockets of others, and with a list of hosts neither,
 * some of which look up names. */
static int
add_unix_sockets(
    const struct omega_layer *layer, struct omega_combined *combined)
{
	const struct omega_option_value *granted =
	    &layer->values[OMEGA_OPTION_ALLOW_HOSTS];
	const struct omega_option_value *hosts =
	    granted->is_set ? granted : &layer->values[OMEGA_OPTION_HOSTS];
	struct omega_option_value said =
	    layer->values[OMEGA_OPTION_UNIX_SOCKETS];

	if (!said.is_set &&
	    (hosts->is_set || layer->values[OMEGA_OPTION_NETWORK].number ==
				  OMEGA_NETWORK_DENY)) {
		said = hosts->is_set ? *hosts
				     : layer->values[OMEGA_OPTION_NETWORK];
		said.number = OMEGA_SANDBOX_UNIX_OWN;
	}
	return add_value(OMEGA_OPTION_UNIX_SOCKETS, &said, combined);
}

static int
add_network(const struct omega_sandbox_policy *policy,
    const struct omega_layer *layer, struct omega_combined *combined)
{
	const struct omega_option_value *mode =
	    &layer->values[OMEGA_OPTION_NETWORK];
	size_t i;
	int ret = 0;

	if (mode->is_set && mode->number == OMEGA_NETWORK_DENY &&
	    !omega_host_lists_grants(policy, layer))
		ret = omega_origin_set(
		    &combined->deny_network, mode->file, mode->line);
	if (mode->is_set && mode->number == OMEGA_NETWORK_UNIX_ONLY)
		ret = omega_origin_set(
		    &combined->only_unix, mode->file, mode->line);
	if (ret == 0)
		ret = add_unix_sockets(layer, combined);
	for (i = 0; ret == 0 && i < 4; i++)
		ret = add_ports(&layer->values[OMEGA_OPTION_CONNECT + i],
		    &combined->ports[i]);
	return ret == 0 ? omega_host_lists_add(policy, layer, combined) : ret;
}

static int
add_values(const struct omega_layer *layer, struct omega_combined *combined)
{
	int i;
	int ret = 0;

	for (i = OMEGA_OPTION_FORK; ret == 0 && i < OMEGA_OPTION_COUNT; i++)
		ret = add_value(
		    (enum omega_option_id)i, &layer->values[i], combined);
	return ret;
}

enum omega_combined_switch
omega_combine_switch(
    const struct omega_combined *combined, enum omega_option_id rule)
{
	if (combined->values[rule].origin == NULL)
		return OMEGA_COMBINED_UNSAID;
	return omega_option_is_yes(rule, combined->values[rule].number)
		   ? OMEGA_COMBINED_YES
		   : OMEGA_COMBINED_NO;
}

/* ---- All layers -----------------------------------------------------------
 */

static int
add_layer(const struct omega_sandbox_policy *policy,
    const struct omega_layer *layer, struct omega_combined *combined,
    struct omega_sandbox_error *error)
{
	int ret;

	ret = add_denies(policy, layer, combined, error);
	if (ret == 0)
		ret = add_lists(policy, layer, combined, error);
	if (ret == 0 && add_values(layer, combined) < 0)
		ret = omega_error_memory(error);
	return ret;
}

/* Limits that hold for a run as a whole, and how. */
static int
add_run_limits(
    const struct omega_sandbox_policy *policy, struct omega_combined *combined)
{
	uint64_t seconds = omega_policy_limit(policy, OMEGA_OPTION_TIMEOUT);
	uint64_t bytes = omega_policy_limit(policy, OMEGA_OPTION_MAX_OUTPUT);
	bool is_available;
	const char *how = omega_supervisor_how(&is_available);
	int ret = 0;

	if (seconds != 0 && is_available)
		ret = omega_combine_add_note(combined,
		    "after %llu seconds a run is ended with all of its "
		    "processes, by %s",
		    (unsigned long long)seconds, how);
	else if (seconds != 0)
		ret = omega_combine_add_note(combined,
		    "a run may take %llu seconds, and cannot be ended here, "
		    "so that none is started: %s",
		    (unsigned long long)seconds, how);
	if (ret == 0 && bytes != 0)
		ret = omega_combine_add_note(combined,
		    "of the output of a run %llu bytes are kept or passed on",
		    (unsigned long long)bytes);
	return ret;
}

static int
finish_hosts(struct omega_combined *combined, struct omega_sandbox_error *error)
{
	int ret = omega_host_lists_finish(combined);

	if (ret == -EINVAL)
		return omega_error_set(error, OMEGA_SANDBOX_E_INVALID_POLICY, 0,
		    "%s: deny_hosts takes away from what hosts lists, and no "
		    "part of the policy has such a list: add hosts = { ... }",
		    combined->hosts.denies);
	return ret < 0 ? omega_error_memory(error) : 0;
}

static int
combine_once(const struct omega_sandbox_policy *policy,
    struct omega_combined *combined, struct omega_sandbox_error *error)
{
	size_t i;
	int ret = 0;

	ret = add_granted(policy, combined, error);
	for (i = 0; ret == 0 && i < policy->layer_count; i++)
		ret = add_layer(policy, &policy->layers[i], combined, error);
	if (ret == 0)
		ret = add_layer(policy, &policy->own, combined, error);
	/* Which hosts there are may be written in files, which commands must
	 * not be able to change. */
	for (i = 0; ret == 0 && i <= policy->layer_count; i++)
		if (add_network(policy,
			i < policy->layer_count ? &policy->layers[i]
						: &policy->own,
			combined) < 0)
			ret = omega_error_memory(error);
	combined->hosts.proxy =
	    omega_conf_first(policy->sandbox->conf, OMEGA_OPTION_HOSTS_PROXY)
		->text;
	if (ret == 0)
		ret = finish_hosts(combined, error);
	if (ret == 0 && omega_planted_links_gather(combined) < 0)
		ret = omega_error_memory(error);
	return ret;
}

/* Which links a command may have made is known when all lists are. What one is
 * on the way to has no part in any of them then, and lifts no deny. */
static int
combine(const struct omega_sandbox_policy *policy,
    struct omega_combined *combined, struct omega_sandbox_error *error)
{
	struct omega_combined_places planted = {NULL, 0};
	bool is_shown = combined->is_shown;
	int ret;

	for (;;) {
		ret = combine_once(policy, combined, error);
		if (ret < 0 || combined->planted.count == planted.count)
			break;
		planted = combined->planted;
		combined->planted.list = NULL;
		combined->planted.count = 0;
		omega_combine_drop(combined);
		combined->planted = planted;
		combined->is_shown = is_shown;
	}
	if (ret == 0 && (note_vain(combined) < 0 ||
			    omega_planted_links_tell(combined) < 0 ||
			    add_run_limits(policy, combined) < 0))
		ret = omega_error_memory(error);
	return ret;
}

int
omega_combine(const struct omega_sandbox_policy *policy,
    struct omega_combined *combined, struct omega_sandbox_error *error)
{
	memset(combined, 0, sizeof(*combined));
	return combine(policy, combined, error);
}

static bool
keeps_git(const struct omega_layer *layer)
{
	const struct omega_option_value *git =
	    &layer->values[OMEGA_OPTION_GIT_METADATA];

	return git->is_set && git->number == OMEGA_GIT_KEEP;
}

void
omega_combine_make_git(const struct omega_sandbox_policy *policy)
{
	struct omega_combined combined;
	bool is_kept = keeps_git(&policy->own);
	size_t i;

	for (i = 0; !is_kept && i < policy->layer_count; i++)
		is_kept = keeps_git(&policy->layers[i]);
	if (!is_kept)
		return;
	if (omega_combine(policy, &combined, NULL) == 0)
		omega_git_denies_make(&combined);
	omega_combine_drop(&combined);
}

int
omega_combine_shown(const struct omega_sandbox_policy *policy,
    struct omega_combined *combined, struct omega_sandbox_error *error)
{
	memset(combined, 0, sizeof(*combined));
	combined->is_shown = true;
	return combine(policy, combined, error);
}

static void
drop_set(struct omega_combined_set *set)
{
	omega_places_drop(&set->places);
	free(set->origin);
}

void
omega_combine_drop(struct omega_combined *combined)
{
	size_t i;

	drop_set(&combined->read);
	drop_set(&combined->write);
	drop_set(&combined->run);
	omega_places_drop(&combined->denies);
	omega_places_drop(&combined->granted);
	omega_places_drop(&combined->planted);
	free(combined->deny_network);
	free(combined->only_unix);
	for (i = 0; i < 4; i++) {
		free(combined->ports[i].origin);
		free(combined->ports[i].list);
	}
	omega_host_lists_drop(&combined->hosts);
	for (i = 0; i < OMEGA_OPTION_COUNT; i++)
		free(combined->values[i].origin);
	while (combined->note_count > 0)
		free(combined->notes[--combined->note_count]);
	free(combined->notes);
	memset(combined, 0, sizeof(*combined));
}
