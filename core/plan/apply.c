/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * apply.c - having one backend carry out its share of a plan.
 */

#include "config.h"

#include "plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The atoms assigned to one backend, with only the bits assigned. */
struct share {
	struct omega_sandbox_atom *store;
	const struct omega_sandbox_atom **atoms;
	size_t count;
};

static int
make_share(const struct omega_plan *plan, size_t backend, struct share *share)
{
	size_t i;

	share->store = calloc(plan->atoms.count, sizeof(*share->store));
	share->atoms = calloc(plan->atoms.count, sizeof(*share->atoms));
	share->count = 0;
	if (share->store == NULL || share->atoms == NULL)
		return -ENOMEM;
	for (i = 0; i < plan->atoms.count; i++) {
		struct omega_sandbox_atom *atom = &share->store[share->count];

		if (plan->items[i].assigned[backend] == 0)
			continue;
		*atom = plan->atoms.list[i].public;
		atom->access = plan->items[i].assigned[backend];
		share->atoms[share->count++] = atom;
	}
	return 0;
}

static void
drop_share(struct share *share)
{
	free(share->store);
	free(share->atoms);
}

static int
backend_error(struct omega_sandbox_error *error,
    const struct omega_plan_backend *entry, int code, int sys_errno,
    const char *text)
{
	omega_error_set(
	    error, code, sys_errno, "backend %s: %s", entry->name, text);
	omega_error_backend(error, entry->name);
	return code;
}

/* Every bit that was promised must have been confirmed. */
static int
check_confirmed(const struct omega_plan_backend *entry,
    const struct share *share, const struct omega_launch_builder *builder,
    struct omega_sandbox_error *error)
{
	size_t i;

	for (i = 0; i < share->count; i++) {
		uint32_t held =
		    omega_launch_builder_held(builder, share->atoms[i]);

		if ((share->atoms[i]->access & ~held) != 0)
			return backend_error(error, entry,
			    OMEGA_SANDBOX_E_PLUGIN, 0,
			    "it promised more than it has done; the plugin is "
			    "faulty");
	}
	return 0;
}

int
omega_apply_backend(const struct omega_plan *plan, size_t backend,
    struct omega_launch *launch, bool *is_stale,
    struct omega_sandbox_error *error)
{
	const struct omega_plan_backend *entry = &plan->stack[backend];
	const struct omega_sandbox_plugin *plugin = &entry->backend->plugin;
	struct omega_sandbox_request request =
	    omega_plan_request(plan, backend);
	struct omega_launch_builder builder;
	struct share share;
	int ret;

	if (make_share(plan, backend, &share) < 0) {
		drop_share(&share);
		return omega_error_memory(error);
	}
	request.stand_ins = launch->stand_ins;
	request.stand_in_count = launch->stand_in_count;
	if (omega_plan_has_flag(entry, OMEGA_SANDBOX_PLUGIN_FILTERS)) {
		request.filter = launch->filter;
		request.filter_size = launch->filter_size;
		launch->is_filter_taken = true;
	}
	omega_launch_builder_begin(&builder, launch, entry->name,
	    omega_plan_has_flag(entry, OMEGA_SANDBOX_PLUGIN_PREFIX));
	ret = plugin->apply(&entry->backend->host, &request, share.atoms,
	    share.count, &builder.public);
	*is_stale = ret == -ESTALE;
	if (ret != 0)
		ret = backend_error(error, entry, OMEGA_SANDBOX_E_SYSTEM,
		    ret < 0 ? -ret : EINVAL,
		    builder.explanation[0] != '\0'
			? builder.explanation
			: strerror(ret < 0 ? -ret : EINVAL));
	else if (omega_launch_lacks_words(launch))
		ret = backend_error(error, entry, OMEGA_SANDBOX_E_PLUGIN, 0,
		    "it can confine this process, but has put no words before "
		    "the command of a child; the plugin is faulty");
	else
		ret = check_confirmed(entry, &share, &builder, error);
	omega_launch_builder_end(&builder);
	drop_share(&share);
	return ret;
}
