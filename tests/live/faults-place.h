/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-place.h - what is protected: a data directory, a file the
 * configuration adds, that configuration, and a process outside.
 */

#ifndef OMEGA_TEST_FAULTS_PLACE_H
#define OMEGA_TEST_FAULTS_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define FAULTS_PLACE_SECRET "the secret of the house"

struct faults_place {
	char base[PATH_MAX]; /* all of it is below */
	char data_dir[PATH_MAX];
	char config[PATH_MAX];
	char blocked[PATH_MAX]; /* by the configuration */
	char errors[PATH_MAX]; /* standard error goes there */
	char said[PATH_MAX]; /* the probe's standard output */
	char outside[24]; /* process id */
	pid_t pid; /* the same */
	int listener; /* at base/socket */
};

bool faults_place_make(struct faults_place *place, const char *base);
void faults_place_end(struct faults_place *place);

#endif
