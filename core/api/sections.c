/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sections.c - what the configuration has names for, told to host
 * applications. The functions are public; their documentation is in
 * omega/sandbox.h.
 */

#include "config.h"

#include "conf/sections.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "conf/named.h"
#include "load/sandbox.h"

const char *
omega_sandbox_get_config_file(const struct omega_sandbox *sandbox, size_t index)
{
	if (sandbox == NULL || index >= sandbox->conf->files.count)
		return NULL;
	return sandbox->conf->files.items[index].text;
}

/* The text of an entry, "" when there is none. */
static const char *
text_of(const struct omega_conf_section *section, const char *name)
{
	const struct omega_conf_entry *entry =
	    omega_sections_entry(section, name);

	return entry == NULL || entry->values.count == 0
		   ? ""
		   : entry->values.items[0].text;
}

static const struct omega_conf_section *
find(const struct omega_conf *conf, enum omega_scan_type type, size_t index)
{
	size_t i;

	for (i = 0; i < conf->section_count; i++)
		if (conf->sections[i].type == type && index-- == 0)
			return &conf->sections[i];
	return NULL;
}

static void
fill(const struct omega_conf_section *from, struct omega_sandbox_section *to)
{
	to->is_shipped = from->rank == OMEGA_CONF_SHIPPED;
	to->name = from->title;
	to->description = text_of(from, "description");
	to->policy =
	    text_of(from, from->type == OMEGA_SCAN_TIER ? "policy" : "extends");
	to->file = from->file;
	to->line = from->line;
}

int
omega_sandbox_get_section(const struct omega_sandbox *sandbox,
    enum omega_sandbox_section_type type, size_t index,
    struct omega_sandbox_section *section)
{
	static const enum omega_scan_type types[] = {
	    [OMEGA_SANDBOX_SECTION_POLICY] = OMEGA_SCAN_POLICY,
	    [OMEGA_SANDBOX_SECTION_AGENT] = OMEGA_SCAN_AGENT,
	    [OMEGA_SANDBOX_SECTION_GROUP] = OMEGA_SCAN_GROUP,
	    [OMEGA_SANDBOX_SECTION_TIER] = OMEGA_SCAN_TIER,
	};
	struct omega_sandbox_section full = {.name = "default",
	    .description = "everything is allowed but what is always protected",
	    .policy = "",
	    .file = ""};
	const struct omega_conf_section *found;
	bool is_built_in;

	if (sandbox == NULL || section == NULL ||
	    section->size < sizeof(section->size) ||
	    type < OMEGA_SANDBOX_SECTION_POLICY ||
	    type > OMEGA_SANDBOX_SECTION_TIER)
		return OMEGA_SANDBOX_E_ARGUMENT;
	is_built_in = type == OMEGA_SANDBOX_SECTION_POLICY &&
		      omega_sections_find(
			  sandbox->conf, OMEGA_SCAN_POLICY, "default") == NULL;
	if (!is_built_in || index != 0) {
		found = find(sandbox->conf, types[type], index - is_built_in);
		if (found == NULL)
			return OMEGA_SANDBOX_E_NOT_FOUND;
		fill(found, &full);
	}
	omega_sized_give(section, &full, sizeof(full));
	return 0;
}

int
omega_sandbox_get_tier(const struct omega_sandbox *sandbox, const char *name,
    struct omega_sandbox_tier *tier, struct omega_sandbox_error *error)
{
	struct omega_sandbox_tier full = OMEGA_SANDBOX_TIER_INIT;
	struct omega_named_tier found;
	int ret;

	if (sandbox == NULL || name == NULL || tier == NULL ||
	    tier->size < sizeof(tier->size))
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "a sandbox, a name and a place for the answer are needed");
	ret = omega_named_tier(sandbox->conf, name, &found, error);
	if (ret < 0)
		return ret;
	full.is_sandboxed = found.is_sandboxed;
	full.policy = found.policy != NULL ? found.policy : "default";
	full.file = found.section->file;
	full.line = found.section->line;
	omega_sized_give(tier, &full, sizeof(full));
	return 0;
}
