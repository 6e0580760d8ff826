/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * sbpl-filter.h - the operations of a profile, and the filters of a rule: which
 * there are, which go with which, and what they match.
 */

#ifndef OMEGA_TEST_SBPL_FILTER_H
#define OMEGA_TEST_SBPL_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "sbpl-form.h"
#include "sbpl.h"

/* What an operation is about, and so what its filters can be. */
enum sbpl_about {
	SBPL_ABOUT_NOTHING = 0, /* it takes no filter */
	SBPL_ABOUT_FILE = 1,
	SBPL_ABOUT_TARGET = 2,
	SBPL_ABOUT_SERVICE = 4,
	SBPL_ABOUT_REMOTE = 8,
	SBPL_ABOUT_LOCAL = 16,
	SBPL_ABOUT_DOMAIN = 32,
	SBPL_ABOUT_IOCTL = 64,
	SBPL_ABOUT_UNKNOWN = 128 /* no such operation */
};

/* Bits of what operations of this name, maybe with a star, are about. */
unsigned sbpl_filter_about(const char *operation);

/* Does a rule for this name concern that operation? */
bool sbpl_filter_covers(const char *name, const char *operation);

struct sbpl_param {
	const char *name;
	const char *value;
	bool is_used;
};

struct sbpl_filter {
	enum {
		SBPL_ALL,
		SBPL_ANY,
		SBPL_NOT,
		SBPL_LITERAL,
		SBPL_SUBPATH,
		SBPL_MATCH,
		SBPL_TARGET,
		SBPL_SERVICE,
		SBPL_IOCTL,
		SBPL_DOMAIN,
		SBPL_TYPE,
		SBPL_ADDRESS
	} kind;
	struct sbpl_filter **parts;
	size_t count;
	char *text; /* path, name, protocol */
	regex_t regex;
	bool has_regex;
	unsigned port; /* 0: any */
};

struct sbpl_filter_source {
	struct sbpl_param *params;
	size_t param_count;
	unsigned about; /* what every filter must go with */
	char *error;
	size_t error_size;
};

struct sbpl_filter *sbpl_filter_read(
    struct sbpl_filter_source *source, const struct sbpl_form *form);
void sbpl_filter_free(struct sbpl_filter *filter);

/* *length grows to that of the longest path by which it matches. */
bool sbpl_filter_matches(const struct sbpl_filter *filter,
    const struct sbpl_question *question, size_t *length);

#endif
