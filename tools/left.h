/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * left.h - what a command leaves in the work directory that git outside would
 * run or obey, and that no policy can hold: a rebase or bisection under way,
 * and new repositories.
 */

#ifndef OMEGA_TOOL_LEFT_H
#define OMEGA_TOOL_LEFT_H

struct left;

/* Look at what there is. NULL: out of memory, or there is no such directory. */
struct left *left_look(const char *work_dir);

/* Look again, say what is new, free what was. NULL is fine. */
void left_tell(struct left *before);

#endif
