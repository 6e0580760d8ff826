/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * profile.c - see profile.h.
 */

#include "profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "network.h"
#include "services.h"
#include "spellings.h"

/* A program is given 1 MiB for its arguments and its environment. */
#define MAX_SIZE (512 * 1024)

const struct omega_sandbox_atom *
profile_atom(const struct profile_source *source, uint32_t kind)
{
	size_t i;

	for (i = 0; i < source->count; i++)
		if (source->atoms[i]->kind == kind)
			return source->atoms[i];
	return NULL;
}

const char *const *
profile_unreadable(const struct omega_sandbox_request *request)
{
	return OMEGA_SANDBOX_HAS(request, unreadable) ? request->unreadable
						      : NULL;
}

uint32_t
profile_unix_sockets(const struct omega_sandbox_request *request)
{
	return OMEGA_SANDBOX_HAS(request, unix_sockets)
		   ? request->unix_sockets
		   : OMEGA_SANDBOX_UNIX_ALL;
}

size_t
profile_service_count(const struct omega_sandbox_request *request)
{
	return OMEGA_SANDBOX_HAS(request, service_count)
		   ? request->service_count
		   : 0;
}

const char *const *
profile_unchangeable(const struct omega_sandbox_request *request)
{
	return OMEGA_SANDBOX_HAS(request, unchangeable) ? request->unchangeable
							: NULL;
}

const char *const *
profile_spelled(const struct omega_sandbox_grant *grant)
{
	return OMEGA_SANDBOX_HAS(grant, spelled) ? grant->spelled : NULL;
}

void
profile_add_place(struct rules *rules, struct texts *filters, const char *path)
{
	struct texts names = {.list = NULL};
	size_t i;

	if (spellings_refuse(path) != NULL)
		filters->error = -EILSEQ;
	spellings_add(&names, path);
	for (i = 0; i < names.count; i++) {
		size_t number = rules_param(rules, names.list[i]);
		char filter[64];

		snprintf(filter, sizeof(filter), "(literal (param \"P%zu\"))",
		    number);
		texts_find(filters, filter);
		snprintf(filter, sizeof(filter), "(subpath (param \"P%zu\"))",
		    number);
		texts_find(filters, filter);
	}
	if (names.error != 0)
		filters->error = names.error;
	texts_drop(&names);
}

static const char *
refuse_list(const char *const *paths)
{
	const char *why = NULL;

	for (; why == NULL && paths != NULL && *paths != NULL; paths++)
		why = spellings_refuse(*paths);
	return why;
}

const char *
profile_refuse(const struct omega_sandbox_request *request)
{
	const char *const *const lists[] = {request->allow_sockets,
	    request->allow_devices, profile_unreadable(request),
	    profile_unchangeable(request)};
	const char *const *path = request->spelled;
	const char *why = NULL;
	size_t i;

	if (request->data_dir != NULL)
		why = spellings_refuse(request->data_dir);
	for (i = 0; why == NULL && i < sizeof(lists) / sizeof(lists[0]); i++)
		why = refuse_list(lists[i]);
	for (; why == NULL && path != NULL && *path != NULL; path++)
		why = spellings_refuse_bytes(*path);
	for (i = 0; why == NULL && i < request->grant_count; i++) {
		why = spellings_refuse(request->grants[i]->path);
		if (why == NULL)
			why = refuse_list(profile_spelled(request->grants[i]));
	}
	return why;
}

/* Can all that may get into it be said? */
static int
check(const struct profile_source *source)
{
	size_t i;

	if (profile_refuse(source->request) != NULL)
		return -EILSEQ;
	for (i = 0; i < source->count; i++)
		if (source->atoms[i]->path != NULL &&
		    spellings_refuse(source->atoms[i]->path) != NULL)
			return -EILSEQ;
	for (i = 0; source->links != NULL && i < source->links->count; i++)
		if (spellings_refuse(source->links->list[i]) != NULL)
			return -EILSEQ;
	return 0;
}

static int
check_size(const struct rules *rules)
{
	size_t size = rules->text.len;
	size_t i;

	for (i = 0; i < rules->values.count; i++)
		size += strlen(rules->values.list[i]) + sizeof("-D P0000000=");
	return size > MAX_SIZE ? -E2BIG : 0;
}

int
profile_make(const struct profile_source *source, struct profile *profile)
{
	struct files files;
	struct rules rules;
	int ret;

	memset(profile, 0, sizeof(*profile));
	ret = check(source);
	if (ret < 0)
		return ret;
	rules_begin(&rules, files_has_lists(source));
	files_find(&files, source, &rules);
	files_write(&files, &rules);
	services_write(source, &rules);
	network_write(source, &rules);
	ret = rules_error(&rules);
	if (ret == 0)
		ret = check_size(&rules);
	if (ret == 0) {
		profile->text = rules.text.text;
		profile->values = rules.values.list;
		profile->count = rules.values.count;
		rules.text.text = NULL;
		rules.values = (struct texts){.list = NULL};
	}
	files_drop(&files);
	rules_drop(&rules);
	return ret;
}

void
profile_drop(struct profile *profile)
{
	while (profile->count > 0)
		free(profile->values[--profile->count]);
	free(profile->values);
	free(profile->text);
	memset(profile, 0, sizeof(*profile));
}
