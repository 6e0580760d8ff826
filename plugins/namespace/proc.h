/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * proc.h - reading the tables of /proc.
 */

#ifndef NAMESPACE_PROC_H
#define NAMESPACE_PROC_H

/* The whole of a file as text, to be freed. NULL and errno on failure. */
char *proc_read(const char *path);

/* Can everybody sample whoever runs on a processor? As the administrator has
 * set kernel.perf_event_paranoid. */
int proc_shows_samples(void);

#endif
