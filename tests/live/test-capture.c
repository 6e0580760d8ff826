/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-capture.c - commands run to the end of all of their processes: what
 * they say, how they end, and that nothing of them stays, as root and as an
 * ordinary user.
 *
 * No timing is judged: a call that does not return is the failure.
 */

#include "capture-tests.h"

#include <unistd.h>

#include "capture-acts.h"
#include "library.h"

int
main(int argc, char **argv)
{
	static const struct CMUnitTest *const groups[] = {capture_output_tests,
	    capture_end_tests, capture_attacked_tests, capture_hosts_tests,
	    capture_signals_tests, capture_groups_tests};
	static struct CMUnitTest tests[50];
	size_t count = 0;
	size_t i;
	size_t j;
	int status = capture_act(argc, argv);

	if (status < 0)
		status = capture_attack(argc, argv);
	if (status >= 0)
		_exit(status);
	status = library_main(argc, argv);
	if (status >= 0)
		_exit(status);
	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (j = 0; groups[i][j].name != NULL; j++)
			tests[count++] = groups[i][j];
	return harness_run(tests, count);
}
