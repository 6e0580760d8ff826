/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * files.h - the rules of a profile about files and programs.
 */

#ifndef OMEGA_SEATBELT_FILES_H
#define OMEGA_SEATBELT_FILES_H

#include "profile.h"

/* Places as filters; *_ways are the directories that lead to them. */
struct files {
	struct texts reads; /* not to be read */
	struct texts writes; /* not to be changed */
	struct texts hidden; /* not to be read, but may be written */
	struct texts ways; /* neither moved nor replaced */
	struct texts devices; /* harmless */
	int is_read_limited;
	int is_write_limited;
	int is_run_limited;
	struct texts readable;
	struct texts writable;
	struct texts runnable;
};

void files_find(struct files *files, const struct profile_source *source,
    struct rules *rules);
void files_drop(struct files *files);
void files_write(const struct files *files, struct rules *rules);

/* Does the policy have lists of what is allowed? */
int files_has_lists(const struct profile_source *source);

#endif
