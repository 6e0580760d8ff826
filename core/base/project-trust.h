/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * project-trust.h - where it is kept that a user trusts a project's file.
 *
 * In a directory that commands cannot write, since it is beside the user's own
 * configuration: one file for each that is trusted, with its name in the first
 * line and its content behind that. What is not the same to the byte is not
 * trusted.
 */

#ifndef OMEGA_BASE_PROJECT_TRUST_H
#define OMEGA_BASE_PROJECT_TRUST_H

/* The project's file, in its directory. */
#define OMEGA_PROJECT_TRUST_FILE ".omega-sandbox.conf"

/* Below the user's home. */
#define OMEGA_PROJECT_TRUST_DIR ".config/omega/trusted"

/* Where it would be kept of the file of this name, to be freed. 0, -ENOENT (the
 * user has no home) or -ENOMEM. */
int omega_project_trust_name(const char *path, char **name);

#endif
