/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * reaches.h - what a program does with sockets: reaching for others, and
 * serving itself. The test program starts itself with the word "reach":
 * reach NAME ARG.
 */

#ifndef OMEGA_TEST_REACHES_H
#define OMEGA_TEST_REACHES_H

/* If this is "reach ...": do it and return 0 or an errno, else -1. */
int reaches_main(int argc, char **argv);

/* Listen, or be bound, outside. A non-blocking descriptor, or -1. */
int reaches_serve_ip(int family, int type, unsigned short *port);
int reaches_serve_unix(int type, const char *name);

#endif
