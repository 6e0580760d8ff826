/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * faults-probe.h - the program that is started, if it is: it looks for what
 * it should not be able to do, and says what it could.
 */

#ifndef OMEGA_TEST_FAULTS_PROBE_H
#define OMEGA_TEST_FAULTS_PROBE_H

#include "faults-place.h"

enum faults_probe {
	FAULTS_PROBE_SECRET = 1, /* read what the policy protects */
	FAULTS_PROBE_BLOCKED = 2, /* read what the configuration adds */
	FAULTS_PROBE_CONFIG = 4, /* open protected configuration for writing */
	FAULTS_PROBE_SYSTEM = 8, /* open /etc/passwd for writing */
	FAULTS_PROBE_SIGNAL = 16, /* signal a process outside */
	FAULTS_PROBE_FILTER = 32, /* no filter of system calls is there */
	FAULTS_PROBE_FDS = 64, /* descriptors behind the third are open */
	FAULTS_PROBE_POWER = 128, /* capabilities could be had again */
	FAULTS_PROBE_SOCKET = 256, /* talk to a program of the caller */
	FAULTS_PROBE_DEVICE = 512, /* read a disk */
	FAULTS_PROBE_SILENT = 1024 /* nothing was said at all */
};

/* What must be possible without protection, for who we are. */
int faults_probe_expected(void);

/* Let standard output and error go where they are then read. */
bool faults_probe_redirect(const struct faults_place *place);
int faults_probe_read(const struct faults_place *place);

/* If this is "probe BASE PID": its status, else -1. */
int faults_probe_main(int argc, char **argv);

#endif
