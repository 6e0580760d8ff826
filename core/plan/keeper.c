/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * keeper.c - see keeper.h.
 */

#include "config.h"

#include "plan/keeper.h"

#include <string.h>

#include "path/text.h"
#include "plan/report.h"
#include "policy/atom.h"

/* Is it one of the kinds that can keep a command from such a place? */
static bool
is_kind(const struct omega_finding *finding, const char *kind)
{
	switch (finding->reason) {
	case OMEGA_SANDBOX_BY_LIST:
		return strcmp(
			   kind, finding->rule->access == OMEGA_SANDBOX_EXECUTE
				     ? "execute"
				     : "elsewhere") == 0;
	case OMEGA_SANDBOX_BY_HARD_LINK:
	case OMEGA_SANDBOX_BY_MOUNT:
		return strcmp(kind, "aliases") == 0;
	default:
		return strcmp(kind, "path") == 0 ||
		       strcmp(kind, "absent_paths") == 0;
	}
}

static bool
is_about(const struct omega_sandbox_guarantee *line, const char *place)
{
	return line->path == NULL || omega_text_is_below(place, strlen(place),
					 line->path, strlen(line->path));
}

static bool
is_access(const struct omega_finding *finding, uint32_t bits, unsigned access)
{
	if (finding->reason == OMEGA_SANDBOX_BY_LIST)
		access = finding->rule->access;
	if (bits == OMEGA_SANDBOX_ATOM_ALL)
		return true;
	return ((access & OMEGA_SANDBOX_WRITE) != 0 &&
		   (bits & OMEGA_ATOM_CHANGE_BITS) != 0) ||
	       ((access & ~(unsigned)OMEGA_SANDBOX_WRITE) != 0 &&
		   (bits & OMEGA_ATOM_READ_BITS) != 0);
}

bool
omega_keeper_find(const struct omega_sandbox_report *report,
    const struct omega_finding *finding, unsigned access, const char *place,
    struct omega_sandbox_guarantee *guarantee)
{
	struct omega_sandbox_guarantee line = OMEGA_SANDBOX_GUARANTEE_INIT;
	bool is_found = false;
	size_t i;

	if (finding->rule == NULL)
		return false;
	if (place[0] == '\0' || finding->reason == OMEGA_SANDBOX_BY_HARD_LINK ||
	    finding->reason == OMEGA_SANDBOX_BY_MOUNT)
		place = finding->rule->text;
	for (i = 0; omega_sandbox_report_get(report, i, &line) == 0; i++)
		if (is_kind(finding, line.kind) && is_about(&line, place) &&
		    is_access(
			finding, omega_report_access(report, i), access) &&
		    (!is_found || line.state > guarantee->state)) {
			*guarantee = line;
			is_found = true;
		}
	return is_found;
}
