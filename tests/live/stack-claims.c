/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * stack-claims.c - what the report claims about an attempt.
 */

#include "stack.h"

#include <sys/syscall.h>
#include <string.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif

int
stack_landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);

	return abi > 0 ? (int)abi : 0;
}

void
stack_need_landlock(void)
{
	if (stack_landlock_abi() == 0)
		skip_because("this kernel has no Landlock");
}

/* Kernels differ in these: the report says what is held on this one. */
static const struct {
	const char *kind;
	const char *names[8];
} depends[] = {
    {"outside_signals", {"kill", "tgkill", "pidfd_send_signal", "killpg",
			    "signal by F_SETOWN", NULL}},
    {"abstract_sockets",
	{"abstract socket", "io_uring: abstract socket", NULL}},
    {"outside_sockets", {"connect to a late socket", NULL}},
};

static bool
is_enforced(struct omega_sandbox_prepared *prepared, const char *kind)
{
	struct omega_sandbox_guarantee guarantee = OMEGA_SANDBOX_GUARANTEE_INIT;
	struct omega_sandbox_report *report =
	    omega_sandbox_prepared_report(prepared);
	bool is_held = false;
	size_t i;

	for (i = 0; omega_sandbox_report_get(report, i, &guarantee) == 0; i++)
		if (strcmp(guarantee.kind, kind) == 0)
			is_held = guarantee.state == OMEGA_SANDBOX_ENFORCED;
	omega_sandbox_report_unref(report);
	return is_held;
}

bool
stack_claims(struct omega_sandbox_prepared *prepared, const char *name)
{
	size_t i;
	size_t j;

	for (i = 0; i < sizeof(depends) / sizeof(*depends); i++)
		for (j = 0; depends[i].names[j] != NULL; j++)
			if (strcmp(depends[i].names[j], name) == 0)
				return is_enforced(prepared, depends[i].kind);
	return true;
}
