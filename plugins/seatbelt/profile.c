/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * profile.c - see profile.h.
 */

#include "profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ways.h"

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

static const char *
refuse_list(const char *const *paths)
{
	const char *why = NULL;

	for (; why == NULL && paths != NULL && *paths != NULL; paths++)
		why = ways_refuse(*paths);
	return why;
}

const char *
profile_refuse(
    const struct omega_sandbox_request *request, const struct texts *links)
{
	const char *const *const lists[] = {request->allow_sockets,
	    request->allow_devices, PROFILE_FIELD(request, unreadable),
	    PROFILE_FIELD(request, unchangeable)};
	const char *const *path = request->spelled;
	const char *why = NULL;
	size_t i;

	if (request->data_dir != NULL)
		why = ways_refuse(request->data_dir);
	for (i = 0; why == NULL && i < sizeof(lists) / sizeof(lists[0]); i++)
		why = refuse_list(lists[i]);
	for (; why == NULL && path != NULL && *path != NULL; path++)
		why = ways_refuse_bytes(*path);
	for (i = 0; why == NULL && i < request->grant_count; i++) {
		const struct omega_sandbox_grant *grant = request->grants[i];

		why = ways_refuse(grant->path);
		if (why == NULL)
			why = refuse_list(PROFILE_FIELD(grant, spelled));
	}
	for (i = 0; why == NULL && links != NULL && i < links->count; i++)
		why = ways_refuse(links->list[i]);
	return why;
}

/* Can all that may get into it be said? */
static int
check(const struct profile_source *source)
{
	const char *why = profile_refuse(source->request, source->links);
	size_t i;

	for (i = 0; why == NULL && i < source->count; i++)
		if (source->atoms[i]->path != NULL)
			why = ways_refuse(source->atoms[i]->path);
	return why == NULL ? 0 : -EILSEQ;
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
	struct rules rules;
	int ret;

	memset(profile, 0, sizeof(*profile));
	ret = check(source);
	if (ret < 0)
		return ret;
	rules_begin(&rules, files_has_lists(source));
	files_write(source, &rules);
	services_write(source, &rules);
	network_write(source, &rules);
	ret = rules.text.error != 0 ? rules.text.error : rules.values.error;
	if (ret == 0)
		ret = check_size(&rules);
	if (ret == 0) {
		profile->text = rules.text.text;
		profile->values = rules.values.list;
		profile->count = rules.values.count;
		rules.text.text = NULL;
		rules.values = (struct texts){.list = NULL};
	}
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

void *
profile_pack(const struct profile *profile, size_t *size)
{
	struct texts texts = {.list = NULL};
	size_t i;

	texts_add(&texts, "%s", profile->text);
	for (i = 0; i < profile->count; i++) {
		texts_add(&texts, "P%zu", i);
		texts_add(&texts, "%s", profile->values[i]);
	}
	return texts_pack(&texts, size);
}

const char **
profile_unpack(const void *packed)
{
	const char *start = (const char *)packed + strlen(packed) + 1;
	const char *at;
	const char **list;
	size_t count = 0;

	for (at = start; *at != '\0'; at += strlen(at) + 1)
		count++;
	list = calloc(count + 1, sizeof(*list));
	if (list == NULL)
		return NULL;
	count = 0;
	for (at = start; *at != '\0'; at += strlen(at) + 1)
		list[count++] = at;
	return list;
}
