/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * plugins.h - plugin directories to test with.
 *
 * A build tree need not be one the loader trusts (umask, owner, a parent that
 * all may write), so plugins are copied to a directory that is.
 */

#ifndef OMEGA_TEST_PLUGINS_H
#define OMEGA_TEST_PLUGINS_H

/*
 * A trusted directory with every mock plugin and every real plugin that was
 * built, and a few files made by hand: mock-text, mock-empty, mock-cut,
 * mock-foreign (another machine), mock-writable (mode 0666), mock-directory.
 * Made once per program; the text is static.
 */
const char *plugin_dir(void);

/* The same kind of directory with mock-good in it, but everybody may write to
 * it. */
const char *writable_plugin_dir(void);

/* Put a copy of one file at another place, with this mode. */
void copy_file(const char *from, const char *to, unsigned mode);

#endif
