/* SPDX-License-Identifier: MIT */
/* Copyright (C) 2026 the omega-sandbox authors */

/*
 * test-spawn.c - real children: how they start, what they find, how they end,
 * and that nothing is left of those that could not be started. Built a second
 * time as test-spawn-user, which gives up root first.
 */

#include "spawn-tests.h"

#include <sys/prctl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool spawn_is_shared = false;
bool spawn_is_apart = true;

static void
become_user(void)
{
#ifdef AS_USER
	if (getuid() == 0 &&
	    (setgroups(0, NULL) != 0 ||
		setresgid(SPARE_UID, SPARE_UID, SPARE_UID) != 0 ||
		setresuid(SPARE_UID, SPARE_UID, SPARE_UID) != 0))
		abort();
	/* Like a process that was started by that user. */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
#endif
}

int
main(void)
{
	static const struct CMUnitTest *const groups[] = {spawn_start_tests,
	    spawn_fds_tests, spawn_world_tests, spawn_wait_tests,
	    spawn_place_tests, spawn_filter_tests};
	static struct CMUnitTest tests[200];
	size_t count = 0;
	size_t i;
	size_t j;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (j = 0; groups[i][j].name != NULL; j++)
			tests[count++] = groups[i][j];
	spawning_begin();
	become_user();
	return harness_run(tests, count);
}
