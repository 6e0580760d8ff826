/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sandbox.c - the public functions about the sandbox itself: opening it and
 * asking what is installed and offered. Documentation is in omega/sandbox.h.
 */

#include "config.h"

#include <omega/sandbox.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/platform.h"
#include "base/sized.h"
#include "load/sandbox.h"
#include "load/shipped.h"
#include "plan/stack.h"

const char *
omega_sandbox_version(void)
{
	return PACKAGE_VERSION;
}

int
omega_sandbox_open(const char *config_file, omega_sandbox_log_fn *log,
    void *log_arg, struct omega_sandbox **sandbox,
    struct omega_sandbox_error *error)
{
	struct omega_sandbox_sources sources;
	struct omega_log to = {.fn = log, .arg = log_arg};
	int ret;

	if (sandbox == NULL)
		return omega_error_set(error, OMEGA_SANDBOX_E_ARGUMENT, EINVAL,
		    "no place for the sandbox was given");
	*sandbox = NULL;
	ret = omega_sandbox_object_sources(config_file, &sources, error);
	return ret < 0
		   ? ret
		   : omega_sandbox_object_new(&sources, &to, sandbox, error);
}

struct omega_sandbox *
omega_sandbox_ref(struct omega_sandbox *sandbox)
{
	if (sandbox != NULL)
		atomic_fetch_add(&sandbox->refs, 1);
	return sandbox;
}

void
omega_sandbox_unref(struct omega_sandbox *sandbox)
{
	if (sandbox != NULL && atomic_fetch_sub(&sandbox->refs, 1) == 1)
		omega_sandbox_object_free(sandbox);
}

/* The name of the index-th backend: the stack's first, then the product's,
 * then what else is installed. */
static const char *
backend_name(char *const *stack, size_t stack_count,
    const struct omega_conf_list *others, size_t index)
{
	size_t i;

	if (index < stack_count)
		return stack[index];
	index -= stack_count;
	for (i = 0; omega_shipped[i] != NULL; i++) {
		if (omega_stack_has(stack, stack_count, omega_shipped[i]))
			continue;
		if (index-- == 0)
			return omega_shipped[i];
	}
	for (i = 0; i < others->count; i++) {
		if (omega_stack_has(stack, stack_count, others->items[i].text))
			continue;
		if (index-- == 0)
			return others->items[i].text;
	}
	return NULL;
}

static void
look_at_backend(struct omega_sandbox *sandbox, const char *name,
    struct omega_sandbox_backend *info)
{
	struct omega_sandbox_probe probe = {.size = sizeof(probe)};
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	struct omega_backend *backend = NULL;
	int ret;

	snprintf(info->name, sizeof(info->name), "%s", name);
	if (!omega_loader_is_installed(sandbox->plugindir, name)) {
		omega_shipped_missing(sandbox->plugindir, name, info->reason,
		    sizeof(info->reason));
		return;
	}
	ret = omega_sandbox_object_backend(sandbox, name, &backend, &error);
	if (ret < 0) {
		info->is_broken = 1;
		snprintf(
		    info->reason, sizeof(info->reason), "%.250s", error.text);
		return;
	}
	info->is_installed = 1;
	snprintf(info->description, sizeof(info->description), "%s",
	    backend->plugin.description);
	ret = backend->plugin.probe(&backend->host, &probe);
	if (ret < 0) {
		snprintf(info->reason, sizeof(info->reason),
		    "could not look at this host: %s", strerror(-ret));
		return;
	}
	info->is_usable = probe.is_usable == 1;
	info->has_network = probe.has_network == 1;
	snprintf(info->version, sizeof(info->version), "%.63s", probe.version);
	snprintf(info->reason, sizeof(info->reason), "%.255s", probe.reason);
	snprintf(info->network_reason, sizeof(info->network_reason), "%.255s",
	    probe.has_network == 1 || probe.network_reason[0] != '\0'
		? probe.network_reason
		: "this backend does not isolate the network");
}

int
omega_sandbox_get_backend(struct omega_sandbox *sandbox, size_t index,
    struct omega_sandbox_backend *backend)
{
	struct omega_sandbox_backend full = OMEGA_SANDBOX_BACKEND_INIT;
	const struct omega_conf_list *list;
	struct omega_conf_list others = {NULL, 0};
	const char *words[OMEGA_SANDBOX_MAX_BACKENDS];
	char *stack[OMEGA_SANDBOX_MAX_BACKENDS];
	const char *name;
	size_t count = 0;
	size_t i;
	int ret = OMEGA_SANDBOX_E_NOT_FOUND;

	if (sandbox == NULL || backend == NULL ||
	    backend->size < sizeof(backend->size))
		return OMEGA_SANDBOX_E_ARGUMENT;
	list = omega_conf_items(sandbox->conf, OMEGA_OPTION_BACKEND);
	for (i = 0; i < list->count && i < OMEGA_SANDBOX_MAX_BACKENDS; i++)
		words[i] = list->items[i].text;
	if (omega_stack_expand(words, i, stack, &count, NULL) < 0 ||
	    (count == 0 &&
		omega_stack_parse("native", stack, &count, NULL) < 0))
		return OMEGA_SANDBOX_E_NOT_FOUND;
	name = omega_shipped_others(sandbox->plugindir, &others) < 0
		   ? NULL
		   : backend_name(stack, count, &others, index);
	if (name != NULL) {
		full.is_in_stack = index < count;
		look_at_backend(sandbox, name, &full);
		omega_sized_give(backend, &full, sizeof(full));
		ret = 0;
	}
	omega_list_clear(&others);
	while (count > 0)
		free(stack[--count]);
	return ret;
}

int
omega_sandbox_get_platform(struct omega_sandbox_platform *platform)
{
	struct omega_sandbox_platform full = OMEGA_SANDBOX_PLATFORM_INIT;

	if (platform == NULL || platform->size < sizeof(platform->size))
		return OMEGA_SANDBOX_E_ARGUMENT;
	omega_platform_look(&full);
	omega_sized_give(platform, &full, sizeof(full));
	return 0;
}
