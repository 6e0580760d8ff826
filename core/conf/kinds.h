/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * kinds.h - the kinds of atoms by number and by the name that configuration
 * (accept = {...}) and reports use.
 */

#ifndef OMEGA_CONF_KINDS_H
#define OMEGA_CONF_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct omega_kind {
	uint32_t number; /* enum omega_sandbox_atom_kind */
	const char *name;
	bool is_hardening; /* may be named in accept */
	bool is_accepted; /* is in accept by default */
};

/* All kinds, ended by one without a name. */
extern const struct omega_kind omega_kinds[];

/* What a kind is called now that had this name in former versions, or NULL. */
const char *omega_kinds_new_name(const char *name);

/* By its name or a former one. NULL when there is none. */
const struct omega_kind *omega_kinds_by_name(const char *name);
const struct omega_kind *omega_kinds_by_number(uint32_t number);

/* A set of hardening kinds, one bit each; kinds_bit(number) is 0 if none. */
typedef uint32_t omega_kind_set;
omega_kind_set omega_kinds_bit(uint32_t number);
omega_kind_set omega_kinds_accepted_by_default(void);

#endif
