/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-mask.c - what of an argument is written down: core/audit/audit.c.
 */

#include "harness.h"

#include <string.h>

#include "audit/audit.h"
#include "conf/conf.h"

static void
test_masks(void **state)
{
	static const struct {
		const char *before;
		const char *argument;
		int keep; /* -1: all */
	} cases[] = {
	    {NULL, "plain", -1},
	    {NULL, "--password=hush", 11},
	    {NULL, "--DB-Password=hush", 14},
	    {NULL, "--db-password-file=hush", 19},
	    {NULL, "-password=hush", 10},
	    {"--password", "hush", 0},
	    {"--api-key", "hush", 0},
	    {"password", "hush", -1},
	    {"--verbose", "hush", -1},
	    {NULL, "GITHUB_TOKEN=hush", 13},
	    {NULL, "--token=a=b", 8},
	    {NULL, "Authorization: Bearer hush", 14},
	    {NULL, "sk-abcdef", 3},
	    {NULL, "ghp_abcdef", 4},
	    {NULL, "--pin=1234", 6},
	    {"--code", "1234", 0},
	    {NULL, "whole-word", 0},
	    {NULL, "whole-words", -1},
	    {NULL, "", -1},
	    {NULL, "=", -1},
	};
	struct omega_conf *conf = omega_conf_new();
	struct omega_sandbox_error error = OMEGA_SANDBOX_ERROR_INIT;
	static const char content[] =
	    "audit_mask = { '--pin=*', '--code *', 'whole-word' }";
	size_t i;

	(void)state;
	assert_int_equal(omega_conf_parse(conf, "x.conf", content,
			     sizeof(content) - 1, &error),
	    0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t keep = omega_audit_shown(
		    omega_conf_items(conf, OMEGA_OPTION_AUDIT_MASK),
		    cases[i].before, cases[i].argument);
		size_t want = cases[i].keep < 0 ? strlen(cases[i].argument)
						: (size_t)cases[i].keep;

		if (keep != want)
			fail_msg("%s: %zu", cases[i].argument, keep);
	}
	omega_conf_free(conf);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_masks),
	};

	return run_all(tests);
}
