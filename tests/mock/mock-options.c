/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * mock-options.c - takes options of every type, and shows in the reason its
 * probe gives what it got. Logs one line on the way.
 */

#include "mock.h"

#include <stdio.h>
#include <string.h>
#include <syslog.h>

const struct mock_behaviour mock_behaviour = {
    .held = MOCK_READS | MOCK_WRITES,
    .has_hardening = true,
    .phase = OMEGA_SANDBOX_PHASE_RESTRICT,
};

static const char *const modes[] = {"soft", "hard", NULL};

static const struct omega_sandbox_option flag = {
    .size = sizeof(struct omega_sandbox_option),
    .type = OMEGA_SANDBOX_OPTION_BOOL,
    .name = "flag",
    .help = "Yes or no.",
    .initial = 1,
};

static const struct omega_sandbox_option number = {
    .size = sizeof(struct omega_sandbox_option),
    .type = OMEGA_SANDBOX_OPTION_INT,
    .name = "number",
    .help = "How many.",
    .minimum = -5,
    .maximum = 500,
    .initial = 7,
};

static const struct omega_sandbox_option word = {
    .size = sizeof(struct omega_sandbox_option),
    .type = OMEGA_SANDBOX_OPTION_STRING,
    .name = "word",
    .help = "Any text.",
};

static const struct omega_sandbox_option mode = {
    .size = sizeof(struct omega_sandbox_option),
    .type = OMEGA_SANDBOX_OPTION_STRING,
    .name = "mode",
    .help = "One of two.",
    .initial_text = "soft",
    .words = modes,
};

static const struct omega_sandbox_option list = {
    .size = sizeof(struct omega_sandbox_option),
    .type = OMEGA_SANDBOX_OPTION_LIST,
    .name = "list",
    .help = "Any number of texts.",
};

static const struct omega_sandbox_option *const options[] = {
    &flag,
    &number,
    &word,
    &mode,
    &list,
    NULL,
};

static int
options_probe(
    const struct omega_sandbox_host *host, struct omega_sandbox_probe *probe)
{
	const char *text = host->option_text(host, "word");
	const char *item;
	size_t used;
	size_t i;

	host->log(host, LOG_INFO, "probed");
	probe->is_usable = 1;
	snprintf(probe->reason, sizeof(probe->reason),
	    "flag=%d number=%d word=%.40s mode=%.40s list=",
	    (int)host->option_int(host, "flag"),
	    (int)host->option_int(host, "number"),
	    text == NULL ? "(none)" : text, host->option_text(host, "mode"));
	for (i = 0; (item = host->option_item(host, "list", i)) != NULL; i++) {
		used = strlen(probe->reason);
		snprintf(probe->reason + used, sizeof(probe->reason) - used,
		    "%s%.40s", i == 0 ? "" : ",", item);
	}
	return 0;
}

const struct omega_sandbox_plugin omega_sandbox_plugin = {
    MOCK_HEAD,
    .name = "mock-options",
    .description = "mock: options",
    .options = options,
    .probe = options_probe,
    .describe = mock_describe,
    .apply = mock_apply,
};
