/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * services.c - see profile.h.
 */

#include "profile.h"

/* Mach services that do what a kind of atom forbids. */
static const struct {
	uint32_t kind;
	const char *name;
} names[] = {
    /* They start programs. */
    {OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS,
	"com.apple.coreservices.launchservicesd"},
    {OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS,
	"com.apple.coreservices.quarantine-resolver"},
    /* They have the keychain. */
    {OMEGA_SANDBOX_ATOM_KEYRING, "com.apple.SecurityServer"},
    {OMEGA_SANDBOX_ATOM_KEYRING, "com.apple.securityd"},
    {OMEGA_SANDBOX_ATOM_KEYRING, "com.apple.securityd.xpc"},
    /* They speak with the network for others; what is not here is below. */
    {OMEGA_SANDBOX_ATOM_NETWORK, "com.apple.trustd"},
    {OMEGA_SANDBOX_ATOM_NETWORK, "com.apple.trustd.agent"},
};

/* What programs need that no policy is about; stated where nothing is allowed
 * by default. */
static const char *const needs[] = {"process-info*", "sysctl-read",
    "ipc-posix*", "ipc-sysv*", "iokit-open", "iokit-get-properties",
    "mach-register", "mach-task-name", "pseudo-tty", "user-preference-read"};

/* Possible unless there is an atom of the kind. */
static void
unless(const struct profile_source *source, struct rules *rules, uint32_t kind,
    const char *operations)
{
	if (profile_atom(source, kind) != NULL)
		rules_refuse(rules, operations);
	else
		rules_permit(rules, operations);
}

/* With an atom of the kind, only within the sandbox. */
static void
within(const struct profile_source *source, struct rules *rules, uint32_t kind,
    const char *operation)
{
	struct texts own = {.list = NULL};

	texts_add(&own, "(target same-sandbox)");
	if (profile_atom(source, kind) != NULL)
		rules_limit(rules, operation, &own, NULL);
	else
		rules_permit(rules, operation);
	texts_drop(&own);
}

static void
write_lookups(const struct profile_source *source, struct rules *rules)
{
	struct texts but = {.list = NULL};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (profile_atom(source, names[i].kind) != NULL)
			texts_add(&but, "(global-name \"%s\")", names[i].name);
	if (network_is_without_names(source))
		texts_add(&but, "(global-name \"com.apple.dnssd.service\")");
	if (network_is_listed(source) ||
	    profile_atom(source, OMEGA_SANDBOX_ATOM_NETWORK) != NULL)
		texts_add(&but, "(global-name \"com.apple.nsurlsessiond\")");
	rules_limit(rules, "mach-lookup", NULL, &but);
	texts_drop(&but);
}

static void
write_ioctl(const struct profile_source *source, struct rules *rules)
{
	struct texts but = {.list = NULL};

	if (profile_atom(source, OMEGA_SANDBOX_ATOM_TERMINAL) != NULL)
		texts_add(&but, "(ioctl-command TIOCSTI)");
	rules_limit(rules, "file-ioctl", NULL, &but);
	texts_drop(&but);
}

void
services_write(const struct profile_source *source, struct rules *rules)
{
	size_t i;

	write_ioctl(source, rules);
	unless(source, rules, OMEGA_SANDBOX_ATOM_FORK, "process-fork");
	within(source, rules, OMEGA_SANDBOX_ATOM_OUTSIDE_SIGNALS, "signal");
	within(source, rules, OMEGA_SANDBOX_ATOM_OUTSIDE_PTRACE,
	    "mach-priv-task-port");
	write_lookups(source, rules);
	unless(source, rules, OMEGA_SANDBOX_ATOM_LAUNCHER_SOCKETS,
	    "lsopen appleevent-send job-creation");
	for (i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		rules_permit(rules, needs[i]);
}
