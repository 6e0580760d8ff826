/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults.c - see faults.h.
 */

#include "config.h"

#include "conf/faults.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool
is_kept(
    const struct omega_faults *faults, const struct omega_sandbox_error *error)
{
	size_t i;

	for (i = 0; i < faults->count; i++)
		if (strcmp(faults->list[i].text, error->text) == 0)
			return true;
	return false;
}

int
omega_faults_keep(struct omega_faults *faults, int ret,
    const struct omega_sandbox_error *error)
{
	struct omega_sandbox_error *list;

	if (ret == 0 || faults == NULL || ret == OMEGA_SANDBOX_E_MEMORY)
		return ret;
	if (faults->count > OMEGA_FAULTS_MAX || is_kept(faults, error))
		return 0;
	list = omega_list_grow(faults->list, faults->count, sizeof(*list));
	if (list == NULL)
		return OMEGA_SANDBOX_E_MEMORY;
	faults->list = list;
	list += faults->count++;
	list->size = sizeof(*list);
	if (faults->count <= OMEGA_FAULTS_MAX)
		omega_error_copy(list, error);
	else
		omega_error_set(list, OMEGA_SANDBOX_E_CONFIG, 0,
		    "and more; mend these first");
	return 0;
}

int
omega_faults_begin(struct omega_faults *faults, const char *file)
{
	if (faults == NULL || omega_list_has(&faults->files, file))
		return 0;
	return omega_list_add(&faults->files, file, NULL, 0);
}

/* What is about no file comes last. */
static size_t
rank_of(const struct omega_faults *faults, const char *file)
{
	size_t i;

	for (i = 0; i < faults->files.count; i++)
		if (strcmp(faults->files.items[i].text, file) == 0)
			break;
	return i;
}

static bool
is_before(const struct omega_faults *faults,
    const struct omega_sandbox_error *a, const struct omega_sandbox_error *b)
{
	size_t left = rank_of(faults, a->file);
	size_t right = rank_of(faults, b->file);

	return left != right ? left < right : a->line < b->line;
}

/* They are few, and those of a line stay in their order. */
void
omega_faults_sort(struct omega_faults *faults)
{
	size_t i;
	size_t j;

	for (i = 1; i < faults->count && i < OMEGA_FAULTS_MAX; i++)
		for (j = i; j > 0 && is_before(faults, &faults->list[j],
					 &faults->list[j - 1]);
		     j--) {
			struct omega_sandbox_error moved = faults->list[j];

			faults->list[j] = faults->list[j - 1];
			faults->list[j - 1] = moved;
		}
}

void
omega_faults_clear(struct omega_faults *faults)
{
	free(faults->list);
	omega_list_clear(&faults->files);
	memset(faults, 0, sizeof(*faults));
}
